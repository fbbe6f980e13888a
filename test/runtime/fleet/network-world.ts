/** A cloud on a virtual clock, with proxies that are told of their servers. */
import { createFleet, settle, type Fleet, type LogEntry, type PlatformDefinition } from '../../../lib/runtime/fleet/index.js'
import { readDefinition } from '../../../lib/runtime/fleet/content/platform-definition.js'
import { createAgenda } from '../../../lib/runtime/simulated/agenda.js'
import { createSimulatedEngine } from '../../../lib/runtime/simulated/engine.js'
import { createMemoryTemplates, createMemoryTextStore } from '../../../lib/runtime/simulated/stores.js'
import type { SimulatedOptions } from '../../../lib/runtime/simulated/index.js'
import type { Engine, Files, Running } from '../../../types/engine.js'
import type { Group } from '../../../types/resources.js'
import type { CallOptions, RuntimeService } from '../../../types/runtime.js'

export const call: CallOptions = { signal: new AbortController().signal }

export const group = (name: string, platform: string, changes: Partial<Group> = {}): Group => ({
  name,
  minMemory: 1,
  maxMemory: 1,
  minOnlineService: 1,
  maxOnlineService: 10,
  platform: { name: platform, version: '1' },
  percentageToStartNewService: 0,
  properties: {},
  templates: [],
  createdAt: 1,
  ...changes
})

/** A platform of the engine's own kind, which says itself when it is ready. */
export function platform (name: string, type: 'SERVER' | 'PROXY', changes: object = {}): PlatformDefinition {
  const read = readDefinition(name, JSON.stringify({ name, type, versions: ['1'], command: name, ready: { tcp: true }, ...changes }))
  if (Array.isArray(read)) throw new Error(JSON.stringify(read))
  return { ...read as PlatformDefinition, ready: { engine: true }, startTimeout: Infinity }
}

export interface WorldOptions {
  readonly groups: readonly Group[]
  /** `network` of the proxies. */
  readonly network?: object
  readonly platforms?: readonly PlatformDefinition[]
  readonly script?: SimulatedOptions['script']
  /** How late every timer is, in milliseconds, as those of a real machine are. */
  readonly late?: number
  /** False: its gates are of an older cloud, and do not say who is on the way to a server that is parked. */
  readonly says?: boolean
  /** Changes the engine. */
  wrap? (engine: Engine): Engine
}

export function openWorld ({ groups, network = { writer: 'gate' }, platforms, script = () => ({}), late = 0, says = true, wrap = engine => engine }: WorldOptions) {
  const agenda = createAgenda(1_760_000_000_000)
  const engine = createSimulatedEngine(agenda, script)
  const gates = createGates()
  const all = platforms ?? [platform('game', 'SERVER'), platform('proxy', 'PROXY', { network })]
  const store = createMemoryTextStore()
  for (const one of groups) store.write(one.name, JSON.stringify(one))
  const log: LogEntry[] = []
  const fleet = agenda.act(() => createFleet({
    engine: wrap(says ? gates.wrap(engine) : engine),
    settings: { ...settle({ log: entry => { log.push(entry) } }), limits: { starting: Infinity, pings: 50, quickDeaths: Infinity } },
    clock: { ...agenda, after: (ms, run, options) => agenda.after(ms + late, run, options) },
    network: { ping: () => undefined, connects: () => false, random: () => 0.5 },
    core: { cpu: () => 1, memory: () => 64, runtime: 'Simulation' },
    platforms: { all, get: name => all.find(one => one.name === name), directoryOf: name => name, refresh: () => {} },
    templates: createMemoryTemplates([]),
    groups: store,
    records: createMemoryTextStore(),
    secrets: { 'secret:forwarding': 'the secret of this cloud' }
  })) as Fleet

  return {
    agenda,
    engine,
    fleet,
    log,
    gates,
    advance: agenda.advance,
    act: agenda.act,
    state: (name: string) => (fleet.services.list(call) as readonly RuntimeService[]).find(one => one.name === name)?.state,
    service: (name: string) => (fleet.services.list(call) as readonly RuntimeService[]).find(one => one.name === name),
    file: (name: string, path = 'servers.json') => engine.file(name, path) ?? '',
    /** The list of a gate. */
    list: (name: string): Array<{ name: string, port: number, players: number, parked?: boolean, keeps?: boolean, held?: boolean, asked?: boolean, due?: boolean }> => JSON.parse(engine.file(name, 'servers.json') ?? '{ "servers": [] }').servers,
    names: (name: string): string[] => JSON.parse(engine.file(name, 'servers.json') ?? '{ "servers": [] }').servers
      .map(({ name, parked }: { name: string, parked?: boolean }) => parked === true ? `${name} parked` : name),
    commands: (name: string) => engine.commands(name),
    reason: (name: string) => fleet.groups.reasons?.of(name, call) as string
  }
}

/** What gates say of those who are on the way to a server that is parked. */
function createGates () {
  const files = new Map<string, Files>()
  /** By gate, then by server. */
  const leading = new Map<string, Map<string, number>>()
  const hanging = new Set<string>()

  function follow (gate: string): void {
    const its = files.get(gate)
    const list = its?.read('servers.json') as string | undefined
    if (its === undefined || list === undefined || hanging.has(gate)) return
    const { servers } = JSON.parse(list) as { servers: Array<{ name: string, parked?: boolean, keeps?: boolean }> }
    const parked = servers.filter(({ parked, keeps }) => parked === true && keeps !== true).map(({ name }) => [name, leading.get(gate)?.get(name) ?? 0])
    its.write('parked.json', JSON.stringify({ version: 1, parked: Object.fromEntries(parked) }))
  }

  return {
    wrap: (engine: Engine): Engine => ({
      ...engine,
      start: (plan, options) => {
        const life = engine.start(plan, options) as Running
        const { write } = life
        if (life.files !== undefined) files.set(plan.name, life.files)
        return Object.assign(life, {
          write: (line: string) => {
            if (line === 'reload') follow(plan.name)
            return write(line)
          }
        })
      }
    }),
    /** So many connections of a gate lead to a server from now on. */
    lead: (gate: string, server: string, count: number): void => {
      leading.set(gate, (leading.get(gate) ?? new Map<string, number>()).set(server, count))
      follow(gate)
    },
    /** It follows its list no more, until it does again. */
    hang: (gate: string, hangs: boolean): void => {
      if (hangs) hanging.add(gate)
      else hanging.delete(gate)
      follow(gate)
    }
  }
}
