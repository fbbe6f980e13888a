/**
 * A file of haproxy with one backend, `cloud`, that is read beside the operator's own (`-f haproxy.cfg -f servers.cfg`). A
 * haproxy that runs is told over its stats socket, which needs no new process; whoever prefers that has it read the file again
 * (`"reload": { "signal": "SIGUSR2" }`, with `-W`).
 */
import { ownText } from '../../bytes.js'
import type { Task } from '../../task.js'
import { addressOf, type Server } from '../server.js'
import type { RenderOptions, Writer } from './writer.js'

const BACKEND = 'cloud'
/** A line may have 16 KB. */
const AT_ONCE = 50
/** Servers that are gone and still there, because somebody is on them. */
const MOST_GONE = 1000
/** Version 1 has some 25. */
const MOST_COLUMNS = 100
/** Characters of an answer that are shown. */
const SHOWN = 200

export const haproxy: Writer = {
  file: 'servers.cfg',
  reload: { socket: 'haproxy.sock' },
  merges: false,
  counts: false,
  ownPlayers: 'nothing',
  moves: false,
  retries: false,
  proxyProtocol: true,
  fallbackOnly: true,
  render: (servers, options) => ({
    text: [
      '# Written by the cloud; what is changed here does not last. weight 0: takes nobody any more.',
      `backend ${BACKEND}`,
      '  mode tcp',
      '  balance leastconn',
      ...servers.map(server => `  server ${server.name} ${addressOf(server)}${headerOf(options)}${server.parked ? ' weight 0' : ''}`),
      ''
    ].join('\n')
  }),
  * converse (servers, options, ask) {
    const look = function * (): Task<ReadonlyMap<string, Known>> {
      return readState(yield * ask(`show servers state ${BACKEND}`), servers.length + MOST_GONE)
    }
    const before = yield * look()
    const commands = [...servers.flatMap(server => commandsFor(server, before.get(server.name), options)), ...farewells(servers, before)]
    if (commands.length === 0) return
    let answers = ''
    for (let at = 0; at < commands.length; at += AT_ONCE) {
      const answer = yield * ask(commands.slice(at, at + AT_ONCE).join('; '))
      if (answers.length < SHOWN) answers = ownText(`${answers} ${answer}`.trim().slice(0, SHOWN))
    }
    const now = yield * look()
    const missing = servers.find(server => commandsFor(server, now.get(server.name), options).length > 0)
    if (missing !== undefined) throw new Error(`haproxy did not take ${missing.name}: ${answers.replace(/\s+/g, ' ')}`)
  }
}

const headerOf = ({ proxyProtocol }: RenderOptions): string => proxyProtocol ? ' send-proxy-v2' : ''

interface Known {
  readonly address: string
  readonly port: string
  readonly isOff: boolean
  readonly weight: string
}

/** What `show servers state` says, by name (haproxy, Management Guide, 9.3). Who answers may be something else: it is believed so many rows. */
function readState (text: string, most: number): ReadonlyMap<string, Known> {
  const [version, header = '', ...rows] = text.split('\n', most + 4)
  if (version?.trim() !== '1' || !header.startsWith('# ')) throw new Error(`haproxy has no backend ${BACKEND} to tell of: ${ownText(text.trim().slice(0, SHOWN))}`)
  const given = rows.filter(row => row.trim() !== '')
  if (given.length > most) throw new Error(`haproxy says that it has more than ${most} servers`)
  const columns = header.slice(2).split(' ', MOST_COLUMNS)
  const [name, address, port, state, weight] = ['srv_name', 'srv_addr', 'srv_port', 'srv_admin_state', 'srv_uweight'].map(column => columns.indexOf(column))
  return new Map(given.map(row => {
    const values = row.split(' ', MOST_COLUMNS)
    const of = (at: number | undefined): string => values[at ?? -1] ?? ''
    return [of(name), { address: of(address), port: of(port), isOff: (Number(of(state)) & 1) !== 0, weight: of(weight) }]
  }))
}

/** What is to be said so that haproxy has this one as it is. */
function commandsFor (server: Server, its: Known | undefined, options: RenderOptions): readonly string[] {
  const { name, host, port, parked } = server
  const [id, weight] = [`${BACKEND}/${name}`, parked ? '0' : '1']
  if (its === undefined) return parked ? [] : [`add server ${id} ${addressOf(server)}${headerOf(options)}`, `enable server ${id}`]
  return [
    ...(its.address !== host || its.port !== String(port) ? [`set server ${id} addr ${host} port ${port}`] : []),
    ...(its.weight !== weight ? [`set weight ${id} ${weight}`] : []),
    ...(its.isOff ? [`set server ${id} state ready`] : [])
  ]
}

/** What is to be said so that it has no others. A server that people are on still cannot be deleted: that is tried again. */
function farewells (servers: readonly Server[], known: ReadonlyMap<string, Known>): readonly string[] {
  const names = new Set(servers.map(({ name }) => name))
  return [...known].filter(([name]) => !names.has(name)).flatMap(([name, { isOff }]) => [
    ...(isOff ? [] : [`set server ${BACKEND}/${name} state maint`]),
    `del server ${BACKEND}/${name}`
  ])
}
