/** Lists of a runtime that numbers its revisions: kept as they are sent, and never stale, and the same as without numbers. */
import t, { type Test } from 'tap'
import type { Service } from '../../types/resources.js'
import type { CloudRuntime, Listed, RuntimeService } from '../../types/runtime.js'
import { type Client, type TestCloud, build } from '../fixtures/cloud.js'
import { aGroup, aService, listRuntime } from '../fixtures/runtime.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const names = ['services', 'groups', 'platforms', 'templates', 'players'] as const
const paths = ['/services/list', '/group/list', '/groups/list', '/platforms/list', '/templates/list', '/players/list']
const permissions = ['service.list', 'group.list', 'platform.list', 'templates.list', 'players.list'].map(one => `cloud.${one}`)

interface Numbered extends TestCloud {
  /** Moves the revision of every list. */
  move (): void
  /** How often the runtime was asked for any of its lists. */
  asked (): number
}

/** A cloud whose runtime numbers all its lists; `delay` holds each of its answers back. */
async function numbered (t: Test, delay?: () => Promise<void>): Promise<Numbered> {
  const runtime = listRuntime()
  let revision = 1
  let asked = 0
  for (const name of names) {
    const source = runtime[name] as Listed<unknown>
    const list = source.list.bind(source)
    Object.defineProperty(source, 'revision', { get: () => revision })
    Object.assign(source, {
      list: (options: never) => {
        asked++
        const answer = [...list(options) as unknown[]]
        return delay === undefined ? answer : delay().then(() => answer)
      }
    })
  }
  return { ...await build(t, { runtime: runtime as CloudRuntime }), move: () => { revision++ }, asked: () => asked }
}

const conditional = (client: Client, path: string, tag: unknown, method = 'GET') =>
  client(method, path, undefined, { headers: { 'if-none-match': String(tag) } })

t.test('a numbered list has a strong ETag, may be kept by the client, and is asked for once', async t => {
  const cloud = await numbered(t)
  const user = await cloud.login(permissions)
  for (const path of paths) {
    const first = await user('GET', path)
    t.equal(first.status, 200)
    t.match(first.headers, { etag: /^"[\w-]{43}"$/, 'cache-control': 'private, no-cache', 'content-type': 'application/json; charset=utf-8' })
    const asked = cloud.asked()
    const second = await user('GET', `${path}/`)
    t.strictSame([second.body, second.headers.etag], [first.body, first.headers.etag], `${path}/`)
    t.equal(cloud.asked(), asked, `${path} is kept`)
    t.equal((await conditional(user, path, first.headers.etag)).status, 304)
  }
})

t.test('a 304 has no body, and names what a 200 would', async t => {
  const user = await (await numbered(t)).login(permissions)
  const { headers: { etag } } = await user('GET', '/services/list')
  for (const tag of [etag, `W/${String(etag)}`, '*', `"other", ${String(etag)}`]) {
    const { status, body, headers } = await conditional(user, '/services/list', tag)
    t.strictSame([status, body, headers.etag, headers['cache-control'], headers['x-content-type-options'], headers['content-length']],
      [304, '', etag, 'private, no-cache', 'nosniff', undefined], String(tag))
  }
  for (const tag of ['"other"', String(etag).slice(1, -1), '']) t.equal((await conditional(user, '/services/list', tag)).status, 200, tag)
})

t.test('HEAD answers as GET does, without the body', async t => {
  const user = await (await numbered(t)).login(permissions)
  const got = await user('GET', '/services/list')
  const head = await user('HEAD', '/services/list')
  for (const name of ['etag', 'cache-control', 'content-type', 'content-length']) t.equal(head.headers[name], got.headers[name], name)
  t.strictSame([head.status, head.body], [200, ''])
  const unchanged = await conditional(user, '/services/list', got.headers.etag, 'HEAD')
  t.strictSame([unchanged.status, unchanged.body, unchanged.headers['content-length'], unchanged.headers['content-type']],
    [304, '', got.headers['content-length'], got.headers['content-type']])
})

t.test('the door comes first: 401 and 403 for whoever knows the ETag, at once', async t => {
  const cloud = await numbered(t)
  const root = await cloud.setUp()
  const user = await cloud.login(permissions)
  const { headers: { etag } } = await user('GET', '/services/list')
  t.equal((await conditional(user, '/services/list', etag)).status, 304)
  t.equal((await conditional(cloud.client(), '/services/list', etag)).status, 401)
  const { body: { data: { role } } } = await root('GET', `/user/${user.uuid}`)
  await root('PATCH', `/role/${role.id}`, { label: role.label, hexColor: role.hexColor, permissions: [] })
  const refused = await conditional(user, '/services/list', etag)
  t.strictSame([refused.status, refused.headers.etag, refused.headers['cache-control']], [403, undefined, 'no-store'])
  const { token } = user
  await user('POST', '/auth/logout')
  user.token = token
  t.equal((await conditional(user, '/services/list', etag)).status, 401)
})

t.test('a revision that has moved gives the new list at once, under another ETag', async t => {
  const cloud = await numbered(t)
  const user = await cloud.login(permissions)
  const before = await user('GET', '/group/list')
  cloud.runtime.given.groups.push({ ...aGroup, name: 'other' })
  cloud.move()
  const after = await conditional(user, '/group/list', before.headers.etag)
  t.equal(after.status, 200)
  t.strictSame(after.body.map(({ name }: { name: string }) => name), ['lobby', 'other'])
  t.not(after.headers.etag, before.headers.etag)
  cloud.move()
  t.equal((await conditional(user, '/group/list', after.headers.etag)).status, 304, 'the same list is the same, whatever its number')
})

t.test('what is kept has been checked: wrong items and foreign fields are not in it', async t => {
  const cloud = await numbered(t)
  cloud.runtime.given.services.push({ ...aService, port: -1 }, { ...aService, name: 'last', secret: 'x' } as never, null as never)
  const user = await cloud.login(permissions)
  for (const round of ['made', 'kept']) {
    const { body } = await user('GET', '/services/list')
    t.strictSame(body.data.map(({ name }: { name: string }) => name), ['lobby-1', 'lobby-2', 'last'], round)
    t.notOk(JSON.stringify(body).includes('secret') || 'createdAt' in body.data[0], round)
  }
})

t.test('two revisions are never mixed, whoever asks while the list is being made', async t => {
  let release = (): void => {}
  let isHeld = false
  const cloud = await numbered(t, async () => { if (isHeld) await new Promise<void>(resolve => { release = resolve }) })
  const user = await cloud.login(permissions)
  isHeld = true
  const early = user('GET', '/groups/list')
  const shared = user('GET', '/groups/list')
  await new Promise(resolve => setTimeout(resolve, 50))
  t.equal(cloud.asked(), 1, 'one question for both')
  cloud.runtime.given.groups.push({ ...aGroup, name: 'other' })
  cloud.move()
  isHeld = false
  const late = await user('GET', '/groups/list')
  release()
  t.equal((await early).body.data.length, 1)
  t.equal((await shared).body.data.length, 1)
  t.equal(late.body.data.length, 2)
  t.strictSame((await user('GET', '/groups/list')).body, late.body, 'what came late is not kept in its place')
})

t.test('a list without a number is asked for every time and has no ETag', async t => {
  const cloud = await build(t)
  const user = await cloud.login(permissions)
  for (const path of paths) {
    const { headers } = await conditional(user, path, '*')
    t.strictSame([headers.etag, headers['cache-control']], [undefined, 'no-store'], path)
  }
})

t.test('a list without a number shows every change at once, whatever field it is in and however deep', async t => {
  const cloud = await build(t)
  const user = await cloud.login(permissions)
  const { createdAt: _, ...shown } = structuredClone(aService)
  const list = async () => (await user('GET', '/services/list')).body.data
  const changes: Array<(service: any) => void> = [
    service => { service.name = 'lobby-9' },
    service => { service.state = 'STOPPING' },
    service => { service.type = 'PROXY' },
    service => { service.groupName = 'other' },
    service => { service.hostname = '::1' },
    service => { service.port = 1 },
    service => { service.templates[0].name = 'lobby' },
    service => { service.templates[0].size = '1 MB' },
    service => { service.templates.push({ name: 'more', size: 'unknown' }) },
    service => { service.templates.length = 0 },
    service => { service.properties.fallback = 'false' },
    service => { service.properties.more = 'x' },
    service => { delete service.properties.more },
    service => { service.properties = { renamed: 'false' } },
    service => { service.minMemory = 0 },
    service => { service.maxMemory = 2 },
    service => { service.playerCount = -1 },
    service => { service.maxPlayerCount = -1 },
    service => { service.memoryUsage = 0.5 },
    service => { service.cpuUsage = 0 },
    service => { service.motd = '' }
  ]
  // The runtime goes on with the objects that it has handed out; a second list is the first again.
  const services = cloud.runtime.given.services = [structuredClone(aService)]
  t.strictSame([await list(), await list()], [[shown], [shown]])
  for (const change of changes) {
    change(services[0])
    change(shown)
    t.strictSame([await list(), await list()], [[shown], [shown]], String(change))
  }
  services[0] = { ...services[0] as RuntimeService, port: 'gone wrong' as never }
  t.strictSame(await list(), [], 'what was right before is checked all the same')
  services.unshift(structuredClone(aService))
  services[1] = structuredClone({ ...aService, name: 'lobby-2' })
  t.strictSame((await list()).map(({ name }: Service) => name), ['lobby-1', 'lobby-2'])
  services.shift()
  t.strictSame((await list()).map(({ name }: Service) => name), ['lobby-2'])
})

t.test('pages of many players are the same, numbered or not', async t => {
  const players = Array.from({ length: 2_345 }, (_, index) => ({
    name: `p${Math.imul(index, 2_654_435_761) >>> 20}`, uuid: `00000000-0000-3000-8000-${String(index).padStart(12, '0')}`, currentServiceName: 'lobby-1'
  }))
  const sorted = [...players].sort((a, b) => a.name < b.name ? -1 : a.name > b.name ? 1 : a.uuid < b.uuid ? -1 : 1)
  for (const cloud of [await numbered(t), await build(t)]) {
    cloud.runtime.given.players = players
    const user = await cloud.login(permissions)
    for (const [page, size] of [[1, 20], [3, 100], [10, 100], [11, 100], [24, 100], [25, 100]] as const) {
      const { body } = await user('GET', `/players/list?page=${page}&size=${size}`)
      t.strictSame(body, { page, size, total: 2_345, totalPages: Math.ceil(2_345 / size), data: sorted.slice((page - 1) * size, page * size) })
    }
  }
})

t.test('each page of a numbered list has an ETag of its own, however many are asked for', async t => {
  const cloud = await numbered(t)
  const player = (index: number) => ({ name: `p${index}`, uuid: `00000000-0000-3000-8000-00000000${index}`, currentServiceName: 'lobby-1' })
  cloud.runtime.given.players = Array.from({ length: 300 }, (_, index) => player(1_000 + index))
  const user = await cloud.login(permissions)
  const tags = new Set<unknown>()
  for (const round of [1, 2]) {
    for (let page = 1; page <= 150; page++) {
      const { body, headers } = await user('GET', `/players/list?page=${page}&size=2`)
      t.strictSame(body, { page, size: 2, total: 300, totalPages: 150, data: [player(998 + 2 * page), player(999 + 2 * page)] }, `round ${round}`)
      tags.add(headers.etag)
    }
  }
  t.equal(tags.size, 150)
  const { headers: { etag } } = await user('GET', '/players/list?page=2&size=2')
  t.equal((await conditional(user, '/players/list?page=2&size=2', etag)).status, 304)
  t.equal((await conditional(user, '/players/list?page=3&size=2', etag)).status, 200)
  cloud.runtime.given.players.pop()
  cloud.move()
  t.equal((await conditional(user, '/players/list?page=2&size=2', etag)).body.total, 299)
})

t.test('a revision that cannot be read is the fault of the runtime, whatever it throws', async t => {
  const cloud = await build(t)
  const user = await cloud.login(permissions)
  const faults = [new Error('broken'), null, undefined, 5, ...[
    { statusCode: 404 }, { statusCode: 401 }, { unavailable: true }, { code: 'FST_ERR_CTP_BODY_TOO_LARGE' }
  ].map(claim => Object.assign(new Error('broken'), claim))]
  let fault: unknown
  for (const name of names) Object.defineProperty(cloud.runtime[name], 'revision', { get () { throw fault } })
  for (fault of faults) {
    for (const path of paths) {
      const { status, body } = await user('GET', path)
      t.strictSame({ status, body }, { status: 500, body: refusal(500, 'Internal Server Error') }, path)
    }
  }
})
