/** The cases of the stored metrics. */
import assert from 'node:assert/strict'
import type { MetricBucket, MetricResolution } from '../../../types/storage.js'
import type { StorageCases } from './under-test.js'
import { many, same } from '../suite.js'

const minute = 1_760_000_040_000

// Halves and quarters: their sums are exact, so that sums can be compared.
export const bucket = (start: number, value: number, resolution: MetricResolution = 'minute'): MetricBucket => ({
  resolution,
  start,
  samples: 1,
  cpuCore: value,
  cpuServices: value * 2,
  memoryCore: value * 4,
  memoryServices: value * 8
})

/** The contract of `MetricStore`. */
export const metrics: StorageCases = async add => {
  await add('metrics.add adds to what a bucket holds', async ({ storage: { metrics } }) => {
    await metrics.add([bucket(minute, 0.5)])
    await metrics.add([bucket(minute, 1)])
    same(await metrics.list('minute', minute, minute), [{ ...bucket(minute, 1.5), samples: 2 }])
    await metrics.add([])
  })

  await add('metrics.add takes a bucket that is named twice', async ({ storage: { metrics } }) => {
    await metrics.add([bucket(minute, 1), bucket(minute, 2.25)])
    same(await metrics.list('minute', minute, minute), [{ ...bucket(minute, 3.25), samples: 2 }])
  })

  await add('metrics.list answers the buckets of one resolution from and to, both included, ascending', async ({ storage: { metrics } }) => {
    const [first, second] = [bucket(minute, 0.5), bucket(minute + 60_000, 0.25)]
    await metrics.add([second, first, bucket(minute, 100, 'hour')])
    same(await metrics.list('minute', minute, minute + 60_000), [first, second])
    same(await metrics.list('minute', minute, minute + 59_999), [first])
    same(await metrics.list('minute', minute + 1, Number.MAX_VALUE), [second])
    same(await metrics.list('day', 0, Infinity), [])
  })

  await add('metrics.sum answers the sum of the buckets from and to, as of the earliest', async ({ storage: { metrics } }) => {
    await metrics.add([bucket(minute, 0.5), bucket(minute + 60_000, 0.25), bucket(minute + 120_000, 64)])
    await metrics.add([bucket(minute + 60_000, 100, 'hour')])
    same(await metrics.sum('minute', 0, minute + 60_000), { ...bucket(minute, 0.75), samples: 2 })
    same(await metrics.sum('minute', minute + 1, Infinity), { ...bucket(minute + 60_000, 64.25), samples: 2 })
  })

  await add('metrics.sum of no buckets is 0, as of from', async ({ storage: { metrics } }) => {
    await metrics.add([bucket(minute, 1)])
    same(await metrics.sum('minute', 5, 6), { ...bucket(5, 0), samples: 0 })
  })

  await add('metrics.purge deletes the older buckets of one resolution', async ({ storage: { metrics } }) => {
    await metrics.add([bucket(1, 1), bucket(2, 1), bucket(1, 1, 'hour')])
    await metrics.purge('minute', 2)
    same(await metrics.list('minute', 0, 9), [bucket(2, 1)])
    same(await metrics.list('hour', 0, 9), [bucket(1, 1, 'hour')])
  })

  await add('metrics.add stores all buckets or none', async ({ storage: { metrics } }) => {
    // More than fit in one statement of some databases, and the wrong one is the last.
    const buckets = Array.from({ length: 1_500 }, (_, n) => bucket(n, 1))
    for (const wrong of [NaN, Infinity]) {
      await assert.rejects(async () => { await metrics.add([...buckets, { ...bucket(2_000, 1), memoryCore: wrong }]) })
    }
    same(await metrics.list('minute', 0, 9_999), [])
    await metrics.add(buckets)
    assert.equal((await metrics.sum('minute', 0, 9_999)).samples, 1_500)
  })

  await add('metrics added by many at once agree with plain addition', async ({ storage: { metrics } }) => {
    await many(20, async n => {
      await metrics.add([bucket(n % 4, n + 0.5, 'day'), bucket((n + 1) % 4, n, 'day')])
    })
    const expected = [0, 1, 2, 3].map(start => {
      const values = Array.from({ length: 20 }, (_, n) => [{ at: n % 4, value: n + 0.5 }, { at: (n + 1) % 4, value: n }]).flat()
        .filter(({ at }) => at === start).map(({ value }) => value)
      return { ...bucket(start, values.reduce((sum, value) => sum + value, 0), 'day'), samples: values.length }
    })
    same(await metrics.list('day', 0, 3), expected)
  })
}
