/** Programs that misbehave, each as a real process: what they do stays with them. Others are in `services.test.ts`. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from 'tap'
import { markedCensus } from '../../../lib/runtime/process/processes.js'
import { call, cloud, game, group, platform, runs, temporary } from './helper.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const of = (name: string) => ({ platform: { name, version: 'latest' } })

t.test('a service that closes its stdin goes on, nobody waits for it, and it is stopped all the same (case 92)', async (t) => {
  const c = await cloud(t, { platforms: { deaf: platform('deaf', { stop: { stdin: 'stop' }, stopTimeout: 300 }) } })
  await c.groups.control.create(group('post', { minOnlineService: 0, ...of('deaf') }), call)
  await c.services.control.start('post', call)
  await c.state('post-1', 'ONLINE')
  let answer: unknown = true
  for (let count = 0; count < 100 && answer === true; count++) answer = await c.services.control.command('post-1', 'x'.repeat(4095), call)
  t.equal(answer, 'not-reading')
  t.equal(c.service('post-1')?.state, 'ONLINE')
  const pid = c.pid('post-1')
  await c.services.control.stop('post-1', call)
  await c.state('post-1', 'OFFLINE')
  t.notOk(runs(pid))
  t.match(c.logged('post-1 has ended'), { manner: 'terminated' })
})

t.test('programs that die at once are started at most once a second each, and others go on meanwhile (case 96)', async (t) => {
  const starts = new Map<string, number[]>()
  const c = await cloud(t, {
    platforms: { game, dies: platform('dies') },
    timing: { pause: 1000, longestPause: 60_000 },
    log: ({ message, service }) => {
      if (message === `${service} is started`) starts.set(`${service}`, [...starts.get(`${service}`) ?? [], performance.now()])
    }
  })
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const weak = Array.from({ length: 10 }, (_, at) => `weak${at}`)
  for (const name of weak) await c.groups.control.create(group(name, of('dies')), call)
  const began = performance.now()
  let rounds = 0
  for (; !weak.every((name) => (starts.get(`${name}-1`)?.length ?? 0) >= 3); rounds++) {
    if (performance.now() - began > 60_000) return t.fail(`not started three times: ${[...starts.keys()].join()}`)
    t.equal(await c.services.control.command('lobby-1', `print round ${rounds}`, call), true)
    await until(() => c.console('lobby-1').includes(`round ${rounds}\n`))
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  t.ok(rounds > 10)
  const gaps = weak.flatMap((name) => (starts.get(`${name}-1`) ?? []).flatMap((at, index, all) => index === 0 ? [] : [at - (all[index - 1] as number)]))
  t.ok(Math.min(...gaps) >= 990, `at least ${Math.round(Math.min(...gaps))} ms between two starts`)
  t.equal(starts.get('lobby-1')?.length, 1)
})

t.test('a line whose letters come in pieces is read as it was meant', async (t) => {
  const c = await cloud(t, { platforms: { splits: platform('splits', { ready: { log: '^bereit für Grüße 😀€$' } }) }, timing: { tick: 20 } })
  await c.groups.control.create(group('slow', of('splits')), call)
  await c.state('slow-1', 'ONLINE')
  t.ok(c.logged('slow-1 is ready'))
})

t.test('whatever answers the status ping, it is given up in time, and others become ready meanwhile', async (t) => {
  const ways = ['garbage', 'slowly', 'never', 'endless']
  const answers = platform('answers', { ready: { status: true }, startTimeout: 3000 }) as { args: string[] }
  const platforms = Object.fromEntries(ways.map((way) => [way, { ...answers, args: [...answers.args, way] }]))
  const c = await cloud(t, {
    platforms: { game, ...platforms }, limits: { starting: 10 }, timing: { pause: 60_000, longestPause: 60_000, pingTimeout: 300 }
  })
  for (const way of ways) await c.groups.control.create(group(way, of(way)), call)
  await until(() => ways.every((way) => runs(c.pid(`${way}-1`))))
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  for (const way of ways) {
    await until(() => c.logged(`${way}-1 was not ready within 3000 ms`))
    t.equal(c.service(`${way}-1`)?.state, 'OFFLINE')
    t.notOk(runs(c.pid(`${way}-1`)), `nothing of ${way} runs`)
    t.notOk(c.logged(`${way}-1 is ready`))
  }
  t.match(c.service('lobby-1'), { state: 'ONLINE', maxPlayerCount: 20 })
})

t.test('without cgroups a daemon that leaves both the session and the environment of its service is not found, as the documentation says', async (t) => {
  const daemon = platform('', { command: 'sh', args: ['-c', 'setsid env -i sleep 600 & echo "left $!"; exec sleep 600'], ready: { log: '^left' } })
  const c = await cloud(t, { platforms: { daemon }, cgroups: false })
  await c.groups.control.create(group('nest', of('daemon')), call)
  await c.state('nest-1', 'ONLINE')
  const pid = Number(/left (\d+)/.exec(c.console('nest-1'))?.[1])
  t.teardown(() => process.kill(pid, 'SIGKILL'))
  await until(() => readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('sleep'))
  await c.groups.control.delete('nest', call)
  t.ok(runs(pid))
})

t.test('a process of another user that bears the mark of a service which this cloud has not started is none', { skip: process.getuid?.() !== 0 && 'NO ROOT HERE: services have no other user' }, async t => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby', { minOnlineService: 1 }), call)
  await c.state('lobby-1', 'ONLINE')
  await c.runtime.close({ services: 'keep' })
  const services = join(c.directory, 'services')
  const { dev, ino } = statSync(services, { bigint: true })
  // What people have put there, and no core.
  const given = ['worlds', 'lobby-3', 'other-1']
  for (const name of given) {
    mkdirSync(join(services, name, 'files'), { recursive: true })
    writeFileSync(join(services, name, 'files', 'world'), name)
  }
  for (const name of ['lobby-2', ...given]) {
    const forged = spawn('sleep', ['300'], { uid: 65_534, gid: 65_534, cwd: '/', detached: true, stdio: 'ignore', env: { CLOUD_RUN: `${'0123456789abcdef'.repeat(2)}@${dev}:${ino}/${name}` } })
    t.teardown(() => { forged.kill('SIGKILL') })
    await once(forged, 'spawn')
    await until(() => readFileSync(`/proc/${forged.pid!}/environ`, 'latin1').includes('CLOUD_RUN'), 'it has it')
  }
  await c.reopen()
  await c.state('lobby-1', 'ONLINE')
  t.strictSame((c.services.list(call) as ReadonlyArray<{ readonly name: string }>).map(({ name }) => name), ['lobby-1'])
  for (const name of given) t.equal(readFileSync(join(services, name, 'files', 'world'), 'utf8'), name)
  await c.groups.control.create(group('other', { minOnlineService: 1 }), call)
  await c.state('other-1', 'ONLINE')
})

t.test('a process of another user that bears the mark of a service, token and all, is not taken for that', { skip: process.getuid?.() !== 0 && 'NO ROOT HERE: services have no other user' }, async t => {
  const c = await cloud(t)
  const { dev, ino } = statSync(join(c.directory, 'services'), { bigint: true })
  // It is there before the service, and is looked at first.
  const forged = spawn('sh', ['-c', 'read CLOUD_RUN; export CLOUD_RUN; exec sleep 300'], { uid: 65_534, gid: 65_534, cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  t.teardown(() => { forged.kill('SIGKILL') })
  await once(forged, 'spawn')
  await c.groups.control.create(group('lobby', { minOnlineService: 1 }), call)
  await c.state('lobby-1', 'ONLINE')
  const pid = c.pid('lobby-1')
  await c.runtime.close({ services: 'keep' })
  const { token } = JSON.parse(readFileSync(join(c.directory, 'services/lobby-1/run/meta.json'), 'utf8'))
  forged.stdin.write(`${token}@${dev}:${ino}/lobby-1\n`)
  await until(() => readFileSync(`/proc/${forged.pid!}/environ`, 'latin1').includes(token), 'it has it')
  await c.reopen()
  await c.state('lobby-1', 'ONLINE')
  t.match(c.logged('lobby-1 runs already'), { pid })
  forged.kill('SIGKILL')
  await once(forged, 'close')
  t.ok(runs(pid))
  t.equal(c.service('lobby-1')?.state, 'ONLINE')
})

/** Each has a successor after a few milliseconds, and lingers: whoever is counted is not the last. */
const chainOf = (seconds: number): string => `trap '' TERM; [ -e "$END" ] && exit; sleep 0.02; sh -c "$0" "$0" & sleep ${seconds}`
const chain = chainOf(0.4)

t.test('processes of another user that bear the mark of a service hinder nobody who stops or deletes it', { skip: process.getuid?.() !== 0 && 'NO ROOT HERE: services have no other user' }, async t => {
  const c = await cloud(t, { cgroups: false })
  await c.groups.control.create(group('lobby', { minOnlineService: 1 }), call)
  await c.state('lobby-1', 'ONLINE')
  const { token } = JSON.parse(readFileSync(join(c.directory, 'services/lobby-1/run/meta.json'), 'utf8'))
  const { dev, ino } = statSync(join(c.directory, 'services'), { bigint: true })
  const end = join(temporary(t), 'end')
  chmodSync(dirname(end), 0o755)
  // Some are gone before it is looked at whose they are.
  for (const each of [chain, chainOf(0.03)]) {
    const forged = spawn('sh', ['-c', each, each], { uid: 65_534, gid: 65_534, cwd: '/', detached: true, stdio: 'ignore', env: { PATH: process.env['PATH'], CLOUD_RUN: `${token}@${dev}:${ino}/lobby-1`, END: end } })
    await once(forged, 'spawn')
  }
  t.teardown(async () => {
    writeFileSync(end, '')
    await until(async () => !(await markedCensus()).some(({ mark }) => mark?.token === token), 'they are gone')
  })
  await until(async () => (await markedCensus()).filter(({ mark }) => mark?.token === token).length > 20, 'they are many')
  const pid = c.pid('lobby-1')
  t.equal(await c.services.control.restart('lobby-1', call), true)
  await until(() => c.pid('lobby-1') !== pid && c.service('lobby-1')?.state === 'ONLINE', 'it is restarted')
  t.equal(await c.groups.control.delete('lobby', call), true)
  t.notOk(c.logged('does not end'))
})

t.test('what starts others with a mark faster than they can be ended keeps no core from its start', { skip: process.getuid?.() !== 0 && 'NO ROOT HERE: services have no other user' }, async t => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby', { minOnlineService: 1 }), call)
  await c.state('lobby-1', 'ONLINE')
  await c.runtime.close({ services: 'keep' })
  const { dev, ino } = statSync(join(c.directory, 'services'), { bigint: true })
  const end = join(temporary(t), 'end')
  const env = { PATH: process.env['PATH'], CLOUD_RUN: `${'fedcba9876543210'.repeat(2)}@${dev}:${ino}/lobby-1` }
  chmodSync(dirname(end), 0o755)
  const forged = spawn('sh', ['-c', chain, chain], { uid: 65_534, gid: 65_534, cwd: '/', detached: true, stdio: 'ignore', env: { ...env, END: end } })
  await once(forged, 'spawn')
  t.teardown(async () => {
    writeFileSync(end, '')
    await until(async () => !(await markedCensus()).some(({ mark }) => mark?.token === 'fedcba9876543210'.repeat(2)), 'they are gone')
  })
  await until(async () => (await markedCensus()).filter(({ mark }) => mark?.token === 'fedcba9876543210'.repeat(2)).length > 20, 'they are many')
  await c.reopen()
  await c.state('lobby-1', 'ONLINE')
  t.notOk(existsSync(end))
})
