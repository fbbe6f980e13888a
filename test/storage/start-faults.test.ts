/**
 * Every call to the file system and to the database that a start consists of fails once, and so for the first user and the
 * last (S4). `START_FAULTS=4` lets each call fail in every way.
 */
import { execFile } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import type { OpenStorage } from '../../lib/storage/open.js'
import type { Run, Tried } from './faulty-process.js'
import { user, withRole, withSession, withUser } from './fixtures.js'
import { rounds } from '../fixtures/rounds.js'

t.setTimeout(600_000)

const codes = Number(process.env['START_FAULTS'] ?? rounds(1, 4))
const program = fileURLToPath(new URL('faulty-process.js', import.meta.url))

/** Lets a process try something in copies of these files, each time with another call failing. */
async function tries (t: Test, run: Run, from?: string, late = false): Promise<readonly Tried[]> {
  const to = join(t.testdirName, `tried${late ? '-late' : ''}`)
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify({ run, from, to, late, codes })])
  const tried = JSON.parse(stdout) as Tried[]
  const kinds = new Set(tried.map(({ call }) => call))
  t.comment(`${tried.length} tries${late ? ', done and then failed' : ''}: ${[...kinds].join(', ')}`)
  t.ok(tried.length > 10 && kinds.size > 3, 'calls of several kinds have failed')
  return tried
}

/** How a cloud is found, and what it holds. */
interface Found {
  readonly directory: string
  readonly content: string
}

async function contentOf (storage: OpenStorage): Promise<string> {
  const users = await storage.users.list()
  const sessions = await Promise.all(users.map(async ({ user: { uuid } }) => await storage.sessions.list(uuid, 0)))
  return JSON.stringify([users, await storage.roles.list(), sessions])
}

/** The files of a cloud with users, roles and sessions; of one that was killed where the journal is still there. */
async function make (t: Test, { killed = false, marker = true, users = 2 } = {}): Promise<Found> {
  const made = join(t.testdir(), 'made')
  const directory = join(t.testdirName, 'found')
  for (const each of [made, directory]) mkdirSync(each)
  const storage = await openSqliteStorage({ file: join(made, 'cloud.db'), defaultPermissions: ['cloud.a'] })
  const owner = user()
  if (users > 0) await storage.users.insertFirst(owner)
  if (users > 0) await withSession(storage, owner)
  const builder = await withRole(storage, 'Builder')
  if (users > 1) await withSession(storage, await withUser(storage, { roleId: builder.id }))
  const content = await contentOf(storage)
  const copy = (): void => {
    for (const name of ['cloud.db', 'cloud.db-wal', 'cloud.db.marker']) {
      if (existsSync(join(made, name))) copyFileSync(join(made, name), join(directory, name))
    }
  }
  if (killed) copy()
  await storage.close()
  if (!killed) copy()
  if (!marker) rmSync(join(directory, 'cloud.db.marker'))
  return { directory, content }
}

/** The next start, after which everything has to be as it should. */
async function nextStart (t: Test, { directory, what }: Tried, expected: { readonly content?: string, readonly users: boolean }): Promise<void> {
  const file = join(directory, 'cloud.db')
  const storage = await openSqliteStorage({ file, defaultPermissions: ['cloud.a'] }).catch((error: unknown) => { t.fail(`${what}: ${String(error)}`) })
  if (storage === undefined) return
  if (expected.content !== undefined) t.equal(await contentOf(storage), expected.content, `nothing is lost: ${what}`)
  t.equal(existsSync(`${file}.marker`), expected.users, `the marker says whether there are users: ${what}`)
  t.equal(await storage.users.insertFirst(user()), expected.users ? 'not-first' : 'done', `the first setup is ${expected.users ? 'not ' : ''}open: ${what}`)
  await storage.close()
}

for (const [what, how] of [
  ['with its users', {}],
  ['that was killed', { killed: true }],
  ['whose marker is missing', { marker: false }],
  ['that was killed before its marker was placed', { killed: true, marker: false }]
] as const) {
  t.test(`S4: a start of a cloud ${what}, each call of which fails once, leaves everything as it was`, async t => {
    const { directory, content } = await make(t, how)
    // Only the start that places the marker changes files.
    for (const late of 'marker' in how ? [false, true] : [false]) {
      for (const tried of await tries(t, 'start', directory, late)) await nextStart(t, tried, { content, users: true })
    }
  })
}

t.test('S4: a very first start, each call of which fails once, hinders no other', async t => {
  t.testdir()
  for (const tried of await tries(t, 'start')) await nextStart(t, tried, { users: false })
})

t.test('S4: the first user, where any call fails once, is stored and marked, or there is none', async t => {
  const { directory } = await make(t, { users: 0 })
  for (const late of [false, true]) {
    for (const tried of await tries(t, 'first user', directory, late)) await nextStart(t, tried, { users: tried.done })
  }
})

t.test('S4: the last user who goes, where any call fails once, is there with everything or is gone', async t => {
  const { directory, content } = await make(t, { users: 1 })
  for (const late of [false, true]) {
    for (const tried of await tries(t, 'last user', directory, late)) {
      // A commit that was done and is told as failed leaves nobody; whatever else failed leaves everything.
      const users = !tried.done && !(late && tried.call === 'exec' && existsSync(join(tried.directory, 'cloud.db.marker')) === false)
      await nextStart(t, tried, { ...users && { content }, users })
    }
  }
})
