/**
 * Asks a game server how it is: the Minecraft Server List Ping (wiki.vg, Server List Ping), as a client does before
 * it joins. Whatever is at the other end, it takes a bounded time and a bounded amount of memory.
 */
import { connect } from 'node:net'
import { ownText } from '../bytes.js'

export interface Status {
  readonly online: number
  readonly max: number
  /** How many of them are on the one that answers: a proxy may tell of its whole network. */
  readonly here?: number
  /** Some of the players; how many is up to the server. */
  readonly sample: ReadonlyArray<{ readonly name: string, readonly uuid: string }>
  /** As text: a chat component is flattened, colour codes stay. */
  readonly motd: string
}

/** A status is text of at most 32,767 characters by the protocol; some servers do not keep to that. */
const LARGEST = 256 * 1024
const LONGEST_MOTD = 1024
const MOST_SAMPLED = 1000
/** So many players, or places for some, are told at most. */
const MOST = 1_000_000
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i
const NAME = /^[A-Za-z0-9_.*-]{1,32}$/

/** Answers within `timeout` milliseconds: the status, or undefined when there is none to be had. Never rejects. */
export function ping (host: string, port: number, timeout: number): Promise<Status | undefined> {
  return new Promise(resolve => {
    const socket = connect({ host, port })
    let received = Buffer.alloc(0)
    // One deadline for everything: a peer that sends a byte now and then must not buy time with it.
    const timer = setTimeout(() => end(undefined), timeout)
    timer.unref()
    const end = (status: Status | undefined) => {
      clearTimeout(timer)
      socket.destroy()
      resolve(status)
    }
    socket.on('error', () => end(undefined))
    socket.on('close', () => end(undefined))
    socket.on('connect', () => socket.write(request(host, port)))
    socket.on('data', chunk => {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
      const answer = readAnswer(received)
      if (answer === 'incomplete') return
      end(answer === 'invalid' ? undefined : readStatus(answer))
    })
  })
}

/** Handshake for the state "status" (with -1: any protocol version), then the request itself. */
function request (host: string, port: number): Buffer {
  const name = Buffer.from(host)
  const handshake = Buffer.concat([
    Buffer.from([0x00, 0xff, 0xff, 0xff, 0xff, 0x0f, name.length]), name, Buffer.from([port >> 8, port & 0xff, 0x01])
  ])
  return Buffer.concat([Buffer.from([handshake.length]), handshake, Buffer.from([0x01, 0x00])])
}

/** The text of the answer, once it is all there. */
export function readAnswer (data: Buffer): string | 'incomplete' | 'invalid' {
  const length = readNumber(data, 0)
  if (typeof length === 'string') return length
  if (length.value < 3 || length.value > LARGEST) return 'invalid'
  const end = length.next + length.value
  const id = readNumber(data, length.next)
  if (typeof id === 'string') return id
  if (id.value !== 0) return 'invalid'
  const size = readNumber(data, id.next)
  if (typeof size === 'string') return size
  if (size.value < 2 || size.next + size.value > end) return 'invalid'
  return data.length < end ? 'incomplete' : data.toString('utf8', size.next, size.next + size.value)
}

/** Seven bits a byte, lowest first, three bytes at most: more would be longer than we take. */
function readNumber (data: Buffer, at: number): { value: number, next: number } | 'incomplete' | 'invalid' {
  let value = 0
  for (let count = 0; count < 3; count++) {
    const byte = data[at + count]
    if (byte === undefined) return 'incomplete'
    value |= (byte & 0x7f) << (7 * count)
    if ((byte & 0x80) === 0) return { value, next: at + count + 1 }
  }
  return 'invalid'
}

/** Reads the status's JSON; undefined when it is none. */
export function readStatus (text: string): Status | undefined {
  try {
    const { players, description, playersHere } = JSON.parse(text)
    const [online, max, here] = [players.online, players.max, playersHere].map(countOf)
    if (online === undefined || max === undefined) return undefined
    return { online, max, ...(here === undefined ? {} : { here }), sample: readSample(players.sample), motd: shortened(flatten(description, 0)) }
  } catch {
    return undefined
  }
}

/** What is cut says so, and is cut between characters. */
const shortened = (text: string): string => text.length <= LONGEST_MOTD ? text : ownText(`${text.slice(0, LONGEST_MOTD - 1).replace(/[\ud800-\udbff]$/, '')}…`)

/** A proxy tells those of all its servers together: what is more than a service may have is shown as that. */
function countOf (value: unknown): number | undefined {
  return Number.isInteger(value) && (value as number) >= 0 ? Math.min(value as number, MOST) : undefined
}

/** Servers put advertisements and "Anonymous Player" into the sample too: only what can be a player counts. */
function readSample (sample: unknown): Status['sample'] {
  if (!Array.isArray(sample)) return []
  const players = new Map<string, { name: string, uuid: string }>()
  for (const entry of sample.slice(0, MOST_SAMPLED)) {
    const { name, id } = (entry ?? {}) as { name?: unknown, id?: unknown }
    if (typeof name !== 'string' || !NAME.test(name) || typeof id !== 'string' || !UUID.test(id)) continue
    const uuid = dashed(id)
    if (uuid !== '00000000-0000-0000-0000-000000000000') players.set(name, { name, uuid })
  }
  return [...players.values()]
}

function dashed (uuid: string): string {
  return uuid.replaceAll('-', '').toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

function flatten (component: unknown, depth: number): string {
  if (typeof component === 'string') return component
  if (depth > 16 || typeof component !== 'object' || component === null) return ''
  if (Array.isArray(component)) return component.slice(0, 256).map(part => flatten(part, depth + 1)).join('')
  const { text, translate, extra } = component as Record<string, unknown>
  const own = typeof text === 'string' ? text : typeof translate === 'string' ? translate : ''
  return own + (extra === undefined ? '' : flatten(extra, depth + 1))
}
