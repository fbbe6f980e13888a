// A process in which one call of many fails: of the file system or of the database. Each try has a copy of the files for
// itself; what the tries leave behind, locks for instance, goes with the process, as after a failed start.
//
// The first argument is a JSON of `from` (a directory with files, or none), `to` (where the copies are made), `run` (what is
// tried), `late` (the call is done and fails afterwards), `codes` (how many of the faults). Prints a JSON: the tries.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import LibsqlDatabase from 'libsql'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { failingCalls, faults } from '../fixtures/failing-calls.js'
import { operator, user } from './fixtures.js'

/** What came of a try. */
export interface Tried {
  readonly directory: string
  readonly what: string
  readonly call: string
  readonly done: boolean
}

/** What can be tried. */
export type Run = keyof typeof runs

const runs = {
  start: async (file: string) => {
    await openSqliteStorage({ file, defaultPermissions: ['cloud.a'] })
  },
  'first user': async (file: string) => {
    const storage = await openSqliteStorage({ file, defaultPermissions: ['cloud.a'] })
    return async () => await storage.users.insertFirst(user({ username: 'first' }))
  },
  'last user': async (file: string) => {
    const storage = await openSqliteStorage({ file, defaultPermissions: ['cloud.a'] })
    const [last] = await storage.users.list()
    return async () => await storage.users.delete(last?.user.uuid ?? '', operator)
  }
}

if (process.argv[2] !== undefined) {
  const { from, to, run, late, codes } = JSON.parse(process.argv[2]) as
    { from?: string, to: string, run: Run, late: boolean, codes: number }
  const memory = new LibsqlDatabase(':memory:')
  const calls = failingCalls(
    { of: LibsqlDatabase.prototype, names: ['exec', 'prepare'] },
    { of: Object.getPrototypeOf(memory.prepare('select 1')) as object, names: ['run', 'get', 'all'] }
  )
  const tried: Tried[] = []
  for (let n = 0, more = true; more; n++) {
    for (let code = 0; code < codes && more; code++) {
      const fault = faults[(n + code) % faults.length] as string
      const directory = join(to, `${n}-${fault}`)
      if (from === undefined) mkdirSync(directory, { recursive: true })
      else cpSync(from, directory, { recursive: true })
      const file = join(directory, 'cloud.db')
      // What comes before is the business of another try.
      const last = run === 'start' ? async () => { await runs.start(file) } : await runs[run](file)
      const { call, outcome } = await calls.during<unknown>(n, fault, last, { late })
      more = call !== undefined
      if (call === undefined && outcome.status === 'rejected') throw outcome.reason
      if (call !== undefined) tried.push({ directory, what: `call ${n}, ${call}, ${fault}`, call, done: outcome.status === 'fulfilled' })
    }
  }
  calls.restore()
  writeFileSync(1, JSON.stringify(tried))
  // Nothing is closed: a start that failed ends like this.
  process.exit(0)
}
