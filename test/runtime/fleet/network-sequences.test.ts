/**
 * Random sequences of everything that may become of servers and proxies: no proxy ever refuses what it is told, each knows a
 * server half a second after it came, nobody is sent to one that is being ended, and none is ended while somebody is on the way to it,
 * unless somebody asked for that or the time to leave is over. `NETWORK_SEED` repeats one, `NETWORK_RUNS` more.
 */
import fc from 'fast-check'
import t from 'tap'
import type { Engine, Running } from '../../../types/engine.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { createBungeecord } from '../../fixtures/proxies/bungeecord.js'
import { createVelocity, type Proxy } from '../../fixtures/proxies/velocity.js'
import { writers } from '../../../lib/runtime/fleet/network/writers/index.js'
import { call, group, openWorld, platform } from './network-world.js'

const seed = Number(process.env['NETWORK_SEED'] ?? 20_261_122)
const numRuns = Number(process.env['NETWORK_RUNS'] ?? 40)

/** A proxy that believes its file whole: the bundled gate, and programs that read the same. */
function createReader (text: string | undefined): Proxy {
  let servers = new Map<string, string>()
  let ways: readonly string[] = []
  const reload = (text: string | undefined): void => {
    const list = JSON.parse(text ?? '') as { servers: Array<{ name: string, host: string, port: number, fallback: boolean, parked?: boolean }> }
    servers = new Map(list.servers.map(({ name, host, port }) => [name, `${host}:${port}`]))
    ways = list.servers.filter(({ fallback, parked }) => fallback && parked !== true).map(({ name }) => name)
  }
  reload(text)
  return { get servers () { return servers }, ways: () => ways, reload }
}

const kinds = {
  velocity: { file: 'velocity.toml', own: 'bind = "0.0.0.0:25565" # mine\n', open: createVelocity, within: 500 },
  // An address goes from one name to another in two rounds.
  bungeecord: { file: 'config.yml', own: 'listeners: [{ host: "0.0.0.0:25577" }] # mine\n', open: (text: string | undefined) => createBungeecord(text, all => all.reverse()), within: 900 },
  gate: { file: 'servers.json', own: undefined, open: createReader, within: 500 }
} as const
type Kind = keyof typeof kinds

const server = fc.constantFrom('lobby-1', 'lobby-2', 'lobby-3', 'lobby-4', 'arena-1', 'arena-2')
const proxy = fc.constantFrom('velocity-1', 'bungeecord-1', 'gate-1')
const own = fc.constantFrom('lobby', 'arena')
const step = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 1500 }) }), weight: 6 },
  { arbitrary: fc.record({ kind: fc.constant('login' as const), of: fc.constantFrom('0', '1', '2', '3'), ms: fc.integer({ min: 1, max: 4000 }) }), weight: 3 },
  fc.record({ kind: fc.constantFrom('stop', 'restart', 'kill', 'crash', 'start', 'join'), of: server }),
  fc.record({ kind: fc.constantFrom('restart', 'crash'), of: proxy }),
  fc.record({ kind: fc.constantFrom('start', 'roll', 'fallback', 'less', 'more'), of: own })
)

/** Runs a sequence; throws the first thing that is wrong. */
function live (steps: ReadonlyArray<{ readonly kind: string, readonly of?: string, readonly ms?: number }>): void {
  const running = new Map<string, { readonly kind: Kind, readonly proxy: Proxy, readonly token: string }>()
  const faults: string[] = []
  /** Who is on the way to a life of a server, through `gate-1`. */
  const logins = new Set<{ readonly server: string, readonly token: string, readonly at: number, readonly over: () => void }>()
  /** Lives that somebody asked to end. */
  const asked = new Set<string>()
  const lives = new Map<string, string>()
  let drainMs = 5000
  const since = new Map<string, { readonly state: string, readonly at: number }>()
  const noting = (what: string, action: () => void): void => {
    try {
      action()
    } catch (error) {
      faults.push(`${what}: ${(error as Error).message}`)
    }
  }

  function wrap (engine: Engine): Engine {
    return {
      ...engine,
      start: (plan, options) => {
        const life = engine.start(plan, options) as Running
        const kind = plan.values['group'] as Kind
        const isProxy = Object.hasOwn(kinds, kind)
        const { write, stop, files } = life
        const text = (): string | undefined => files?.read(kinds[kind].file) as string | undefined
        lives.set(plan.name, plan.token)
        // Who was on the way through the gate that has died is so no more.
        if (kind === 'gate') for (const { over } of logins) over()
        if (isProxy) noting(`${plan.name} starts`, () => { running.set(plan.name, { kind, proxy: kinds[kind].open(text()), token: plan.token }) })
        return Object.assign(life, {
          write: (line: string) => {
            const its = running.get(plan.name)
            if (its?.token === plan.token) noting(`${plan.name} is told ${JSON.stringify(line)}`, () => { its.proxy.reload(text()) })
            return write(line)
          },
          stop: (request: Parameters<typeof stop>[0]) => {
            for (const { server, token, at } of logins) {
              const age = world.agenda.elapsed() - at
              // It is told to be parked up to half a second after the time to leave has begun.
              if (server !== plan.name || token !== plan.token || asked.has(token) || age >= drainMs - 600) continue
              faults.push(`${server} is ended while somebody has been on the way there for ${age} ms`)
            }
            for (const [name, { proxy }] of running) {
              if (isProxy || request.force === true || age(name, 'ONLINE') < 1000) continue
              if (proxy.ways().includes(plan.name)) faults.push(`${plan.name} is ended while ${name} sends players there`)
            }
            return stop(request)
          }
        })
      }
    }
  }

  const world = openWorld({
    groups: [
      group('lobby', 'game', { minOnlineService: 2, maxOnlineService: 4, properties: { fallback: true, drainSeconds: 5, idleSeconds: 1 } }),
      group('arena', 'game', { minOnlineService: 1, maxOnlineService: 2, properties: { drainSeconds: 0, forcedHosts: 'arena.example.com' } }),
      ...Object.keys(kinds).map(kind => group(kind, kind, { maxOnlineService: 1 }))
    ],
    platforms: [
      platform('game', 'SERVER'),
      ...Object.entries(kinds).map(([kind, { file, own }]) => platform(kind, 'PROXY', { network: { writer: kind }, ...(own === undefined ? {} : { files: { [file]: own } }) }))
    ],
    script: ({ name, life }) => ({ startMs: 100 + ((name.length * 37 + life * 211) % 900), stopMs: 300 }),
    wrap
  })
  const { control, force } = world.fleet.services
  world.fleet.states.watch(({ serviceName, state }) => { since.set(serviceName, { state, at: world.agenda.elapsed() }) }, { signal: new AbortController().signal })
  /** For how long a service has been in a state. */
  function age (name: string, state: string): number {
    const last = since.get(name)
    return last?.state === state ? world.agenda.elapsed() - last.at : -1
  }

  /** Somebody joins through the gate, which takes a while. */
  function logIn (which: number, ms: number): void {
    const gate = running.get('gate-1')
    const ways = gate?.proxy.ways() ?? []
    const server = ways[which % ways.length]
    const token = lives.get(server ?? '')
    if (server === undefined || token === undefined || world.state('gate-1') !== 'ONLINE' || world.state(server) !== 'ONLINE') return
    const lead = (): void => { world.gates.lead('gate-1', server, [...logins].filter(login => login.server === server).length) }
    const login = {
      server,
      token,
      at: world.agenda.elapsed(),
      over: () => {
        logins.delete(login)
        lead()
      }
    }
    logins.add(login)
    lead()
    world.agenda.after(ms, () => {
      if (!logins.has(login)) return
      if (lives.get(server) === token && world.state(server) === 'ONLINE') {
        world.engine.join(server, `Slow${login.at}`)
        world.agenda.after(ms, () => { world.engine.leave(`Slow${login.at}`) })
      }
      login.over()
    })
  }
  const ends = (act: (of: string) => unknown) => (of: string): unknown => {
    asked.add(lives.get(of) ?? '')
    return act(of)
  }

  const acts: Record<string, (of: string) => unknown> = {
    stop: ends(of => control.stop(of, call)),
    restart: ends(of => control.restart(of, call)),
    kill: ends(of => force.kill(of, call)),
    crash: of => { if (world.service(of) !== undefined) world.engine.crash(of) },
    start: of => control.start(of, call),
    join: of => { if (world.state(of) === 'ONLINE') world.engine.join(of, 'Steve') },
    roll: of => world.fleet.groups.restarts.restart(of, call),
    fallback: of => {
      drainMs = 3000
      return world.fleet.groups.control.edit(of, { properties: { drainSeconds: 3, idleSeconds: 1, fallback: world.agenda.elapsed() % 2 === 0 } }, call)
    },
    less: of => world.fleet.groups.control.edit(of, { minOnlineService: 1 }, call),
    more: of => world.fleet.groups.control.edit(of, { minOnlineService: 2 }, call)
  }

  /** When the players of a group were last to leave. */
  const rolled = new Map<string, number>()

  /** When it was last found that a service is not needed: for as long as it is asked whether somebody is on it, nobody is sent there. */
  const idle = new Map<string, number>()
  let read = 0

  function check (): void {
    for (; read < world.log.length; read++) {
      const name = /(\S+) has been empty for 1 s/.exec(world.log[read]?.message ?? '')?.[1]
      if (name !== undefined) idle.set(name, world.agenda.elapsed())
    }
    for (const group of ['lobby', 'arena']) if (world.fleet.groups.restarts.progressOf(group, call) !== undefined) rolled.set(group, world.agenda.elapsed())
    if (faults[0] !== undefined) throw new Error(faults[0])
    const services = world.fleet.services.list(call) as readonly RuntimeService[]
    for (const [name, { kind, proxy }] of running) {
      const { within } = kinds[kind]
      if (age(name, 'ONLINE') < within) continue
      for (const { name: one, port, type, groupName } of services) {
        if (world.agenda.elapsed() - (idle.get(one) ?? -Infinity) < 10_000) continue
        if (type !== 'SERVER' || world.agenda.elapsed() - (rolled.get(groupName) ?? -within) < within) continue
        if (age(one, 'ONLINE') >= within && proxy.servers.get(one) !== `127.0.0.1:${port}`) {
          throw new Error(`${name} takes ${one} to be at ${proxy.servers.get(one)}, and it is at port ${port} since ${age(one, 'ONLINE')} ms`)
        }
        if (world.state(one) !== 'ONLINE' && age(one, world.state(one) as string) >= within && proxy.ways().includes(one)) throw new Error(`${name} sends players to ${one}, which is ${world.state(one)}`)
      }
    }
  }

  world.advance(2500)
  for (const { kind, of = '', ms = 0 } of steps) {
    if (kind === 'wait') {
      for (let left = ms; left > 0; left -= 50) {
        world.advance(Math.min(50, left))
        check()
      }
    } else {
      check()
      if (kind === 'login') logIn(Number(of), ms)
      else world.act(() => acts[kind]?.(of))
    }
    check()
  }
  for (let left = 10_000; left > 0; left -= 100) {
    world.advance(100)
    check()
  }
}

// On a virtual clock nothing may take a turn of the event loop.
await Promise.all([writers.velocity, writers.bungeecord].map(async writer => { await writer.load?.() }))

t.test(`whatever becomes of servers and proxies, NETWORK_SEED=${seed}`, async t => {
  fc.assert(fc.property(fc.array(step, { minLength: 20, maxLength: 120 }), live), { seed, numRuns })
  t.pass(`${numRuns} sequences`)
})
