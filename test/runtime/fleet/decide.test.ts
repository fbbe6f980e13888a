import t from 'tap'
import fc from 'fast-check'
import { decide, type ScalingInput, type ScalingService } from '../../../lib/runtime/fleet/groups/decide.js'
import { judgeDeath, NO_DEATHS } from '../../../lib/runtime/fleet/services/back-off.js'

t.setTimeout(600_000)

const now = 1_000_000

function service (index: number, changes: Partial<ScalingService> = {}): ScalingService {
  return { name: `g-${index}`, index, state: 'ONLINE', wanted: true, restart: false, placed: false, restReason: undefined, assumed: undefined, players: 0, slots: 10, emptySince: undefined, retryAt: 0, ...changes }
}

function input (services: ScalingService[], group: Partial<ScalingInput['group']> = {}, startsLeft = 4): ScalingInput {
  return { now, startsLeft, services, group: { min: 1, max: 4, percentage: 50, scalesByPlayers: true, pinned: false, patience: 10_000, idle: 180_000, drain: 300_000, ...group } }
}

function act (given: ScalingInput) {
  const { start, add, stop, restart } = decide(given)
  return { start, add, stop, restart }
}

const quiet = { start: [], add: 0, stop: [], restart: [] }

t.test('a group is brought up to its minimum, as far as services may be STARTING', async (t) => {
  t.match(decide(input([], { min: 3 })), { start: [], add: 3, stop: [], reason: '0 of at least 3 services: 3 more' })
  t.same(act(input([], { min: 3 }, 2)), { ...quiet, add: 2 })
  t.match(decide(input([], { min: 3 }, 0)), { ...quiet, reason: 'waits: as many services as allowed are STARTING' })
  t.same(act(input([service(1)])), quiet)
  t.same(act(input([service(1, { wanted: false, state: 'OFFLINE' })])), { ...quiet, add: 1 }, 'a stopped one does not count')
  t.same(act(input([service(1, { wanted: false, state: 'STOPPING' })], { max: 1 })), quiet, 'while one is stopping, its place is taken')
})

t.test('a service that died is started again when its pause is over, and keeps its place until then', async (t) => {
  t.match(decide(input([service(1, { state: 'OFFLINE', retryAt: now })])), { start: ['g-1'], add: 0, stop: [], reason: 'the pause of g-1 is over' })
  t.match(decide(input([service(1, { state: 'OFFLINE', retryAt: now + 1 })])), { ...quiet, reason: 'g-1 rests after dying' })
})

t.test('one more starts when all are ONLINE and players reach the percentage of the slots', async (t) => {
  t.match(decide(input([service(1, { players: 5 })])), { start: [], add: 1, stop: [], reason: '5 players on 10 slots reach 50 %: one more' })
  t.same(act(input([service(1, { players: 4 })])), quiet)
  t.same(act(input([service(1, { players: 10 }), service(2, { state: 'STARTING', players: undefined, slots: 0 })])), quiet)
  t.same(act(input([service(1, { players: 10 })], { percentage: 0 })), quiet)
  t.same(act(input([service(1, { players: 10 })], { scalesByPlayers: false })), quiet, 'proxies do not scale by players')
  t.match(decide(input([service(1, { players: 10 })], { max: 1 })), { ...quiet, reason: /1 service is the most/ })
  t.same(act(input([service(1, { players: undefined, slots: 0 })])), quiet, 'nothing is known, nothing is done')
})

t.test('a surplus service that has been empty for long is stopped, the one with the highest number first', async (t) => {
  const empty = { emptySince: now - 180_000 }
  t.match(decide(input([service(1, empty), service(2, empty)])), { start: [], add: 0, stop: ['g-2'], reason: 'g-2 has been empty for 180 s and is not needed' })
  t.same(act(input([service(1, empty), service(2, { emptySince: now - 179_999 })])), quiet, 'the last one is waited for, which will have been')
  t.same(act(input([service(1, empty), service(2, { players: 1 })], { percentage: 0 })), { ...quiet, stop: ['g-1'] })
  t.same(act(input([service(1, empty), service(2, { players: 1 })], { percentage: 0, pinned: true })), quiet, 'the first of a group in which none can stand for another stays')
  t.same(act(input([service(1, empty)])), quiet, 'not below the minimum')
  t.same(act(input([service(1, { players: 5 }), service(2, empty)])), quiet, 'not when the others would be full without it')
  t.same(act(input([service(1), service(2, { players: undefined, emptySince: undefined })])), quiet, 'not when nobody knows')
})

t.test('a lowered maximum stops empty services at once and lets occupied ones drain', async (t) => {
  t.match(decide(input([service(1, { players: 3 }), service(2), service(3, { players: 1 }), service(4, { state: 'STARTING', players: undefined })], { max: 1 })),
    { start: [], add: 0, stop: ['g-4', 'g-2'], reason: '4 of at most 1 services: g-4, g-2 go, 1 more when empty' })
})

t.test('above a lowered maximum the last ones go, and one with a lower number only when it has been empty for a moment and they have players', async (t) => {
  const since = { surplusSince: now }
  t.same(act(input([service(1, { emptySince: now - 60_000 }), service(2, { players: 1 })], { max: 1, ...since })), quiet)
  t.match(decide(input([service(1, { emptySince: now - 60_000 }), service(2, { players: 1 })], { max: 1, ...since })), { again: now + 10_000, reason: '2 of at most 1 services: 1 more when empty' })
  t.same(act(input([service(1, { emptySince: now - 60_000 }), service(2, { players: 1 })], { max: 1, surplusSince: now - 10_000 })), { ...quiet, stop: ['g-1'] })
  t.same(act(input([service(1, { emptySince: now - 60_000 }), service(2, { players: 1 })], { max: 1, surplusSince: now - 10_000, pinned: true })), quiet)
  t.same(act(input([service(1, { emptySince: now }), service(2, { emptySince: now })], { max: 1, ...since })), { ...quiet, stop: ['g-2'] })
})

t.test('above a lowered maximum of a group in which none can stand for another the first ones stay, and are waited for, but not for ever', async (t) => {
  const resting = service(1, { state: 'OFFLINE', players: undefined, retryAt: now + 5_000 })
  t.same(act(input([resting, service(2), service(3)], { max: 1 })), { ...quiet, stop: ['g-1', 'g-3'] }, 'any other group keeps what is there')
  t.match(decide(input([resting, service(2), service(3)], { max: 1, pinned: true, surplusSince: now })), { ...quiet, stop: ['g-3'], again: now + 300_000, reason: '3 of at most 1 services: g-3 goes, g-2 when g-1 is ONLINE' })
  t.same(act(input([resting, service(2)], { max: 1, pinned: true, surplusSince: now - 300_000, awaySince: now - 300_000 })), { ...quiet, stop: ['g-2'] })
  t.same(act(input([resting, service(2)], { max: 1, pinned: true, surplusSince: now - 300_000, awaySince: now - 1 })), quiet, 'the time begins when the first one is away')
})

t.test('of a group in which none can stand for another what stays is started again at once, whoever is on what goes', async (t) => {
  const [dead, full] = [{ state: 'OFFLINE', players: undefined } as const, { players: 3 }]
  t.match(decide(input([service(1, dead), service(2, full)], { max: 1, pinned: true })), { ...quiet, start: ['g-1'], reason: '2 of at most 1 services: g-2 when g-1 is ONLINE; g-1 is started again' })
  t.same(act(input([service(1, dead), service(2, full), service(3, full)], { max: 2, pinned: true })), { ...quiet, start: ['g-1'] })
  t.same(act(input([service(1, dead), service(2, full)], { min: 0, max: 1, pinned: true })), { ...quiet, start: ['g-1'] }, 'also where none is needed')
  t.match(decide(input([service(1, { ...dead, retryAt: now + 5_000 }), service(2, full)], { max: 1, pinned: true })),
    { ...quiet, again: now + 5_000, reason: '2 of at most 1 services: g-2 when g-1 is ONLINE; g-1 rests after dying' }, 'when its pause is over')
  t.match(decide(input([service(1, dead), service(2, full)], { max: 1, pinned: true }, 0)), { ...quiet, waits: true }, 'when it may be STARTING')
  t.same(act(input([service(1, dead), service(2, full)], { max: 1, pinned: true, halted: 'halted' })), quiet)
  t.same(act(input([service(1), service(2, { ...dead, retryAt: now + 1 }), service(3, full)], { max: 1, pinned: true })), { ...quiet, stop: ['g-2'] }, 'what goes is not')
})

t.test('the minimum of a group in which none can stand for another is made up of its first numbers', async (t) => {
  const full = { players: 3 }
  t.match(decide(input([service(2, full)], { max: 1, pinned: true, vacant: [1] })), { ...quiet, add: 1, reason: 'its first numbers are missing: 1 more' })
  t.match(decide(input([service(2, full), service(3, full)], { max: 1, pinned: true, vacant: [1] })), { ...quiet, add: 1, reason: '2 of at most 1 services: 1 more when empty; its first numbers are missing: 1 more' })
  t.same(act(input([service(2, full), service(4, full)], { min: 3, pinned: true, vacant: [1, 3] })), { ...quiet, add: 2 })
  t.same(act(input([service(1, full), service(3, full)], { min: 1, max: 2, pinned: true, vacant: [2] })), quiet, 'the first one is there')
  t.same(act(input([service(2, full)], { min: 0, max: 1, pinned: true, vacant: [] })), quiet, 'none is needed')
  t.same(act(input([service(1, { wanted: false, state: 'STOPPING' }), service(2, full)], { max: 1, pinned: true })), quiet, 'none is started beside one that is STOPPING')
  t.same(act(input([service(2, full)], { max: 1 })), quiet, 'any other group has what it needs')
})

t.test('of a group in which none can stand for another the next one is there for a first one that does not start any more', async (t) => {
  const paused = service(1, { state: 'OFFLINE', players: undefined, retryAt: Infinity, restReason: 'died 5 times in a row' })
  t.match(decide(input([paused, service(2)], { max: 1, pinned: true })), { ...quiet, reason: 'paused: g-1 died 5 times in a row' })
  t.same(act(input([paused, service(2), service(3)], { max: 1, pinned: true })), { ...quiet, stop: ['g-3'] })
  t.same(act(input([service(1), { ...paused, name: 'g-2', index: 2 }], { max: 1, pinned: true })), { ...quiet, stop: ['g-2'] }, 'not for one that would have no place')
  t.same(act(input([{ ...paused, retryAt: 0 }, service(2)], { max: 1, pinned: true, surplusSince: now })), { ...quiet, start: ['g-1'] }, 'until somebody has looked at it')
})

t.test('a halted group starts nothing, and says why', async (t) => {
  t.match(decide(input([], { halted: 'paused: it died' })), { ...quiet, reason: 'paused: it died' })
})

const state = fc.constantFrom('ONLINE', 'OFFLINE', 'STARTING', 'STOPPING')
const anyService = fc.record({
  state, wanted: fc.boolean(), players: fc.option(fc.nat(20), { nil: undefined }), slots: fc.nat(20), emptyFor: fc.option(fc.nat(400_000), { nil: undefined }), retry: fc.integer({ min: -5, max: 5 })
})
const anyInput = fc.record({
  services: fc.array(anyService, { maxLength: 8 }),
  min: fc.nat(5),
  more: fc.nat(5),
  percentage: fc.nat(100),
  scalesByPlayers: fc.boolean(),
  halted: fc.option(fc.constant('halted'), { nil: undefined }),
  startsLeft: fc.nat(4),
  pinned: fc.boolean()
}).map(({ services, min, more, percentage, scalesByPlayers, halted, startsLeft, pinned }) => input(
  services.map(({ state, wanted, players, slots, emptyFor, retry }, at) => service(at + 1, {
    // A service that is not wanted is on its way out.
    state: wanted || state === 'OFFLINE' ? state : 'STOPPING',
    wanted,
    players,
    slots,
    emptySince: players === 0 && emptyFor !== undefined ? now - emptyFor : undefined,
    retryAt: now + retry
  })),
  { min, max: min + more, percentage, scalesByPlayers, pinned, vacant: pinned ? services.flatMap(({ state, wanted }, at) => !wanted && state === 'OFFLINE' ? [at + 1] : []) : [], ...(halted === undefined ? {} : { halted }) },
  startsLeft))

function property (name: string, check: (given: ScalingInput, decision: ReturnType<typeof decide>) => boolean) {
  t.test(name, async () => fc.assert(fc.property(anyInput, (given) => check(given, decide(given))), { numRuns: 2000 }))
}

const wantedOf = (given: ScalingInput) => given.services.filter(({ wanted }) => wanted)

property('never above the maximum, what is still stopping included, but for the first numbers where none can stand for another', (given, { add }) => add === 0 || given.group.pinned ||
  wantedOf(given).length + given.services.filter(({ wanted, state }) => !wanted && state !== 'OFFLINE').length + add <= given.group.max)

property('never more starts than allowed', (given, { add, start }) => add >= 0 && add + start.length <= given.startsLeft)

property('never below the minimum by its own doing', (given, { stop }) => stop.length === 0 || wantedOf(given).length - stop.length >= given.group.min)

property('never stops a service with players, or one of which nobody knows, unless it is not ONLINE', (given, { stop }) =>
  given.services.every((one) => !stop.includes(one.name) || one.state !== 'ONLINE' || one.players === 0))

property('a halted group starts nothing', (given, { add, start }) => given.group.halted === undefined || (add === 0 && start.length === 0))

property('starts only what rests and is due, and stops only what is wanted', (given, { start, stop }) => given.services.every((one) =>
  (!start.includes(one.name) || (one.wanted && one.state === 'OFFLINE' && one.retryAt <= now)) && (!stop.includes(one.name) || one.wanted)))

property('every decision has a reason', (given, { reason }) => reason.length > 0)

t.test('more players never mean fewer services', async () => fc.assert(fc.property(anyInput, fc.nat(7), fc.integer({ min: 1, max: 10 }), (given, at, more) => {
  const fuller = {
    ...given,
    services: given.services.map((one, index) => index !== at || one.players === undefined ? one : { ...one, players: one.players + more, emptySince: undefined })
  }
  const balance = ({ add, stop }: ReturnType<typeof decide>) => add - stop.length
  return balance(decide(fuller)) >= balance(decide(given))
}), { numRuns: 2000 }))

t.test('a day of players coming and going ends as it began, and no service comes and goes without need', async (t) => {
  let services: ScalingService[] = []
  let next = 0
  let changes = 0
  let most = 0
  for (let second = 0; second < 86_400; second++) {
    const at = second * 1000
    const players = Math.round(60 * Math.max(0, Math.sin((second - 21_600) / 43_200 * Math.PI)))
    let left = players
    services = services.map((one) => {
      const here = Math.min(10, left)
      left -= here
      return { ...one, state: 'ONLINE' as const, players: here, emptySince: here > 0 ? undefined : one.emptySince ?? at }
    })
    const { add, start, stop } = decide({ ...input(services, { min: 1, max: 12, percentage: 80 }), now: at })
    changes += add + start.length + stop.length
    services = services.filter(({ name }) => !stop.includes(name))
    for (let count = 0; count < add; count++) services.push(service(++next, { state: 'STARTING', players: undefined, slots: 10 }))
    most = Math.max(most, services.length)
    if (services.length > 12 || (second > 0 && services.length < 1)) t.fail(`${services.length} services at ${second}`)
  }
  t.equal(services.length, 1)
  t.equal(most, 8, '60 players at 80 % of 10 slots')
  t.equal(changes, 1 + 7 + 7, 'each of them came once and went once')
})

const timing = { pause: 1000, longestPause: 60_000, quick: 10_000, forget: 600_000 } as Parameters<typeof judgeDeath>[2]

t.test('pauses after deaths double from one second to sixty; five quick deaths in a row are hopeless; ten good minutes forget all (case 96)', async (t) => {
  let deaths = NO_DEATHS
  const pauses: number[] = []
  for (let count = 0; count < 8; count++) {
    const verdict = judgeDeath(deaths, 20_000, timing, { quickDeaths: 5 })
    deaths = verdict.deaths
    pauses.push(verdict.pause)
    t.equal(verdict.hopeless, false, 'slow deaths are never hopeless')
  }
  t.same(pauses, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000])
  t.equal(judgeDeath(deaths, 600_000, timing, { quickDeaths: 5 }).pause, 1000)
  let quick = NO_DEATHS
  const hopeless: boolean[] = []
  for (const onlineFor of [undefined, 10_000, undefined, 10_001, undefined, 0, undefined, undefined, undefined]) {
    const verdict = judgeDeath(quick, onlineFor, timing, { quickDeaths: 5 })
    quick = verdict.deaths
    hopeless.push(verdict.hopeless)
  }
  t.same(hopeless, [false, false, false, false, false, false, false, false, true])
})
