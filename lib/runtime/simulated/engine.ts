/** Services that are nothing but a script: they start, print, are joined, die and are stopped in virtual time. */
import type { Awaitable, Chunk, Engine, Files, FollowOptions, LifeEvent, Manner, OnlinePlayer, Plan, Running, StartOptions } from '../../../types/engine.js'
import { createLater, fillPlan, run, wait, type Later } from '../fleet/index.js'
import type { Agenda } from './agenda.js'
import { STOP_FAILS_MS, type Behaviour, type SimulatedOptions } from './options.js'

export interface SimulatedEngine extends Engine {
  /** The services that have a process. */
  running (): readonly string[]
  /** Changes how a service behaves for the rest of this life. */
  behave (name: string, behaviour: Behaviour): void
  crash (name: string): void
  join (service: string, player: string): OnlinePlayer
  leave (player: string): void
  print (service: string, line: string): void
  /** The lines that a service was given, oldest first. */
  commands (service: string): readonly string[]
  /** The text of a file in the directory of a service. */
  file (service: string, path: string): string | undefined
}

/** What stays of a service from life to life. */
interface Place {
  lives: number
  readonly commands: string[]
  readonly printed: Buffer[]
  /** Texts by their path. */
  readonly files: Map<string, string>
  readonly followers: Set<{ readonly tell: (chunk: Chunk) => void, readonly options: FollowOptions }>
}

interface Life extends Running {
  behaviour: Behaviour
  players: readonly OnlinePlayer[]
  tellPlayers (): void
  use (): void
  die (signal: string | null): void
}

export function createSimulatedEngine (agenda: Agenda, script: NonNullable<SimulatedOptions['script']>): SimulatedEngine {
  const places = new Map<string, Place>()
  const lives = new Map<string, Life>()
  const uuids = new Map<string, string>()

  function placeOf (name: string): Place {
    const known = places.get(name)
    if (known !== undefined) return known
    const place: Place = { lives: 0, commands: [], printed: [], files: new Map(), followers: new Set() }
    places.set(name, place)
    return place
  }

  function leave (name: string): void {
    for (const life of lives.values()) {
      if (!life.players.some(player => player.name === name)) continue
      life.players = life.players.filter(player => player.name !== name)
      life.tellPlayers()
    }
  }

  function join (service: string, name: string): OnlinePlayer {
    leave(name)
    const uuid = uuids.get(name) ?? `00000000-0000-3000-8000-${String(uuids.size + 1).padStart(12, '0')}`
    uuids.set(name, uuid)
    const life = lives.get(service)
    if (life !== undefined) {
      life.players = [...life.players, { name, uuid }]
      life.tellPlayers()
    }
    return { name, uuid }
  }

  function start (plan: Plan, { arrange }: Pick<StartOptions, 'arrange'>): Awaitable<Life> {
    const place = placeOf(plan.name)
    const { name, token, note, port, host = '127.0.0.1', memory } = plan
    if (!plan.keep) place.files.clear()
    const { files } = fillPlan(plan, { host, port: String(port), directory: name, platformDirectory: plan.platform.directory })
    for (const [path, text] of Object.entries(files)) place.files.set(path, text)
    return run(function * () {
      yield * wait(arrange?.(filesOf(place)))
      const life = createLife({ name, token, note, port, host }, place, script({ name, group: plan.values['group'] ?? '', life: ++place.lives }), memory.min)
      lives.set(name, life)
      return life
    }())
  }

  function createLife (plan: Pick<Running, 'name' | 'token' | 'note' | 'port' | 'host'>, place: Place, behaviour: Behaviour, minMemory: number): Life {
    const { name } = plan
    let tell: (event: LifeEvent) => void = () => {}
    // What is still to come in this life.
    let coming: Array<() => void> = []
    let stopping: Later<Manner> | undefined
    let asked = false
    let isReady = false
    const begun = place.printed.length

    const later = (ms: number, run: () => void): void => { coming.push(agenda.after(ms, run)) }
    const cancel = (): void => {
      for (const one of coming) one()
      coming = []
    }

    function goOnline (): void {
      isReady = true
      tell({ kind: 'ready' })
      for (const { player, joinMs, leaveMs = Infinity } of life.behaviour.visits ?? []) {
        later(joinMs, () => { join(name, player) })
        later(leaveMs, () => { leave(player) })
      }
    }

    const life: Life = {
      ...plan,
      startedAt: agenda.now(),
      end: undefined,
      behaviour,
      players: [],
      watch: listener => {
        tell = listener
        if (isReady && life.end === undefined) listener({ kind: 'ready' })
        life.use()
        life.tellPlayers()
      },
      follow: (hear, options) => {
        if (options.signal.aborted) return
        const follower = { tell: hear, options }
        const from = typeof options.from === 'object' ? firstWithin(place.printed, options.from.last) : begun
        for (const bytes of place.printed.slice(from)) hear({ bytes, gap: 0 })
        if (life.end !== undefined) return
        place.followers.add(follower)
        options.signal.addEventListener('abort', () => { place.followers.delete(follower) }, { once: true })
      },
      files: filesOf(place),
      signal: signal => {
        const runs = life.end === undefined
        if (signal === 'SIGKILL') life.die(signal)
        return runs
      },
      write: line => {
        if (life.end !== undefined || life.behaviour.reads === false) return false
        place.commands.push(line)
        return true
      },
      stop: ({ ask, force }) => {
        if (life.end !== undefined) return 'asked'
        if (force === true) {
          life.die('SIGKILL')
          return 'killed'
        }
        asked ||= ask !== undefined
        return (stopping ??= beginStop())
      },
      release: () => {
        tell = () => {}
        place.followers.clear()
      },
      tellPlayers: () => {
        tell({ kind: 'players', players: life.players, slots: life.behaviour.slots ?? 20, motd: `A simulated ${name.replace(/-\d+$/, '')}` })
      },
      use: () => { tell({ kind: 'usage', cpu: life.behaviour.cpu ?? 1, memory: life.behaviour.memory ?? minMemory }) },
      die: signal => {
        if (life.end !== undefined) return
        cancel()
        lives.delete(name)
        Object.assign(life, { end: { code: signal === null ? 0 : null, signal } })
        tell({ kind: 'ended' })
        stopping?.resolve(signal !== null ? 'killed' : asked ? 'asked' : 'terminated')
      }
    }

    /** A stop that takes too long has failed, and can be tried again. */
    function beginStop (): Later<Manner> {
      cancel()
      const { stopMs = 500 } = life.behaviour
      const stop = createLater<Manner>()
      if (stopMs <= STOP_FAILS_MS) later(stopMs, () => { life.die(null) })
      else {
        later(STOP_FAILS_MS, () => {
          stopping = undefined
          stop.reject(new Error(`${name} cannot be stopped`))
        })
      }
      return stop
    }

    later(behaviour.crashMs ?? Infinity, () => { life.die('SIGKILL') })
    later(behaviour.startMs ?? 1_000, goOnline)
    return life
  }

  return {
    host: '127.0.0.1',
    find: () => [],
    start,
    discard: name => {
      places.delete(name)
      return undefined
    },
    running: () => [...lives.keys()],
    behave: (name, behaviour) => {
      const life = lives.get(name)
      if (life === undefined) return
      life.behaviour = { ...life.behaviour, ...behaviour }
      life.use()
      life.tellPlayers()
    },
    crash: name => { lives.get(name)?.die('SIGKILL') },
    join,
    leave,
    print: (name, line) => {
      const place = placeOf(name)
      const bytes = Buffer.from(`${line}\n`)
      place.printed.push(bytes)
      for (const { tell, options } of [...place.followers]) if (!options.signal.aborted) tell({ bytes, gap: 0 })
    },
    commands: name => [...placeOf(name).commands],
    file: (name, path) => placeOf(name).files.get(path)
  }
}

const filesOf = ({ files }: Place): Files => ({
  read: path => files.get(inside(path)),
  write: (path, text) => { files.set(inside(path), text) }
})

function inside (path: string): string {
  if (path.startsWith('/') || path.split('/').includes('..')) throw new Error(`${path} is not in the directory of the service`)
  return path
}

/** The first of the pieces that are together at most so many bytes, from the end. */
function firstWithin (pieces: readonly Buffer[], most: number): number {
  let [from, bytes] = [pieces.length, 0]
  while (from > 0 && (bytes += (pieces[from - 1] as Buffer).length) <= most) from--
  return from
}
