/** Whose fault it is when a container does not start, by what engines say: they have no codes for it. */
import type { EngineError } from '../../../types/engine.js'
import { statusOf, reasonOf } from './client.js'

const PORT = /port is already allocated|address already in use|Bind for .* failed/i
/** What the platform says cannot be run, or not so. */
const DEFINITION = /executable file not found|no such file or directory|permission denied|exec format error|is a directory|minimum memory limit|invalid reference format|requested CPUs/i

/** The same error, with whose fault it is where that is known. */
export function blame (error: unknown): unknown {
  const status = statusOf(error)
  if (status === undefined) return error
  const fault = faultIn(reasonOf(error))
  return fault === undefined || (fault === 'definition' && status === 404) ? error : Object.assign(error as EngineError, { fault })
}

/** Whose fault it is by these words; undefined: the machine's. */
export const faultIn = (reason: string): EngineError['fault'] => PORT.test(reason) ? 'port' : DEFINITION.test(reason) ? 'definition' : undefined
