/** What a runtime is told when nobody waits for its answer any more, and that it holds up no close. */
import { type ClientRequest, request } from 'node:http'
import { connect } from 'node:http2'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { CloudOptions, CloudRuntime } from '../../lib/index.js'
import { type TestCloud, build } from '../fixtures/cloud.js'
import { watch } from '../fixtures/live.js'
import { aGroup, listRuntime } from '../fixtures/runtime.js'
import { until } from '../fixtures/until.js'
import { startClock } from '../fixtures/lag.js'

t.setTimeout(600_000)

const unhandled: unknown[] = []
process.on('unhandledRejection', reason => { unhandled.push(reason) })
process.on('uncaughtException', error => { unhandled.push(error) })

/** A runtime of which every call but those to `groups.list` and `templates.list` hangs, and what each was given. */
function hanging (): { runtime: CloudRuntime, signals: Map<string, AbortSignal> } {
  const signals = new Map<string, AbortSignal>()
  const hang = (name: string) => (...given: unknown[]): Promise<never> => {
    signals.set(name, (given.at(-1) as { signal: AbortSignal }).signal)
    return new Promise(() => {})
  }
  const runtime = {
    ...listRuntime(),
    services: { list: hang('services.list'), control: { restart: hang('restart') } },
    groups: { list: () => [aGroup], control: { edit: hang('edit'), delete: hang('delete') } },
    players: { list: hang('players.list') },
    platforms: { list: hang('platforms.list') },
    metrics: { sample: hang('sample') },
    consoles: { follow: hang('follow') },
    log: { watch: hang('log') },
    states: { watch: hang('states') }
  }
  return { runtime: runtime as never, signals }
}

interface Open extends TestCloud {
  readonly address: string
  readonly signals: Map<string, AbortSignal>
  send (method: string, path: string, body?: object): ClientRequest
}

async function open (t: Test, options: Partial<CloudOptions> = {}): Promise<Open> {
  const { runtime, signals } = hanging()
  const cloud = await build(t, { runtime, host: { forceCloseConnections: true }, runtimeTimeout: 30_000, ...options })
  const { token } = await cloud.setUp()
  await cloud.app.listen({ port: 0, host: '127.0.0.1' })
  const address = `127.0.0.1:${(cloud.app.server.address() as AddressInfo).port}/cloud/api/v3`
  const send = (method: string, path: string, body?: object): ClientRequest => {
    const headers = { cookie: `token=${token}`, 'user-agent': 'lightMyRequest', 'content-type': 'application/json' }
    const sent = request(`http://${address}${path}`, { method, headers, agent: false })
    sent.on('error', () => {}).end(body === undefined ? undefined : JSON.stringify(body))
    return sent
  }
  return { ...cloud, signals, address, send }
}

const asked = (signals: Map<string, AbortSignal>, name: string): Promise<AbortSignal> => until(() => signals.get(name), `${name} is asked`)

const reads: ReadonlyArray<readonly [path: string, call: string]> = [
  ['/services/list', 'services.list'], ['/services/count', 'services.list'], ['/platforms/list', 'platforms.list'],
  ['/players/list', 'players.list'], ['/player/Alex', 'players.list'], ['/system/information', 'sample']
]

for (const [path, call] of reads) {
  t.test(`the signal of ${call} is aborted when the client of ${path} has hung up`, async t => {
    const { signals, send } = await open(t)
    const sent = send('GET', path)
    const signal = await asked(signals, call)
    t.notOk(signal.aborted, 'while somebody waits it is not')
    sent.destroy()
    await until(() => signal.aborted, 'the signal is aborted', 5_000)
  })
}

t.test('over HTTP/2 the signal of a list is aborted when its stream has ended, and the others wait on', async t => {
  const signals: AbortSignal[] = []
  const runtime = { ...listRuntime(), services: { list: ({ signal }: { signal: AbortSignal }) => { signals.push(signal); return new Promise(() => {}) } } }
  const cloud = await build(t, { runtime: runtime as never, host: { http2: true } as never, runtimeTimeout: 30_000 })
  const { token } = await cloud.setUp()
  await cloud.app.listen({ port: 0, host: '127.0.0.1' })
  const session = connect(`http://127.0.0.1:${(cloud.app.server.address() as AddressInfo).port}`)
  t.teardown(() => { session.destroy() })
  const streams = [0, 1].map(() => session.request({
    ':path': '/cloud/api/v3/services/list', cookie: `token=${token}`, 'user-agent': 'lightMyRequest'
  }).on('error', () => {}))
  await until(() => signals.length === 2, 'both are asked')
  streams[0]?.close(8)
  await until(() => signals.some(({ aborted }) => aborted), 'one is aborted', 5_000)
  t.equal(signals.filter(({ aborted }) => aborted).length, 1)
  session.destroy()
})

t.test('an act goes on when its client has hung up: it was accepted', async t => {
  const { signals, send, client } = await open(t)
  const sent = send('PATCH', '/service/lobby-1/restart')
  const signal = await asked(signals, 'restart')
  const closed = new Promise(resolve => { sent.once('close', resolve) })
  sent.destroy()
  await closed
  // Whatever the server has heard of by then it has heard of before the answer to this one.
  for (let asks = 0; asks < 5; asks++) t.equal((await client()('GET', '/health')).status, 200)
  const read = send('GET', '/services/list')
  const other = await asked(signals, 'services.list')
  read.destroy()
  await until(() => other.aborted, 'a read that hung up later is told', 5_000)
  t.notOk(signal.aborted)
})

t.test('a list that is kept by its revision is made for all, and goes on when one of them has gone', async t => {
  const { signals, send, runtime } = await open(t)
  Object.assign(runtime.services, { revision: 1 })
  const sent = send('GET', '/services/list')
  const signal = await asked(signals, 'services.list')
  const read = send('GET', '/system/information')
  const other = await asked(signals, 'sample')
  sent.destroy()
  await new Promise(resolve => { sent.once('close', resolve) })
  read.destroy()
  await until(() => other.aborted, 'another that hung up later is told', 5_000)
  t.notOk(signal.aborted)
})

t.test('when the host has closed every signal is aborted but that of a deletion', async t => {
  const { app, signals, send } = await open(t)
  send('GET', '/services/list')
  send('PATCH', '/service/lobby-1/restart')
  send('PATCH', '/group/lobby', { minMemory: 1 })
  send('DELETE', '/group/lobby')
  const calls = ['services.list', 'restart', 'edit', 'delete']
  for (const call of calls) await asked(signals, call)
  const before = performance.now()
  await app.close()
  t.ok(performance.now() - before < 5_000)
  t.strictSame(calls.map(call => signals.get(call)?.aborted), [true, true, true, false])
})

t.test('an answer that is there at once costs no listener, and one that comes later leaves none', async t => {
  const counts: Record<string, number> = {}
  const runtime = { ...listRuntime(), players: { list: async () => [] } }
  const { setUp } = await build(t, {
    runtime: runtime as never,
    before: app => app.addHook('onSend', async (request, reply) => { counts[request.url.split('/v3')[1] as string] = reply.raw.listenerCount('close') })
  })
  const admin = await setUp()
  for (const path of ['/health', '/services/list', '/players/list']) t.equal((await admin('GET', path)).status, 200)
  t.equal(counts['/services/list'], counts['/health'])
  t.equal(counts['/players/list'], counts['/health'])
})

t.test('a console about which the runtime does not answer is waited for as long as one of its readers is there', async t => {
  const { signals, setUp, address } = await open(t)
  const { token } = await setUp()
  watch(`ws://${address}/service/lobby-1/screen`, token).catch(() => {})
  const signal = await asked(signals, 'follow')
  t.notOk(signal.aborted)
  // A second one waits for the same, and goes: the first still waits.
  const raw = request(`http://${address}/service/lobby-1/screen`, { headers: handshake(token as string) })
  raw.on('error', () => {}).end()
  await until(() => raw.socket?.writableLength === 0, 'it is sent')
  raw.destroy()
  const read = request(`http://${address}/services/list`, { headers: { cookie: `token=${token}`, 'user-agent': 'lightMyRequest' } })
  read.on('error', () => {}).end()
  const other = await asked(signals, 'services.list')
  read.destroy()
  await until(() => other.aborted, 'a read that hung up later is told', 5_000)
  t.notOk(signal.aborted, 'somebody still waits')
})

const handshake = (token: string): Record<string, string> => ({
  connection: 'upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  cookie: `token=${token}`,
  'user-agent': 'lightMyRequest'
})

t.test('a handshake whose client has gone waits for no runtime: the signal is aborted, and the next is asked anew', async t => {
  const { signals, setUp, address } = await open(t)
  const { token } = await setUp()
  for (let round = 0; round < 2; round++) {
    signals.clear()
    const sent = request(`http://${address}/service/lobby-1/screen`, { headers: handshake(token as string), agent: false })
    sent.on('error', () => {}).end()
    const signal = await asked(signals, 'follow')
    sent.destroy()
    await until(() => signal.aborted, 'the signal is aborted', 5_000)
  }
})

for (const force of [true, 'idle'] as const) {
  t.test(`a console, a log and states that hang hold up no close (forceCloseConnections ${force})`, async t => {
    const { app, signals, setUp, address } = await open(t, { host: { forceCloseConnections: force } } as never)
    const { token } = await setUp()
    const refused = watch(`ws://${address}/service/lobby-1/screen`, token).then(() => 'open', String)
    await watch(`ws://${address}/logs`, token)
    await watch(`ws://${address}/services/update`, token)
    for (const call of ['follow', 'log', 'states']) await asked(signals, call)
    const isWithin = startClock(t)
    await app.close()
    t.ok(isWithin(3_000))
    for (const call of ['follow', 'log', 'states']) t.ok(signals.get(call)?.aborted, call)
    t.match(await refused, /503|socket hang up|ECONNRESET/)
  })
}

t.test('nothing of this became an unhandled rejection', async t => {
  await new Promise(resolve => setImmediate(resolve))
  t.strictSame(unhandled, [])
})
