/** A group of services that a verb is tried on, and what the calls of the contract say about it. */
import assert from 'node:assert/strict'
import type { Group } from '../../../types/resources.js'
import type { RuntimeService, StateChange } from '../../../types/runtime.js'
import { quoted, same, show } from '../suite.js'
import { ending } from './ending.js'
import { looksOf } from './looks.js'
import { Oracle, plain, type Allowed } from './oracle.js'
import { sentences, type Sentence } from './sentences.js'
import { statesOf, type Stage } from './stage.js'
import { described, type Given, type Verbs } from './verbs.js'

/** Looks that see whether something stays as it is: what was accepted may need a moment to begin. */
const STAYS = 5

/** Promises that may stand between an answer and whoever waits for it. */
const MICROTASKS = 20

/** A runtime of which is known what was asked of it: every answer and every list can be compared with the contract. */
export class Scene {
  readonly stage: Stage
  readonly oracle = new Oracle()
  /** The calls so far, in words. */
  readonly calls: string[] = []
  /** The states that each service was told to go through. */
  readonly told = new Map<string, StateChange[]>()
  readonly #watching = new AbortController()
  #deletions: Array<Promise<void>> = []
  readonly #chosen = new Set<string>()
  #isAsking = false

  private constructor (stage: Stage) {
    this.stage = stage
  }

  /** Begins with what is there. */
  static async of (stage: Stage): Promise<Scene> {
    const scene = new Scene(stage)
    await stage.services()
    for (const group of await stage.groups()) scene.oracle.groups.set(group.name, plain(group))
    const templates = stage.runtime.templates
    if (templates !== undefined) for (const { name } of await stage.settled(templates.list(stage.options))) scene.oracle.templates.add(name)
    scene.#watch()
    return scene
  }

  /** Calls a verb; compares the answer, and what is listed in the same turn, with what the contract allows. */
  async ask<V extends keyof Verbs> (verb: V, ...given: Given<Verbs[V]>): Promise<Awaited<ReturnType<Verbs[V]>>> {
    const { stage, oracle } = this
    await stage.past()
    const going = new Set(oracle.deleting)
    const listed = going.size === 0 ? going : new Set((await stage.groups()).map(({ name }) => name))
    const before = await stage.services()
    // A deletion that is over may be about to answer.
    oracle.over = going.size === 0 ? going : new Set([...going].filter(one => !listed.has(one)))
    oracle.isExact = stage.isPlain
    const call = described(verb, given)
    const strict = stage.isPlain ? oracle.allows(verb, given, { services: before }) : []
    this.calls.push(call)
    const asked = stage.call(verb, ...given)
    // Whether it takes time is known when it has answered; what it may answer then, from what is known now.
    const loose = stage.isPlain && stage.isAtOnce ? [] : this.#loosely(verb, given, before, going)
    this.#isAsking = true
    const answer = await asked.finally(() => { this.#isAsking = false })
    const isExact = stage.isPlain && (stage.isAtOnce || (stage.isQuick && going.size === 0))
    this.calls[this.calls.length - 1] = `${call} answered ${show(answer)}`
    const allowed = isExact ? strict : [...strict, ...loose]
    if (allowed.length > 0 && !allowed.some(one => one.accepts(answer)) && (isExact || !await this.#isSoByNow(verb, given, answer))) {
      this.#fail(allowed[0]!.sentence, `${call} must answer ${[...new Set(allowed.map(({ words }) => words))].join(' or ')}, and answered ${show(answer)}; ${statesOf(before)}`)
    }
    if (answer === 'running' && stage.isPlain && stage.isAtOnce && before.some(({ name, state }) => name === given[0] && state === 'OFFLINE')) {
      this.#fail('start.running', `${call} answered 'running' in the turn in which it was listed as OFFLINE; ${statesOf(before)}`)
    }
    oracle.note(verb, given, answer)
    this.#choose(before)
    await this.#seen(verb, given[0] as string, answer, before)
    return answer
  }

  /** What may be answered where time passes until the answer: whatever was so at any moment in between. */
  #loosely (verb: string, given: readonly unknown[], before: readonly RuntimeService[], going: ReadonlySet<string>): readonly Allowed[] {
    const { oracle } = this
    oracle.isExact = false
    const looks = looksOf(before, given[0], { oracle, chosen: this.#chosen, going })
    return looks.flatMap(look => oracle.allows(verb, given, look))
  }

  /** Whether an answer is right for what is listed when it is there. */
  async #isSoByNow (verb: string, given: readonly unknown[], answer: unknown): Promise<boolean> {
    const services = await this.stage.services()
    return this.#loosely(verb, given, services, new Set(this.oracle.deleting)).some(one => one.accepts(answer))
  }

  /** Begins the deletion of a group and does not wait for it; it is over when the scene has settled. */
  async begin (name: string): Promise<void> {
    const { stage, oracle } = this
    const deleting = (async () => await stage.groupControl.delete(name, stage.options))()
    this.calls.push(`${described('groups.delete', [name])} began`)
    // Where time passes until it acts, the one before may be over by then.
    const mayBeOver = oracle.deleting.has(name)
    oracle.deleting.add(name)
    const { now } = oracle
    const over = deleting.then(async answer => {
      oracle.gone(name, now)
      // While something else is asked for another group may get its name.
      if (answer === true) return this.#isAsking ? undefined : await this.#gone(name)
      if (!(answer === false && mayBeOver)) this.#fail('delete.gone', `groups.delete(${show(name)}) must answer true, and answered ${show(answer)}`)
    })
    // Awaited when the scene settles; a failure there must not count as one that nobody hears of.
    over.catch(() => {})
    this.#deletions.push(over)
    // One that takes no time is over within the turn.
    for (let steps = 0; steps < MICROTASKS; steps++) await undefined
  }

  /** Sees that the machine knows nothing of a group that is deleted, where the author can count that; another may have its name by now. */
  async #gone (name: string): Promise<void> {
    const { now, groups } = this.oracle
    // Some count by the beginning of a name.
    if ([...groups.keys()].some(other => other.startsWith(`${name}-`))) return
    const left = await this.stage.subject.remains?.(name) ?? 0
    if (left > 0 && now === this.oracle.now && !groups.has(name)) this.#fail('delete.answers', `groups.delete(${show(name)}) answered, and ${left} of its processes are left, as remains(${show(name)}) counts`)
  }

  /** Sees that nothing is told of a group that is deleted, once that was answered. */
  async #isForgotten (name: string): Promise<void> {
    const { stage, stage: { runtime: { groups, consoles } } } = this
    const told = {
      'groups.reasons.of': await stage.settled(groups.reasons?.of(name, stage.options), 'groups.reasons.of'),
      'groups.restarts.progressOf': await stage.settled(groups.restarts?.progressOf(name, stage.options), 'groups.restarts.progressOf'),
      'groups.damage.of': await stage.settled(groups.damage?.of(name, stage.options), 'groups.damage.of') || undefined
    }
    // Where answers take time another may have its name by now.
    if (await stage.findGroup(name) !== undefined) return
    for (const [what, answer] of Object.entries(told)) {
      if (answer !== undefined) this.#fail(what === 'groups.restarts.progressOf' ? 'progress.none' : 'reasons.gone', `${name} is deleted, and ${what}(${show(name)}) answered ${show(answer)}`)
    }
    const service = [...this.told.keys()].find(one => this.oracle.groupOf(one) === name)
    if (service === undefined || consoles === undefined) return
    const following = new AbortController()
    const answer = await stage.settled(consoles.follow(service, () => {}, { signal: following.signal, bytes: 0 }), 'consoles.follow')
    following.abort()
    if (answer !== false && await stage.find(service) === undefined) this.#fail('no-service', `${service} has gone with its group, and consoles.follow(${show(service)}) answered ${show(answer)}`)
  }

  /** Waits until everything is as it was asked for, and sees that it stays so. */
  async settle (): Promise<void> {
    for (const deletion of this.#deletions) await this.stage.settled(deletion, 'groups.delete')
    this.#deletions = []
    let lacks: Lack | undefined
    let stays = 0
    try {
      await this.stage.until('all is as it was asked for', async () => {
        lacks = this.#lacks(await this.stage.services())
        stays = lacks === undefined ? stays + 1 : 0
        return stays > STAYS
      })
    } catch (error) {
      if (lacks === undefined) throw error
      this.#fail(lacks.sentence, `${lacks.what}, and stay so; ${statesOf(await this.stage.services())}`)
    }
    this.oracle.restarting.clear()
    await this.compare('when all has settled')
  }

  /** Ends the core straight after the last answer, and compares what the next one has. */
  async reopen (): Promise<void> {
    await this.stage.reopen()
    // What services do over the end of a core is not said: it goes on from what there is.
    this.oracle.wishes.clear()
    this.told.clear()
    this.#watch()
    this.calls.push('the core was ended and started anew')
    await this.compare('after a new start')
  }

  /** Waits until it was told that these are ONLINE: what is listed may be told a moment later, to whoever watches by then. */
  async toldOnline (names: readonly string[]): Promise<void> {
    if (this.stage.runtime.states === undefined) return
    await this.stage.until('states.watch has told that they are ONLINE', () => names.every(name => this.told.get(name)?.at(-1)?.state === 'ONLINE'))
  }

  /** Lets a service die, and waits until that can be seen; it may be on its way back then. */
  async crash (name: string): Promise<void> {
    await this.stage.past()
    const before = await this.stage.find(name)
    await this.stage.subject.crash?.(name)
    this.calls.push(`${name} died`)
    // One that was stopped and is ONLINE again was started for the minimum of its group: it died of no stop.
    if (this.oracle.wishes.get(name) !== 'running') this.oracle.wishes.delete(name)
    const hasEnded = before && ending(this.stage, before)
    await this.stage.until(`the death of ${name} can be seen`, async () => {
      const now = await this.stage.find(name)
      // It may be back between two looks.
      return now?.state !== 'ONLINE' || hasEnded === undefined || hasEnded(now)
    })
  }

  /** Lets the program of a service die, where one runs. */
  async die (name: string): Promise<void> {
    await this.stage.past()
    const isOver = async (): Promise<boolean> => [undefined, 'OFFLINE'].includes((await this.stage.find(name))?.state)
    try {
      if (!await isOver()) await this.stage.subject.crash?.(name)
    } catch (error) {
      // What was listed may have ended while the answer was on its way.
      if (!await isOver()) throw error
    }
    this.calls.push(`${name} died`)
  }

  /** Whether the runtime may have had to choose which service of a group it ends. */
  isChosen (group: string): boolean {
    return this.#chosen.has(group)
  }

  end (): void {
    this.#watching.abort()
  }

  /** What is not as it was asked for, or as was told. */
  #lacks (services: readonly RuntimeService[]): Lack | undefined {
    const { groups, wishes } = this.oracle
    for (const [name, wish] of wishes) {
      const service = services.find(one => one.name === name)
      const group = groups.get(service?.groupName ?? this.oracle.groupOf(name) ?? '')
      if (service === undefined) {
        if (wish !== 'running' && group !== undefined && !this.#chosen.has(group.name)) return { sentence: 'stop.stays', what: `${name} was stopped and must stay listed` }
        continue
      }
      if (group === undefined || this.#isCrowded(group, services)) continue
      if (wish === 'stopped' && group.minOnlineService === 0 && service.state !== 'OFFLINE') return { sentence: 'stop.stays', what: `${name} was stopped last and must become OFFLINE` }
      if (wish === 'running' && service.state !== 'ONLINE') return { sentence: 'stop.later-wins', what: `${name} was started last and must become ONLINE` }
    }
    for (const { name, minOnlineService, maxOnlineService } of groups.values()) {
      const own = services.filter(({ groupName }) => groupName === name)
      const online = own.filter(({ state }) => state === 'ONLINE').length
      if (online < Math.min(minOnlineService, maxOnlineService)) return { sentence: 'group.minimum', what: `${name} must have ${minOnlineService} services at least` }
      // Who has players may go on until they have left.
      if (own.filter(({ state, playerCount }) => state !== 'OFFLINE' && playerCount < 1).length > maxOnlineService) return { sentence: 'group.minimum', what: `${name} must have ${maxOnlineService} services at most` }
    }
    for (const [name, changes] of this.told) {
      const service = services.find(one => one.name === name)
      const last = changes.at(-1)?.state
      if (service === undefined && last !== 'OFFLINE') return { sentence: 'states.last', what: `${name} has gone from the list, and states.watch told last that it is ${show(last)}` }
      if (service !== undefined && service.state !== last) return { sentence: 'watch.tells', what: `states.watch told last that ${name} is ${show(last)}` }
    }
    return undefined
  }

  /** Whether more services of a group are wanted than it may have: which of them it ends is its own choice. */
  #isCrowded ({ name, maxOnlineService }: Group, services: readonly RuntimeService[]): boolean {
    const wanted = services.filter(one => one.groupName === name && this.oracle.wishes.get(one.name) === 'running')
    if (wanted.length > maxOnlineService) this.#chosen.add(name)
    return this.#chosen.has(name)
  }

  /** Notes the groups that have more services than they may: which of them are ended, and go, is the runtime's own choice. */
  #choose (services: readonly RuntimeService[]): void {
    for (const { name, maxOnlineService } of this.oracle.groups.values()) {
      const busy = services.filter(one => one.groupName === name && (one.state !== 'OFFLINE' || this.oracle.wishes.get(one.name) === 'running'))
      if (busy.length > maxOnlineService) this.#chosen.add(name)
    }
  }

  #watch (): void {
    this.stage.runtime.states?.watch(change => {
      const told = this.told.get(change.serviceName)
      if (told === undefined) this.told.set(change.serviceName, [change])
      else told.push(change)
    }, this.#watching)
  }

  /** What has to be listed in the turn of an answer. */
  async #seen (verb: string, name: string, answer: unknown, before: readonly RuntimeService[]): Promise<void> {
    const after = await this.stage.services()
    if (verb === 'services.start' && typeof answer === 'object') {
      const { name: started } = answer as { readonly name: string }
      const service = after.find(one => one.name === started)
      if (service === undefined) this.#fail('start.listed', `services.start(${show(name)}) answered ${show(answer)}, and ${statesOf(after)}`)
      const group = this.oracle.groups.get(name)
      if (group !== undefined) same(service.groupName, name, this.#quoted('start.one-more', `${started} must be of the group ${name}`))
    }
    if (verb === 'groups.delete' && answer === true) {
      await this.#gone(name)
      await this.#isForgotten(name)
      same(after.filter(({ groupName }) => groupName === name), [], this.#quoted('delete.gone', 'services.list must have no service of the group once groups.delete has answered'))
    }
    const isRefused = typeof answer === 'string' || answer === false
    if (isRefused && this.stage.isPlain && this.stage.isAtOnce) {
      same(after.map(stateOf), before.map(stateOf), 'what is refused changes nothing')
    }
    await this.compare(`after ${this.calls.at(-1)}`)
  }

  /** Compares the groups and templates that are listed with those that were made. */
  async compare (when: string): Promise<void> {
    const { stage, oracle } = this
    // A deletion may end while a list is on its way: the group is on it or not.
    const going = new Set(oracle.deleting)
    const isKept = ({ name }: Group): boolean => !going.has(name) && !oracle.deleting.has(name)
    const listed = (await stage.groups()).filter(isKept).map(plain)
    const expected = [...oracle.groups.values()].filter(isKept).map(plain)
    same(listed.sort(byName), expected.sort(byName), this.#quoted('create.listed', `groups.list must have the groups that were made, as they were made and edited, ${when}`))
    const templates = stage.runtime.templates
    if (templates === undefined) return
    const names = (await stage.settled(templates.list(stage.options))).map(({ name }) => name)
    same(names.sort(), [...oracle.templates].sort(), this.#quoted('template.create', `templates.list must have the templates that were made, ${when}`))
  }

  #quoted (sentence: Sentence, what: string): string {
    return `${what}\n${quoted(sentences[sentence][0])}`
  }

  #fail (sentence: Sentence, what: string): never {
    assert.fail(this.#quoted(sentence, what))
  }
}

interface Lack {
  readonly sentence: Sentence
  readonly what: string
}

const stateOf = ({ name, state }: RuntimeService): string => `${name} ${state}`
const byName = (one: Group, other: Group): number => one.name < other.name ? -1 : 1
