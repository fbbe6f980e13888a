/** How a service ended, in words. */
import type { End } from '../../../../types/engine.js'

/** For people: `exit status 1`, `signal SIGSEGV`. */
export function describeEnd ({ code, signal, cause }: End): string {
  const how = signal !== null
    ? `signal ${signal}`
    : code === null
      ? 'unknown exit status'
      : code === 127
        ? 'exit status 127: the command was not found'
        : code === 126
          ? 'exit status 126: the command cannot be executed'
          : `exit status ${code}`
  return cause === undefined ? how : `${how} (${cause})`
}
