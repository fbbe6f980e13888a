/** One runtime that is tried, and the ways to bring it to where a case begins. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Group, ServiceState } from '../../../types/resources.js'
import type {
  CallOptions, CloudRuntime, GroupControl, GroupRestarts, MaybePromise, RuntimeService, ServiceControl, ServiceForce, Templates
} from '../../../types/runtime.js'
import { same, show, type Case } from '../suite.js'
import { Findings } from './findings.js'
import { Observer, isPromise } from './observer.js'
import { Pace } from './pace.js'
import type { Joined, RuntimeUnderTest } from './under-test.js'
import { described, fail, type Given, type Verbs } from './verbs.js'

/** A function that adds the cases of one capability. */
export type RuntimeCases = (add: Case<Stage>) => Promise<void>

/** One runtime, and the ways to bring it to where a case begins. */
export class Stage extends Pace {
  /** For calls that nobody gives up. */
  readonly options: CallOptions = { signal: new AbortController().signal }
  #seen: readonly RuntimeService[] | undefined
  readonly #findings: Findings
  #observer: Observer

  /**
   * @param findings notes what is found wrong while something else is tried
   * @param within milliseconds that any one thing may take
   */
  constructor (subject: RuntimeUnderTest, findings = new Findings(), within?: number) {
    super(subject, within)
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
    // A call that was not answered may be answered yet, when there is another core already.
    this.#observer.leave()
    const again = await this.subject.reopen?.()
    assert.ok(typeof again?.groups?.list === 'function', 'reopen() must answer the runtime as it is after a new start')
    this.#observer.end()
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
  /** Whether the answer of the last call was there before any time could pass. */
  isQuick = false

  /** Whether the last call was answered at once, or promised and there before any time could pass. */
  get isPrompt (): boolean {
    return this.isAtOnce || this.isQuick
  }

  /** Calls a verb. */
  async call<V extends keyof Verbs> (verb: V, ...given: Given<Verbs[V]>): Promise<Awaited<ReturnType<Verbs[V]>>> {
    return await this.callWith(this.options, verb, ...given)
  }

  /** Calls a verb with a signal of its own. */
  async callWith<V extends keyof Verbs> (options: CallOptions, verb: V, ...given: Given<Verbs[V]>): Promise<Awaited<ReturnType<Verbs[V]>>> {
    const [part, method] = verb.split('.') as [string, string]
    const of = verb === 'services.kill' ? this.force : part === 'services' ? this.control : part === 'groups' ? this.groupControl : this.templates
    const verbs = of as unknown as Record<string, (...given: unknown[]) => MaybePromise<Awaited<ReturnType<Verbs[V]>>>>
    assert.ok(typeof verbs[method] === 'function', `${part}${verb === 'services.kill' ? '.force' : part === 'templates' ? '' : '.control'}.${method} must be a function`)
    const objects = given.filter(one => typeof one === 'object')
    const asked = structuredClone(objects)
    const answer = verbs[method]!(...given, options)
    this.isAtOnce = !isPromise(answer)
    this.isQuick = await isThere(answer)
    try {
      return await this.settled(answer, described(verb, given))
    } finally {
      same(objects, asked, `${described(verb, given)} may not change what it is given`)
    }
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

  /** The state of a service at this very moment, between two promises; undefined where the list is promised itself. */
  glance (name: string): ServiceState | undefined {
    const services = this.runtime.services.list(this.options)
    return isPromise(services) ? undefined : services.find(service => service.name === name)?.state
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
      return service?.state === state && this.isPast(service) && service
    })
  }

  /** Whether the millisecond is over in which a life began, or the one before it ended: what happens in the same could not be told from it. */
  isPast ({ startedAt, lastExit }: RuntimeService): boolean {
    const { now } = this
    return now === undefined || (startedAt !== now && lastExit?.at !== now)
  }

  /** Waits until that is so of all services, where time passes by itself. */
  async past (): Promise<void> {
    for (let looks = 0; looks < MOST_PAST && this.subject.pause === undefined && !(await this.services()).every(one => this.isPast(one)); looks++) await delay(1)
  }

  /** Lets a player join a service. */
  async join (service: string): Promise<Joined> {
    const answer = await this.subject.join?.(service) as Joined | (() => MaybePromise<void>) | undefined
    const joined = typeof answer === 'function' ? { leave: answer } : answer
    if (typeof joined?.leave !== 'function') {
      assert.fail(`join(${show(service)}) must answer { name, leave } or a function that lets the player leave, and answered ${show(answer)}`)
    }
    return joined
  }

  protected override looked (): void {
    this.#observer.look()
  }

  protected override states (): string {
    return this.#seen === undefined ? 'nothing' : statesOf(this.#seen)
  }

  async close (): Promise<void> {
    this.#observer.end()
    await this.subject.close()
  }

  async #anyOnline (group?: string): Promise<RuntimeService> {
    return await this.until('a service is ONLINE', async () => (await this.services(group)).find(({ state }) => state === 'ONLINE'))
  }

  async #groupOnce (given: Partial<Group> = {}): Promise<Group> {
    const group = this.group(given)
    return await this.findGroup(group.name) ?? await this.withGroup(given)
  }
}

/** More looks than there are to a millisecond. */
const MOST_PAST = 5

/** Promises that may stand between an answer that takes no time and whoever waits for it. */
const MICROTASKS = 30

/** Whether an answer comes before any time can pass. */
async function isThere (answer: unknown): Promise<boolean> {
  if (!isPromise(answer)) return true
  const state = { over: false }
  const over = (): void => { state.over = true }
  answer.then(over, over)
  for (let steps = 0; steps < MICROTASKS && !state.over; steps++) await undefined
  return state.over
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

function there<T> (given: T | undefined, what: string): T {
  if (given === undefined) assert.fail(`There is no ${what}`)
  return given
}
