/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
import t from 'tap'
import { once } from 'node:events'
import { readdirSync, readlinkSync, renameSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { call, cloud, game, group, platform, runs } from './helper.js'
import { until } from '../../fixtures/until.js'
import { rounds } from '../../fixtures/rounds.js'

t.setTimeout(600_000)

t.test('a group with a minimum gets its services ONLINE, with everything that is listed of them', async (t) => {
  const c = await cloud(t)
  const began = Date.now()
  t.equal(await c.groups.control.create(group('lobby', { minOnlineService: 2, properties: { fallback: true, level: 3 } }), call), true)
  const service = await c.state('lobby-1', 'ONLINE')
  t.comment(`ONLINE after ${Date.now() - began} ms`)
  await c.state('lobby-2', 'ONLINE')
  t.ok(runs(c.pid('lobby-1')))
  const { memoryUsage, cpuUsage, createdAt, startedAt = 0, port, ...rest } = service
  t.ok(startedAt >= createdAt && startedAt <= Date.now())
  t.ok(createdAt >= began && createdAt <= Date.now())
  t.same(rest, {
    name: 'lobby-1',
    state: 'ONLINE',
    type: 'SERVER',
    groupName: 'lobby',
    hostname: '127.0.0.1',
    templates: ['EVERY', 'EVERY_SERVER', 'EVERY_FALLBACK'].map((name) => ({ name, size: 'unknown' })),
    properties: { fallback: 'true', level: '3' },
    minMemory: 64,
    maxMemory: 128,
    playerCount: 0,
    maxPlayerCount: 20,
    motd: 'A tiny game!'
  })
  t.not(c.service('lobby-2')?.port, port)
  await until(() => (c.service('lobby-1')?.memoryUsage ?? 0) > 5)
  const sample = await c.runtime.metrics.sample(call)
  t.ok(sample.memory.services > 10 && sample.memory.core > 10)
  t.ok(sample.cpu.core >= 0 && sample.cpu.core <= 100 && sample.cpu.services >= 0 && sample.cpu.services <= 100)
  t.equal(sample.runtime, `Node.js ${process.version}`)
  t.ok(sample.uptime > 0)
})

t.test('who watches is told every state and every line of the log, until they stop watching', async (t) => {
  const c = await cloud(t)
  const [watching, other] = [new AbortController(), new AbortController()]
  const states: string[] = []
  const lines: string[] = []
  c.runtime.states?.watch(() => { throw new Error('a broken listener') }, other)
  c.runtime.states?.watch(({ serviceName, state, at }) => states.push(`${serviceName} ${state} ${Math.abs(Date.now() - at) < 5000}`), watching)
  c.runtime.log?.watch((line) => lines.push(line), watching)
  await c.groups.control.create(group('lobby', { minOnlineService: 0 }), call)
  await c.services.control.start('lobby', call)
  await c.state('lobby-1', 'ONLINE')
  await c.services.control.stop('lobby-1', call)
  await c.state('lobby-1', 'OFFLINE')
  t.same(states, ['STARTING', 'ONLINE', 'STOPPING', 'OFFLINE'].map((state) => `lobby-1 ${state} true`))
  t.ok(lines.includes('INFO lobby-1 is ready'))
  watching.abort()
  const told = [states.length, lines.length]
  await c.services.control.start('lobby', call)
  await c.state('lobby-1', 'ONLINE')
  t.same([states.length, lines.length], told)
})

t.test('a command is written to the console of a service as one line (cases 91, 92)', async (t) => {
  const c = await cloud(t, { platforms: { game, aloof: platform('aloof') } })
  await c.groups.control.create(group('lobby'), call)
  await c.groups.control.create(group('wall', { platform: { name: 'aloof', version: 'latest' } }), call)
  await c.state('lobby-1', 'ONLINE')
  t.equal(await c.services.control.command('lobby-1', 'x'.repeat(4095), call), true)
  await until(() => c.console('lobby-1').includes('heard 4095 bytes'))
  t.equal(await c.services.control.command('lobby-1', 'Grüße 😀', call), true)
  await until(() => c.console('lobby-1').includes(`heard ${Buffer.byteLength('Grüße 😀')} bytes`))
  t.equal(await c.services.control.command('lobby-7', 'x', call), false)
  await t.rejects(async () => await c.services.control.command('lobby-1', 'x'.repeat(4096), call))

  await c.state('wall-1', 'ONLINE')
  let answer: unknown = true
  for (let count = 0; count < 100 && answer === true; count++) answer = await c.services.control.command('wall-1', 'x'.repeat(4095), call)
  t.equal(answer, 'not-reading', 'a service that never reads is told of, and nobody waits for it')

  await c.groups.control.edit('wall', { minOnlineService: 0 }, call)
  await c.services.control.stop('wall-1', call)
  await c.state('wall-1', 'OFFLINE')
  t.equal(await c.services.control.command('wall-1', 'x', call), 'not-running')
})

t.test('a restart comes back with the same name, port and birthday and a new process; 50 at once are one (case 103)', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  const before = await c.state('lobby-1', 'ONLINE')
  const pid = c.pid('lobby-1')
  const answers = await Promise.all(Array.from({ length: 50 }, async () => await c.services.control.restart('lobby-1', call)))
  t.same(new Set(answers), new Set([true]))
  const after = await until(() => c.pid('lobby-1') !== pid && c.service('lobby-1')?.state === 'ONLINE' ? c.service('lobby-1') : undefined)
  t.same([after.port, after.createdAt], [before.port, before.createdAt])
  t.notOk(runs(pid))
  t.equal(c.log.filter(({ message }) => message === 'lobby-1 is started').length, 2, 'started once, restarted once')
  t.equal(await c.services.control.restart('nobody', call), false)
})

t.test('restarts that race the deletion of their group: no process of it is left, and nothing comes back (case 103)', async (t) => {
  const c = await cloud(t, { limits: { starting: 10 } })
  const { restart, start } = c.services.control
  const left = () => workingIn(join(c.directory, 'services'))
  /** At which moment of a restart its group was deleted. */
  const moments = new Set<string | undefined>()
  for (let batch = 0; batch < rounds(2, 10); batch++) {
    const names = Array.from({ length: 10 }, (_, at) => `g${batch}x${at}`)
    for (const name of names) await c.groups.control.create(group(name), call)
    for (const name of names) await c.state(`${name}-1`, 'ONLINE')
    t.ok(left().length >= names.length, 'the processes of this batch are seen, if there are any')
    await Promise.all(names.map(async (name, at) => {
      const service = `${name}-1`
      t.same(new Set(await many(50, async () => await restart(service, call))), new Set([true]))
      await new Promise((resolve) => setTimeout(resolve, at * 40 + batch * 4))
      // However busy the machine is, one of them is deleted at this moment. A restart may be over between two looks.
      if (at === 9) {
        await until(async () => {
          if (c.service(service)?.state === 'ONLINE') await restart(service, call)
          return c.service(service)?.state === 'STARTING'
        })
      }
      moments.add(c.service(service)?.state)
      const [deleted, ...others] = await Promise.all([c.groups.control.delete(name, call), ...await many(50, async () => await restart(service, call))])
      t.equal(deleted, true)
      t.same(new Set(others), new Set([false]))
      t.same([await restart(service, call), await start(service, call), await start(name, call)], [false, false, false])
    }))
    t.same([c.groups.list(call), c.services.list(call), left(), readdirSync(join(c.directory, 'services'))], [[], [], [], []])
  }
  // When this one is ONLINE the supervisor has been at it for a while.
  await c.groups.control.create(group('last'), call)
  await c.state('last-1', 'ONLINE')
  t.same((await c.services.list(call)).map(({ name }) => name), ['last-1'])
  t.ok(left().every((path) => path.includes('/last-1/')), left().join())
  t.ok(moments.has('STARTING') && moments.has('STOPPING'), [...moments].join())
})

const many = async <T>(count: number, make: () => Promise<T>): Promise<T[]> => await Promise.all(Array.from({ length: count }, make))

/** Where the processes work whose directory begins like that. */
function workingIn (path: string): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && runs(Number(pid))).flatMap((pid) => {
    try {
      const at = readlinkSync(`/proc/${pid}/cwd`)
      return at.startsWith(path) ? [at] : []
    } catch {
      return []
    }
  })
}

t.test('start by the group\'s name adds one up to its maximum, stop keeps it listed, start by its name starts it again', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby', { minOnlineService: 0, maxOnlineService: 2 }), call)
  const { start, stop } = c.services.control
  t.same(await start('lobby', call), { name: 'lobby-1' })
  t.same(await start('lobby', call), { name: 'lobby-2' })
  t.equal(await start('lobby', call), 'limit')
  await c.state('lobby-1', 'ONLINE')
  t.equal(await start('lobby-1', call), 'running')
  t.equal(await start('nothing', call), false)
  t.equal(await stop('nothing', call), false)
  t.equal(await stop('lobby-1', call), true)
  const pid = c.pid('lobby-1')
  await c.state('lobby-1', 'OFFLINE')
  t.notOk(runs(pid))
  t.same(await start('lobby-1', call), { name: 'lobby-1' })
  await c.state('lobby-1', 'ONLINE')
})

t.test('a service stopped by name is replaced as long as there are fewer than the minimum', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const pid = c.pid('lobby-1')
  await c.services.control.stop('lobby-1', call)
  const next = await until(async () => (await c.services.list(call)).find(({ name, state }) => state === 'ONLINE' && c.pid(name) !== pid))
  await until(() => !runs(pid))
  t.equal((await c.services.list(call)).filter(({ state }) => state !== 'OFFLINE').length, 1, `only ${next.name} runs`)
})

t.test('a service that ignores everything is killed, with its children and its daemons (case 95)', async (t) => {
  const c = await cloud(t, { platforms: { stubborn: platform('stubborn', { stopTimeout: 200, ready: { log: '^pids ' } }) } })
  await c.groups.control.create(group('rock', { platform: { name: 'stubborn', version: 'latest' } }), call)
  const { port } = await c.state('rock-1', 'ONLINE')
  const pids = /pids (.*)/.exec(c.console('rock-1'))?.[1]?.split(' ').map(Number) ?? []
  t.equal(pids.length, 3)
  t.ok(pids.every(runs))
  t.equal(await c.groups.control.delete('rock', call), true)
  t.notOk(pids.some(runs), 'nothing of it is left')
  const next = createServer().listen(port, '127.0.0.1')
  await once(next, 'listening')
  next.close()
  t.same(c.services.list(call), [])
  t.equal(await c.groups.control.delete('rock', call), false)
})

t.test('what a service leaves behind when it ends by itself is ended, too', async (t) => {
  const c = await cloud(t, { platforms: { parent: platform('parent') }, timing: { pause: 60_000, longestPause: 60_000 } })
  await c.groups.control.create(group('nest', { platform: { name: 'parent', version: 'latest' } }), call)
  const entry = await until(() => c.logged('ended by itself'))
  t.match(entry.message, 'nest-1 ended by itself, exit status 0; next try in 60 s')
  t.notOk(runs(Number(/left (\d+)/.exec(c.console('nest-1'))?.[1])))
})

t.test('a service that dies is listed OFFLINE, the log says why, and it is tried again after growing pauses (case 96)', async (t) => {
  const c = await cloud(t, { platforms: { dies: platform('dies') }, timing: { pause: 100, longestPause: 400 } })
  await c.groups.control.create(group('weak', { platform: { name: 'dies', version: 'latest' } }), call)
  const paused = await until(() => c.logged('Group weak: paused'))
  const deaths = c.log.filter(({ message }) => message.startsWith('weak-1 ended by itself'))
  t.same(deaths.map(({ message }) => /next try in (.*) s/.exec(message)?.[1]), ['0.1', '0.2', '0.4', '0.4', undefined])
  t.match(deaths[0], { level: 'error', status: 3, lastLines: ['fatal: the world is broken'], service: 'weak-1' })
  t.match(paused.message, 'weak-1 died 5 times in a row, last: ended by itself, exit status 3')
  t.equal(c.reason('weak'), paused.reason)
  t.equal(c.service('weak-1')?.state, 'OFFLINE')
  const count = () => c.log.filter(({ message }) => message === 'weak-1 is started').length
  const before = count()
  await c.groups.control.edit('weak', { maxMemory: 256 }, call)
  await until(() => count() >= before + 5)
  t.pass('an edit lets it try again, as often as at first')
})

t.test('a missing command, a platform that is gone and a start that takes too long leave the service OFFLINE with a reason (cases 90, 96)', async (t) => {
  const slow = platform('idle', { ready: { log: 'never said' }, startTimeout: 300 })
  const c = await cloud(t, { platforms: { missing: platform('idle', { command: 'no-such-program' }), slow }, timing: { pause: 60_000, longestPause: 60_000 } })
  for (const name of ['missing', 'slow', 'unknown']) await c.groups.control.create(group(name, { platform: { name, version: 'latest' } }), call)
  await c.groups.control.create(group('version', { platform: { name: 'slow', version: '--jar' } }), call)
  await until(() => c.logged('missing-1 ended by itself, exit status 127: the command was not found; next try in 60 s'))
  await until(() => c.logged('slow-1 was not ready within 300 ms'))
  await until(() => c.logged('unknown-1 cannot be started: there is no platform unknown'))
  await until(() => c.logged('version-1 cannot be started: platform slow has no version --jar'))
  t.notOk(runs(c.pid('slow-1')))
  t.same((await c.services.list(call)).map(({ state }) => state), Array(4).fill('OFFLINE'))
})

t.test('a platform that is gone for a while pauses nothing: what runs is not restarted without it, and what has died is there again when it is', async (t) => {
  const c = await cloud(t, { platforms: { idle: platform('', { command: 'sh', args: ['-c', 'echo ready; exec sleep 600'], ready: { log: '^ready$' } }) }, timing: { pause: 20, longestPause: 40 } })
  await c.groups.control.create(group('lobby', { platform: { name: 'idle', version: 'latest' } }), call)
  await c.state('lobby-1', 'ONLINE')
  const [file, pid] = [join(c.directory, 'platforms/idle.json'), c.pid('lobby-1') as number]
  renameSync(file, `${file}.away`)
  t.equal(await c.services.control.restart('lobby-1', call), true)
  await until(() => c.logged('lobby-1: it is not restarted, as it could not start again: there is no platform idle'))
  t.same([c.service('lobby-1')?.state, c.pid('lobby-1'), runs(pid)], ['ONLINE', pid, true])
  // The directory of all of them may be away, such as a disk that is mounted late.
  const all = join(c.directory, 'platforms')
  renameSync(all, `${all}.away`)
  t.equal(await c.services.control.restart('lobby-1', call), true)
  await until(() => c.logged('lobby-1: it is not restarted, as it could not start again: ENOENT'))
  t.same([c.service('lobby-1')?.state, c.pid('lobby-1')], ['ONLINE', pid])
  renameSync(`${all}.away`, all)
  process.kill(pid, 'SIGKILL')
  await until(() => c.log.filter(({ message }) => message.startsWith('lobby-1 cannot be started: there is no platform idle')).length > 6)
  t.notOk(c.logged('paused'))
  renameSync(`${file}.away`, file)
  await c.state('lobby-1', 'ONLINE')
})

t.test('a port in use is passed over on the first start; without another the service is OFFLINE and the log says why', async (t) => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const c = await cloud(t, { ports: { from: port, to: port } })
  await c.groups.control.create(group('lobby'), call)
  await until(() => c.logged(`lobby-1 cannot be started: port ${port} is in use by another program`))
  t.equal(c.service('lobby-1')?.state, 'OFFLINE')
  other.close()
  await c.state('lobby-1', 'ONLINE')
})

t.test('a service is not ONLINE because another one answers on its port', async (t) => {
  const mute = platform('idle', { ready: { status: true }, startTimeout: 3000 })
  const c = await cloud(t, { platforms: { game, mute }, timing: { pause: 60_000, longestPause: 60_000 } })
  await c.groups.control.create(group('thief'), call)
  await c.state('thief-1', 'ONLINE')
  await c.groups.control.create(group('victim', { platform: { name: 'mute', version: 'latest' } }), call)
  const { port } = await until(() => c.service('victim-1'))
  await until(() => runs(c.pid('victim-1')))
  await c.services.control.command('thief-1', `listen ${port}`, call)
  await until(() => c.logged(`Another service answers on port ${port}`))
  await until(() => c.logged('victim-1 was not ready within 3000 ms'))
  t.notOk(c.log.some(({ message }) => message === 'victim-1 is ready'))
})

t.test('a service sees an allow-list of the environment, no open file of ours, and its values without a shell (cases 93, 94)', async (t) => {
  process.env.VERY_SECRET = 'hunter2'
  t.teardown(() => { delete process.env.VERY_SECRET })
  const reveals = platform('reveals', {
    versions: ['$(id); `id` "\'${name}'],
    env: { SERVICE_PORT: '${port}', OWN: '${group}/${name}', PATH: '/nonexistent' },
    command: '/usr/bin/env',
    ready: { log: '^REVEALED' }
  }) as { args: string[] }
  reveals.args.push('${version}', '${host}:${port}', '--memory=${minMemory}-${maxMemory}', '${maxPlayers}')
  const c = await cloud(t, { platforms: { reveals } })
  const version = '$(id); `id` "\'${name}'
  await c.groups.control.create(group('glass', { platform: { name: 'reveals', version } }), call)
  const { port } = await c.state('glass-1', 'ONLINE')
  const { args, env, files, cwd } = JSON.parse(/REVEALED (.*)/.exec(c.console('glass-1'))?.[1] ?? '{}')
  t.same(args, [version, `127.0.0.1:${port}`, '--memory=64-128', '20'])
  t.equal(env.VERY_SECRET, undefined)
  t.same([env.OWN, env.PATH], ['glass/glass-1', '/nonexistent'])
  t.equal(cwd, join(c.directory, 'services', 'glass-1', 'files'))
  const run = join(c.directory, 'services', 'glass-1', 'run')
  t.ok(files.includes(`0 ${join(run, 'in.fifo')}`) && files.includes(`1 ${join(run, 'console.log')}`))
  t.notOk(files.some((file: string) => file.includes('core.') || file.includes('groups')))
  const foreign = Object.keys(env).filter((name) => !name.startsWith('_TAPJS') && !['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR', 'JAVA_HOME', 'PWD', 'OLDPWD', 'CLOUD_RUN', 'SERVICE_PORT', 'OWN'].includes(name))
  t.same(foreign, [])
})

t.test('the console\'s file is cut when it is too long, also when nobody looks', async (t) => {
  const cap = 4 * 1024 * 1024
  const c = await cloud(t, { platforms: { floods: platform('floods') }, limits: { console: cap } })
  await c.groups.control.create(group('river', { platform: { name: 'floods', version: 'latest' } }), call)
  await c.state('river-1', 'ONLINE')
  const path = join(c.directory, 'services', 'river-1', 'run', 'console.log')
  let cuts = 0
  let last = 0
  await until(() => {
    const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
    if (size < last) cuts++
    last = size
    return cuts >= 3
  })
  t.ok(last < 20 * cap)
  t.equal(c.service('river-1')?.state, 'ONLINE')
})

t.test('a deletion whose stop fails throws, the group stays and nothing of it starts; calling again tries again (case 123)', async (t) => {
  let broken = true
  const c = await cloud(t, {
    kill: (pid, signal) => {
      if (!broken) process.kill(pid, signal)
    },
    platforms: { game: { ...game, env: { SERVICE_PORT: '${port}', IGNORE_STOP: '1' }, stopTimeout: 100 } }
  })
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const first = c.groups.control.delete('lobby', call)
  const joined = c.groups.control.delete('lobby', call)
  t.equal(await c.services.control.start('lobby', call), false, 'nothing starts from the first moment')
  t.equal(await c.services.control.restart('lobby-1', call), false)
  await t.rejects(async () => await first, /does not end/)
  await t.rejects(async () => await joined, /does not end/)
  t.match(c.groups.list(call), [{ name: 'lobby' }])
  await until(() => c.reason('lobby')?.includes('its deletion failed'))
  broken = false
  t.equal(await c.groups.control.delete('lobby', call), true)
  t.same([c.groups.list(call), c.services.list(call)], [[], []])
  t.notOk(runs(c.pid('lobby-1')))
})

t.test('close stops every service and they come back with the next opening; keep leaves them running', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  const before = await c.state('lobby-1', 'ONLINE')
  const pid = c.pid('lobby-1')
  await c.runtime.close({ services: 'keep' })
  t.ok(runs(pid))
  await c.reopen()
  const kept = c.service('lobby-1')
  t.same([kept?.state, kept?.port, kept?.createdAt, c.pid('lobby-1')], ['ONLINE', before.port, before.createdAt, pid])
  t.equal(await c.services.control.command('lobby-1', 'print still there', call), true)
  await until(() => c.console('lobby-1').includes('still there'))
  await c.runtime.close()
  t.notOk(runs(pid))
  await c.reopen()
  const again = await c.state('lobby-1', 'ONLINE')
  t.same([again.port, again.createdAt], [before.port, before.createdAt])
})

t.test('how a service last ended is told with its last lines, and known to the next core; one that follows nobody is killed', async t => {
  const c = await cloud(t, { platforms: { game: { ...game, env: { SERVICE_PORT: '$' + '{port}', IGNORE_STOP: '1' }, stopTimeout: 8000 } } })
  await c.groups.control.create(group('lobby'), call)
  const { startedAt } = await c.state('lobby-1', 'ONLINE')
  const began = Date.now()
  await c.services.control.command('lobby-1', 'print these were my last words', call)
  await c.services.control.command('lobby-1', 'crash', call)
  const crashed = await until(() => c.service('lobby-1')?.lastExit)
  t.match(crashed, { reason: 'crashed', code: 9, signal: null })
  t.ok(crashed.lastLines.includes('these were my last words') && crashed.lastLines.length <= 10)
  t.ok(crashed.at >= began && crashed.at <= Date.now())
  t.ok((await c.state('lobby-1', 'ONLINE')).startedAt as number > (startedAt as number))
  await c.runtime.close({ services: 'keep' })
  await c.reopen()
  t.same((await c.state('lobby-1', 'ONLINE')).lastExit, crashed)

  t.equal(await c.services.control.stop('lobby-1', call), true)
  await c.state('lobby-1', 'STOPPING')
  t.equal(await c.services.force?.kill('lobby-1', call), true)
  t.match((await c.state('lobby-1', 'OFFLINE')).lastExit, { reason: 'killed', code: null, signal: 'SIGKILL' })
  t.equal(await c.services.force?.kill('nobody', call), false)
})

t.test('of a program that ends before it could be looked at, the last lines are its own', async t => {
  const c = await cloud(t, { platforms: { game: { ...game, command: '/bin/sh', args: ['-c', 'echo mine; exit 3'] } }, timing: { pause: 20, longestPause: 20 } })
  await c.groups.control.create(group('weak', { minOnlineService: 8, maxOnlineService: 8 }), call)
  const deaths = await until(() => {
    const all = c.log.filter(({ status }) => status === 3)
    return all.length >= 24 && all
  }, () => `24 have died: ${c.log.length} lines`)
  for (const { lastLines } of deaths) t.strictSame(lastLines, ['mine'])
})
