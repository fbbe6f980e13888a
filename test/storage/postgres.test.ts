/** The storage in PostgreSQL: several processes, lost connections, timeouts. */
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import pg from 'pg'
import t, { type Test } from 'tap'
import { openPool } from '../../lib/storage/postgres-pool.js'
import { openPostgresStorage } from '../../lib/storage/postgres.js'
import { lacksPostgres, startPostgres } from '../fixtures/postgres.js'
import { until } from '../fixtures/until.js'
import type { Asked, CloudStorage } from '../../types/storage.js'
import { asks, many, operator, role, session, user, withRole, withSession, withUser } from './fixtures.js'

t.setTimeout(600_000)

t.test('PostgreSQL', { skip: lacksPostgres() }, async t => {
  const { url, newSchema, stop } = await startPostgres()
  t.teardown(stop)

  async function ask (t: Test): Promise<pg.Client> {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    t.teardown(() => client.end())
    return client
  }

  await t.test('several processes that start together make the tables once', async t => {
    const schema = newSchema()
    const storages = await many(4, () => openPostgresStorage({ url, schema, connections: 2 }))
    t.teardown(async () => { await Promise.all(storages.map(storage => storage.close())) })
    t.strictSame(await Promise.all(storages.map(storage => storage.users.count())), [0, 0, 0, 0])
    const client = await ask(t)
    t.strictSame((await client.query(`select name from "${schema}".cloud_migrations`)).rows, [{ name: '0001-initial' }, { name: '0002-keys' }, { name: '0003-audit' }])
  })

  await t.test('without the option schema the tables are in the connection\'s own', async t => {
    const client = await ask(t)
    const schema = newSchema()
    await client.query(`create schema ${schema}`)
    const own = new URL(url)
    own.searchParams.set('options', `-c search_path=${schema}`)
    const storage = await openPostgresStorage({ url: own.href, defaultPermissions: ['cloud.a'] })
    t.teardown(() => storage.close())
    const jane = await withUser(storage)
    const login = await withSession(storage, jane)
    t.equal((await storage.sessions.find(login.id))?.user.uuid, jane.uuid)
    t.equal((await client.query(`select * from ${schema}.cloud_users`)).rowCount, 1)
  })

  await t.test('defaultPermissions are stored once and never again', async t => {
    const schema = newSchema()
    const first = await openPostgresStorage({ url, schema, defaultPermissions: ['cloud.a'] })
    await first.close()
    const second = await openPostgresStorage({ url, schema, defaultPermissions: ['cloud.b'] })
    t.strictSame((await second.roles.find(0))?.permissions, ['cloud.a'])
    await second.close()
    await second.close()
    await t.rejects(second.users.count())
    await t.rejects(second.sessions.find('x'))
  })

  await t.test('a database of a later release is refused', async t => {
    const schema = newSchema()
    await (await openPostgresStorage({ url, schema })).close()
    const client = await ask(t)
    await client.query(`insert into ${schema}.cloud_migrations values ('9999-later', 0)`)
    await t.rejects(openPostgresStorage({ url, schema }), { code: 'CLOUD_ERR_STORAGE_NEWER', message: /9999-later/ })
  })

  await t.test('the use of pg by the host is left alone: its BIGINT stays text', async t => {
    const storage = await openPostgresStorage({ url, schema: newSchema() })
    t.teardown(() => storage.close())
    await withUser(storage)
    t.equal(await storage.users.count(), 1)
    const client = await ask(t)
    t.strictSame((await client.query('select 1::bigint as one')).rows, [{ one: '1' }])
  })

  await t.test('connections that the server ends neither end the process nor the storage', async t => {
    const schema = newSchema()
    const named = new URL(url)
    named.searchParams.set('application_name', schema)
    const storage = await openPostgresStorage({ url: named.href, schema, connections: 3 })
    t.teardown(() => storage.close())
    const jane = await withUser(storage)
    await many(3, () => storage.users.count())
    const client = await ask(t)
    const end = () => client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [schema])
    t.ok((await end()).rowCount)
    // In the middle of writes, too: each is stored or fails, and none hangs.
    const names = Array.from({ length: 20 }, (_, n) => `name ${n}`)
    const writes = Promise.allSettled(names.map(nameKey => storage.users.insert(user({ nameKey }), operator)))
    await end()
    const outcomes = await writes
    await reached(async () => await storage.users.count() > 0)
    for (const [n, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') t.ok(await storage.users.findByNameKey(names[n]!), 'acknowledged is stored')
    }
    t.equal((await storage.users.find(jane.uuid))?.user.uuid, jane.uuid)
  })

  await t.test('a server that cannot be reached is an error in time', async t => {
    const silent = createServer(() => {})
    const port = await listen(t, silent)
    const began = performance.now()
    await t.rejects(openPostgresStorage({ url: `postgres://nobody:secret@127.0.0.1:${port}/none`, timeout: 300 }),
      { message: /^(?!.*secret).*timeout/ })
    t.ok(performance.now() - began < 5_000)
    await t.rejects(openPostgresStorage({ url: 'postgres://nobody@127.0.0.1:1/none', timeout: 300 }),
      { code: 'ECONNREFUSED' })
    await t.rejects(openPostgresStorage({ url: '' }), { code: 'CLOUD_ERR_STORAGE_OPTION', message: /url/ })
  })

  await t.test('a connection that falls silent is an error in time, and is not used again', async t => {
    const proxy = await startProxy(t, url)
    const storage = await openPostgresStorage({ url: proxy.url, schema: newSchema(), connections: 2, timeout: 1_000 })
    t.teardown(() => storage.close())
    const jane = await withUser(storage)
    const login = await withSession(storage, jane)
    const asks: Array<() => Promise<unknown>> = [
      () => many(2, () => storage.users.count()),
      () => many(2, () => storage.sessions.find(login.id)),
      () => many(2, () => storage.users.insert(user(), operator))
    ]
    for (const ask of asks) {
      await many(2, () => storage.users.count())
      proxy.silence()
      const began = performance.now()
      await t.rejects(ask())
      await reached(async () => await storage.users.count() === 1)
      t.ok(performance.now() - began < 15_000)
    }
    t.equal((await storage.sessions.find(login.id))?.user.uuid, jane.uuid)
  })

  await t.test('an error of a connection that is lent or idle does not end the process', async t => {
    const pool = openPool({ url, connections: 2, timeout: 2_000 })
    t.teardown(() => pool.close())
    const [lent, idle] = await many(2, () => pool.connect())
    if (lent === undefined || idle === undefined) throw new Error('No connections')
    const pids = await Promise.all([lent, idle].map(async client => {
      const { rows } = await client.query('select pg_backend_pid() as pid')
      return rows[0].pid
    }))
    idle.release()
    const client = await ask(t)
    // Not `once`, which would listen for errors as well.
    const ends = [lent, idle].map(each => new Promise<void>(resolve => { each.once('end', resolve) }))
    await client.query('select pg_terminate_backend(pid) from unnest($1::int[]) as pid', [pids])
    await Promise.all(ends)
    lent.release(true)
    t.strictSame((await pool.query('select 1 as one', [])).rows, [{ one: 1 }])
  })

  await t.test('a change of accounts that waits for another process longer than the timeout is an error', async t => {
    const schema = newSchema()
    const storage = await openPostgresStorage({ url, schema, timeout: 300 })
    t.teardown(() => storage.close())
    const client = await ask(t)
    await client.query(`begin; select 1 from ${schema}.cloud_instance for update`)
    await t.rejects(storage.users.insertFirst(user()), { code: '57014' })
    await t.rejects(storage.roles.insert(role('Builder'), operator), { code: '57014' })
    await client.query('rollback')
    t.equal(await storage.users.insertFirst(user()), 'done')
  })

  await t.test('a deadlock is tried again', async t => {
    const schema = newSchema()
    const storage = await openPostgresStorage({ url, schema })
    t.teardown(() => storage.close())
    const jane = await withUser(storage)
    const [client, watch] = [await ask(t), await ask(t)]
    const row = (id: string) => ({ text: `select 1 from ${schema}.cloud_sessions where id = $1 for update`, values: [id] })
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like 'delete from "${schema}"%'`
    // Whoever waits looks for a deadlock once, a second after it began: where the other is later than that, there is none to be tried.
    const deadlock = async (): Promise<boolean> => {
      const logins = await many(2, n => withSession(storage, jane, { createdAt: n }))
      await client.query('begin')
      await client.query("set local deadlock_timeout = '60s'")
      await client.query("set local lock_timeout = '3s'")
      await client.query(row(logins[1]!.id))
      // Locks the first session and then waits for the second, while the other connection wants the first.
      const deleting = storage.sessions.deleteAll(jane.uuid, operator)
      await reached(async () => (await watch.query(waiting)).rowCount === 1)
      const isGot = await client.query(row(logins[0]!.id)).then(() => true, ({ code }) => {
        if (code !== '55P03') throw new Error(`Not a lock that is not to be had: ${code}`)
        return false
      })
      await client.query(isGot ? 'commit' : 'rollback')
      await deleting
      return isGot
    }
    let tries = 0
    while (!await deadlock()) if (++tries === 10) throw new Error('No deadlock in ten tries')
    t.strictSame(await storage.sessions.list(jane.uuid, -1), [])
  })

  await t.test('S2: a write and the end of its actor, in two processes: whoever is first is waited for', async t => {
    const schema = newSchema()
    const [one, other] = await Promise.all([1, 2].map(() => openPostgresStorage({ url, schema })))
    if (one === undefined || other === undefined) throw new Error('Both are open')
    t.teardown(async () => { await Promise.all([one.close(), other.close()]) })
    const [client, watch] = [await ask(t), await ask(t)]
    await client.query(`set search_path = ${schema}`)
    const waiting = async (count: number) => await reached(async () =>
      (await watch.query("select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1", [`%"${schema}"%`])).rowCount === count)
    await withUser(one)

    const begin = async (label: string) => {
      const holding = await withRole(one, label)
      const owner = await withUser(one, { roleId: holding.id })
      const login = await withSession(one, owner)
      return { role: holding, owner, login, asked: asks(login, holding) }
    }
    type Acting = Awaited<ReturnType<typeof begin>>
    const ends: ReadonlyArray<{ statement: string, value: (acting: Acting) => unknown, end (storage: CloudStorage, acting: Acting): Promise<unknown> }> = [
      {
        statement: 'delete from cloud_sessions where id = $1',
        value: ({ login }) => login.id,
        end: ({ sessions }, { owner, login }) => sessions.delete(owner.uuid, login.id, operator)
      },
      {
        statement: 'delete from cloud_users where uuid = $1',
        value: ({ owner }) => owner.uuid,
        end: ({ users }, { owner }) => users.delete(owner.uuid, operator)
      },
      {
        statement: 'update cloud_users set role_id = 0 where uuid = $1',
        value: ({ owner }) => owner.uuid,
        end: ({ users }, { owner }) => users.setRole(owner.uuid, 0, operator)
      },
      {
        statement: 'update cloud_roles set version = version + 1 where id = $1',
        value: ({ role }) => role.id,
        end: async ({ roles }, { role }) => typeof await roles.update(role, operator) === 'object' && 'done'
      }
    ]
    // One that takes the lock of all accounts, and one that does not.
    const writes: ReadonlyArray<(storage: CloudStorage, uuid: string, asked: Asked) => Promise<unknown>> = [
      ({ users }, uuid, asked) => users.setRole(uuid, -1, asked),
      ({ users }, uuid, asked) => users.setPassword(uuid, 'new', { hasChangedPassword: true, ...asked })
    ]
    let round = 0
    for (const { statement, value, end } of ends) {
      for (const write of writes) {
        for (const [finish, outcome] of [['commit', 'stale-actor'], ['rollback', 'done']] as const) {
          const [acting, target] = [await begin(`Ended ${++round}`), await withUser(one, { roleId: 0 })]
          await client.query('begin')
          await client.query(statement, [value(acting)])
          const writing = write(one, target.uuid, acting.asked)
          await waiting(1)
          await client.query(finish)
          t.equal(await writing, outcome, `${statement}; ${finish}`)
        }

        const [acting, target] = [await begin(`Acting ${++round}`), await withUser(one, { roleId: 0 })]
        await client.query('begin')
        await client.query('select 1 from cloud_users where uuid = $1 for update', [target.uuid])
        // It has looked at its actor, and waits for what it writes.
        const writing = write(one, target.uuid, acting.asked)
        await waiting(1)
        const ending = end(other, acting)
        await waiting(2)
        await client.query('rollback')
        t.strictSame(await Promise.all([writing, ending]), ['done', 'done'], `${statement} comes after the write`)
      }
    }
  })

  await t.test('a stricter isolation level of the server\'s changes nothing', async t => {
    const strict = new URL(url)
    strict.searchParams.set('options', '-c default_transaction_isolation=serializable')
    const storage = await openPostgresStorage({ url: strict.href, schema: newSchema() })
    t.teardown(() => storage.close())
    const outcomes = await many(10, () => storage.users.insertFirst(user()))
    t.equal(outcomes.filter(outcome => outcome === 'done').length, 1)
    const jane = (await storage.users.list())[0]!.user
    await many(10, n => storage.sessions.insert(session(jane, { createdAt: n }), { keep: 3, passwordHash: jane.passwordHash }))
    t.equal((await storage.sessions.list(jane.uuid, 0)).length, 3)
  })

  await t.test('the database itself refuses what the rules forbid', async t => {
    const schema = newSchema()
    const storage = await openPostgresStorage({ url, schema })
    t.teardown(() => storage.close())
    await storage.roles.insert(role('Builder'), operator)
    await withUser(storage)
    await withUser(storage, { roleId: 1 })
    const client = await ask(t)
    await client.query(`set search_path = ${schema}`)
    for (const [statement, code] of [
      ['delete from cloud_roles where id = 1', /23001|23503/],
      ['update cloud_users set role_id = 7', '23503'],
      ["update cloud_users set name_key = 'same'", '23505'],
      ["update cloud_roles set label_key = 'same'", '23505'],
      ["insert into cloud_sessions values ('s', 'nobody', '', '', '[]', 0, 0, 0)", '23503'],
      ["insert into cloud_instance values (2, 'x', 0)", '23514']
    ] as const) await t.rejects(client.query(statement), { code }, statement)
  })
})

/** Waits until a condition holds; a failing question is asked again, too. */
/** Waits until a condition holds; as long as it throws it does not. */
async function reached (condition: () => Promise<boolean>): Promise<void> {
  let last: unknown
  await until(async () => await condition().catch(error => { last = error }), () => `${String(condition)}; ${String(last)}`)
}

async function listen (t: Test, server: ReturnType<typeof createServer>): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', socket => sockets.add(socket.on('error', () => {})))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** Stands between a storage and its server, and can stop passing on what the connections of the moment say. */
async function startProxy (t: Test, url: string): Promise<{ url: string, silence (): void }> {
  const target = new URL(url)
  let links: Socket[] = []
  const server = createServer(near => {
    const far = connect(Number(target.port), target.hostname)
    far.on('error', () => near.destroy())
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    near.pipe(far).pipe(near)
    links.push(near, far)
  })
  const port = await listen(t, server)
  const own = new URL(url)
  own.host = `127.0.0.1:${port}`
  return {
    url: own.href,
    silence () {
      for (const link of links) link.unpipe().pause()
      links = []
    }
  }
}
