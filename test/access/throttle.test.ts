import { monitorEventLoopDelay } from 'node:perf_hooks'
import t from 'tap'
import { throttle } from '../../lib/access/throttle.js'
import { adminPassword, build, testClock } from '../fixtures/cloud.js'
import { same } from '../fixtures/rows.js'

t.setTimeout(120_000)

t.test('Failed logins', async t => {
  const throttled = { status: 429, message: 'Too many failed logins' }
  const wrong = { status: 401, message: 'Invalid credentials' }

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

t.test('Failures are remembered of 10,000 addresses, those with the latest (case 13)', async t => {
  const failures = throttle(testClock(), 1, 1_000)
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
  same(t, first, { status: 503, message: 'Too many passwords are being checked' })
  t.equal(first.headers['retry-after'], '1')
  t.equal((await own('GET', '/health/')).status, 200)
  same(t, await Promise.any(pending.map(async one => (await one).status === 401 ? await one : await Promise.reject(new Error('not checked')))), { status: 401, message: 'Invalid credentials' })
  delays.disable()
  // On the event loop each of the 64 would take its tenth of a second before anything else had its turn.
  t.ok(delays.max < 1e9, `the event loop stood still for at most ${Math.round(delays.max / 1e6)} ms`)
})
