/** What is left of a group that is gone: it is ended and put out of the way, so that a later group of that name finds nothing of it. */
import type { Awaitable, Running, StopRequest } from '../../../../types/engine.js'
import { textOf } from '../faults.js'
import { wait, type Task } from '../task.js'
import type { Parts } from './parts.js'
import type { ServiceRecord } from './record.js'

/** Does what one service needs; that it fails is told, and keeps no other from being gone on with. Answers whether it was done. */
export function * tried ({ settings: { log } }: Parts, name: string, what: string, action: () => Awaitable<unknown>): Task<boolean> {
  try {
    yield * wait(action())
    return true
  } catch (error) {
    log({ level: 'error', message: `${name} ${what}: ${textOf(error)}`, service: name, error })
    return false
  }
}

/** One service of it. */
export interface Alone {
  readonly name: string
  readonly record: ServiceRecord | undefined
  /** What runs of it. */
  readonly life?: Running | undefined
}

/** There is no such group any more. */
export function * endAlone (parts: Parts, { name, record, life }: Alone, request: StopRequest): Task<void> {
  const { engine, records, settings: { log } } = parts
  // It takes time, and somebody may make a group of that name before the next core looks.
  if (record !== undefined && record.groupGone !== true) {
    yield * tried(parts, name, 'cannot be noted down', () => records.write({ ...record, groupGone: true }, { durable: true }))
  }
  if (life !== undefined) {
    log({ level: 'warn', message: `${name} is ended: its group is gone`, service: name, ...life.details?.() })
    yield * wait(life.stop(request))
  }
  // What nobody knows anything about may be something that people built.
  if (record?.static ?? true) yield * putAside(parts, name)
  else yield * wait(engine.discard(name, { keep: false }))
  yield * wait(records.remove(name))
}

/** Moves what a service has written to where no service finds it. */
export function * putAside ({ engine, settings: { log } }: Parts, name: string): Task<void> {
  const aside = yield * wait(engine.discard(name, { keep: true }))
  if (aside !== undefined) log({ level: 'info', message: `The files of ${name} are kept in ${aside}`, service: name, directory: aside })
}
