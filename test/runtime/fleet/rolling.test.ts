/** The restart of a whole group: somebody is there for the players, whatever the others are at. */
import t, { type Test } from 'tap'
import { simulatedRuntime, type SimulatedOptions } from '../../../lib/runtime/simulated/index.js'
import type { Group } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'

const call = { signal: new AbortController().signal }

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

t.test('the old one stays when its successor dies while players have time to leave', async t => {
  const { cloud, of, restart, states } = open(t, { minOnlineService: 1, properties: { drainSeconds: 10 } }, { timing: { pause: 30_000, longestPause: 30_000 } })
  cloud.advance(2_000)
  cloud.join('lobby-1', 'Ada')
  restart()
  cloud.advance(5_000)
  cloud.crash('lobby-2')
  cloud.advance(20_000)
  t.strictSame([of('lobby-1'), of('lobby-2')], ['ONLINE', 'OFFLINE'])
  cloud.advance(20_000)
  t.ok(states.indexOf('lobby-1 STOPPING') > states.lastIndexOf('lobby-2 ONLINE'))
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
