/** One runtime that is tried, and the ways to bring it to where a case begins. */
import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Group } from '../../../types/resources.js'
import type {
  CallOptions, CloudRuntime, GroupControl, GroupRestarts, MaybePromise, RuntimeService, ServiceControl, ServiceForce, Templates
} from '../../../types/runtime.js'
import { show, type Case } from '../suite.js'
import { stopwatch } from '../waiting.js'
import { Findings } from './findings.js'
import { isPromise, Observer } from './observer.js'
import type { RuntimeUnderTest } from './under-test.js'

/** A function that adds the cases of one capability. */
export type RuntimeCases = (add: Case<Stage>) => Promise<void>

const WITHIN_MS = 15_000
const PAUSE_MS = 20

// So many looks are made in any case, for a clock of the runtime's own that moves with each.
const LEAST_LOOKS = 100
/** The same by a clock of the runtime's own. */
const OWN_MS = 60_000

/** The most waits that one case is made of. */
const WAITS = 4

/** All verbs, by the names that they have in the contract. */
export type Verbs =
  & { readonly [Verb in keyof ServiceControl as `services.${Verb}`]: ServiceControl[Verb] }
  & { readonly [Verb in keyof ServiceForce as `services.${Verb}`]: ServiceForce[Verb] }
  & { readonly [Verb in keyof GroupControl as `groups.${Verb}`]: GroupControl[Verb] }
  & { readonly [Verb in 'create' | 'rename' | 'delete' as `templates.${Verb}`]: Templates[Verb] }

/** What a verb takes besides the signal. */
export type Given<V> = V extends (...given: [...infer G, CallOptions]) => unknown ? G : never

/** One runtime, and the ways to bring it to where a case begins. */
export class Stage {
  readonly subject: RuntimeUnderTest
  /** For calls that nobody gives up. */
  readonly options: CallOptions = { signal: new AbortController().signal }
  #seen: readonly RuntimeService[] | undefined
  #doing: (() => string) | undefined
  readonly #findings: Findings
  #observer: Observer

  /** @param findings notes what is found wrong while something else is tried */
  constructor (subject: RuntimeUnderTest, findings = new Findings()) {
    this.subject = subject
    this.#findings = findings
    this.#observer = new Observer(subject.runtime, findings)
  }

  /** The runtime, looked at around every call. */
  get runtime (): CloudRuntime {
    return this.#observer.runtime
  }

  /** Whether its list of services answers at once: then nothing changes between two looks of one turn. */
  get isPlain (): boolean {
    return this.#observer.isPlain
  }

  /** Goes on with the runtime as a new start finds it. */
  async reopen (): Promise<void> {
    const again = await this.subject.reopen?.()
    assert.ok(typeof again?.groups?.list === 'function', 'reopen() must answer the runtime as it is after a new start')
    this.#observer = new Observer(again, this.#findings)
  }

  get control (): ServiceControl {
    return there(this.runtime.services.control, 'services.control')
  }

  get force (): ServiceForce {
    return there(this.runtime.services.force, 'services.force')
  }

  get restarts (): GroupRestarts {
    return there(this.runtime.groups.restarts, 'groups.restarts')
  }

  get groupControl (): GroupControl {
    return there(this.runtime.groups.control, 'groups.control')
  }

  get templates (): Templates {
    return there(this.runtime.templates, 'templates')
  }

  /** What the runtime's clock says, where it can be known. */
  get now (): number | undefined {
    if (this.subject.now !== undefined) return this.subject.now()
    return this.subject.pause === undefined ? Date.now() : undefined
  }

  /** Milliseconds that a case may take in all. */
  get limit (): number {
    return WAITS * (this.subject.within ?? WITHIN_MS)
  }

  /** What it waits for at this moment, and what it has seen. */
  get doing (): string | undefined {
    return this.#doing?.()
  }

  /** The author's group, with what a case needs of it. */
  group (given: Partial<Group> = {}): Group {
    const group = there(this.subject.group, 'group among what create() answers: groups.control cannot be tried without it')
    return { ...group, minOnlineService: 0, maxOnlineService: 2, ...given }
  }

  /** That group, made. */
  async withGroup (given: Partial<Group> = {}): Promise<Group> {
    const group = this.group(given)
    await this.says(true, 'groups.create', group)
    return group
  }

  /** A service that is ONLINE: one more of a group of our own, or one that was there. */
  async online (): Promise<RuntimeService> {
    if (this.runtime.groups.control === undefined) {
      mayBeOnline(await this.services())
      return await this.#anyOnline()
    }
    if (this.runtime.services.control === undefined) {
      const { name, minOnlineService } = await this.#groupOnce({ minOnlineService: 1 })
      if (minOnlineService === 0) await this.call('groups.edit', name, { minOnlineService: 1 })
      return await this.#anyOnline(name)
    }
    const { name } = await this.#groupOnce()
    const started = await this.call('services.start', name)
    if (typeof started !== 'object') return fail('services.start', [name], started, '{ name }')
    return await this.becomes(started.name, 'ONLINE')
  }

  /** A service that was ONLINE and is stopped. */
  async stopped (): Promise<RuntimeService> {
    const { name } = await this.online()
    await this.says(true, 'services.stop', name)
    return await this.becomes(name, 'OFFLINE')
  }

  /** Whether the last call was answered at once: while one is waited for, other things happen. */
  isAtOnce = false

  /** Calls a verb. */
  async call<V extends keyof Verbs> (verb: V, ...given: Given<Verbs[V]>): Promise<Awaited<ReturnType<Verbs[V]>>> {
    const [part, method] = verb.split('.') as [string, string]
    const of = verb === 'services.kill' ? this.force : part === 'services' ? this.control : part === 'groups' ? this.groupControl : this.templates
    const verbs = of as unknown as Record<string, (...given: unknown[]) => MaybePromise<Awaited<ReturnType<Verbs[V]>>>>
    assert.ok(typeof verbs[method] === 'function', `${part}${verb === 'services.kill' ? '.force' : part === 'templates' ? '' : '.control'}.${method} must be a function`)
    const answer = verbs[method]!(...given, this.options)
    this.isAtOnce = !(answer instanceof Promise)
    return await this.settled(answer, described(verb, given))
  }

  /** Calls a verb, and checks what it answers. */
  async says<V extends keyof Verbs> (expected: unknown, verb: V, ...given: Given<Verbs[V]>): Promise<void> {
    const answer = await this.call(verb, ...given)
    if (!Object.is(answer, expected)) fail(verb, given, answer, show(expected))
  }

  async services (group?: string): Promise<readonly RuntimeService[]> {
    const services = this.#seen = await this.settled(this.runtime.services.list(this.options), 'services.list')
    return group === undefined ? services : services.filter(({ groupName }) => groupName === group)
  }

  async find (name: string): Promise<RuntimeService | undefined> {
    return (await this.services()).find(service => service.name === name)
  }

  async groups (): Promise<readonly Group[]> {
    return await this.settled(this.runtime.groups.list(this.options), 'groups.list')
  }

  async findGroup (name: string): Promise<Group | undefined> {
    return (await this.groups()).find(group => group.name === name)
  }

  async becomes (name: string, state: RuntimeService['state']): Promise<RuntimeService> {
    return await this.until(`${name} is ${state}`, async () => {
      const service = await this.find(name)
      return service?.state === state && service
    })
  }

  /** Lets a player join a service; answers how that player leaves. */
  async join (service: string): Promise<() => Promise<void>> {
    const leave: unknown = await this.subject.join?.(service)
    if (typeof leave !== 'function') {
      assert.fail(`join(${show(service)}) must answer a function that lets the player leave, and answered ${show(leave)}`)
    }
    return async () => { await leave() }
  }

  /** Waits until `look` answers something, and answers that; `saw` tells what there was instead. */
  async until<T> (what: string, look: () => MaybePromise<T | false | undefined>, saw: () => string = () => this.#states()): Promise<T> {
    const within = this.subject.within ?? WITHIN_MS
    const passed = stopwatch()
    // A clock of its own can run far ahead of this one, to where a cloud does other things by itself.
    const began = this.subject.now?.() ?? 0
    const isLate = (): boolean => passed() > within || (this.subject.now?.() ?? 0) - began > Math.max(within, OWN_MS)
    const before = this.#doing
    this.#doing = () => `${what}; seen last: ${saw()}`
    try {
      for (let looks = 1; ; looks++) {
        const seen = await look()
        if (seen !== false && seen !== undefined) return seen
        if (isLate() && looks >= LEAST_LOOKS) assert.fail(`Not within ${within} ms: ${this.#doing()}`)
        await this.pause()
      }
    } finally {
      this.#doing = before
    }
  }

  /** Waits for an answer while time passes; goes on in the turn in which it is there. */
  async settled<T> (answer: MaybePromise<T>, what = 'the call'): Promise<T> {
    if (!isPromise(answer)) return answer
    const state = { over: false }
    const over = (): void => { state.over = true }
    answer.then(over, over)
    const passing = (async () => {
      // A moment for what is only promised, and takes no time.
      await turn()
      await this.until(`${what} answers`, () => state.over, () => 'its promise is pending')
      return await answer
    })()
    // It fails too when time is over, and is not waited for when the answer is there.
    passing.catch(() => {})
    return await Promise.race([answer, passing])
  }

  async pause (): Promise<void> {
    if (this.subject.pause === undefined) await delay(PAUSE_MS)
    else {
      await this.subject.pause()
      await turn()
    }
    this.#observer.look()
  }

  async close (): Promise<void> {
    await this.subject.close()
  }

  #states (): string {
    return this.#seen === undefined ? 'nothing' : statesOf(this.#seen)
  }

  async #anyOnline (group?: string): Promise<RuntimeService> {
    return await this.until('a service is ONLINE', async () => (await this.services(group)).find(({ state }) => state === 'ONLINE'))
  }

  async #groupOnce (given: Partial<Group> = {}): Promise<Group> {
    const group = this.group(given)
    return await this.findGroup(group.name) ?? await this.withGroup(given)
  }
}

/** The services and their states, in one line. */
export function statesOf (services: readonly RuntimeService[]): string {
  const states = services.map(({ name, state }) => `${name} ${state}`)
  return states.length === 0 ? 'services.list is empty' : `services.list has ${states.join(', ')}`
}

/** Fails where no service is ONLINE nor about to be, and none can be made. */
export function mayBeOnline (services: readonly RuntimeService[]): void {
  if (services.some(({ state }) => state === 'ONLINE' || state === 'STARTING')) return
  assert.fail('A runtime without groups.control must have a service that is ONLINE, and its group listed, when create() ' +
    `answers: the suite cannot make one; ${statesOf(services)}`)
}

/** A call in one line. */
export const described = (verb: string, given: readonly unknown[]): string =>
  `${verb}(${given.map(one => typeof one === 'string' || verb !== 'groups.create' ? show(one) : `{ name: ${show((one as Group).name)}, … }`).join(', ')})`

function fail (verb: string, given: readonly unknown[], answer: unknown, expected: string): never {
  assert.fail(`${described(verb, given)} must answer ${expected}, and answered ${show(answer)}`)
}

function there<T> (given: T | undefined, what: string): T {
  if (given === undefined) assert.fail(`There is no ${what}`)
  return given
}
