/** What a later core has to know of a service. */
import type { Awaitable, Note } from '../../../../types/engine.js'
import type { Exit, ServiceType } from '../../../../types/resources.js'
import type { TextStore } from '../content/text-store.js'
import { isName } from '../names.js'
import { wait, type Task } from '../task.js'
import type { Manner } from './manner.js'

/** What is to become of a service: go on, stay stopped, or go for good. */
export type Intent = 'run' | 'stop' | 'remove'

export interface ServiceRecord {
  readonly name: string
  readonly group: string
  readonly index: number
  readonly port: number
  readonly createdAt: number
  readonly intent: Intent
  /** A core has found that its group is gone: a later group of that name is another one, and what runs is to be ended. */
  readonly groupGone?: boolean
  /** Whether what it has written is kept from life to life, as of its last start. */
  readonly static: boolean
  /** As of its last start. */
  readonly type: ServiceType
  readonly platform: { readonly name: string, readonly version: string }
  readonly templates: readonly string[]
  readonly properties: Readonly<Record<string, string>>
  readonly minMemory: number
  readonly maxMemory: number
  /** Absent: a core that did not note it has begun the last life. */
  readonly manner?: Manner
  /** The life that runs, as far as this core knows; absent when none does. */
  readonly life?: {
    readonly token: string
    /** When it was ready, milliseconds since the epoch. */
    readonly onlineAt?: number
    /** Why it is to end, from the moment in which it was asked to. */
    readonly ending?: Exit['reason']
  }
  /** When the last life that has ended began. */
  readonly startedAt?: number
  /** How it ended. */
  readonly lastExit?: Exit
}

/** Reads a record, or what an engine has kept of one; undefined when it is damaged, or another's. */
export function readRecord (name: string, given: unknown): ServiceRecord | undefined {
  const record = given as Partial<ServiceRecord> | null | undefined
  const right = typeof record === 'object' && record !== null && record.name === name && isName(record.group) &&
    record.name === `${record.group}-${record.index}` && isPort(record.port) && typeof record.createdAt === 'number' &&
    ['run', 'stop', 'remove'].includes(record.intent ?? '') && typeof record.platform?.name === 'string' &&
    Array.isArray(record.templates) && typeof record.properties === 'object' && record.properties !== null
  return right ? record as ServiceRecord : undefined
}

/** `error`: the machine does not let it be read; absent: what is there is none. */
export interface Damage {
  readonly error?: Error
}

export interface Records {
  /** Those that are right, by name, and of those that are not what is wrong with them. */
  readAll (): Task<{ readonly records: ReadonlyMap<string, ServiceRecord>, readonly damaged: ReadonlyMap<string, Damage> }>
  /** `durable`: when it answers, the record survives a power cut as well. */
  write (record: ServiceRecord, options: { readonly durable: boolean }): Awaitable<unknown>
  remove (name: string): Awaitable<void>
}

export function createRecords (store: TextStore): Records {
  return {
    * readAll () {
      const records = new Map<string, ServiceRecord>()
      const damaged = new Map<string, Damage>()
      for (const [name, text] of yield * wait(store.readAll())) {
        const record = typeof text === 'string' ? readRecord(name, parse(text)) : undefined
        if (record === undefined) damaged.set(name, typeof text === 'string' ? {} : { error: text })
        else records.set(name, record)
      }
      return { records, damaged }
    },
    write: (record, options) => store.write(record.name, `${JSON.stringify(record)}\n`, options),
    remove: name => store.remove(name)
  }
}

function parse (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What an engine keeps with a life: enough to go on when the record itself is lost. */
export function noteOf (record: ServiceRecord): Note {
  const { life, startedAt, lastExit, ...note } = record
  return note
}

function isPort (value: unknown): boolean {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65536
}
