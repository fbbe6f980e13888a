/** What the machine does to the process: no descriptors, SIGTERM, slow clients, clocks, and too much of everything. */
import { spawnSync } from 'node:child_process'
import { type AddressInfo, type Socket, connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import LibsqlDatabase from 'libsql'
import t, { type Test } from 'tap'
import { userPermissions } from '../../lib/index.js'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { adminPassword, base, build, testClock } from '../fixtures/cloud.js'
import { aGroup } from '../fixtures/runtime.js'
import { clientOf, startServer } from '../fixtures/server.js'
import { runtimeWithFiles } from '../fixtures/template-files.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

function sockets (t: Test, port: number, count: number): Socket[] {
  const all = Array.from({ length: count }, () => connect(port, '127.0.0.1').on('error', () => {}))
  t.teardown(() => { for (const socket of all) socket.destroy() })
  return all
}

const lacksPrlimit = spawnSync('prlimit', ['--version'], { stdio: 'ignore' }).status === 0 ? false : 'NO prlimit HERE'

t.test('R-3: a server without free descriptors answers 5xx or nothing, and goes on when there are some', { skip: lacksPrlimit }, async t => {
  const server = await startServer({ CLOUD_DIRECTORY: t.testdir() })
  t.teardown(async () => { await server.stop('SIGTERM') })
  const send = clientOf(server.url)
  t.equal((await send('POST', '/user/self', { username: 'root', password: adminPassword })).status, 201)
  const { pid } = server.process
  const open = (): number => Number(spawnSync('sh', ['-c', `ls /proc/${pid}/fd | wc -l`], { encoding: 'utf8' }).stdout)
  t.equal(spawnSync('prlimit', ['--pid', String(pid), `--nofile=${open() + 12}:4096`]).status, 0)

  const port = Number(new URL(server.url).port)
  const crowd = sockets(t, port, 60)
  await until(() => crowd.filter(socket => !socket.connecting).length === 60, 'the crowd knocks')
  // The connection of before is kept alive, and what it asks may need a file.
  const statuses: number[] = []
  for (let n = 0; n < 5; n++) {
    const answer = await Promise.race([send('POST', '/role/', { label: `r${n}`, hexColor: '#FFF' }).catch(() => undefined), delay(1_000)])
    if (answer !== undefined) statuses.push(answer.status)
  }
  t.strictSame(statuses.filter(status => status !== 201 && status < 500), [])
  t.equal(server.process.exitCode, null, server.output())

  for (const socket of crowd) socket.destroy()
  await until(async () => (await send('GET', '/users/').catch(() => undefined))?.status === 200, 'it goes on')
  t.equal((await send('POST', '/role/', { label: 'after', hexColor: '#FFF' })).status, 201)
  const labels = (await send('GET', '/roles/')).body.data.length
  t.equal(labels, 3 + statuses.filter(status => status === 201).length, 'what was acknowledged is there')
})

t.test('R-7: SIGTERM under load lets every request that has begun end, and exits 0', async t => {
  const server = await startServer({ CLOUD_DIRECTORY: t.testdir() })
  t.teardown(async () => { await server.stop('SIGKILL') })
  const send = clientOf(server.url)
  await send('POST', '/user/self', { username: 'root', password: adminPassword })
  const statuses: number[] = []
  let refused = 0
  const over = new AbortController()
  const load = Array.from({ length: 8 }, async (_, worker) => {
    for (let n = 0; !over.signal.aborted; n++) {
      try {
        statuses.push((await send('POST', '/role/', { label: `w${worker} ${n}`, hexColor: '#FFF' })).status)
      } catch {
        refused++
        return
      }
    }
  })
  await until(() => statuses.length > 40, 'the load is on')
  const began = Date.now()
  server.process.kill('SIGTERM')
  const { code, signal } = await server.exited
  over.abort()
  await Promise.all(load)
  t.strictSame({ code, signal }, { code: 0, signal: null }, server.output())
  t.ok(Date.now() - began < 15_000, `ended after ${Date.now() - began} ms`)
  t.strictSame([...new Set(statuses)].filter(status => status !== 201 && status !== 503), [], 'done, or told to come again')
  t.ok(refused > 0, 'nobody was let in after that')

  // What was acknowledged up to the last moment is there.
  const next = await startServer({ CLOUD_DIRECTORY: t.testdirName })
  t.teardown(async () => { await next.stop('SIGTERM') })
  const again = clientOf(next.url)
  t.equal((await again('POST', '/auth/login', { username: 'root', password: adminPassword })).status, 200)
  const kept = (await again('GET', '/roles/')).body.data.length - 2
  const acknowledged = statuses.filter(status => status === 201).length
  t.ok(kept >= acknowledged, `${kept} roles of ${acknowledged} acknowledged`)
})

t.test('L-8: a hundred clients that send a byte now and then hold nobody up', async t => {
  const { app, setUp } = await build(t)
  const token = (await setUp()).token as string
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const slow = sockets(t, port, 100)
  const head = `POST ${base}/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 60\r\n`
  for (const [n, socket] of slow.entries()) socket.write(n % 2 === 0 ? head : `${head}\r\n{"username"`)
  let drops = 0
  const drip = setInterval(() => { for (const socket of slow) if (socket.write('x')) drops++ }, 100)
  t.teardown(() => { clearInterval(drip) })
  const took: number[] = []
  const until3s = Date.now() + 3_000
  while (Date.now() < until3s) {
    const began = performance.now()
    const { status } = await fetch(`http://127.0.0.1:${port}${base}/users/`, { headers: { cookie: `token=${token}`, 'user-agent': 'lightMyRequest' } })
    took.push(performance.now() - began)
    t.equal(status, 200)
  }
  took.sort((a, b) => a - b)
  const p99 = took[Math.floor(took.length * 0.99)] as number
  t.ok(drops > 500 && took.length > 30, `${took.length} requests beside ${drops} drops`)
  t.ok(p99 < 1_000, `p99 ${Math.round(p99)} ms`)
})

t.test('case 129: clocks that jump make no 5xx, and end sessions where they should', async t => {
  const clock = testClock()
  const { setUp, client, app } = await build(t, { clock, runtime: runtimeWithFiles() })
  const root = await setUp()
  const token = root.token as string
  const day = 86_400_000
  const walk = async (): Promise<readonly number[]> => {
    const statuses: number[] = []
    for (const { path } of app.cloud.routes.filter(({ method }) => method === 'GET')) {
      const one = client()
      one.token = token
      statuses.push((await one('GET', path.replace(/\{\w+\}/g, '0'))).status)
    }
    return statuses
  }
  clock.advance(-day)
  const earlier = await walk()
  t.strictSame(earlier.filter(status => status >= 500 || status === 401), [], 'a day back the session goes on')
  t.ok((await root('GET', '/system/information')).body.data.uptime >= 0)
  clock.advance(9 * day)
  const later = await walk()
  t.strictSame(later.filter(status => status !== 401 && status !== 200), [], 'eight days on nobody is known')
  t.ok(later.filter(status => status === 401).length > 25)
  const again = client()
  t.equal((await again('POST', '/auth/login', { username: 'root', password: adminPassword })).status, 200)
  t.equal((await again('GET', '/user/tokens')).body.data.length, 1)
})

t.test('case 130: second by second, the token, its row and its cookie end together', async t => {
  const clock = testClock(1_760_000_000_499)
  const { setUp, client, storage } = await build(t, { clock })
  const root = await setUp()
  const token = root.token as string
  const { exp, jti } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  t.equal((await storage.sessions.find(jti))?.session.expiresAt, exp * 1_000)
  t.equal(exp, 1_760_000_000 + 604_800, 'as the Max-Age of the cookie says')
  const statusAt = async (time: number): Promise<number> => {
    clock.advance(time - clock.now())
    const one = client()
    one.token = token
    return (await one('GET', '/user/self')).status
  }
  t.strictSame([await statusAt(exp * 1_000 - 1_000), await statusAt(exp * 1_000 - 1), await statusAt(exp * 1_000), await statusAt(exp * 1_000 + 1_000)], [200, 200, 401, 401])
})

t.test('case 120: ten thousand of everything are listed in bearable time, or refused', async t => {
  const file = join(t.testdir(), 'many.db')
  await (await openSqliteStorage({ file, defaultPermissions: userPermissions() })).close()
  const many = Array.from({ length: 10_000 }, (_, n) => n)
  // In one transaction; made by requests, each would be forced to the disk.
  const database = new LibsqlDatabase(file)
  const insert = database.prepare("insert into cloud_roles (id, label, label_key, hex_color, is_default, permissions, version) values (?, ?, ?, '#FFF', 0, '[\"cloud.a\"]', 0)")
  database.exec('begin')
  for (const n of many) insert.run([n + 1, `role ${n}`, `role ${n}`])
  database.exec('update cloud_instance set last_role_id = 10000; commit; pragma journal_mode = DELETE')
  database.close()
  const storage = await until(() => openSqliteStorage({ file }).catch(() => undefined), 'the file opens')
  t.teardown(() => storage.close())
  const { app, setUp, runtime } = await build(t, { storage })
  const root = await setUp()

  const permissions = many.map(n => `cloud.permission-${n}`)
  const tooMany = await root('POST', '/role/', { label: 'all', hexColor: '#FFF', permissions })
  t.strictSame(tooMany.body, refusal(400, 'Role permissions are too many to fit into a token'))
  const tooLong = await root('POST', '/role/', { label: 'all', hexColor: '#FFF', permissions: many.map(n => `cloud.${'x'.repeat(200)}-${n}`) })
  t.strictSame(tooLong.body, refusal(413, 'Body is too large'))

  runtime.given.templates = many.map(n => ({ name: `template${n}`, size: 'unknown' }))
  runtime.given.groups = many.slice(0, 1_000).map(n => ({ ...aGroup, name: `group${n}` }))
  for (const [path, length] of [['/roles/', 10_002], ['/templates/list', 10_000], ['/groups/list', 1_000]] as const) {
    const times: number[] = []
    for (let n = 0; n < 5; n++) {
      const began = performance.now()
      const response = await app.inject({ url: `${base}${path}`, headers: { cookie: `token=${root.token}` } })
      times.push(performance.now() - began)
      t.equal(response.statusCode, 200)
      t.equal(response.json().data.length, length)
    }
    times.sort((a, b) => a - b)
    t.comment(`${path}: ${length} items, median ${Math.round(times[2] as number)} ms`)
    t.ok(times[2] as number < 2_000, `${path} in ${Math.round(times[2] as number)} ms`)
  }
})
