/**
 * A file of haproxy with one backend, `cloud`, that is read beside the operator's own (`-f haproxy.cfg -f servers.cfg`). A
 * haproxy that runs is told over its stats socket, which needs no new process; whoever prefers that has it read the file again
 * (`"reload": { "signal": "SIGUSR2" }`, with `-W`).
 */
import { wait } from '../../task.js'
import { addressOf, type Server } from '../server.js'
import type { RenderOptions, Writer } from './writer.js'

const BACKEND = 'cloud'
/** A line may have 16 KB. */
const AT_ONCE = 50

export const haproxy: Writer = {
  file: 'servers.cfg',
  reload: { socket: 'haproxy.sock' },
  merges: false,
  counts: false,
  moves: false,
  retries: false,
  proxyProtocol: true,
  render: (servers, options) => ({
    text: [
      '# Written by the cloud; what is changed here does not last. weight 0: takes nobody any more.',
      `backend ${BACKEND}`,
      '  mode tcp',
      '  balance leastconn',
      ...chosen(servers, options).map(server => `  server ${server.name} ${addressOf(server)}${headerOf(options)}${server.parked ? ' weight 0' : ''}`),
      ''
    ].join('\n')
  }),
  * converse (servers, options, ask) {
    const wanted = chosen(servers, options)
    const commands = commandsFor(wanted, readState(yield * wait(ask(`show servers state ${BACKEND}`))), options)
    const answers: string[] = []
    for (let at = 0; at < commands.length; at += AT_ONCE) answers.push(yield * wait(ask(commands.slice(at, at + AT_ONCE).join('; '))))
    if (commands.length === 0) return
    const now = readState(yield * wait(ask(`show servers state ${BACKEND}`)))
    const missing = wanted.find(server => commandsFor([server], now, options).some(command => !command.includes(' state maint') && !command.startsWith('del ')))
    if (missing !== undefined) throw new Error(`haproxy did not take ${missing.name}: ${answers.join(' ').trim().replace(/\s+/g, ' ').slice(0, 200)}`)
  }
}

/** haproxy cannot read what a player asked for: it gets those who take anybody, or the groups that it was given by name. */
const chosen = (servers: readonly Server[], options: RenderOptions): readonly Server[] => options.chosen ? servers : servers.filter(({ fallback }) => fallback)

const headerOf = ({ proxyProtocol }: RenderOptions): string => proxyProtocol ? ' send-proxy-v2' : ''

interface Known {
  readonly address: string
  readonly port: string
  readonly isOff: boolean
  readonly weight: string
}

/** What `show servers state` says, by name (haproxy, Management Guide, 9.3). */
function readState (text: string): ReadonlyMap<string, Known> {
  const [version, header = '', ...rows] = text.split('\n')
  if (version?.trim() !== '1' || !header.startsWith('# ')) throw new Error(`haproxy has no backend ${BACKEND} to tell of: ${text.trim().slice(0, 200)}`)
  const columns = header.slice(2).split(' ')
  return new Map(rows.filter(row => row.trim() !== '').map(row => {
    const values = row.split(' ')
    const of = (column: string): string => values[columns.indexOf(column)] ?? ''
    return [of('srv_name'), { address: of('srv_addr'), port: of('srv_port'), isOff: (Number(of('srv_admin_state')) & 1) !== 0, weight: of('srv_uweight') }]
  }))
}

/** What is to be said so that haproxy has these, and only these. A server that people are on still cannot be deleted: that is tried again. */
function commandsFor (wanted: readonly Server[], known: ReadonlyMap<string, Known>, options: RenderOptions): string[] {
  const commands: string[] = []
  for (const server of wanted) {
    const { name, host, port, parked } = server
    const [id, weight, its] = [`${BACKEND}/${name}`, parked ? '0' : '1', known.get(name)]
    if (its === undefined) {
      if (!parked) commands.push(`add server ${id} ${addressOf(server)}${headerOf(options)}`, `enable server ${id}`)
      continue
    }
    if (its.address !== host || its.port !== String(port)) commands.push(`set server ${id} addr ${host} port ${port}`)
    if (its.weight !== weight) commands.push(`set weight ${id} ${weight}`)
    if (its.isOff) commands.push(`set server ${id} state ready`)
  }
  const names = new Set(wanted.map(({ name }) => name))
  for (const [name, { isOff }] of known) {
    if (names.has(name)) continue
    if (!isOff) commands.push(`set server ${BACKEND}/${name} state maint`)
    commands.push(`del server ${BACKEND}/${name}`)
  }
  return commands
}
