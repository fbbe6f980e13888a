/** What a host sees of our routes: its hooks, its limits, its metrics. */
import type { RouteOptions } from 'fastify'
import t, { type Test } from 'tap'
import { base, build, type BuildOptions } from '../fixtures/cloud.js'

t.setTimeout(600_000)

/** A host whose hooks note what they are told. */
async function watched (t: Test, options: BuildOptions = {}) {
  const told: RouteOptions[] = []
  const routed: Array<string | undefined> = []
  const cloud = await build(t, {
    ...options,
    before: async app => {
      app.addHook('onRoute', route => { told.push(route) })
      app.addHook('onResponse', async request => { routed.push(request.routeOptions.url) })
      await options.before?.(app)
    }
  })
  return { ...cloud, told, routed }
}
const methodsOf = ({ method }: RouteOptions) => [method].flat()

for (const [name, host] of [['', {}], [', whatever its router ignores', { routerOptions: { ignoreTrailingSlash: true } }]] as const) {
  t.test(`H9: a hook of the host is told of each route once, and not of its form with or without a slash${name}`, async t => {
    const { app, told } = await watched(t, { host })
    const ours = told.filter(({ url }) => url.startsWith(`${base}/`) && !url.endsWith(`${base}/*`))
    for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE']) {
      const urls = ours.filter(route => methodsOf(route).includes(method)).map(({ url }) => url.replace(/\/$/, ''))
      t.equal(new Set(urls).size, urls.length, `${method}: ${urls.filter((url, at) => urls.indexOf(url) !== at).join(' ')}`)
      const listed = app.cloud.routes.filter(route => route.method === (method === 'HEAD' ? 'GET' : method))
      t.equal(urls.length, listed.length, method)
    }
  })
}

t.test('H7: the config of our routes holds one key of ours, whatever a host means by others', async t => {
  const { told } = await watched(t, {
    // A gate of the host's own, by a key that ours had once.
    before: app => {
      app.addHook('onRequest', async (request, reply) => {
        const { access } = request.routeOptions.config as { access?: string }
        if (access !== undefined) return await reply.code(418).send({ access })
      })
    },
    after: async app => {
      app.get('/own', { config: { access: 'host' } as object }, async () => ({}))
      t.equal((await app.inject('/own')).statusCode, 418)
      t.equal((await app.inject(`${base}/health`)).statusCode, 200)
    }
  })
  const ours = told.filter(({ url }) => url.startsWith(base))
  t.ok(ours.length > 50)
  // The other two are read by `@fastify/cors` and `@fastify/swagger`.
  const theirs = ['cors', 'swaggerTransform']
  for (const { method, url, config = {} } of ours) {
    t.strictSame(Object.keys(config).filter(key => !theirs.includes(key)), ['cloud'], `${String(method)} ${url}`)
  }
})

t.test('H9: both forms of a path are one route to metrics, whatever the method', async t => {
  const { app, routed } = await watched(t)
  for (const path of ['/health', '/users', '/group/lobby', '/service/lobby-1/screen']) {
    for (const method of ['GET', 'HEAD'] as const) {
      for (const slash of ['', '/']) await app.inject({ method, url: `${base}${path}${slash}` })
    }
  }
  const route = (url: string) => Array<string>(4).fill(`${base}${url}`)
  t.strictSame(routed, [...route('/health'), ...route('/users'), ...route('/group/:name'), ...route('/service/:serviceName/screen')])
})

t.test('H9: a limit that the host puts on a route counts both forms of its path', async t => {
  const counts = new Map<string, number>()
  // As @fastify/rate-limit does it: a hook for each route that it is told of, with a bucket of its own.
  const { app } = await watched(t, {
    before: app => app.addHook('onRoute', route => {
      const bucket = `${String(route.method)} ${route.url}`
      route.preHandler = [...[route.preHandler ?? []].flat(), async () => {
        counts.set(bucket, (counts.get(bucket) ?? 0) + 1)
        if (counts.get(bucket) === 3) throw Object.assign(new Error('Too many'), { statusCode: 429 })
      }]
    })
  })
  const statuses: number[] = []
  for (const slash of ['', '/', '']) statuses.push((await app.inject({ url: `${base}/health${slash}` })).statusCode)
  t.strictSame(statuses, [200, 200, 429])
  t.equal(counts.size, 1)
})

t.test('HEAD answers as GET does, without a body, and only where the host exposes it', async t => {
  const { app } = await build(t)
  for (const path of ['/health', '/health/']) {
    const get = await app.inject({ url: `${base}${path}` })
    const head = await app.inject({ method: 'HEAD', url: `${base}${path}` })
    t.equal(head.statusCode, 200)
    t.equal(head.payload, '')
    t.strictSame({ ...head.headers, date: '' }, { ...get.headers, date: '' })
  }
  const { app: without } = await build(t, { host: { exposeHeadRoutes: false } })
  for (const path of ['/health', '/health/']) t.equal((await without.inject({ method: 'HEAD', url: `${base}${path}` })).statusCode, 404)
})
