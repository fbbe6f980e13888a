/** Every endpoint with every kind of caller. */
import type { RouteOptions } from 'fastify'
import t from 'tap'
import { userPermissions } from '../../lib/index.js'
import { type Answer, type Client, adminPassword, base, build } from '../fixtures/cloud.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

/** The permissions of docs/interface.md, All endpoints, a line for each endpoint; `r` marks what role 0 starts with. */
const table: ReadonlyArray<readonly [endpoint: string, access: string, mark?: 'r']> = [
  ['POST /auth/login', 'public'],
  ['POST /user/self', 'public'],
  ['GET /health/', 'public'],
  ['GET /health/ready', 'public'],
  ['POST /auth/logout', 'token'],
  ['GET /auth/token', 'token'],
  ['GET /user/self', 'token'],
  ['PATCH /user/self/edit', 'token'],
  ['PATCH /user/self/change-password', 'token'],
  ['DELETE /user/self', 'token'],
  ['GET /user/tokens', 'token'],
  ['DELETE /user/token/{token}', 'token'],
  ['DELETE /user/tokens', 'token'],
  ['POST /user/keys', 'token'],
  ['GET /user/keys', 'token'],
  ['DELETE /user/key/{id}', 'token'],
  ['GET /keys/', 'admin'],
  ['DELETE /key/{id}', 'admin'],
  ['POST /user/', 'admin'],
  ['GET /users/', 'admin'],
  ['GET /user/{uuid}', 'admin'],
  ['PATCH /user/edit', 'admin'],
  ['DELETE /user/{uuid}', 'admin'],
  ['POST /role/', 'cloud.role.create'],
  ['GET /roles/', 'cloud.role.list', 'r'],
  ['GET /role/{id}', 'cloud.role.get', 'r'],
  ['PATCH /role/{id}', 'cloud.role.edit'],
  ['DELETE /role/{id}', 'cloud.role.delete'],
  ['GET /system/version', 'cloud.system.version', 'r'],
  ['GET /system/information', 'cloud.system.information', 'r'],
  ['GET /system/information/average', 'cloud.system.information', 'r'],
  ['GET /system/information/minutes', 'cloud.system.information', 'r'],
  ['GET /system/information/hours', 'cloud.system.information', 'r'],
  ['GET /system/information/days', 'cloud.system.information', 'r'],
  ['GET /templates/list', 'cloud.templates.list', 'r'],
  ['POST /template/', 'cloud.templates.create'],
  ['PATCH /template/{templateName}', 'cloud.templates.edit'],
  ['DELETE /template/{templateName}', 'cloud.templates.delete'],
  ['GET /template/{templateName}/files', 'cloud.template.files.read'],
  ['GET /template/{templateName}/file/{path}', 'cloud.template.files.read'],
  ['PUT /template/{templateName}/file/{path}', 'cloud.template.files.write'],
  ['DELETE /template/{templateName}/file/{path}', 'cloud.template.files.write'],
  ['GET /template/{templateName}/archive', 'cloud.template.files.read'],
  ['POST /template/{templateName}/archive', 'cloud.template.files.write'],
  ['GET /services/count', 'cloud.service.count', 'r'],
  ['GET /services/list', 'cloud.service.list', 'r'],
  ['GET /service/{serviceName}', 'cloud.service.list', 'r'],
  ['POST /service/{serviceName}/command', 'cloud.service.execute'],
  ['PATCH /service/{serviceName}/restart', 'cloud.service.restart'],
  ['GET /player/{playerName}', 'cloud.player.get', 'r'],
  ['GET /players/list', 'cloud.players.list', 'r'],
  ['GET /group/count', 'cloud.group.count', 'r'],
  ['GET /group/list', 'cloud.group.list', 'r'],
  ['GET /groups/count', 'cloud.group.count', 'r'],
  ['GET /groups/list', 'cloud.group.list', 'r'],
  ['GET /group/{name}', 'cloud.group.get', 'r'],
  ['GET /group/{name}/status', 'cloud.group.get', 'r'],
  ['PATCH /group/{name}/restart', 'cloud.group.restart'],
  ['POST /group/create', 'cloud.group.create'],
  ['PATCH /group/{name}', 'cloud.group.edit'],
  ['DELETE /group/{name}', 'cloud.group.delete'],
  ['GET /platforms/list', 'cloud.platform.list', 'r'],
  ['POST /terminal/command', 'cloud.terminal.command'],
  ['GET /audit', 'cloud.audit.list'],
  ['GET /events', 'caller'],
  ['GET /metrics', 'cloud.metrics']
]
/** The live channels (docs/interface.md, Live channels), all marked r. */
const live: Readonly<Record<string, string>> = {
  'GET /alive': 'cloud.ws.alive',
  'GET /logs': 'cloud.ws.logs',
  'GET /services/update': 'cloud.ws.service.update',
  'GET /service/{serviceName}/screen': 'cloud.service.screen'
}

/** A request to an endpoint that ends nothing, and what a caller gets who is let through. */
interface Try {
  readonly path?: string
  readonly body?: unknown
  readonly status: number
}
const nowhere = '00000000-0000-4000-8000-000000000000'
const tries: Readonly<Record<string, Try>> = {
  'POST /auth/login': { body: {}, status: 400 },
  'POST /user/self': { body: { username: 'x', password: 'long enough' }, status: 400 },
  'POST /auth/logout': { status: 200 },
  'PATCH /user/self/edit': { body: {}, status: 400 },
  'PATCH /user/self/change-password': { body: {}, status: 400 },
  'DELETE /user/self': { status: 204 },
  'DELETE /user/token/{token}': { path: '/user/token/x', status: 404 },
  'DELETE /user/tokens': { status: 204 },
  'POST /user/keys': { body: {}, status: 400 },
  'DELETE /user/key/{id}': { path: '/user/key/x', status: 404 },
  'DELETE /key/{id}': { path: '/key/x', status: 404 },
  'POST /user/': { body: {}, status: 400 },
  'GET /user/{uuid}': { path: `/user/${nowhere}`, status: 404 },
  'PATCH /user/edit': { body: { uuid: nowhere, roleId: 0 }, status: 404 },
  'DELETE /user/{uuid}': { path: `/user/${nowhere}`, status: 404 },
  'POST /role/': { body: { label: 'x', hexColor: '#FFF', permissions: ['*'] }, status: 403 },
  'GET /role/{id}': { path: '/role/0', status: 200 },
  'PATCH /role/{id}': { path: '/role/9999', body: { label: 'x', hexColor: '#FFF' }, status: 404 },
  'DELETE /role/{id}': { path: '/role/0', status: 404 },
  'POST /template/': { body: { name: 'EVERY' }, status: 400 },
  'PATCH /template/{templateName}': { path: '/template/nothing', body: { name: 'x' }, status: 400 },
  'DELETE /template/{templateName}': { path: '/template/lobby', status: 400 },
  'GET /template/{templateName}/files': { path: '/template/lobby/files', status: 500 },
  'GET /template/{templateName}/file/{path}': { path: '/template/lobby/file/a', status: 500 },
  'PUT /template/{templateName}/file/{path}': { path: '/template/lobby/file/a', status: 500 },
  'DELETE /template/{templateName}/file/{path}': { path: '/template/lobby/file/a', status: 500 },
  'GET /template/{templateName}/archive': { path: '/template/lobby/archive', status: 500 },
  'POST /template/{templateName}/archive': { path: '/template/lobby/archive', status: 500 },
  'GET /service/{serviceName}': { path: '/service/lobby-1', status: 200 },
  'POST /service/{serviceName}/command': { path: '/service/lobby-1/command', body: { command: 'x' }, status: 200 },
  'PATCH /service/{serviceName}/restart': { path: '/service/lobby-1/restart', status: 202 },
  'GET /player/{playerName}': { path: '/player/steve', status: 200 },
  'GET /group/{name}': { path: '/group/lobby', status: 200 },
  'GET /group/{name}/status': { path: '/group/lobby/status', status: 200 },
  'PATCH /group/{name}/restart': { path: '/group/lobby/restart', status: 202 },
  'POST /group/create': { body: {}, status: 400 },
  'PATCH /group/{name}': { path: '/group/lobby', body: {}, status: 200 },
  'DELETE /group/{name}': { path: '/group/nothing', status: 404 },
  'POST /terminal/command': { body: { command: 'help' }, status: 201 }
}
/** What changes nothing that is audited, or tells its own audit line, whose action is not always the same. */
const tellsItself = new Set(['POST /auth/login', 'POST /user/self', 'POST /terminal/command'])
const endsSession = new Set(['POST /auth/logout', 'DELETE /user/self', 'DELETE /user/tokens'])

t.test('the door of every route (case 16)', async t => {
  const declared: RouteOptions[] = []
  const { app, client, setUp, login } = await build(t, { before: app => { app.addHook('onRoute', route => { declared.push(route) }) } })
  const root = await setUp()
  const routes = app.cloud.routes.filter(({ method, path }) => live[`${method} ${path}`] === undefined)

  t.test('the catalogue is this table, line by line', async t => {
    const found = new Map(routes.map(({ method, path, access }) => [`${method} ${path}`, access]))
    const lines = new Map(table.map(([endpoint, access]) => [endpoint, access]))
    for (const [endpoint, access] of found) {
      if (lines.has(endpoint)) t.equal(access, lines.get(endpoint), `${endpoint} asks for what its line in \`table\` says`)
      else t.fail(`${endpoint} has no line in \`table\` of this test: ['${endpoint}', '${access}'], with 'r' behind it where role 0 starts with it`)
    }
    for (const endpoint of lines.keys()) {
      if (!found.has(endpoint)) t.fail(`${endpoint} has a line in \`table\` of this test and is no route: is its file among \`allRoutes\` in lib/routes/index.ts?`)
    }
    t.equal(routes.length, table.length, 'none twice')
    for (const { method, path, access } of app.cloud.routes) {
      const channel = live[`${method} ${path}`]
      if (channel !== undefined) t.equal(access, channel, `${path} is guarded as the table says`)
    }
  })

  t.test('what changes something has an audit line', async t => {
    const changing = declared.filter(({ method, config }) => !['GET', 'HEAD'].includes(String(method)) && config?.cloud?.isUnlisted !== true)
    t.ok(changing.length > 15)
    for (const { method, url, config } of changing) {
      const endpoint = `${String(method)} ${(config?.cloud?.path ?? url.slice(base.length)).replace(/:(\w+)/g, '{$1}')}`
      if (!tellsItself.has(endpoint)) t.ok(config?.cloud?.audit, `${endpoint} names its \`audit\` line beside its \`access\``)
    }
  })

  t.test('role 0 starts with the permissions marked r', async t => {
    const marked = [...table.filter(([, , mark]) => mark === 'r').map(([, access]) => access), ...Object.values(live)]
    const wanted = [...new Set(marked)].sort()
    const given = userPermissions()
    for (const one of wanted) t.ok(given.includes(one), `${one} is marked r in \`table\` of this test, and is in lib/accounts/default-permissions.ts`)
    for (const one of given) t.ok(wanted.includes(one), `${one} is in lib/accounts/default-permissions.ts, and is marked r in \`table\` of this test`)
    t.strictSame([...(await root('GET', '/role/0')).body.data.permissions].sort(), wanted)
  })

  t.test('no path is guarded less than its twin with the other ending', async t => {
    for (const { method, path, access } of routes) {
      if (access === 'public') continue
      for (const form of [path, path.endsWith('/') ? path.slice(0, -1) : `${path}/`]) {
        const answer = await client()(method, form)
        t.equal(answer.status, 401, `${method} ${form}`)
      }
    }
  })

  const user = await login([], 'matrix')
  const { id: roleId } = (await user('GET', '/user/self')).body.data.role
  const others = [...new Set([...table.map(([, access]) => access), ...Object.values(live)])].filter(access => access.includes('.'))
  const give = async (permissions: readonly string[]): Promise<void> => {
    const { status } = await root('PATCH', `/role/${roleId}`, { label: 'role of matrix', hexColor: '#123456', permissions })
    if (status !== 200) throw new Error(`The role was not edited: ${status}`)
  }

  const missing = (endpoint: string): string => endpoint === 'GET /auth/token' ? 'No token found' : 'Missing token'

  for (const { method, path, access } of routes) {
    const endpoint = `${method} ${path}`
    const own = tries[endpoint] ?? { status: 200 }
    if (tries[endpoint] === undefined && (method !== 'GET' || path.includes('{'))) {
      t.fail(`${endpoint} has no line in \`tries\` of this test: a request that ends nothing, and the status of whoever is let through`)
      continue
    }
    t.test(`${endpoint} lets through whom \`${access}\` names`, async t => {
      for (const form of [own.path ?? path, turned(own.path ?? path)]) {
        const send = async (caller: Client): Promise<Answer> => await caller(method, form, own.body)
        const passes = async (caller: Client, who: string): Promise<void> => {
          t.equal((await send(caller)).status, own.status, `${form}: ${who}`)
        }
        const refused = async (caller: Client, status: number, message: string, who: string): Promise<void> => {
          const answer = await send(caller)
          t.strictSame({ status: answer.status, body: answer.body }, { status, body: refusal(status, message) }, `${form}: ${who}`)
        }

        const garbage = client()
        garbage.token = 'garbage'
        if (access === 'public') {
          await passes(client(), 'nobody')
          await passes(garbage, 'a garbage token')
          await passes(user, 'any user')
          await passes(root, 'an admin')
          continue
        }

        await refused(client(), 401, missing(endpoint), 'nobody')
        await refused(garbage, 401, 'Invalid or expired token', 'a garbage token')
        if (access === 'token' || access === 'caller') {
          await passes(endsSession.has(endpoint) ? await login([]) : user, 'a user without any permission')
          // The last admin cannot delete themselves: that is past the door.
          if (endpoint === 'DELETE /user/self') t.equal((await send(root)).status, 403, 'the last admin')
          else await passes(root, 'an admin')
          if (endsSession.has(endpoint)) {
            const again = await root('POST', '/auth/login', { username: 'root', password: adminPassword })
            t.equal(again.status, 200)
          }
          continue
        }

        const without = others.filter(permission => permission !== access)
        if (access === 'admin') {
          await give(['admin', ...without])
          await refused(user, 403, 'Forbidden', 'every permission')
        } else {
          await give([...without, `${access}.x`, access.split('.').slice(0, -1).join('.')])
          await refused(user, 403, 'Forbidden', 'everything but that')
          await give([access])
          await passes(user, 'exactly that permission')
        }
        await passes(root, 'an admin')
      }
    })
  }
})

function turned (path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : `${path}/`
}
