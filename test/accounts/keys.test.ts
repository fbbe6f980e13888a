/** API keys as their owners and admins make, list and end them. */
import { createHash } from 'node:crypto'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import t from 'tap'
import { createAddressTest, plainBlock } from '../../lib/addresses.js'
import { userPermissions } from '../../lib/index.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { build, testClock, testStart } from '../fixtures/cloud.js'
import { machine, makeKeyOf } from '../fixtures/keys.js'
import { noContent, refusals, same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const list = ['cloud.service.list']

t.test('POST /user/keys answers 201 with the key, this once; GET /user/keys shows the same without it', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock })
  const owner = await cloud.login([...list, 'cloud.group.list'])
  const expiresAt = testStart + 60_000
  const made = await owner('POST', '/user/keys', {
    label: ' CI of Grüße ', permissions: ['cloud.group.list', ...list, ...list], addresses: ['192.0.2.0/24', '2001:DB8::1', '192.0.2.0/24'], expiresAt
  })
  const { id, key } = made.body.data
  const fields = {
    id, label: 'CI of Grüße', permissions: ['cloud.group.list', ...list], addresses: ['192.0.2.0/24', '2001:db8::1'], expiresAt, createdAt: testStart
  }
  same(t, made, { status: 201, data: { ...fields, key } })
  same(t, await owner('GET', '/user/keys'), { status: 200, data: [{ ...fields, lastUsedAt: null }] })
  const plain = await owner('POST', '/user/keys', { label: 'plain', permissions: [] })
  t.match(plain.body.data, { permissions: [], addresses: [], expiresAt: null })
  const other = await cloud.login([])
  same(t, await other('GET', '/user/keys'), { status: 200, data: [] })
})

t.test('A key is fc_<id>_<secret>: 32 characters of secret and a checksum that a scanner can verify; no two are alike', async t => {
  const cloud = await build(t)
  const owner = await cloud.login(list)
  const made = await Promise.all(Array.from({ length: 20 }, async () => await makeKeyOf(owner, list)))
  for (const { id, key } of made) {
    const [, name, whole = ''] = /^fc_([0-9A-Za-z]{12})_([0-9A-Za-z]{38})$/.exec(key) ?? []
    t.equal(name, id)
    const sum = [...whole.slice(32)].reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0)
    t.equal(sum, crc32(key.slice(0, -6)))
  }
  t.equal(new Set(made.map(({ key }) => key.slice(16, 48))).size, 20)
})

t.test('Only the SHA-256 of a key is stored', async t => {
  const directory = t.testdir()
  const file = join(directory, 'cloud.db')
  const storage = await openSqliteStorage({ file, defaultPermissions: userPermissions() })
  const cloud = await build(t, { storage })
  const owner = await cloud.login(list)
  const { id, key } = await makeKeyOf(owner, list)
  t.equal((await storage.keys.find(id))?.key.hash, createHash('sha256').update(key).digest('hex'))
  t.equal((await machine(cloud, key)('GET', '/services/list')).status, 200)
  await cloud.app.close()
  await storage.close()
  const secret = key.slice(16, 48)
  for (const name of readdirSync(directory)) t.notOk(readFileSync(join(directory, name), 'latin1').includes(secret), name)
})

t.test('What cannot be made', async t => {
  const clock = testClock()
  const cloud = await build(t, { clock })
  const root = await cloud.setUp()
  const owner = await cloud.login(list)
  const make = (fields: object, message: string, status = 400, when = JSON.stringify(fields).slice(0, 60)) =>
    ({ method: 'POST', endpoint: '/user/keys', body: { label: 'bot', permissions: list, ...fields }, status, message, when })
  const invalidAddresses = ['', 'localhost', '192.0.2.256', '192.0.2.0/33', '192.0.2.0/-1', '192.0.2.0/08', '192.0.2.0/', '192.0.2.1/24', '2001:db8::/129', '2001:db8::1/64', '::ffff:192.0.2.0/95', '192.0.2.1:80', 'fe80::1%eth0', '*']
  await refusals(t, owner, [
    make({ label: undefined }, 'Key label is required'),
    make({ label: '  ' }, 'Key label is required'),
    make({ label: 5, permissions: 5 }, 'Key label is required'),
    make({ label: 'x'.repeat(65) }, 'Key label is invalid'),
    make({ label: 'a\u202eb' }, 'Key label is invalid'),
    make({ permissions: undefined }, 'Key permissions is required'),
    make({ permissions: 'cloud.service.list' }, 'Key permissions is required'),
    make({ permissions: ['Cloud.x'], addresses: 5 }, 'Key permissions is invalid'),
    make({ permissions: [5] }, 'Key permissions is invalid'),
    make({ permissions: Array.from({ length: 1_001 }, (_, n) => `a.b${n}`) }, 'Key permissions is invalid'),
    make({ permissions: [`a.${'b'.repeat(255)}`] }, 'Key permissions is invalid'),
    make({ addresses: '192.0.2.1', expiresAt: 'x' }, 'Key addresses is invalid'),
    ...invalidAddresses.map(address => make({ addresses: ['192.0.2.1', address], expiresAt: 1 }, 'Key addresses is invalid', 400, address)),
    make({ addresses: Array.from({ length: 101 }, (_, n) => `192.0.2.${n}`) }, 'Key addresses is invalid'),
    ...['5', null, 1.5, testStart, testStart - 1, 0, -1, 8_640_000_000_000_001, Number.MAX_SAFE_INTEGER].map(expiresAt => make({ expiresAt }, 'Key expiresAt is invalid')),
    make({ permissions: ['*'] }, 'You cannot assign * permission', 403),
    make({ permissions: ['*'], expiresAt: 1 }, 'Key expiresAt is invalid'),
    make({ permissions: ['*', 'cloud.group.list'] }, 'You cannot assign * permission', 403),
    make({ permissions: [...list, 'cloud.group.list'] }, 'You cannot assign a permission you do not hold', 403)
  ])
  await refusals(t, root, [make({ permissions: ['*'] }, 'You cannot assign * permission', 403, 'for admins too')])
  same(t, await owner('GET', '/user/keys'), { status: 200, data: [] })
  t.equal((await root('POST', '/user/keys', { label: 'any', permissions: ['mycore.anything'] })).status, 201, 'an admin holds everything')
  t.equal((await root('POST', '/user/keys', { label: 'far', permissions: list, expiresAt: 8_640_000_000_000_000 })).status, 201, 'the last millisecond that is a date')
})

t.test('A user has at most keysPerUser keys: 409, also where many are made at once; one that has ended makes room', async t => {
  const cloud = await build(t, { keysPerUser: 3 })
  const owner = await cloud.login(list)
  const answers = await Promise.all(Array.from({ length: 6 }, async () => await owner('POST', '/user/keys', { label: 'bot', permissions: list })))
  t.strictSame(answers.map(({ status }) => status).sort(), [201, 201, 201, 409, 409, 409])
  same(t, answers.find(({ status }) => status === 409)!, refusal(409, 'Too many keys'))
  noContent(t, await owner('DELETE', `/user/key/${answers.find(({ status }) => status === 201)?.body.data.id}`))
  await makeKeyOf(owner, list)
  const other = await cloud.login(list)
  await makeKeyOf(other, list)
})

t.test('DELETE /user/key/{id} is for the owner, GET /keys/ and DELETE /key/{id} are for admins', async t => {
  const cloud = await build(t, { clock: testClock() })
  const root = await cloud.setUp()
  const [ann, bob] = [await cloud.login(list, 'ann'), await cloud.login(list, 'bob')]
  const [hers, his] = [await makeKeyOf(ann, list, { label: 'hers' }), await makeKeyOf(bob, [], { label: 'his' })]
  const notFound = refusal(404, 'Key not found')
  same(t, await bob('DELETE', `/user/key/${hers.id}`), notFound, 'the key of somebody else is not found')
  same(t, await root('DELETE', `/user/key/${hers.id}`), notFound, 'for an admin neither')
  for (const id of ['none', hers.key, `${hers.id}%00`]) same(t, await root('DELETE', `/key/${id}`), notFound)
  for (const [method, path] of [['GET', '/keys/'], ['DELETE', `/key/${hers.id}`]] as const) same(t, await bob(method, path), refusal(403, 'Forbidden'))
  const shown = { addresses: [], expiresAt: null, createdAt: testStart, lastUsedAt: null }
  const all = (await root('GET', '/keys/')).body.data.toSorted((a: any, b: any) => a.label.localeCompare(b.label))
  t.strictSame(all, [
    { ...shown, id: hers.id, label: 'hers', permissions: list, user: { uuid: ann.uuid, username: 'ann' } },
    { ...shown, id: his.id, label: 'his', permissions: [], user: { uuid: bob.uuid, username: 'bob' } }
  ])
  noContent(t, await ann('DELETE', `/user/key/${hers.id}`))
  same(t, await ann('DELETE', `/user/key/${hers.id}`), notFound)
  noContent(t, await root('DELETE', `/key/${his.id}`))
  t.strictSame((await root('GET', '/keys/')).body.data, [])
  t.strictSame((await bob('GET', '/user/keys')).body.data, [])
})

t.test('lastUsedAt is when the key was last used, and is written down at the end, not at each use', async t => {
  const clock = testClock()
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(() => storage.close())
  let written = 0
  const counting = { ...storage, keys: { ...storage.keys, touch: async (uses: Parameters<typeof storage.keys.touch>[0]) => { written++; await storage.keys.touch(uses) } } }
  const cloud = await build(t, { clock, storage: counting })
  const owner = await cloud.login(list)
  const { id, key } = await makeKeyOf(owner, list)
  const bot = machine(cloud, key)
  for (let n = 0; n < 20; n++) {
    clock.advance(1_000)
    await bot('GET', '/services/list')
  }
  t.equal((await owner('GET', '/user/keys')).body.data[0].lastUsedAt, testStart + 20_000)
  t.equal((await (await cloud.setUp())('GET', '/keys/')).body.data[0].lastUsedAt, testStart + 20_000)
  t.equal(written, 0)
  await cloud.app.close()
  t.ok(written <= 2)
  t.equal((await storage.keys.find(id))?.key.lastUsedAt, testStart + 20_000)
})

t.test('An address is in a block exactly where its first bits are those of the block', async t => {
  t.strictSame(['192.0.2.7', '192.0.2.0/24', '192.0.2.7/32', '0.0.0.0/0', '::/0', '2001:DB8:0:0::/64', '2001:db8::1/128', '::ffff:192.0.2.7', '::ffff:192.0.2.0/120'].map(plainBlock),
    ['192.0.2.7', '192.0.2.0/24', '192.0.2.7', '0.0.0.0/0', '::/0', '2001:db8::/64', '2001:db8::1', '192.0.2.7', '192.0.2.0/24'])
  const text = (value: number): string => [24, 16, 8, 0].map(shift => (value >>> shift) & 255).join('.')
  const word = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  fc.assert(fc.property(word, word, fc.integer({ min: 0, max: 32 }), fc.integer({ min: 0, max: 31 }), (network, other, bits, flip) => {
    const mask = bits === 0 ? 0 : (-1 << (32 - bits)) >>> 0
    const isIn = createAddressTest(['2001:db8::/32', `${text((network & mask) >>> 0)}/${bits}`])
    for (const address of [network, other, (network ^ (1 << flip)) >>> 0]) {
      const wanted = ((address ^ network) & mask) === 0
      if (isIn(text(address)) !== wanted) return false
    }
    return true
  }), { seed: 7 })
  const isIn = createAddressTest(['2001:db8:0:8000::/49', '::1'])
  t.strictSame(['2001:db8:0:8000::', '2001:db8:0:ffff::1', '2001:db8:0:7fff::1', '::1', '::2', '0.0.0.1', '', 'unix'].map(isIn),
    [true, true, false, true, false, false, false, false])
  t.equal(createAddressTest(['::/0'])('192.0.2.1'), false)
})
