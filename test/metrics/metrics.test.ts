/** How samples become minutes, hours and days. */
import fc from 'fast-check'
import t from 'tap'
import { bucketsOf, horizons, startOf, widths } from '../../lib/metrics/buckets.js'
import { createHistory } from '../../lib/metrics/history.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { build } from '../fixtures/cloud.js'
import { listRuntime } from '../fixtures/runtime.js'

t.setTimeout(600_000)

const { minute, hour, day } = widths
/** 2027-01-15 08:00 UTC */
const start = 1_800_000_000_000

const sampleOf = (core: number, services: number) =>
  ({ cpu: { core, services }, memory: { core: core * 10, services: services * 10 }, runtime: 'r', uptime: 0 })

t.test('a sample adds to the minute, the hour and the day that it lies in, UTC', async t => {
  const at = Date.UTC(2027, 0, 15, 23, 59, 59, 999)
  t.strictSame(bucketsOf(sampleOf(1, 2), at).map(({ resolution, start }) => [resolution, new Date(start).toISOString()]), [
    ['minute', '2027-01-15T23:59:00.000Z'], ['hour', '2027-01-15T23:00:00.000Z'], ['day', '2027-01-15T00:00:00.000Z']
  ])
})

t.test('minutes end at a whole hour and hours at a whole day, so that coarser buckets carry on where finer ones end', async t => {
  const now = start + 7 * hour + 12_345
  const since = horizons(now, { minute: 7, hour: 90, day: 1825 })
  t.equal(since.minute % hour, 0)
  t.equal(since.hour % day, 0)
  t.ok(since.minute <= now - 7 * day && since.minute > now - 7 * day - hour)
  t.ok(since.hour <= now - 90 * day && since.hour > now - 91 * day)
})

t.test('the average is exact over the finest data kept, after any purge, as a plain model has it', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(async () => { await storage.close() })
  const taken: Array<{ at: number, core: number, services: number }> = []
  const clock = { now: start, at: (): number => clock.now }
  let next = sampleOf(0, 0)
  const kept = { minute: 1, hour: 3, day: 10 }
  const past = createHistory(storage.metrics, async () => next, kept, { now: () => clock.now, elapsed: () => 0 }, { warn: (given: unknown) => { t.fail(String(given)) } } as never)

  // Whole numbers, so that sums are exact in any order.
  await fc.assert(fc.asyncProperty(
    fc.array(fc.record({ step: fc.integer({ min: 1, max: 5 * hour }), core: fc.integer({ min: 0, max: 50 }), services: fc.integer({ min: 0, max: 50 }) }), { minLength: 1, maxLength: 30 }),
    fc.integer({ min: 0, max: 12 * 24 }), fc.integer({ min: 0, max: 12 * 24 }), fc.boolean(),
    async (samples, a, b, purge) => {
      for (const { step, core, services } of samples) {
        clock.now += step
        next = sampleOf(core, services)
        taken.push({ at: clock.now, core, services })
        await past.record()
      }
      if (purge) await past.purge()
      const ends = [clock.now - a * hour, clock.now - b * hour].sort((x, y) => x - y)
      const from = Math.max(0, ends[0] as number)
      const to = ends[1] as number
      const since = horizons(clock.now, kept)
      // A sample counts when the bucket it is kept in starts within the range.
      const within = taken.filter(({ at }) => {
        const resolution = startOf('minute', at) >= since.minute ? 'minute' : startOf('hour', at) >= since.hour ? 'hour' : 'day'
        const bucket = startOf(resolution, at)
        return bucket >= from && bucket <= to && (resolution !== 'day' || !purge || bucket >= since.day)
      }).filter(({ at }) => startOf('day', at) >= oldest())
      const mean = (of: (one: { core: number, services: number }) => number): number =>
        within.length === 0 ? 0 : within.reduce((total, one) => total + of(one), 0) / within.length
      const answered = await past.average({ from, to })
      if (purge) purgedBefore = Math.max(purgedBefore, since.day)
      return Object.is(answered.avgCpu.polocloud, mean(one => one.core)) && Object.is(answered.avgRam.services, mean(one => one.services * 10))
    }), { numRuns: 60 })
})

let purgedBefore = 0
const oldest = (): number => purgedBefore

t.test('history points lie on bucket starts, ascend, and leave out what has no samples', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(async () => { await storage.close() })
  let now = start
  let next = sampleOf(0, 0)
  const past = createHistory(storage.metrics, async () => next, { minute: 7, hour: 90, day: 1825 }, { now: () => now, elapsed: () => 0 }, {} as never)
  for (const [at, core] of [[0, 10], [30_000, 20], [3 * minute, 40], [2 * hour, 50]] as const) {
    now = start + at
    next = sampleOf(core, 1)
    await past.record()
  }
  t.strictSame(await past.points('minute', { from: 0, to: now }), [
    { timestamp: start, avgCpu: 16, avgRam: 160 },
    { timestamp: start + 3 * minute, avgCpu: 41, avgRam: 410 },
    { timestamp: start + 2 * hour, avgCpu: 51, avgRam: 510 }
  ])
  t.strictSame(await past.points('hour', { from: 0, to: now }), [
    { timestamp: start, avgCpu: 73 / 3, avgRam: 730 / 3 }, { timestamp: start + 2 * hour, avgCpu: 51, avgRam: 510 }
  ])
  t.strictSame((await past.points('day', { from: 0, to: now })).map(({ timestamp }) => timestamp), [startOf('day', start)])
  t.strictSame(await past.points('minute', { from: start + 1, to: start + 3 * minute }), [{ timestamp: start + 3 * minute, avgCpu: 41, avgRam: 410 }])
})

t.test('no samples: 0, never NaN (case 77)', async t => {
  const { setUp } = await build(t)
  const admin = await setUp()
  const zero = { polocloud: 0, services: 0, total: 0 }
  t.strictSame((await admin('GET', '/system/information/average?from=1&to=2')).body, {
    status: 200, data: { avgCpu: zero, avgRam: zero, from: 1, to: 2 }
  })
  for (const name of ['minutes', 'hours', 'days']) {
    t.strictSame((await admin('GET', `/system/information/${name}`)).body, { status: 200, data: [] })
  }
})

t.test('the runtime is sampled by itself, and the history survives a restart', async t => {
  const file = `${t.testdir()}/cloud.db`
  let now = start
  const clock = { now: () => now, elapsed: () => performance.now() }
  const { until } = await import('../fixtures/until.js')
  for (const round of [1, 2]) {
    await t.test(`start ${round}`, async t => {
      const storage = await openSqliteStorage({ file })
      t.teardown(async () => { await storage.close() })
      const runtime = listRuntime()
      const { setUp, client, app } = await build(t, { storage, runtime, clock, metrics: { interval: 10 } })
      t.teardown(async () => { await app.close() })
      const admin = round === 1 ? await setUp() : client()
      if (round === 2) await admin('POST', '/auth/login', { username: 'root', password: 'correct horse battery' })
      await until(async () => (await admin('GET', '/system/information/minutes')).body.data.length === round, 'a sample of this start')
      const { data } = (await admin('GET', '/system/information/average')).body
      t.strictSame([data.avgCpu, data.avgRam], [{ polocloud: 1.5, services: 2.25, total: 3.75 }, { polocloud: 64, services: 128, total: 192 }])
      t.equal(data.to, now)
    })
    now += minute
  }
})

t.test('a runtime that gives no sample leaves a gap and nothing else', async t => {
  const runtime = listRuntime()
  const { setUp } = await build(t, { runtime: { ...runtime, metrics: { sample: () => { throw new Error('no') } } }, metrics: { interval: 5 } })
  const admin = await setUp()
  t.equal((await admin('GET', '/system/information')).status, 500)
  t.strictSame((await admin('GET', '/system/information/minutes')).body.data, [])
  t.equal((await admin('GET', '/health')).status, 200)
})
