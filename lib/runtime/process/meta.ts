/** What a later core has to know of the life that was started last under a name; `run/meta.json`. */
import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import type { Note } from '../../../types/engine.js'
import { codeOf, LONGEST_RECORD, NotPlainError, readNote } from '../fleet/index.js'

export interface Meta {
  readonly token: string
  /** Of the machine's start in which it was started. */
  readonly bootId: string
  /** Where in the console's file this life begins. */
  readonly consoleFrom: number
  /** Milliseconds since the epoch; version 0.1.0 did not note it. */
  readonly startedAt?: number
  /** Where it listens; absent: where all services do. */
  readonly host?: string
  /** The directory of its cgroup; absent: it has none. */
  readonly cgroup?: string
  /** How many pieces of its console are kept. */
  readonly keepConsole?: number
  /** 0 when it is not known. */
  readonly port: number
  /** Whether what it writes is kept. */
  readonly static: boolean
  /** The fleet's. */
  readonly note: Note
}

/** The note stands among the rest as well, where version 0.1.0 reads it. It is whole or not there, whatever ends this process. */
export async function writeMeta (path: string, { note, ...own }: Meta): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeFile(temporary, `${JSON.stringify({ ...note, ...own, note }, null, 2)}\n`, { mode: 0o600 })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {})
    throw error
  }
}

/** Undefined when there is none, `damaged` when nothing can be done with it; other errors are the machine's. */
export function readMeta (path: string): Meta | 'damaged' | undefined {
  let text: string | undefined
  try {
    text = readNote(path, { most: LONGEST_RECORD })
  } catch (error) {
    // A service may have put something there, or locked it away.
    if (error instanceof NotPlainError || codeOf(error) === 'EACCES') return 'damaged'
    throw error
  }
  if (text === undefined) return undefined
  try {
    const { token, bootId, consoleFrom, startedAt, host, cgroup, keepConsole, note, ...others } = JSON.parse(text)
    const right = /^[0-9a-f]{32}$/.test(token) && typeof bootId === 'string' && typeof consoleFrom === 'number'
    if (!right) return 'damaged'
    return {
      token,
      bootId,
      consoleFrom,
      static: others.static === true,
      port: Number(others.port ?? 0),
      note: typeof note === 'object' && note !== null ? note : others,
      ...(typeof startedAt === 'number' ? { startedAt } : {}),
      ...(typeof host === 'string' ? { host } : {}),
      ...(typeof cgroup === 'string' ? { cgroup } : {}),
      ...(typeof keepConsole === 'number' ? { keepConsole } : {})
    }
  } catch {
    return 'damaged'
  }
}
