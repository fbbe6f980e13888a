/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** Proxies that are processes: a real haproxy, the rules of Velocity and BungeeCord as programs, and files that nobody reads half. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { ping } from '../../../lib/runtime/fleet/players/status-ping.js'
import { layDownloads } from '../../../lib/runtime/process/lay-downloads.js'
import { askSocket, filesIn } from '../../../lib/runtime/process/service-files.js'
import { rounds } from '../../fixtures/rounds.js'
import { freePort } from '../../fixtures/server.js'
import { repository } from '../../fixtures/repository.js'
import { until } from '../../fixtures/until.js'
import { call, cloud, game, group, makeFifo, read, temporary } from './helper.js'

t.setTimeout(300_000)

const named = { ...game, env: { SERVICE_PORT: '${port}', MOTD: '${name}' } }
const lobbies = (count: number, properties = {}) => group('lobby', { minOnlineService: count, maxOnlineService: 5, properties: { fallback: true, ...properties } })

const haproxyVersion = (() => {
  try {
    return execFileSync('haproxy', ['-v']).toString()
  } catch {
    return undefined
  }
})()
const haproxy = (network: object) => ({
  type: 'PROXY',
  versions: ['latest'],
  command: 'haproxy',
  args: ['-W', '-db', '-f', 'haproxy.cfg', '-f', 'servers.cfg'],
  files: {
    'haproxy.cfg': [
      'global', '  stats socket unix@haproxy.sock level admin mode 600', 'defaults', '  mode tcp', '  timeout connect 2s', '  timeout client 1h', '  timeout server 1h',
      '  option redispatch', 'frontend players', '  bind ${host}:${port}', '  default_backend cloud', ''
    ].join('\n')
  },
  ready: { tcp: true },
  stop: { signal: 'SIGTERM' },
  network: { writer: 'haproxy', ...network }
})

for (const [how, network] of [['its stats socket', {}], ['SIGUSR2', { reload: { signal: 'SIGUSR2' } }]] as const) {
  t.test(`haproxy follows the servers by itself, told over ${how}`, { skip: haproxyVersion === undefined ? 'THERE IS NO haproxy' : false }, async t => {
    const { runtime, groups, services, state, directory, reopen, reason, logged } = await cloud(t, { platforms: { game: named, haproxy: haproxy(network) } })
    const port = await freePort()
    await groups.control.create(lobbies(1), call)
    await groups.control.create(group('entry', { platform: { name: 'haproxy', version: 'latest' }, properties: { port } }), call)
    await state('entry-1', 'ONLINE')
    const [seen, failed] = [new Map<string, number>(), [] as number[]]
    const watching = new AbortController()
    const look = async (): Promise<void> => {
      const status = await ping('127.0.0.1', port, 3000)
      if (status === undefined) failed.push(Date.now())
      else seen.set(status.motd.replace('!', ''), Date.now())
    }
    const watch = (async () => { for (; !watching.signal.aborted; await pause(20)) await look() })()
    t.teardown(async () => {
      watching.abort()
      await watch
    })
    await until(() => seen.has('lobby-1'), 'lobby-1 through haproxy')
    failed.length = 0
    await services.control.start('lobby', call)
    await until(() => seen.has('lobby-2'), () => `lobby-2 through haproxy; ${reason('entry')}`)
    await until(() => reason('entry')?.includes('; entry-1 was told lobby-1, lobby-2 at '), () => `${reason('entry')}`)

    await groups.control.edit('lobby', { minOnlineService: 2 }, call)
    await services.control.stop('lobby-1', call)
    await state('lobby-3', 'ONLINE')
    await until(() => seen.has('lobby-3'), () => `lobby-3 through haproxy; ${reason('entry')}`)
    const stopped = Date.now()
    await until(() => (seen.get('lobby-2') ?? 0) > stopped && (seen.get('lobby-3') ?? 0) > stopped, 'both are asked on')
    t.ok((seen.get('lobby-1') as number) < stopped, 'nobody is sent to the one that was stopped')
    t.equal(failed.length, 0, 'nobody was turned away')

    await runtime.close({ services: 'keep' })
    await until(() => (seen.get('lobby-2') ?? 0) > stopped, 'it goes on without a core')
    await reopen()
    const again = Date.now()
    await until(() => (seen.get('lobby-2') ?? 0) > again && (seen.get('lobby-3') ?? 0) > again, 'and with the next one')
    t.equal(failed.length, 0, 'and nobody noticed')
    await (await cloudOf(directory)).kill('entry-1')
    await state('entry-1', 'ONLINE')
    const restarted = Date.now()
    await until(() => (seen.get('lobby-2') ?? 0) > restarted && (seen.get('lobby-3') ?? 0) > restarted, 'a new haproxy knows them from its start')
    t.notOk(logged('cannot be told'))
  })
}

/** Ends a service as a crash does. */
async function cloudOf (directory: string) {
  return {
    kill: async (name: string) => {
      const pid = Number(read(join(directory, 'services', name, 'run', 'pid')).split(' ')[0])
      process.kill(pid, 'SIGKILL')
      await until(() => !read(join(directory, 'services', name, 'run', 'pid')).startsWith(`${pid} `), `${name} has another process`)
    }
  }
}

const velocityToml = `# Ours
config-version = "2.7"
player-info-forwarding-mode = "modern"

[servers]
try = []

[forced-hosts]

[advanced]
compression-threshold = 256 # of the operator
`

for (const [name, file, own] of [['velocity', 'velocity.toml', velocityToml], ['bungeecord', 'config.yml', '# Ours\nip_forward: true\nlisteners:\n- host: 0.0.0.0:25577 # of the operator\n']] as const) {
  t.test(`the rules of ${name} refuse nothing of what a proxy is told, whatever becomes of its servers`, async t => {
    const program = join(repository, 'dist/test/fixtures/proxies/program.js')
    const opened = await cloud(t, {
      platforms: {
        game: named,
        proxy: {
          type: 'PROXY',
          versions: ['latest'],
          command: 'env',
          args: ['-u', 'NODE_OPTIONS', process.execPath, program, name],
          env: { SERVICE_PORT: '${port}', VELOCITY_FORWARDING_SECRET: '${secret:forwarding}' },
          files: { [file]: own },
          ready: { log: 'Done \\(' },
          stop: { stdin: 'end' },
          network: { writer: name }
        }
      }
    })
    const { groups, services, state, directory, console } = opened
    const knows = () => JSON.parse((console('proxy-1').match(/^KNOWS .*$/gm) ?? []).at(-1)?.slice('KNOWS '.length) ?? '{ "servers": {} }') as { servers: Record<string, string>, ways: string[], arena: string[] }
    await groups.control.create(group('proxy', { platform: { name: 'proxy', version: 'latest' } }), call)
    await state('proxy-1', 'ONLINE')
    await groups.control.create(lobbies(2, { drainSeconds: 0 }), call)
    await groups.control.create(group('arena', { properties: { forcedHosts: 'arena.example.com' } }), call)
    for (const one of ['lobby-1', 'lobby-2', 'arena-1']) await state(one, 'ONLINE')
    await until(() => knows().ways.join() === 'lobby-1,lobby-2' && knows().arena.join() === 'arena-1', () => JSON.stringify(knows()))
    const before = statSync(join(directory, 'services/proxy-1/files', file)).ino
    await services.control.restart('lobby-1', call)
    await until(() => statSync(join(directory, 'services/proxy-1/files', file)).ino !== before, 'it is told')
    await groups.restarts?.restart('lobby', call)
    await groups.control.delete('arena', call)
    await until(() => groups.restarts?.progressOf('lobby', call) === undefined, 'the restart is over')
    await opened.runtime.close({ services: 'keep' })
    await opened.reopen()
    await opened.groups.control.edit('lobby', { minOnlineService: 3 }, call)
    await state('lobby-3', 'ONLINE')
    await until(() => knows().ways.length === 3, () => `${JSON.stringify(knows())}; ${opened.reason('proxy')}`)
    t.match(knows().servers['arena-1'], /^127\.255\.\d+\.\d+:1$/, 'its name stays')
    const addresses = Object.values(knows().servers)
    t.equal(new Set(addresses).size, addresses.length, 'no two names have one address')
    t.strictSame(console('proxy-1').match(/^REFUSED.*$/gm), null)
    const text = read(join(directory, 'services/proxy-1/files', file))
    t.match(text, /^# Ours\n/)
    t.match(text, ' # of the operator\n')
  })
}

t.test('the forwarding secret is made once a cloud; a file that holds it is for its service alone', async t => {
  const opened = await cloud(t, {
    platforms: { game: { ...named, env: { ...named.env, PAPER_VELOCITY_SECRET: '${secret:forwarding}' }, files: { 'config/forwarding.secret': '${secret:forwarding}', 'plain.txt': '' } } }
  })
  const { groups, state, directory, log } = opened
  const path = join(directory, 'forwarding.secret')
  const secret = readFileSync(path, 'utf8').trim()
  t.match(secret, /^f[0-9a-f]{48}$/)
  t.equal(statSync(path).mode & 0o777, 0o600)
  await groups.control.create(lobbies(1), call)
  await state('lobby-1', 'ONLINE')
  const files = join(directory, 'services/lobby-1/files')
  t.equal(readFileSync(join(files, 'config/forwarding.secret'), 'utf8'), secret)
  t.strictSame(['config/forwarding.secret', 'plain.txt'].map(file => statSync(join(files, file)).mode & 0o777), [0o600, 0o644])
  const pid = read(join(directory, 'services/lobby-1/run/pid')).split(' ')[0]
  t.ok(readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`PAPER_VELOCITY_SECRET=${secret}`))
  t.notOk(readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(secret))
  for (const file of readdirSync(join(directory, 'services'), { recursive: true, withFileTypes: true })) {
    if (file.isFile() && file.name !== 'forwarding.secret') t.notOk(read(join(file.parentPath, file.name)).includes(secret), file.name)
  }
  t.notOk(JSON.stringify(log).includes(secret))
  await opened.runtime.close({ services: 'keep' })
  await opened.reopen()
  t.equal(readFileSync(path, 'utf8').trim(), secret)
})

t.test('nobody ever reads half a file', async t => {
  const directory = temporary(t)
  const files = filesIn(directory)
  const texts = ['a', 'b'].map(letter => letter.repeat(300_000))
  const writing = new AbortController()
  await files.write('deep/er/servers.json', texts[0] as string)
  const writer = (async () => { for (let count = 0; !writing.signal.aborted; count++) await files.write('deep/er/servers.json', texts[count % 2] as string) })()
  let looks = 0
  for (const end = performance.now() + 1500; performance.now() < end; looks++) {
    const text = readFileSync(join(directory, 'deep/er/servers.json'), 'utf8')
    if (!texts.includes(text)) t.fail(`half a file of ${text.length} characters`)
    await turn()
  }
  writing.abort()
  await writer
  t.ok(looks > 20)
  t.strictSame(readdirSync(join(directory, 'deep/er')), ['servers.json'], 'nothing is left lying about')
})

/** Puts a link in the place of a directory and takes it away again, for ever. */
const swapper = `
  const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
  const [, place, outside] = process.argv
  // Whoever writes may make one of that name in between.
  const tried = act => { try { act() } catch {} }
  console.log('ready')
  for (let count = 0; ; count++) {
    tried(() => renameSync(place, place + count))
    tried(() => symlinkSync(outside, place))
    tried(() => unlinkSync(place))
    tried(() => renameSync(place + count, place))
  }
`

t.test('a service that puts a link in the place of a directory at the very moment has nothing written, made or read outside', async t => {
  const [directory, outside, original] = [temporary(t), temporary(t), join(temporary(t), 'server.jar')]
  writeFileSync(original, 'a download')
  mkdirSync(join(directory, 'plugins/deep'), { recursive: true })
  // What could be found there, and be put among what is the service's.
  mkdirSync(join(outside, 'deep'))
  writeFileSync(join(outside, 'servers.json'), 'secret')
  const seen = (): unknown[] => [outside, join(outside, 'deep')].map(path => [readdirSync(path), statSync(path, { bigint: true }).mtimeNs])
  const before = seen()
  const child = spawn(process.execPath, ['-e', swapper, join(directory, 'plugins'), outside], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  await once(child.stdout, 'data')
  const files = filesIn(directory)
  const acts: Record<string, (count: number) => Promise<unknown>> = {
    write: async () => { await files.write('plugins/deep/servers.json', 'ours') },
    make: async count => { await files.write(`plugins/new-${count}/servers.json`, 'ours') },
    lay: async () => { await layDownloads(directory, [{ id: 'one', file: original, to: 'plugins/server.jar' }], new AbortController().signal) },
    read: async () => { t.not(await files.read('plugins/servers.json'), 'secret') }
  }
  for (const [name, act] of Object.entries(acts)) {
    const tally = { done: 0, refused: 0 }
    for (const end = performance.now() + rounds(400, 1500); performance.now() < end || tally.done === 0 || tally.refused === 0;) {
      await act(tally.done).then(() => { tally.done++ }, () => { tally.refused++ })
    }
    t.comment(`${name}: ${JSON.stringify(tally)}`)
    t.strictSame(seen(), before, `${name}: nothing has come there, nor been there for a moment`)
  }
})

t.test('whatever a service puts into its directory, nothing outside of it is read, written or talked to', async t => {
  const [directory, outside] = [temporary(t), temporary(t)]
  const files = filesIn(directory)
  writeFileSync(join(outside, 'mine'), 'secret')
  symlinkSync(outside, join(directory, 'out'))
  symlinkSync(join(outside, 'mine'), join(directory, 'link'))
  makeFifo(join(directory, 'pipe'))
  mkdirSync(join(directory, 'folder'))
  for (const path of ['out/mine', '../mine', 'folder/../../mine', 'out/new/file']) {
    if (path !== 'out/new/file') await t.rejects(async () => await files.read(path), path)
    await t.rejects(async () => { await files.write(path, 'x') }, path)
  }
  t.strictSame(readdirSync(outside), ['mine'])
  for (const path of ['link', 'pipe']) await t.rejects(async () => await files.read(path), path)
  t.equal(await files.read('folder'), undefined, 'a directory is no file')
  await files.write('link', 'ours')
  await files.write('pipe', 'ours')
  t.equal(readFileSync(join(outside, 'mine'), 'utf8'), 'secret', 'a link is replaced')
  t.equal(await files.read('link'), 'ours')
  t.equal(await files.read('not/there'), undefined)

  const servers = [join(outside, 'other.sock'), join(directory, 'silent.sock')].map(path => createServer(() => {}).listen(path))
  const answering = createServer(socket => { socket.on('data', data => { socket.end(`heard ${String(data)}`) }) }).listen(join(directory, 'own.sock'))
  t.teardown(() => { for (const server of [...servers, answering]) server.close() })
  symlinkSync(join(outside, 'other.sock'), join(directory, 'linked.sock'))
  t.equal(await askSocket(directory, 'own.sock', 'hello', 1000), 'heard hello')
  await t.rejects(askSocket(directory, 'linked.sock', 'hello', 1000), /no socket/)
  await t.rejects(askSocket(directory, 'out/other.sock', 'hello', 1000), /outside/)
  await t.rejects(askSocket(directory, 'link', 'hello', 1000), /no socket/)
  await t.rejects(askSocket(directory, 'nothing.sock', 'hello', 1000), /ENOENT/)
  await t.rejects(askSocket(directory, 'silent.sock', 'hello', 100), /no answer within 100 ms/)
})

t.test('a service that puts a link in the place of its socket at the very moment has nobody talked to outside', async t => {
  const [directory, outside] = [temporary(t), temporary(t)]
  let heard = 0
  const victim = createServer(socket => {
    heard++
    socket.destroy()
  }).listen(join(outside, 'other.sock'))
  const own = createServer(socket => { socket.on('data', () => { socket.end('own') }) }).listen(join(directory, 'own.sock'))
  t.teardown(() => { for (const server of [victim, own]) server.close() })
  // `ln` over a name is not one step; a rename is.
  const exchanging = spawn(process.execPath, ['-e', `
    const fs = require('node:fs')
    process.chdir(${JSON.stringify(directory)})
    for (;;) {
      fs.rmSync('next', { force: true })
      fs.symlinkSync(${JSON.stringify(join(outside, 'other.sock'))}, 'next')
      fs.renameSync('next', 'a.sock')
      fs.linkSync('own.sock', 'next')
      fs.renameSync('next', 'a.sock')
    }`], { stdio: 'ignore' })
  t.teardown(() => { exchanging.kill('SIGKILL') })
  let answers = 0
  const tries = rounds(400, 4_000)
  await until(() => existsSync(join(directory, 'a.sock')))
  // On an idle machine all tries may fall into the same side of the exchange.
  for (let n = 0; n < tries || (answers === 0 && n < 50 * tries); n++) if (await askSocket(directory, 'a.sock', 'hello', 1000).catch(() => undefined) === 'own') answers++
  exchanging.kill('SIGKILL')
  t.equal(heard, 0)
  t.ok(answers > 0, 'and it is talked to where it is there')
})
