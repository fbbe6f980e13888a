/** The storage in SQLite: its file, its locks, deaths of its process. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync,
  symlinkSync, truncateSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import LibsqlDatabase from 'libsql'
import t, { type Test } from 'tap'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import { bound } from '../../lib/storage/sqlite-driver.js'
import { changesDuring, operator, role, session, user, withSession, withUser } from './fixtures.js'
import { rounds } from '../fixtures/rounds.js'

t.setTimeout(600_000)

const fileIn = (t: Test): string => join(t.testdir(), 'cloud.db')

/** A storage that the test's end closes. */
async function open (t: Test, file: string) {
  const storage = await openSqliteStorage({ file })
  t.teardown(() => storage.close())
  return storage
}

/** A file that held a user, closed, with its marker. */
async function used (t: Test): Promise<{ file: string, marker: string }> {
  const file = fileIn(t)
  const storage = await openSqliteStorage({ file })
  await storage.users.insertFirst(user())
  await storage.close()
  return { file, marker: `${file}.marker` }
}

/** A process that writes to the file; `lines` are the acknowledged uuids, after `open`. */
function startWriter (t: Test, file: string): { child: ChildProcess, lines: string[], until: (count: number) => Promise<void> } {
  const child = spawn(process.execPath, [fileURLToPath(new URL('writer.js', import.meta.url)), file],
    { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: string[] = []
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
  })
  return {
    child,
    lines,
    async until (count) {
      while (lines.length < count) {
        if (child.exitCode !== null) throw new Error('The writer ended')
        await once(child.stdout, 'data')
      }
    }
  }
}

const inUse = (file: string) => ({ code: 'CLOUD_ERR_STORAGE_IN_USE', message: new RegExp(file) })
const lost = (file: string, finding: RegExp) => ({
  code: 'CLOUD_ERR_STORAGE_LOST',
  message: new RegExp(`${file}.*${finding.source}.*Restore.*${file}.marker`)
})
const damaged = (file: string, finding: RegExp) => ({
  code: 'CLOUD_ERR_STORAGE_DAMAGED', message: new RegExp(`${file}.*${finding.source}`)
})

t.test('one storage at a time has the file: a second one is refused, in this process and in another (case 107)', async t => {
  const file = fileIn(t)
  const { child, until } = startWriter(t, file)
  await until(1)
  await t.rejects(openSqliteStorage({ file }), inUse(file))
  child.kill('SIGKILL')
  await once(child, 'exit')
  const storage = await open(t, file)
  await t.rejects(openSqliteStorage({ file }), inUse(file))
  t.equal(await storage.roles.delete(7, operator), 'missing', 'the refused one took nothing away')
  const second = startWriter(t, file)
  second.child.stderr?.resume()
  const [code] = await once(second.child, 'exit')
  t.equal(code, 1, 'nor the lock')
})

t.test('of several that open one new file together, one gets it', async t => {
  const file = fileIn(t)
  const opened = await Promise.allSettled([1, 2, 3].map(() => openSqliteStorage({ file })))
  const storages = opened.filter(each => each.status === 'fulfilled')
  t.equal(storages.length, 1)
  await storages[0]?.value.close()
})

t.test('after close the file can be opened again at once, and is one file', async t => {
  const { file } = await used(t)
  for (let round = 0; round < 3; round++) {
    const storage = await openSqliteStorage({ file })
    t.equal(await storage.users.count(), 1)
    await Promise.all([storage.close(), storage.close()])
    await t.rejects(storage.users.count())
    await t.rejects(storage.sessions.find('x'))
  }
  t.strictSame(readdirSync(t.testdirName), ['cloud.db', 'cloud.db.marker'])
})

t.test('only the owner can read the files (case 108)', { skip: process.platform === 'win32' && 'no modes here' }, async t => {
  const file = fileIn(t)
  writeFileSync(file, '', { mode: 0o644 })
  chmodSync(file, 0o644)
  const storage = await open(t, file)
  await storage.users.insertFirst(user())
  const modes = readdirSync(t.testdirName).map(name =>
    `${name} ${(statSync(join(t.testdirName, name)).mode & 0o777).toString(8)}`)
  t.strictSame(modes, ['cloud.db 600', 'cloud.db-wal 600', 'cloud.db.marker 600'])
})

t.test('what was acknowledged survives kill -9, and the file opens again at once (case 104)', async t => {
  const file = fileIn(t)
  const acknowledged: string[] = []
  const times = rounds(4, 20)
  for (let round = 0; round < times; round++) {
    const { child, lines, until } = startWriter(t, file)
    // The very first rounds die around the first user and its marker.
    await until(1 + round)
    child.kill('SIGKILL')
    // `close` and not `exit`: by then all that the pipe held was read.
    await once(child, 'close')
    acknowledged.push(...lines.slice(1))
  }
  const storage = await openSqliteStorage({ file })
  const stored = new Set((await storage.users.list()).map(({ user }) => user.uuid))
  t.ok(acknowledged.length >= times * (times - 1) / 2)
  t.strictSame(acknowledged.filter(uuid => !stored.has(uuid)), [])
  for (const uuid of acknowledged) t.ok(await storage.sessions.find(uuid))
  await storage.close()
})

t.test('a marker is beside the file from the first user to the deletion of the last', async t => {
  const file = fileIn(t)
  const storage = await open(t, file)
  const marker = `${file}.marker`
  t.notOk(existsSync(marker))
  const jane = user()
  await storage.users.insertFirst(jane)
  const text = readFileSync(marker, 'utf8')
  t.match(JSON.parse(text), { instance: /^[0-9a-f-]{36}$/, note: /begin anew/ })
  const john = await withUser(storage)
  await storage.users.delete(jane.uuid, operator)
  t.equal(readFileSync(marker, 'utf8'), text)
  await storage.users.delete(john.uuid, operator)
  t.notOk(existsSync(marker))
  await storage.close()
  const again = await open(t, file)
  t.equal(await again.users.insertFirst(user()), 'done', 'the first setup is open again')
  t.equal(readFileSync(marker, 'utf8'), text)
})

t.test('a database file that is not there, or not the one, does not reopen the first setup (case 105)', async t => {
  const cases: Record<string, { spoil: (file: string) => void | Promise<void>, finding: RegExp }> = {
    missing: { spoil: file => rmSync(file), finding: /missing or empty/ },
    empty: { spoil: file => truncateSync(file), finding: /missing or empty/ },
    truncated: { spoil: file => truncateSync(file, 8_192), finding: /(no intact|check says)/ },
    'cut within its header': { spoil: file => truncateSync(file, 50), finding: /no intact SQLite database/ },
    'no database': { spoil: file => writeFileSync(file, 'x'.repeat(9_000)), finding: /no intact SQLite database/ },
    overwritten: {
      spoil: file => {
        const bytes = readFileSync(file)
        writeFileSync(file, bytes.fill(0xff, 4_096, 12_288))
      },
      finding: /(no intact|check says)/
    },
    'another cloud\'s': {
      spoil: async file => {
        rmSync(file)
        const other = await openSqliteStorage({ file: `${file}.other` })
        await other.users.insertFirst(user())
        await other.close()
        renameSync(`${file}.other`, file)
      },
      finding: /names another database/
    },
    'another application\'s': {
      spoil: file => {
        rmSync(file)
        const other = new LibsqlDatabase(file)
        other.exec('create table theirs (id integer)')
        other.close()
      },
      finding: /another application/
    },
    'without its users': {
      spoil: file => {
        const database = new LibsqlDatabase(file)
        database.exec('delete from cloud_users')
        database.close()
      },
      finding: /holds no users/
    }
  }
  for (const [name, { spoil, finding }] of Object.entries(cases)) {
    await t.test(name, async t => {
      const { file, marker } = await used(t)
      copyFileSync(file, `${file}.backup`)
      await spoil(file)
      const before = existsSync(file) ? readFileSync(file) : undefined
      await t.rejects(openSqliteStorage({ file }), lost(file, finding))
      await t.rejects(openSqliteStorage({ file }), { code: 'CLOUD_ERR_STORAGE_LOST' }, 'however often it is tried')
      t.strictSame(existsSync(file) ? readFileSync(file) : undefined, before, 'nothing was written over it')

      renameSync(`${file}.backup`, file)
      const restored = await openSqliteStorage({ file })
      t.equal(await restored.users.insertFirst(user()), 'not-first', 'a restored file opens')
      await restored.close()

      rmSync(file)
      rmSync(marker)
      const anew = await openSqliteStorage({ file })
      t.equal(await anew.users.insertFirst(user()), 'done', 'without the marker it begins anew')
      await anew.close()
    })
  }
})

t.test('a killed cloud\'s file without its -wal does not reopen the first setup (case 105)', async t => {
  const file = fileIn(t)
  const { child, until } = startWriter(t, file)
  await until(2)
  child.kill('SIGKILL')
  await once(child, 'exit')
  rmSync(`${file}-wal`)
  await t.rejects(openSqliteStorage({ file }), { code: 'CLOUD_ERR_STORAGE_LOST' })
})

t.test('an unreadable marker is a marker', async t => {
  const { file, marker } = await used(t)
  for (const text of ['', '{}', 'null']) {
    writeFileSync(marker, text)
    await t.rejects(openSqliteStorage({ file }), lost(file, /the marker names another database/))
  }
})

t.test('a crash between the first user and the marker neither reopens the first setup nor forbids to start', async t => {
  const { file, marker } = await used(t)
  const text = readFileSync(marker, 'utf8')
  rmSync(marker)
  writeFileSync(`${marker}.tmp`, text.slice(0, 20))
  const storage = await open(t, file)
  t.equal(readFileSync(marker, 'utf8'), text, 'the marker is placed by the next start')
  t.equal(await storage.users.insertFirst(user()), 'not-first')
})

t.test('a first user whose marker cannot be placed is not stored', async t => {
  for (const obstacle of ['.marker.tmp', '.marker']) {
    const file = `${fileIn(t)}${obstacle.length}`
    const storage = await open(t, file)
    mkdirSync(file + obstacle)
    writeFileSync(join(file + obstacle, 'x'), '')
    await t.rejects(storage.users.insertFirst(user()))
    t.equal(await storage.users.count(), 0)
    rmSync(join(file + obstacle, 'x'))
    rmdirSync(file + obstacle)
    t.equal(await storage.users.insertFirst(user()), 'done')
    t.ok(existsSync(`${file}.marker`))
  }
})

t.test('a file that is no database of ours is refused and left as it is', async t => {
  const file = fileIn(t)
  for (const length of [1, 600, 9_000]) {
    writeFileSync(file, 'x'.repeat(length))
    await t.rejects(openSqliteStorage({ file }), damaged(file, /no intact SQLite database/))
    t.equal(readFileSync(file, 'utf8'), 'x'.repeat(length))
  }
  rmSync(file)
  const other = new LibsqlDatabase(file)
  other.exec('create table theirs (id integer)')
  other.close()
  const before = readFileSync(file)
  await t.rejects(openSqliteStorage({ file }), damaged(file, /another application/))
  t.strictSame(readFileSync(file), before)
})

t.test('a database of a later release is refused', async t => {
  const { file } = await used(t)
  const database = new LibsqlDatabase(file)
  database.exec("insert into cloud_migrations values ('9999-later', 0)")
  database.close()
  await t.rejects(openSqliteStorage({ file }), { code: 'CLOUD_ERR_STORAGE_NEWER', message: /9999-later/ })
})

t.test('the marker lies beside the file itself when that is reached through a link', async t => {
  const { file } = await used(t)
  const link = join(t.testdirName, 'link.db')
  symlinkSync(file, link)
  const storage = await open(t, link)
  t.equal(await storage.users.count(), 1)
  t.notOk(existsSync(`${link}.marker`))
  await t.rejects(openSqliteStorage({ file }), inUse(file))
})

t.test('a wrong option and a directory that is not there are told by name', async t => {
  await t.rejects(openSqliteStorage({ file: '' }), { code: 'CLOUD_ERR_STORAGE_OPTION', message: /file/ })
  await t.rejects(openSqliteStorage({} as { file: string }), { code: 'CLOUD_ERR_STORAGE_OPTION', message: /file/ })
  const file = join(t.testdir(), 'none', 'cloud.db')
  await t.rejects(openSqliteStorage({ file }), { code: 'ENOENT', message: new RegExp(file) })
})

t.test('defaultPermissions are stored once and never again', async t => {
  const file = fileIn(t)
  const first = await openSqliteStorage({ file, defaultPermissions: ['cloud.a'] })
  t.strictSame((await first.roles.find(0))?.permissions, ['cloud.a'])
  await first.close()
  const second = await openSqliteStorage({ file, defaultPermissions: ['cloud.b'] })
  t.strictSame((await second.roles.find(0))?.permissions, ['cloud.a'])
  await second.close()
})

t.test('what libsql cannot take becomes an error, where it would end the process or store something else', async t => {
  const storage = await open(t, fileIn(t))
  t.strictSame(bound(['a', 1, 1n, null]), ['a', 1, 1n, null])
  for (const value of [true, undefined, NaN, Infinity, {}, [], 'a\0b']) t.throws(() => bound([value]), TypeError)
  await t.rejects(storage.users.insert(user({ username: true as unknown as string }), operator), TypeError)
  await t.rejects(storage.sessions.find(undefined as unknown as string))
  t.equal(await storage.users.count(), 0)
})

t.test('the database itself refuses what the rules forbid', async t => {
  const { file } = await used(t)
  const storage = await openSqliteStorage({ file })
  const builder = await storage.roles.insert(role('Builder'), operator)
  await storage.users.insert(user({ roleId: 1, nameKey: 'jane' }), operator)
  t.ok(builder)
  await storage.close()
  const database = new LibsqlDatabase(file)
  t.teardown(() => database.close())
  database.exec('pragma foreign_keys = on')
  for (const statement of [
    'delete from cloud_roles where id = 1',
    'update cloud_users set role_id = 7',
    "update cloud_users set name_key = 'same'",
    "update cloud_roles set label_key = 'same'",
    "insert into cloud_sessions values ('s', 'nobody', '', '', '[]', 0, 0, 0)",
    "insert into cloud_instance values (2, 'x', 0)"
  ]) t.throws(() => database.exec(statement), { code: /^SQLITE_CONSTRAINT/ }, statement)
})

t.test('subscribe tells exactly what changed, and in this order', async t => {
  const storage = await open(t, fileIn(t))
  const { users, roles, sessions } = storage
  const told = (run: () => Promise<unknown>) => changesDuring(storage, run)

  const jane = user()
  const { uuid } = jane
  t.strictSame(await told(() => users.insertFirst(jane)), [{ kind: 'user', uuid }])
  const john = user({ roleId: 0 })
  t.strictSame(await told(() => users.insert(john, operator)), [{ kind: 'user', uuid: john.uuid }])
  t.strictSame(await told(() => users.rename(uuid, 'J', 'j', operator)), [{ kind: 'user', uuid }])
  t.strictSame(await told(() => users.setRole(john.uuid, -1, operator)), [{ kind: 'user', uuid: john.uuid }])
  t.strictSame(await told(() => users.setPassword(uuid, 'x', { hasChangedPassword: true, keepSession: 'k', ...operator })),
    [{ kind: 'user', uuid }, { kind: 'sessions', userUuid: uuid, except: 'k' }])
  t.strictSame(await told(() => users.setPassword(uuid, jane.passwordHash, { hasChangedPassword: true, ...operator })),
    [{ kind: 'user', uuid }, { kind: 'sessions', userUuid: uuid }])
  t.strictSame(await told(() => roles.insert(role('Builder'), operator)), [{ kind: 'role', id: 1 }])
  t.strictSame(await told(async () => roles.update({ ...(await roles.find(1))!, hexColor: '#111' }, operator)),
    [{ kind: 'role', id: 1 }])
  t.strictSame(await told(() => roles.delete(1, operator)), [{ kind: 'role', id: 1 }])

  const old = await withSession(storage, jane, { createdAt: 1 })
  t.strictSame(await told(() => sessions.insert(session(jane, { id: 'evicting', createdAt: 2 }),
    { keep: 1, passwordHash: jane.passwordHash })), [{ kind: 'session', id: old.id }])
  t.strictSame(await told(() => sessions.delete(uuid, 'evicting', operator)), [{ kind: 'session', id: 'evicting' }])
  const expired = await withSession(storage, jane, { expiresAt: 1 })
  t.strictSame(await told(() => sessions.purge(1)), [{ kind: 'session', id: expired.id }])
  await withSession(storage, jane)
  t.strictSame(await told(() => sessions.deleteAll(uuid, operator)), [{ kind: 'sessions', userUuid: uuid }])
  t.strictSame(await told(() => users.delete(john.uuid, operator)),
    [{ kind: 'user', uuid: john.uuid }, { kind: 'sessions', userUuid: john.uuid }])
})

t.test('a listener that throws breaks neither the write nor the other listeners', async t => {
  const storage = await open(t, fileIn(t))
  const warnings: Error[] = []
  const warned = once(process, 'warning').then(([warning]) => warnings.push(warning))
  const listening = new AbortController()
  const told: unknown[] = []
  storage.subscribe?.(() => { throw new Error('from the listener') }, { signal: listening.signal })
  storage.subscribe?.(change => told.push(change), { signal: listening.signal })
  storage.subscribe?.(() => told.push('aborted before'), { signal: AbortSignal.abort() })
  const jane = user()
  t.equal(await storage.users.insertFirst(jane), 'done')
  t.strictSame(told, [{ kind: 'user', uuid: jane.uuid }])
  await warned
  t.match(warnings, [{ message: /from the listener/ }])
  listening.abort()
  await withUser(storage)
  t.equal(told.length, 1, 'nothing is told after the abort')
})

t.test('a read while a transaction is open sees none of it', async t => {
  const storage = await open(t, fileIn(t))
  const jane = await withUser(storage)
  const login = await withSession(storage, jane)
  const changing = storage.users.setPassword(jane.uuid, 'new', { hasChangedPassword: true, ...operator })
  const found = []
  // One read in each microtask, so that some fall between the new hash and the deletion of the sessions.
  for (let turn = 0; turn < 60; turn++) {
    found.push(storage.sessions.find(login.id))
    await Promise.resolve()
  }
  t.equal(await changing, 'done')
  const hashes = new Set((await Promise.all(found)).map(identity => identity?.user.passwordHash))
  t.strictSame(hashes, new Set([jane.passwordHash, undefined]))
})

t.test('a copy made under writes has its own file, opens, and holds every write acknowledged before it was asked for', async t => {
  const storage = await open(t, fileIn(t))
  const first = user()
  await storage.users.insertFirst(first)
  const acknowledged: string[] = []
  const over = new AbortController()
  const writing = (async () => {
    for (let n = 2; !over.signal.aborted; n++) {
      const given = user({ uuid: `uuid-${n}`, username: `name ${n}`, nameKey: `name ${n}` })
      if (await storage.users.insert(given, operator) === 'done') acknowledged.push(given.uuid)
      // SQLite answers within the turn.
      await nextTurn()
    }
  })()
  for (let n = 0; n < 5; n++) {
    const wanted = acknowledged.length + 20
    while (acknowledged.length < wanted) await nextTurn()
    const before = [...acknowledged]
    const file = join(t.testdirName, `copy-${n}.db`)
    await storage.copyTo(file)
    t.equal(statSync(file).mode & 0o777, 0o600)
    const copy = await openSqliteStorage({ file })
    const held = new Set((await copy.users.list()).map(({ user }) => user.uuid))
    t.strictSame(before.filter(uuid => !held.has(uuid)), [], `${before.length} before, ${held.size} held`)
    t.ok(held.has(first.uuid) && existsSync(`${file}.marker`))
    await copy.close()
    await t.rejects(storage.copyTo(file), { code: 'EEXIST' })
  }
  over.abort()
  await writing
  await t.rejects(storage.copyTo(join(t.testdirName, 'nowhere/copy.db')), { code: 'ENOENT' })
  t.equal((await storage.users.list()).length, acknowledged.length + 1)
})

t.test('a storage whose file has another in its place touches nothing of that, its journal least of all, when it is closed', async t => {
  const directory = t.testdir({ one: {}, other: {} })
  const file = join(directory, 'one/cloud.db')
  const other = startWriter(t, join(directory, 'other/cloud.db'))
  await other.until(3)
  // Its last writes are in the journal.
  other.child.kill('SIGKILL')
  await once(other.child, 'exit')
  const contents = (): string[] => readdirSync(join(directory, 'one')).sort().map(name => `${name} ${readFileSync(join(directory, 'one', name), 'base64')}`)
  const storage = await openSqliteStorage({ file })
  const jane = await withUser(storage)
  renameSync(join(directory, 'one'), join(directory, 'aside'))
  renameSync(join(directory, 'other'), join(directory, 'one'))
  const before = contents()
  t.ok(before.some(line => line.startsWith('cloud.db-wal ')))
  await withSession(storage, jane)
  await storage.close()
  t.strictSame(contents(), before)
  renameSync(join(directory, 'one'), join(directory, 'other'))
  for (const put of [(path: string) => { writeFileSync(path, 'a file') }, (path: string) => { symlinkSync(path, path) }]) {
    const path = join(directory, 'away')
    mkdirSync(path)
    const away = await openSqliteStorage({ file: join(path, 'cloud.db') })
    renameSync(path, `${path}.aside`)
    put(path)
    await away.close()
    rmSync(path)
    rmSync(`${path}.aside`, { recursive: true })
  }
  renameSync(join(directory, 'other'), join(directory, 'again'))
  const again = await open(t, join(directory, 'again/cloud.db'))
  t.ok(await again.users.count() >= other.lines.length - 1, 'what was acknowledged is there')
})
