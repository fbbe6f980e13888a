/** `client.events()`: every change once and in order, whatever happens to connections and to the core. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import { CloudError, type ItemEvent, type SnapshotEvent, createClient } from '../../lib/client/index.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { userPermissions } from '../../lib/index.js'
import { build } from '../fixtures/cloud.js'
import { type Lists, lists, openEvents } from '../fixtures/events.js'
import { makeKeyOf } from '../fixtures/keys.js'
import { openLink } from '../fixtures/link.js'
import { aService } from '../fixtures/runtime.js'
import { rounds } from '../fixtures/rounds.js'
import { until } from '../fixtures/until.js'

t.setTimeout(240_000)

const states = ['STARTING', 'ONLINE', 'STOPPING', 'OFFLINE'] as const
type Told = SnapshotEvent | ItemEvent

/** Collects what is told until the signal. */
function collect (stream: AsyncIterable<Told>): { readonly told: Told[], readonly done: Promise<void> } {
  const told: Told[] = []
  const done = (async () => { for await (const event of stream) told.push(event) })()
  done.catch(() => {})
  return { told, done }
}

const nameOf = (event: Told): string => event.type === 'snapshot' ? 'snapshot' : `${event.type} ${(event.item as { name: string }).name}`

t.test(`reconnecting ${rounds(8, 100)} times under 100 changes a second: every change exactly once, in order`, async t => {
  const { url, lists, setUp } = await openEvents(t, { live: { socketsPerUser: 500 } })
  const { key } = await makeKeyOf(await setUp(), ['cloud.service.list'])
  const link = await openLink(url.replace(/^ws/, 'http'))
  t.teardown(() => link.close())
  const path = new URL(url).pathname
  const leaving = new AbortController()
  let lost = 0
  const client = createClient({ url: `http://${new URL(link.url).host}${path}`, key })
  const { told, done } = collect(client.events({ topics: ['services'], signal: leaving.signal, onLost: () => { lost++ } }))
  await until(() => told.length > 0, 'the snapshot')

  let changes = 0
  const moves: string[] = []
  const timer = setInterval(() => {
    changes++
    const state = states[(changes + 1) % 4] as (typeof states)[number]
    moves.push(state)
    lists.move('lobby-1', state)
    if (changes % 10 === 0) lists.put({ name: `new-${changes}` })
  }, 10)
  t.teardown(() => { clearInterval(timer) })
  for (let round = 1; round <= rounds(8, 100); round++) {
    const before = told.length
    link.cut()
    link.mend()
    await until(() => lost >= round, () => `lost ${lost} of ${round}`)
    await until(() => told.length > before + 2, 'it goes on')
  }
  clearInterval(timer)
  const moved = (): readonly string[] => told.flatMap(event => event.type === 'changed' && (event.item as { name: string }).name === 'lobby-1' ? [(event.item as { state: string }).state] : [])
  const added = (): readonly string[] => told.filter(({ type }) => type === 'added').map(nameOf)
  const names = Array.from({ length: Math.floor(changes / 10) }, (_, at) => `added new-${(at + 1) * 10}`)
  await until(() => moved().length >= moves.length && added().length >= names.length, () => `${moved().length} of ${moves.length}`)
  leaving.abort()
  await done
  t.comment(`${changes} changes, ${lost} connections lost`)
  t.strictSame(moved(), moves)
  t.strictSame(added(), names)
  t.strictSame(told.map(({ type }) => type).filter(type => type === 'snapshot'), ['snapshot'])
})

t.test('over a restart of the core: what is different is told, once, and nothing else', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db`, defaultPermissions: userPermissions() })
  t.teardown(() => storage.close())
  const first = lists()
  const one = await build(t, { storage, runtime: first })
  const { key } = await makeKeyOf(await one.setUp(), ['cloud.service.list', 'cloud.group.list'])
  await one.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = one.app.server.address() as AddressInfo
  const leaving = new AbortController()
  const client = createClient({ url: `http://127.0.0.1:${port}/cloud/api/v3`, key })
  const { told, done } = collect(client.events({ signal: leaving.signal }))
  await until(() => told.length === 1, 'the snapshot')
  first.put({ name: 'lobby-7' })
  await until(() => told.length === 2, 'a change')
  await one.app.close()

  const second: Lists = lists()
  second.put({ name: 'lobby-8' }, { name: 'lobby-1', motd: 'another' })
  const two = await build(t, { storage, runtime: second })
  await two.app.listen({ host: '127.0.0.1', port })
  await until(() => told.length >= 5, () => `three differences: ${told.slice(2).map(nameOf).join(', ')}`)
  second.put({ name: 'lobby-9' })
  await until(() => told.length >= 6, 'and it goes on')
  leaving.abort()
  await done
  t.strictSame(told.map(nameOf), ['snapshot', 'added lobby-7', 'removed lobby-7', 'changed lobby-1', 'added lobby-8', 'added lobby-9'])
  t.match(told[4], { item: { ...aService, name: 'lobby-8', createdAt: undefined } })
})

t.test('a refusal ends it; what may be over soon does not', async t => {
  const { url, setUp } = await openEvents(t)
  const root = await setUp()
  const { key, id } = await makeKeyOf(root, ['cloud.service.list'])
  const base = url.replace(/^ws/, 'http')
  const refusal = async (stream: AsyncIterable<Told>) => await collect(stream).done.then(() => 'ended', (error: unknown) => error instanceof CloudError ? `${error.status} ${error.code}` : error)
  t.equal(await refusal(createClient({ url: base, key: `${key.slice(0, -1)}x` }).events()), '401 invalid_key')
  t.equal(await refusal(createClient({ url: base, key }).events({ topics: ['groups'] })), '403 forbidden')
  t.equal(await refusal(createClient({ url: base, key }).events({ topics: ['nothing' as 'groups'] })), '400 unknown_topic')
  const { told, done } = collect(createClient({ url: base, key }).events())
  await until(() => told.length === 1, 'the snapshot')
  t.equal((await root('DELETE', `/user/key/${id}`)).status, 204)
  await t.rejects(done, { name: 'CloudError', status: 401, code: 'invalid_key' }, 'nor does it go on with a key that has ended')

  let answers = 0
  const proxy = createServer((_request, response) => {
    answers++
    if (answers < 3) response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    else response.writeHead(200, { 'content-type': 'text/event-stream' }).end('id: a-1\nevent: snapshot\ndata: {"services":[]}\n\nid: a-2\nevent: chan')
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => proxy.close())
  const leaving = new AbortController()
  const causes: string[] = []
  const behind = collect(createClient({ url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, key }).events({ signal: leaving.signal, onLost: cause => { causes.push((cause as Error).message) } }))
  await until(() => causes.length >= 3, 'three tries')
  leaving.abort()
  await behind.done
  t.strictSame(causes.slice(0, 3), ['The answer was 502', 'The answer was 502', 'The core has ended the stream'])
  t.strictSame(behind.told, [{ type: 'snapshot', items: { services: [] } }])
})

t.test('it ends with its signal at once, whatever was collected as garbage meanwhile', async t => {
  setFlagsFromString('--expose_gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const { url, setUp, lists } = await openEvents(t)
  const { key } = await makeKeyOf(await setUp(), ['cloud.service.list'])
  const client = createClient({ url: url.replace(/^ws/, 'http'), key })
  const leaving = new AbortController()
  const { told, done } = collect(client.events({ signal: leaving.signal }))
  await until(() => told.length > 0, 'the snapshot')
  for (let count = 0; count < 3; count++) {
    collectGarbage()
    lists.put({ name: `new-${count}` })
    await until(() => told.length > count + 1, 'it goes on')
  }
  collectGarbage()
  leaving.abort()
  const given = { over: false }
  done.then(() => { given.over = true }, () => {})
  await until(() => given.over, 'it has ended', 2_000)
})

t.test('it ends with its signal, and where its reader stops', async t => {
  const { url, setUp, app } = await openEvents(t)
  const { key } = await makeKeyOf(await setUp(), ['cloud.service.list'])
  const client = createClient({ url: url.replace(/^ws/, 'http'), key })
  const aborted = new AbortController()
  aborted.abort()
  t.strictSame(await client.events({ signal: aborted.signal }).next(), { done: true, value: undefined })
  const stream = client.events()
  t.match((await stream.next()).value, { type: 'snapshot' })
  await stream.return()
  const closing = performance.now()
  await app.close()
  t.ok(performance.now() - closing < 5_000, 'no connection is left that the core would wait for')
})
