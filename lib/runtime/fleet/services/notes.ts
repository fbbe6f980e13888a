/** Keeps the record of one service up to date, for a later core. */
import type { Exit } from '../../../../types/resources.js'
import { textOf } from '../faults.js'
import { createQueue } from '../queue.js'
import { wait, type Task } from '../task.js'
import type { Parts } from './parts.js'
import type { Intent, ServiceRecord } from './record.js'

/** `life: undefined`: nothing runs any more. */
export interface Change {
  readonly intent?: Intent
  readonly life?: ServiceRecord['life'] | undefined
  readonly startedAt?: number
  readonly lastExit?: Exit
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
  /** What it has written is kept from now on: so much was asked for while it ran. */
  keep (): Task<void>
  drop (): Task<void>
}

export function createNotes ({ records, settings }: Parts, of: { readonly service: string, readonly group: string }, record: ServiceRecord | undefined): Notes {
  // Each goes by what the one before has written.
  const queue = createQueue()
  const inTurn = (task: () => Task<void>): Task<void> => wait(queue.add(task))

  function * write (changed: Change & { readonly static?: true }, options: { readonly durable: boolean }): Task<void> {
    if (notes.record === undefined) return
    const { life, ...rest } = { ...notes.record, ...changed }
    const next = life === undefined ? rest : { ...rest, life }
    try {
      yield * wait(records.write(next, options))
    } catch (error) {
      settings.log({ level: 'error', message: `${of.service} cannot be noted down: ${textOf(error)}`, ...of, error })
    }
    // Not before: what is told of an end is seen together with it.
    notes.record = next
  }

  const notes = {
    record,
    begin: (next: ServiceRecord): Task<void> => inTurn(function * () {
      const { startedAt, lastExit } = notes.record ?? {}
      notes.record = { ...next, ...(startedAt === undefined ? {} : { startedAt }), ...(lastExit === undefined ? {} : { lastExit }) }
      yield * wait(records.write(notes.record, { durable: true }))
    }),
    take: (found: ServiceRecord): void => { notes.record = found },
    change: (changed: Change, options = { durable: false }): Task<void> => inTurn(() => write(changed, options)),
    keep: (): Task<void> => inTurn(function * () {
      if (notes.record?.static === false) yield * write({ static: true }, { durable: true })
    }),
    drop: (): Task<void> => inTurn(function * () {
      yield * wait(records.remove(of.service))
      notes.record = undefined
    })
  }
  return notes
}
