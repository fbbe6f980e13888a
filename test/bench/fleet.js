/**
 * What deciding costs: a thousand groups of ten services in virtual time, on an engine that does nothing, so that nothing is
 * measured but the fleet. Run by hand after a build: `node test/bench/fleet.js`. Exits 1 when a figure misses its goal by
 * more than a tenth.
 */
import { median } from './figures.js'

const dist = new URL('../../dist/lib/runtime/', import.meta.url)
const { createFleet, settle } = await import(new URL('fleet/index.js', dist))
const { createAgenda } = await import(new URL('simulated/agenda.js', dist))
const { createMemoryPlatforms, createMemoryTextStore, createMemoryTemplates } = await import(new URL('simulated/stores.js', dist))

const [groups, services, rounds, seconds] = [Number(process.argv[2] ?? 1000), 10, 9, 20]
const names = Array.from({ length: groups * services }, (_, at) => `g${Math.floor(at / services)}-${at % services + 1}`)

const agenda = createAgenda(1_760_000_000_000)
/** By name: what the engine can tell of a service. */
const lives = new Map()
const engine = {
  host: '127.0.0.1',
  find: () => [],
  start: ({ name, token, note, port }) => {
    const life = {
      name,
      token,
      note,
      port,
      host: '127.0.0.1',
      startedAt: agenda.now(),
      end: undefined,
      tell: () => {},
      watch: listener => { life.tell = listener },
      follow: () => {},
      write: () => true,
      stop: () => 'asked',
      release: () => {}
    }
    lives.set(name, life)
    agenda.after(1000, () => { life.tell({ kind: 'ready' }) })
    agenda.after(1000, () => { populate(name, 0) })
    return life
  },
  discard: () => undefined
}
const players = Array.from({ length: 8 }, (_, at) => ({ name: `p${at}`, uuid: `00000000-0000-3000-8000-00000000000${at}` }))
const populate = (name, count) => { lives.get(name).tell({ kind: 'players', players: players.slice(0, count), slots: 20, motd: '' }) }
const store = createMemoryTextStore()
for (let at = 0; at < groups; at++) {
  store.write(`g${at}`, JSON.stringify({
    name: `g${at}`,
    minMemory: 1,
    maxMemory: 1,
    minOnlineService: services - 1,
    maxOnlineService: services,
    platform: { name: 'limbo', version: 'latest' },
    percentageToStartNewService: 80,
    properties: {},
    templates: [],
    createdAt: 1
  }))
}
const settings = settle({ ports: { from: 10_000, to: 40_000 }, limits: { starting: groups * services } })
const fleet = agenda.act(() => createFleet({
  engine,
  settings,
  clock: agenda,
  network: { ping: () => undefined, connects: () => false, random: () => 0.5 },
  core: { cpu: () => 0, memory: () => 0, runtime: 'Simulation' },
  platforms: createMemoryPlatforms([{ name: 'limbo', type: 'SERVER', versions: [{ version: 'latest' }] }]),
  templates: createMemoryTemplates([]),
  groups: store,
  records: createMemoryTextStore()
}))
for (let at = 0; at < groups; at++) agenda.act(() => fleet.services.control.start(`g${at}`, {}))
agenda.advance(5_000)
const online = fleet.services.list({}).filter(({ state }) => state === 'ONLINE').length
if (online !== names.length) throw new Error(`${online} of ${names.length} services are ONLINE`)

/** Percent of one core, as the CPU that a virtual second takes. `happen` is what happens in each. */
function cost (happen) {
  return Array.from({ length: rounds }, () => {
    const before = process.cpuUsage()
    for (let second = 0; second < seconds; second++) {
      happen(second)
      agenda.advance(1000)
    }
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / (seconds * 1000) * 100
  })
}

let at = 0
const next = () => {
  at = (at + 7919) % names.length
  return names[at]
}
const rows = [
  ['nothing happens', cost(() => {})],
  ['players come to 100 services and leave 100 in a second, and 2,000 tell what they use', cost(second => {
    agenda.act(() => { for (let count = 0; count < 200; count++) populate(next(), count % 2 === 0 ? 0 : 1 + second % 8) })
    for (let one = second % 5; one < names.length; one += 5) lives.get(names[one]).tell({ kind: 'usage', cpu: second, memory: 100 })
  })],
  ['10 services die in a second', cost(() => {
    for (let count = 0; count < 10; count++) {
      const life = lives.get(next())
      life.end = { code: 1, signal: null }
      agenda.act(() => { life.tell({ kind: 'ended' }) })
    }
  })]
]
console.log(`${groups} groups of ${services} services`)
for (const [what, values] of rows) {
  const missed = median(values) > 2 * 1.1
  if (missed) process.exitCode = 1
  console.log(`  ${what}: ${median(values).toFixed(2)} % of one core (${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}), goal < 2 %${missed ? ' MISSED' : ''}`)
}
