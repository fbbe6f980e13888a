/** What an earlier core has left that is nobody's service any more. */
import t from 'tap'
import type { Group } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { createMachine, stopTimeoutMs } from './machine.js'

const call = { signal: new AbortController().signal }
/** Somebody is told later, and does not wait. */
const later = (answer: unknown): void => { Promise.resolve(answer).catch(() => {}) }

const lobby: Group = {
  name: 'lobby',
  minMemory: 1,
  maxMemory: 1,
  minOnlineService: 1,
  maxOnlineService: 1,
  platform: { name: 'word', version: '1' },
  percentageToStartNewService: 0,
  properties: {},
  templates: [],
  createdAt: 1
}

t.test('what runs of a group that is gone, and does not end at once, is ended later; until then nobody gets its name', t => {
  const wrong: string[] = []
  const machine = createMachine({ latencyMs: 0, endedFirst: false }, {
    starting: () => {}, begun: () => {}, stopping: () => {}, ended: () => {}, logged: () => {}, broken: what => { wrong.push(what) }
  })
  machine.groups.set('lobby', JSON.stringify(lobby))
  machine.open()
  machine.agenda.advance(5_000)
  machine.kill()
  machine.groups.delete('lobby')
  machine.setFault('stops', 35_000)
  machine.open()
  machine.agenda.advance(20_000)
  const fleet = machine.core.fleet!
  t.strictSame([fleet.groups.list(call), fleet.services.list(call), machine.running().map(({ name }) => name)], [[], [], ['lobby-1']])
  machine.agenda.act(() => { later(fleet.groups.control.create(lobby, call)) })
  machine.agenda.advance(5_000)
  t.strictSame((fleet.services.list(call) as readonly RuntimeService[]).map(({ name, state }) => `${name} ${state}`), ['lobby-2 ONLINE'])
  machine.agenda.advance(60_000)
  t.strictSame([machine.running().map(({ name }) => name), wrong], [['lobby-2'], []])
  machine.agenda.act(() => { later(fleet.groups.control.edit('lobby', { minOnlineService: 2, maxOnlineService: 2 }, call)) })
  machine.agenda.advance(5_000)
  t.strictSame(machine.running().map(({ name }) => name).sort(), ['lobby-1', 'lobby-2'], 'the name is free again')
  t.end()
})

function lose (properties: Group['properties']) {
  const log: string[] = []
  const machine = createMachine({ latencyMs: 0, endedFirst: false }, {
    starting: () => {}, begun: () => {}, stopping: () => {}, ended: () => {}, logged: ({ message }) => { log.push(message) }, broken: what => { log.push(what) }
  })
  const group = { ...lobby, properties, minOnlineService: 0 }
  machine.groups.set('lobby', JSON.stringify({ ...group, minOnlineService: 1 }))
  machine.open()
  machine.agenda.advance(5_000)
  machine.kill()
  machine.groups.delete('lobby')
  machine.setFault('stops', 20_000)
  machine.open()
  machine.agenda.advance(5_000)
  return { machine, log, group, listed: () => machine.core.fleet!.services.list(call) }
}

t.test('a later group of the same name has nothing of what was left of one that is gone, whether that runs or has ended', t => {
  for (const [isStatic, ends] of [[true, true], [false, true], [true, false], [false, false]] as const) {
    const { machine, log, group, listed } = lose({ static: isStatic })
    machine.agenda.act(() => { later(machine.core.fleet!.groups.control.create(group, call)) })
    machine.agenda.advance(1)
    machine.kill()
    if (ends) machine.agenda.act(() => { machine.running()[0]?.die(0) })
    machine.open()
    machine.agenda.advance(5_000)
    t.strictSame(listed(), [], 'it is not listed')
    t.strictSame(machine.running().map(({ name }) => name), ends ? [] : ['lobby-1'])
    machine.agenda.advance(60_000)
    t.strictSame([listed(), machine.running()], [[], []], 'and is ended as soon as that can be done')
    t.strictSame(machine.kept, isStatic ? ['lobby-1'] : [], 'files that are kept are out of the way')
    t.notOk(log.some(line => line.includes('doubled')))
  }
  t.end()
})

t.test('a core that stops its services tries once more to end what runs of a group that is gone, and says so when it cannot', async t => {
  const { machine } = lose({})
  t.equal(machine.core.fleet!.longestStop, stopTimeoutMs, 'its time counts for how long that may take')
  const refused = Promise.resolve(machine.agenda.act(() => machine.core.fleet!.close())).then(() => 'closed', (error: Error) => error.message)
  machine.agenda.advance(1_000)
  t.match(await refused, /lobby-1 does not end/)
  machine.kill()
  machine.open()
  machine.agenda.advance(14_500)
  t.strictSame(machine.running().map(({ name }) => name), ['lobby-1'], 'the next try would be later')
  const closed = Promise.resolve(machine.agenda.act(() => machine.core.fleet!.close())).then(() => 'closed', (error: Error) => error.message)
  machine.agenda.advance(1_000)
  t.equal(await closed, 'closed')
  t.strictSame(machine.running(), [])
})

t.test('a core that leaves its services running waits for the try that is under way, and begins no other', async t => {
  const { machine, log } = lose({})
  machine.agenda.advance(3_800)
  const tries = log.filter(line => line.includes('is ended: its group is gone')).length
  let is = 'under way'
  const closed = Promise.resolve(machine.agenda.act(() => machine.core.fleet!.close({ services: 'keep' }))).then(() => { is = 'closed' })
  await new Promise(resolve => { setImmediate(resolve) })
  t.equal(is, 'under way')
  machine.agenda.advance(1_000)
  await closed
  machine.agenda.advance(120_000)
  t.equal(log.filter(line => line.includes('is ended: its group is gone')).length, tries)
  t.strictSame(machine.running().map(({ name }) => name), ['lobby-1'])
})

t.test('what is told of the end of a life is seen when its service is OFFLINE, and no moment earlier', t => {
  const seen: string[] = []
  const machine = createMachine({ latencyMs: 50, endedFirst: false }, {
    starting: () => {}, begun: () => {}, stopping: () => {}, ended: () => {}, logged: () => {}, broken: what => { seen.push(what) }
  })
  machine.groups.set('lobby', JSON.stringify({ ...lobby, platform: { name: 'ping', version: '1' } }))
  machine.open()
  machine.agenda.advance(10_000)
  const { services } = machine.core.fleet!
  const listed = (): RuntimeService => (services.list(call) as readonly RuntimeService[])[0]!
  for (const round of [1, 2]) {
    // Their leaving is seen in the list before the end is.
    machine.populate(machine.running()[0]!, ['Jane'])
    machine.agenda.advance(10_000)
    const before = listed()
    t.equal(before.playerCount, 1)
    machine.agenda.act(() => { later(services.control.stop('lobby-1', call)) })
    for (let ms = 0; ms < 10_000; ms += 10) {
      const { state, lastExit, startedAt } = listed()
      const isOver = lastExit?.at !== before.lastExit?.at
      if (isOver && startedAt === before.startedAt && state !== 'OFFLINE' && state !== 'STARTING') seen.push(`${round}: ${state}`)
      if (!isOver && startedAt !== before.startedAt) seen.push(`${round}: another start, without an end`)
      machine.agenda.advance(10)
    }
    const { state, lastExit, startedAt } = listed()
    t.equal(state, 'ONLINE', 'its group needs it')
    t.ok(lastExit!.at > before.startedAt! && lastExit!.at < startedAt!)
  }
  t.strictSame([...new Set(seen)], [])
  t.end()
})

t.test('who ends as an earlier core has asked has not died, whether the next one sees the end or comes later', t => {
  for (const [what, goneMs] of [['ends while there is no core', 3_000], ['ends before the eyes of the next core', 500]] as const) {
    for (const verb of ['restart', 'stop', 'kill', 'nothing'] as const) {
      const log: string[] = []
      const machine = createMachine({ latencyMs: 50, endedFirst: false }, {
        starting: () => {},
        begun: () => {},
        stopping: () => {},
        ended: () => {},
        broken: problem => { t.fail(problem) },
        logged: ({ level, message }) => { if (level !== 'info') log.push(message) }
      })
      machine.groups.set('lobby', JSON.stringify(lobby))
      machine.behaviours.set('lobby', { readyMs: 1_000, dieMs: Infinity, stopMs: 2_000 })
      machine.open()
      machine.agenda.advance(5_000)
      const { services } = machine.core.fleet!
      const [before] = services.list(call) as readonly RuntimeService[]
      machine.agenda.act(() => { later(verb === 'kill' ? services.force.kill('lobby-1', call) : verb === 'nothing' ? undefined : services.control[verb]('lobby-1', call)) })
      // A core that is killed while it kills has done so.
      machine.agenda.advance(verb === 'kill' ? 140 : 1_000)
      if (verb === 'restart' || verb === 'stop') t.equal((services.list(call) as readonly RuntimeService[])[0]?.state, 'STOPPING')
      machine.kill()
      if (verb === 'nothing') machine.running()[0]?.die(3)
      if (verb === 'kill') machine.running()[0]?.die(null)
      machine.agenda.advance(goneMs)
      machine.open()
      machine.agenda.advance(8_000)
      const [after] = machine.core.fleet!.services.list(call) as readonly RuntimeService[]
      const called = `${verb}: ${what}`
      t.equal(after?.lastExit?.reason, { restart: 'stopped', stop: 'stopped', kill: 'killed', nothing: 'crashed' }[verb], called)
      t.equal(after?.state, 'ONLINE', `${called}; its group needs it`)
      t.ok(after!.startedAt! > before!.startedAt!, called)
      t.equal(log.length, verb === 'nothing' ? 1 : 0, `${called}: ${log.join('; ')}`)
    }
  }
  t.end()
})

t.test('what an earlier core has asked to end, and has not ended in the time for that, dies as any other when it does', t => {
  const log: string[] = []
  const machine = createMachine({ latencyMs: 50, endedFirst: false }, {
    starting: () => {},
    begun: () => {},
    stopping: () => {},
    ended: () => {},
    broken: problem => { t.fail(problem) },
    logged: ({ level, message }) => { if (level !== 'info') log.push(message) }
  })
  machine.groups.set('lobby', JSON.stringify(lobby))
  machine.behaviours.set('lobby', { readyMs: 1_000, dieMs: Infinity, stopMs: Infinity })
  machine.open()
  machine.agenda.advance(5_000)
  machine.agenda.act(() => { later(machine.core.fleet!.services.control.restart('lobby-1', call)) })
  machine.agenda.advance(1_000)
  machine.kill()
  machine.agenda.advance(500)
  machine.open()
  machine.agenda.advance(stopTimeoutMs + 1_000)
  machine.running()[0]?.die(3)
  machine.agenda.advance(500)
  const [after] = machine.core.fleet!.services.list(call) as readonly RuntimeService[]
  t.equal(after?.lastExit?.reason, 'crashed')
  t.equal(after?.state, 'OFFLINE', 'it rests')
  t.match(log, [/ended by itself/])
  t.end()
})

t.test('a core that comes anew tries again what rested after its deaths, and counts them anew', t => {
  let starts = 0
  const machine = createMachine({ latencyMs: 50, endedFirst: false }, {
    starting: () => { starts++ }, begun: () => {}, stopping: () => {}, ended: () => {}, logged: () => {}, broken: problem => { t.fail(problem) }
  })
  machine.groups.set('lobby', JSON.stringify(lobby))
  machine.behaviours.set('lobby', { readyMs: Infinity, dieMs: 100, stopMs: 0 })
  for (const core of [1, 2, 3]) {
    machine.open()
    machine.agenda.advance(600_000)
    t.match(machine.core.fleet!.groups.reasons.of('lobby', call), /^paused: lobby-1 died 5 times in a row/)
    t.equal(starts, 5 * core)
    machine.kill()
  }
  t.end()
})

t.test('what cannot begin as it is defined says why, in the reason of its group, from the first try on', t => {
  const machine = createMachine({ latencyMs: 50, endedFirst: false }, {
    starting: () => {}, begun: () => {}, stopping: () => {}, ended: () => {}, logged: () => {}, broken: problem => { t.fail(problem) }
  })
  machine.groups.set('lobby', JSON.stringify(lobby))
  machine.behaviours.set('lobby', { readyMs: 1_000, dieMs: Infinity, stopMs: 0 })
  machine.setFault('definition', 30_000)
  machine.open()
  const reason = (): string => String(machine.core.fleet?.groups.reasons.of('lobby', call))
  const seen = new Set<string>()
  for (let ms = 0; ms < 5_000; ms += 10) {
    machine.agenda.advance(10)
    seen.add(reason())
  }
  t.ok(seen.has('lobby-1 waits: cannot be started: no start: definition'), [...seen].join('; '))
  t.notOk([...seen].some(one => one.includes('after dying')), [...seen].join('; '))
  machine.agenda.advance(60_000)
  t.equal(reason(), 'paused: lobby-1 died 5 times in a row, last: cannot be started: no start: definition')
  t.end()
})
