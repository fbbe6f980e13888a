/** The stream of events and the events of a host, over real sockets. */
import { request } from 'node:http'
import { once } from 'node:events'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import type { CloudEvent } from '../../lib/index.js'
import type { RuntimeService } from '../../types/runtime.js'
import { type Client, type TestCloud, testClock } from '../fixtures/cloud.js'
import { openEvents as open } from '../fixtures/events.js'
import { type Follower, follow, untilTold } from '../fixtures/follow.js'
import { bearer, makeKeyOf } from '../fixtures/keys.js'
import { watch } from '../fixtures/live.js'
import { aService } from '../fixtures/runtime.js'
import { until } from '../fixtures/until.js'
import { startClock } from '../fixtures/lag.js'

t.setTimeout(600_000)

const shown = ({ createdAt: _, ...service }: RuntimeService): object => service

t.test('GET /events begins with a snapshot of all lists, as they are listed', async t => {
  const { follow, setUp, lists } = await open(t)
  const follower = await follow()
  const [snapshot] = await untilTold(follower, 1)
  const root = await setUp()
  t.equal(snapshot?.event, 'snapshot')
  t.strictSame(snapshot?.data, {
    services: (await root('GET', '/services/list')).body.data,
    groups: (await root('GET', '/group/list')).body,
    players: lists.given.players,
    platforms: (await root('GET', '/platforms/list')).body.data,
    templates: (await root('GET', '/templates/list')).body.data
  })
  t.strictSame(snapshot?.data.services, lists.given.services.map(shown))
  const { headers } = follower.response
  t.match(headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
})

t.test('then come added, changed and removed, each with its topic and the item', async t => {
  const { follow, lists, setUp } = await open(t)
  const follower = await follow({ query: '?topics=services,groups' })
  await untilTold(follower, 1)
  lists.put({ name: 'lobby-9' })
  await untilTold(follower, 2)
  lists.put({ name: 'lobby-9', playerCount: 7 })
  await untilTold(follower, 3)
  lists.drop('lobby-9')
  await untilTold(follower, 4)
  await (await setUp())('PATCH', '/group/lobby', { minMemory: 513 })
  lists.touch()
  await untilTold(follower, 5)
  const item = shown({ ...aService, name: 'lobby-9' })
  t.strictSame(follower.told.slice(1).map(({ event, data }) => ({ event, data })), [
    { event: 'added', data: { topic: 'services', item } },
    { event: 'changed', data: { topic: 'services', item: { ...item, playerCount: 7 } } },
    { event: 'removed', data: { topic: 'services', item: { ...item, playerCount: 7 } } },
    { event: 'changed', data: { topic: 'groups', item: { ...lists.given.groups[0], minMemory: 513 } } }
  ])
})

t.test('every change of a state is told, however close they come', async t => {
  const { follow, lists } = await open(t)
  const follower = await follow({ query: '?topics=services' })
  await untilTold(follower, 1)
  const states = Array.from({ length: 30 }, (_, n) => (['STOPPING', 'OFFLINE', 'STARTING', 'ONLINE'] as const)[n % 4] ?? 'ONLINE')
  for (const state of states) lists.move('lobby-1', state)
  await untilTold(follower, 1 + states.length)
  t.strictSame(follower.told.slice(1).map(({ event, data }) => [event, data.item.name, data.item.state]), states.map(state => ['changed', 'lobby-1', state]))
})

t.test('a state that a list shows late, or early, is told once', async t => {
  const { follow, lists } = await open(t)
  const follower = await follow({ query: '?topics=services' })
  await untilTold(follower, 1)
  // Told, and not listed yet; something else of it changes meanwhile.
  lists.change({ serviceName: 'lobby-1', state: 'STOPPING', at: 1 })
  lists.put({ name: 'lobby-1', playerCount: 3 })
  await until(() => follower.told.at(-1)?.data.item?.playerCount === 3)
  lists.put({ name: 'lobby-1', state: 'STOPPING' })
  // Listed, and not told yet.
  lists.put({ name: 'lobby-1', state: 'OFFLINE', playerCount: 4 })
  await until(() => follower.told.at(-1)?.data.item?.playerCount === 4)
  lists.change({ serviceName: 'lobby-1', state: 'OFFLINE', at: 2 })
  lists.put({ name: 'lobby-1', playerCount: 5 })
  await until(() => follower.told.at(-1)?.data.item?.playerCount === 5)
  const states = follower.told.slice(1).map(({ data }) => data.item.state as string)
  t.strictSame(states.filter((state, index) => state !== states[index - 1]), ['STOPPING', 'OFFLINE'])
  // Where it is never told the list is right in the end.
  lists.put({ name: 'lobby-1', state: 'ONLINE' })
  await until(() => follower.told.at(-1)?.data.item?.state === 'ONLINE')
})

t.test('a service that is told of before it is listed begins with the state that was told', async t => {
  const { follow, lists } = await open(t)
  const follower = await follow({ query: '?topics=services' })
  await untilTold(follower, 1)
  for (const state of ['STARTING', 'ONLINE'] as const) lists.change({ serviceName: 'lobby-9', state, at: 1 })
  lists.put({ name: 'lobby-9', state: 'ONLINE' })
  await untilTold(follower, 3)
  t.strictSame(follower.told.slice(1).map(({ event, data }) => [event, data.item.state]), [['added', 'STARTING'], ['changed', 'ONLINE']])
})

t.test('what has no number is looked at once a second, and what runtimes change in place is seen', async t => {
  const { follow, lists } = await open(t)
  const follower = await follow({ query: '?topics=players,services' })
  await untilTold(follower, 1)
  lists.given.players = [...lists.given.players, { name: 'Nina', uuid: '00000000-0000-4000-8000-00000000beef', currentServiceName: 'lobby-1' }]
  await untilTold(follower, 2)
  t.match(follower.told[1], { event: 'added', data: { topic: 'players', item: { name: 'Nina' } } })
  Object.assign(lists.given.services[0] as object, { motd: 'changed in place' })
  lists.touch()
  await untilTold(follower, 3)
  t.match(follower.told[2], { event: 'changed', data: { topic: 'services', item: { motd: 'changed in place' } } })
})

t.test('Last-Event-ID and ?since go on without a gap or a repeat; the header counts before the query', async t => {
  const { follow, lists } = await open(t)
  const first = await follow({ query: '?topics=services' })
  await untilTold(first, 1)
  for (const state of ['STOPPING', 'OFFLINE', 'STARTING'] as const) lists.move('lobby-1', state)
  await untilTold(first, 4)
  first.leave()
  lists.move('lobby-1', 'ONLINE')
  lists.put({ name: 'lobby-9' })
  const states = (follower: Follower): unknown => follower.told.map(({ event, data }) => [event, data.item.name, data.item.state])
  const missed = [['changed', 'lobby-1', 'ONLINE'], ['added', 'lobby-9', 'ONLINE']]
  const second = await follow({ query: '?topics=services', lastId: first.lastId })
  await untilTold(second, 2)
  t.strictSame(states(second), missed)
  const third = await follow({ query: `?topics=services&since=${first.told[1]?.id}` })
  await untilTold(third, 4)
  t.strictSame(states(third), [['changed', 'lobby-1', 'OFFLINE'], ['changed', 'lobby-1', 'STARTING'], ...missed])
  const fourth = await follow({ query: `?topics=services&since=${first.told[0]?.id}`, lastId: second.lastId })
  lists.drop('lobby-9')
  await untilTold(fourth, 1)
  t.equal(fourth.told[0]?.event, 'removed', 'nothing was missed')
})

t.test('an id that is garbage, of another start, of other topics, or from the future gets a reset and a new snapshot', async t => {
  const { follow } = await open(t)
  const first = await follow()
  await untilTold(first, 1)
  const [epoch = '', number] = first.lastId?.split('-') ?? []
  const ids = [
    'garbage', `${epoch}-`, `${epoch}-x`, `${epoch}--1`, `${epoch}-01`, `${epoch}-1e3`, `${epoch}-${Number(number) + 1}`, `${epoch}-0`,
    `${epoch}-99999999999999999999`, `0${epoch.slice(1)}x-1`, '-', `${epoch}-${number}-`, 'x'.repeat(4_000), '%00', '../../etc/passwd'
  ]
  for (const id of ids) {
    const follower = await follow({ lastId: id })
    await untilTold(follower, 2)
    t.strictSame(follower.told.map(({ event }) => event), ['reset', 'snapshot'], id.slice(0, 50))
    t.strictSame(follower.told[0]?.data, {})
    follower.leave()
  }
  const fewer = await follow({ lastId: first.lastId, query: '?topics=groups' })
  await untilTold(fewer, 2)
  t.strictSame(fewer.told.map(({ event }) => event), ['reset', 'snapshot'], 'of other topics')
  const again = await follow({ lastId: fewer.told[0]?.id, query: '?topics=groups' })
  await untilTold(again, 2)
  t.strictSame(again.told.map(({ event }) => event), ['reset', 'snapshot'], 'lost between the reset and the snapshot')
  for (const [query, lastId] of [['?since=garbage'], ['?since=1&since=2'], ['?since=%00'], ['?since=garbage', '']] as const) {
    const follower = await follow({ query, lastId })
    await untilTold(follower, 2)
    t.strictSame(follower.told.map(({ event }) => event), ['reset', 'snapshot'], query)
  }
})

t.test('the last 10,000 changes are kept, and those of five minutes; what is older is reset', async t => {
  const clock = testClock()
  const { follow, lists } = await open(t, { clock })
  const first = await follow({ query: '?topics=services' })
  await untilTold(first, 1)
  const move = async (count: number): Promise<void> => {
    const before = first.told.length
    for (let n = 0; n < count; n++) lists.move('lobby-1', n % 2 === 0 ? 'STOPPING' : 'ONLINE')
    await untilTold(first, before + count)
  }
  const missedBy = async (lastId: string | undefined): Promise<string | number> => {
    const follower = await follow({ query: '?topics=services', lastId })
    lists.put({ name: 'end', motd: String(Math.random()) })
    await until(() => follower.told.some(({ event, data }) => event === 'snapshot' || data.item?.name === 'end'))
    follower.leave()
    return follower.told[0]?.event === 'reset' ? 'reset' : follower.told.findIndex(({ data }) => data.item?.name === 'end')
  }
  const atFirst = first.lastId
  await move(9_990)
  clock.advance(600_000)
  t.equal(await missedBy(atFirst), 9_990, 'the last 10,000, however old')
  const later = first.lastId
  await move(12_000)
  t.equal(await missedBy(later), 12_000, 'more, while they are young')
  clock.advance(300_001)
  await move(10)
  t.equal(await missedBy(later), 'reset')
})

t.test('changes that say no more than the next one of the same thing are not kept', async t => {
  const { follow, lists } = await open(t)
  const first = await follow({ query: '?topics=services' })
  await untilTold(first, 1)
  for (let n = 1; n <= 5; n++) {
    lists.put({ name: 'lobby-1', playerCount: n })
    await untilTold(first, 1 + n)
  }
  const second = await follow({ query: '?topics=services', lastId: first.told[0]?.id })
  await untilTold(second, 1)
  lists.put({ name: 'lobby-9' })
  await untilTold(second, 2)
  t.strictSame(second.told.map(({ event, data }) => [event, data.item.name, data.item.playerCount]), [['changed', 'lobby-1', 5], ['added', 'lobby-9', aService.playerCount]])
})

t.test('topics: unknown ones are 400, those that the caller may not list 403, absent means all that they may', async t => {
  const { follow, login, client } = await open(t)
  const some = await login(['cloud.service.list', 'cloud.templates.list'])
  const none = await login([])
  const refused = async (token: string | undefined, query: string): Promise<string> => await follow({ token, query }).then(() => 'opened', error => error.message)
  const unknown = '400 {"status":400,"message":"Unknown topic","code":"unknown_topic"}'
  for (const topics of ['nothing', 'services,nothing', 'services,', ',', 'Services', 'services;groups', 'constructor', '%00', 'services&topics=groups']) {
    t.equal(await refused(some.token, `?topics=${topics}`), unknown, topics)
  }
  t.equal(await refused(some.token, '?topics=groups,nothing'), unknown, 'the form comes first')
  t.equal(await refused(some.token, '?topics=services,groups'), '403 {"status":403,"message":"Forbidden","code":"forbidden"}')
  t.equal(await refused(undefined, ''), '401 {"status":401,"message":"Missing token","code":"missing_token"}')
  t.equal(await refused('garbage', ''), '401 {"status":401,"message":"Invalid or expired token","code":"invalid_token"}')
  t.equal((await client()('GET', '/events')).status, 401)
  const follower = await follow({ token: some.token })
  t.strictSame(Object.keys((await untilTold(follower, 1))[0]?.data), ['services', 'templates'])
  const blank = await follow({ token: some.token, query: '?topics=%20' })
  t.strictSame(Object.keys((await untilTold(blank, 1))[0]?.data), ['services', 'templates'])
  const spaced = await follow({ token: some.token, query: '?topics=templates,%20services' })
  t.strictSame(Object.keys((await untilTold(spaced, 1))[0]?.data), ['services', 'templates'])
  const nobody = await follow({ token: none.token })
  t.strictSame((await untilTold(nobody, 1))[0]?.data, {}, 'somebody who may list nothing')
})

t.test('HEAD answers the headers of a stream and ends', async t => {
  const { url, token } = await open(t)
  const asked = request(`${url.replace('ws', 'http')}/events`, { method: 'HEAD', headers: { 'user-agent': 'lightMyRequest', cookie: `token=${token}` } }).end()
  const [response] = await once(asked, 'response')
  t.equal(response.statusCode, 200)
  t.equal(response.headers['content-type'], 'text/event-stream')
  response.resume()
  await once(response, 'end')
})

t.test('a stream is told what its runtime answers: 500, 502, 504', async t => {
  const { follow, lists } = await open(t, { runtimeTimeout: 200 })
  const refused = async (): Promise<string> => await follow({ query: '?topics=services' }).then(() => 'opened', error => error.message)
  const list = lists.services.list
  const faults: ReadonlyArray<readonly [() => unknown, string]> = [
    [() => { throw new Error('lost') }, '500 {"status":500,"message":"Internal Server Error","code":"internal_server_error"}'],
    [() => 'nothing', '502 {"status":502,"message":"Runtime gave an invalid answer","code":"runtime_answer_invalid"}'],
    [() => new Promise(() => {}), '504 {"status":504,"message":"Runtime did not answer in time","code":"runtime_timeout"}']
  ]
  for (const [fault, message] of faults) {
    lists.services.list = fault as never
    t.equal(await refused(), message)
  }
  lists.services.list = list
  const follower = await follow({ query: '?topics=services' })
  await untilTold(follower, 1)
  lists.services.list = () => { throw new Error('lost') }
  lists.touch()
  lists.change({ serviceName: 'lobby-1', state: 'STOPPING', at: 1 })
  await untilTold(follower, 2)
  lists.services.list = list
  lists.put({ name: 'lobby-9' })
  await until(() => follower.told.some(({ data }) => data.item?.name === 'lobby-9'), 'it goes on when the runtime is back')
})

t.test('a heartbeat comes every 15 s, with the id of where the stream is', async t => {
  const { follow, lists } = await open(t)
  const follower = await follow({ query: '?topics=services' })
  await untilTold(follower, 1)
  lists.put({ name: 'lobby-9' })
  await untilTold(follower, 2)
  await until(() => follower.beats.length > 0, 'a heartbeat', 20_000)
  t.strictSame(follower.beats[0], { id: follower.told[1]?.id, event: 'heartbeat', data: {} })
})

t.test('streams count with sockets', async t => {
  const { follow, url, login, token } = await open(t, { live: { socketsPerUser: 2, sockets: 3 } })
  const full = (code: string) => ({ message: `429 {"status":429,"message":"Too many sockets","code":"${code}"}` })
  const user = await login(['cloud.service.list', 'cloud.ws.alive'])
  const first = await follow({ token: user.token })
  const { socket } = await watch(`${url}/alive`, user.token)
  await t.rejects(follow({ token: user.token }), full('too_many_sockets_of_user'))
  await t.rejects(watch(`${url}/alive`, user.token), full('too_many_sockets_of_user'))
  await follow({ token })
  await t.rejects(follow({ token }), full('too_many_sockets'), 'all together')
  first.leave()
  await until(async () => await follow({ token: user.token }).then(() => true, () => false), 'a place that is given back')
  socket.terminate()
})

t.test('streams end at once when the host closes, and a client that reads nothing does not hold it up', async t => {
  const { follow, app, lists } = await open(t, { live: { socketsPerUser: 100 } })
  const followers = await Promise.all(Array.from({ length: 20 }, async () => await follow()))
  for (const follower of followers.slice(0, 5)) follower.response.pause()
  for (let n = 0; n < 20; n++) lists.put({ name: 'lobby-1', motd: `${n}`.padEnd(1_000, 'x') })
  await untilTold(followers.at(-1) as Follower, 2)
  const isWithin = startClock(t)
  await app.close()
  t.ok(isWithin(1_500), 'closed')
  for (const follower of followers) follower.response.resume()
  await Promise.all(followers.map(async ({ ended }) => { await ended }))
})

t.test('a stream of somebody who has lost a topic, the session or the account ends within a second, and is told nothing more', async t => {
  const { follow, login, setUp, lists } = await open(t)
  const root = await setUp()
  const ways: Record<string, (user: Awaited<ReturnType<TestCloud['login']>>) => Promise<unknown>> = {
    'one of two topics': async user => {
      const { id } = (await user('GET', '/user/self')).body.data.role
      return await root('PATCH', `/role/${id}`, { label: `changed ${id}`, hexColor: '#123456', permissions: ['cloud.group.list'] })
    },
    session: async user => await user('POST', '/auth/logout'),
    account: async user => await root('DELETE', `/user/${user.uuid}`)
  }
  for (const [name, take] of Object.entries(ways)) {
    const user = await login(['cloud.service.list', 'cloud.group.list'], name)
    const follower = await follow({ token: user.token })
    await untilTold(follower, 1)
    await take(user)
    lists.put({ name: 'secret', motd: name })
    const isWithin = startClock(t)
    await follower.ended
    t.ok(isWithin(1_500), name)
    t.notOk(follower.told.some(({ data }) => data.item?.motd === name), `${name}: nothing more`)
  }
})

type User = Awaited<ReturnType<TestCloud['login']>>
/** Somebody who follows: logged in, or by a key of theirs. */
interface Reader { readonly user: User, readonly headers: Record<string, string>, readonly keyId?: string }

const followed = ['cloud.service.list', 'cloud.group.list']
const without = async (root: Client, { user }: Reader): Promise<unknown> => {
  const { role: { id } } = (await root('GET', `/user/${user.uuid}`)).body.data
  return await root('PATCH', `/role/${id}`, { label: `less ${id}`, hexColor: '#123456', permissions: ['cloud.group.list'] })
}
const otherRole = async (root: Client, { user }: Reader): Promise<unknown> => {
  const { body } = await root('POST', '/role/', { label: `none for ${user.uuid.slice(0, 8)}`, hexColor: '#123456', permissions: [] })
  return await root('PATCH', '/user/edit', { uuid: user.uuid, roleId: body.data.id })
}

/** Every call that takes the right to a stream away. */
const takings: Record<string, readonly [by: 'token' | 'key', take: (root: Client, reader: Reader, elsewhere: Client) => Promise<unknown>]> = {
  logout: ['token', async (_root, { user }) => await user('POST', '/auth/logout')],
  'the deletion of the token': ['token', async (_root, { user }) => await user('DELETE', `/user/token/${user.token}`)],
  'the deletion of all tokens': ['token', async (_root, { user }) => await user('DELETE', '/user/tokens')],
  'a password changed elsewhere': ['token', async (_root, _reader, elsewhere) => await elsewhere('PATCH', '/user/self/change-password', { password: 'another password' })],
  'an edited role': ['token', without],
  'another role': ['token', otherRole],
  'the deletion of the user': ['token', async (root, { user }) => await root('DELETE', `/user/${user.uuid}`)],
  'the deletion of the key by its owner': ['key', async (_root, { user, keyId }) => await user('DELETE', `/user/key/${keyId}`)],
  'the deletion of the key by an admin': ['key', async (root, { keyId }) => await root('DELETE', `/key/${keyId}`)],
  'an edited role of the owner of the key': ['key', without],
  'another role of the owner of the key': ['key', otherRole],
  'the deletion of the owner of the key': ['key', async (root, { user }) => await root('DELETE', `/user/${user.uuid}`)]
}

t.test('whatever takes the right away ends a stream that is open, opened, or gone on with meanwhile; after its answer nothing is told', async t => {
  const cloud = await open(t, { live: { socketsPerUser: 1_000 }, loginThrottle: { perAddress: 10_000 } })
  const { lists, login, setUp, client, url } = cloud
  const root = await setUp()
  for (const [name, [by, take]] of Object.entries(takings)) {
    await t.test(name, async t => {
      const user = await login(followed, name.slice(0, 40))
      const elsewhere = client()
      t.equal((await elsewhere('POST', '/auth/login', { username: name.slice(0, 40), password: `password of ${name.slice(0, 40)}` })).status, 200)
      const { id: keyId, key } = await makeKeyOf(user, followed)
      const reader: Reader = { user, keyId, headers: by === 'key' ? bearer(key) : { cookie: `token=${user.token}` } }
      const begin = async (lastId?: string): Promise<Follower | undefined> =>
        await follow(url, { headers: reader.headers, lastId, query: '?topics=services,groups' }).catch(() => undefined)
      const first = await begin() as Follower
      await untilTold(first, 1)
      const taken = take(root, reader, elsewhere).then(answer => {
        lists.put({ name: 'secret', motd: name })
        return answer as { status: number }
      })
      const begun = [begin(first.lastId)]
      for (let turn = 0; turn < 15; turn++) {
        await nextTurn()
        begun.push(begin(turn % 2 === 0 ? undefined : first.lastId))
      }
      const { status } = await taken
      t.ok(status < 300, `${status}`)
      const isWithin = startClock(t)
      const streams = [first, ...await Promise.all(begun)].filter(one => one !== undefined)
      await Promise.all(streams.map(async ({ ended }) => { await ended }))
      t.ok(isWithin(1_500), `${streams.length} streams`)
      t.notOk(streams.some(({ told }) => JSON.stringify(told).includes(`"${name}"`)), 'nothing more')
      lists.drop('secret')
    })
  }
  await t.test('a new name, the own new password, and logout of the owner of a key take nothing away', async t => {
    const user = await login(followed, 'ann')
    const { key } = await makeKeyOf(user, followed)
    const streams = await Promise.all([{ cookie: `token=${user.token}` }, bearer(key)].map(async headers => await follow(url, { headers })))
    await user('PATCH', '/user/self/edit', { username: 'bea' })
    await user('PATCH', '/user/self/change-password', { password: 'another password' })
    lists.put({ name: 'lobby-8' })
    for (const stream of streams) await until(() => stream.told.some(({ data }) => data.item?.name === 'lobby-8'))
    await user('POST', '/auth/logout')
    const [byToken, byKey] = streams as [Follower, Follower]
    await byToken.ended
    lists.put({ name: 'lobby-9' })
    await until(() => byKey.told.some(({ data }) => data.item?.name === 'lobby-9'))
    byKey.leave()
  })
})

t.test('a stream ends within a second when its token or key expires', async t => {
  const clock = testClock()
  const { lists, login, url } = await open(t, { clock })
  const user = await login(followed)
  const { key } = await makeKeyOf(user, followed, { expiresAt: clock.now() + 60_000 })
  const byToken = await follow(url, { token: user.token })
  const byKey = await follow(url, { headers: bearer(key) })
  for (const [stream, ms] of [[byKey, 60_000], [byToken, 7 * 86_400_000]] as const) {
    await untilTold(stream, 1)
    t.notOk(stream.isEnded)
    clock.advance(ms)
    const isWithin = startClock(t)
    await stream.ended
    t.ok(isWithin(1_500))
    lists.put({ name: 'late' })
  }
  t.notOk(byKey.told.some(({ data }) => data.item?.name === 'late'))
})

t.test('a stream whose reader lost the right while its list was waited for ends, told of nothing, and gives its place back', async t => {
  const { lists, login, setUp, url } = await open(t, { live: { socketsPerUser: 1 } })
  const root = await setUp()
  const user = await login(followed)
  const { list } = lists.services
  let letGo = (): void => {}
  let isAsked = false
  const held = new Promise<void>(resolve => { letGo = resolve })
  lists.services.list = (async () => {
    isAsked = true
    await held
    return lists.given.services
  }) as never
  const opening = follow(url, { token: user.token, query: '?topics=services' })
  await until(() => isAsked, 'the list is waited for')
  await without(root, { user, headers: {} })
  // It is known again who they are, and that they have less.
  t.equal((await user('GET', '/group/list')).status, 200)
  letGo()
  const stream = await opening
  await until(() => stream.isEnded, 'it ends', 3_000)
  t.strictSame(stream.told, [])
  lists.services.list = list
  const next = await follow(url, { token: user.token, query: '?topics=groups' })
  await untilTold(next, 1)
  next.leave()
})

t.test('fastify.cloud.events gives a host the same, and changes of accounts, until its signal aborts', async t => {
  const { app, lists, login } = await open(t)
  const told: CloudEvent[] = []
  const watching = new AbortController()
  app.cloud.events.watch(event => {
    told.push(event)
    if (event.type === 'added') throw new Error('the listener is broken')
  }, { signal: watching.signal, topics: ['services', 'accounts'] })
  await until(() => told.length === 1)
  t.strictSame(told[0], { type: 'snapshot', items: { services: lists.given.services.map(shown) } })
  lists.put({ name: 'lobby-9' })
  await until(() => told.length === 2)
  lists.move('lobby-9', 'STOPPING')
  lists.drop('lobby-9')
  await until(() => told.length === 4)
  const item = shown({ ...aService, name: 'lobby-9' })
  t.strictSame(told.slice(1), [
    { type: 'added', topic: 'services', item },
    { type: 'changed', topic: 'services', item: { ...item, state: 'STOPPING' } },
    { type: 'removed', topic: 'services', item: { ...item, state: 'STOPPING' } }
  ])
  const user = await login([])
  told.length = 0
  await user('POST', '/auth/logout')
  await until(() => told.some(event => event.type === 'account' && event.change.kind === 'session'))
  watching.abort()
  told.length = 0
  lists.put({ name: 'lobby-8' })
  const other = new AbortController()
  const later: CloudEvent[] = []
  app.cloud.events.watch(event => { later.push(event) }, { signal: other.signal })
  await until(() => later.length > 0)
  t.strictSame(told, [])
  t.throws(() => { app.cloud.events.watch(() => {}, { signal: other.signal, topics: ['nothing' as never] }) }, { code: 'CLOUD_ERR_OPTION' })
  app.cloud.events.watch(() => { t.fail('aborted before') }, { signal: watching.signal })
})
