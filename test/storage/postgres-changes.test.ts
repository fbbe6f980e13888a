/** What one process changes in PostgreSQL, the others are told. */
import pg from 'pg'
import t, { type Test } from 'tap'
import { openPostgresStorage } from '../../lib/storage/postgres.js'
import type { CloudStorage, StorageChange } from '../../types/storage.js'
import { lacksPostgres, startPostgres } from '../fixtures/postgres.js'
import { until } from '../fixtures/until.js'
import { operator } from './fixtures.js'

t.setTimeout(600_000)

const lacks = lacksPostgres()
const own = { skip: lacks === false ? false as const : lacks }

const user = (uuid: string, roleId: number) => ({
  uuid, username: uuid, nameKey: uuid, roleId, passwordHash: 'hash', hasChangedPassword: true, createdAt: 1
})

const session = (id: string, userUuid: string) => ({
  id, userUuid, ip: '127.0.0.1', userAgent: '', permissions: [], createdAt: 1, expiresAt: Date.now() + 60_000, lastActivity: 1
})

t.test('changes over one PostgreSQL', own, async t => {
  const server = await startPostgres()
  t.teardown(async () => { await server.stop() })

  async function two (t: Test): Promise<{ one: CloudStorage, told: StorageChange[], schema: string }> {
    const schema = await server.newSchema()
    const one = await openPostgresStorage({ url: server.url, schema })
    const other = await openPostgresStorage({ url: server.url, schema })
    const listening = new AbortController()
    const told: StorageChange[] = []
    other.subscribe?.(change => told.push(change), { signal: listening.signal })
    // As long as it cannot hear it tells `all`, beat by beat; the first quiet beats show that it does.
    await until(() => { const before = told.length; return new Promise<boolean>(resolve => setTimeout(() => { resolve(told.length === before) }, 700)) }, 'it hears')
    told.length = 0
    t.teardown(async () => {
      listening.abort()
      await Promise.all([one.close(), other.close()])
    })
    return { one, told, schema }
  }

  const tells = async (told: StorageChange[], change: StorageChange): Promise<void> => {
    await until(() => told.some(one => JSON.stringify(one) === JSON.stringify(change)), JSON.stringify(change), 1_000)
  }

  await t.test('what one process changes is told in the other within a second', async t => {
    const { one, told } = await two(t)
    await one.users.insertFirst(user('root', -1))
    await one.users.insert(user('jane', 0), operator)
    await one.sessions.insert(session('s1', 'jane'), { keep: 50, passwordHash: 'hash' })
    await one.sessions.insert(session('s2', 'jane'), { keep: 50, passwordHash: 'hash' })
    await one.sessions.touch([{ id: 's1', lastActivity: 5 }])
    await one.sessions.delete('jane', 's1', operator)
    await tells(told, { kind: 'session', id: 's1' })
    // A machine that is busy for half a second is told to look at all anew.
    t.strictSame(told.filter(({ kind }) => kind !== 'all'), [{ kind: 'session', id: 's1' }], 'and nothing else: a new user or an activity takes nobody any right')

    await one.users.setRole('jane', -1, operator)
    await tells(told, { kind: 'user', uuid: 'jane' })
    const role = await one.roles.find(0)
    if (role === undefined) throw new Error('There is no role 0')
    await one.roles.update({ ...role, permissions: [] }, operator)
    await tells(told, { kind: 'role', id: 0 })
    told.length = 0
    await one.users.delete('jane', operator)
    await tells(told, { kind: 'session', id: 's2' })
    await tells(told, { kind: 'user', uuid: 'jane' })
  })

  await t.test('a change that no process of ours made is told as well', async t => {
    const { one, told, schema } = await two(t)
    await one.users.insertFirst(user('root', -1))
    const client = new pg.Client(server.url)
    await client.connect()
    await client.query(`delete from "${schema}".cloud_users`)
    await client.end()
    await tells(told, { kind: 'user', uuid: 'root' })
  })

  await t.test('a listener that is cut off tells all until it hears again', async t => {
    const { one, told } = await two(t)
    await one.users.insertFirst(user('root', -1))
    await one.sessions.insert(session('s1', 'root'), { keep: 50, passwordHash: 'hash' })
    const client = new pg.Client(server.url)
    await client.connect()
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', ['fastify-cloud listens'])
    await client.end()
    await tells(told, { kind: 'all' })
    await until(() => { const before = told.length; return new Promise<boolean>(resolve => setTimeout(() => { resolve(told.length === before) }, 700)) }, 'it hears again')
    await one.sessions.delete('root', 's1', operator)
    await tells(told, { kind: 'session', id: 's1' })
  })

  await t.test('a listener whose messages get lost tells all within a second', async t => {
    const { told } = await two(t)
    const client = new pg.Client(server.url)
    await client.connect()
    // The server is made to stand still: connections stay up and nothing arrives.
    const { rows } = await client.query('select pid from pg_stat_activity where application_name = $1', ['fastify-cloud listens'])
    for (const { pid } of rows as Array<{ pid: number }>) process.kill(pid, 'SIGSTOP')
    try {
      await tells(told, { kind: 'all' })
    } finally {
      for (const { pid } of rows as Array<{ pid: number }>) process.kill(pid, 'SIGCONT')
      await client.end()
    }
  })
})
