/** Starts the bundled platforms as a cloud does, and speaks Minecraft's protocol to them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { repository } from '../fixtures/repository.js'
import { freePort } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

const host = '127.0.0.1'

/** Where the bundled platforms lie, from the sources as well as from `dist`. */
export const platforms = join(repository, 'examples/standalone/platforms')

/** Starts the real limbo with nothing in its environment but this. */
export const spawnLimbo = (t: Test, env: Record<string, string>) => spawnProgram(t, 'limbo', env)

/** Starts the program of a bundled platform. */
export function spawnProgram (t: Test, platform: string, env: Record<string, string>, cwd?: string) {
  const child = spawn(process.execPath, [join(platforms, platform, 'server.js')], { env, cwd })
  const exit = once(child, 'exit')
  t.teardown(() => { child.kill('SIGKILL') })
  let log = ''
  child.stdout.setEncoding('utf8').on('data', text => { log += text })
  child.stderr.setEncoding('utf8').on('data', text => { log += text })
  return {
    child,
    log: () => log,
    /** The log without the time of day. */
    lines: () => log.split('\n').map(line => line.replace(/^\[\d\d:\d\d:\d\d\] /, '')),
    tell: (line: string) => { child.stdin.write(`${line}\n`) },
    /** Exit code and signal. */
    exit: async (): Promise<unknown[]> => await exit
  }
}

/** A limbo that is ready on a port of its own. */
export async function startLimbo (t: Test, env: Record<string, string> = {}) {
  const port = await freePort()
  const limbo = spawnLimbo(t, { SERVICE_PORT: String(port), ...env })
  await until(() => limbo.log().includes(': Done ('), 'limbo is ready')
  return { ...limbo, port, sees: (line: string) => until(() => limbo.lines().includes(line), line) }
}

/** What a packet is made of: numbers are varints, texts are strings with their length, the rest is sent as it is. */
export type Field = number | string | Buffer

export const packet = (...fields: Field[]): Buffer => {
  const body = Buffer.concat(fields.map(encode))
  return Buffer.concat([varint(body.length), body])
}

function encode (field: Field): Buffer {
  if (typeof field === 'number') return varint(field)
  return typeof field === 'string' ? Buffer.concat([varint(Buffer.byteLength(field)), Buffer.from(field)]) : field
}

function varint (value: number): Buffer {
  return value < 0x80 ? Buffer.from([value]) : Buffer.concat([Buffer.from([value & 0x7f | 0x80]), varint(value >>> 7)])
}

/** A varint at the start of these bytes, and what comes after it; undefined if they end before it does. */
function readVarint (bytes: Buffer): { value: number, rest: Buffer } | undefined {
  const end = bytes.findIndex(byte => byte < 0x80)
  if (end < 0) return undefined
  const value = bytes.subarray(0, end + 1).reduceRight((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  return { value, rest: bytes.subarray(end + 1) }
}

/** The ids of the keep-alive in a version, as it comes and as it is answered. */
const keepAlive = new Map([[47, { asked: 0x00, answer: 0x00 }], [769, { asked: 0x27, answer: 0x1a }]])

/** A raw connection that keeps every packet it is sent, as `{ id, data }`. */
export async function dial (t: Test, port: number, localAddress = host) {
  const socket = connect({ port, host, localAddress })
  t.teardown(() => { socket.destroy() })
  const packets: Array<{ id: number, data: Buffer }> = []
  let bytes: Buffer = Buffer.alloc(0)
  let closed = false
  socket.on('data', chunk => {
    bytes = Buffer.concat([bytes, chunk])
    for (let frame = readVarint(bytes); frame && frame.rest.length >= frame.value; frame = readVarint(bytes)) {
      const { value: id, rest: data } = readVarint(frame.rest.subarray(0, frame.value))!
      packets.push({ id, data })
      bytes = frame.rest.subarray(frame.value)
    }
  })
  socket.on('error', () => {})
  socket.on('close', () => { closed = true })
  await once(socket, 'connect')
  return {
    socket,
    packets,
    send: (...fields: Field[]) => { socket.write(packet(...fields)) },
    /** Answers so many keep-alives of that version, and every later one. */
    answer: async (protocol: number, rounds: number) => {
      const { asked, answer } = keepAlive.get(protocol)!
      let answered = 0
      const turn = () => {
        for (const { data } of packets.filter(({ id }) => id === asked).slice(answered)) {
          answered++
          socket.write(packet(answer, data))
        }
      }
      socket.on('data', turn)
      turn()
      await until(() => answered >= rounds, `${rounds} keep-alives`)
    },
    /** The data of the next packet with that id, each given once. */
    next: async (id: number) => {
      const at = await until(() => packets.findIndex(packet => packet.id === id) + 1 || (closed && -1), `packet ${id}`)
      if (at < 0) throw new Error(`Closed before packet ${id}; what came: ${packets.map(({ id, data }) => `${id} ${data.toString('utf8').slice(0, 200)}`).join(', ')}`)
      return packets.splice(at - 1, 1)[0]!.data
    },
    closed: () => until(() => closed, 'the connection is closed')
  }
}

export const text = (data: Buffer): string => readVarint(data)!.rest.toString('utf8')

const portBytes = Buffer.from([0x63, 0xdd])

/** A Server List Ping: the answer, and whether the ping came back as it was sent. */
export async function ping (t: Test, port: number, protocol = 47) {
  const peer = await dial(t, port)
  peer.send(0, protocol, host, portBytes, 1)
  peer.send(0)
  const status = JSON.parse(text(await peer.next(0)))
  const payload = Buffer.from('8 bytes!')
  peer.send(1, payload)
  const pong = await peer.next(1)
  await peer.closed()
  return { status, pong: pong.equals(payload) }
}

/** A connection that has asked to log in. */
export async function logIn (t: Test, port: number, name: string, protocol = 47) {
  const peer = await dial(t, port)
  peer.send(0, protocol, host, portBytes, 2)
  peer.send(0, name, Buffer.alloc(protocol > 47 ? 16 : 0))
  return peer
}
