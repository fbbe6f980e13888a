/** The stored metrics. */
import type { MetricBucket, MetricResolution, MetricStore } from '../../types/storage.js'
import type { Dialect } from './dialect.js'
import type { MetricTable } from './schema.js'

const sums = ['samples', 'cpu_core', 'cpu_services', 'memory_core', 'memory_services'] as const

/** The start of a bucket and its sums, in the order of `sums`. */
type BucketRow = readonly [
  start: number, samples: number, cpuCore: number, cpuServices: number, memoryCore: number, memoryServices: number
]

// Seven parameters each, and SQLite takes 32,766 in a statement.
const bucketsAtOnce = 1_000

/** Makes the store of the metrics. */
export function createMetricStore (dialect: Dialect): MetricStore {
  const { db } = dialect

  // A year has many rows.
  const findRows = dialect.prepareRows<BucketRow>(db.selectFrom('cloud_metrics').select(['start_at', ...sums])
    .where('resolution', '=', 'day').where('start_at', '>=', 0).where('start_at', '<=', 0)
    .orderBy('start_at')
    .compile())

  return {
    async add (buckets) {
      const rows = merge(buckets)
      if (rows.length === 0) return
      await dialect.transaction(async trx => {
        for (let from = 0; from < rows.length; from += bucketsAtOnce) {
          await trx.insertInto('cloud_metrics').values(rows.slice(from, from + bucketsAtOnce))
            .onConflict(conflict => conflict.columns(['resolution', 'start_at']).doUpdateSet(eb => Object.fromEntries(
              sums.map(sum => [sum, eb(eb.ref(`cloud_metrics.${sum}`), '+', eb.ref(`excluded.${sum}`))]))))
            .execute()
        }
      })
    },

    async list (resolution, from, to) {
      const rows = await findRows([resolution, time(from), time(to)])
      return rows.map(([start, samples, cpuCore, cpuServices, memoryCore, memoryServices]) =>
        ({ resolution, start, samples, cpuCore, cpuServices, memoryCore, memoryServices }))
    },

    async sum (resolution, from, to) {
      const row = await db.selectFrom('cloud_metrics')
        .select(eb => [
          eb.fn.coalesce(eb.fn.min<number | null>('start_at'), eb.cast<number>(eb.val(time(from)), 'bigint')).as('start_at'),
          // A sum of PostgreSQL's bigint is numeric, which comes as text.
          eb.cast<number>(eb.fn.coalesce(eb.fn.sum('samples'), eb.lit(0)), 'bigint').as('samples'),
          eb.fn.coalesce(eb.fn.sum<number>('cpu_core'), eb.lit(0)).as('cpu_core'),
          eb.fn.coalesce(eb.fn.sum<number>('cpu_services'), eb.lit(0)).as('cpu_services'),
          eb.fn.coalesce(eb.fn.sum<number>('memory_core'), eb.lit(0)).as('memory_core'),
          eb.fn.coalesce(eb.fn.sum<number>('memory_services'), eb.lit(0)).as('memory_services')
        ])
        .where('resolution', '=', resolution).where('start_at', '>=', time(from)).where('start_at', '<=', time(to))
        .executeTakeFirstOrThrow()
      return toBucket(resolution, row)
    },

    async purge (resolution, before) {
      await dialect.transaction(trx => trx.deleteFrom('cloud_metrics')
        .where('resolution', '=', resolution).where('start_at', '<', time(before)).execute())
    }
  }
}

/**
 * One row a bucket, because PostgreSQL refuses to touch a row twice in one statement; in one order everywhere, so that
 * two processes that add to the same buckets never wait for each other in a circle.
 */
function merge (buckets: readonly MetricBucket[]): MetricTable[] {
  const rows = new Map<string, MetricTable>()
  for (const bucket of buckets) {
    const row = toRow(bucket)
    for (const figure of ['start_at', ...sums] as const) {
      // PostgreSQL stores NaN, and every sum with it is NaN from then on.
      if (!Number.isFinite(row[figure])) throw new RangeError(`A metric bucket's ${figure} must be a number, not ${row[figure]}`)
    }
    const key = `${row.resolution} ${row.start_at}`
    const before = rows.get(key)
    if (before === undefined) rows.set(key, row)
    else for (const sum of sums) before[sum] += row[sum]
  }
  return [...rows.values()].sort((a, b) => a.start_at - b.start_at || (a.resolution < b.resolution ? -1 : 1))
}

/** A client's range may reach beyond what a database holds as a time. */
const time = (ms: number): number => Math.min(Math.max(ms, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)

const toRow = (bucket: MetricBucket): MetricTable => ({
  resolution: bucket.resolution,
  start_at: bucket.start,
  samples: bucket.samples,
  cpu_core: bucket.cpuCore,
  cpu_services: bucket.cpuServices,
  memory_core: bucket.memoryCore,
  memory_services: bucket.memoryServices
})

const toBucket = (resolution: MetricResolution, row: Omit<MetricTable, 'resolution'>): MetricBucket => ({
  resolution,
  start: row.start_at,
  samples: row.samples,
  cpuCore: row.cpu_core,
  cpuServices: row.cpu_services,
  memoryCore: row.memory_core,
  memoryServices: row.memory_services
})
