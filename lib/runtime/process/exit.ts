/** How a program ended, as its shim wrote it down. */
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
