/** Whose fault it is when a container does not start, by what engines say: they have no codes for it. */
import type { EngineError } from '../../../types/engine.js'
import { statusOf, reasonOf } from './client.js'

const PORT = /port is already allocated|address already in use|Bind for .* failed/i
/** What the platform says cannot be run, or not so. */
const DEFINITION = /executable file not found|no such file or directory|permission denied|exec format error|is a directory|minimum memory limit|invalid reference format|requested CPUs/i

/** The same error, with whose fault it is where that is known. */
export function blame (error: unknown): unknown {
  const [status, reason] = [statusOf(error), reasonOf(error)]
  if (status === undefined) return error
  const fault = PORT.test(reason) ? 'port' : DEFINITION.test(reason) && status !== 404 ? 'definition' : undefined
  return fault === undefined ? error : Object.assign(error as EngineError, { fault })
}
