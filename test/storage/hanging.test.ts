/** A storage of somebody's own that stops answering, without an error: what it does to requests, and to a close. */
import { once } from 'node:events'
import { request } from 'node:http'
import { mock } from 'node:test'
import t, { type Test } from 'tap'
import type { CloudStorage } from '../../lib/index.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { withFailures } from '../../lib/storage-failures.js'
import { build, testLog } from '../fixtures/cloud.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const uncaught: unknown[] = []
process.on('uncaughtException', error => { uncaught.push(error) })
process.on('unhandledRejection', error => { uncaught.push(error) })

/** A storage that hangs from some moment on, and what it was asked since then. */
async function hanging (t: Test): Promise<{ storage: CloudStorage, asked: string[], hang (): void }> {
  const real = await openSqliteStorage({ file: `${t.testdir()}/cloud.db` })
  t.teardown(async () => { await real.close() })
  const asked: string[] = []
  let isAway = false
  const part = <T extends object>(name: string, store: T): T => new Proxy(store, {
    get: (target, key) => (...given: unknown[]) => {
      if (!isAway) return (target as any)[key](...given)
      asked.push(`${name}.${String(key)}`)
      return new Promise(() => {})
    }
  })
  const storage: CloudStorage = {
    users: part('users', real.users),
    roles: part('roles', real.roles),
    sessions: part('sessions', real.sessions),
    keys: part('keys', real.keys),
    audit: part('audit', real.audit),
    metrics: part('metrics', real.metrics)
  }
  return { storage, asked, hang: () => { isAway = true } }
}

for (const pluginTimeout of [undefined, 1_000]) {
  t.test(`a storage that hangs keeps no host from closing, and ends no process (pluginTimeout ${pluginTimeout ?? 'as ever'})`, async t => {
    const { storage, asked, hang } = await hanging(t)
    const log = testLog()
    const { app, setUp } = await build(t, { storage, host: { ...log.host, ...(pluginTimeout !== undefined && { pluginTimeout }) } })
    const admin = await setUp()
    t.equal((await admin('GET', '/user/self')).status, 200)
    hang()
    const before = performance.now()
    await app.close()
    t.ok(performance.now() - before < 4_000, `${Math.round(performance.now() - before)} ms`)
    t.strictSame(asked, ['sessions.touch'], 'and it is asked once')
    t.strictSame(log.lines.filter(({ msg }) => msg === 'The last activity of sessions and keys could not be stored').map(({ level }) => level), [40])
    t.strictSame(uncaught, [])
  })
}

t.test('a request that waits for a storage that hangs is 503 soon after the host begins to close', async t => {
  const { storage, asked, hang } = await hanging(t)
  const { app, setUp } = await build(t, { storage })
  const admin = await setUp()
  await app.listen({ port: 0, host: '127.0.0.1' })
  hang()
  const sent = request({
    port: (app.server.address() as { port: number }).port,
    path: '/cloud/api/v3/user/self',
    headers: { cookie: `token=${admin.token}`, 'user-agent': 'lightMyRequest' },
    agent: false
  }).end()
  const answer = once(sent, 'response')
  await until(() => asked.length > 0, 'it is asked')
  const before = performance.now()
  await app.close()
  t.ok(performance.now() - before < 6_000, `${Math.round(performance.now() - before)} ms`)
  const [{ statusCode }] = await answer
  t.equal(statusCode, 503)
  t.strictSame(uncaught, [])
})

t.test('a call that has not answered after 30 s is 503, and what it does later is ignored', async t => {
  const timers = mock.timers
  timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => { timers.reset() })
  let fail = (_: Error): void => {}
  const storage = { users: { count: async () => await new Promise((_resolve, reject) => { fail = reject }) }, roles: {}, sessions: {}, keys: {}, audit: {}, metrics: {} }
  const { users } = withFailures(storage as never, { leaving: new AbortController().signal, hurryMs: 2_000 })
  const count = users.count()
  timers.tick(29_999)
  t.equal(await Promise.race([count.catch(error => error), Promise.resolve('waits')]), 'waits')
  timers.tick(1)
  await t.rejects(count, { statusCode: 503, message: 'Storage is not available' })
  fail(new Error('too late'))
  await new Promise(resolve => setImmediate(resolve))
  t.strictSame(uncaught, [])
})

t.test('a storage that rejects with a revoked proxy is a 500', async t => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  const storage = { users: { count: async () => await Promise.reject(proxy) }, roles: {}, sessions: {}, keys: {}, audit: {}, metrics: {} }
  const { users } = withFailures(storage as never, { leaving: new AbortController().signal, hurryMs: 2_000 })
  await t.rejects(users.count(), { statusCode: 500, message: 'Internal Server Error' })
})
