/** Servers in processes of their own that raw connections are made to, and what can be told of them from outside. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { Agent, request as requestHttp1 } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { adminPassword, base } from '../fixtures/cloud.js'
import { startServer } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'
import type { Bait, Script } from './bytes.js'

type Protocol = 'http1' | 'http2'

export interface Target {
  readonly name: string
  readonly protocol: Protocol
  readonly port: number
  readonly process: ChildProcess
  /** How a request is made somebody's. */
  readonly bait: Bait
  /** Everything that it has printed. */
  output (): string
  isAlive (): boolean
  /** Its open connections, all of its descriptors, and the MB of memory that it holds. */
  sockets (): number
  descriptors (): number
  memory (): number
  stop (): Promise<void>
}

export type Start = () => Promise<Target>

const agent = 'a raw client'

async function target (name: string, protocol: Protocol, port: number, child: ChildProcess, output: () => string, clean: () => Promise<unknown>): Promise<Target> {
  const held = `/proc/${child.pid}/fd`
  const one = {
    name,
    protocol,
    port,
    process: child,
    output,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    sockets: () => readdirSync(held).filter(descriptor => linkOf(`${held}/${descriptor}`).startsWith('socket:')).length,
    descriptors: () => readdirSync(held).length,
    memory: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await once(child, 'close')
      }
      await clean()
    }
  }
  const cookie = await logIn(one)
  return { ...one, bait: { known: { 'User-Agent': agent, Cookie: cookie } } }
}

/** Where a descriptor leads; it may be closed by now. */
function linkOf (path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

/** Makes the first admin, and answers the cookie. */
async function logIn ({ port, protocol }: Pick<Target, 'port' | 'protocol'>): Promise<string> {
  const body = JSON.stringify({ username: 'root', password: adminPassword })
  const headers = { 'content-type': 'application/json', 'user-agent': agent }
  if (protocol === 'http1') {
    const sent = requestHttp1({ port, host: '127.0.0.1', method: 'POST', path: `${base}/user/self`, headers, agent: false })
    sent.end(body)
    const [response] = await once(sent, 'response')
    response.resume()
    return response.headers['set-cookie'][0].split(';')[0]
  }
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  const stream = session.request({ ':method': 'POST', ':path': `${base}/user/self`, ...headers })
  stream.end(body)
  const [answered] = await once(stream, 'response')
  session.destroy()
  return answered['set-cookie'][0].split(';')[0]
}

export async function startStandalone (): Promise<Target> {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-cloud-'))
  const server = await startServer({ CLOUD_DIRECTORY: directory })
  return await target('the standalone server', 'http1', Number(new URL(server.url).port), server.process, server.output, () => rm(directory, { recursive: true, force: true }))
}

export const startHost = (protocol: Protocol): Start => async () => {
  const directory = await mkdtemp(join(tmpdir(), 'fastify-cloud-'))
  const script = fileURLToPath(new URL('connection-host.js', import.meta.url))
  const child = spawn(process.execPath, [script, protocol, join(directory, 'cloud.db')], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', text => { output += String(text) })
  const port = await until(() => {
    if (child.exitCode !== null) throw new Error(output)
    return Number(/^(\d+)\n/.exec(output)?.[1]) || false
  }, 'the host listens')
  return await target(`a host with ${protocol}`, protocol, port, child, () => output, () => rm(directory, { recursive: true, force: true }))
}

/** A server that does nothing, to tell how late a busy machine makes anybody. */
export async function startControl () {
  const child = spawn(process.execPath, ['-e', `
    const server = require('node:http').createServer((_request, response) => { response.end('{}') })
    server.listen(0, '127.0.0.1', () => { console.log(server.address().port) })
  `], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(child.stdout, 'data')
  return { port: Number(port), protocol: 'http1' as const, stop: () => { child.kill('SIGKILL') } }
}

/** Does what the script says; ends when the client is gone. */
export async function play (port: number, { writes, leaves, reads }: Script): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const gone = once(socket, 'close')
  gone.catch(() => {})
  socket.on('error', () => {})
  const ended = once(socket, 'end')
  ended.catch(() => {})
  if (reads) socket.resume()
  else socket.pause()
  await Promise.race([once(socket, 'connect').catch(() => {}), gone.catch(() => {})])
  for (const { bytes, pauseMs } of writes) {
    if (socket.destroyed) break
    socket.write(bytes)
    if (pauseMs > 0) await pause(pauseMs)
  }
  if (leaves === 'reset') socket.resetAndDestroy()
  if (leaves === 'end' && !socket.destroyed) {
    socket.end()
    await Promise.race([ended.catch(() => {}), gone.catch(() => {}), pause(30)])
  }
  socket.destroy()
  await gone.catch(() => {})
}

/** Asks for the health again and again on a connection of its own; answers how long each answer took once told to stop. */
export function probe ({ port, protocol, path = `${base}/health` }: Pick<Target, 'port' | 'protocol'> & { readonly path?: string }): (() => Promise<readonly number[]>) & { count (): number } {
  const times: number[] = []
  const over = new AbortController()
  const keep = new Agent({ keepAlive: true, maxSockets: 1 })
  const session: ClientHttp2Session | undefined = protocol === 'http2' ? connectHttp2(`http://127.0.0.1:${port}`) : undefined
  session?.on('error', () => {})
  const ask = async (): Promise<void> => {
    if (session !== undefined) {
      const stream = session.request({ ':path': path })
      stream.resume()
      await once(stream, 'end')
      return
    }
    const sent = requestHttp1({ port, host: '127.0.0.1', path, agent: keep }).end()
    const [response] = await once(sent, 'response')
    response.resume()
    await once(response, 'end')
  }
  const running = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now()
      await ask()
      times.push(performance.now() - began)
      await pause(5)
    }
  })()
  running.catch(() => {})
  return Object.assign(async () => {
    over.abort()
    await running.catch(() => {})
    keep.destroy()
    session?.destroy()
    return times
  }, { count: () => times.length })
}

export const quantile = (times: readonly number[], part: number): number => [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? 0
