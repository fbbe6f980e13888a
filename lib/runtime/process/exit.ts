/** How a service ended, in words. */
import { constants } from 'node:os'

/** What the shim wrote down: the status of the program; undefined when nobody was there to see it. */
export type ExitStatus = number | undefined

const SIGNALS = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

/** For people: `exit status 1`, `signal SIGSEGV`. A shell tells a signal as 128 more than its number. */
export function describeExit (status: ExitStatus): string {
  if (status === undefined) return 'unknown exit status'
  if (status === 127) return 'exit status 127: the command was not found'
  if (status === 126) return 'exit status 126: the command cannot be executed'
  const signal = status > 128 ? SIGNALS.get(status - 128) : undefined
  return signal === undefined ? `exit status ${status}` : `signal ${signal}`
}
