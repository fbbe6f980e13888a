/** The metrics of a storage in memory. */
import type { MetricBucket, MetricResolution, MetricStore } from '../../../types/storage.js'

const sums = ['samples', 'cpuCore', 'cpuServices', 'memoryCore', 'memoryServices'] as const

/** The metrics of a memory storage. */
export function metricsIn (): MetricStore {
  const buckets = new Map<string, MetricBucket>()
  const plus = (one: MetricBucket, other: MetricBucket): MetricBucket =>
    ({ ...one, ...Object.fromEntries(sums.map(sum => [sum, one[sum] + other[sum]])) })
  const between = (resolution: MetricResolution, from: number, to: number): MetricBucket[] => [...buckets.values()]
    .filter(bucket => bucket.resolution === resolution && bucket.start >= from && bucket.start <= to)
    .sort((a, b) => a.start - b.start)

  return {
    async add (added) {
      const wrong = added.find(bucket => !Number.isFinite(bucket.start) || sums.some(sum => !Number.isFinite(bucket[sum])))
      if (wrong !== undefined) throw new RangeError(`A figure of the bucket at ${wrong.start} is no finite number`)
      for (const bucket of added) {
        const key = `${bucket.resolution} ${bucket.start}`
        const before = buckets.get(key)
        buckets.set(key, before === undefined ? { ...bucket } : plus(before, bucket))
      }
    },

    list: async (resolution, from, to) => between(resolution, from, to).map(bucket => ({ ...bucket })),

    async sum (resolution, from, to) {
      const [first, ...rest] = between(resolution, from, to)
      const none = { resolution, start: from, samples: 0, cpuCore: 0, cpuServices: 0, memoryCore: 0, memoryServices: 0 }
      return { ...rest.reduce(plus, first ?? none) }
    },

    async purge (resolution, before) {
      for (const [key, bucket] of buckets) if (bucket.resolution === resolution && bucket.start < before) buckets.delete(key)
    }
  }
}
