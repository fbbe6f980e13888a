import t from 'tap'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { openProcessRuntime, SetupError } from '../../../lib/runtime/process/index.js'
import { openWith } from '../../../lib/runtime/process/open.js'
import { markedCensus } from '../../../lib/runtime/process/processes.js'
import { claimOf, spawnShim } from '../../../lib/runtime/process/shim.js'
import { bare, call, cloud, core, game, group, pidIn, platform, read, runs, runtimePath, withPlatforms } from './helper.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

t.test('after kill -9 the next core takes every service over: same process, port, players, console and commands (case 97)', async (t) => {
  const directory = withPlatforms(t, { game })
  const ports = { from: 32_000, to: 32_099 }
  const first = await core(t, directory, { ports })
  await first.ask('groups.control', 'create', group('lobby', { minOnlineService: 3 }))
  const listed = async () => await first.ask<Array<{ name: string, state: string, port: number, createdAt: number }>>('services', 'list')
  await until(async () => (await listed()).filter(({ state }) => state === 'ONLINE').length === 3)
  const before = new Map((await listed()).map((service) => [service.name, service]))
  const pids = new Map([...before.keys()].map((name) => [name, pidIn(directory, name)]))
  await first.ask('services.control', 'command', 'lobby-1', 'join Steve')
  const player = connect({ host: '127.0.0.1', port: before.get('lobby-2')?.port as number })
  player.on('error', () => {})
  await new Promise((resolve) => player.once('connect', resolve))
  t.teardown(() => player.destroy())
  await until(async () => (await first.ask<unknown[]>('players', 'list')).length === 1)
  await first.kill()
  for (const pid of pids.values()) t.ok(runs(pid), 'nothing ends with the core')

  const log: string[] = []
  const began = Date.now()
  const runtime = await openWith({ directory, ports, log: ({ message }) => log.push(message), timing: { tick: 100, ping: 200, pause: 200, kill: 500 } })
  t.comment(`taken over after ${Date.now() - began} ms`)
  t.teardown(async () => await runtime.close())
  const after = await runtime.services.list(call)
  const facts = ({ name, state, port, createdAt }: { name: string, state: string, port: number, createdAt: number }) => `${name} ${state} ${port} ${createdAt}`
  t.same(after.map(facts).sort(), [...before.values()].map(facts).sort())
  for (const [name, pid] of pids) t.equal(pidIn(directory, name), pid)
  t.notOk(player.destroyed)
  t.match(await until(async () => (await runtime.players.list(call))[0]), { name: 'Steve', currentServiceName: 'lobby-1' })
  t.equal(await runtime.services.control?.command('lobby-1', 'print after the crash', call), true)
  await until(() => read(join(directory, 'services', 'lobby-1', 'run', 'console.log')).includes('after the crash'))
  await runtime.services.control?.command('lobby-3', 'crash', call)
  await until(() => log.some((line) => line.startsWith('lobby-3 ended by itself, exit status 9')))
  await until(async () => (await runtime.services.list(call)).every(({ state }) => state === 'ONLINE'))
  t.not(pidIn(directory, 'lobby-3'), pids.get('lobby-3'))
})

t.test('killed at any moment of starts, stops and restarts, nothing is doubled, lost or left behind (case 97)', async (t) => {
  const directory = withPlatforms(t, { game: { ...game, startTimeout: 20_000 } })
  const ports = { from: 32_100, to: 32_199 }
  const options = { ports, limits: { starting: 4 } }
  const marks = async () => {
    const tokens = new Map(readdirSync(join(directory, 'services')).flatMap((name) => {
      const text = read(join(directory, 'services', name, 'run', 'meta.json'))
      return text === '' ? [] : [[JSON.parse(text).token as string, name]]
    }))
    return (await markedCensus()).filter(({ mark }) => mark !== undefined && tokens.has(mark.token))
  }
  const first = await core(t, directory, options)
  await first.ask('groups.control', 'create', group('lobby', { minOnlineService: 2, maxOnlineService: 4 }))
  await first.kill()
  for (let round = 0; round < 8; round++) {
    const next = await core(t, directory, options)
    const writes = ['restart', 'stop', 'start'].map(async (verb) => await next.ask('services.control', verb, round % 2 === 0 ? 'lobby-1' : 'lobby-2').catch(() => {}))
    const name = `g${round}`
    const made = next.ask('groups.control', 'create', group(name, { minOnlineService: 0 })).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, round * 40))
    const answered = await Promise.race([made, new Promise((resolve) => setTimeout(resolve, round * 5, 'unanswered'))])
    await next.kill()
    if (answered === true) t.ok(existsSync(join(directory, 'groups', `${name}.json`)), 'what was answered is there')
    Promise.all(writes).catch(() => {})
  }
  const runtime = await openProcessRuntime({ directory, ...options, timing: { tick: 100, ping: 200, pause: 200, kill: 500 } })
  t.teardown(async () => await runtime.close())
  await until(async () => {
    const services = (await runtime.services.list(call)).filter(({ state }) => state !== 'OFFLINE')
    return services.length >= 2 && services.every(({ state }) => state === 'ONLINE')
  })
  const online = (await runtime.services.list(call)).filter(({ state }) => state === 'ONLINE')
  t.equal((await marks()).length, online.length * 2, 'a shim and a program for each that is ONLINE, and no others')
  t.equal(new Set(online.map(({ port }) => port)).size, online.length)
  await runtime.groups.control?.delete('lobby', call)
  t.same((await markedCensus()).filter(({ mark }) => mark !== undefined && online.some(({ name }) => read(join(directory, 'services', name, 'run', 'meta.json')).includes(mark.token))), [])
})

t.test('a shim that comes late, after its start was given up, does nothing', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby', { minOnlineService: 0 }), call)
  await c.services.control.start('lobby', call)
  await c.state('lobby-1', 'ONLINE')
  await c.runtime.close()
  // As if the core had been killed between its note and the first step of the shim.
  const run = join(c.directory, 'services', 'lobby-1', 'run')
  const { token } = JSON.parse(read(join(run, 'meta.json')))
  for (const name of readdirSync(run)) {
    if (name !== 'meta.json' && name !== 'console.log') rmSync(join(run, name))
  }
  await c.reopen()
  await c.state('lobby-1', 'ONLINE')
  const pid = c.pid('lobby-1')
  t.notOk(existsSync(join(run, claimOf(token))))
  const late = spawnShim({ run, files: join(c.directory, 'services', 'lobby-1', 'files'), token, cgroup: undefined, command: process.execPath, args: ['-e', 'setInterval(() => {}, 1000)'], env: { PATH: process.env.PATH ?? '' } })
  late.ref()
  const code = await new Promise((resolve) => late.once('exit', resolve))
  t.equal(code === 125 || code === 2, true, `it gave up with ${code}`)
  t.equal(c.pid('lobby-1'), pid)
})

t.test('a service whose shim was killed lives on, and its end is noticed all the same', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const [pid, , shim] = read(join(c.directory, 'services', 'lobby-1', 'run', 'pid')).split(' ').map(Number) as [number, number, number]
  process.kill(shim, 'SIGKILL')
  await until(() => !runs(shim))
  t.equal(await c.services.control.command('lobby-1', 'print here I am', call), true)
  await until(() => c.console('lobby-1').includes('here I am'))
  t.equal(c.service('lobby-1')?.state, 'ONLINE')
  await c.services.control.command('lobby-1', 'crash', call)
  await until(() => c.logged('lobby-1 ended by itself, unknown exit status'))
  await c.state('lobby-1', 'ONLINE')
  t.not(c.pid('lobby-1'), pid)
})

t.test('a zombie is dead: a program whose shim is stopped and cannot reap it is noticed and replaced', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const [pid, , shim] = read(join(c.directory, 'services', 'lobby-1', 'run', 'pid')).split(' ').map(Number) as [number, number, number]
  process.kill(shim, 'SIGSTOP')
  process.kill(pid, 'SIGKILL')
  await until(() => c.pid('lobby-1') !== pid && c.service('lobby-1')?.state === 'ONLINE')
  t.notOk(runs(shim))
})

t.test('after the machine was started anew nothing is taken for running, whatever numbers are used again', async (t) => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const run = join(c.directory, 'services', 'lobby-1', 'run')
  await c.runtime.close({ services: 'keep' })
  const [program, , shim] = read(join(run, 'pid')).split(' ').map(Number) as [number, number, number]
  for (const pid of [shim, program]) process.kill(pid, 'SIGKILL')
  await until(() => !runs(shim) && !runs(program))
  const meta = JSON.parse(read(join(run, 'meta.json')))
  writeFileSync(join(run, 'meta.json'), JSON.stringify({ ...meta, bootId: 'another' }))
  // This test's own process in the role of somebody who got the same number.
  const start = read(`/proc/${process.pid}/stat`).split(') ')[1]?.split(' ')[19]
  writeFileSync(join(run, 'pid'), `${process.pid} ${start} ${process.pid} ${start}\n`)
  await c.reopen()
  t.ok(c.logged('lobby-1 has ended: the machine was started anew'))
  await c.state('lobby-1', 'ONLINE')
  t.not(c.pid('lobby-1'), process.pid)
})

t.test('one core to a directory: a second is refused, of many at once one gets it, and kill -9 frees it', async (t) => {
  const directory = withPlatforms(t, { game })
  const deep = join(directory, ...Array(12).fill('a-rather-long-name'))
  mkdirSync(deep, { recursive: true })
  const results = await Promise.allSettled(Array.from({ length: 8 }, async () => await openProcessRuntime({ directory: deep })))
  const winners = results.flatMap((result) => result.status === 'fulfilled' ? [result.value] : [])
  t.equal(winners.length, 1)
  for (const result of results) {
    if (result.status === 'rejected') t.match(result.reason, { name: 'SetupError', code: 'CLOUD_ERR_DIRECTORY_IN_USE', message: /^Another core is running on / })
  }
  await winners[0]?.close()
  t.same(readdirSync(deep).sort(), ['forwarding.secret', 'groups', 'platforms', 'services', 'templates'])

  const other = await core(t, deep)
  await t.rejects(async () => await openProcessRuntime({ directory: deep }), { code: 'CLOUD_ERR_DIRECTORY_IN_USE' })
  await other.kill()
  t.equal(readdirSync(deep).filter((name) => name.endsWith('.sock')).length, 1, 'a dead socket is left')
  const again = await Promise.allSettled(Array.from({ length: 8 }, async () => await openProcessRuntime({ directory: deep })))
  t.equal(again.filter(({ status }) => status === 'fulfilled').length, 1)
  for (const result of again) if (result.status === 'fulfilled') await result.value.close()
})

t.test('wrong options are refused with their name and what was given', async (t) => {
  const wrong: Array<[RegExp, object]> = [
    [/Option directory .* not undefined/, { directory: undefined }], [/Option host .* not localhost/, { host: 'localhost' }],
    [/Option ports .* not 9 to 8/, { ports: { from: 9, to: 8 } }], [/Option limits.starting .* not 0/, { limits: { starting: 0 } }],
    [/Option timing.tick .* not 1.5/, { timing: { tick: 1.5 } }], [/Option log /, { log: 'yes' }]
  ]
  for (const [message, options] of wrong) {
    await t.rejects(openProcessRuntime({ directory: '/nonexistent', ...options } as { directory: string }), { name: 'SetupError', code: 'CLOUD_ERR_OPTION', message })
  }
  t.ok(new SetupError('X', 'y') instanceof Error)
})

t.test('close leaves nothing running: no timer, no watcher, no open file', async (t) => {
  const directory = withPlatforms(t, { game, floods: platform('floods') })
  const program = `
    import { openProcessRuntime } from ${JSON.stringify(runtimePath)}
    import { readdirSync } from 'node:fs'
    let files = 0
    let before = 0
    const directory = ${JSON.stringify(directory)}
    const options = { directory, ports: { from: 32200, to: 32299 }, timing: { tick: 100 } }
    // Node itself opens a few for good when it first starts or watches something; after that there may be no more.
    for (const services of ['keep', 'stop', 'keep', 'stop']) {
      before = files
      const runtime = await openProcessRuntime(options)
      await runtime.groups.control.create(${JSON.stringify(group('lobby'))}, {})
      while (runtime.services.list().filter(({ state }) => state === 'ONLINE').length < 1) await new Promise((resolve) => setTimeout(resolve, 20))
      await runtime.close({ services })
      files = readdirSync('/proc/self/fd').length
    }
    // The last write counts as one until its own turn is over.
    await new Promise((resolve) => setImmediate(resolve))
    const handles = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap' && name !== 'CloseReq')
    console.log(JSON.stringify({ handles, more: files - before }))
  `
  const output = await new Promise<string>((resolve, reject) => execFile(process.execPath, ['--input-type=module', '-e', program], { timeout: 20_000, env: bare.env }, (error, stdout, stderr) => error === null ? resolve(stdout) : reject(new Error(stderr, { cause: error }))))
  const { handles, more } = JSON.parse(output)
  t.same(handles, [])
  t.ok(more <= 0, `${more} more open files after the second round`)
})

t.test('a change of a group that is under way when the core is closed is done before another one opens the directory, or refused', async t => {
  const c = await cloud(t, {})
  await c.groups.control.create(group('lobby', { minOnlineService: 0 }), call)
  for (let round = 0; round < 20; round++) {
    const { groups } = c
    const asked = [
      groups.control.edit('lobby', { maxMemory: 200 + round }, call), groups.control.create(group(`new-${round}`, { minOnlineService: 0 }), call),
      groups.control.delete(`new-${round - 1}`, call)
    ]
    const answers = Promise.all(asked.map(async answer => await Promise.resolve(answer).then(value => value !== false, ({ message }) => message)))
    for (let turn = 0; turn < round % 5; turn++) await new Promise(resolve => { setImmediate(resolve) })
    await c.runtime.close({ services: 'keep' })
    await c.reopen()
    const now = new Map((await c.runtime.groups.list(call)).map(({ name, maxMemory }) => [name, maxMemory]))
    const [edited, made, deleted] = await answers
    t.equal(now.get('lobby') === 200 + round ? true : 'The cloud is closed', edited, `round ${round}: the edit`)
    t.equal(now.has(`new-${round}`) ? true : 'The cloud is closed', made, `round ${round}: the new group`)
    t.equal(now.has(`new-${round - 1}`) ? 'The cloud is closed' : deleted, deleted, `round ${round}: the deletion`)
    await t.rejects(async () => await groups.control.create(group('late'), call), { message: 'The cloud is closed' })
  }
})

t.test('a change of a template that is under way when the core is closed is done, or not, before another one opens the directory', async t => {
  const c = await cloud(t, {})
  await c.templates.create('one', call)
  for (const name of ['lobby', 'arena']) await c.groups.control.create(group(name, { minOnlineService: 0, templates: ['one'] }), call)
  const names = ['one', 'two'] as const
  for (let round = 0; round < 20; round++) {
    const [from, to] = names[round % 2] === 'one' ? names : [names[1], names[0]]
    if (!(await c.templates.list(call)).some(({ name }) => name === from)) await c.templates.rename(to, from, call)
    const { templates } = c
    const renamed = Promise.all([templates.rename(from, to, call), templates.create('late', call)]).then(() => 'done', String)
    for (let turn = 0; turn < round % 5; turn++) await new Promise(resolve => { setImmediate(resolve) })
    await c.runtime.close({ services: 'keep' })
    await c.reopen()
    const now = (await c.templates.list(call)).map(({ name }) => name).filter(name => name === 'one' || name === 'two')
    t.strictSame((await c.runtime.groups.list(call)).map(one => one.templates), [now, now], `round ${round}: ${await renamed}`)
    await t.rejects(async () => await templates.create('later', call), { message: 'The cloud is closed' })
    await c.templates.delete('late', call)
  }
})
