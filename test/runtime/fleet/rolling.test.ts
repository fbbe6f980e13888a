/** The restart of a whole group: somebody is there for the players, whatever the others are at. */
import t, { type Test } from 'tap'
import { simulatedRuntime, type SimulatedOptions } from '../../../lib/runtime/simulated/index.js'
import type { Group } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { createMachine } from './machine.js'

const call = { signal: new AbortController().signal }
const turn = async (): Promise<void> => await new Promise(resolve => { setImmediate(resolve) })

const lobby: Group = {
  name: 'lobby',
  minMemory: 128,
  maxMemory: 256,
  minOnlineService: 2,
  maxOnlineService: 2,
  platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 0,
  properties: { drainSeconds: 0 },
  templates: [],
  createdAt: 1_760_000_000_000
}

function open (t: Test, group: Partial<Group>, options: SimulatedOptions) {
  const cloud = simulatedRuntime({ groups: [{ ...lobby, ...group }], ...options })
  const states: string[] = []
  cloud.states.watch(({ serviceName, state }) => { states.push(`${serviceName} ${state}`) }, call)
  const of = (name: string) => (cloud.services.list(call) as readonly RuntimeService[]).find(one => one.name === name)?.state
  const restart = () => { t.equal(cloud.groups.restarts.restart('lobby', call), true) }
  return { cloud, states, of, restart, why: () => cloud.groups.reasons.of('lobby', call), progress: () => cloud.groups.restarts.progressOf('lobby', call) }
}

/** A machine that takes so long for everything, with the group on it, which has a template, and the lives of its services. */
function openMachine (latencyMs: number) {
  const log: string[] = []
  const machine = createMachine({ latencyMs, endedFirst: false }, {
    starting: () => {}, begun: () => {}, stopping: () => {}, ended: () => {}, logged: ({ message }) => { log.push(message) }, broken: what => { log.push(what) }
  })
  machine.templates.add('plain')
  machine.groups.set('lobby', JSON.stringify({ ...lobby, platform: { name: 'word', version: '1' }, templates: ['plain'] }))
  machine.open()
  machine.agenda.advance(10_000)
  const tokens = machine.running().map(({ token }) => token)
  return { machine, log, tokens }
}

t.test('the last one that is ONLINE is not restarted before another is there again', async t => {
  const { cloud, states, of, restart, why, progress } = open(t, {}, { timing: { pause: 20_000, longestPause: 20_000 } })
  cloud.advance(2_000)
  cloud.crash('lobby-2')
  restart()
  cloud.advance(19_000)
  t.equal(of('lobby-1'), 'ONLINE', 'it waits')
  t.match(await why(), /0 of 1 are done; lobby-1 waits until another is ONLINE/)
  cloud.advance(5_000)
  t.strictSame(states.slice(states.indexOf('lobby-2 OFFLINE')), [
    'lobby-2 OFFLINE', 'lobby-2 STARTING', 'lobby-2 ONLINE', 'lobby-1 STOPPING', 'lobby-1 OFFLINE', 'lobby-1 STARTING', 'lobby-1 ONLINE'
  ])
  t.equal(await progress(), undefined)
})

t.test('no life is ended whose next one cannot be made as the group is defined', async t => {
  for (const latencyMs of [0, 40]) {
    const { machine, log, tokens } = openMachine(latencyMs)
    machine.templates.delete('plain')
    machine.agenda.act(() => { machine.core.fleet!.groups.restarts.restart('lobby', call) })
    machine.agenda.advance(60_000)
    t.strictSame(machine.running().map(({ token }) => token), tokens, `the services run on, with ${latencyMs} ms`)
    t.ok(log.includes('Group lobby: the restart ends: lobby-1 could not start again: there is no template plain, 0 of 2 services were restarted'), log.slice(-5).join('\n'))
    t.equal(machine.core.fleet!.groups.restarts.progressOf('lobby', call), undefined)
    machine.templates.add('plain')
    machine.agenda.act(() => { machine.core.fleet!.groups.restarts.restart('lobby', call) })
    machine.agenda.advance(60_000)
    t.notOk(machine.running().some(({ token }) => tokens.includes(token)), 'it can be asked for again')
  }
})

t.test('a template of the group may get another name meanwhile: the restart goes on', async t => {
  const { cloud, states, restart, progress } = open(t, { maxOnlineService: 3 }, {})
  t.equal(await cloud.templates.create('plain', call), true)
  cloud.advance(2_000)
  t.match(await cloud.groups.control.edit('lobby', { templates: ['plain'] }, call), { templates: ['plain'] })
  restart()
  t.equal(await cloud.templates.rename('plain', 'hall', call), true)
  t.match(cloud.groups.list(call), [{ templates: ['hall'] }])
  t.strictSame(await progress(), { done: 0, total: 2 })
  cloud.advance(10_000)
  t.equal(await progress(), undefined)
  t.strictSame(states.filter(state => state.endsWith('OFFLINE')), ['lobby-1 OFFLINE', 'lobby-2 OFFLINE'])
})

t.test('whatever is under way when a template of the group gets another name finds it, under the one or the other', async t => {
  for (const latencyMs of [0, 6, 40]) {
    for (let step = 0; step < 8; step++) {
      const { machine, log, tokens } = openMachine(latencyMs)
      const answer = machine.agenda.act(() => machine.core.fleet!.templates.rename('plain', 'hall', call))
      for (let passed = 0; passed < step; passed++) {
        machine.agenda.advance(latencyMs / 2)
        await turn()
      }
      machine.agenda.act(() => { machine.core.fleet!.groups.restarts.restart('lobby', call) })
      for (let passed = 0; passed < 600; passed++) {
        machine.agenda.advance(100)
        await turn()
      }
      t.equal(await answer, true)
      t.notOk(machine.running().some(({ token }) => tokens.includes(token)), `${step} half steps of ${latencyMs} ms: ${log.filter(line => /restart ends|no template/.test(line)).join('; ')}`)
      t.equal(machine.running().length, 2)
    }
  }
})

t.test('a restart that waits for its place is held as well when the others die meanwhile', async t => {
  const { cloud, of, restart } = open(t, { minOnlineService: 3, maxOnlineService: 3 }, {
    limits: { starting: 1 }, timing: { pause: 20_000, longestPause: 20_000 }, script: ({ name, life }) => name === 'lobby-3' && life === 2 ? { startMs: Infinity, crashMs: 8_000 } : {}
  })
  cloud.advance(5_000)
  // It comes back and has the only place.
  cloud.services.control.restart('lobby-3', call)
  cloud.advance(600)
  restart()
  cloud.crash('lobby-2')
  cloud.advance(10_000)
  t.strictSame([of('lobby-1'), of('lobby-2'), of('lobby-3')], ['ONLINE', 'OFFLINE', 'OFFLINE'])
  cloud.advance(120_000)
  t.strictSame([of('lobby-1'), of('lobby-2'), of('lobby-3')], ['ONLINE', 'ONLINE', 'ONLINE'])
})

t.test('static services come back under their own names, with what they have written, also where the maximum lets one more come', async t => {
  for (const [min, max] of [[1, 2], [2, 3]] as const) {
    const { cloud, states, restart, progress } = open(t, { minOnlineService: min, maxOnlineService: max, properties: { drainSeconds: 0, static: true } }, {})
    cloud.advance(2_000)
    states.length = 0
    restart()
    cloud.advance(10_000)
    t.equal(await progress(), undefined)
    t.strictSame(states, [1, 2].slice(0, min).flatMap(index => ['STOPPING', 'OFFLINE', 'STARTING', 'ONLINE'].map(state => `lobby-${index} ${state}`)))
  }
})

t.test('a static service that is stopped is followed by itself, not by one with an empty world beside it', async t => {
  const { cloud, states, of, why } = open(t, { minOnlineService: 1, maxOnlineService: 3, properties: { static: true } }, { script: () => ({ stopMs: 3_000 }) })
  cloud.advance(2_000)
  cloud.services.control.stop('lobby-1', call)
  cloud.advance(1_000)
  t.match(await why(), /0 of at least 1 services: more when what is STOPPING has ended/)
  cloud.advance(10_000)
  t.equal(of('lobby-1'), 'ONLINE')
  t.notOk(states.some(state => state.startsWith('lobby-2')))
})

t.test('the old one stays when its successor dies while players have time to leave', async t => {
  const { cloud, of, restart, states } = open(t, { minOnlineService: 1, properties: { drainSeconds: 10 } }, { timing: { pause: 30_000, longestPause: 30_000 } })
  cloud.advance(2_000)
  cloud.join('lobby-1', 'Ada')
  restart()
  cloud.advance(5_000)
  cloud.crash('lobby-2')
  cloud.advance(20_000)
  t.strictSame([of('lobby-1'), of('lobby-2')], ['ONLINE', 'OFFLINE'])
  // Its players have their whole time again when the successor is back.
  cloud.advance(30_000)
  t.ok(states.indexOf('lobby-1 STOPPING') > states.lastIndexOf('lobby-2 ONLINE'))
})

t.test('the old one stays when its successor dies while players have time to leave, where others are there as well', async t => {
  const { cloud, of, restart } = open(t, { minOnlineService: 2, maxOnlineService: 3, properties: { drainSeconds: 10 } }, { timing: { pause: 30_000, longestPause: 30_000 } })
  cloud.advance(2_000)
  cloud.join('lobby-1', 'Ada')
  restart()
  cloud.advance(5_000)
  cloud.crash('lobby-3')
  cloud.advance(20_000)
  t.strictSame([of('lobby-1'), of('lobby-2'), of('lobby-3')], ['ONLINE', 'ONLINE', 'OFFLINE'])
})

t.test('a service whose successor is ONLINE is done while its players have time to leave', async t => {
  const { cloud, restart, progress } = open(t, { minOnlineService: 1, properties: { drainSeconds: 10 } }, {})
  cloud.advance(2_000)
  cloud.join('lobby-1', 'Ada')
  restart()
  t.strictSame(await progress(), { done: 0, total: 1 })
  cloud.advance(5_000)
  t.strictSame(await progress(), { done: 1, total: 1 })
})

t.test('a service that has died before its turn is done when it is ONLINE again, and the restart is not over before', async t => {
  const { cloud, of, restart, progress } = open(t, { minOnlineService: 2, maxOnlineService: 2 }, { timing: { pause: 30_000, longestPause: 30_000 } })
  cloud.advance(2_000)
  restart()
  cloud.crash('lobby-2')
  cloud.advance(10_000)
  t.strictSame([of('lobby-1'), of('lobby-2'), await progress()], ['ONLINE', 'OFFLINE', { done: 1, total: 2 }])
  cloud.advance(30_000)
  t.strictSame([of('lobby-2'), await progress()], ['ONLINE', undefined])
})

t.test('the restart ends, and the last one stays, when the others do not start any more', async t => {
  const { cloud, of, restart, states, progress } = open(t, {}, {
    limits: { quickDeaths: 3 }, script: ({ name, life }) => name === 'lobby-2' && life > 1 ? { startMs: Infinity, crashMs: 100 } : {}
  })
  const lines: string[] = []
  cloud.log.watch(line => { lines.push(line) }, call)
  cloud.advance(2_000)
  cloud.crash('lobby-2')
  restart()
  cloud.advance(60_000)
  t.strictSame([of('lobby-1'), of('lobby-2')], ['ONLINE', 'OFFLINE'])
  t.notOk(states.includes('lobby-1 STOPPING'))
  t.equal(await progress(), undefined)
  t.ok(lines.some(line => line.includes('the restart ends: lobby-1 is the last that is ONLINE, and lobby-2 does not start')))
})

t.test('who asks for the last one by name gets it restarted at once', async t => {
  const { cloud, of, restart } = open(t, {}, { timing: { pause: 60_000, longestPause: 60_000 } })
  cloud.advance(2_000)
  cloud.crash('lobby-2')
  restart()
  cloud.advance(1_000)
  t.equal(of('lobby-1'), 'ONLINE')
  cloud.services.control.restart('lobby-1', call)
  t.equal(of('lobby-1'), 'STOPPING')
})

t.test('the only service of a group is restarted', async t => {
  const { cloud, of, restart } = open(t, { minOnlineService: 1, maxOnlineService: 1 }, {})
  cloud.advance(2_000)
  restart()
  t.equal(of('lobby-1'), 'STOPPING')
})

t.test('a group whose port has become the next one is restarted as a whole: who has the port that another is to have goes first', async t => {
  const { cloud, of, restart, progress, why } = open(t, { minOnlineService: 3, maxOnlineService: 3, properties: { drainSeconds: 0, port: 25_565 } }, {})
  cloud.advance(5_000)
  const portsOf = () => (cloud.services.list(call) as readonly RuntimeService[]).map(({ name, port }) => `${name} ${port}`)
  t.strictSame(portsOf(), ['lobby-1 25565', 'lobby-2 25566', 'lobby-3 25567'])
  for (const [port, expected] of [[25_566, ['lobby-1 25566', 'lobby-2 25567', 'lobby-3 25568']], [25_564, ['lobby-1 25564', 'lobby-2 25565', 'lobby-3 25566']]] as const) {
    await cloud.groups.control.edit('lobby', { properties: { drainSeconds: 0, port } }, call)
    restart()
    cloud.advance(60_000)
    t.equal(await progress(), undefined, String(await why()))
    t.strictSame(portsOf(), expected)
    t.strictSame(['lobby-1', 'lobby-2', 'lobby-3'].map(of), ['ONLINE', 'ONLINE', 'ONLINE'])
  }
})

t.test('who waits for the very port of the last one that is ONLINE does not keep it from being restarted', async t => {
  const { cloud, of, restart, progress, why } = open(t, { properties: { drainSeconds: 0, port: 25_565 } }, {})
  cloud.advance(5_000)
  await cloud.groups.control.edit('lobby', { properties: { drainSeconds: 0, port: 25_566 } }, call)
  cloud.crash('lobby-1')
  cloud.advance(5_000)
  t.match(await why(), /port 25566 belongs to lobby-2/)
  restart()
  cloud.advance(60_000)
  t.equal(await progress(), undefined, String(await why()))
  t.strictSame([of('lobby-1'), of('lobby-2')], ['ONLINE', 'ONLINE'])
})

t.test('what is stopped leaves a port that another service is to have, and gets its own with its next start', async t => {
  const { cloud, of, restart, progress, why } = open(t, { properties: { drainSeconds: 0, port: 25_565 } }, {})
  cloud.advance(5_000)
  cloud.services.control.stop('lobby-2', call)
  cloud.advance(5_000)
  await cloud.groups.control.edit('lobby', { minOnlineService: 0, properties: { drainSeconds: 0, port: 25_566 } }, call)
  restart()
  cloud.advance(60_000)
  t.equal(await progress(), undefined, String(await why()))
  t.equal(of('lobby-1'), 'ONLINE')
  cloud.services.control.start('lobby-2', call)
  cloud.advance(5_000)
  t.strictSame((cloud.services.list(call) as readonly RuntimeService[]).map(({ name, port, state }) => `${name} ${port} ${state}`), ['lobby-1 25566 ONLINE', 'lobby-2 25567 ONLINE'])
})

/** A cloud of two ports, of which somebody else has the second. */
function openCrowded () {
  const wrong: string[] = []
  const lines: string[] = []
  const machine = createMachine({ latencyMs: 0, endedFirst: false, ports: 2 }, {
    starting: () => {}, begun: () => {}, stopping: () => {}, ended: () => {}, logged: ({ message }) => { lines.push(message) }, broken: what => { wrong.push(what) }
  })
  machine.groups.set('lobby', JSON.stringify({ ...lobby, minOnlineService: 1, platform: { name: 'word', version: '1' } }))
  machine.strangers.add(30_001)
  machine.open()
  const fleet = machine.core.fleet!
  const states = () => (fleet.services.list(call) as readonly RuntimeService[]).map(({ name, port, state }) => `${name} ${port} ${state}`)
  return { machine, fleet, wrong, lines, states }
}

t.test('a service comes back itself when no port is left for its successor', async t => {
  const { machine, fleet, wrong, lines, states } = openCrowded()
  machine.agenda.advance(5_000)
  t.strictSame(states(), ['lobby-1 30000 ONLINE'])
  const token = machine.running()[0]?.token
  machine.agenda.act(() => fleet.groups.restarts.restart('lobby', call))
  machine.agenda.advance(60_000)
  t.equal(fleet.groups.restarts.progressOf('lobby', call), undefined, String(fleet.groups.reasons.of('lobby', call)))
  t.strictSame([states(), wrong], [['lobby-1 30000 ONLINE'], []])
  t.not(machine.running()[0]?.token, token)
  t.ok(lines.some(line => line.includes('the restart is over, 1 of 1 services were restarted')))
})

t.test('each port is tried once in a start; when others have them all it rests like after any other fault of the machine', async t => {
  const { machine, fleet, wrong, lines, states } = openCrowded()
  machine.agenda.advance(5_000)
  machine.strangers.add(30_000)
  machine.agenda.act(() => fleet.services.control.restart('lobby-1', call))
  machine.agenda.advance(300_000)
  t.strictSame(wrong, [])
  t.ok(lines.filter(line => line.startsWith('lobby-1 takes port')).length < 20)
  t.match(String(fleet.groups.reasons.of('lobby', call)), /lobby-1 waits: cannot be started/)
  machine.strangers.clear()
  machine.agenda.advance(61_000)
  t.match(states().join(), /^lobby-1 3000[01] ONLINE$/)
})

t.test('where the maximum lets one more come first, the next successor gets the place of the one that has just gone', t => {
  const machine = createMachine({ latencyMs: 40, endedFirst: false }, {
    starting: () => {}, begun: () => {}, stopping: () => {}, ended: () => {}, logged: () => {}, broken: () => {}
  })
  machine.groups.set('lobby', JSON.stringify({ ...lobby, maxOnlineService: 3, platform: { name: 'word', version: '1' } }))
  machine.open()
  machine.agenda.advance(10_000)
  const fleet = machine.core.fleet!
  const old = machine.running().map(({ token }) => token)
  // That they leave with it is told while its end is being noted down.
  machine.populate(machine.running().find(({ name }) => name === 'lobby-1')!, ['Ada'])
  const seen = new Set<number>()
  machine.agenda.act(() => fleet.groups.restarts.restart('lobby', call))
  for (let at = 0; at < 1_000; at++) {
    machine.agenda.advance(10)
    seen.add((fleet.services.list(call) as readonly RuntimeService[]).filter(({ state }) => state === 'ONLINE').length)
  }
  t.equal(fleet.groups.restarts.progressOf('lobby', call), undefined, 'it is over')
  t.strictSame([machine.running().length, machine.running().filter(({ token }) => old.includes(token)).length], [2, 0])
  t.strictSame([...seen].sort(), [2, 3], 'so many were ONLINE')
  t.end()
})

t.test('who is stopped while the group is restarted stays so, and is not started as the successor of another', async t => {
  const { cloud, states, of, restart, progress } = open(t, { minOnlineService: 0, maxOnlineService: 3 }, {})
  for (let n = 0; n < 3; n++) cloud.services.control.start('lobby', call)
  cloud.advance(2_000)
  restart()
  t.equal(cloud.services.control.stop('lobby-3', call), true)
  cloud.advance(20_000)
  t.equal(await progress(), undefined)
  t.equal(of('lobby-3'), 'OFFLINE')
  t.equal(states.filter(state => /^lobby-3 (?:STARTING|ONLINE)$/.test(state)).length, 2, 'it was started once, before')
})

t.test('a successor that is stopped leaves the old one as it is, and the next one has its turn', async t => {
  const { cloud, of, restart, progress } = open(t, { maxOnlineService: 4 }, {})
  cloud.advance(2_000)
  restart()
  t.equal(of('lobby-3'), 'STARTING')
  await cloud.services.control.stop('lobby-3', call)
  cloud.advance(500)
  t.match(progress(), { done: 1, total: 2 }, 'the first counts as done')
  cloud.advance(10_000)
  t.equal(progress(), undefined)
  t.strictSame(['lobby-1', 'lobby-2', 'lobby-3', 'lobby-4'].map(of), ['ONLINE', undefined, 'OFFLINE', 'ONLINE'])
})

t.test('a service whose program is about to be started is restarted as well: it may be started as the group was before', t => {
  const started: string[] = []
  const machine = createMachine({ latencyMs: 300, endedFirst: false }, {
    starting: ({ name }) => { started.push(name) }, begun: () => {}, stopping: () => {}, ended: () => {}, logged: () => {}, broken: () => {}
  })
  machine.groups.set('lobby', JSON.stringify({ ...lobby, minOnlineService: 1, maxOnlineService: 1, platform: { name: 'word', version: '1' } }))
  machine.open()
  machine.setFault('slow', 5_000)
  for (let at = 0; at < 500 && started.length === 0; at++) machine.agenda.advance(10)
  const fleet = machine.core.fleet!
  t.strictSame([started, machine.running().length], [['lobby-1'], 0], 'its start is under way')
  machine.agenda.act(() => fleet.groups.control.edit('lobby', { minMemory: 97 }, call))
  machine.agenda.advance(5_000)
  machine.agenda.act(() => fleet.groups.restarts.restart('lobby', call))
  t.strictSame([machine.running().length, fleet.groups.restarts.progressOf('lobby', call)], [0, { done: 0, total: 1 }])
  machine.agenda.advance(60_000)
  t.equal(fleet.groups.restarts.progressOf('lobby', call), undefined, 'it is over')
  t.match(fleet.services.list(call), [{ name: 'lobby-1', state: 'ONLINE', minMemory: 97 }])
  t.end()
})
