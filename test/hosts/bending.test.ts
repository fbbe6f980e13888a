/** Plugins and options of a host that change what every route reads or answers, and its hooks that look on. */
import { parse } from 'node:querystring'
import t from 'tap'
import { base, build } from '../fixtures/cloud.js'

t.setTimeout(600_000)

t.test('H9: a query is read in our way, whatever the host does with queries', async t => {
  const parsers: Record<string, (text: string) => Record<string, unknown>> = {
    'numbers and nesting': text => ({ page: 7, size: { at: 3 }, from: [1], all: text }),
    nothing: () => ({}),
    'other names': text => Object.fromEntries(Object.entries(parse(text)).map(([name, value]) => [`$${name}`, value]))
  }
  for (const [name, querystringParser] of Object.entries(parsers)) {
    const { app, setUp, runtime } = await build(t, {
      host: { routerOptions: { querystringParser } as object }, live: { queryToken: true }, after: app => { app.get('/own', async request => request.query) }
    })
    runtime.given.players.push(...Array.from({ length: 10 }, (_, n) => ({
      name: `player${n}`, uuid: `00000000-0000-0000-0000-0000000000${String(n).padStart(2, '0')}`, currentServiceName: 'lobby-1'
    })))
    const root = await setUp()
    t.match((await root('GET', '/players/list?page=2&size=5')).body, { page: 2, size: 5, total: 12 }, name)
    t.match((await root('GET', '/players/list')).body, { page: 1, size: 20 }, name)
    t.equal((await root('GET', '/players/list?page=1&page=2')).status, 400, 'one that is given twice is none')
    t.equal((await root('GET', '/services/count?from=5&to=%34')).status, 400)
    t.equal((await app.inject({ url: `${base}/alive?token=${root.token}` })).statusCode, 426, 'and so is a token in it')
    t.strictSame((await app.inject('/own?a=b')).json(), querystringParser('a=b'), 'the host keeps its own')
  }
})

t.test('H9: answers stay JSON where the host chooses a serialiser by what is accepted', async t => {
  // As @fastify/accepts-serializer does it.
  const { app, setUp } = await build(t, {
    before: app => app.addHook('preHandler', async (request, reply) => {
      if (request.headers.accept !== 'application/yaml') return
      reply.type('application/yaml').serializer(payload => `yaml: ${typeof payload}`)
    }),
    after: app => { app.get('/own', async () => ({})) }
  })
  const root = await setUp()
  for (const path of ['/health', '/user/self', '/services/list', '/group/nobody', '/role/x']) {
    const plain = await root('GET', path)
    const asked = await root('GET', path, undefined, { headers: { accept: 'application/yaml' } })
    t.strictSame([asked.status, asked.body, asked.headers['content-type']], [plain.status, plain.body, 'application/json; charset=utf-8'], path)
  }
  t.equal((await app.inject({ url: '/own', headers: { accept: 'application/yaml' } })).payload, 'yaml: object')
})

t.test('H9: a hook of the host sees what led to a failure of ours', async t => {
  const seen: Array<{ readonly message: string, readonly cause: string | undefined }> = []
  const { setUp, runtime, storage } = await build(t, {
    runtimeTimeout: 50,
    before: app => app.addHook('onError', async (_request, _reply, error) => {
      seen.push({ message: error.message, cause: (error.cause as Error | undefined)?.message })
    })
  })
  const root = await setUp()
  const failure = async (path: string, message: string, cause: string, method = 'GET', body?: object) => {
    seen.length = 0
    await root(method, path, body)
    t.strictSame(seen, [{ message, cause }], `${method} ${path}`)
  }
  const list = (answer: () => unknown) => () => answer() as never
  runtime.platforms.list = list(() => { throw new Error('the disk') })
  await failure('/platforms/list', 'Internal Server Error', 'the disk')
  runtime.platforms.list = list(() => 5)
  await failure('/platforms/list', 'Runtime gave an invalid answer', 'a list of platforms is no list')
  runtime.platforms.list = list(() => new Promise(() => {}))
  await failure('/platforms/list', 'Runtime did not answer in time', 'There was no answer within 50 ms')
  runtime.metrics.sample = list(() => ({ cpu: { core: -1, services: 0 }, memory: { core: 0, services: 0 }, runtime: '', uptime: 0 }))
  await failure('/system/information', 'Runtime gave an invalid answer', 'a sample has a wrong /cpu/core')
  storage.roles.delete = async () => { throw new Error('the database') }
  await failure('/role/5', 'Failed to delete role', 'the database', 'DELETE')
})
