/** Three standalone servers over one PostgreSQL. */
import pg from 'pg'
import t, { type Test } from 'tap'
import { type CloudClient, type CloudError, createClient } from '../../lib/client/index.js'
import { openPostgresStorage } from '../../lib/storage/postgres.js'
import type { StorageChange } from '../../types/storage.js'
import { type Core, type Person, follow, person, startCore, startCores } from '../fixtures/cores.js'
import { watchLag } from '../fixtures/lag.js'
import { openLink } from '../fixtures/link.js'
import { lacksPostgres, startPostgres } from '../fixtures/postgres.js'
import { postgresProcesses } from '../fixtures/postgres-processes.js'
import { onlyFull, rounds } from '../fixtures/rounds.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const password = 'correct horse battery'
const permissions = ['cloud.service.list', 'cloud.ws.alive']
const foreign = process.env['DATABASE_URL'] ? 'THE SERVER OF DATABASE_URL IS NOT OURS TO STOP' as const : false

/** What the specification allows a change to take until it is in force everywhere. */
const inForceMs = 1_000
/** Until a loss is noticed, a second of doubt, and something for a busy machine. */
const doubtMs = 3_000
/** What a core may take to be itself again once its database is back. */
const healedMs = 5_000
/** A connection is waited for 5 s, then a statement 6 s (`PostgresStorageOptions.timeout`, and a second for the server). */
const boundedMs = 12_000

const revoked = rounds(4, 20)

t.test('three cores over one PostgreSQL', { skip: lacksPostgres() }, async t => {
  const postgres = await startPostgres()
  t.teardown(postgres.stop)
  const sql = new pg.Client(postgres.url)
  sql.on('error', () => {})
  await sql.connect()
  t.teardown(async () => { await sql.end().catch(() => {}) })

  const schema = postgres.newSchema()
  await sql.query(`create schema ${schema}`)
  const own = new URL(postgres.url)
  own.searchParams.set('options', `-csearch_path=${schema}`)

  const cores = await startCores(['a', 'b', 'c'], own.href, t.testdir()) as [Core, Core, Core]
  t.teardown(async () => {
    await Promise.all(cores.map(async ({ server, link }) => {
      link.mend()
      await server.stop('SIGTERM')
      await link.close()
    }))
  })
  /** The core of a round, and the others. */
  const turn = (round: number): [Core, Core, Core] => [0, 1, 2].map(step => cores[(round + step) % 3]) as [Core, Core, Core]

  const root = person()
  let users = 0

  /** Somebody with a role of their own, logged in on that core. */
  async function join (core: Core): Promise<Person & { readonly uuid: string, readonly username: string, readonly roleId: number }> {
    const username = `user${++users}`
    const role = await root(core, 'POST', '/role/', { label: `role of ${username}`, hexColor: '#123456', permissions })
    const made = await root(core, 'POST', '/user/', { username, roleId: role.body.data.id })
    const user = person()
    await user(core, 'POST', '/auth/login', { username, password: made.body.data.password })
    await user(core, 'PATCH', '/user/self/change-password', { password })
    const self = await user(core, 'GET', '/user/self')
    return Object.assign(user, { uuid: self.body.data.uuid as string, username, roleId: role.body.data.id as number })
  }

  async function login (core: Core, username: string): Promise<Person> {
    const user = person()
    const answer = await user(core, 'POST', '/auth/login', { username, password })
    if (answer.status !== 200) throw new Error(`No login on ${core.name}: ${JSON.stringify(answer.body)}`)
    return user
  }

  const status = async (who: Person, core: Core): Promise<number> => (await who(core, 'GET', '/services/list')).status

  const lag = watchLag(t)
  /** Within a time that is promised: more of it only where this process was held up as well. */
  const inTime = (took: number, ms: number): boolean => took < ms + 4 * lag()

  /** Asks until that is the answer of each core, and answers how long the slowest took. */
  async function settles (who: Person, where: readonly Core[], expected: number, ms: number): Promise<number> {
    const began = performance.now()
    await Promise.all(where.map(async core => {
      await until(async () => await status(who, core) === expected, `${core.name} answers ${expected}`, ms)
    }))
    return performance.now() - began
  }

  /** Asks again and again, so that whatever may be kept in memory is; until told to stop. */
  function warm (who: Person, where: readonly Core[]): () => Promise<void> {
    const stop = new AbortController()
    const runs = where.map(async core => {
      while (!stop.signal.aborted) {
        await status(who, core)
        await new Promise(resolve => setTimeout(resolve, 5))
      }
    })
    return async () => {
      stop.abort()
      await Promise.all(runs)
    }
  }

  /** Asks for the health of all, again and again; answers the slowest of all answers, or throws at a wrong one. */
  function watchHealth (): () => Promise<number> {
    const stop = new AbortController()
    let slowest = 0
    const runs = cores.map(async core => {
      while (!stop.signal.aborted) {
        const { status, ms } = await person()(core, 'GET', '/health')
        if (status !== 200) throw new Error(`${core.name} is not healthy: ${status}`)
        slowest = Math.max(slowest, ms)
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    })
    const all = Promise.all(runs)
    all.catch(() => {})
    return async () => {
      stop.abort()
      await all
      return slowest
    }
  }

  const killListeners = async (): Promise<number> => (await sql.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', ['fastify-cloud listens'])).rowCount ?? 0

  await t.test('started all at once they make the tables once, and none complains', async t => {
    for (const { name, server } of cores) t.notMatch(server.output(), / (?:WARN (?! No user exists| The core is root)|ERROR|FATAL) /, name)
    const { rows: [made] } = await sql.query(`select
      (select count(*)::int from ${schema}.cloud_instance) as instances, (select count(*)::int from ${schema}.cloud_roles) as roles,
      (select count(*) = count(distinct name) and count(*) > 0 from ${schema}.cloud_migrations) as once`)
    t.strictSame(made, { instances: 1, roles: 2, once: true })
  })

  await t.test('of first admins that race on all of them exactly one is created', async t => {
    const racers = [0, 1, 2, 3, 4, 5].map(number => ({ who: person(), core: turn(number)[0], username: `root${number}` }))
    const answers = await Promise.all(racers.map(async ({ who, core, username }) => await who(core, 'POST', '/user/self', { username, password })))
    t.strictSame(answers.map(({ status }) => status).sort(), [201, 400, 400, 400, 400, 400])
    for (const { body } of answers.filter(({ status }) => status === 400)) {
      t.strictSame(body, refusal(400, 'A user already exists'))
    }
    const winner = racers[answers.findIndex(({ status }) => status === 201)]
    t.equal((await root(cores[0], 'POST', '/auth/login', { username: winner?.username, password })).status, 200)
    const { body } = await root(cores[1], 'GET', '/users/')
    t.strictSame(body.data.map(({ username }: { username: string }) => username), [winner?.username])
  })

  await t.test('a token of one is good on the others', async t => {
    const user = await join(cores[0])
    const answers = await Promise.all(cores.map(async core => await user(core, 'GET', '/user/self')))
    for (const { status, body } of answers) t.strictSame({ status, body }, { status: 200, body: answers[0]?.body })
  })

  type User = Awaited<ReturnType<typeof join>>
  const revocations: Record<string, { run (core: Core, user: User, other: Person): Promise<unknown>, status: 401 | 403 }> = {
    'a logout': { run: async (core, user) => await user(core, 'POST', '/auth/logout'), status: 401 },
    'the deletion of a token': { run: async (core, user, other) => await other(core, 'DELETE', `/user/token/${user.token}`), status: 401 },
    'the deletion of all tokens': { run: async (core, user) => await user(core, 'DELETE', '/user/tokens'), status: 401 },
    'a changed password': {
      run: async (core, _user, other) => {
        await other(core, 'PATCH', '/user/self/change-password', { password: 'another password' })
        for (const one of cores) t.equal(await status(other, one), 200, 'the token that changed it stays good')
      },
      status: 401
    },
    'the deletion of the user': { run: async (core, { uuid }) => await root(core, 'DELETE', `/user/${uuid}`), status: 401 },
    'an edited role': {
      run: async (core, { roleId, username }) =>
        await root(core, 'PATCH', `/role/${roleId}`, { label: `role of ${username}`, hexColor: '#123456', permissions: [] }),
      status: 403
    },
    'another role': {
      run: async (core, { uuid }) => {
        const role = await root(core, 'POST', '/role/', { label: `nothing for ${uuid}`, hexColor: '#000', permissions: [] })
        await root(core, 'PATCH', '/user/edit', { uuid, roleId: role.body.data.id })
      },
      status: 403
    }
  }
  for (const [index, [name, { run, status: expected }]] of Object.entries(revocations).entries()) {
    await t.test(`${name} on one is in force on the others within a second, on open sockets too`, async t => {
      const [here, ...others] = turn(index)
      const user = await join(here)
      const other = await login(here, user.username)
      for (const core of cores) t.equal(await status(user, core), 200)
      const watchers = await Promise.all(cores.map(async core => await follow(user, core, '/alive')))
      await run(here, user, other)
      const began = performance.now()
      const [took] = await Promise.all([
        settles(user, others, expected, inForceMs),
        ...watchers.map(async ({ closed }) => {
          t.strictSame(await closed, expected === 401 ? [3000, 'Unauthorized'] : [3003, 'Forbidden'])
          t.ok(inTime(performance.now() - began, inForceMs), 'the socket is closed in time')
        })
      ])
      t.ok(inTime(took, inForceMs))
      t.equal(await status(user, here), expected, 'where it was done it is in force at once')
    })
  }

  const endings: Record<string, { run (core: Core, user: User, id: string): Promise<unknown>, status: 401 | 403 }> = {
    'the deletion of a key': { run: async (core, user, id) => await user(core, 'DELETE', `/user/key/${id}`), status: 401 },
    'the deletion of its owner': { run: async (core, { uuid }) => await root(core, 'DELETE', `/user/${uuid}`), status: 401 },
    'an edited role of its owner': {
      run: async (core, { roleId, username }) =>
        await root(core, 'PATCH', `/role/${roleId}`, { label: `role of ${username}`, hexColor: '#123456', permissions: [] }),
      status: 403
    }
  }
  for (const [index, [name, { run, status: expected }]] of Object.entries(endings).entries()) {
    await t.test(`${name} on one is in force for the key on the others within a second, on its streams too`, async t => {
      const [here, ...others] = turn(index)
      const user = await join(here)
      const { body } = await user(here, 'POST', '/user/keys', { label: 'bot', permissions: ['cloud.service.list'] })
      const { id, key } = body.data
      const bots = new Map(cores.map(core => [core, createClient({ url: core.server.url, key })]))
      const byKey = async (core: Core): Promise<number> => (await (bots.get(core) as CloudClient).GET('/services/list')).response.status
      const ended = await Promise.all(cores.map(async core => {
        t.equal(await byKey(core), 200, core.name)
        const stream = (bots.get(core) as CloudClient).events({ topics: ['services'] })
        t.equal((await stream.next()).done, false)
        // Nothing changes: the next thing to be told is the end.
        const end = stream.next().then(() => 0, ({ status }: CloudError) => status)
        return { end }
      }))
      const began = performance.now()
      await run(here, user, id)
      await Promise.all(others.map(async core => { await until(async () => await byKey(core) === expected, `${core.name} answers ${expected}`, inForceMs) }))
      t.ok(inTime(performance.now() - began, inForceMs))
      for (const { end } of ended) t.equal(await end, expected)
      // The stream has ended by then; to hear why, the client has asked once more.
      t.ok(inTime(performance.now() - began, inForceMs + 500))
      t.equal(await byKey(here), expected)
    })
  }

  await t.test(`${revoked} rounds: warm on the others, listeners killed in between, revoked on one`, async t => {
    const { username } = await join(cores[0])
    let slowest = 0
    for (let round = 0; round < revoked; round++) {
      const [here, ...others] = turn(round)
      const user = await login(here, username)
      const cool = warm(user, others)
      if (round % 2 === 1) {
        t.ok(await killListeners() > 0, 'listeners were there to be killed')
        // From at once to after they are back.
        await new Promise(resolve => setTimeout(resolve, round * 20))
      }
      t.equal((await user(here, 'POST', '/auth/logout')).status, 200)
      slowest = Math.max(slowest, await settles(user, others, 401, inForceMs))
      await cool()
    }
    t.comment(`in force after ${Math.round(slowest)} ms at most`)
  })

  await t.test('what changes while a listener is on its way back is not missed', async t => {
    const schema = postgres.newSchema()
    const link = await openLink(postgres.url)
    const one = await openPostgresStorage({ url: postgres.url, schema })
    const other = await openPostgresStorage({ url: link.url, schema })
    const listening = new AbortController()
    t.teardown(async () => {
      listening.abort()
      await Promise.all([one.close(), other.close()])
      await link.close()
    })
    await one.users.insertFirst({
      uuid: 'root', username: 'root', nameKey: 'root', roleId: -1, passwordHash: 'hash', hasChangedPassword: true, createdAt: 1
    })
    let told: StorageChange[] = []
    let toldAt = performance.now()
    other.subscribe?.(change => {
      told.push(change)
      toldAt = performance.now()
    }, { signal: listening.signal })

    for (let round = 0; round < 3; round++) {
      await until(() => performance.now() - toldAt > 700, 'it hears')
      await one.sessions.insert({
        id: 's1', userUuid: 'root', ip: '', userAgent: '', permissions: [], createdAt: 1, expiresAt: Date.now() + 60_000, lastActivity: 1
      }, { keep: 50, passwordHash: 'hash' })
      told = []
      link.cut()
      link.stall()
      await until(() => told.length > 0, 'it notices')
      await one.sessions.delete('root', 's1', { by: { kind: 'operator' } })
      told = []
      link.mend()
      await until(() => told.length > 0, 'it is told of the change, or of all', inForceMs)
    }
    t.pass()
  })

  await t.test('a core that is cut off believes nothing that it knew, and heals by itself', async t => {
    const [a, b, c] = cores
    const user = await join(a)
    t.equal(await status(user, b), 200)
    const watcher = await follow(user, b, '/alive')
    const health = watchHealth()
    b.link.stall()
    t.equal((await user(a, 'POST', '/auth/logout')).status, 200)
    const revokedAt = performance.now()
    await settles(user, [c], 401, inForceMs)
    t.strictSame(await watcher.closed, [1013, 'Try again later'])
    t.ok(inTime(performance.now() - revokedAt, doubtMs), 'S8: its socket is closed, since nobody can tell')
    // Its answers stay away now; the first that is sent a second after the change decides.
    await until(() => performance.now() - revokedAt > inForceMs, 'a second has passed')
    const answer = await user(b, 'GET', '/services/list')
    t.strictSame({ status: answer.status, body: answer.body }, { status: 503, body: refusal(503, 'Storage is not available') })
    t.ok(inTime(answer.ms, boundedMs), `${answer.ms} ms`)
    const slowest = await health()
    t.ok(inTime(slowest, 1_000), `health took ${slowest} ms`)

    b.link.mend()
    const mendedAt = performance.now()
    t.ok(inTime(await settles(user, [b], 401, healedMs), healedMs))
    t.ok(inTime(performance.now() - mendedAt, healedMs))
    await settles(root, cores, 200, healedMs)
  })

  /** What holds while the database is away in one way or another, and after it is back. */
  async function survives (t: Test, leave: () => unknown, comeBack: () => unknown): Promise<void> {
    const user = await join(cores[0])
    for (const core of cores) t.equal(await status(user, core), 200)
    const before = await Promise.all(cores.map(async core => await follow(user, core, '/alive')))
    const health = watchHealth()
    await leave()
    const leftAt = performance.now()
    try {
      for (const { closed } of before) t.strictSame(await closed, [1013, 'Try again later'])
      t.ok(inTime(performance.now() - leftAt, doubtMs), 'S8: sockets are closed, since nobody can tell')
      const unavailable = { status: 503, body: refusal(503, 'Storage is not available') }
      // What is known may be answered until it is too old.
      const noted = performance.now()
      await until(() => performance.now() - noted > inForceMs, 'a second has passed')
      const answers = await Promise.all(cores.flatMap(core => [
        ...Array.from({ length: 5 }, async () => await user(core, 'GET', '/user/self')),
        user(core, 'GET', '/services/list'),
        root(core, 'POST', '/role/', { label: 'never', hexColor: '#000', permissions: [] }),
        person()(core, 'POST', '/auth/login', { username: user.username, password })
      ]))
      for (const { status, body } of answers) t.strictSame({ status, body }, unavailable)
      const slowest = Math.max(...answers.map(({ ms }) => ms))
      t.comment(`503 after ${Math.round(slowest)} ms at most`)
      t.ok(inTime(slowest, boundedMs), `${slowest} ms`)
    } finally {
      await comeBack()
    }
    const healed = await Promise.all([settles(user, cores, 200, healedMs), settles(root, cores, 200, healedMs)])
    t.comment(`healed after ${Math.round(Math.max(...healed))} ms`)
    const slowest = await health()
    t.ok(inTime(slowest, 1_000), `health took ${slowest} ms`)
    const watchers = await Promise.all(cores.map(async core => await follow(user, core, '/alive')))
    t.equal((await user(cores[1], 'POST', '/auth/logout')).status, 200)
    const began = performance.now()
    for (const { closed } of watchers) t.strictSame(await closed, [3000, 'Unauthorized'])
    t.ok(inTime(performance.now() - began, inForceMs), 'and changes are in force in time again')
    t.ok(inTime(await settles(user, cores, 401, inForceMs), inForceMs))
    const { rows } = await sql.query(`select 1 from ${schema}.cloud_roles where label = 'never'`)
    t.strictSame(rows, [], 'what was answered 503 was not stored')
  }

  await t.test('a database that is gone: 503 in time, health stays, and all heals by itself', async t => {
    await survives(t, () => { for (const { link } of cores) link.cut() }, () => { for (const { link } of cores) link.mend() })
  })

  await t.test('a database that stands still: 503 in time, health stays, and all heals by itself', { skip: foreign || onlyFull('a database that is lost in another way') }, async t => {
    const processes = await postgresProcesses(postgres.url)
    // Whatever happens: a process that stands still cannot be ended.
    t.teardown(processes.thaw)
    await survives(t, processes.freeze, processes.thaw)
  })

  await t.test('a core killed in the middle of its work leaves the others at theirs, and comes back', { skip: onlyFull('a core that is lost') }, async t => {
    const [a, b, c] = cores
    const user = await join(a)
    let written = 0
    const writing = Promise.allSettled(Array.from({ length: 8 }, async (_, lane) => {
      for (let number = 0; ; number++) {
        const { status } = await root(c, 'POST', '/role/', { label: `${lane} ${number}`, hexColor: '#000', permissions: [] })
        if (status === 201) written++
      }
    }))
    await until(() => written > 10, 'it is in the middle of its work')
    t.strictSame(await c.server.stop('SIGKILL'), { code: null, signal: 'SIGKILL' })
    t.ok((await writing).every(({ status }) => status === 'rejected'))

    const edited = await root(a, 'PATCH', `/role/${user.roleId}`, { label: 'edited', hexColor: '#fff', permissions: [] })
    t.equal(edited.status, 200)
    t.ok(inTime(edited.ms, 2_000), `no lock is left behind: ${edited.ms} ms`)
    t.ok(inTime(await settles(user, [b], 403, inForceMs), inForceMs))

    cores[2] = await startCore(c)
    t.equal(await status(root, cores[2]), 200)
    t.equal(await status(user, cores[2]), 403)
  })

  await t.test('a database that crashes and recovers: all heals by itself', { skip: foreign || onlyFull('a database that is lost in another way') }, async t => {
    const user = await join(cores[0])
    const processes = await postgresProcesses(postgres.url)
    await processes.crash()
    // What is kept in memory is answered until the crash is noticed; a write needs the database.
    let written = 0
    await Promise.all(cores.map(async core => {
      const write = () => root(core, 'POST', '/role/', { label: `healed ${written++}`, hexColor: '#000', permissions: [] })
      await until(async () => (await write()).status === 201, `${core.name} stores again`, healedMs)
    }))
    t.ok(inTime(await settles(user, cores, 200, inForceMs), inForceMs))
    t.equal((await user(cores[0], 'POST', '/auth/logout')).status, 200)
    t.ok(inTime(await settles(user, cores, 401, inForceMs), inForceMs))
  })

  await t.test('told to stop, each exits 0', async t => {
    for (const { name, server } of cores) t.strictSame(await server.stop('SIGTERM'), { code: 0, signal: null }, name)
  })
})
