/** Connections to PostgreSQL that give up in time. */
import pg from 'pg'
import type { PostgresPool, PostgresPoolClient } from './kysely.js'
import { marked } from './unavailable.js'

/** How to reach a server, and how long to wait for it. */
export interface PoolOptions {
  readonly url: string
  readonly connections: number
  readonly timeout: number
}

/** Connections to one server, which get lost without harm to the process. */
export interface Pool {
  connect (): Promise<pg.PoolClient>
  query (text: string, parameters: readonly unknown[]): Promise<{ readonly rows: readonly unknown[] }>
  /** The same with each row as its values, in the order of the columns. */
  queryRows (text: string, parameters: readonly unknown[]): Promise<{ readonly rows: ReadonlyArray<readonly unknown[]> }>
  /** Never waits longer than the timeout, even for a server that is gone; a second call joins the first. */
  close (): Promise<void>
}

/** Makes a pool; it connects when it is first asked. */
export function openPool ({ url, connections, timeout }: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    connectionTimeoutMillis: timeout,
    statement_timeout: timeout,
    // A little later than the server's own, which says more; this one is for a server that says nothing.
    query_timeout: timeout + 1_000,
    // A process that stops in the middle of a transaction must not hold the locks of all accounts.
    idle_in_transaction_session_timeout: timeout,
    keepAlive: true,
    application_name: 'fastify-cloud',
    types: { getTypeParser }
  })
  // A connection that is lost while nobody asks is replaced when somebody does; unheard, its error ends the process.
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))

  let closed: Promise<void> | undefined
  return {
    connect: () => marked(isAway, () => pool.connect()),
    query: (text, parameters) => marked(isAway, () => pool.query(text, [...parameters])),
    queryRows: (text, parameters) => marked(isAway, () => pool.query({ text, values: [...parameters], rowMode: 'array' })),
    close: () => (closed ??= within(timeout, pool.end()))
  }
}

/**
 * Makes kysely give back a connection as broken when it is. It gives back all alike, and one whose answer never came
 * would serve the next request its predecessor's rows or nothing at all.
 */
export function reliable (pool: Pool): PostgresPool {
  return {
    async connect () {
      const client = await pool.connect()
      let broken: Error | undefined
      // Without the overload for cursors, which nobody here uses.
      return {
        async query (text: string, parameters: readonly unknown[]) {
          if (broken !== undefined) throw broken
          // `pg` would put the same character in place of every half of a surrogate pair.
          if (parameters.some(value => typeof value === 'string' && !value.isWellFormed())) throw new TypeError('PostgreSQL cannot store half a surrogate pair')
          try {
            return await marked(isAway, () => client.query(text, [...parameters]))
          } catch (error) {
            if (!isAnswer(error)) broken = error as Error
            throw error
          }
        },
        release: () => client.release(broken)
      } as unknown as PostgresPoolClient
    },
    end: () => pool.close()
  }
}

/** Whether the server said so, and not that it goes (57P…): any other error leaves a connection in an unknown state. */
const isAnswer = (error: unknown): boolean => error instanceof pg.DatabaseError && !error.code?.startsWith('57P')

/** Nobody answers, the server goes or is full, or a statement took too long (PostgreSQL, Appendix A: classes 08, 53, 57). */
const isAway = (error: unknown): boolean =>
  !isAnswer(error) || /^(?:08|53|57014|55P03)/.test((error as pg.DatabaseError).code ?? '')

/** Times, ids and counts are BIGINT, which `pg` hands over as text; all of ours are exact as a number. */
const getTypeParser = ((oid: number, format: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text')
) as typeof pg.types.getTypeParser

async function within (ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  await Promise.race([promise, new Promise<void>(resolve => { timer = setTimeout(resolve, ms) })])
  clearTimeout(timer)
}
