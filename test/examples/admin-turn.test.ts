/** `admin` commands at whatever moment of a server's life they come, and what they say of one that does not answer. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openSqliteStorage } from '../../lib/storage/sqlite.js'
import type { OpenStorage } from '../../lib/storage/open.js'
import { loginsIn } from '../fixtures/logins.js'
import { replaced } from '../fixtures/planted.js'
import { repository } from '../fixtures/repository.js'
import { isFull, onlyFull } from '../fixtures/rounds.js'
import { run, startServer } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

t.setTimeout(300_000)

const standalone = async (file: string): Promise<any> => await import(join(repository, 'examples/standalone', file))
const { perform } = await standalone('perform.js')
const { answerDoorbell, ringDoorbell } = await standalone('doorbell.js')
const { backUp } = await standalone('backup.js')
const { prepareDirectory } = await standalone('directory.js')
const { openStorage } = await standalone('storage.js')

/** A cloud with an admin, whose server has ended. */
async function cloudIn (t: Test): Promise<{ directory: string, env: Record<string, string> }> {
  const directory = join(t.testdir(), 'cloud')
  await prepareDirectory(directory)
  const storage = await openStorage({ directory, namespace: 'cloud' }) as OpenStorage
  await loginsIn(storage, { secret: 'of nobody' }).addFirst('admin', 'correct horse battery')
  await storage.close()
  return { directory, env: { CLOUD_DIRECTORY: directory } }
}

/** Begins a command and answers what it exits with and has printed. */
async function admin (env: Record<string, string>, ...words: string[]): Promise<readonly [number | null, string]> {
  const child = run('admin.js', words, env)
  const { code } = await child.exited
  return [code, child.output()]
}

const keyCommand = ['key', 'create', 'admin', 'bot', 'cloud.service.list']

/** A runtime that takes its time to open, or to close. */
const slowRuntime = (opening: number, closing: number): Record<string, string> => replaced('fastify-cloud/runtime/process', `
  import { openProcessRuntime as open } from 'planted:real'
  const pause = ms => new Promise(resolve => setTimeout(resolve, ms))
  export async function openProcessRuntime (options) {
    console.log('opening')
    const runtime = await open(options)
    console.log('opened')
    await pause(${opening})
    return { ...runtime, close: async how => {
      console.log('closing')
      await pause(${closing})
      await runtime.close(how)
    } }
  }`)

t.test('a server of which somebody has taken the sockets away is reached again soon, and is there for whoever asks', async t => {
  const { directory, env } = await cloudIn(t)
  const server = await startServer({ ...env, PORT: '0' })
  t.teardown(() => server.stop())
  for (const name of readdirSync(directory).filter(name => name.endsWith('.sock'))) rmSync(join(directory, name))
  await until(() => existsSync(join(directory, 'admin.sock')), 'it is there again')
  t.match(await admin(env, 'status'), [0, /0 of them online/])
  t.strictSame(await server.stop(), { code: 0, signal: null })
})

t.test('admin begun while a server starts waits until it answers, says so, and has it done by the server', async t => {
  const { directory, env } = await cloudIn(t)
  const server = run('server.js', [], { ...env, PORT: '0', ...slowRuntime(3_000, 0) })
  t.teardown(() => server.process.kill('SIGKILL'))
  // The lock of the directory is there, and nobody answers yet.
  await until(() => readdirSync(directory).some(name => /^core\.\d+\.sock$/.test(name)), 'it has the directory')
  const [key, backup, password, services] = await Promise.all([
    admin(env, ...keyCommand),
    admin(env, 'backup', join(t.testdirName, 'backup')),
    admin(env, 'reset-password', 'admin'),
    admin(env, 'service', 'list')
  ])
  t.equal(server.process.exitCode, null, server.output())
  t.match(key, [0, /\nfc_\w+\n$/])
  t.match(key[1], /^waiting for the server or the database, 30 s at most …\n/)
  t.match(backup, [0, / is a copy of /])
  t.match(password, [0, /The password of admin is now /])
  t.equal(services[0], 0, services[1])
  t.match(server.output(), /audit="key\.created" outcome="done"/)
})

t.test('another directory that gets the name while a server starts ends it, whatever it has opened by then', { skip: onlyFull('a command at another moment') }, async t => {
  const { directory, env } = await cloudIn(t)
  const server = run('server.js', [], { ...env, PORT: '0', ...slowRuntime(3_000, 0) })
  t.teardown(() => server.process.kill('SIGKILL'))
  await until(() => server.output().includes('opened'), 'it goes on with what there is')
  renameSync(directory, `${directory}.before`)
  mkdirSync(directory)
  t.strictSame(await server.exited, { code: 1, signal: null })
  t.match(server.output(), /is another directory by now/)
  t.notMatch(server.output(), /listening/)
  t.strictSame(readdirSync(directory), [])
})

t.test('admin begun with the process of a server, before that has done anything, waits for it', { skip: onlyFull('a command at another moment') }, async t => {
  const { env } = await cloudIn(t)
  // Its first moments take longer where much is to be loaded, or others have the processor.
  const server = run('server.js', [], { ...env, PORT: '0', ...replaced('fastify-cloud', 'await new Promise(resolve => setTimeout(resolve, 1_000))\nexport * from "planted:real"\nexport { default } from "planted:real"') })
  t.teardown(() => server.process.kill('SIGKILL'))
  const [code, said] = await admin(env, 'service', 'list')
  t.equal(code, 0, said)
})

t.test('admin begun while a server ends is done by it until its services have stopped, and what the terminal does is refused', async t => {
  const { env } = await cloudIn(t)
  const server = await startServer({ ...env, ...slowRuntime(0, 4_000) })
  t.teardown(() => server.process.kill('SIGKILL'))
  server.process.kill('SIGTERM')
  await until(() => server.output().includes('closing'), 'it ends')
  const [key, status] = await Promise.all([admin(env, ...keyCommand), admin(env, 'service', 'list')])
  t.equal(server.process.exitCode, null, 'it is still there')
  t.match(key, [0, /\nfc_\w+\n$/])
  t.match(status, [1, /(?:^|\n)the server is ending\n$/])
  t.strictSame(await server.exited, { code: 0, signal: null }, server.output())
})

t.test('admin begun at many moments of starts and ends is always done', async t => {
  const { env } = await cloudIn(t)
  for (const ms of isFull ? [0, 250, 500, 750, 1_000] : [600]) {
    const server = run('server.js', [], { ...env, PORT: '0' })
    t.teardown(() => server.process.kill('SIGKILL'))
    await pause(ms)
    const done = await Promise.all([admin(env, ...keyCommand), admin(env, 'backup', join(t.testdirName, `backup-${ms}`))])
    t.strictSame(done.map(([code]) => code), [0, 0], `${ms} ms after the start: ${done.map(([, text]) => text).join('')}`)
    await until(() => server.output().includes('listening on'), 'and no start fails of it')
    server.process.kill('SIGTERM')
    t.equal((await admin(env, ...keyCommand))[0], 0, 'right after SIGTERM')
    await server.exited
  }
})

t.test('a database that another command has open for a moment is waited for, by commands and by a start', async t => {
  const { directory, env } = await cloudIn(t)
  const storage = await openSqliteStorage({ file: join(directory, 'cloud.db') })
  const child = run('admin.js', ['key', 'list'], env)
  await until(() => child.output().includes('waiting for'), 'the command waits')
  t.strictSame(await admin(env, 'service', 'list'), [1, 'the server is not running\n'], 'the terminal needs no database')
  const server = run('server.js', [], { ...env, PORT: '0' })
  t.teardown(() => server.process.kill('SIGKILL'))
  await until(() => server.output().includes('the start waits for the database'), 'the start waits')
  const terminal = run('admin.js', ['service', 'list'], env)
  await until(() => terminal.output().includes('waiting for'), 'and the terminal for the start')
  await storage.close()
  for (const one of [child, terminal]) t.strictSame(await one.exited, { code: 0, signal: null }, one.output())
  await until(() => server.output().includes('listening on'), 'it listens')
})

t.test('a database that stays in use is waited for a bounded time, and the command says that nothing was done', { skip: onlyFull('a command at another moment') }, async t => {
  const { directory } = await cloudIn(t)
  const storage = await openSqliteStorage({ file: join(directory, 'cloud.db') })
  t.teardown(() => storage.close())
  await t.rejects(perform({ directory, namespace: 'cloud' }, 'key list', {}, () => {}, 700), /has been in use for 0\.7 s.*nothing was done, try it again/)
})

t.test('a server that was stopped by SIGSTOP is given up, and does not do later what was given up', { skip: onlyFull('a command at another moment') }, async t => {
  const { directory, env } = await cloudIn(t)
  const server = await startServer(env)
  t.teardown(() => server.process.kill('SIGKILL'))
  server.process.kill('SIGSTOP')
  const told: string[] = []
  const given = { username: 'admin', label: 'bot', permissions: ['cloud.service.list'], addresses: [] }
  const settings = { directory, namespace: 'cloud' }
  const tell = (text: string): void => { told.push(text) }
  await Promise.all([
    t.rejects(perform(settings, 'key create', given, tell, 1_500), { message: 'the server has given no sign of life for 1.5 s; nothing was done' }),
    t.rejects(perform(settings, 'terminal', { line: 'status' }, tell, 1_500), /no sign of life/)
  ])
  t.strictSame(told, Array(2).fill('waiting for the server or the database, 1.5 s at most …'))
  server.process.kill('SIGCONT')
  const [code, keys] = await admin(env, 'key', 'list')
  t.equal(code, 0, keys)
  t.notMatch(keys, /bot/)
})

t.test('what takes long is waited for while the server lives, and a server that dies meanwhile is said to have', async t => {
  const directory = t.testdir()
  const close = await answerDoorbell(directory, async () => {
    await pause(2_600)
    return ['done']
  })
  t.strictSame(await ringDoorbell(directory, 'terminal', { line: 'group delete lobby' }, () => {}, 1_800), { answer: ['done'] })
  await close()
  t.equal(await ringDoorbell(directory, 'terminal', { line: 'x' }, () => {}, 1_000), undefined, 'nobody is there')

  const other = join(directory, 'other')
  mkdirSync(other)
  const child = spawn(process.execPath, ['--input-type=module', '-e', `
    import { answerDoorbell } from './examples/standalone/doorbell.js'
    await answerDoorbell(process.argv[1], () => { process.kill(process.pid, 'SIGKILL') })
    console.log('there')`, other], { cwd: repository, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  await new Promise(resolve => { child.stdout.once('data', resolve) })
  await t.rejects(ringDoorbell(other, 'terminal', { line: 'x' }, () => {}, 10_000), { message: 'the server has ended before it answered; whether it was done is not known' })
})

t.test('of two backups to one name at once one is made, and the other says that it is there already', { skip: onlyFull('a command at another moment') }, async t => {
  const { directory } = await cloudIn(t)
  const place = join(t.testdirName, 'backup')
  const outcomes = await Promise.allSettled([backUp(directory, place), backUp(directory, place)])
  t.strictSame(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  t.match(outcomes.find(({ status }) => status === 'rejected'), { reason: { message: `${place} is there already` } })
  t.strictSame(readdirSync(t.testdirName).sort(), ['backup', 'cloud'])
})
