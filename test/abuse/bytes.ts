/** Sequences of bytes that a client could write on a connection, from harmless to absurd: the same seed has the same ones again. */
import { base } from '../fixtures/cloud.js'
import type { Random } from './random.js'

/** What one client does on one connection. */
export interface Script {
  readonly writes: ReadonlyArray<{ readonly bytes: Buffer, readonly pauseMs: number }>
  /** How it leaves: ends its side and waits, goes, or resets. */
  readonly leaves: 'end' | 'destroy' | 'reset'
  /** Whether it reads what it is sent. */
  readonly reads: boolean
}

/** `http2-sound`: what a client may do that keeps to RFC 9113, requests of every kind and leaving at any moment. */
export type Dialect = 'http1' | 'http2' | 'http2-sound'

export interface Bait {
  /** Headers by which a request is somebody's. */
  readonly known: Readonly<Record<string, string>>
}

export function scriptFor (dialect: Dialect, random: Random, bait: Bait): Script {
  const { below, chance, pick } = random
  const make = { http1: requests, http2: frames, 'http2-sound': soundFrames }[dialect]
  const isSound = dialect === 'http2-sound'
  const whole = !isSound && chance(0.05) ? garbage(random) : make(random, bait)
  const bytes = !isSound && chance(0.2) ? mutated(whole, random) : whole
  const cuts = Array.from({ length: pick([0, 0, 1, 2, 4]) }, () => below(bytes.length + 1)).sort((a, b) => a - b)
  const writes = [...cuts, bytes.length].map((cut, at) => ({ bytes: bytes.subarray(cuts[at - 1] ?? 0, cut), pauseMs: pick([0, 0, 1, 5]) }))
  return { writes: writes.filter(one => one.bytes.length > 0), leaves: pick(['end', 'end', 'destroy', 'reset']), reads: chance(0.9) }
}

/** As a program that writes the same again. */
export function programOf ({ writes, leaves }: Script, port: number | string): string {
  const lines = writes.map(({ bytes, pauseMs }) => `socket.write(Buffer.from('${bytes.toString('base64')}', 'base64')) // ${JSON.stringify(bytes.toString('latin1')).slice(0, 200)}
await new Promise(resolve => setTimeout(resolve, ${pauseMs}))`)
  return [
    "import { connect } from 'node:net'", `const socket = connect({ port: ${port}, host: '127.0.0.1', allowHalfOpen: true })`,
    ...lines, `socket.${leaves === 'reset' ? 'resetAndDestroy' : leaves}()`
  ].join('\n')
}

const garbage = ({ below, pick }: Random): Buffer => Buffer.from(Array.from({ length: pick([0, 1, 10, 1_000]) }, () => below(256)))

function mutated (whole: Buffer, { below, pick, chance }: Random): Buffer {
  const bytes = Buffer.from(whole)
  if (chance(0.4)) return bytes.subarray(0, below(bytes.length + 1))
  for (let changes = pick([1, 1, 2, 8]); changes > 0 && bytes.length > 0; changes--) bytes[below(bytes.length)] = pick([0, 10, 13, 32, 255, below(256)])
  return chance(0.3) ? Buffer.concat([bytes, bytes.subarray(below(bytes.length + 1))]) : bytes
}

// HTTP/1

const paths = [
  `${base}/health`, `${base}/health`, `${base}/alive`, `${base}/alive/`, `${base}/logs?a=b`, `${base}/services/update`, `${base}/service/lobby-1/screen`,
  `${base}/service/%00/screen`, `${base}/auth/login`, `${base}/user/self`, `${base}/services/list`, `${base}/nowhere`, base, `${base}-host/ws`, '/own', '/own/slow',
  '/own/socket', '/own/long', '/', '*', '//', '/%zz', '/%', `/${'x'.repeat(3_000)}`, `http://127.0.0.1${base}/alive`, '127.0.0.1:80', ''
]
const methods = ['GET', 'GET', 'GET', 'POST', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'PRI', 'TRACE', 'get', 'BREW']
const handshake: ReadonlyArray<readonly [string, string]> = [
  ['Connection', 'Upgrade'], ['Upgrade', 'websocket'], ['Sec-WebSocket-Version', '13'], ['Sec-WebSocket-Key', 'dGhlIHNhbXBsZSBub25jZQ==']
]
const stray: ReadonlyArray<readonly [string, string]> = [
  ...handshake, ['Connection', 'keep-alive, upgrade'], ['Connection', 'close'], ['Connection', ','], ['Upgrade', 'h2c'], ['Upgrade', 'TLS/1.0, websocket'],
  ['Upgrade', ''], ['HTTP2-Settings', 'AAMAAABk'], ['Sec-WebSocket-Version', '8'], ['Sec-WebSocket-Key', 'x'], ['Sec-WebSocket-Protocol', 'a,,b'],
  ['Sec-WebSocket-Protocol', 'chat'], ['Sec-WebSocket-Extensions', 'permessage-deflate; x=";'], ['Content-Length', '5'], ['Content-Length', '0'],
  ['Content-Length', '-1'], ['Content-Length', '99999999999999999999'], ['Content-Length', '1, 1'], ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'gzip, chunked'], ['Transfer-Encoding', 'xchunked'], ['Transfer-Encoding', 'identity'], ['Expect', '100-continue'], ['Expect', 'nothing'],
  ['Content-Type', 'application/json'], ['Content-Type', 'text/plain'], ['Content-Type', ''], ['Origin', 'https://evil.example'], ['Origin', 'null'],
  ['Cookie', 'token=x; token=y'], ['Cookie', ';=;;'], ['X-Forwarded-For', '::1, %'], ['Trailer', 'X'], ['TE', 'trailers'], ['Host', ''], ['Host', 'a b'],
  ['If-None-Match', '*'], ['Range', 'bytes=0-'], ['Access-Control-Request-Method', 'PUT'], ['\u00e9', '\u00e9'], ['', 'x'], ['X-Long', 'y'.repeat(9_000)]
]
const bodies = ['', 'x', '{}', '{"username":"a","password":"b"}', '{"a":', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', '\0'.repeat(100), 'z'.repeat(70_000)]

function requests (random: Random, bait: Bait): Buffer {
  const all: Buffer[] = []
  for (let count = random.pick([1, 1, 2, 2, 3, 8, 40]); count > 0; count--) all.push(aRequest(random, bait))
  if (random.chance(0.3)) all.push(socketFrames(random))
  return Buffer.concat(all)
}

function aRequest ({ below, chance, pick }: Random, { known }: Bait): Buffer {
  const headers: Array<readonly [string, string]> = chance(0.95) ? [['Host', '127.0.0.1']] : []
  if (chance(0.4)) headers.push(...Object.entries(known))
  if (chance(0.4)) headers.push(...handshake)
  for (let count = pick([0, 0, 1, 2, 5]); count > 0; count--) headers.splice(below(headers.length + 1), 0, pick(stray))
  if (chance(0.01)) for (let count = 0; count < 2_000; count++) headers.push(['a', 'b'])
  const body = pick(bodies)
  let sent = body
  if (chance(0.3)) {
    headers.push(['Content-Length', String(Math.max(0, Buffer.byteLength(body) + pick([0, 0, 0, -1, 1, 1_000])))])
  } else if (chance(0.2)) {
    headers.push(['Transfer-Encoding', 'chunked'])
    sent = chunked(body, pick)
  } else if (chance(0.8)) {
    sent = ''
  }
  const end = chance(0.95) ? '\r\n' : pick(['\n', '\r', '\r\r\n', ''])
  const line = `${pick(methods)} ${pick(paths)} HTTP/${chance(0.9) ? '1.1' : pick(['1.0', '0.9', '2.0', '1.', '9.9'])}`
  return Buffer.from([line, ...headers.map(([name, value]) => `${name}: ${value}`), '', sent].join(end), 'latin1')
}

function chunked (body: string, pick: Random['pick']): string {
  const size = body.length.toString(16)
  return pick([
    `${size}\r\n${body}\r\n0\r\n\r\n`, `${size};${'e'.repeat(2_000)}\r\n${body}\r\n0\r\n\r\n`, `${size}\r\n${body}\r\n0\r\nX-Trailer: ${'t'.repeat(100)}\r\n\r\n`,
    `ffffffffffffffff\r\n${body}`, `-1\r\n${body}`, `${size}\r\n${body}`, `${size}\r\n${body}0\r\n\r\n`, '0\r\n', '0\r\n\r\n0\r\n\r\n'
  ])
}

/** Frames of RFC 6455, as they come behind an accepted handshake, or should not. */
function socketFrames ({ below, pick, chance }: Random): Buffer {
  return Buffer.concat(Array.from({ length: pick([1, 3, 20]) }, () => {
    const length = pick([0, 1, 125, 126, 127])
    const head = [pick([0x81, 0x82, 0x01, 0x80, 0x88, 0x89, 0x8a, 0xff, 0x70]), (chance(0.8) ? 0x80 : 0) | length]
    const long = length === 126 ? [below(256), below(256)] : length === 127 ? Array.from({ length: 8 }, () => pick([0, 0, 255, below(256)])) : []
    return Buffer.from([...head, ...long, ...Array.from({ length: 4 + Math.min(length, 125) }, () => below(256))])
  }))
}

// HTTP/2

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** A frame (RFC 9113 §4.1), whose length may lie. */
function frame (type: number, flags: number, stream: number, payload: Buffer, length = payload.length): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(length & 0xffffff, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream >>> 0, 5)
  return Buffer.concat([head, payload])
}

/** Header fields as literals without indexing (RFC 7541 §6.2.2). */
function headerBlock (fields: ReadonlyArray<readonly [string, string]>): Buffer {
  const text = (value: string): Buffer => {
    const bytes = Buffer.from(value, 'latin1')
    const size = bytes.length < 127 ? [bytes.length] : [127, ...continued(bytes.length - 127)]
    return Buffer.concat([Buffer.from(size), bytes])
  }
  return Buffer.concat(fields.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]))
}

function continued (rest: number): number[] {
  return rest < 128 ? [rest] : [(rest & 127) | 128, ...continued(rest >>> 7)]
}

const strayFields: ReadonlyArray<readonly [string, string]> = [
  ['connection', 'upgrade'], ['upgrade', 'websocket'], ['te', 'gzip'], ['transfer-encoding', 'chunked'], ['content-length', '5'], ['content-length', 'x'],
  ['Upper', 'case'], [':late', 'x'], [':protocol', 'websocket'], ['', ''], ['cookie', 'a=b'], ['cookie', 'token=x'], ['content-type', 'application/json'],
  ['host', 'elsewhere'], ['x-long', 'y'.repeat(20_000)], ['origin', 'https://evil.example'], ['expect', '100-continue'], ['x', 'a\r\nb']
]

function frames (random: Random, bait: Bait): Buffer {
  const { below, chance, pick } = random
  const all: Buffer[] = chance(0.97) ? [preface] : []
  if (chance(0.9)) all.push(frame(4, 0, 0, chance(0.8) ? Buffer.alloc(0) : settings(random)))
  let stream = 1
  for (let count = pick([1, 2, 5, 20]); count > 0; count--) {
    const some = chance(0.8) ? stream : pick([0, 2, stream + 1_000, 0x7fffffff, 0xffffffff])
    all.push(pick<() => Buffer>([
      () => request(random, bait, some),
      () => request(random, bait, some),
      () => request(random, bait, some),
      () => frame(0, pick([0, 1, 8, 9]), some, Buffer.alloc(pick([0, 1, 100, 16_384]), 'x')),
      () => frame(0, 8, some, Buffer.from([255, 1, 2])),
      () => frame(3, 0, some, uint32(pick([0, 1, 8, 99]))),
      () => frame(4, pick([0, 1]), 0, settings(random)),
      () => frame(6, pick([0, 1]), pick([0, 0, 1]), Buffer.alloc(pick([8, 8, 7, 0]))),
      () => frame(7, 0, 0, Buffer.alloc(pick([8, 0, 100]))),
      () => frame(8, 0, pick([0, some]), uint32(pick([0, 1, 0x7fffffff]))),
      () => frame(9, pick([0, 4]), some, Buffer.alloc(pick([0, 10]))),
      () => frame(2, 0, some, Buffer.alloc(pick([5, 4]))),
      () => frame(5, 4, some, Buffer.alloc(4)),
      () => frame(below(256), below(256), some, Buffer.alloc(below(50))),
      () => frame(below(10), below(256), some, Buffer.alloc(below(20)), pick([0, 1, 16_385, 0xffffff]))
    ])())
    if (chance(0.7)) stream += 2
  }
  return Buffer.concat(all)
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value >>> 0)
  return bytes
}

function settings ({ pick }: Random): Buffer {
  return Buffer.concat(Array.from({ length: pick([1, 2, 30]) }, () => {
    const bytes = Buffer.alloc(6)
    bytes.writeUInt16BE(pick([1, 2, 3, 4, 5, 6, 8, 99]), 0)
    bytes.writeUInt32BE(pick([0, 1, 100, 16_384, 0x7fffffff, 0xffffffff]), 2)
    return bytes
  }))
}

function soundFrames ({ chance, pick }: Random, { known }: Bait): Buffer {
  const all = [preface, frame(4, 0, 0, Buffer.alloc(0))]
  for (let count = pick([1, 2, 5, 20]), stream = 1; count > 0; count--, stream += 2) {
    const method = pick(['GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE'])
    const fields = [[':method', method], [':scheme', 'http'], [':authority', '127.0.0.1'], [':path', pick(paths.filter(path => path.startsWith('/')))]] as Array<readonly [string, string]>
    if (chance(0.5)) fields.push(...Object.entries(known).map(([name, value]) => [name.toLowerCase(), value] as const))
    if (chance(0.5)) fields.push(pick([['content-type', 'application/json'], ['origin', 'https://evil.example'], ['x', 'y'.repeat(2_000)], ['cookie', 'a=b']]))
    const body = chance(0.5) ? pick(bodies).slice(0, 1_000) : undefined
    all.push(frame(1, body === undefined ? 5 : 4, stream, headerBlock(fields)))
    if (body !== undefined) all.push(frame(0, 1, stream, Buffer.from(body)))
    if (chance(0.2)) all.push(frame(3, 0, stream, uint32(8)))
    if (chance(0.1)) all.push(frame(6, 0, 0, Buffer.alloc(8)))
    if (chance(0.1)) all.push(frame(8, 0, 0, uint32(1_000)))
  }
  return Buffer.concat(all)
}

function request ({ chance, pick }: Random, { known }: Bait, stream: number): Buffer {
  const method = pick(['GET', 'GET', 'POST', 'HEAD', 'OPTIONS', 'CONNECT', 'DELETE', ''])
  const fields: Array<readonly [string, string]> = [[':method', method], [':scheme', pick(['http', 'http', 'https', ''])], [':authority', pick(['127.0.0.1', ''])], [':path', pick(paths)]]
  if (chance(0.5)) fields.push(...Object.entries(known).map(([name, value]) => [name.toLowerCase(), value] as const))
  for (let count = pick([0, 0, 1, 3]); count > 0; count--) fields.push(pick(strayFields))
  if (chance(0.1)) fields.splice(0, 1)
  const block = headerBlock(fields)
  const ends = chance(0.6) ? 1 : 0
  // Not ended: what follows has to be a continuation.
  if (chance(0.05)) return frame(1, ends, stream, block)
  const body = ends === 0 && chance(0.8) ? frame(0, 1, stream, Buffer.from(pick(bodies).slice(0, 16_000))) : Buffer.alloc(0)
  const reset = chance(0.2) ? frame(3, 0, stream, uint32(8)) : Buffer.alloc(0)
  return Buffer.concat([frame(1, ends | 4, stream, block), body, reset])
}
