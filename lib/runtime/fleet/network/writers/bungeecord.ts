/**
 * BungeeCord's config.yml: `servers`, and `priorities` and `forced_hosts` of each listener, are the cloud's, all else is the
 * operator's and stays as it is.
 *
 * A name that was there is never taken out while the proxy runs: `greload` throws then. It leads to an address where nobody
 * listens, another one for each name: of two names with one address the second is ignored. For the same reason an address goes
 * from one name to another in two rounds. There has to be a server always, hence the one that is called nowhere.
 */
import type { Document, YAMLMap } from 'yaml'
import { DefinitionError } from '../../faults.js'
import { addressOf, fallbacksOf, hostsOf, type Server } from '../server.js'
import { addressesOf, createDeadAddresses, isDead } from './dead-addresses.js'
import type { Writer } from './writer.js'

let yaml: typeof import('yaml')

/** Names of services end with a number. */
const NOWHERE = 'nowhere'
/** What is nested deeper the library would write in a time that grows with the cube of the depth. An own file has some five levels. */
const DEEPEST = 32
/** Each is given all names. */
const MOST_LISTENERS = 32

export const bungeecord: Writer = {
  load: () => yaml === undefined ? import('yaml').then(loaded => { yaml = loaded }) : undefined,
  file: 'config.yml',
  reload: { stdin: 'greload' },
  merges: true,
  counts: false,
  ownPlayers: 'online',
  moves: false,
  retries: false,
  proxyProtocol: false,
  render: (servers, _options, { text = '', last, looked, isNew }) => {
    const file = text === last?.text && last.parsed !== undefined ? last.parsed as Document : read(text)
    // It is changed in place.
    if (last !== undefined) last.parsed = undefined
    const inFile = serversIn(file)
    const known = isNew ? new Map<string, string>() : looked ?? inFile
    const before = isNew ? known : new Map([...known, ...inFile])
    const live = new Map(servers.filter(({ parked, keeps }) => !parked || keeps === true).map(server => [server.name, addressOf(server)]))
    const all = addressesOf(live, new Map([...before, ...(before.has(NOWHERE) ? [] : [[NOWHERE, ''] as const])]))
    const unfinished = parkTaken(all, before, known)
    put(file, servers, all)
    return { text: String(file), names: all, parsed: file, unfinished }
  }
}

/** Whoever is to get an address at which the proxy knows another has to wait until it knows that one to be elsewhere. */
function parkTaken (all: Map<string, string>, before: ReadonlyMap<string, string>, known: ReadonlyMap<string, string>): boolean {
  const owners = new Map([...known].map(([name, address]) => [address, name]))
  const dead = createDeadAddresses([...all.values(), ...before.values(), ...known.values()])
  const waiting = [...all].filter(([name, address]) => !isDead(address) && (owners.get(address) ?? name) !== name)
  const used = new Set<string>()
  for (const [name] of waiting) {
    let address = before.get(name) ?? ''
    if (!isDead(address)) do address = dead(); while (used.has(address))
    used.add(address)
    all.set(name, address)
  }
  return waiting.length > 0
}

function put (file: Document, servers: readonly Server[], all: ReadonlyMap<string, string>): void {
  const entries = file.get('servers') as YAMLMap
  const known = new Map(entries.items.map(entry => [String(entry.key), entry]))
  // One by one each would be looked for among all.
  entries.items = [...all].map(([name, address]) => {
    const entry = known.get(name) ?? file.createPair(name, { address, motd: name, restricted: false })
    if (yaml.isMap(entry.value)) entry.value.set('address', address)
    else entry.value = file.createNode({ address, motd: name, restricted: false })
    return entry
  })
  const names = (those: readonly Server[]): string[] => those.map(({ name }) => name)
  const open = names(fallbacksOf(servers))
  const hosts = Object.fromEntries([...hostsOf(servers)].map(([host, its]) => [host, its[0]?.name as string]))
  if (listenersOf(file).length === 0) file.set('listeners', file.createNode([{}]))
  for (const listener of listenersOf(file)) {
    if (!yaml.isMap(listener)) throw unusable('a listener is no list of settings')
    listener.set('priorities', file.createNode(open.length > 0 ? open : [NOWHERE]))
    listener.set('forced_hosts', file.createNode(hosts))
  }
}

const unusable = (why: string): DefinitionError => new DefinitionError(`config.yml cannot be used: ${why}`)

function listenersOf (file: Document): readonly unknown[] {
  const listeners = file.get('listeners')
  return yaml.isSeq(listeners) ? listeners.items : []
}

/** Reads only as far as it is not too deep. */
function checkDepth (text: string): void {
  const parser = new yaml.Parser()
  for (const token of new yaml.Lexer().lex(text)) {
    Array.from(parser.next(token))
    if (parser.stack.length > DEEPEST) throw unusable(`it is nested deeper than ${DEEPEST} levels`)
  }
}

function read (text: string): Document {
  checkDepth(text)
  // Whether a key is there twice the library looks up among all, for each; and it finds the line of each of any number of errors.
  const file = yaml.parseDocument(text, { uniqueKeys: false, prettyErrors: false })
  const [error] = file.errors
  if (error !== undefined) {
    const line = text.slice(0, error.pos[0]).split('\n').length
    throw unusable(`${error.message.split('\n')[0]} at line ${line}`)
  }
  if (file.contents === null) file.contents = file.createNode({}) as never
  if (!yaml.isMap(file.contents)) throw unusable('it is no list of settings')
  checkScalars(file)
  const { length } = listenersOf(file)
  if (length > MOST_LISTENERS) throw unusable(`it has ${length} listeners, and may have ${MOST_LISTENERS}`)
  checkKeys(file)
  if (!yaml.isMap(file.get('servers'))) file.set('servers', file.createNode({}))
  return file
}

/** A key that is a list of settings, the key of which is one, has a text that doubles with each level. */
function checkScalars (file: Document): void {
  yaml.visit(file, {
    Pair (_, { key }) {
      if (key !== null && !yaml.isScalar(key)) throw unusable('a name in it is no text')
    }
  })
}

/** The proxy reads the last of two of one name, and the cloud would write the first. */
function checkKeys (file: Document): void {
  for (const node of [file.contents, file.get('servers'), ...listenersOf(file)]) {
    const keys = new Set<string>()
    for (const { key } of yaml.isMap(node) ? node.items : []) {
      if (keys.has(String(key))) throw unusable(`${String(key).slice(0, 64)} is there twice`)
      keys.add(String(key))
    }
  }
}

function serversIn (file: Document): Map<string, string> {
  const servers = file.get('servers')
  const addressIn = (value: unknown): string => {
    const address = yaml.isMap(value) ? value.get('address') : undefined
    return typeof address === 'string' ? address : ''
  }
  return new Map(yaml.isMap(servers) ? servers.items.map(({ key, value }) => [String(key), addressIn(value)]) : [])
}
