/** `fastify-cloud/client` against a cloud that listens: by key and by cookie, every kind of operation, and consoles. */
import t from 'tap'
import { CloudError, type components, createClient } from '../../lib/client/index.js'
import type * as wire from '../../types/resources.js'
import { adminPassword } from '../fixtures/cloud.js'
import { openEvents } from '../fixtures/events.js'
import { makeKeyOf } from '../fixtures/keys.js'
import { until } from '../fixtures/until.js'

t.setTimeout(120_000)

type DeepReadonly<T> = T extends ReadonlyArray<infer U> ? ReadonlyArray<DeepReadonly<U>> : T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T
type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : never : never
type Named<N extends keyof components['schemas']> = DeepReadonly<components['schemas'][N]>

/** Fails to compile where the document and the types of the package part ways. */
const proofs: [
  Same<Named<'Service'>, DeepReadonly<wire.Service>>, Same<Named<'Group'>, DeepReadonly<wire.Group>>, Same<Named<'Player'>, DeepReadonly<wire.Player>>,
  Same<Named<'Platform'>, DeepReadonly<wire.Platform>>, Same<Named<'Template'>, DeepReadonly<wire.Template>>, Same<Named<'Role'>, DeepReadonly<wire.Role>>,
  Same<Named<'User'>, DeepReadonly<wire.User>>, Same<Named<'Key'>, DeepReadonly<wire.Key>>
] = [true, true, true, true, true, true, true, true]

const open = async (test: Parameters<typeof openEvents>[0]) => {
  const cloud = await openEvents(test)
  const url = cloud.url.replace(/^ws/, 'http')
  const root = await cloud.setUp()
  return { ...cloud, root, url, byKey: async (...permissions: string[]) => createClient({ url, key: (await makeKeyOf(root, permissions)).key }) }
}

t.test('the types of the document are those of the package', async t => { t.ok(proofs.every(one => one)) })

t.test('by key: answers come typed, refusals with their code', async t => {
  const { byKey, lists } = await open(t)
  const client = await byKey('cloud.service.list', 'cloud.group.get', 'cloud.group.edit')
  const { data, response } = await client.GET('/services/list')
  t.equal(response.status, 200)
  t.strictSame(data?.data.map(({ name }) => name), lists.given.services.map(({ name }) => name))
  const missing = await client.GET('/group/{name}', { params: { path: { name: 'nobody' } } })
  t.strictSame(missing.error, { status: 404, message: 'Group not found', code: 'group_not_found' })
  if (missing.error?.code === 'group_not_found') t.equal(missing.error.status, 404)
  const edited = await client.PATCH('/group/{name}', { params: { path: { name: 'lobby' } }, body: { minMemory: 300 } })
  t.equal(edited.data?.data.minMemory, 300)
  t.equal((await client.GET('/users/')).error?.code, 'key_not_accepted')
})

t.test('by cookie: a login is kept, sent with requests and sockets, and ends with a logout', async t => {
  const { url, lists } = await open(t)
  const client = createClient({ url: `${url}/` })
  t.equal((await client.GET('/user/self')).error?.code, 'missing_token')
  t.equal((await client.POST('/auth/login', { body: { username: 'root', password: adminPassword } })).data?.message, 'Login successful')
  t.equal((await client.GET('/user/self')).data?.data.username, 'root')
  lists.print('lobby-1', 'first')
  const lines = client.console('lobby-1')
  t.equal((await lines.next()).value, 'first')
  await lines.return()
  const stream = client.events({ topics: ['groups'] })
  t.match((await stream.next()).value, { type: 'snapshot', items: { groups: [{ name: 'lobby' }] } })
  await stream.return()
  await client.POST('/auth/logout')
  t.equal((await client.GET('/user/self')).error?.code, 'missing_token')
})

t.test('console(): the last lines, then every new one, until the signal', async t => {
  const { byKey, lists } = await open(t)
  const client = await byKey('cloud.service.screen')
  lists.print('lobby-1', 'one', 'two')
  const leaving = new AbortController()
  const seen: string[] = []
  const reading = (async () => { for await (const line of client.console('lobby-1', { signal: leaving.signal })) seen.push(line) })()
  await until(() => seen.length === 2, () => `two lines, ${seen.length}`)
  lists.print('lobby-1', 'three')
  await until(() => seen.length === 3, () => `three lines, ${seen.length}`)
  leaving.abort()
  await reading
  t.strictSame(seen, ['one', 'two', 'three'])
  await until(() => lists.listeners === 0 || lists.listeners === 1, 'the console is left')
})

t.test('console() throws what the core refuses, and ends when the core closes', async t => {
  const { app, byKey } = await open(t)
  const refused = async (client: Awaited<ReturnType<typeof byKey>>, name: string) => {
    try {
      for await (const line of client.console(name)) t.fail(line)
    } catch (error) {
      return error instanceof CloudError ? { status: error.status, code: error.code } : error
    }
  }
  t.strictSame(await refused(await byKey('cloud.service.list'), 'lobby-1'), { status: 403, code: 'forbidden' })
  const client = await byKey('cloud.service.screen')
  t.strictSame(await refused(client, 'nobody'), { status: 404, code: 'service_not_found' })
  const ended = refused(client, 'lobby-1')
  await until(async () => app.cloud.routes.length > 0, 'the console is open')
  await app.close()
  await ended
})
