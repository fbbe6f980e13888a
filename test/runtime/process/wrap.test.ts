/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** What stands in front of a platform's command, with the real programs; and what is said to a core that is root. */
import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { platformsOfRoot } from '../../../lib/runtime/process/root.js'
import type { PlatformDefinition } from '../../../lib/runtime/fleet/index.js'
import { call, cloud, game, group, platform } from './helper.js'

t.setTimeout(600_000)

const isRoot = process.getuid?.() === 0

/** Why a test cannot be had here; false where it can. */
function lacks (program: string): string | false {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return false
  } catch {
    return `NO ${program} HERE`
  }
}

/** The line of a file of a process that begins with a word. */
const lineOf = (pid: number | undefined, file: string, begin: string): string =>
  readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\n').find(line => line.startsWith(begin))?.replaceAll(/\s+/g, ' ') ?? 'none'

t.test('prlimit in front of a command limits the service', { skip: lacks('prlimit') }, async t => {
  const c = await cloud(t, { platforms: { game: { ...game, wrap: ['prlimit', '--nofile=543', '--core=0'] } } })
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  t.match(lineOf(c.pid('lobby-1'), 'limits', 'Max open files'), 'Max open files 543 543')
  t.equal(await c.services.control.command('lobby-1', 'print it hears', call), true)
  t.equal(await c.groups.control.delete('lobby', call), true)
})

t.test('nice in front of a command makes the service nicer, with the values of its placeholders', { skip: lacks('nice') }, async t => {
  const c = await cloud(t, { platforms: { game: { ...game, wrap: ['nice', '-n', '${maxPlayers}'] } } })
  await c.groups.control.create(group('lobby', { properties: { maxPlayers: 7 } }), call)
  await c.state('lobby-1', 'ONLINE')
  const nice = (pid: number | undefined) => Number(readFileSync(`/proc/${pid}/stat`, 'latin1').replace(/^.*\) /s, '').split(' ')[16])
  t.equal(nice(c.pid('lobby-1')) - nice(process.pid), 7)
})

t.test('setpriv in front of a command takes away the way to more rights; several can stand in a row', { skip: lacks('setpriv') }, async t => {
  const c = await cloud(t, { platforms: { game: { ...game, wrap: ['nice', '-n', '1', 'setpriv', '--no-new-privs'] } } })
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  t.equal(lineOf(c.pid('lobby-1'), 'status', 'NoNewPrivs'), 'NoNewPrivs: 1')
})

t.test('the recipe for another user: the service is that user, works in its own directory, and is stopped', { skip: lacks('setpriv') || (!isRoot && 'ONLY ROOT CAN BECOME ANOTHER USER') }, async t => {
  const page = readFileSync(new URL('../../../../docs/platforms.md', import.meta.url), 'utf8')
  const wrap = JSON.parse(/^\{ "wrap": (\[.*"\$@\\"", "sh"\]) \}$/m.exec(page)?.[1] ?? '[]').map((text: string) => text.replaceAll('games', 'nobody').replace('regid=nobody', 'regid=nogroup'))
  const writes = platform('', { wrap, command: 'sh', args: ['-c', 'echo mine >made && cd "${directory}" && cat made && exec sleep 600'], ready: { log: '^mine$' } })
  const c = await cloud(t, { platforms: { writes } })
  for (const path of [c.directory, join(c.directory, 'services')]) chmodSync(path, 0o711)
  await c.groups.control.create(group('lobby', { platform: { name: 'writes', version: 'latest' } }), call)
  await c.state('lobby-1', 'ONLINE')
  t.equal(lineOf(c.pid('lobby-1'), 'status', 'Uid'), 'Uid: 65534 65534 65534 65534')
  t.equal(statSync(join(c.directory, 'services/lobby-1/files/made')).uid, 65_534)
  t.equal(statSync(join(c.directory, 'services/lobby-1/run')).mode & 0o777, 0o700, 'what is the core\'s stays so')
  t.notOk(c.logged('The core is root'), 'nothing is to be warned of')
  t.equal(await c.groups.control.delete('lobby', call), true)
})

t.test('a wrap that is not there is said', async t => {
  const c = await cloud(t, { platforms: { game: { ...game, wrap: ['there-is-no-such-wrap'] } } })
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'OFFLINE')
  t.ok(c.logged('lobby-1 ended by itself, exit status 127: the command was not found'))
})

t.test('a core that is root says so at its start, where its services would be root, too', { skip: !isRoot && 'NOT ROOT' }, async t => {
  const { log } = await cloud(t, { platforms: { game, nicer: { ...game, wrap: ['nice'] }, other: { ...game, wrap: ['setpriv', '--reuid=nobody'] } } })
  t.match(log.find(({ message }) => message.startsWith('The core is root')), {
    level: 'warn',
    message: /so are the services of game, nicer: .* which takes a "wrap" and rights to what that user reads \(docs\/platforms.md, Another user\)$/,
    platforms: ['game', 'nicer']
  })
})

t.test('a core that is root says at its start which directories its services of another user cannot pass through', { skip: !isRoot && 'NOT ROOT' }, async t => {
  const c = await cloud(t, { platforms: { game, other: { ...game, wrap: ['setpriv', '--reuid=nobody'] } } })
  const barred = (): string | undefined => c.log.find(({ message }) => message.includes('may not pass through'))?.message
  const services = join(c.directory, 'services')
  t.equal(barred(), `The services of other become another user, who may not pass through ${c.directory} ${services}, and cannot start: chmod 711 ${c.directory} ${services}`)
  for (const path of [c.directory, services]) chmodSync(path, 0o711)
  await c.runtime.close()
  c.log.length = 0
  await c.reopen()
  t.equal(barred(), undefined)
})

t.test('what becomes somebody else is known by its usual names', async t => {
  const of = (...wrap: string[]) => ({ name: wrap.join(' '), wrap }) as unknown as PlatformDefinition
  const become = [of('setpriv', '--reuid=games'), of('runuser', '-u', 'games', '--'), of('sh', '-c', 'exec su-exec games "$@"'), of('systemd-run', '--uid=games', '--scope')]
  const stay = [of(), of('setpriv', '--no-new-privs'), of('nice', '-n', '5')]
  t.same(platformsOfRoot([...become, ...stay]), stay.map(({ name }) => name))
})
