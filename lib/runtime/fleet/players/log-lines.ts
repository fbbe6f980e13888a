/** What the lines of a game server's console tell about its players. */
import { ownText } from '../bytes.js'

/** Somebody came or left, or is known to have this uuid. */
export type PlayerEvent =
  | { readonly kind: 'joined' | 'left', readonly name: string }
  | { readonly kind: 'uuid', readonly name: string, readonly uuid: string }

const NAME = '([A-Za-z0-9_.*-]{1,32})'
const UUID = '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})'
const MESSAGES: ReadonlyArray<readonly ['joined' | 'left' | 'uuid', RegExp]> = [
  ['uuid', new RegExp(`^UUID of player ${NAME} is ${UUID}$`)],
  ['joined', new RegExp(`^${NAME} joined the game$`)],
  ['left', new RegExp(`^${NAME} left the game$`)],
  ['joined', new RegExp(`^${NAME} \\([0-9a-fA-F.:]{2,45}\\) connected$`)],
  ['left', new RegExp(`^${NAME} disconnected$`)]
]
// Most lines have none of these, and this is far cheaper than the expressions above.
const WORTH_READING = /joined the game$|left the game$|connected$|^.{0,96}UUID of player /

// The colours, cursor movements and titles with which programs decorate a terminal.
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const ESCAPES = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])/g
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g

/** A console line as a person sees it: what was overwritten with a carriage return is gone, and so are the colours. */
export function plain (line: string): string {
  const end = line.endsWith('\r') ? line.length - 1 : line.length
  return line.slice(line.lastIndexOf('\r', end - 1) + 1, end).replace(ESCAPES, '').replace(CONTROLS, '')
}

/** Reads one plain line. What players say never counts, only what the server says itself. */
export function readEvent (line: string): PlayerEvent | undefined {
  if (!WORTH_READING.test(line)) return undefined
  const message = withoutPrefix(line)
  for (const [kind, expression] of MESSAGES) {
    const [, name, uuid] = expression.exec(message) ?? []
    if (name === undefined) continue
    return kind === 'uuid' ? { kind, name: ownText(name), uuid: ownText(uuid as string) } : { kind, name: ownText(name) }
  }
  return undefined
}

/**
 * Takes off `[12:00:00] [Server thread/INFO]: ` and its likes: what stands before the first `]: `, if that can be the
 * log's own. Chat comes after it, so `<Bob> Eve joined the game` and `[Bob] Eve joined the game` stay what they are.
 */
function withoutPrefix (line: string): string {
  const text = line.startsWith('> ') ? line.slice(2) : line
  const end = text.indexOf(']: ')
  if (end === -1 || end > 96) return text
  const prefix = text.slice(0, end)
  return !prefix.includes('<') && /INFO|WARN/.test(prefix) ? text.slice(end + 3) : text
}
