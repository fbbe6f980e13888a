/** How a program ended, as its shim wrote it down. */
import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { constants } from 'node:os'
import { join } from 'node:path'
import type { End } from '../../../types/engine.js'
import { readNote } from '../fleet/index.js'
import { RUN } from './shim.js'

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

/** Both `null` when nobody was there to see it. A shell tells a signal as 128 more than its number. */
export function readExit (run: string): End {
  let text: string
  try {
    text = readNote(join(run, RUN.exit))?.trim() ?? ''
  } catch {
    return { code: null, signal: null }
  }
  if (!/^\d{1,3}$/.test(text)) return { code: null, signal: null }
  const status = Number(text)
  const signal = status > 128 ? SIGNALS.get(status - 128) : undefined
  return signal === undefined ? { code: status, signal: null } : { code: null, signal }
}

/** Notes that nothing of the end of a life is to be kept any more, or again. Where that cannot be written it is kept twice at most. */
export async function settle (run: string, token: string): Promise<void> {
  const path = join(run, RUN.settled)
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeFile(temporary, `${token}\n`, { mode: 0o600 })
    await rename(temporary, path)
  } catch {
    await rm(temporary, { force: true }).catch(() => {})
  }
}

export function isSettled (run: string, token: string): boolean {
  try {
    return readNote(join(run, RUN.settled))?.trim() === token
  } catch {
    return false
  }
}
