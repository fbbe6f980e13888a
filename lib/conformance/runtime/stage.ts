import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { Group } from '../../../types/resources.js'
import type {
  CallOptions, CloudRuntime, GroupControl, MaybePromise, RuntimeService, ServiceControl, Templates
} from '../../../types/runtime.js'
import type { RuntimeUnderTest } from '../runtime.js'

const WITHIN_MS = 15_000
const PAUSE_MS = 20

// A machine that stood still for a while is no failure of the runtime: this often it is looked in any case.
const LEAST_LOOKS = 100

/** One runtime, and the ways to bring it to where a case begins. */
export class Stage {
  readonly subject: RuntimeUnderTest
  /** For calls that nobody gives up. */
  readonly options: CallOptions = { signal: new AbortController().signal }

  constructor (subject: RuntimeUnderTest) {
    this.subject = subject
  }

  get runtime (): CloudRuntime {
    return this.subject.runtime
  }

  get control (): ServiceControl {
    return there(this.runtime.services.control, 'services.control')
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
    assert.equal(await this.settled(this.groupControl.create(group, this.options)), true, 'the group is made')
    return group
  }

  /** A service that is ONLINE: one more of a group of our own, or one that was there. */
  async online (): Promise<RuntimeService> {
    if (this.runtime.groups.control === undefined || this.runtime.services.control === undefined) {
      return await this.until('a service is ONLINE', async () => (await this.services()).find(({ state }) => state === 'ONLINE'))
    }
    const { name } = this.subject.group === undefined ? await this.withGroup() : await this.#groupOnce()
    const started = await this.settled(this.control.start(name, this.options))
    if (typeof started !== 'object') assert.fail(`start(${name}) answered ${String(started)}`)
    return await this.becomes(started.name, 'ONLINE')
  }

  /** A service that was ONLINE and is stopped. */
  async stopped (): Promise<RuntimeService> {
    const { name } = await this.online()
    assert.equal(await this.settled(this.control.stop(name, this.options)), true)
    return await this.becomes(name, 'OFFLINE')
  }

  async services (group?: string): Promise<readonly RuntimeService[]> {
    const services = await this.settled(this.runtime.services.list(this.options))
    return group === undefined ? services : services.filter(({ groupName }) => groupName === group)
  }

  async find (name: string): Promise<RuntimeService | undefined> {
    return (await this.services()).find(service => service.name === name)
  }

  async findGroup (name: string): Promise<Group | undefined> {
    return (await this.settled(this.runtime.groups.list(this.options))).find(group => group.name === name)
  }

  async becomes (name: string, state: RuntimeService['state']): Promise<RuntimeService> {
    return await this.until(`${name} is ${state}`, async () => {
      const service = await this.find(name)
      return service?.state === state && service
    })
  }

  /** Waits until `look` answers something, and answers that. */
  async until<T> (what: string, look: () => MaybePromise<T | false | undefined>): Promise<T> {
    const within = this.subject.within ?? WITHIN_MS
    const deadline = performance.now() + within
    for (let looks = 1; ; looks++) {
      const seen = await look()
      if (seen !== false && seen !== undefined) return seen
      if (performance.now() > deadline && looks >= LEAST_LOOKS) assert.fail(`Not within ${within} ms: ${what}`)
      await this.pause()
    }
  }

  /** Waits for an answer while time passes. */
  async settled<T> (answer: MaybePromise<T>): Promise<T> {
    if (!isPromise(answer)) return answer
    let outcome: { readonly value: T } | { readonly error: unknown } | undefined
    answer.then(value => { outcome = { value } }, (error: unknown) => { outcome = { error } })
    // A moment for what is only promised, and takes no time.
    await turn()
    const settled = await this.until('the call answers', () => outcome)
    if ('error' in settled) throw settled.error
    return settled.value
  }

  async pause (): Promise<void> {
    if (this.subject.pause === undefined) return await delay(PAUSE_MS)
    await this.subject.pause()
    await turn()
  }

  async close (): Promise<void> {
    await this.subject.close()
  }

  async #groupOnce (): Promise<Group> {
    const group = this.group()
    return await this.findGroup(group.name) ?? await this.withGroup()
  }
}

function there<T> (given: T | undefined, what: string): T {
  if (given === undefined) assert.fail(`There is no ${what}`)
  return given
}

const isPromise = <T>(answer: MaybePromise<T>): answer is Promise<T> =>
  typeof (answer as { readonly then?: unknown } | undefined)?.then === 'function'
