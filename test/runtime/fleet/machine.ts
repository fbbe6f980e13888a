/**
 * A machine in virtual time: programs, a disk, ports and a network, with everything that can go wrong there. Cores are opened
 * on it one after the other; each can be killed at any step, and what it had begun by then is there for the next.
 */
import { createFleet, createLater, settle, type Awaitable, type End, type Engine, type Fleet, type Later, type LifeEvent, type LogEntry, type Manner, type Note, type Plan, type PlatformDefinition, type Running, type TextStore, type StopRequest, type Templates } from '../../../lib/runtime/fleet/index.js'
import { createAgenda } from '../../../lib/runtime/simulated/agenda.js'

/** How a program behaves, in milliseconds from its start, its stop for `stopMs`; `Infinity` is never. */
export interface Behaviour {
  readonly readyMs: number
  readonly dieMs: number
  readonly stopMs: number
}

export interface Program {
  readonly name: string
  readonly token: string
  readonly note: Note
  readonly group: string
  readonly platform: string
  readonly port: number
  readonly slots: number
  readonly startedAt: number
  /** By the clock that never goes back. */
  readonly bornAt: number
  ready: boolean
  end: End | undefined
  players: readonly string[]
  playersAt: number
  unseen: boolean
  /** Lets it end by itself; `null` is a signal. */
  die (code: number | null): void
  tell (event: LifeEvent): void
}

/** What can be wrong for a while. `slow`: a start takes 20 s; `locked`: no text can be removed, and that can be told before; `immutable`: nor can it be told; `unmovable`: no files can be put aside. */
export type Fault = 'full' | 'files' | 'definition' | 'stops' | 'slow' | 'away' | 'locked' | 'immutable' | 'unmovable'

/** What a machine tells of its cores, in the moment in which it happens. */
export interface Witness {
  starting (plan: Plan): void
  /** What became of a start. */
  begun (name: string, outcome: 'began' | 'aborted' | 'definition' | 'port' | 'machine'): void
  stopping (program: Program, request: StopRequest): void
  ended (program: Program): void
  logged (entry: LogEntry): void
  broken (what: string): void
}

export interface Core {
  alive: boolean
  fleet: Fleet | undefined
  /** Why it could not be opened. */
  failed: Error | undefined
}

export interface World {
  /** What the disk and the engine take for an answer; 0: it is there at once. */
  readonly latencyMs: number
  /** Whether the end of a program is told before whoever has stopped it hears of it. */
  readonly endedFirst: boolean
  /** How many ports the range has; 40 unless it says so. */
  readonly ports?: number
}

export const startTimeoutMs = 30_000
export const stopTimeoutMs = 5_000
export const startingMost = 2
export const pingMs = 5_000
/** Seldom: what has to be done is to be noticed when it happens, not because everything is looked at now and then. */
export const tickMs = 20_000

const definition = (name: string, ready: PlatformDefinition['ready'], type: PlatformDefinition['type'] = 'SERVER'): PlatformDefinition =>
  ({ name, type, versions: ['1'], command: name, args: [], env: {}, files: {}, ready, startTimeout: startTimeoutMs, stop: { signal: 'SIGTERM' }, stopTimeout: stopTimeoutMs })
/** `word`: the engine says when it is ready, and who is there; `mute` answers nobody. */
export const platforms = [definition('word', { engine: true }), definition('ping', { status: true }), definition('mute', { tcp: true }), definition('gate', { engine: true }, 'PROXY')]

export type Machine = ReturnType<typeof createMachine>

export function createMachine ({ latencyMs, endedFirst, ports = 40 }: World, witness: Witness) {
  const agenda = createAgenda(1_760_000_000_000)
  const groups = new Map<string, string>()
  const records = new Map<string, string>()
  const templates = new Set<string>()
  const behaviours = new Map<string, Behaviour>()
  /** By name: what runs, or what ran last. */
  const programs = new Map<string, Program>()
  const strangers = new Set<number>()
  const faults = new Map<Fault, number>()
  /** Whose files were put aside. */
  const kept: string[] = []
  let [renaming, edits, skewMs, stepsLeft] = [undefined as { name: string, newName: string } | undefined, 0, 0, Infinity]
  let core: Core = { alive: false, fleet: undefined, failed: undefined }
  let tellAway = (): void => {}

  const isAt = (fault: Fault): boolean => (faults.get(fault) ?? 0) > agenda.elapsed()
  const fail = (code: string): never => { throw Object.assign(new Error(`${code}: the machine`), { code }) }
  const readable = (): void => { if (isAt('files')) fail('EMFILE') }
  const writable = (): void => {
    readable()
    if (isAt('full')) fail('ENOSPC')
  }

  function kill (): void {
    core.alive = false
    stepsLeft = Infinity
    for (const program of programs.values()) program.tell = () => {}
  }

  let [busyAt, busy] = [0, 0]
  /** One step of a core: it may be its last. */
  function step (by: Core): boolean {
    if (by.alive && stepsLeft-- <= 0) kill()
    ;[busyAt, busy] = busyAt === agenda.elapsed() ? [busyAt, busy + 1] : [agenda.elapsed(), 0]
    if (busy > 20_000) {
      witness.broken('the core goes round in circles')
      kill()
    }
    return by.alive
  }

  /** Something that a core asks for: it happens, and then it is answered; the core may die before, between, and after. */
  function ask<T> (by: Core, effect: () => T, ms = latencyMs): Awaitable<T> {
    const later = createLater<T>()
    if (!step(by)) return later
    if (ms === 0) {
      const answer = effect()
      return step(by) ? answer : later
    }
    agenda.after(Math.floor(ms / 2), () => {
      if (!by.alive) return
      let settleIt: () => void
      try {
        const answer = effect()
        settleIt = () => { later.resolve(answer) }
      } catch (error) {
        settleIt = () => { later.reject(error) }
      }
      if (step(by)) agenda.after(Math.ceil(ms / 2), () => { if (by.alive) settleIt() })
    })
    return later
  }

  function textStoreOf (by: Core, texts: Map<string, string>, { watched }: { readonly watched: boolean }): TextStore {
    const known = new Map<string, string>()
    let seen = -1
    const read = (name: string): string | undefined => {
      const text = texts.get(name)
      if (text === undefined) known.delete(name)
      else known.set(name, text)
      return text
    }
    return {
      pathOf: name => name,
      readAll: () => ask(by, () => {
        readable()
        return new Map([...texts.keys()].map(name => [name, read(name) as string]))
      }),
      readChanged: only => ask(by, () => {
        readable()
        if (only === undefined) seen = edits
        const asked = only === undefined ? new Set([...texts.keys(), ...known.keys()]) : [only]
        return new Map([...asked].filter(name => texts.get(name) !== known.get(name)).map(name => [name, read(name)]))
      }),
      write: (name, text) => {
        const before = known.get(name)
        return ask(by, () => {
          writable()
          if (watched && texts.get(name) !== before) return false
          texts.set(name, text)
          known.set(name, text)
          return true
        })
      },
      remove: name => ask(by, () => {
        if (watched && (isAt('locked') || isAt('immutable'))) fail('EACCES')
        known.delete(name)
        texts.delete(name)
      }),
      checkRemoval: () => { if (isAt('locked')) fail('EACCES') },
      mayHaveChanged: () => seen !== edits,
      close: () => {}
    }
  }

  function templatesOf (by: Core): Templates {
    let names = [...templates]
    let revision = 1
    const changed = (change: () => void) => ask(by, () => {
      writable()
      change()
      names = [...templates].sort()
      revision++
    })
    return {
      get names () { return names },
      get revision () { return revision },
      has: name => names.includes(name),
      pathOf: name => name,
      refresh: () => ask(by, () => {
        readable()
        names = [...templates].sort()
      }),
      make: name => changed(() => { templates.add(name) }),
      rename: (from, to) => changed(() => {
        if (!templates.delete(from)) fail('ENOENT')
        templates.add(to)
      }),
      remove: name => changed(() => { templates.delete(name) }),
      note: next => ask(by, () => {
        if (next !== undefined) writable()
        renaming = next
      }),
      noted: () => ask(by, () => renaming)
    }
  }

  function begin (plan: Plan, say: (outcome: Parameters<Witness['begun']>[1]) => void): Program {
    const refuse = (outcome: 'definition' | 'port' | 'machine'): never => {
      say(outcome)
      throw Object.assign(new Error(`no start: ${outcome}`), outcome === 'machine' ? {} : { fault: outcome })
    }
    if (isAt('full') || isAt('files') || isAt('away')) refuse('machine')
    if (isAt('definition')) refuse('definition')
    const { name, token, note, port, platform } = plan
    const holder = [...programs.values()].find(other => other.end === undefined && other.port === port)
    if (strangers.has(port) || holder !== undefined) refuse('port')
    if (programs.get(name)?.end === undefined && programs.has(name)) witness.broken(`${name} is doubled`)
    const { readyMs, dieMs } = behaviours.get(plan.values['group'] as string) ?? healthy
    const timers = [
      agenda.after(dieMs, () => { program.die(1) }),
      agenda.after(readyMs, () => {
        program.ready = true
        greet(program)
      })
    ]
    const program: Program = {
      name,
      token,
      note,
      port,
      group: plan.values['group'] as string,
      platform: platform.name,
      slots: Number(plan.values['maxPlayers']),
      startedAt: agenda.now() + skewMs,
      bornAt: agenda.elapsed(),
      ready: false,
      end: undefined,
      players: [],
      playersAt: -Infinity,
      unseen: false,
      die: code => {
        if (program.end !== undefined) return
        for (const cancel of timers) cancel()
        program.end = { code, signal: code === null ? 'SIGKILL' : null }
        program.players = []
        witness.ended(program)
        const stopped = stops.get(program) ?? []
        stops.delete(program)
        const told = (): void => { program.tell({ kind: 'ended' }) }
        if (endedFirst) told()
        for (const { manner, later } of stopped) later.resolve(manner)
        if (!endedFirst) told()
      },
      tell: () => {}
    }
    programs.set(name, program)
    say('began')
    return program
  }

  const stops = new Map<Program, Array<{ readonly manner: Manner, readonly later: Later<Manner> }>>()

  function stop (by: Core, program: Program, request: StopRequest): Awaitable<Manner> {
    if (!step(by)) return createLater()
    witness.stopping(program, request)
    if (program.end !== undefined) return 'asked'
    const { stopMs } = behaviours.get(program.group) ?? healthy
    if (isAt('stops')) return ask(by, () => { throw new Error(`${program.name} does not end`) }, 500)
    const obeys = request.ask !== undefined && request.force !== true
    if (obeys) agenda.after(stopMs, () => { program.die(0) })
    const later = createLater<Manner>()
    const manner = obeys && stopMs <= request.timeout ? 'asked' : 'killed'
    stops.set(program, [...stops.get(program) ?? [], { manner, later: { ...later, resolve: value => { if (step(by)) later.resolve(value) } } }])
    agenda.after(obeys ? request.timeout + 10 : 10, () => { if (by.alive) program.die(null) })
    return later
  }

  function greet (program: Program): void {
    if (!program.ready || program.end !== undefined || (program.platform !== 'word' && program.platform !== 'gate')) return
    program.tell({ kind: 'ready' })
    program.tell({ kind: 'players', players: program.players.map(name => ({ name, uuid: uuidOf(name) })), slots: program.slots, motd: '' })
  }

  function lifeOf (by: Core, program: Program): Running {
    const { name, token, note, port, startedAt } = program
    return {
      name,
      token,
      note,
      port,
      startedAt,
      host: '127.0.0.1',
      get end () { return program.end },
      watch: listener => {
        program.tell = event => { if (by.alive) listener(event) }
        if (by.alive) agenda.after(0, () => { greet(program) })
      },
      follow: () => {},
      write: () => program.end === undefined,
      stop: request => stop(by, program, request),
      confirm: () => ask(by, () => program.end === undefined),
      release: () => { program.tell = () => {} }
    }
  }

  function engineOf (by: Core): Engine {
    return {
      host: '127.0.0.1',
      find: () => ask(by, () => {
        readable()
        return [...programs.values()].map(program => lifeOf(by, program))
      }),
      start: (plan, { signal }) => {
        const later = createLater<Running>()
        if (!step(by)) return later
        witness.starting(plan)
        const say = (outcome: Parameters<Witness['begun']>[1]): void => { witness.begun(plan.name, outcome) }
        const ms = isAt('slow') ? 20_000 : latencyMs
        if (ms === 0) {
          const life = lifeOf(by, begin(plan, say))
          return step(by) ? life : later
        }
        let waits = true
        const cancel = agenda.after(ms, () => {
          waits = false
          if (!by.alive) return
          try {
            const life = lifeOf(by, begin(plan, say))
            if (step(by)) agenda.after(latencyMs, () => { if (by.alive) later.resolve(life) })
          } catch (error) {
            later.reject(error)
          }
        })
        signal.addEventListener('abort', () => {
          if (!waits || !by.alive) return
          waits = false
          cancel()
          say('aborted')
          later.reject(signal.reason)
        }, { once: true })
        return later
      },
      discard: (name, { keep }) => ask(by, () => {
        if (keep && isAt('unmovable')) fail('EACCES')
        if (programs.get(name)?.end !== undefined) programs.delete(name)
        if (keep) kept.push(name)
        return undefined
      }),
      get away () { return isAt('away') ? { since: agenda.now(), why: 'the machine' } : undefined },
      watch: listener => { tellAway = () => { if (by.alive) listener() } }
    }
  }

  const at = (port: number): Program | undefined => strangers.has(port) ? undefined : [...programs.values()].find(one => one.port === port && one.end === undefined && one.ready)

  function open (): void {
    const by: Core = { alive: true, fleet: undefined, failed: undefined }
    const openedAt = agenda.elapsed()
    core = by
    const after = (ms: number, run: () => void) => agenda.after(ms, () => { if (by.alive) run() })
    try {
      const opened = agenda.act(() => createFleet({
        engine: engineOf(by),
        settings: settle({ log: entry => { if (by.alive) witness.logged(entry) }, ports: { from: 30_000, to: 30_000 + ports - 1 }, limits: { starting: startingMost }, timing: { tick: tickMs, ping: pingMs } }),
        clock: { now: () => agenda.now() + skewMs, elapsed: () => agenda.elapsed() - openedAt, after, soon: run => { agenda.soon(() => { if (by.alive) run() }) } },
        network: {
          ping: ({ port }) => ask(by, () => {
            const there = at(port)
            return there?.platform !== 'ping' ? undefined : { online: there.players.length, max: there.slots, sample: there.players.map(name => ({ name, uuid: uuidOf(name) })), motd: '' }
          }, 4),
          connects: ({ port }) => ask(by, () => at(port) !== undefined, 4),
          random: () => 0.5
        },
        core: { cpu: () => 1, memory: () => 64, runtime: 'Simulation' },
        platforms: { all: platforms, get: name => platforms.find(one => one.name === name), directoryOf: name => name, refresh: () => ask(by, readable) },
        templates: templatesOf(by),
        groups: textStoreOf(by, groups, { watched: true }),
        records: textStoreOf(by, records, { watched: false })
      }))
      if ('then' in opened) opened.then(fleet => { by.fleet = fleet }, (error: Error) => { by.failed = error })
      else by.fleet = opened
    } catch (error) {
      by.failed = error as Error
    }
  }

  return {
    agenda,
    groups,
    templates,
    behaviours,
    strangers,
    kept,
    open,
    kill,
    get core () { return core },
    /** The core dies after so many more steps. */
    killAfter: (steps: number): void => { stepsLeft = steps },
    isAt,
    setFault: (fault: Fault, ms: number): void => {
      faults.set(fault, agenda.elapsed() + ms)
      if (fault !== 'away') return
      agenda.act(() => { tellAway() })
      agenda.after(ms, () => { tellAway() })
    },
    /** Somebody sets the clock on the wall. */
    setClock: (ms: number): void => { skewMs += ms },
    /** Somebody writes a group's file. */
    edit: (name: string, text: string): void => {
      groups.set(name, text)
      edits++
    },
    lose: (name: string): void => {
      groups.delete(name)
      edits++
    },
    running: (): Program[] => [...programs.values()].filter(({ end }) => end === undefined),
    populate: (program: Program, players: readonly string[]): void => {
      if (players.length !== program.players.length) {
        // Whom nobody was asked about may have come and gone unseen.
        program.unseen = players.length === 0 && program.playersAt > agenda.elapsed() - 12_000
        program.playersAt = agenda.elapsed()
      }
      program.players = players
      agenda.act(() => { greet(program) })
    },
    /** Everything that was wrong is right again, and stays so. */
    heal: (): void => {
      for (const fault of faults.keys()) faults.delete(fault)
      strangers.clear()
      behaviours.clear()
      stepsLeft = Infinity
      agenda.act(() => { tellAway() })
    }
  }
}

export const healthy: Behaviour = { readyMs: 1_000, dieMs: Infinity, stopMs: 200 }

const uuidOf = (name: string): string => `00000000-0000-3000-8000-${Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)}`
