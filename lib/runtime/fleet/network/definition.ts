/** What stands under `network` in the file of a platform of proxies: how a proxy is told of its servers. */
import { constants } from 'node:os'
import { writers, type Reload, type WriterName } from './writers/index.js'

export interface NetworkDefinition {
  readonly writer: WriterName
  /** The file that is written, by its path in the proxy's directory. */
  readonly file: string
  /** Absent: the proxy looks by itself. */
  readonly reload?: Reload
  /** Groups whose services it is told of; absent: all groups of servers. */
  readonly groups?: readonly string[]
  /** Whether servers are to be sent a PROXY header. */
  readonly proxyProtocol: boolean
}

const FIELDS = new Set(['writer', 'file', 'reload', 'groups', 'proxyProtocol'])

/** Reads it; the answer is what it says, with the writer's own defaults, or everything that is wrong. */
export function readNetwork (given: unknown, staysInside: (path: string) => boolean): NetworkDefinition | ReadonlyArray<{ readonly field: string, readonly problem: string }> {
  if (!isRecord(given)) return [{ field: 'network', problem: 'must be an object' }]
  const problems: Array<{ field: string, problem: string }> = []
  const check = (field: string, right: boolean, problem: string): void => {
    if (!right) problems.push({ field: `network.${field}`, problem })
  }
  for (const field of Object.keys(given)) check(field, FIELDS.has(field), 'is unknown')
  const name = given['writer'] as WriterName
  if (typeof name !== 'string' || !Object.hasOwn(writers, name)) {
    check('writer', false, `must be ${Object.keys(writers).join(', ').replace(/, ([^,]*)$/, ' or $1')}`)
    return problems
  }
  const writer = writers[name]
  const { file = writer.file, reload = writer.reload, groups, proxyProtocol = false } = given
  check('file', typeof file === 'string' && staysInside(file), 'must be a path inside the service\'s directory')
  check('reload', reload === undefined || isReload(reload, staysInside), 'must be { "stdin": "<line>" }, { "signal": "SIG…" } or { "socket": "<path>" }')
  check('reload', !isRecord(reload) || reload['socket'] === undefined || writer.converse !== undefined, `cannot be a socket with the writer ${name}`)
  check('groups', groups === undefined || (Array.isArray(groups) && groups.length > 0 && groups.every(group => typeof group === 'string')), 'must be a list of names of groups')
  check('proxyProtocol', typeof proxyProtocol === 'boolean', 'must be true or false')
  check('proxyProtocol', proxyProtocol !== true || writer.proxyProtocol, `cannot be told with the writer ${name}`)
  if (problems.length > 0) return problems
  return { writer: name, file, proxyProtocol, ...(reload === undefined ? {} : { reload }), ...(groups === undefined ? {} : { groups }) } as NetworkDefinition
}

function isReload (given: unknown, staysInside: (path: string) => boolean): boolean {
  if (!isRecord(given) || Object.keys(given).length !== 1) return false
  const { stdin, signal, socket } = given
  if (typeof signal === 'string') return Object.hasOwn(constants.signals, signal)
  if (typeof socket === 'string') return staysInside(socket)
  return typeof stdin === 'string' && !/\p{Cc}/u.test(stdin) && stdin.trim() !== '' && Buffer.byteLength(stdin) <= 4095
}

function isRecord (value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
