/** Streams of events under load and under faults: what a follower makes of them is the list, whatever happens in between. */
import { once } from 'node:events'
import { ServerResponse } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { type Socket, connect } from 'node:net'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { createBatches } from '../../lib/events/batches.js'
import { createJournal } from '../../lib/events/journal.js'
import { createIds } from '../../lib/events/texts.js'
import type { Group } from '../../types/resources.js'
import type { RuntimeService } from '../../types/runtime.js'
import { certificate } from '../fixtures/certificate.js'
import { base, build } from '../fixtures/cloud.js'
import { lists, openEvents } from '../fixtures/events.js'
import { type Told, View, createParser, follow, untilTold } from '../fixtures/follow.js'
import { startClock, watchLag } from '../fixtures/lag.js'
import { listen } from '../fixtures/live.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { portOf } from '../fixtures/raw.js'
import { newSeed, rounds } from '../fixtures/rounds.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const states = ['STARTING', 'ONLINE', 'STOPPING', 'OFFLINE'] as const
type State = RuntimeService['state']

t.test('what a follower makes of the events is the list, whatever changes and however often it comes back', async t => {
  const runtime = lists()
  const cloud = await build(t, { runtime, live: { sockets: 10_000, socketsPerUser: 10_000 } })
  const { token = '' } = await cloud.setUp()
  const url = await listen(cloud.app)
  const name = fc.integer({ min: 0, max: 5 }).map(n => `s-${n}`)
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), name, playerCount: fc.integer({ min: 0, max: 9 }) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('move' as const), name, state: fc.constantFrom<State>(...states) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('drop' as const), name }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('group' as const), memory: fc.integer({ min: 512, max: 600 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('pause' as const), ms: fc.integer({ min: 0, max: 60 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reconnect' as const) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('garbage' as const), id: fc.string({ unit: fc.constantFrom(...'0123456789abcdef-'), maxLength: 20 }) }) }
  )
  await fc.assert(fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
    const view = new View()
    const seen: Told[] = []
    let follower = await follow(url, { token, query: '?topics=services,groups' })
    const take = (): void => {
      for (const event of follower.told.splice(0)) {
        seen.push(event)
        view.take(event)
      }
    }
    for (const step of steps) {
      switch (step.do) {
        case 'put': runtime.put({ name: step.name, playerCount: step.playerCount }); break
        case 'move':
          if (runtime.given.services.find(one => one.name === step.name)?.state === step.state) break
          runtime.move(step.name, step.state)
          break
        case 'drop': runtime.drop(step.name); break
        case 'group':
          runtime.given.groups = runtime.given.groups.map(group => ({ ...group, minMemory: step.memory }))
          runtime.touch()
          break
        case 'pause': await new Promise(resolve => setTimeout(resolve, step.ms)); break
        case 'reconnect':
        case 'garbage':
          take()
          follower.leave()
          follower = await follow(url, { token, query: '?topics=services,groups', lastId: step.do === 'garbage' ? `x${step.id}` : seen.at(-1)?.id })
      }
    }
    const shown = (items: readonly any[]): string =>
      JSON.stringify(items.map(({ createdAt: _, ...item }) => item).sort((a, b) => a.name < b.name ? -1 : 1))
    const listed = (): string => shown(runtime.given.services) + shown(runtime.given.groups)
    const viewed = (): string => shown(view.list('services')) + shown(view.list('groups'))
    await until(() => {
      take()
      return viewed() === listed()
    }, () => `${viewed()} to be ${listed()}`, 10_000)
    follower.leave()
    const numbers = seen.filter(({ event }) => event !== 'reset' && event !== 'snapshot').map(({ id }) => Number(id.split('-')[1]))
    const isReset = seen.some(({ event }) => event === 'reset')
    if (!isReset && numbers.some((number, index) => index > 0 && number <= (numbers[index - 1] as number))) throw new Error(`twice: ${numbers.join()}`)
  }), { numRuns: rounds(25, 500), verbose: 1, seed: Number(process.env['EVENTS_SEED'] ?? newSeed()) })
  t.pass('held')
})

t.test('who comes back 100 times under 100 changes a second gets every change once, in order', async t => {
  const { url, token, lists } = await openEvents(t)
  lists.put({ name: 'busy', state: 'OFFLINE' })
  let follower = await follow(url, { token, query: '?topics=services' })
  await untilTold(follower, 1)
  const sent: State[] = []
  const got: Told[] = []
  const timer = setInterval(() => {
    const state = states[sent.length % states.length] as State
    sent.push(state)
    lists.move('busy', state)
  }, 10)
  t.teardown(() => { clearInterval(timer) })
  for (let round = 0; round < 100; round++) {
    await new Promise(resolve => setTimeout(resolve, Math.random() * 60))
    follower.leave()
    got.push(...follower.told)
    follower = await follow(url, { token, query: '?topics=services', lastId: follower.lastId })
  }
  clearInterval(timer)
  await until(() => got.length + follower.told.length >= 1 + sent.length)
  got.push(...follower.told)
  follower.leave()
  t.ok(sent.length > 100, `${sent.length} changes`)
  t.strictSame(got.map(({ event }) => event), ['snapshot', ...sent.map(() => 'changed')])
  t.strictSame(got.slice(1).map(({ data }) => data.item.state), sent)
})

/** A client that reads the head of a stream and then nothing more. */
async function stall (url: string, token: string): Promise<Socket> {
  const { hostname, port, pathname } = new URL(`${url}/events?topics=services`)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.write(`GET ${pathname}?topics=services HTTP/1.1\r\nhost: x\r\nuser-agent: lightMyRequest\r\ncookie: token=${token}\r\n\r\n`)
  await once(socket, 'readable')
  return socket
}

t.test('1,000 followers that stop reading are closed, cost little, and slow nobody down', async t => {
  const count = rounds(200, 1_000)
  const { app, url, token, lists } = await openEvents(t, { live: { sockets: 2_000, socketsPerUser: 2_000, backlog: 262_144 } })
  const stalled: Socket[] = []
  t.teardown(() => { for (const socket of stalled) socket.destroy() })
  for (let n = 0; n < count; n++) stalled.push(await stall(url, token))
  const good = await follow(url, { token, query: '?topics=services' })
  const lag = watchLag(t)
  const before = process.memoryUsage().rss
  let sent = 0
  // Sockets take megabytes of their own before anything waits.
  const text = 'x'.repeat(60_000)
  const timer = setInterval(() => { lists.put({ name: 'busy', motd: `${++sent} ${text}` }) }, 45)
  t.teardown(() => { clearInterval(timer) })
  // A socket that nobody reads tells of its end when somebody does; so the server is asked.
  const connections = async (): Promise<number> => await new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => { if (error === null) resolve(count); else reject(error) })
  })
  await until(async () => await connections() <= 3, 'all of them are closed', 120_000)
  clearInterval(timer)
  const grown = (process.memoryUsage().rss - before) / 1_048_576
  t.ok(grown < 1_500, `${grown.toFixed(0)} MB more`)
  t.notOk(good.isEnded)
  await until(() => good.told.at(-1)?.data.item?.motd === `${sent} ${text}`)
  t.ok(lag() < 1_000, 'the event loop went on')
  good.leave()
})

t.test('a long list comes as one snapshot, which a slow reader may take its time over', async t => {
  const { url, token, lists } = await openEvents(t)
  lists.put(...Array.from({ length: 5_000 }, (_, n) => ({ name: `many-${n}`, motd: 'x'.repeat(1_000) })))
  const asked = await stall(url, token)
  let text = ''
  const told: Told[] = []
  const parse = createParser(event => { told.push(event) })
  await new Promise(resolve => setTimeout(resolve, 200))
  lists.put({ name: 'end' })
  asked.setEncoding('utf8')
  let isHead = true
  asked.on('data', (chunk: string) => {
    if (!isHead) return parse(chunk)
    text += chunk
    const at = text.indexOf('\r\n\r\n')
    if (at === -1) return
    isHead = false
    parse(text.slice(at + 4))
  })
  await until(() => told.length >= 2)
  asked.destroy()
  t.equal(told[0]?.data.services.length, lists.given.services.length - 1)
  t.strictSame(told.slice(1).map(({ event, data }) => [event, data.item.name]), [['added', 'end']])
})

t.test('where the storage tells of no changes a stream waits until it is known that its reader may have it', async t => {
  const { subscribe: _, ...storage } = memoryStorage()
  const { url, token, lists, setUp } = await openEvents(t, { storage: storage as never })
  const follower = await follow(url, { token, query: '?topics=services' })
  await untilTold(follower, 1)
  for (let n = 0; n < 5; n++) {
    lists.put({ name: 'lobby-1', playerCount: 100 + n })
    await untilTold(follower, 2 + n)
  }
  await (await setUp())('DELETE', '/user/tokens')
  lists.put({ name: 'lobby-1', playerCount: 999 })
  await follower.ended
  t.equal(follower.told.length, 6)
})

for (const [name, host] of Object.entries({
  'cleartext HTTP/2': { http2: true },
  'HTTP/2 over TLS': { http2: true, https: certificate }
})) {
  t.test(`${name}: the same events, and an end at once when the host closes`, async (t: Test) => {
    const runtime = lists()
    const { app } = await build(t, { host: host as never, runtime })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const made = await app.inject({ method: 'POST', url: `${base}/user/self`, payload: { username: 'root', password: 'correct horse battery' }, remoteAddress: '127.0.0.1' })
    const cookie = String(made.headers['set-cookie']).split(';')[0] as string
    const session = connectHttp2(`${'https' in host ? 'https' : 'http'}://127.0.0.1:${portOf(app)}`, { rejectUnauthorized: false })
    t.teardown(() => { session.destroy() })
    const stream = session.request({ ':path': `${base}/events?topics=services`, 'user-agent': 'lightMyRequest', cookie })
    const [headers] = await once(stream, 'response')
    t.equal(headers[':status'], 200)
    t.notOk('connection' in headers)
    const told: Told[] = []
    stream.setEncoding('utf8').on('data', createParser(event => { told.push(event) }))
    await until(() => told.length === 1)
    runtime.move('lobby-1', 'STOPPING')
    await until(() => told.length === 2)
    t.match(told[1], { event: 'changed', data: { topic: 'services', item: { state: 'STOPPING' } } })
    const isWithin = startClock(t)
    const ended = once(stream, 'close')
    const closed = app.close()
    await ended
    t.ok(isWithin(1_500), 'the stream has ended')
    // Node waits for connections of HTTP/2, whatever is on them.
    session.destroy()
    await closed
  })
}

t.test('streams behind another answer on a connection give their places back when it ends, and let the host close', async t => {
  for (const leave of ['reset', 'end', 'stay'] as const) {
    const { app, url, token, setUp } = await openEvents(t)
    const socket = connect({ port: portOf(app), host: '127.0.0.1' }).on('error', () => {}).resume()
    socket.write(`GET ${base}/events HTTP/1.1\r\nHost: a\r\nUser-Agent: lightMyRequest\r\nCookie: token=${token}\r\n\r\n`.repeat(30))
    const root = await setUp()
    const taken = async (): Promise<number> =>
      Number(/cloud_sockets\{kind="events"\} (\d+)/.exec((await root('GET', '/metrics')).body)?.[1] ?? 0)
    let now = 0
    await until(async () => (now = await taken()) === 30, () => `all have their places: ${now}`, 3_000)
    if (leave === 'stay') {
      await app.close()
      continue
    }
    if (leave === 'reset') socket.resetAndDestroy()
    else socket.end()
    await until(async () => await taken() === 0, 'all places are free', 5_000)
    const again = await follow(url, { token })
    await untilTold(again, 1)
    again.leave()
  }
  t.pass('all are free')
})

t.test('the journal keeps no more than 32 Mi characters, and forgets the oldest first', t => {
  const journal = createJournal(() => 0)
  const text = 'x'.repeat(1_048_576)
  const event = {} as never
  for (let n = 0; n < 100; n++) journal.add(1, event, text)
  const kept: number[] = []
  journal.after(0, 1, ({ number }) => {
    kept.push(number)
    return true
  })
  t.strictSame(kept, Array.from({ length: 32 }, (_, n) => 70 + n))
  t.equal(journal.reaches(68), false)
  t.equal(journal.reaches(69), true)
  t.end()
})

t.test('what is put together for those who come back is kept for others up to 8 MiB', t => {
  const journal = createJournal(() => 0)
  for (let n = 0; n < 2_000; n++) journal.add(1, {} as never, `event: x\ndata: ${'y'.repeat(1_000)}\n\n`)
  const batches = createBatches(journal, createIds('a'))
  const first = batches(1, 2)
  const all = Array.from({ length: 1_000 }, (_, n) => batches(1, n + 2).bytes as Buffer)
  t.equal(batches(1, 2), first, 'for many who come at the same time it is there once')
  const again = all.filter((bytes, n) => batches(1, n + 2).bytes === bytes)
  t.ok(again.reduce((sum, { length }) => sum + length, 0) <= 8 * 1_048_576)
  t.end()
})

t.test('a reader who takes all the time is not cut, however long a piece of the snapshot is', async t => {
  const { url, token, lists } = await openEvents(t)
  lists.given.groups = [{ ...(lists.given.groups[0] as Group), properties: { motd: 'y'.repeat(3_000_000) } }]
  lists.touch()
  let most = 0
  const write = ServerResponse.prototype.write
  ServerResponse.prototype.write = function (this: ServerResponse, bytes: Buffer) {
    most = Math.max(most, bytes.length)
    return write.call(this, bytes, 'utf8')
  } as never
  t.teardown(() => { ServerResponse.prototype.write = write })
  const follower = await follow(url, { token, query: '?topics=groups' })
  const [snapshot] = await untilTold(follower, 1)
  t.equal(snapshot?.data.groups[0].properties.motd.length, 3_000_000)
  t.ok(most <= 65_536, `${most} bytes at once: how much of them is taken nobody tells`)
  follower.leave()
})
