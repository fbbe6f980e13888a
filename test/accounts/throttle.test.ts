/** When failed logins are refused unseen. */
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import t from 'tap'
import { createTally } from '../../lib/accounts/tally.js'
import { createThrottle } from '../../lib/accounts/throttle.js'
import { adminPassword, base, build, testClock, testLog } from '../fixtures/cloud.js'
import { same } from '../fixtures/rows.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

t.test('Failed logins', async t => {
  const throttled = refusal(429, 'Too many failed logins')
  const wrong = refusal(401, 'Invalid credentials')

  t.test('the 11th within five minutes is 429 with Retry-After; elsewhere nobody notices (case 13)', async t => {
    const clock = testClock()
    const { setUp, client } = await build(t, { clock })
    const root = await setUp()
    const nobody = client()
    const fail = (remoteAddress: string, username = 'root') => nobody('POST', '/auth/login', { username, password: 'wrong password' }, { remoteAddress })
    const right = (remoteAddress: string) => client()('POST', '/auth/login', { username: 'root', password: adminPassword }, { remoteAddress })

    for (let n = 1; n <= 10; n++) {
      same(t, await fail('192.0.2.1'), wrong, `failure ${n}`)
      clock.advance(1000)
    }
    const eleventh = await fail('192.0.2.1')
    same(t, eleventh, throttled)
    t.equal(eleventh.headers['retry-after'], '290')
    same(t, await right('192.0.2.1'), throttled, 'the right password is not told either')
    same(t, await fail('::ffff:192.0.2.1'), throttled, 'the same address mapped')
    same(t, await fail('192.0.2.1', 'somebody else'), throttled, 'whatever the name')
    t.equal((await right('192.0.2.2')).status, 200, 'the owner elsewhere')
    t.equal((await root('GET', '/user/self')).status, 200, 'sessions go on')

    clock.advance(289_999)
    t.equal((await fail('192.0.2.1')).headers['retry-after'], '1')
    clock.advance(1)
    same(t, await right('192.0.2.1'), { status: 200, message: 'Login successful' }, 'five minutes after the first')
    same(t, await fail('192.0.2.1'), wrong)
    same(t, await fail('192.0.2.1'), throttled, 'the window slides: nine of ten still count')
    clock.advance(300_000)
    same(t, await fail('192.0.2.1'), wrong)
  })

  t.test('missing fields and successes do not count', async t => {
    const { setUp, client } = await build(t, { clock: testClock() })
    await setUp()
    for (let n = 0; n < 12; n++) {
      t.equal((await client()('POST', '/auth/login', { username: 'root', password: adminPassword })).status, 200)
      t.equal((await client()('POST', '/auth/login', { username: 'root' })).status, 400)
    }
  })

  t.test('per address and name as well, for the host that sets the limits apart', async t => {
    const { setUp, client } = await build(t, { clock: testClock(), loginThrottle: { perAddress: 100, perAddressAndName: 3, window: 60_000 } })
    await setUp()
    const fail = (username: string) => client()('POST', '/auth/login', { username, password: 'wrong password' })
    for (let n = 0; n < 3; n++) same(t, await fail('Root'), wrong)
    same(t, await fail('ＲＯＯＴ'), throttled, 'folded')
    same(t, await fail('other'), wrong)
  })

  t.test('many at once get no further than one after the other', async t => {
    const { setUp, client } = await build(t, { clock: testClock() })
    await setUp()
    const answers = await Promise.all(Array.from({ length: 40 }, () => client()('POST', '/auth/login', { username: 'root', password: 'wrong password' })))
    const statuses = answers.map(({ status }) => status)
    t.strictSame([statuses.filter(one => one === 401).length, statuses.filter(one => one === 429).length], [10, 30])
  })

  t.test('are indistinguishable: unknown name, wrong password, impossible password (case 1)', async t => {
    const { setUp, client } = await build(t, { clock: testClock() })
    await setUp()
    const shapes = []
    for (const body of [
      { username: 'root', password: 'wrong password' },
      { username: 'nobody', password: 'wrong password' },
      { username: 'root', password: 'x'.repeat(73) },
      { username: 'root', password: `${adminPassword}\0` },
      { username: 'x'.repeat(5000), password: adminPassword },
      { username: 'a\u200b', password: adminPassword }
    ]) {
      const { status, body: answer, headers: { date: _, ...headers } } = await client()('POST', '/auth/login', body)
      shapes.push({ status, answer, headers })
    }
    for (const shape of shapes) t.strictSame(shape, shapes[0])
    t.strictSame(shapes[0]?.answer, wrong)
    t.notOk('set-cookie' in (shapes[0]?.headers ?? {}))
  })
})

t.test('S15: addresses as they are counted', async t => {
  const throttled = refusal(429, 'Too many failed logins')
  const wrong = refusal(401, 'Invalid credentials')
  const open = async () => {
    const cloud = await build(t, { clock: testClock(), host: { trustProxy: true } })
    await cloud.setUp()
    const fail = (forwarded: string, username = 'root') => cloud.client()('POST', '/auth/login', { username, password: 'wrong password' }, { headers: { 'x-forwarded-for': forwarded } })
    return { ...cloud, fail }
  }

  t.test('a port that a trusted proxy forwards is no part of an address', async t => {
    for (const [name, form] of [
      ['IPv4', (port: number) => `203.0.113.7:${port}`],
      ['IPv6', (port: number) => `[2001:db8::7]:${port}`],
      ['mapped', (port: number) => `[::ffff:203.0.113.9]:${port}`]
    ] as const) {
      const { fail } = await open()
      for (let port = 1001; port <= 1010; port++) same(t, await fail(form(port)), wrong, name)
      same(t, await fail(form(1011)), throttled, name)
      same(t, await fail(form(1012).replace(/\[|\]?:\d+$/g, '')), throttled, `${name}, written without one`)
      same(t, await fail('203.0.113.8:1001'), wrong, 'another address')
    }
  })

  t.test('a token is tied to the address without the port', async t => {
    const { client } = await open()
    for (const [first, others, ip] of [
      ['203.0.113.7:1001', ['203.0.113.7:2002', '203.0.113.7', '::ffff:203.0.113.7', '[::FFFF:203.0.113.7]:1'], '203.0.113.7'],
      ['[2001:DB8:0::7]:1001', ['[2001:db8::7]:2002', '2001:db8::7', '[2001:db8::7]', '2001:db8:0:0:0:0:0:7%eth0'], '2001:db8::7']
    ] as const) {
      const user = client()
      const from = (forwarded: string) => ({ headers: { 'x-forwarded-for': forwarded } })
      await user('POST', '/auth/login', { username: 'root', password: adminPassword }, from(first))
      t.equal(JSON.parse(Buffer.from((user.token as string).split('.')[1] as string, 'base64url').toString()).ip, ip)
      for (const other of others) t.equal((await user('GET', '/user/self', undefined, from(other))).status, 200, other)
      for (const other of ['203.0.113.70', '2001:db8::70', '[2001:db8::70]:1001']) t.equal((await user('GET', '/user/self', undefined, from(other))).status, 401, other)
    }
  })

  t.test('an IPv6 address counts with its /64, and at ten times the limit with its /48', async t => {
    const { fail } = await open()
    for (let n = 0; n < 10; n++) same(t, await fail(`2001:db8:1:0:${n}:${n}::1`), wrong)
    same(t, await fail('2001:db8:1:0:ffff:ffff:ffff:ffff'), throttled, 'the same /64')
    for (let n = 10; n < 100; n++) same(t, await fail(`2001:db8:1:${n.toString(16)}::1`), wrong, 'another /64 of the same /48')
    const beyond = await fail('2001:db8:1:ffff::1')
    same(t, beyond, throttled, 'the 101st of that /48')
    t.equal(beyond.headers['retry-after'], '300')
    same(t, await fail('2001:db8:1:fffe::1', 'somebody else'), throttled, 'whatever the name')
    same(t, await fail('2001:db8:2::1'), wrong, 'another /48')
  })
})

t.test('H9: on a Unix socket, which has no addresses, failures count by name, so that nobody locks out the others', async t => {
  const { app, setUp } = await build(t, { clock: testClock() })
  await setUp()
  // The path of a socket may have 107 bytes only.
  const directory = await mkdtemp(join(tmpdir(), 'cloud-'))
  t.teardown(() => rm(directory, { recursive: true }))
  const path = join(directory, 'cloud.sock')
  await app.listen({ path })
  const login = async (username: string, password: string): Promise<number> => await new Promise((resolve, reject) => {
    const asked = request({ socketPath: path, method: 'POST', path: `${base}/auth/login`, headers: { 'content-type': 'application/json' } }, response => {
      response.resume()
      resolve(response.statusCode as number)
    })
    asked.on('error', reject).end(JSON.stringify({ username, password }))
  })
  for (let n = 0; n < 10; n++) t.equal(await login('nobody', 'wrong password'), 401)
  t.equal(await login('nobody', 'wrong password'), 429)
  t.equal(await login('root', adminPassword), 200)
})

t.test('S14: logins that are not looked at are counted: one line a minute and address', async t => {
  const clock = testClock()
  const log = testLog()
  const { setUp, client, app } = await build(t, { clock, host: { ...log.host } })
  await setUp()
  const fail = (remoteAddress: string) => client()('POST', '/auth/login', { username: 'root', password: 'wrong password' }, { remoteAddress })
  for (let n = 0; n < 10; n++) await fail('192.0.2.1')
  t.equal(log.audits().filter(({ audit }) => audit === 'login.failed').length, 10)
  const line = (ip: string, count: number) => ({ audit: 'login.throttled', outcome: 'refused', ip, count })
  const told = async (): Promise<any> => await until(() => { const lines = log.audits(); return lines.length > 0 && lines }, 'a line')

  for (let n = 0; n < 25; n++) t.equal((await fail('192.0.2.1')).status, 429)
  clock.advance(59_999)
  t.strictSame(log.audits(), [], 'none at once')
  clock.advance(1)
  t.strictSame(await told(), [line('192.0.2.1', 25)])

  for (let n = 0; n < 10; n++) for (const host of ['1', '2']) await fail(`2001:db8::${host}`)
  log.audits()
  await fail('192.0.2.1')
  for (let n = 0; n < 3; n++) await fail(`2001:db8::${n}`)
  await app.close()
  t.strictSame(log.audits(), [line('2001:db8:0:0::/64', 13), line('192.0.2.1', 1)], 'and the rest when the host closes')
})

t.test('S14: of more addresses than are counted apart the rest is counted together', async t => {
  const clock = testClock()
  const lines: Array<[string, number]> = []
  const throttledLogins = createTally(clock, (key, count) => { lines.push([key, count]) })
  for (let n = 0; n < 10_500; n++) throttledLogins.note(`${n}`)
  throttledLogins.note('7')
  throttledLogins.tellDue()
  t.strictSame(lines, [])
  clock.advance(60_000)
  throttledLogins.tellDue()
  t.strictSame([lines.length, lines[7], lines.at(-1)], [10_001, ['7', 2], ['others', 500]])
  throttledLogins.tellAll()
  t.equal(lines.length, 10_001)
})

t.test('Failures are remembered of 10,000 addresses, those with the latest (case 13)', async t => {
  const failures = createThrottle(testClock(), 1, 1_000)
  const waiting = (): number[] => Array.from({ length: 10_002 }, (_, n) => n).filter(n => failures.wait(`${n}`) > 0)
  for (let n = 0; n < 10_000; n++) failures.fail(`${n}`)
  t.equal(waiting().length, 10_000)
  failures.fail('0')
  failures.fail('10000')
  failures.fail('10001')
  t.strictSame(waiting(), [0, ...Array.from({ length: 9_999 }, (_, n) => n + 3)], 'the two longest without one have gone')
})

t.test('Beyond the bounded queue a login is 503, the rest goes on (case 118)', async t => {
  // A dear hash, so that the queue is full before the first is done.
  const { client } = await build(t, { passwordCost: 12, loginThrottle: { perAddress: 1000, perAddressAndName: 1000 } })
  const own = client()
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  const pending = Array.from({ length: 80 }, () => client()('POST', '/auth/login', { username: 'nobody', password: 'wrong password' }, { remoteAddress: '192.0.2.1' }))
  const first = await Promise.race(pending)
  same(t, first, refusal(503, 'Too many passwords are being checked'))
  t.equal(first.headers['retry-after'], '1')
  t.equal((await own('GET', '/health/')).status, 200)
  same(t, await Promise.any(pending.map(async one => (await one).status === 401 ? await one : await Promise.reject(new Error('not checked')))), refusal(401, 'Invalid credentials'))
  delays.disable()
  // On the event loop each of the 64 would take its tenth of a second before anything else had its turn.
  t.ok(delays.max < 1e9, `the event loop stood still for at most ${Math.round(delays.max / 1e6)} ms`)
})
