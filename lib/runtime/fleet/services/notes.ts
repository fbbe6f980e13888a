/** Keeps the record of one service up to date, for a later core. */
import { textOf } from '../faults.js'
import { wait, type Task } from '../task.js'
import type { Parts } from './parts.js'
import type { Intent, ServiceRecord } from './record.js'

/** `life: undefined`: nothing runs any more. */
export interface Change {
  readonly intent?: Intent
  readonly life?: ServiceRecord['life'] | undefined
}

export interface Notes {
  /** As it was written last; undefined when nothing is known of the service but its name. */
  readonly record: ServiceRecord | undefined
  /** Writes a record that has to be there before anything else happens; throws when it cannot be written. */
  begin (record: ServiceRecord): Task<void>
  /** Takes a record over that was found, or made up. */
  take (record: ServiceRecord): void
  /** Writes down what has changed; that this cannot be done keeps the service from nothing, and is only told. */
  change (changed: Change, options?: { readonly durable: boolean }): Task<void>
  drop (): Task<void>
}

export function createNotes ({ records, settings }: Parts, of: { readonly service: string, readonly group: string }, record: ServiceRecord | undefined): Notes {
  return {
    get record () { return record },
    * begin (next) {
      record = next
      yield * wait(records.write(next, { durable: true }))
    },
    take: found => { record = found },
    * change (changed, options = { durable: false }) {
      if (record === undefined) return
      const { life, ...rest } = { ...record, ...changed }
      record = life === undefined ? rest : { ...rest, life }
      try {
        yield * wait(records.write(record, options))
      } catch (error) {
        settings.log({ level: 'error', message: `${of.service} cannot be noted down: ${textOf(error)}`, ...of, error })
      }
    },
    * drop () {
      yield * wait(records.remove(of.service))
      record = undefined
    }
  }
}
