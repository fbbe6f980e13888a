/** Samples the runtime, keeps the sums, and answers the past. */
import type { FastifyBaseLogger } from 'fastify'
import type { AverageUsage, HistoryPoint } from '../../types/resources.js'
import type { MetricSample } from '../../types/runtime.js'
import type { MetricResolution, MetricStore } from '../../types/storage.js'
import type { Clock } from '../../types/options.js'
import { type Span, averageOf, bucketsOf, horizons, pointOf, resolutions } from './buckets.js'

export interface History {
  /** Takes one sample and stores it. */
  record (): Promise<void>
  /** Forgets what is older than is kept. */
  purge (): Promise<void>
  /** Buckets that start within the range and have samples, ascending. */
  points (resolution: MetricResolution, range: Span): Promise<readonly HistoryPoint[]>
  /** The average over the buckets that start within the range, from the finest that are kept for each part of it. */
  average (range: Span): Promise<AverageUsage>
}

export function createHistory (
  store: MetricStore,
  sample: () => Promise<MetricSample>,
  /** Days that each resolution is kept. */
  kept: Readonly<Record<MetricResolution, number>>,
  clock: Clock,
  log: FastifyBaseLogger
): History {
  return {
    record: async () => {
      try {
        const taken = await sample()
        await store.add(bucketsOf(taken, clock.now()))
      } catch (error) {
        log.warn({ err: error }, 'A sample of the metrics is missing')
      }
    },

    purge: async () => {
      const since = horizons(clock.now(), kept)
      for (const resolution of resolutions) await store.purge(resolution, since[resolution])
    },

    points: async (resolution, { from, to }) => (await store.list(resolution, from, to)).map(pointOf),

    average: async range => {
      const { from, to } = range
      const since = horizons(clock.now(), kept)
      return averageOf([
        await store.sum('day', from, Math.min(to, since.hour - 1)),
        await store.sum('hour', Math.max(from, since.hour), Math.min(to, since.minute - 1)),
        await store.sum('minute', Math.max(from, since.minute), to)
      ], range)
    }
  }
}
