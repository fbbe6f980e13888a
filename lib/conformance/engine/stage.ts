/** One engine that is tried, with lives in it, and what holds of every life at every moment. */
import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Awaitable, Chunk, End, Engine, FollowOptions, LifeEvent, Plan, Running, StartOptions, StopRequest } from '../../../types/engine.js'
import { same, show, type Case } from '../suite.js'
import { stopwatch } from '../waiting.js'
import * as shapes from './shapes.js'
import type { EngineUnderTest } from './under-test.js'

/** A function that adds the cases of one part of the port. */
export type EngineCases = (add: Case<EngineStage>) => Promise<void>

const WITHIN_MS = 15_000
const PAUSE_MS = 20

// So many looks are made in any case, for a clock of the engine's own that moves with each.
const LEAST_LOOKS = 100

/** A life, and everything that was told of it. */
export interface Watched {
  readonly life: Running
  readonly plan: Plan
  readonly events: LifeEvent[]
  /** What it has printed from its beginning on, as it was handed over. */
  readonly chunks: Chunk[]
}

/** One engine, and the ways to bring it to where a case begins. */
export class EngineStage {
  readonly subject: EngineUnderTest
  #engine: Engine
  #lives = 0
  readonly #watched: Watched[] = []
  readonly #end = new AbortController()
  #wrong: unknown

  private constructor (subject: EngineUnderTest) {
    this.subject = subject
    this.#engine = subject.engine
  }

  /** Begins as the fleet does: it asks what is there. */
  static async of (subject: EngineUnderTest): Promise<EngineStage> {
    const stage = new EngineStage(subject)
    same(await stage.settled(subject.engine.find(), 'find()'), [], 'find() of a new cloud must answer nothing')
    return stage
  }

  get engine (): Engine {
    return this.#engine
  }

  /** The author's plan, as that of a service of this case. */
  plan (name = 'conformance-1', given: Partial<Plan> = {}): Plan {
    const life = ++this.#lives
    return deepFreeze(structuredClone({
      ...this.subject.plan,
      name,
      token: [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join(''),
      note: { life, text: 'ünïcödé "quoted"\n', list: [1, null, { deep: true }] },
      port: this.subject.plan.port + Number(name.slice(name.lastIndexOf('-') + 1)) - 1,
      ...given
    }))
  }

  /** Starts a life, and watches and follows it from its first moment on. */
  async start (plan = this.plan(), giving = new AbortController(), arrange?: StartOptions['arrange']): Promise<Watched> {
    const options = { signal: giving.signal, progress: () => {}, ...(arrange === undefined ? {} : { arrange }) }
    const life = await this.settled(this.engine.start(plan, options), `start() of ${plan.name}`)
    const watched = this.watch(life, plan)
    await this.settled(this.subject.ready?.(life), `ready() of ${plan.name}`)
    return watched
  }

  /** Watches a life, in the turn in which it is there. */
  watch (life: Running, plan: Plan): Watched {
    const watched: Watched = { life, plan, events: [], chunks: [] }
    shapes.life(life, plan)
    life.watch(event => {
      watched.events.push(event)
      this.#note(() => { shapes.event(event, life, watched.events) })
    })
    this.#watched.push(watched)
    const following = life.follow(chunk => { watched.chunks.push(chunk) }, { from: 'start', whole: () => true, signal: this.#end.signal })
    Promise.resolve(following).catch(() => {})
    return watched
  }

  /** What is found wrong where nobody may throw: the engine itself is calling. */
  #note (check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#wrong ??= error
    }
  }

  /** Fails with what was found wrong with an event. */
  check (): void {
    if (this.#wrong !== undefined) throw this.#wrong
  }

  /** Lets a life print, and waits until that is handed over. */
  async print (watched: Watched, ...lines: readonly string[]): Promise<void> {
    for (const line of lines) await this.subject.print?.(watched.life, line)
    const last = lines.at(-1)
    await this.until(`${show(last)}, which was printed, is handed over`, () => linesOf(watched.chunks).includes(last!), () => show(linesOf(watched.chunks)))
  }

  /** Follows a life by itself, until the case ends it. */
  follow (life: Running, from: FollowOptions['from'] = 'start', end = new AbortController()) {
    const chunks: Chunk[] = []
    const over = this.settled(life.follow(chunk => { chunks.push(chunk) }, { from, whole: () => true, signal: end.signal }), 'follow()')
    return { chunks, over, end: () => { end.abort() } }
  }

  async stop ({ life }: Watched, request: StopRequest = this.subject.plan.stop): Promise<string> {
    const manner = await this.settled(life.stop(request), `stop() of ${life.name}`)
    shapes.manner(manner)
    return manner
  }

  /** Waits until a life has ended, and answers how; nothing of it may be left then. */
  async ended ({ life, events }: Watched): Promise<End> {
    await this.until(`the end of ${life.name} is told`, () => events.some(({ kind }) => kind === 'ended'), () => show(events))
    await this.gone(life.name)
    return life.end!
  }

  /** Sees that the machine knows nothing of a service any more. */
  async gone (name: string): Promise<void> {
    const left = await this.subject.remains?.(name) ?? 0
    assert.ok(left === 0, `nothing of ${name} may be left, and remains(${show(name)}) counts ${left}`)
  }

  /** Goes on with the engine as the next core finds it, and answers what that finds. */
  async reopen (): Promise<readonly Running[]> {
    const again = await this.subject.reopen?.()
    assert.ok(typeof again?.find === 'function', 'reopen() must answer the engine as it is after a new start')
    this.#engine = again
    return await this.settled(again.find(), 'find()')
  }

  /** Waits until `look` answers something; `saw` tells what there was instead. */
  async until (what: string, look: () => Awaitable<boolean>, saw: () => string = () => 'nothing'): Promise<void> {
    const within = this.subject.within ?? WITHIN_MS
    const passed = stopwatch()
    for (let looks = 1; !await look(); looks++) {
      if (passed() > within && looks >= LEAST_LOOKS) assert.fail(`Not within ${within} ms: ${what}; seen last: ${saw()}`)
      await this.pause()
    }
  }

  async settled<T> (answer: Awaitable<T>, what: string): Promise<T> {
    if (typeof (answer as { readonly then?: unknown } | undefined)?.then !== 'function') return answer as T
    const state = { over: false }
    const over = (): void => { state.over = true }
    ;(answer as PromiseLike<T>).then(over, over)
    await turn()
    await this.until(`${what} answers`, () => state.over, () => 'its promise is pending')
    return await answer
  }

  async pause (times = 1): Promise<void> {
    for (; times > 0; times--) {
      if (this.subject.pause === undefined) await delay(PAUSE_MS)
      else {
        await this.subject.pause()
        await turn()
      }
    }
  }

  /** Ends what the case has left running. */
  async close (): Promise<void> {
    this.#end.abort()
    for (const { life } of this.#watched) {
      if (life.end === undefined) await Promise.resolve(this.settled(life.stop({ timeout: 0, force: true }), 'stop()')).catch(() => {})
    }
    await this.subject.close()
  }
}

/** All bytes that were handed over, as text. */
export const textOf = (chunks: readonly Chunk[]): string => Buffer.concat(chunks.map(({ bytes }) => bytes)).toString()

export const linesOf = (chunks: readonly Chunk[]): readonly string[] => textOf(chunks).split('\n').map(line => line.replace(/\r$/, ''))

function deepFreeze<T> (value: T): T {
  if (typeof value === 'object' && value !== null) for (const each of Object.values(Object.freeze(value))) deepFreeze(each)
  return value
}
