/** The metrics for Prometheus. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Counter, Registry, collectDefaultMetrics } from 'prom-client'
import t from 'tap'
import { type Client, base, build } from '../fixtures/cloud.js'
import { openEvents } from '../fixtures/events.js'
import { untilTold } from '../fixtures/follow.js'
import { watch } from '../fixtures/live.js'
import { repository } from '../fixtures/repository.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

/** The samples of a scrape, by name and labels, without those of the process. */
async function scrape (client: Client): Promise<Record<string, number>> {
  const { status, body } = await client('GET', '/metrics')
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
  const lines = (body as string).split('\n').filter(line => line.startsWith('cloud_'))
  return Object.fromEntries(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]))
}

t.test('GET /metrics tells of services, players, requests, logins, calls, passwords and sockets', async t => {
  const { setUp, client, url, token, follow, lists, login } = await openEvents(t)
  const root = await setUp()
  const user = await login(['cloud.metrics'])
  await scrape(user)
  await client()('POST', '/auth/login', { username: 'root', password: 'wrong' })
  await root('GET', '/services/list')
  await root('GET', '/role/0')
  await root('GET', '/role/9999/')
  await root('GET', '/nowhere/secret')
  await root('HEAD', '/role/0')
  const { socket } = await watch(`${url}/alive`, token)
  const follower = await follow()
  await untilTold(follower, 1)
  for (const state of ['STOPPING', 'OFFLINE', 'STARTING', 'ONLINE', 'OFFLINE', 'STARTING', 'OFFLINE', 'STARTING', 'STOPPING'] as const) lists.move('lobby-1', state)
  lists.put({ name: 'lobby-9', groupName: 'lobby', state: 'ONLINE', playerCount: 5 }, { name: 'gate-1', groupName: 'gate', state: 'ONLINE', playerCount: -1 })
  const told = await scrape(user)
  const services = lists.given.services
  t.match(told, {
    'cloud_services{group="lobby",state="STOPPING"}': 1,
    'cloud_services{group="gate",state="ONLINE"}': 1,
    'cloud_players{group="lobby"}': services.filter(({ groupName }) => groupName === 'lobby').reduce((sum, { playerCount }) => sum + playerCount, 0),
    'cloud_players{group="gate"}': 0,
    'cloud_service_starts_total{group="lobby",outcome="online"}': 1,
    'cloud_service_starts_total{group="lobby",outcome="failed"}': 1,
    'cloud_service_starts_total{group="lobby",outcome="stopped"}': 1,
    'cloud_http_requests_total{route="GET /role/{id}",status="200"}': 1,
    'cloud_http_requests_total{route="GET /role/{id}",status="404"}': 1,
    'cloud_http_requests_total{route="HEAD /role/{id}",status="200"}': 1,
    'cloud_http_requests_total{route="GET /events",status="200"}': 1,
    'cloud_http_requests_total{route="GET /alive",status="101"}': 1,
    'cloud_http_requests_total{route="unknown",status="404"}': 1,
    'cloud_http_requests_total{route="POST /auth/login",status="401"}': 1,
    'cloud_logins_total{outcome="refused"}': 1,
    cloud_password_queue: 0,
    'cloud_sockets{kind="alive"}': 1,
    'cloud_sockets{kind="events"}': 1
  })
  t.ok((told['cloud_runtime_call_seconds_count{call="services.list"}'] ?? 0) >= 1)
  t.notMatch(JSON.stringify(told), /secret|role\/9999|wrong|root/)
  const { body, headers } = await user('GET', '/metrics')
  t.match(headers['content-type'], /^text\/plain; version=0\.0\.4/)
  t.match(body, /^process_cpu_user_seconds_total /m)
  socket.terminate()
  follower.leave()
  await until(async () => (await scrape(user))['cloud_sockets{kind="events"}'] === 0)
})

t.test('starts are counted again after the runtime has given up telling of states', async t => {
  const { runtime, lists, login } = await openEvents(t)
  const user = await login(['cloud.metrics'])
  const { states } = runtime as unknown as { states: { watch (listener: never, options: { signal: AbortSignal }): unknown } }
  const giveUps: Array<() => void> = []
  const watch = states.watch.bind(states)
  states.watch = (listener, { signal }) => {
    const own = new AbortController()
    watch(listener, { signal: AbortSignal.any([signal, own.signal]) })
    return new Promise((_resolve, reject) => {
      giveUps.push(() => {
        own.abort()
        reject(new Error('the core is gone'))
      })
    })
  }
  const restart = async (): Promise<number | undefined> => {
    for (const state of ['OFFLINE', 'STARTING', 'ONLINE'] as const) lists.move('lobby-1', state)
    return (await scrape(user))['cloud_service_starts_total{group="lobby",outcome="online"}']
  }
  await scrape(user)
  t.equal(await restart(), 1)
  t.equal(giveUps.length, 1)
  giveUps[0]?.()
  await until(() => giveUps.length === 2, 'it is asked again')
  t.equal(await restart(), 2)
})

t.test('an instance that was scraped and closed is held by nothing', async t => {
  const program = `
    import Fastify from 'fastify'
    import { fastifyCloud } from './dist/lib/index.js'
    import { createMemoryStorage } from './dist/lib/storage/memory.js'
    import { listRuntime } from './dist/test/fixtures/runtime.js'
    const held = []
    for (let n = 0; n < 5; n++) {
      const app = Fastify()
      await app.register(fastifyCloud, { secret: 'x'.repeat(40), passwordCost: 4, metrics: { interval: 0 }, runtime: listRuntime(), storage: createMemoryStorage() })
      const made = await app.inject({ method: 'POST', url: '${base}/user/self', payload: { username: 'root', password: 'correct horse' } })
      const { statusCode } = await app.inject({ url: '${base}/metrics', headers: { cookie: made.headers['set-cookie'] } })
      if (statusCode !== 200) throw new Error(String(statusCode))
      await app.close()
      held.push(new WeakRef(app))
    }
    for (let n = 0; n < 20 && held.filter(one => one.deref() !== undefined).length > 1; n++) {
      await new Promise(resolve => setTimeout(resolve, 50))
      gc()
    }
    console.log(held.filter(one => one.deref() !== undefined).length)
  `
  const child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '--eval', program], { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', text => { output += String(text) })
  const [code] = await once(child, 'close')
  t.equal(code, 0)
  t.ok(Number(output) <= 1, `${output.trim()} of 5 instances are held`)
})

t.test('a scrape goes on without the runtime', async t => {
  const { setUp, lists } = await openEvents(t)
  const root = await setUp()
  lists.services.list = () => { throw new Error('lost') }
  lists.touch()
  const told = await scrape(root)
  t.notOk(Object.keys(told).some(name => name.startsWith('cloud_services')))
  t.equal(told['cloud_password_queue'], 0)
})

t.test('a host hands in its own registry, and gets what is its own with it', async t => {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  new Counter({ name: 'mycore_things_total', help: 'Things', registers: [registry] }).inc(7)
  const { setUp } = await build(t, { metrics: { interval: 0, registry } })
  const { body } = await (await setUp())('GET', '/metrics')
  t.match(body, /^mycore_things_total 7$/m)
  t.match(body, /^cloud_password_queue 0$/m)
  t.match(await registry.metrics(), /^# TYPE cloud_logins_total counter$/m)
  await t.rejects(build(t, { metrics: { interval: 0, registry } }), { code: 'CLOUD_ERR_OPTION', message: /metrics\.registry/ })
  await t.rejects(build(t, { metrics: { interval: 0, registry: {} as never } }), { code: 'CLOUD_ERR_OPTION', message: /metrics\.registry/ })
})

t.test('without prom-client it is 501, and everything else works', async t => {
  const code = `
    import { register } from 'node:module'
    register('data:text/javascript,' + encodeURIComponent(\`export async function resolve (specifier, context, next) {
      if (specifier === 'prom-client') throw Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
      return await next(specifier, context)
    }\`))
    const { default: Fastify } = await import('fastify')
    const { fastifyCloud } = await import('./dist/lib/index.js')
    const { createMemoryStorage } = await import('./dist/lib/storage/memory.js')
    const none = { list: () => [] }
    const app = Fastify()
    const runtime = { services: none, groups: none, platforms: none, players: none, metrics: { sample: () => ({}) } }
    await app.register(fastifyCloud, { runtime, storage: createMemoryStorage(), secret: 'x'.repeat(32), metrics: { interval: 0 } })
    const made = await app.inject({ method: 'POST', url: '${base}/user/self', payload: { username: 'root', password: 'long enough' } })
    const cookie = made.headers['set-cookie'].split(';')[0]
    const answers = []
    for (const path of ['/metrics', '/services/list']) answers.push((await app.inject({ url: '${base}' + path, headers: { cookie } })).json())
    console.log(JSON.stringify(answers))
    await app.close()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.on('data', chunk => { output += String(chunk) })
  await once(child, 'close')
  t.strictSame(JSON.parse(output), [refusal(501, 'Unsupported metrics'), { status: 200, data: [] }])
})
