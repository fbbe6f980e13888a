/** Engines that each have one mistake, over the simulated one. */
import type { EngineUnderTest } from '../../lib/conformance/index.js'
import { createAgenda } from '../../lib/runtime/simulated/agenda.js'
import { createSimulatedEngine, type SimulatedEngine } from '../../lib/runtime/simulated/engine.js'
import type { Chunk, Engine, LifeEvent, Plan, Running } from '../../types/engine.js'
import type { Broken } from './broken-storages.js'

/** A plan for an engine that starts nothing. */
export const somePlan: Plan = {
  name: 'conformance-1',
  token: '0'.repeat(32),
  note: {},
  command: 'game',
  args: [],
  env: {},
  files: {},
  values: { name: 'conformance-1', group: 'conformance', version: 'latest', minMemory: '64', maxMemory: '128', maxPlayers: '20' },
  layers: [],
  platform: { name: 'game', version: 'latest', directory: '/nowhere' },
  keep: false,
  port: 30_000,
  memory: { min: 64, max: 128 },
  stop: { ask: { stdin: 'stop' }, timeout: 1_000 }
}

/** The simulated engine as the suite takes it. */
export function simulatedEngine (change: (engine: SimulatedEngine) => Partial<Engine> = () => ({})): EngineUnderTest {
  const agenda = createAgenda(1_760_000_000_000)
  const engine = createSimulatedEngine(agenda, () => ({}))
  return {
    engine: { ...engine, ...change(engine) },
    plan: somePlan,
    within: 1_000,
    pause: () => { agenda.advance(50) },
    // What it tells when a life is ready is told then.
    ready: () => { agenda.advance(1_000) },
    print: ({ name }, line) => { engine.print(name, line) },
    crash: ({ name }) => { engine.crash(name) },
    typed: ({ name }) => engine.commands(name),
    stuck: ({ name }) => {
      engine.behave(name, { stopMs: Infinity })
      return () => { engine.behave(name, { stopMs: 0 }) }
    },
    remains: service => engine.running().filter(name => name === service).length,
    close () {}
  }
}

const broken = (flaw: string, change: (engine: SimulatedEngine) => Partial<Engine>): Broken<EngineUnderTest> => ({ flaw, make: () => simulatedEngine(change) })

/** A flaw of each life. */
const living = (flaw: string, change: (life: Running, plan: Plan, engine: SimulatedEngine) => object): Broken<EngineUnderTest> => broken(flaw, engine => ({
  start: async (plan, options) => {
    const life = await engine.start(plan, options)
    return Object.defineProperties(Object.create(life) as Running, Object.getOwnPropertyDescriptors(change(life, plan, engine)))
  }
}))

/** A flaw of what is told of a life. */
const telling = (flaw: string, change: (tell: (event: LifeEvent) => void, life: Running) => (event: LifeEvent) => void) =>
  living(flaw, life => ({ watch: (listener: (event: LifeEvent) => void) => { life.watch(change(listener, life)) } }))

/** A flaw of what is handed over. */
const handing = (flaw: string, change: (hear: (chunk: Chunk) => void) => (chunk: Chunk) => void) =>
  living(flaw, life => ({ follow: (hear: (chunk: Chunk) => void, options: Parameters<Running['follow']>[1]) => life.follow(change(hear), options) }))

const never = new AbortController().signal
const text = ({ bytes }: Chunk): string => Buffer.from(bytes).toString()

export const brokenEngines: ReadonlyArray<Broken<EngineUnderTest>> = [
  living('a file is written in pieces', life => ({
    files: {
      read: (path: string) => life.files?.read(path),
      write: async (path: string, text: string) => {
        await life.files?.write(path, text.slice(0, text.length / 2))
        await Promise.resolve()
        await life.files?.write(path, text)
      }
    }
  })),
  living('a path leads out of the directory', life => ({ files: { ...life.files, write: (path: string, text: string) => life.files?.write(path.replace(/^.*\.\.\//, ''), text) } })),
  living('what is written is not there', life => ({ files: { ...life.files, write: () => {} } })),
  living('a file that is not there is an empty one', life => ({ files: { ...life.files, read: async (path: string) => await life.files?.read(path) ?? '' } })),
  living('a signal is sent to nobody', () => ({ signal: () => true })),
  living('ask answers where nobody listens', () => ({ ask: () => '' })),
  broken('files are laid when the program has begun', engine => ({
    start: async (plan, { arrange, ...options }) => {
      const life = await engine.start({ ...plan, files: {} }, options)
      if (arrange !== undefined && life.files !== undefined) await arrange(life.files)
      return life
    }
  })),
  broken('what goes wrong while files are laid is kept back', engine => ({
    start: async (plan, { arrange, ...options }) => await engine.start(plan, {
      ...options,
      arrange: async files => {
        try {
          await arrange?.(files)
        } catch {}
      }
    })
  })),
  broken('a new cloud is found to have a life', engine => ({
    find: () => [engine.start(somePlan, { signal: never, progress () {} }) as Running]
  })),
  broken('start answers nothing', () => ({ start: () => undefined as unknown as Running })),
  broken('the second start of a name answers the first life', engine => {
    const lives = new Map<string, Running>()
    return {
      start: async (plan, options) => {
        const life = lives.get(plan.name) ?? await engine.start(plan, options)
        lives.set(plan.name, life)
        return life
      }
    }
  }),
  broken('start that was given up rejects, and what it began runs', engine => ({
    start: async (plan, options) => {
      const life = await engine.start(plan, options)
      options.signal.throwIfAborted()
      return life
    }
  })),
  broken('start writes into the plan', engine => ({
    start: (plan, options) => engine.start(Object.assign(plan, { started: true }), options)
  })),
  broken('the host of the engine is missing', () => ({ host: undefined as unknown as string })),
  living('the token is another', () => ({ token: 'f'.repeat(32) })),
  living('the name is the group', () => ({ name: 'conformance' })),
  living('the note is a text', ({ note }) => ({ note: JSON.stringify(note) })),
  living('the note loses what is nested', ({ note }) => ({ note: { ...note, list: [] } })),
  living('the note is cut at a kilobyte', ({ note }) => ({ note: JSON.stringify(note).length > 1_024 ? {} : note })),
  living('startedAt is in seconds', ({ startedAt }) => ({ startedAt: Math.floor(startedAt / 1_000) })),
  living('the host is missing', () => ({ host: '' })),
  living('the port is a text', ({ port }) => ({ port: String(port) })),
  living('a life has an end from the first moment', () => ({ end: { code: 0, signal: null } })),
  living('the end never comes', () => ({ end: undefined })),
  living('the end has a code and a signal', life => ({ get end () { return life.end && { code: 137, signal: 'SIGKILL' } } })),
  living('the signal is a number', life => ({ get end () { return life.end && { code: null, signal: 9 } } })),
  telling('the end is not told', tell => event => { if (event.kind !== 'ended') tell(event) }),
  telling('the end is told twice', tell => event => {
    tell(event)
    if (event.kind === 'ended') tell(event)
  }),
  telling('memory is in bytes', tell => event => { tell(event.kind === 'usage' ? { ...event, memory: event.memory * 2 ** 20 } : event) }),
  telling('cpu is of one core, in thousandths', tell => event => { tell(event.kind === 'usage' ? { ...event, cpu: event.cpu * 1_000 } : event) }),
  telling('players are names', tell => event => { tell(event.kind === 'players' ? { ...event, players: ['Jane'] as never } : event) }),
  telling('an event that nobody knows', tell => event => { tell(event.kind === 'ready' ? { kind: 'online' } as never : event) }),
  handing('bytes are texts', hear => chunk => { hear({ ...chunk, bytes: text(chunk) as never }) }),
  handing('blank lines are left out', hear => chunk => { if (text(chunk).trim() !== '') hear(chunk) }),
  handing('lines are trimmed', hear => chunk => { hear({ ...chunk, bytes: Buffer.from(`${text(chunk).trim()}\n`) }) }),
  handing('bytes are read as Latin-1', hear => chunk => { hear({ ...chunk, bytes: Buffer.from(Buffer.from(chunk.bytes).toString('latin1')) }) }),
  handing('lines are cut at a kilobyte', hear => chunk => { hear({ ...chunk, bytes: Buffer.concat([chunk.bytes.subarray(0, 1_023), Buffer.from('\n')]).subarray(0, Math.min(chunk.bytes.length, 1_024)) }) }),
  handing('what is printed is handed over twice', hear => chunk => {
    hear(chunk)
    hear(chunk)
  }),
  handing('every chunk has a gap', hear => chunk => { hear({ ...chunk, gap: 1 }) }),
  living('only one may follow', life => {
    let only = new AbortController()
    return {
      follow (hear: (chunk: Chunk) => void, options: Parameters<Running['follow']>[1]) {
        only.abort()
        only = new AbortController()
        return life.follow(hear, { ...options, signal: AbortSignal.any([only.signal, options.signal]) })
      }
    }
  }),
  living('the abort of who follows is not heard', life => ({ follow: (hear: (chunk: Chunk) => void, options: Parameters<Running['follow']>[1]) => life.follow(hear, { ...options, signal: never }) })),
  living('the past is left out', life => ({
    follow (hear: (chunk: Chunk) => void, options: Parameters<Running['follow']>[1]) {
      let past = true
      const following = life.follow(chunk => { if (!past) hear(chunk) }, options)
      past = false
      return following
    }
  })),
  living('follow with last hands over everything', life => ({
    follow: (hear: (chunk: Chunk) => void, options: Parameters<Running['follow']>[1]) => life.follow(hear, { ...options, from: 'start' })
  })),
  living('an ended life cannot be followed', life => ({
    follow (hear: (chunk: Chunk) => void, options: Parameters<Running['follow']>[1]) { return life.end === undefined ? life.follow(hear, options) : undefined }
  })),
  living('a life follows the earlier ones too', life => ({
    follow: (hear: (chunk: Chunk) => void, options: Parameters<Running['follow']>[1]) => life.follow(hear, { ...options, from: options.from === 'start' ? { last: 1e9 } : options.from })
  })),
  living('write answers nothing', life => ({ write (line: string) { life.write(line) } })),
  living('write answers true for what has ended', () => ({ write: () => true })),
  living('write loses what is no ASCII', life => ({ write: (line: string) => life.write(line.replace(/[^ -~]/g, '?')) })),
  living('write cuts long lines', life => ({ write: (line: string) => life.write(line.slice(0, 1_024)) })),
  living('write refuses long lines', life => ({ write: (line: string) => line.length < 4_000 && life.write(line) })),
  living('stop answers before it is over', life => ({
    stop (request: Parameters<Running['stop']>[0]) {
      Promise.resolve(life.stop(request)).catch(() => {})
      return 'asked'
    }
  })),
  living('stop answers nothing', life => ({ async stop (request: Parameters<Running['stop']>[0]) { await life.stop(request) } })),
  living('a second stop throws', life => {
    let stopped = false
    return {
      async stop (request: Parameters<Running['stop']>[0]) {
        if (stopped) throw new Error('is stopped already')
        stopped = true
        return await life.stop(request)
      }
    }
  }),
  living('a stop that failed answers', life => ({ stop: async (request: Parameters<Running['stop']>[0]) => await Promise.resolve(life.stop(request)).catch(() => 'killed') })),
  living('force is not known', life => ({ stop: async ({ force, ...request }: Parameters<Running['stop']>[0]) => await life.stop(request) })),
  living('a stop ends the others too', (life, plan, engine) => ({
    async stop (request: Parameters<Running['stop']>[0]) {
      for (const name of engine.running()) if (name !== plan.name) engine.crash(name)
      return await life.stop(request)
    }
  })),
  living('release does nothing', () => ({ release () {} })),
  living('release ends it', (life, plan, engine) => ({ release () { engine.crash(plan.name) } })),
  living('release only stops the events', life => {
    let tell: (event: LifeEvent) => void = () => {}
    return {
      watch (listener: (event: LifeEvent) => void) {
        tell = listener
        life.watch(event => { tell(event) })
      },
      release () { tell = () => {} }
    }
  }),
  living('confirm believes the dead', () => ({ confirm: () => true })),
  broken('discard throws for what never was', engine => ({
    discard (name, options) {
      if (name.startsWith('never')) throw new Error('no such service')
      return engine.discard(name, options)
    }
  })),
  broken('discard answers true', () => ({ discard: () => true as never })),
  broken('away has no since', () => ({ away: { why: 'gone' } as never, watch () {} })),
  broken('away cannot be watched', () => ({ away: { since: 1_760_000_000_000, why: 'gone' } }))
]
