/** Two clouds in one host, and a route of the host's that asks for callers of both: each keeps what it asked for, and whom it found. */
import t, { type Test } from 'tap'
import { type CloudDecorator, fastifyCloud } from '../../lib/index.js'
import { adminPassword, build, secret, testLog } from '../fixtures/cloud.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { parking } from '../fixtures/parked.js'
import { listRuntime } from '../fixtures/runtime.js'

t.setTimeout(120_000)

type Guarded = Parameters<CloudDecorator['caller']>[0]

async function open (t: Test) {
  const log = testLog()
  const decorators: CloudDecorator[] = []
  let parked: ReturnType<typeof parking> | undefined
  const cloud = await build(t, {
    host: log.host,
    hostRefuses: true,
    before: app => { parked = parking(t, app, '') },
    after: async app => {
      await app.register(fastifyCloud, {
        secret,
        passwordCost: 4,
        metrics: { interval: 0 },
        runtime: listRuntime(),
        storage: memoryStorage(),
        prefix: '/other',
        decorator: 'other',
        cookie: { name: 'other' }
      })
      const { cloud: ours, other: theirs } = app as unknown as Record<'cloud' | 'other', CloudDecorator>
      decorators.push(ours, theirs)
      const settled = async (request: Guarded) => [(await ours.settle(request)).username, (await theirs.settle(request)).username]
      app.post('/both', { onRequest: [ours.access('token'), theirs.access('token')] }, async request => [
        ours.caller(request)?.username, theirs.caller(request)?.username, ...await settled(request)
      ])
      app.post('/first', { onRequest: [ours.access('mycore.wipe'), theirs.access('token'), ours.access('token')] }, settled)
      app.post('/last', { onRequest: [theirs.access('token'), ours.access('token'), ours.access('mycore.wipe'), theirs.access('token')] }, settled)
      app.post('/theirs', { onRequest: [ours.access('token'), theirs.access('mycore.wipe')] }, settled)
      // Judges routes of ours as well, before they do and after.
      app.addHook('onRequest', async request => { if (request.headers['x-judged'] === 'before') await theirs.access('token')(request, undefined) })
      app.addHook('preHandler', async request => { if (request.headers['x-judged'] === 'after') await theirs.settle(request) })
    }
  })
  const made = await cloud.app.inject({ method: 'POST', url: '/other/user/self', payload: { username: 'bert', password: adminPassword } })
  const other = made.cookies.find(({ name }) => name === 'other')?.value
  return { ...cloud, log, parked: parked as ReturnType<typeof parking>, cookies: (token: string | undefined) => `token=${token}; other=${other}` }
}

t.test('a route behind two clouds has a caller of each, and each settles its own', async t => {
  const { app, setUp, cookies } = await open(t)
  const answer = await app.inject({ method: 'POST', url: '/both', headers: { cookie: cookies((await setUp()).token) } })
  t.strictSame([answer.statusCode, answer.json()], [200, ['root', 'bert', 'root', 'bert']])
})

for (const path of ['/first', '/last']) {
  t.test(`S2: POST ${path}: a right that is lost while the body is under way is missed, also where a hook of another cloud came between`, async t => {
    const { setUp, login, parked, cookies } = await open(t)
    const root = await setUp()
    const carl = await login(['mycore.wipe'])
    const token = cookies(carl.token).replace('token=', '')
    const kept = await parked.park(token, 'POST', path)
    t.strictSame(await kept.finish(), { status: 200, body: ['user1', 'bert'] })
    const request = await parked.park(token, 'POST', path)
    t.equal((await root('PATCH', '/user/edit', { uuid: carl.uuid, roleId: 0 })).status, 201)
    t.match(await request.finish(), { status: 403, body: { message: 'Forbidden' } })
  })
}

t.test('a route of ours acts for our caller, whatever another cloud judges before it or after', async t => {
  const { login, cookies, log } = await open(t)
  const user = await login(['cloud.role.create'], 'anna')
  for (const judged of ['before', 'after']) {
    const headers = { cookie: cookies(user.token), 'x-judged': judged }
    log.audits()
    const { status, body } = await user('GET', '/user/self', undefined, { headers })
    if (judged === 'after') {
      t.equal(status, 401, 'who passed no hook of the other cloud is settled by none')
      continue
    }
    t.strictSame([status, body.data.username], [200, 'anna'])
    t.equal((await user('POST', '/role/', { label: judged, hexColor: '#fff' }, { headers })).status, 201)
    t.equal((await user('POST', '/auth/login', { username: 'anna', password: 'wrong' }, { headers })).status, 401)
    t.strictSame(log.audits().map(({ audit, callerName }) => [audit, callerName]), [['role.created', 'anna'], ['login.failed', undefined]])
  }
})
