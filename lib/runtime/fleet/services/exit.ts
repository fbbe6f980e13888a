/** How a service ended, in words. */
import type { End } from '../../../../types/engine.js'
import type { Exit } from '../../../../types/resources.js'
import { ownText } from '../bytes.js'

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

/** Characters of a last line that are kept. */
const LONGEST = 500

/** For showing. */
export function exitOf (reason: Exit['reason'], { code, signal }: End, at: number, lastLines: readonly string[] = []): Exit {
  return { at, reason, code, signal, lastLines: lastLines.map(line => ownText(line.slice(0, LONGEST))) }
}
