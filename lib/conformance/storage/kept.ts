/** Every field of every kind of row, with values that are easily changed on their way: what was written is answered again. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { CloudStorage, MetricBucket, StoredAuditEntry, StoredKey, StoredSession, StoredUser } from '../../../types/storage.js'
import { same } from '../suite.js'
import { spoiling } from './caller.js'
import { key as keyOf } from './keys.js'
import { pick, resolutions } from './picks.js'
import { operator, role, session as sessionOf, user as userOf, withUser } from './rows.js'
import type { StorageCases, StorageUnderTest } from './under-test.js'

const LONGEST_ADDRESS = 'fe80:1111:2222:3333:4444:5555:255.255.255.255%a-zone-of-an-interface'
/** In no order, and with what they hold twice. */
const lists: ReadonlyArray<readonly string[]> = [[], [''], ['b', 'a', 'b'], ['z', 'A', 'a', 'Z', 'a'], ['10', '9', '10'], ['a,b', 'a b', 'a;b', 'a|b', '["a"]', 'a\nb'], Array.from({ length: 300 }, (_, n) => `a.${n * 7 % 300}`)]
const networks: ReadonlyArray<readonly string[]> = [['2001:db8::/32', '192.0.2.0/24', '2001:db8::/32'], ['9.0.0.0/8', '10.0.0.0/8'], ['::ffff:192.0.2.0/120', '192.0.2.1/24'], [LONGEST_ADDRESS]]
const times = [0, 1, 2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 1_760_000_000_001, Number.MAX_SAFE_INTEGER]

/** A row with one value after another in each field. */
const varied = <T extends object>(make: () => T, fields: { readonly [K in keyof T]?: readonly unknown[] }): readonly T[] =>
  Object.entries(fields).flatMap(([field, values]) => (values as readonly unknown[]).map(value => ({ ...make(), [field]: value } as T)))

const entryOf = (): StoredAuditEntry => ({
  id: randomUUID(), at: 5, action: 'role.created', user: { uuid: 'a uuid', username: 'Jane' }, key: null, address: '192.0.2.7', target: null, outcome: 'done', detail: {}
})
/** Entries of every kind. */
export const entriesOf = (): readonly StoredAuditEntry[] => varied<StoredAuditEntry>(entryOf, {
  at: times,
  action: ['', 'x'.repeat(300)],
  user: [null, { uuid: '', username: '' }, { uuid: 'u', username: 'ünïcödé "quoted"' }],
  key: ['', 'a key'],
  address: ['', '2001:0db8:0000:0000:0000:0000:0000:0001', '::ffff:192.0.2.1', LONGEST_ADDRESS],
  target: ['', '0', 'null', 'x'.repeat(300)],
  outcome: ['', 'refused'],
  detail: [
    { nothing: null, none: [], empty: {}, blank: '', zero: 0, no: false }, { list: ['b', null, 'a', 'b'], deep: { list: [{ of: null }, 0, ''] } },
    { big: Number.MAX_SAFE_INTEGER, small: 1e-7, fraction: 0.1, below: -1 }, { '': 1, 'with.dot': 2, 'with "quote"': 3, ünïcödé: 'é' }, { long: 'x'.repeat(70_000) }
  ]
})

const figures = ['cpuCore', 'cpuServices', 'memoryCore', 'memoryServices'] as const
/** Buckets of every kind, each of a start of its own. */
export const bucketsOf = (): readonly MetricBucket[] => [...figures.flatMap(figure => [0.1, 1 / 3, 1e-9, 123_456_789.012_345_6, 16_777_217, 2 ** 53 - 1].map(value => [figure, value] as const)),
  ...[0, 1, 2 ** 31, 2 ** 40 + 1].map(value => ['samples', value] as const)]
  .map(([figure, value], n) => ({ resolution: pick(resolutions, n), start: 60_000 * n, samples: 1, cpuCore: 0, cpuServices: 0, memoryCore: 0, memoryServices: 0, [figure]: value }))

/** Sessions of every kind of that user. */
export const sessionsOf = (owner: StoredUser): readonly StoredSession[] => varied<StoredSession>(() => sessionOf(owner), {
  permissions: lists, ip: ['', '::ffff:192.0.2.1', '192.000.002.001', LONGEST_ADDRESS], userAgent: ['', 'x'.repeat(2_000)], createdAt: times, expiresAt: times.slice(1), lastActivity: times
})

/** Keys of every kind of that user. */
export const keysOf = (owner: StoredUser): readonly StoredKey[] => varied<StoredKey>(() => keyOf(owner), {
  label: ['', 'x'.repeat(300)], permissions: lists, addresses: [...lists, ...networks], createdAt: times, expiresAt: [null, ...times.slice(1)], lastUsedAt: [null, ...times]
})

/** Rows of one kind: how they are written, and all ways in which they can be read. */
interface Kind {
  readonly name: string
  /** Writes the rows and answers how they are read now, each reading with what it has to show. */
  write (storage: CloudStorage): Promise<ReadonlyArray<readonly [read: string, expected: unknown, run: (storage: CloudStorage) => Promise<unknown>]>>
}

const kinds: readonly Kind[] = [
  {
    name: 'users',
    async write (storage) {
      const rows = varied<StoredUser>(() => userOf({ roleId: 0 }), { createdAt: times, hasChangedPassword: [true, false], roleId: [-1, 0] })
      for (const row of rows) assert.equal(await storage.users.insert(row, operator), 'done')
      return rows.flatMap(row => [
        ['users.find', row, async ({ users }: CloudStorage) => (await users.find(row.uuid))?.user] as const,
        ['users.findByNameKey', row, async ({ users }: CloudStorage) => (await users.findByNameKey(row.nameKey))?.user] as const,
        ['users.list', row, async ({ users }: CloudStorage) => (await users.list()).find(({ user }) => user.uuid === row.uuid)?.user] as const
      ])
    }
  },
  {
    name: 'roles',
    async write (storage) {
      const made = []
      for (const permissions of lists) {
        const inserted = await storage.roles.insert({ ...role(randomUUID()), permissions }, operator)
        assert.ok(typeof inserted === 'object')
        same(inserted.permissions, permissions, 'roles.insert must answer the permissions as they were given')
        const other = await storage.roles.insert(role(randomUUID()), operator)
        assert.ok(typeof other === 'object')
        const updated = await storage.roles.update({ ...other, permissions }, operator)
        assert.ok(typeof updated === 'object')
        same(updated.permissions, permissions, 'roles.update must answer the permissions as they were given')
        made.push(inserted, updated)
      }
      for (const id of [-1, 0]) {
        const given = await storage.roles.find(id)
        assert.ok(given !== undefined)
        const updated = await storage.roles.update({ ...given, label: `Other ${id}`, labelKey: `other ${id}`, hexColor: '#123456', permissions: ['b', 'a', 'b'] }, operator)
        assert.ok(typeof updated === 'object')
        made.push(updated)
      }
      return made.flatMap(row => [
        ['roles.find', row, async ({ roles }: CloudStorage) => await roles.find(row.id)] as const,
        ['roles.list', row, async ({ roles }: CloudStorage) => (await roles.list()).find(({ role }) => role.id === row.id)?.role] as const
      ])
    }
  },
  {
    name: 'sessions',
    async write (storage) {
      const jane = await withUser(storage)
      const rows = sessionsOf(jane)
      for (const row of rows) assert.equal(await storage.sessions.insert(row, { keep: 99, passwordHash: jane.passwordHash }), 'done')
      return rows.flatMap(row => [
        ['sessions.find', row, async ({ sessions }: CloudStorage) => (await sessions.find(row.id))?.session] as const,
        ['sessions.list', row, async ({ sessions }: CloudStorage) => (await sessions.list(jane.uuid, 0)).find(({ id }) => id === row.id)] as const
      ])
    }
  },
  {
    name: 'keys',
    async write (storage) {
      const jane = await withUser(storage)
      const rows = keysOf(jane)
      for (const row of rows) assert.equal(await storage.keys.insert(row, { most: 99, ...operator }), 'done')
      return rows.flatMap(row => [
        ['keys.find', row, async ({ keys }: CloudStorage) => (await keys.find(row.id))?.key] as const,
        ['keys.list', row, async ({ keys }: CloudStorage) => (await keys.list(jane.uuid, 0)).find(({ id }) => id === row.id)] as const,
        ['keys.listAll', row, async ({ keys }: CloudStorage) => (await keys.listAll(0)).find(({ key }) => key.id === row.id)?.key] as const
      ])
    }
  },
  {
    name: 'entries of the audit',
    async write (storage) {
      const entries = entriesOf()
      await storage.audit.insert(entries)
      const brought = entries.map(entry => ({ ...entry, id: randomUUID() }))
      for (const entry of brought) assert.equal(await storage.users.insert(userOf(), { ...operator, entry }), 'done')
      return [...entries, ...brought].map(row => ['audit.list', row, async ({ audit }: CloudStorage) =>
        (await audit.list({ from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 1_000 })).entries.find(({ id }) => id === row.id)] as const)
    }
  },
  {
    name: 'metrics',
    async write (storage) {
      const buckets = bucketsOf()
      await storage.metrics.add(buckets)
      return buckets.flatMap(row => [
        ['metrics.list', row, async ({ metrics }: CloudStorage) => (await metrics.list(row.resolution, row.start, row.start))[0]] as const,
        ['metrics.sum', row, async ({ metrics }: CloudStorage) => await metrics.sum(row.resolution, row.start, row.start)] as const
      ])
    }
  }
]

/** Reads are as good as one for many rows of a kind; each is compared with what was written. */
async function readAll (storage: CloudStorage, reads: Awaited<ReturnType<Kind['write']>>, when: string): Promise<void> {
  for (const [read, expected, run] of reads) same(await run(storage), expected, `${read} must answer what was written as it was given, ${when}`)
}

/** What is written is answered again, field by field; after a new start as well, where the author can have one. */
export const kept: StorageCases = async add => {
  for (const { name, write } of kinds) {
    await add(`${name}: every field is answered as it was given, and after a new start`, async (subject: StorageUnderTest) => {
      await withUser(subject.storage)
      const reads = await write(spoiling(subject.storage))
      await readAll(subject.storage, reads, 'straight after the write')
      if (subject.reopen !== undefined) await readAll(await subject.reopen(), reads, 'after a new start')
    })
  }

  await add('metrics.add throws, and stores nothing, for whatever figure is no finite number', async ({ storage: { metrics } }) => {
    const right: MetricBucket = { resolution: 'day', start: 1, samples: 1, cpuCore: 1, cpuServices: 1, memoryCore: 1, memoryServices: 1 }
    for (const figure of ['start', 'samples', ...figures]) {
      for (const wrong of [NaN, Infinity, -Infinity]) {
        for (const buckets of [[right, { ...right, start: 2, [figure]: wrong }], [{ ...right, [figure]: wrong }]]) {
          await assert.rejects(async () => { await metrics.add(buckets) }, `metrics.add must throw for ${figure}: ${wrong}`)
        }
      }
    }
    same(await metrics.list('day', -Infinity, Infinity), [])
  })
}
