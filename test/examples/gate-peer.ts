/** Starts gate before servers that a test can watch. */
import { once } from 'node:events'
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, type Socket, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { packet, spawnProgram } from './limbo-peer.js'
import { freePort } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

const host = '127.0.0.1'

export interface Listed {
  readonly name: string
  readonly port: number
  readonly host?: string
  readonly fallback?: boolean
  readonly players?: number
  readonly slots?: number
  readonly parked?: boolean
  readonly keeps?: boolean
  readonly held?: boolean
  readonly due?: boolean
  readonly proxyProtocol?: boolean
}

export type List = readonly Listed[] | { readonly servers: readonly Listed[], readonly [field: string]: unknown }

/** The list as somebody writes it for a gate: servers are fallback servers with 20 slots unless they say otherwise. */
export function textOf (list: List): string {
  const { servers, ...rest } = 'servers' in list ? list : { servers: list }
  return JSON.stringify({ version: 1, servers: servers.map(server => ({ host, fallback: true, slots: 20, ...server })), ...rest })
}

/** A gate that listens on a port of its own, with this list; without one there is no file. */
export async function startGate (t: Test, list?: List, env: Record<string, string> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'gate-'))
  t.teardown(() => { rmSync(directory, { recursive: true, force: true }) })
  const file = join(directory, 'servers.json')
  const write = (text: string) => {
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
  }
  if (list !== undefined) write(textOf(list))
  const port = await freePort()
  const gate = spawnProgram(t, 'gate', { SERVICE_PORT: String(port), ...env }, directory)
  await until(() => gate.log().includes(': Done ('), 'gate is ready')
  const lines = () => linesOf(gate.log())
  return {
    ...gate,
    /** The log without the time of day: `INFO text`. */
    lines,
    port,
    directory,
    file,
    write,
    /** Replaces the list, and waits until the gate has read it. */
    relist: async (list: List) => {
      write(textOf(list))
      gate.tell('reload')
      const { servers } = 'servers' in list ? list : { servers: list }
      const wanted = servers.map(server => `${server.name} ${server.port}${server.parked === true ? ' parked' : ''}`).sort().join()
      await until(async () => (await shown(gate)).filter(line => !line.includes('no longer listed')).map(line => {
        const [, name, port] = /^(\S+) \S+:(\d+), /.exec(line) ?? []
        return `${name} ${port}${line.includes(', parked') ? ' parked' : ''}`
      }).sort().join() === wanted, `the list ${wanted}`)
    },
    shown: () => shown(gate),
    sees: (line: string) => until(() => lines().includes(line), line),
    /** In how many lines of the log this is. */
    count: (part: string) => lines().filter(line => line.includes(part)).length
  }
}

/** What the command `servers` prints now. */
async function shown (gate: ReturnType<typeof spawnProgram>): Promise<string[]> {
  const before = gate.log().length
  gate.tell('servers')
  const answer = await until(() => /^[^]* INFO\]: \d+ servers$/m.exec(gate.log().slice(before))?.[0], 'the command `servers` is answered')
  return linesOf(answer).filter(line => line.includes(' players, ')).map(line => line.replace('INFO ', ''))
}

export const linesOf = (log: string): string[] => log.split('\n').map(line => line.replace(/^\[\d\d:\d\d:\d\d ([A-Z]+)\]: /, '$1 '))

/** What a server without accounts says first. */
export const loginSuccess = packet(0x02, 'a uuid', 'a name')

/**
 * A server that keeps what it is sent. `greet` is what it does with a connection: say hello once it has been sent
 * something, unless told otherwise.
 */
export async function startBackend (t: Test, greet: (socket: Socket) => void = sayHello) {
  const connections: Array<{ socket: Socket, bytes: () => Buffer, ended: () => boolean }> = []
  const server = createServer({ allowHalfOpen: true }, socket => {
    const chunks: Buffer[] = []
    let ended = false
    socket.on('error', () => {})
    socket.on('data', chunk => { chunks.push(chunk) })
    socket.on('end', () => { ended = true })
    connections.push({ socket, bytes: () => Buffer.concat(chunks), ended: () => ended })
    greet(socket)
  })
  server.listen(0, host)
  await once(server, 'listening')
  const close = () => {
    server.close()
    for (const { socket } of connections) socket.destroy()
  }
  t.teardown(close)
  return { port: (server.address() as AddressInfo).port, connections, close }
}

export function sayHello (socket: Socket): void {
  socket.once('data', () => { socket.write(loginSuccess) })
}

/** A login as bytes: a handshake for `login` (or `status`, or a transfer), and the name. */
export const greeting = (name: string, { host: asked = host, protocol = 47, next = 2 } = {}): Buffer => Buffer.concat([
  packet(0, protocol, asked, Buffer.from([0x63, 0xdd]), next), packet(0, name)
])
