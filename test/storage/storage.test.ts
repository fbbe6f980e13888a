/** Both storages pass the suite. */
import { copyFileSync, existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import LibsqlDatabase from 'libsql'
import t, { type Test } from 'tap'
import { storageConformance, type StorageUnderTest } from '../../lib/conformance/index.js'
import { openPostgresStorage } from '../../lib/storage/postgres.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import type { MetricBucket, MetricResolution } from '../../types/storage.js'
import { lacksPostgres, startPostgres, type Postgres } from '../fixtures/postgres.js'
import { newSeed, oneIn, rounds } from '../fixtures/rounds.js'
import { scratch } from '../fixtures/scratch.js'
import { operator, user } from './fixtures.js'

t.setTimeout(rounds(600_000, 1_800_000))

// The suite has listeners that throw, of which our storages warn: that would be thousands of lines.
process.removeAllListeners('warning')
process.on('warning', warning => { if (!warning.message.startsWith("Error: a listener's own mistake")) console.error(warning) })

const defaultPermissions = ['cloud.role.list', 'cloud.ws.logs']

async function sqlite (): Promise<StorageUnderTest> {
  const directory = await mkdtemp(join(scratch, 'fastify-cloud-storage-'))
  const file = join(directory, 'cloud.db')
  const { storage, fail } = await withFaults(async () => await openSqliteStorage({ file, defaultPermissions }))
  const all = [storage]
  return {
    storage,
    fail,
    // What lies on the disk at that moment is what a killed process leaves: its copy is what the next one finds.
    async reopen () {
      const copy = join(directory, 'copy.db')
      for (const ending of ['', '-wal', '.marker']) if (existsSync(file + ending)) copyFileSync(file + ending, copy + ending)
      const again = await openSqliteStorage({ file: copy, defaultPermissions })
      all.push(again)
      return again
    },
    async close () {
      for (const storage of all) await storage.close()
      await rm(directory, { recursive: true })
    }
  }
}

/** A storage over a file, and what fills the disk under it: a commit fails then as SQLite's would. */
async function withFaults<T> (open: () => Promise<T>) {
  let database: LibsqlDatabase.Database | undefined
  const { exec } = LibsqlDatabase.prototype
  LibsqlDatabase.prototype.exec = function (sql: string) {
    database = this as LibsqlDatabase.Database
    return exec.call(this, sql)
  }
  const storage = await open().finally(() => { LibsqlDatabase.prototype.exec = exec })
  const fail = () => {
    database!.exec = function (sql: string) {
      if (sql === 'commit') throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
      return exec.call(this, sql)
    }
    return () => { database!.exec = exec }
  }
  return { storage, fail }
}

async function postgres ({ url, newSchema }: Postgres): Promise<StorageUnderTest> {
  const schema = newSchema()
  const open = async () => await openPostgresStorage({ url, schema, defaultPermissions, connections: 5, timeout: 30_000 })
  const storage = await open()
  const all = [storage]
  return {
    storage,
    async another () {
      const second = await open()
      all.push(second)
      return second
    },
    // What is committed lies with the server, whatever becomes of the process that wrote it.
    async reopen () {
      const again = await open()
      all.push(again)
      return again
    },
    async close () { await Promise.all(all.map(async storage => await storage.close())) }
  }
}

const sequences = { seed: newSeed(), seconds: rounds(1, 3), runs: rounds(15, 1_000) }

t.test('SQLite', async t => {
  await storageConformance({ test: oneIn(6, t, 'one case of six shows what has broken in many'), sequences, create: sqlite })
  await ours(t, sqlite)
})

t.test('PostgreSQL', { skip: lacksPostgres() }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.stop())
  const create = async () => await postgres(server)
  await storageConformance({ test: oneIn(32, t, 'so it is with SQLite', 1), sequences, create })
  await ours(t, create)
})

/** What the contract leaves open and both of our storages do. */
async function ours (t: Test, create: () => Promise<StorageUnderTest>): Promise<void> {
  const open = async (t: Test) => {
    const { storage, close } = await create()
    t.teardown(close)
    return storage
  }
  const bucket = (start: number, value: number, resolution: MetricResolution = 'minute'): MetricBucket => ({
    resolution, start, samples: 1, cpuCore: value, cpuServices: value * 2, memoryCore: value * 4, memoryServices: value * 8
  })

  await t.test('role 0 starts with the defaultPermissions', async t => {
    t.strictSame((await (await open(t)).roles.find(0))?.permissions, defaultPermissions)
  })

  await t.test('a text with NUL cannot be stored', async t => {
    const { users } = await open(t)
    await t.rejects(users.insert(user({ nameKey: 'jim\0rest' }), operator))
    t.equal(await users.findByNameKey('jim'), undefined)
    t.strictSame(await users.list(), [])
  })

  await t.test('a figure that is no number is a RangeError, and what the database refuses takes all buckets back', async t => {
    const { metrics } = await open(t)
    for (const wrong of [NaN, Infinity]) await t.rejects(metrics.add([bucket(1, 1), bucket(2, wrong)]), RangeError)
    // In a later statement than the first thousand.
    const buckets = Array.from({ length: 1_500 }, (_, n) => bucket(n, 1))
    await t.rejects(metrics.add([...buckets, bucket(2_000, 1, null as unknown as MetricResolution)]))
    t.strictSame(await metrics.list('minute', 0, 9_999), [])
  })

  await t.test('metrics are sums: whatever the order and grouping, they agree with plain addition', async t => {
    const { metrics } = await open(t)
    let offset = 0
    const added = fc.array(fc.array(fc.record({ start: fc.integer({ min: 0, max: 3 }), value: fc.integer({ min: 0, max: 1e6 }) }),
      { maxLength: 5 }), { maxLength: 4 })
    await fc.assert(fc.asyncProperty(added, async calls => {
      const base = (offset += 10)
      const model = new Map<number, { samples: number, value: number }>()
      for (const { start, value } of calls.flat()) {
        const { samples, value: before } = model.get(start) ?? { samples: 0, value: 0 }
        model.set(start, { samples: samples + 1, value: before + value })
      }
      await Promise.all(calls.map(call => metrics.add(call.map(({ start, value }) => bucket(base + start, value, 'day')))))
      const expected = [...model].sort(([a], [b]) => a - b)
        .map(([start, { samples, value }]) => ({ ...bucket(base + start, value, 'day'), samples }))
      t.strictSame(await metrics.list('day', base, base + 3), expected)
      const sum = await metrics.sum('day', base, base + 3)
      t.equal(sum.samples, calls.flat().length)
      t.equal(sum.memoryServices, calls.flat().reduce((total, { value }) => total + value * 8, 0))
      t.equal(sum.start, expected[0]?.start ?? base)
    }), { numRuns: 25 })
  })
}
