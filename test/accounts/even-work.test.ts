/** A login takes the same work whoever is named, and hashes made at another cost are renewed (S10). */
import bcrypt from 'bcryptjs'
import t, { type Test } from 'tap'
import type { PasswordPool } from '../../lib/accounts/password-pool.js'
import { doJob } from '../../lib/accounts/password-work.js'
import { createPasswords } from '../../lib/accounts/passwords.js'
import { type TestCloud, adminPassword, build } from '../fixtures/cloud.js'
import { same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const loginThrottle = { perAddress: 100_000, perAddressAndName: 100_000 }
const welcome = { status: 200, message: 'Login successful' }
const wrong = refusal(401, 'Invalid credentials')

const costOf = async ({ storage }: TestCloud, name: string): Promise<number> =>
  bcrypt.getRounds((await storage.users.findByNameKey(name))?.user.passwordHash as string)

/** Adds a user whose hash has that cost, as another setting of the option would have left it. */
async function addUser ({ storage }: TestCloud, name: string, cost: number): Promise<void> {
  await storage.users.insert({
    uuid: name, username: name, nameKey: name, roleId: 0, passwordHash: bcrypt.hashSync(`password of ${name}`, cost), hasChangedPassword: true, createdAt: 1
  }, { by: { kind: 'operator' } })
}

/** A cloud in which users have hashes of other costs from before, and one that starts over the same storage. */
async function mixed (t: Test, passwordCost: number, users: Readonly<Record<string, number>>): Promise<TestCloud> {
  const before = await build(t, { passwordCost: 4 })
  await before.setUp()
  for (const [name, cost] of Object.entries(users)) await addUser(before, name, cost)
  return await build(t, { passwordCost, loginThrottle, storage: before.storage })
}

for (const [name, passwordCost, costs] of [
  ['raised', 8, { low: 5 }],
  ['lowered', 5, { low: 5, high: 8 }]
] as const) {
  t.test(`S10: after passwordCost was ${name} a wrong login is as dear whoever is named`, async t => {
    const { client } = await mixed(t, passwordCost, costs)
    const kinds = [
      { username: 'nobody', password: 'wrong password' },
      { username: 'low', password: 'x'.repeat(100) },
      ...Object.keys(costs).map(username => ({ username, password: 'wrong password' }))
    ]
    /** Milliseconds of CPU: other processes take time from us, and no work. */
    const measure = async (body: object): Promise<number> => {
      const before = process.cpuUsage()
      same(t, await client()('POST', '/auth/login', body), wrong)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1000
    }
    // Uneven work is eight times as much; to the tenth it is counted below.
    const least = kinds.map(() => Infinity)
    const isEven = (): boolean => Math.max(...least) < Math.min(...least) * 1.5
    for (let round = 0; round < 10 && !isEven(); round++) {
      for (const [index, body] of kinds.entries()) least[index] = Math.min(least[index] as number, await measure(body))
    }
    t.ok(isEven(), least.map(ms => `${ms.toFixed(1)} ms`).join(', '))
  })
}

/** Rounds of bcrypt that a task takes. */
async function roundsOf (task: () => Promise<unknown>): Promise<number> {
  const { compareSync, hashSync } = bcrypt
  let rounds = 0
  Object.assign(bcrypt, {
    compareSync: (password: string, hash: string) => {
      rounds += hash.length === 60 ? 2 ** bcrypt.getRounds(hash) : 0
      return compareSync(password, hash)
    },
    hashSync: (password: string, salt: string | number) => {
      rounds += 2 ** (typeof salt === 'number' ? salt : Number(salt.slice(4, 6)))
      return hashSync(password, salt)
    }
  })
  try {
    await task()
    return rounds
  } finally {
    Object.assign(bcrypt, { compareSync, hashSync })
  }
}

t.test('S10: a wrong password takes the same work, to the round, whatever hash it is compared with', async t => {
  const here: PasswordPool = { run: async job => doJob(job) as never, waiting: 0, close: async () => {} }
  for (const passwordCost of [4, 5, 7]) {
    const { compare, know } = createPasswords(here, { passwordCost, minPasswordLength: 8 } as never)
    const hashes = [4, 5, 6, 7].map(cost => bcrypt.hashSync('another password', cost))
    hashes.forEach(know)
    const noHashes = ['', 'x', '$2b$08$', `$2b$07$${'.'.repeat(52)}`, `$2b$03$${'.'.repeat(53)}`, `$2b$99$${'.'.repeat(53)}`, `$1$08$${'.'.repeat(54)}`]
    for (const hash of [undefined, ...noHashes, ...hashes]) {
      for (const password of ['a password', 'x'.repeat(100), 'a\0b', '']) {
        t.equal(await roundsOf(async () => { t.strictSame(await compare(password, hash, 'a'), { matches: false }) }), 2 ** 7, `${passwordCost}: ${hash?.slice(0, 7)}`)
      }
    }
  }
})

t.test('S10: a hash of a higher cost than any that was known is taken into account from then on', async t => {
  const here: PasswordPool = { run: async job => doJob(job) as never, waiting: 0, close: async () => {} }
  const { compare } = createPasswords(here, { passwordCost: 4, minPasswordLength: 8 } as never)
  const nobody = () => roundsOf(() => compare('a password', undefined, 'a'))
  t.equal(await nobody(), 2 ** 4)
  await compare('a password', bcrypt.hashSync('another password', 6), 'a')
  t.equal(await nobody(), 2 ** 6)
})

t.test('S10: a hash of another cost is renewed at the next login, and nothing else changes', async t => {
  const cloud = await mixed(t, 5, { low: 4, same: 5, high: 6 })
  for (const [name, cost] of [['low', 4], ['high', 6]] as const) {
    const user = cloud.client()
    same(t, await cloud.client()('POST', '/auth/login', { username: name, password: 'wrong password' }), wrong)
    t.equal(await costOf(cloud, name), cost, 'not by a wrong password')
    same(t, await user('POST', '/auth/login', { username: name, password: `password of ${name}` }), welcome)
    t.equal(await costOf(cloud, name), 5)
    t.equal((await user('GET', '/user/self')).status, 200)
    same(t, await cloud.client()('POST', '/auth/login', { username: name, password: `password of ${name}` }), welcome)
    t.equal((await user('GET', '/user/self')).status, 200, 'the other session stays')
  }
  const before = (await cloud.storage.users.findByNameKey('same'))?.user.passwordHash
  same(t, await cloud.client()('POST', '/auth/login', { username: 'same', password: 'password of same' }), welcome)
  t.equal((await cloud.storage.users.findByNameKey('same'))?.user.passwordHash, before)
})

t.test('S10: logins at once that all renew the same hash all succeed', async t => {
  const cloud = await mixed(t, 5, { low: 4 })
  const answers = await Promise.all(Array.from({ length: 12 }, () => cloud.client()('POST', '/auth/login', { username: 'low', password: 'password of low' })))
  t.strictSame(answers.map(({ status }) => status), Array(12).fill(200))
  t.equal(await costOf(cloud, 'low'), 5)
})

t.test('S10: a hash that is renewed while the password changes loses', async t => {
  for (let round = 0; round < 4; round++) {
    const before = await build(t, { passwordCost: 4 })
    const root = await before.setUp()
    const cloud = await build(t, { passwordCost: 5, storage: before.storage })
    const late = cloud.client()
    const next = `another password ${round}`
    const [changed, login] = await Promise.all([
      root('PATCH', '/user/self/change-password', { password: next }),
      late('POST', '/auth/login', { username: 'root', password: adminPassword })
    ])
    t.equal(changed.status, 200)
    t.ok([200, 401].includes(login.status))
    if (late.token !== undefined) t.equal((await late('GET', '/user/self')).status, 401)
    t.equal((await cloud.client()('POST', '/auth/login', { username: 'root', password: next })).status, 200)
    t.equal((await cloud.client()('POST', '/auth/login', { username: 'root', password: adminPassword })).status, 401)
  }
})
