/** What a group says of itself while it cannot do what it wants. */
import t from 'tap'
import type { Group } from '../../../types/resources.js'
import { createMachine } from './machine.js'

const call = { signal: new AbortController().signal }

const lobby: Group = {
  name: 'lobby',
  minMemory: 1,
  maxMemory: 1,
  minOnlineService: 5,
  maxOnlineService: 6,
  platform: { name: 'word', version: '1' },
  percentageToStartNewService: 50,
  properties: { maxPlayers: 2 },
  templates: [],
  createdAt: 1
}

function open (group: Group) {
  const log: string[] = []
  const machine = createMachine({ latencyMs: 0, endedFirst: false, ports: 3 }, {
    starting: () => {}, begun: () => {}, stopping: () => {}, ended: () => {}, logged: ({ message }) => { log.push(message) }, broken: what => { log.push(what) }
  })
  machine.groups.set('lobby', JSON.stringify(group))
  machine.open()
  machine.agenda.advance(20_000)
  const { groups } = machine.core.fleet!
  return { machine, log, groups, why: () => groups.reasons.of('lobby', call) }
}

t.test('a group that lacks services because no port is left says so, as long as that is so', async t => {
  const { machine, log, groups, why } = open(lobby)
  t.equal(machine.running().length, 3)
  t.equal(await why(), '3 of at least 5 services: 2 more, but no port is left')
  machine.agenda.advance(600_000)
  t.equal(await why(), '3 of at least 5 services: 2 more, but no port is left')
  t.equal(log.filter(line => line === 'Group lobby cannot grow: no port is left').length, 1, 'the log is told once')
  t.equal(log.filter(line => line === 'Group lobby: 3 of at least 5 services: 2 more, but no port is left').length, 1)
  machine.agenda.act(() => { Promise.resolve(groups.control.edit('lobby', { minOnlineService: 3 }, call)).catch(() => {}) })
  machine.agenda.advance(5_000)
  t.equal(await why(), '3 services, as it should be')
})

t.test('one that is full and may have more services says so as well', async t => {
  const { machine, why } = open({ ...lobby, minOnlineService: 3 })
  for (const program of machine.running()) machine.populate(program, ['Ada', 'Eve'].map(name => `${name}${program.name}`))
  machine.agenda.advance(5_000)
  t.equal(await why(), '6 players on 6 slots reach 50 %: one more, but no port is left')
})

t.test('a group whose file is wrong is not restarted, and nothing of it ends', async t => {
  const { machine, groups } = open({ ...lobby, minOnlineService: 2 })
  const tokens = machine.running().map(({ token }) => token)
  for (const text of ['{', JSON.stringify({ ...lobby, minMemory: -1 }), JSON.stringify({ ...lobby, templates: ['none'] })]) {
    machine.edit('lobby', text)
    machine.agenda.advance(30_000)
    t.equal(await groups.restarts.restart('lobby', call), 'damaged', text)
    machine.agenda.advance(30_000)
    t.strictSame([machine.running().map(({ token }) => token), groups.restarts.progressOf('lobby', call)], [tokens, undefined])
  }
  machine.edit('lobby', JSON.stringify({ ...lobby, minOnlineService: 2 }))
  t.equal(await machine.agenda.act(async () => await groups.restarts.restart('lobby', call)), true, 'what stands there now is looked at')
  machine.agenda.advance(60_000)
  t.equal(machine.running().filter(({ token }) => tokens.includes(token)).length, 0)
})
