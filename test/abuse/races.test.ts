/** Requests that come at the same moment, again and again. */
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { type Answer, type Client, type TestCloud, build } from '../fixtures/cloud.js'
import { rounds } from '../fixtures/rounds.js'

t.setTimeout(600_000)

const times = rounds(5, 100)
const many = <T>(count: number, make: (n: number) => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: count }, (_, n) => make(n)))
const open = (t: Test): Promise<TestCloud> => build(t, { loginThrottle: { perAddress: 1e9, perAddressAndName: 1e9 } })

/** How often each answer came. */
function tally (answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, body } of answers) {
    const name = `${status} ${body.message ?? ''}`.trim()
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

t.test(`case 98: of 20 first setups at once exactly one succeeds, ${times} times`, async t => {
  const { client, storage } = await open(t)
  for (let round = 0; round < times; round++) {
    const clients = Array.from({ length: 20 }, client)
    const answers = await many(20, n => (clients[n] as Client)('POST', '/user/self', { username: `name ${n}`, password: 'long enough' }))
    t.strictSame(tally(answers), { '201 User created successfully': 1, '400 A user already exists': 19 })
    t.equal(await storage.users.count(), 1)
    t.equal(answers.filter(({ cookie }) => cookie !== undefined).length, 1)
    // The only user may go, and the first setup is open again.
    const winner = clients.find(({ token }) => token !== undefined) as Client
    t.equal((await winner('DELETE', '/user/self')).status, 204)
  }
})

t.test(`case 99: of 50 at once that want one name exactly one gets it, ${times} times`, async t => {
  const { setUp, storage, runtime } = await open(t)
  const root = await setUp()
  for (let round = 0; round < times; round++) {
    const spellings = [`name ${round}`, `NAME ${round}`, `ｎａｍｅ ${round}`]
    const roles = await many(50, n => root('POST', '/role/', { label: spellings[n % 3], hexColor: '#FFF' }))
    t.strictSame(Object.entries(tally(roles)), [['201', 1], ['400 Role already exists', 49]])
    const [made] = roles.filter(({ status }) => status === 201)
    await root('DELETE', `/role/${made?.body.data.id}`)

    const group = {
      minMemory: 1, maxMemory: 2, minOnlineService: 0, maxOnlineService: 1, platform: { name: 'limbo', version: 'latest' }, percentageToStartNewService: 0, properties: {}
    }
    const groups = await many(50, n => root('POST', '/group/create', { name: n % 2 === 0 ? `group${round}` : `GROUP${round}`, ...group }))
    t.strictSame(tally(groups), { '201 Group created successfully': 1, '409 Group already exists': 49 })
    runtime.given.groups.pop()

    if (round % 5 > 0) continue
    const users = await many(50, n => root('POST', '/user/', { username: spellings[n % 3] }))
    t.strictSame(tally(users), { '201 User created successfully': 1, '400 Username already exists': 49 })
  }
  t.equal(await storage.users.count(), 1 + times / 5)
})

t.test(`case 100: a role that is deleted while it is given to somebody never dangles, ${times} times`, async t => {
  const { setUp, storage } = await open(t)
  const root = await setUp()
  await root('POST', '/user/', { username: 'jane' })
  const uuid = (await storage.users.findByNameKey('jane'))?.user.uuid as string
  const seen = new Set<string>()
  for (let round = 0; round < times; round++) {
    const { id } = (await root('POST', '/role/', { label: 'r', hexColor: '#FFF' })).body.data
    const deletion = async () => {
      // A body takes some turns to arrive; so that either may be first, the other waits for as many.
      for (let wait = 0; wait < round % 8; wait++) await turn()
      return await root('DELETE', `/role/${id}`)
    }
    const statuses = (await Promise.all([deletion(), root('PATCH', '/user/edit', { uuid, roleId: id })])).map(({ status }) => status)
    const jane = await storage.users.find(uuid)
    const role = await storage.roles.find(id)
    t.equal(jane?.role.id === id, role !== undefined, 'the role is there exactly when somebody holds it')
    seen.add([...statuses].sort().join())
    t.ok(['201,404', '204,404'].includes([...statuses].sort().join()), statuses.join())
    await root('PATCH', '/user/edit', { uuid, roleId: 0 })
    await root('DELETE', `/role/${id}`)
  }
  t.equal(seen.size, 2, 'either order happened')
})

t.test(`case 101: two admins who remove each other at once leave one, ${times} times`, async t => {
  const { setUp, client, storage } = await open(t)
  let keeper = await setUp()
  // Nobody is the only user, who may go.
  await keeper('POST', '/user/', { username: 'bystander' })
  const { user: bystander } = await storage.users.findByNameKey('bystander') as { user: { uuid: string } }
  for (let round = 0; round < times; round++) {
    const username = `rival ${round}`
    const { password } = (await keeper('POST', '/user/', { username, roleId: -1 })).body.data
    const rival = client()
    await rival('POST', '/auth/login', { username, password })
    await rival('PATCH', '/user/self/change-password', { password: 'a password' })
    const [one, other] = [keeper, rival]
    const uuids = await Promise.all([one, other].map(async each => (await each('GET', '/user/self')).body.data.uuid as string))
    const ways: ReadonlyArray<(by: Client, own: string, victim: string) => Promise<Answer>> = [
      (by, _own, victim) => by('DELETE', `/user/${victim}`),
      (by, _own, victim) => by('PATCH', '/user/edit', { uuid: victim, roleId: 0 }),
      by => by('DELETE', '/user/self'),
      (by, own) => by('PATCH', '/user/edit', { uuid: own, roleId: 0 })
    ]
    const way = (n: number) => ways[(round + n) % ways.length] as typeof ways[number]
    await Promise.all([
      way(0)(one, uuids[0] as string, uuids[1] as string),
      way(Math.floor(round / ways.length))(other, uuids[1] as string, uuids[0] as string)
    ])
    const left = await storage.users.list()
    const admins = left.filter(({ role }) => role.id === -1).map(({ user }) => user.uuid)
    if (!t.ok(admins.length >= 1, `${admins.length} admins of ${left.length} users`)) return
    keeper = admins.includes(uuids[0] as string) ? one : other
    for (const { user } of left) if (user.uuid !== admins[0] && user.uuid !== bystander.uuid) await keeper('DELETE', `/user/${user.uuid}`)
    t.equal((await keeper('GET', '/users/')).body.data.length, 2)
  }
})

t.test(`case 102: after the answer to a logout every request is 401, and noting its activity brings nothing back, ${times} times`, async t => {
  const { setUp, client, storage, app } = await open(t)
  const root = await setUp()
  const { password } = (await root('POST', '/user/', { username: 'jane' })).body.data
  const jane = client()
  await jane('POST', '/auth/login', { username: 'jane', password })
  await jane('PATCH', '/user/self/change-password', { password: 'a password' })
  for (let round = 0; round < times; round++) {
    const one = client()
    await one('POST', '/auth/login', { username: 'jane', password: 'a password' })
    const token = one.token as string
    const { jti } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
    const stolen = client()
    const ask = async (): Promise<number> => {
      stolen.token = token
      return (await stolen('GET', '/user/self')).status
    }
    const during = many(25, ask)
    const out = one('POST', '/auth/logout').then(async ({ status }) => ({ status, after: await many(25, ask) }))
    const [statuses, { status, after }] = await Promise.all([during, out])
    t.equal(status, 200)
    t.strictSame(statuses.filter(each => each !== 200 && each !== 401), [])
    t.strictSame(new Set(after), new Set([401]))
    await storage.sessions.touch([{ id: jti, lastActivity: Date.now() + 1 }])
    t.equal(await storage.sessions.find(jti), undefined)
    t.equal(await ask(), 401)
  }
  // Closing writes down what was noted of all those sessions.
  await app.close()
  t.equal((await storage.users.list()).length, 2)
  for (const { user } of await storage.users.list()) {
    t.equal((await storage.sessions.list(user.uuid, 0)).length, 1)
  }
})

t.test(`a password that is changed while its owner logs in leaves no session of the old one, ${times / 2} times`, async t => {
  const { setUp, client, storage } = await open(t)
  const root = await setUp()
  const { password } = (await root('POST', '/user/', { username: 'jane' })).body.data
  const jane = client()
  await jane('POST', '/auth/login', { username: 'jane', password })
  let old = password as string
  for (let round = 0; round < times / 2; round++) {
    const late = client()
    const next = `password ${round}`
    await Promise.all([
      jane('PATCH', '/user/self/change-password', { password: next }),
      late('POST', '/auth/login', { username: 'jane', password: old })
    ])
    if (late.token !== undefined) t.equal((await late('GET', '/auth/token')).status, 401)
    t.equal((await jane('GET', '/user/self')).status, 200)
    old = next
  }
  const { user } = await storage.users.findByNameKey('jane') as { user: { uuid: string } }
  t.equal((await storage.sessions.list(user.uuid, 0)).length, 1)
})
