/** A host's own permissions, beside those of the interface. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fastifySwagger from '@fastify/swagger'
import t from 'tap'
import { userPermissions } from '../../lib/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import { openPostgresStorage } from '../../lib/storage/postgres.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { build } from '../fixtures/cloud.js'
import { repository } from '../fixtures/repository.js'

t.setTimeout(600_000)

t.test('types/permissions.ts names every permission that a route of the interface asks for, and no other', async t => {
  const { app } = await build(t)
  const [text = ''] = readFileSync(join(repository, 'types/permissions.ts'), 'utf8').split('HostPermissions', 1)
  const names = [...text.matchAll(/\| '([a-z.-]+)'/g)].map(([, name]) => `cloud.${name}`)
  t.strictSame(names.sort(), app.cloud.permissions)
})

t.test('H9: a misspelt permission of ours is refused where the host declares it, with those that are meant', async t => {
  const { app } = await build(t)
  const ofGroups = app.cloud.permissions.filter(one => one.startsWith('cloud.group.')).toSorted()
  t.ok(ofGroups.length > 5)
  t.throws(() => app.cloud.access('cloud.group.lst'), {
    name: 'SetupError',
    code: 'CLOUD_ERR_PERMISSION',
    message: `\`cloud.access\` was given cloud.group.lst, which is none of the interface's: ${ofGroups.join(', ')}; a permission of your own begins with another word than cloud`
  })
  t.throws(() => app.cloud.access('cloud.backup'), { code: 'CLOUD_ERR_PERMISSION', message: /: cloud\.audit\.list, .*cloud\.ws\.service\.update; / })
  t.doesNotThrow(() => { for (const one of app.cloud.permissions) app.cloud.access(one) })
  t.doesNotThrow(() => { for (const one of ['token', 'admin', 'mycore.thing', 'cloudy.group.lst', 'polocloud.group.lst']) app.cloud.access(one) })

  const { app: other } = await build(t, { namespace: 'polocloud' })
  t.throws(() => other.cloud.access('polocloud.group.lst'), { code: 'CLOUD_ERR_PERMISSION', message: /: polocloud\.group\.count, / })
  t.doesNotThrow(() => other.cloud.access('cloud.group.lst'))
})

t.test('a word without a dot is `caller`, `token`, `admin` or `public`, and a misspelt one is refused where the host declares it', async t => {
  const { app } = await build(t)
  for (const word of ['tokn', 'Token', 'admins', 'cloud', 'backup']) {
    t.throws(() => app.cloud.access(word), {
      name: 'SetupError',
      code: 'CLOUD_ERR_PERMISSION',
      message: `\`cloud.access\` must be given \`caller\`, \`token\`, \`admin\`, \`public\` or a permission with a dot such as mycore.thing; given: ${word}`
    }, word)
  }
  t.doesNotThrow(() => { for (const word of ['caller', 'token', 'admin', 'public']) app.cloud.access(word) })
})

t.test('a permission that the host guards a route with is in the catalogue, once', async t => {
  const { app } = await build(t)
  const before = app.cloud.permissions
  for (const one of ['mycore.backup', 'token', 'admin', 'mycore.backup', 'cloud.group.list']) app.cloud.access(one)
  t.strictSame(app.cloud.permissions, [...before, 'mycore.backup'])
  t.strictSame(app.cloud.routes.filter(({ access }) => access === 'mycore.backup'), [], 'the routes are those of the interface')
})

t.test('role 0 starts with what the host adds to its permissions, and callers tell what they hold', async t => {
  const storage = await openSqliteStorage({ file: `${t.testdir()}/cloud.db`, defaultPermissions: [...userPermissions(), 'mycore.look'] })
  t.teardown(() => storage.close())
  const { app, setUp, client } = await build(t, {
    storage,
    after: app => {
      for (const one of ['look', 'backup']) app.get(`/${one}`, { onRequest: app.cloud.access(`mycore.${one}`) }, async () => one)
      app.get('/held', { onRequest: app.cloud.access('token') }, async request =>
        ['mycore.look', 'mycore.backup', 'cloud.group.list', 'cloud.group.delete'].filter(one => app.cloud.caller(request)?.holds(one)))
    }
  })
  const root = await setUp()
  t.ok((await root('GET', '/role/0')).body.data.permissions.includes('mycore.look'))
  const made = await root('POST', '/user/', { username: 'jane' })
  const jane = client()
  await jane('POST', '/auth/login', { username: 'jane', password: made.body.data.password })
  await jane('PATCH', '/user/self/change-password', { password: 'another password' })
  const ask = async (one: typeof jane, url: string) => (await app.inject({ url, headers: { cookie: `token=${one.token}` } }))
  t.equal((await ask(jane, '/look')).statusCode, 200)
  t.equal((await ask(jane, '/backup')).statusCode, 403)
  t.strictSame((await ask(jane, '/held')).json(), ['mycore.look', 'cloud.group.list'])
  t.strictSame((await ask(root, '/held')).json(), ['mycore.look', 'mycore.backup', 'cloud.group.list', 'cloud.group.delete'])
})

t.test('permissions for role 0 that nothing can ask for are refused when a storage is opened, new or not', async t => {
  const directory = t.testdir()
  const file = `${directory}/cloud.db`
  await (await openSqliteStorage({ file, defaultPermissions: ['mycore.look'] })).close()
  const wrong: ReadonlyArray<readonly [given: unknown, told: string]> = [
    [['mycore.look', 'Was soll das'], 'Was soll das'], [['token'], 'token'], [['*'], '*'], [['mycore.'], 'mycore.'], [['MyCore.look'], 'MyCore.look'],
    [[5], '5'], [['a.b', null], 'null'], ['mycore.look', 'mycore.look'], [null, 'null'], [{}, '[object Object]']
  ]
  for (const [given, told] of wrong) {
    const refusal = {
      name: 'SetupError', code: 'CLOUD_ERR_STORAGE_OPTION', message: `Option defaultPermissions must be a list of permissions such as mycore.thing; given: ${told}`
    }
    const defaultPermissions = given as readonly string[]
    await t.rejects(openSqliteStorage({ file, defaultPermissions }), refusal)
    await t.rejects(openSqliteStorage({ file: `${directory}/new.db`, defaultPermissions }), refusal)
    // Nobody listens there: what is wrong is told before anything is reached.
    await t.rejects(openPostgresStorage({ url: 'postgres://127.0.0.1:1/none', defaultPermissions }), refusal)
    t.throws(() => createMemoryStorage({ defaultPermissions }), refusal)
  }
  const storage = await openSqliteStorage({ file, defaultPermissions: userPermissions() })
  t.teardown(() => storage.close())
  t.strictSame((await storage.roles.find(0))?.permissions, ['mycore.look'])
})

t.test('the OpenAPI document says what a route of the host needs', async t => {
  const { app } = await build(t, {
    before: app => app.register(fastifySwagger, { openapi: { openapi: '3.1.0', info: { title: 'Host', version: '1' }, components: { securitySchemes: { theirs: { type: 'http', scheme: 'basic' } } } } }),
    after: app => {
      const onRequest = app.cloud.access('mycore.backup')
      app.post('/backups', { onRequest, schema: { summary: 'Make a backup', description: 'Of everything.', body: { type: 'object' } } }, async () => 'done')
      app.get('/backups', { onRequest: [async () => {}, onRequest] }, async () => [])
      app.get('/mine', { onRequest: app.cloud.access('token'), schema: { security: [{ theirs: [] }] } }, async () => [])
      app.get('/anybody', { onRequest: app.cloud.access('public') }, async () => [])
    }
  })
  const { paths } = app.swagger() as unknown as { paths: Record<string, Record<string, Record<string, unknown>>> }
  const said = (method: string, path: string) => {
    const { security, description, summary, 'x-permission': permission } = paths[path]?.[method] ?? {}
    return { security, description, summary, permission }
  }
  t.strictSame(said('post', '/backups'), {
    security: [{ cloudToken: [] }, { cloudKey: [] }], description: 'Of everything. Needs the permission `mycore.backup`.', summary: 'Make a backup', permission: 'mycore.backup'
  })
  t.strictSame(said('get', '/backups'), {
    security: [{ cloudToken: [] }, { cloudKey: [] }], description: 'Needs the permission `mycore.backup`.', summary: undefined, permission: 'mycore.backup'
  })
  t.strictSame(said('get', '/mine'), { security: [{ theirs: [] }], description: 'Needs a valid token; an API key is refused.', summary: undefined, permission: 'token' })
  t.strictSame(said('get', '/anybody'), { security: undefined, description: undefined, summary: undefined, permission: undefined })
})

t.test('a host that hides our routes from its document still has them, and its document', async t => {
  const { app } = await build(t, {
    before: async app => {
      app.addHook('onRoute', route => { route.schema = { ...route.schema, hide: true } })
      await app.register(fastifySwagger, { openapi: { openapi: '3.1.0', info: { title: 'Host', version: '1' } } })
    },
    after: app => {
      app.addHook('onRoute', route => { route.schema = { ...route.schema, hide: false } })
      app.get('/backups', { onRequest: app.cloud.access('mycore.backup') }, async () => [])
    }
  })
  const { paths } = app.swagger() as unknown as { paths: Record<string, Record<string, Record<string, unknown>>> }
  t.strictSame(Object.keys(paths), ['/backups'])
  t.equal(paths['/backups']?.['get']?.['x-permission'], 'mycore.backup')
  t.equal(app.cloud.routes.length > 40, true)
  t.ok(app.cloud.permissions.includes('cloud.group.list'))
})
