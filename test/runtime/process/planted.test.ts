/** What a program puts in the places where the core looks for its own notes: nobody waits for it, and nothing big is read. */
import t from 'tap'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readExit } from '../../../lib/runtime/process/exit.js'
import { cloud, call, core, game, group, makeFifo, pidIn, platform, read, runs, temporary, withPlatforms } from './helper.js'
import { rounds } from '../../fixtures/rounds.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const kinds: Record<string, (path: string) => void> = {
  pipe: makeFifo,
  zeros: path => { symlinkSync('/dev/zero', path) },
  huge: path => {
    writeFileSync(path, '')
    truncateSync(path, 2 ** 40)
  },
  directory: path => { mkdirSync(path) },
  socket: path => { execFileSync(process.execPath, ['-e', 'net.createServer().listen(process.argv[1], () => process.kill(process.pid, "SIGKILL"))', path], { stdio: 'ignore', timeout: 10_000 }) }
}

/** Makes a thing, and answers whether it is there. */
function plant (kind: string, path: string): void {
  rmSync(path, { recursive: true, force: true })
  mkdirSync(dirname(path), { recursive: true })
  try {
    kinds[kind]?.(path)
  } catch (error) {
    // The program that makes the socket ends itself.
    if (kind !== 'socket') throw error
  }
}

t.test('how a service ended is unknown where something else lies in the place of its exit status, and nobody waits for it', async t => {
  const directory = temporary(t)
  for (const kind of Object.keys(kinds)) {
    const run = join(directory, kind)
    plant(kind, join(run, 'exit'))
    t.same(readExit(run), { code: null, signal: null }, kind)
  }
})

t.test('a program that plants a pipe for its exit status, and ends with its shim, is started again like any other', async t => {
  const planter = platform('', {
    command: 'sh', args: ['-c', 'echo ready; sleep 1; rm -f ../run/exit; mkfifo ../run/exit; kill -9 $PPID; exit 0'], ready: { log: '^ready' }
  })
  const directory = withPlatforms(t, { planter })
  const one = await core(t, directory, { ports: { from: 33_300, to: 33_349 } })
  await one.ask('groups.control', 'create', group('trap', { platform: { name: 'planter', version: 'latest' } }))
  await until(() => one.output().includes('trap-1 ended by itself'))
  const pid = pidIn(directory, 'trap-1')
  await until(() => runs(pidIn(directory, 'trap-1')) && pidIn(directory, 'trap-1') !== pid)
})

t.test('whatever lies in the place of the notes of living services, the next core opens in time and goes on with each', async t => {
  const directory = withPlatforms(t, { game })
  const ways = Object.keys(kinds)
  const options = { ports: { from: 33_350, to: 33_399 }, limits: { starting: 10 } }
  const first = await core(t, directory, options)
  await first.ask('groups.control', 'create', group('lobby', { minOnlineService: ways.length, maxOnlineService: ways.length }))
  const states = async (one: typeof first) => (await one.ask<Array<{ state: string }>>('services', 'list')).map(({ state }) => state)
  await until(async () => (await states(first)).filter(state => state === 'ONLINE').length === ways.length, 'every service is ONLINE')
  const pids = ways.map((_, at) => pidIn(directory, `lobby-${at + 1}`))
  await first.kill()
  for (const [at, kind] of ways.entries()) {
    for (const file of ['pid', 'online', 'meta.json', 'exit']) plant(kind, join(directory, 'services', `lobby-${at + 1}`, 'run', file))
  }
  const next = await core(t, directory, options)
  t.match(next.output(), /open\n/)
  await until(async () => (await states(next)).every(state => state === 'ONLINE'), () => next.output())
  for (const [at, kind] of ways.entries()) t.ok(runs(pids[at]), `with a ${kind} in each place it runs on`)
  t.notMatch(next.output(), /ended by itself|is started/, 'none is started a second time')
  await next.ask('groups.control', 'delete', 'lobby')
  for (const pid of pids) t.notOk(runs(pid))
})

t.test('a pipe or a link in the place of what is known of a service, or of a group, holds up no start', async t => {
  const directory = withPlatforms(t, { game })
  for (const [kind, path] of [['pipe', 'services/old-1.json'], ['zeros', 'services/old-2.json'], ['pipe', 'groups/bad.json'], ['huge', 'groups/worse.json'], ['zeros', 'groups/worst.json']] as const) {
    plant(kind, join(directory, path))
  }
  const one = await core(t, directory, { ports: { from: 33_280, to: 33_299 } })
  await one.ask('groups.control', 'create', group('lobby'))
  await until(() => one.output().includes('lobby-1 is ready'), () => one.output())
})

t.test('a service that has put a file in the place of its notes\' directory can be started again', async t => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const pid = c.pid('lobby-1')
  const run = join(c.directory, 'services', 'lobby-1', 'run')
  rmSync(run, { recursive: true })
  writeFileSync(run, '')
  process.kill(pid as number, 'SIGKILL')
  await until(() => read(join(run, 'pid')) !== '' && runs(c.pid('lobby-1')) && c.service('lobby-1')?.state === 'ONLINE')
  t.not(c.pid('lobby-1'), pid)
})

const things: Record<string, (path: string) => void> = {
  file: path => { writeFileSync(path, 'x') },
  pipe: makeFifo,
  device: path => { symlinkSync('/dev/zero', path) },
  loop: path => { symlinkSync(path, path) },
  directory: path => { mkdirSync(path) },
  'full directory': path => {
    mkdirSync(path)
    writeFileSync(join(path, 'x'), 'x')
  }
}

const notes: Record<string, (services: string, name: string) => string> = {
  run: (services, name) => join(services, name, 'run'),
  'in.fifo': (services, name) => join(services, name, 'run', 'in.fifo'),
  exit: (services, name) => join(services, name, 'run', 'exit'),
  'exit.tmp': (services, name) => join(services, name, 'run', 'exit.tmp'),
  pid: (services, name) => join(services, name, 'run', 'pid'),
  'meta.json': (services, name) => join(services, name, 'run', 'meta.json'),
  'console.log': (services, name) => join(services, name, 'run', 'console.log'),
  claim: (services, name) => {
    const run = join(services, name, 'run')
    return join(run, readdirSync(run).find(file => file.startsWith('claim.')) ?? `claim.${'0'.repeat(32)}`)
  },
  'what is known of it': (services, name) => join(services, `${name}.json`),
  'a note half written': (services, name) => join(services, `.${name}.json.0123456789ab.tmp`)
}

t.test('whatever a service puts in the place of any note of the core, the next core opens, and the service is asked, started again, killed and deleted like any other', async t => {
  const evil = platform('', {
    command: 'sh', args: ['-c', 'echo ready; exec tail -f /dev/null'], ready: { log: '^ready' }, stop: { stdin: 'stop' }, stopTimeout: 100
  })
  const directory = withPlatforms(t, { evil })
  const cases = Object.keys(notes).flatMap(note => Object.keys(things).map(thing => ({ note, thing }))).filter((_, at) => at % rounds(4, 1) === 0)
  const named = cases.map((one, at) => ({ ...one, name: `evil-${at + 1}` }))
  const options = { ports: { from: 33_400, to: 33_499 }, limits: { starting: 20 } }
  const of = { platform: { name: 'evil', version: 'latest' } }
  const services = join(directory, 'services')
  const pids = () => named.map(({ name }) => pidIn(directory, name))
  const plantAll = () => {
    for (const { note, thing, name } of named) {
      const path = notes[note]?.(services, name) as string
      rmSync(path, { recursive: true, force: true })
      things[thing]?.(path)
    }
  }
  /** Waits until all are ONLINE; `since`: none of these lives any more. */
  const online = async (one: Awaited<ReturnType<typeof core>>, since: ReadonlyArray<number | undefined> = []) => {
    let left = ''
    await until(async () => {
      const states = new Map((await one.ask<Array<{ name: string, state: string }>>('services', 'list')).map(({ name, state }) => [name, state]))
      const behind = named.filter(({ name }, at) => states.get(name) !== 'ONLINE' || runs(since[at]))
      left = behind.map(({ name, note, thing }) => `${name} (${thing} as ${note}) ${states.get(name)}`).join(', ')
      return behind.length === 0
    }, () => `${left}; ${one.output().slice(-2000)}`)
  }

  const first = await core(t, directory, options)
  await first.ask('groups.control', 'create', group('good', { ...of }))
  await first.ask('groups.control', 'create', group('evil', { ...of, minOnlineService: named.length, maxOnlineService: named.length }))
  await online(first)
  const before = pids()
  t.ok(before.every(runs))
  // A moment after it is listed; who has not been noted to be ready is asked anew by the next core, and cannot be where its console is away.
  await until(() => named.every(({ name }) => readFileSync(join(services, `${name}.json`), 'utf8').includes('"onlineAt"')), 'all are noted to be ready')
  await first.kill()
  plantAll()
  const next = await core(t, directory, options)
  t.match(next.output(), /open\n/)
  await online(next)
  for (const [at, { note, thing }] of named.entries()) t.ok(runs(before[at]), `with a ${thing} as ${note} it runs on`)

  for (const { name, note } of named) {
    const answer = await next.ask('services.control', 'command', name, 'hello')
    if (note === 'run' || note === 'in.fifo') t.equal(answer, 'not-reading')
    else t.equal(answer, true)
  }

  for (const { name } of named) await next.ask('services.control', 'restart', name)
  await online(next, before)
  const restarted = pids()
  t.ok(restarted.every(runs))

  plantAll()
  for (const { name } of named) await next.ask('services.force', 'kill', name)
  // The group has too few then, and starts them again.
  await online(next, restarted)
  const last = pids()
  t.ok(last.every(runs))

  plantAll()
  await next.ask('groups.control', 'delete', 'evil')
  t.notOk(last.some(runs))
  t.strictSame(readdirSync(services).filter(name => name.startsWith('evil-') && !name.includes('.kept-')), [], 'nothing of them is left, but what may be of people')
})
