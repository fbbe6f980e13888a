/**
 * velocity.toml: the tables `servers` and `forced-hosts` are the cloud's, all else is the operator's and stays as it is.
 *
 * A name that was there is never taken out while the proxy runs: Velocity kept removed ones registered until PR #1882, and a
 * player whose list of servers has an unregistered one is disconnected instead of moved (#1883). Such a name leads to an
 * address where nobody listens, and is not tried; that moves its players away. Both tables are always written: without them
 * Velocity takes samples of its own, which then are no servers. A host without a server is invalid.
 */
import { DefinitionError, textOf } from '../../faults.js'
import { addressOf, fallbacksOf, hostsOf } from '../server.js'
import { addressesOf } from './dead-addresses.js'
import { replaceTable } from './toml-tables.js'
import type { Writer } from './writer.js'

let parse: typeof import('smol-toml').parse | undefined

export const velocity: Writer = {
  load: () => parse === undefined ? import('smol-toml').then(loaded => { parse = loaded.parse }) : undefined,
  file: 'velocity.toml',
  reload: { stdin: 'velocity reload' },
  merges: true,
  counts: false,
  ownPlayers: 'online',
  moves: true,
  retries: false,
  proxyProtocol: false,
  render: (servers, _options, { text = '', last, looked = new Map(), isNew }) => {
    const isOurs = text === last?.text
    // What is wrong is not put right in silence.
    if (isNew) read(text)
    const before = isNew ? new Map<string, string>() : new Map([...looked, ...(isOurs && last.names !== undefined ? last.names : serversIn(read(text)))])
    const live = new Map(servers.filter(({ parked, keeps }) => !parked || keeps === true).map(server => [server.name, addressOf(server)]))
    const all = addressesOf(live, before)
    const names = (those: ReadonlyArray<{ readonly name: string }>): string => `[${those.map(({ name }) => JSON.stringify(name)).join(', ')}]`
    const lines = {
      servers: [
        '# Written by the cloud; what is changed here does not last. 127.255.…: servers that take nobody.',
        ...[...all].map(([name, address]) => `${name} = ${JSON.stringify(address)}`),
        `try = ${names(fallbacksOf(servers))}`
      ],
      'forced-hosts': [...hostsOf(servers)].map(([host, its]) => `${JSON.stringify(host)} = ${names(its)}`)
    }
    const merged = Object.entries(lines).reduce((text, [name, body]) => replaceTable(text, name, body), text)
    // What is there in words that are not known here would be there twice.
    if (!isOurs) read(merged)
    return { text: merged, names: all }
  }
}

function read (text: string): Record<string, unknown> {
  if (parse === undefined) throw new Error('smol-toml was not loaded')
  try {
    return parse(text)
  } catch (error) {
    throw new DefinitionError(`velocity.toml cannot be used: ${textOf(error).split('\n')[0]}`)
  }
}

function serversIn ({ servers }: Record<string, unknown>): ReadonlyMap<string, string> {
  return new Map(Object.entries(servers ?? {}).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}
