/** Hears what other processes changed in the same PostgreSQL. */
import { createHash, randomUUID } from 'node:crypto'
import pg from 'pg'
import type { StorageChange } from '../../types/storage.js'
import { sql, type Transaction } from './kysely.js'
import type { Schema } from './schema.js'

/**
 * How processes over one PostgreSQL hear of each other's changes. The database itself tells them, from triggers, so a
 * change is told exactly when it is committed, whoever made it and whatever becomes of that process.
 */

/**
 * Milliseconds between two proofs that this process still hears, and how long it believes one: well below the second of
 * `subscribe`. It is believed from when it was asked for: of what was committed after that it says nothing.
 */
const beatMs = 200
const patienceMs = 500

const tables = [
  { table: 'cloud_users', kind: 'user', key: 'uuid', events: 'update or delete' },
  { table: 'cloud_roles', kind: 'role', key: 'id', events: 'update or delete' },
  // Not on update: noting activity changes nobody's rights, and nothing else of a key can change.
  { table: 'cloud_sessions', kind: 'session', key: 'id', events: 'delete' },
  { table: 'cloud_keys', kind: 'key', key: 'id', events: 'delete' }
] as const

/** Makes the triggers where they are not there yet; within the transaction that brings the tables up to date. */
export async function createTriggers (trx: Transaction<Schema>, schema: string): Promise<void> {
  const own = sql.id(schema)
  await sql`create or replace function ${own}.cloud_tell() returns trigger language plpgsql as ${sql.lit(tell)}`.execute(trx)
  for (const { table, kind, key, events } of tables) {
    const name = `${table}_tell`
    const { rows } = await sql`
      select 1 from pg_trigger join pg_class on pg_class.oid = tgrelid join pg_namespace on pg_namespace.oid = relnamespace
      where tgname = ${name} and nspname = ${schema}`.execute(trx)
    if (rows.length > 0) continue
    await sql`create trigger ${sql.id(name)} after ${sql.raw(events)} on ${own}.${sql.id(table)}
      for each row execute function ${own}.cloud_tell(${sql.lit(kind)}, ${sql.lit(key)})`.execute(trx)
  }
}

const tell = `
begin
  perform pg_notify('cloud_' || md5(tg_table_schema), tg_argv[0] || ' ' || (to_jsonb(old) ->> tg_argv[1]));
  return null;
end`

const channelOf = (schema: string): string => `cloud_${createHash('md5').update(schema).digest('hex')}`

export interface Listening {
  close (): Promise<void>
}

/**
 * Listens for changes until closed. As soon as it cannot prove that it hears, by a message to itself, it tells `all`, and
 * again and again until it can: nobody then relies on what they knew for longer than a beat.
 */
export function listen (url: string, schema: string, emit: (change: StorageChange) => void): Listening {
  const beats = `cloud_beat_${randomUUID().replaceAll('-', '')}`
  let client: pg.Client | undefined
  let connecting = false
  let asking = false
  let closed = false
  let hears = false
  let askedAt = 0
  let patience: NodeJS.Timeout | undefined

  /** From now on nobody may rely on what they knew. */
  function deaf (): void {
    hears = false
    if (!closed) emit({ kind: 'all' })
  }

  function believe (): void {
    clearTimeout(patience)
    patience = setTimeout(deaf, askedAt + patienceMs - performance.now()).unref()
  }

  async function connect (): Promise<void> {
    connecting = true
    const fresh = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000, query_timeout: 2_000, keepAlive: true, application_name: 'fastify-cloud listens' })
    const lost = (): void => {
      if (client !== fresh) return
      client = undefined
      deaf()
    }
    fresh.on('error', lost)
    fresh.on('end', lost)
    fresh.on('notification', ({ channel, payload = '' }) => {
      if (channel !== beats) {
        emit(changeOf(payload))
        return
      }
      hears = client === fresh
      believe()
    })
    try {
      await fresh.connect()
      await fresh.query(`listen ${channelOf(schema)}; listen ${beats}`)
      if (closed) {
        await fresh.end()
        return
      }
      client = fresh
      // Of what was committed since the last `all` and before this nobody will tell; a proof alone would hide it.
      emit({ kind: 'all' })
    } catch {
      fresh.end().catch(() => {})
    } finally {
      connecting = false
    }
  }

  function beat (): void {
    if (!hears) emit({ kind: 'all' })
    if (client === undefined) {
      if (!connecting) connect().catch(() => {})
      return
    }
    if (asking) return
    const current = client
    asking = true
    askedAt = performance.now()
    current.query('select pg_notify($1, $2)', [beats, '']).catch(() => {
      if (client === current) client = undefined
      deaf()
      current.end().catch(() => {})
    }).finally(() => { asking = false })
  }

  const timer = setInterval(beat, beatMs)
  timer.unref()
  beat()
  return {
    close: async () => {
      closed = true
      clearInterval(timer)
      clearTimeout(patience)
      await client?.end().catch(() => {})
    }
  }
}

function changeOf (payload: string): StorageChange {
  const space = payload.indexOf(' ')
  const id = payload.slice(space + 1)
  switch (payload.slice(0, space)) {
    case 'user': return { kind: 'user', uuid: id }
    case 'role': return { kind: 'role', id: Number(id) }
    case 'session': return { kind: 'session', id }
    case 'key': return { kind: 'key', id }
    // Another release may tell what this one does not know.
    default: return { kind: 'all' }
  }
}
