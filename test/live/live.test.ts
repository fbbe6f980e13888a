/** The live channels, over real sockets. */
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { type BuildOptions, type Client, type TestCloud, build } from '../fixtures/cloud.js'
import { startClock } from '../fixtures/lag.js'
import { type LiveRuntime, listen, liveRuntime, untilLines, watch } from '../fixtures/live.js'
import { until } from '../fixtures/until.js'
import { rounds } from '../fixtures/rounds.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

interface Channel extends TestCloud {
  readonly live: LiveRuntime
  readonly url: string
  /** The token of the first admin. */
  readonly token: string
}

async function open (t: Test, options: BuildOptions = {}): Promise<Channel> {
  const live = liveRuntime()
  const cloud = await build(t, { ...options, runtime: live })
  const admin = await cloud.setUp()
  return { ...cloud, live, url: await listen(cloud.app), token: admin.token as string }
}

t.test('/service/{serviceName}/screen sends the last lines, then every new one, a line a message', async t => {
  const { live, url, token } = await open(t)
  live.print('lobby-1', 'one', 'two')
  const watcher = await watch(`${url}/service/lobby-1/screen`, token)
  t.strictSame(await untilLines(watcher, 2), ['one', 'two'])
  live.print('lobby-1', 'three', '', 'Grüße 😀 \u001b[32mgreen')
  live.print('lobby-1', 'x'.repeat(70_000))
  t.strictSame(await untilLines(watcher, 6), ['one', 'two', 'three', '', 'Grüße 😀 \u001b[32mgreen', 'x'.repeat(70_000)])
})

t.test('somebody who comes later gets the last lines and no line twice', async t => {
  const { live, url, token } = await open(t)
  const first = await watch(`${url}/service/lobby-1/screen`, token)
  let printed = 0
  const print = (): void => { live.print('lobby-1', `line ${printed++}`) }
  for (let round = 0; round < 20; round++) {
    print()
    const late = await watch(`${url}/service/lobby-1/screen`, token)
    print()
    await untilLines(late, printed)
    t.strictSame(late.lines, Array.from({ length: printed }, (_, index) => `line ${index}`))
    late.socket.terminate()
  }
  t.strictSame(await untilLines(first, printed), Array.from({ length: printed }, (_, index) => `line ${index}`))
})

t.test('of ten who watch one console each gets a line once (case 117)', async t => {
  const { live, url, token } = await open(t)
  const watchers = await Promise.all(Array.from({ length: 10 }, async () => await watch(`${url}/service/lobby-1/screen`, token)))
  live.print('lobby-1', 'the line')
  live.print('lobby-1', 'the end')
  for (const watcher of watchers) t.strictSame(await untilLines(watcher, 2), ['the line', 'the end'])
})

t.test('/services/update sends every state change', async t => {
  const { live, url, token } = await open(t)
  const watcher = await watch(`${url}/services/update`, token)
  live.change({ serviceName: 'lobby-1', state: 'STARTING', at: 1_700_000_000_123 })
  t.strictSame(await untilLines(watcher, 1), ['{"serviceName":"lobby-1","state":"STARTING","timestamp":"1700000000123"}'])
})

t.test('/logs sends the lines of the core and of the terminal', async t => {
  const { live, url, token, setUp } = await open(t)
  const watcher = await watch(`${url}/logs/`, token)
  live.say('lobby-1 is ready')
  await (await setUp())('POST', '/terminal/command', { command: 'player count' })
  t.strictSame(await untilLines(watcher, 3), ['lobby-1 is ready', '> player count', '2'])
})

t.test('/alive sends nothing, and what a client sends is ignored (case 113)', async t => {
  const { url, token } = await open(t)
  const watcher = await watch(`${url}/alive`, token)
  watcher.socket.send('hello')
  for (let n = 0; n < 1_000; n++) watcher.socket.send(JSON.stringify({ command: 'stop', n }))
  watcher.socket.ping()
  await once(watcher.socket, 'pong')
  t.strictSame(watcher.lines, [])
  t.equal(watcher.socket.readyState, WebSocket.OPEN)
})

t.test('a handshake is refused as a request is, before the upgrade (cases 109, 110, 111)', async t => {
  const { url, token, login, client } = await open(t, { host: { trustProxy: '127.0.0.1' } })
  const plain = await login(['cloud.ws.alive'])
  const left = await login(['cloud.ws.logs'])
  const revoked = left.token
  await left('POST', '/auth/logout')
  const refused = async (path: string, token?: string, headers = {}): Promise<string> => {
    try {
      const { socket } = await watch(`${url}${path}`, token, headers)
      socket.terminate()
      return 'opened'
    } catch (error) {
      return (error as Error).message
    }
  }
  t.equal(await refused('/logs'), '401 {"status":401,"message":"Missing token","code":"missing_token"}')
  t.equal(await refused('/logs', 'nonsense'), '401 {"status":401,"message":"Invalid or expired token","code":"invalid_token"}')
  t.equal(await refused('/logs', token, { 'user-agent': 'another' }), '401 {"status":401,"message":"Invalid or expired token","code":"invalid_token"}')
  t.equal(await refused('/logs', token, { 'x-forwarded-for': '192.0.2.9' }), '401 {"status":401,"message":"Invalid or expired token","code":"invalid_token"}', 'from another address')
  t.equal(await refused('/logs', revoked), '401 {"status":401,"message":"Invalid or expired token","code":"invalid_token"}', 'after a logout')
  t.equal(await refused('/logs', plain.token), '403 {"status":403,"message":"Forbidden","code":"forbidden"}')
  t.equal(await refused('/alive', plain.token), 'opened')
  t.equal(await refused('/service/nobody/screen', token), '404 {"status":404,"message":"Service not found","code":"service_not_found"}')
  t.equal(await refused('/nowhere', token), '404 {"status":404,"message":"Not Found","code":"not_found"}')
  t.equal(await refused('/alive', token, { origin: 'https://evil.example' }), '403 {"status":403,"message":"Forbidden origin","code":"forbidden_origin"}')
  t.equal(await refused('/alive', token, { origin: url.replace('ws:', 'http:').replace('/cloud/api/v3', '') }), 'opened')
  t.equal(await refused(`/alive?token=${token}`), '401 {"status":401,"message":"Missing token","code":"missing_token"}', 'a token in the address is ignored')
  const anon = client()
  anon.token = token
  t.strictSame(await anon('GET', '/alive').then(({ status, body }) => ({ status, body })),
    { status: 426, body: refusal(426, 'Upgrade Required') })
  t.equal((await anon('GET', '/service/nobody/screen')).status, 426)
})

t.test('with live.queryToken a token in the address is taken', async t => {
  const { url, token } = await open(t, { live: { queryToken: true } })
  const { socket } = await watch(`${url}/alive?token=${token}`)
  t.equal(socket.readyState, WebSocket.OPEN)
})

t.test('a runtime without consoles has no such channel', async t => {
  const { consoles: _, ...runtime } = liveRuntime()
  const cloud = await build(t, { runtime })
  const { token } = await cloud.setUp()
  const url = await listen(cloud.app)
  await t.rejects(watch(`${url}/service/lobby-1/screen`, token), { message: '404 {"status":404,"message":"Service not found","code":"service_not_found"}' })
})

type User = Awaited<ReturnType<TestCloud['login']>>

interface Revocation {
  run (cloud: Channel, user: User): Promise<unknown>
  /** How a socket is closed by it. */
  readonly close: readonly [number, string]
  /** How a handshake is refused after it. */
  readonly refusal: string
}

const gone = { close: [3000, 'Unauthorized'], refusal: '401 {"status":401,"message":"Invalid or expired token","code":"invalid_token"}' } as const
const less = { close: [3003, 'Forbidden'], refusal: '403 {"status":403,"message":"Forbidden","code":"forbidden"}' } as const

/** Every call that takes somebody's right away. */
const revocations: Record<string, Revocation> = {
  logout: { ...gone, run: async (_cloud, user) => await user('POST', '/auth/logout') },
  'the deletion of the token': { ...gone, run: async (_cloud, user) => await user('DELETE', `/user/token/${user.token}`) },
  'the deletion of all tokens': { ...gone, run: async (_cloud, user) => await user('DELETE', '/user/tokens') },
  'the deletion of the user': { ...gone, run: async ({ token, client }, user) => await as(client, token)('DELETE', `/user/${user.uuid}`) },
  'a password changed elsewhere': {
    ...gone,
    run: async ({ client }, user) => {
      const { username } = (await user('GET', '/user/self')).body.data
      const elsewhere = client()
      await elsewhere('POST', '/auth/login', { username, password: `password of ${username}` })
      await elsewhere('PATCH', '/user/self/change-password', { password: 'another password' })
    }
  },
  'an edited role': {
    ...less,
    run: async ({ token, client }, user) => {
      const { role } = (await user('GET', '/user/self')).body.data
      await as(client, token)('PATCH', `/role/${role.id}`, { label: role.label, hexColor: role.hexColor, permissions: [] })
    }
  },
  'another role': {
    ...less,
    run: async ({ token, client }, user) => {
      const admin = as(client, token)
      const role = await admin('POST', '/role/', { label: `nothing for ${user.uuid.slice(0, 8)}`, hexColor: '#000', permissions: [] })
      await admin('PATCH', '/user/edit', { uuid: user.uuid, roleId: role.body.data.id })
    }
  }
}

function as (client: () => Client, token: string): Client {
  const one = client()
  one.token = token
  return one
}

t.test('whatever takes the right away closes the socket within a second, and nothing is sent after (cases 42, 112)', async t => {
  for (const [name, { run, close }] of Object.entries(revocations)) {
    await t.test(name, async t => {
      const cloud = await open(t)
      const user = await cloud.login(['cloud.service.screen'])
      const watcher = await watch(`${cloud.url}/service/lobby-1/screen`, user.token)
      cloud.live.print('lobby-1', 'before')
      await untilLines(watcher, 1)
      await run(cloud, user)
      const isWithin = startClock(t)
      cloud.live.print('lobby-1', 'after')
      t.strictSame(await watcher.closed, close)
      t.ok(isWithin(1_000), 'in time')
      t.strictSame(watcher.lines, ['before'])
    })
  }
})

t.test('a handshake under way while the right is taken away is refused or closed, never left open', async t => {
  for (const [name, { run, close, refusal }] of Object.entries(revocations)) {
    await t.test(name, async t => {
      const cloud = await open(t)
      for (let round = 0; round < rounds(3, 10); round++) {
        const user = await cloud.login(['cloud.service.screen'])
        const token = user.token
        const handshake = async (): Promise<string> => await watch(`${cloud.url}/service/lobby-1/screen`, token)
          .then(async watcher => String(await watcher.closed), (error: Error) => error.message)
        const revoked = run(cloud, user)
        // Handshakes that begin all along the call: some before it commits, some after.
        const outcomes = [handshake()]
        for (let turn = 0; turn < 15; turn++) {
          await nextTurn()
          outcomes.push(handshake())
        }
        await revoked
        outcomes.push(handshake())
        const seen = await Promise.all(outcomes)
        t.strictSame(seen.filter(outcome => outcome !== String(close) && outcome !== refusal), [])
        t.equal(seen.at(-1), refusal, 'after it: refused')
      }
    })
  }
})

t.test('the end of the token closes the socket, and one whose handshake is under way (case 112)', async t => {
  let ahead = 0
  const clock = { now: () => Date.now() + ahead, elapsed: () => performance.now() }
  const { url, token, client } = await open(t, { clock })
  const watcher = await watch(`${url}/alive`, token)
  const opening = watch(`${url}/alive`, token)
    .then(async ({ closed }) => String(await closed), (error: Error) => error.message)
  ahead = 7 * 24 * 60 * 60 * 1000
  t.strictSame(await watcher.closed, gone.close)
  t.ok([String(gone.close), gone.refusal].includes(await opening))
  t.equal((await as(client, token)('GET', '/user/self')).status, 401)
})

t.test('a peer that never answers the close is cut off', async t => {
  const { url, token, setUp } = await open(t)
  const { hostname, port, pathname } = new URL(`${url}/alive`)
  const raw = createConnection(Number(port), hostname)
  raw.write(`GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nUser-Agent: lightMyRequest\r\nCookie: token=${token}\r\n` +
    'Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n')
  t.match(String((await once(raw, 'data'))[0]), /^HTTP\/1\.1 101/)
  raw.on('data', () => {}).on('error', () => {})
  const gone = once(raw, 'close')
  await (await setUp())('POST', '/auth/logout')
  const isWithin = startClock(t)
  await gone
  t.ok(isWithin(3_000))
})

t.test('limits: sockets of a user, sockets in all, size of a message (cases 113, 114)', async t => {
  const { url, token, login } = await open(t, { live: { socketsPerUser: 3, sockets: 5 } })
  const other = await login(['cloud.ws.alive'])
  const mine = await Promise.all([1, 2, 3].map(async () => await watch(`${url}/alive`, token)))
  const busy = (code: string) => ({ message: `429 {"status":429,"message":"Too many sockets","code":"${code}"}` })
  await t.rejects(watch(`${url}/alive`, token), busy('too_many_sockets_of_user'))
  await Promise.all([1, 2].map(async () => await watch(`${url}/alive`, other.token)))
  await t.rejects(watch(`${url}/alive`, other.token), busy('too_many_sockets'), 'in all')

  mine[0]?.socket.send(Buffer.alloc(16_384))
  mine[1]?.socket.send(Buffer.alloc(16_385))
  t.equal((await mine[1]?.closed)?.[0], 1009)
  t.equal(mine[0]?.socket.readyState, WebSocket.OPEN)
  await until(async () => await watch(`${url}/alive`, token).then(() => true, () => false), 'the place is free again')
})

t.test('a reader that falls too far behind is closed, and the others lose nothing (case 115)', async t => {
  const { live, url, token } = await open(t)
  const slow = await watch(`${url}/service/lobby-1/screen`, token)
  const good = await watch(`${url}/service/lobby-1/screen`, token)
  slow.socket.pause()
  let printed = 0
  const line = 'y'.repeat(1_000)
  let closed = false
  slow.closed.then(() => { closed = true }, () => {})
  // More than the system's own buffers hold.
  while (printed < 40_000) {
    for (let i = 0; i < 500; i++) live.print('lobby-1', `${printed++} ${line}`)
    await untilLines(good, printed)
  }
  slow.socket.resume()
  const [code] = await slow.closed
  t.ok(closed && (code === 1013 || code === 1006), String(code))
  t.ok(slow.lines.length < printed)
  t.strictSame(good.lines.map(one => Number(one.split(' ')[0])), Array.from({ length: printed }, (_, index) => index))
})

const turns = rounds(5, 50)
t.test(`${turns * 20} sockets come and go, and no listener is left (case 116)`, async t => {
  const { live, url, token } = await open(t)
  for (let round = 0; round < turns; round++) {
    const some = await Promise.all(Array.from({ length: 20 }, async () => await watch(`${url}/service/lobby-1/screen`, token)))
    for (const { socket } of some) socket.close()
    await Promise.all(some.map(async ({ closed }) => await closed))
  }
  await until(() => live.listeners === 0, 'no listener is left')
  t.equal(live.listeners, 0)
})

t.test('closing the instance closes the sockets', async t => {
  const { app, url, token } = await open(t)
  const watcher = await watch(`${url}/alive`, token)
  await app.close()
  t.equal((await watcher.closed)[0], 1001)
})

t.test('a plain request with an Upgrade header to another route is answered as ever', async t => {
  const { url } = await open(t)
  await t.rejects(watch(`${url}/health`), { message: '200 {"status":200,"message":"Healthy"}' })
})
