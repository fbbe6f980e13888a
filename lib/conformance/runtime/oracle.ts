/** What a verb may answer, as the contract says, for what is listed when it is called. */
import { isDeepStrictEqual } from 'node:util'
import type { Group, GroupChanges } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { byValue, show } from '../suite.js'
import type { Sentence } from './sentences.js'

/** What is listed at one moment. */
export interface Look {
  readonly services: readonly RuntimeService[]
}

/** An answer that the contract allows, in words, and the sentence that says so. */
export interface Allowed {
  readonly words: string
  readonly sentence: Sentence
  accepts (answer: unknown): boolean
}

/** What somebody wanted of a service last. `either`: it was stopped, and its group may have started it again for a minimum that it had then. */
type Wish = 'running' | 'stopped' | 'either'

const exactly = (value: unknown, sentence: Sentence): Allowed => ({ words: show(value), sentence, accepts: answer => isDeepStrictEqual(byValue(answer, value), value) })

const fold = (name: string): string => name.toLowerCase()

/** Keeps what was asked of a runtime, and answers what it may answer to the next call. */
export class Oracle {
  readonly groups = new Map<string, Group>()
  readonly templates = new Set<string>()
  /** Groups whose deletion is under way. */
  readonly deleting = new Set<string>()
  /** Those of them that are not listed any more: their deletion is over, and its answer may be on its way. */
  over: ReadonlySet<string> = new Set()
  /** False where time passes between a look and a call: a deletion may be over by then. */
  isExact = true
  readonly wishes = new Map<string, Wish>()
  /** Services of which a restart may be under way. */
  readonly restarting = new Set<string>()
  /** When each group was made, counted. */
  readonly #madeAt = new Map<string, number>()
  #generation = 0
  /** The group of each service that was ever listed. */
  readonly #groupOf = new Map<string, string>()

  allows (verb: string, given: readonly unknown[], { services }: Look): readonly Allowed[] {
    const [name, second] = given as [string, unknown]
    for (const { name, groupName } of services) this.#groupOf.set(name, groupName)
    const service = services.find(one => one.name === name)
    const isGoing = service !== undefined && this.deleting.has(service.groupName)
    switch (verb) {
      case 'services.command':
        if (service === undefined) return [exactly(false, 'command.false')]
        // One that is restarted may be listed as ONLINE all the time.
        if (service.state === 'ONLINE') return [exactly(true, 'command.true'), ...this.restarting.has(name) ? [exactly('not-reading', 'command.not-reading')] : []]
        if (service.state === 'STARTING') return [exactly(true, 'command.true'), exactly('not-reading', 'command.not-reading')]
        return [exactly('not-running', 'command.not-running')]
      case 'services.stop':
      case 'services.kill':
        return [service === undefined ? exactly(false, 'no-service') : exactly(true, 'stop.accepted')]
      case 'services.restart':
        if (service === undefined) return [exactly(false, 'restart.false')]
        return [isGoing ? exactly(false, 'deletion.first-moment') : exactly(true, 'restart.any-state')]
      case 'services.start':
        return this.#start(name, services)
      case 'groups.create':
        if (!this.#isTaken((name as unknown as Group).name)) return [exactly(true, 'create.adds')]
        return [exactly(false, 'create.false'), ...this.#mayBeOver((name as unknown as Group).name) ? [exactly(true, 'create.adds')] : []]
      case 'groups.edit': {
        const group = this.groups.get(name)
        if (group === undefined) return [exactly(false, 'no-group')]
        if (this.deleting.has(name)) return [exactly(false, 'no-group')]
        const edited = plain({ ...group, ...second as GroupChanges })
        return [{ words: show(edited), sentence: 'edit.answers', accepts: answer => isGroup(answer) && isDeepStrictEqual(byValue(plain(answer)), byValue(edited)) }]
      }
      case 'groups.delete':
        if (!this.groups.has(name)) return [exactly(false, 'delete.false')]
        return [exactly(true, 'delete.gone'), ...(!this.isExact && this.deleting.has(name)) || this.over.has(name) ? [exactly(false, 'delete.false')] : []]
      case 'templates.create':
        return [this.#template(name) === undefined ? exactly(true, 'template.create') : exactly(false, 'template.taken')]
      case 'templates.rename': {
        if (!this.templates.has(name)) return [exactly(false, 'template.rename-false')]
        const other = this.#template(second as string)
        return [other !== undefined && other !== name ? exactly('taken', 'template.rename-taken') : exactly(true, 'template.rename')]
      }
      case 'templates.delete':
        if (!this.templates.has(name)) return [exactly(false, 'template.delete-false')]
        if (!this.#isUsed(name)) return [exactly(true, 'template.delete')]
        return [exactly('in-use', 'template.in-use'), ...(!this.isExact && this.deleting.size > 0) || this.over.size > 0 ? [exactly(true, 'template.delete')] : []]
      default: throw new Error(`There is no verb ${verb}`)
    }
  }

  /** Takes note of what was answered. */
  note (verb: string, given: readonly unknown[], answer: unknown): void {
    const [name, second] = given as [string, unknown]
    if ((verb === 'services.stop' || verb === 'services.kill') && answer === true) this.wishes.set(name, 'stopped')
    if (verb === 'services.restart' && answer === true) {
      this.wishes.set(name, 'running')
      this.restarting.add(name)
    }
    if (verb === 'services.start' && isNamed(answer)) {
      const of = this.groups.has(name) ? name : this.groupOf(name)
      this.wishes.set(answer.name, 'running')
      if (of !== undefined) this.#groupOf.set(answer.name, of)
    }
    if (answer === true) {
      if (verb === 'groups.create') this.made(name as unknown as Group)
      if (verb === 'groups.delete') this.gone(name)
      if (verb === 'templates.create') this.templates.add(name)
      if (verb === 'templates.delete') this.templates.delete(name)
      if (verb === 'templates.rename') this.#renamed(name, second as string)
    }
    const group = this.groups.get(name)
    if (verb === 'groups.edit' && answer !== false && group !== undefined) {
      this.groups.set(name, { ...group, ...structuredClone(second as GroupChanges) })
      if (group.minOnlineService > 0) this.#doubt(name)
    }
  }

  #doubt (group: string): void {
    for (const [service, wish] of this.wishes) if (wish === 'stopped' && this.groupOf(service) === group) this.wishes.set(service, 'either')
  }

  /** A group has been made; one of its name that was being deleted is gone then. */
  made (group: Group): void {
    for (const name of [...this.groups.keys()].filter(one => fold(one) === fold(group.name))) this.gone(name)
    this.groups.set(group.name, structuredClone(group))
    this.#madeAt.set(group.name, ++this.#generation)
  }

  /** A moment, for `gone`. */
  get now (): number {
    return this.#generation
  }

  /** A group has been deleted; another one may have its name by now. */
  gone (name: string, generation = this.#generation): void {
    if (this.#madeAt.get(name) !== undefined && this.#madeAt.get(name)! > generation) return
    this.groups.delete(name)
    this.deleting.delete(name)
    for (const service of this.wishes.keys()) if (this.groupOf(service) === name) this.wishes.delete(service)
  }

  #start (name: string, services: readonly RuntimeService[]): readonly Allowed[] {
    const group = this.groups.get(name)
    const service = group === undefined ? services.find(one => one.name === name) : undefined
    const of = group ?? (service && this.groups.get(service.groupName))
    if (of === undefined) return service === undefined ? [exactly(false, 'start.service')] : []
    if (this.deleting.has(of.name)) return [exactly(false, 'deletion.first-moment')]
    if (service !== undefined && service.state !== 'OFFLINE') return [exactly('running', 'start.running')]
    const others = services.filter(one => one.groupName === of.name && one !== service)
    const busy = others.filter(({ state }) => state !== 'OFFLINE').length
    // One that is OFFLINE and was not stopped may be about to start again, or may have been ended.
    const doubtful = others.filter(one => one.state === 'OFFLINE' && this.wishes.get(one.name) !== 'stopped').length
    const limit = exactly('limit', 'start.limit')
    if (service !== undefined && this.wishes.get(name) !== 'stopped') {
      // One that has died has its place already, unless the others are as many as there may be.
      if (this.isExact && busy >= of.maxOnlineService) return [limit]
      const isFull = !this.isExact || busy + doubtful >= of.maxOnlineService
      return [exactly({ name }, 'start.own-place'), exactly('running', 'start.running'), ...isFull ? [limit] : []]
    }
    const started: Allowed = service !== undefined
      ? exactly({ name }, 'start.one-more')
      : {
          words: '{ name } of one more service',
          sentence: 'start.one-more',
          accepts: answer => isNamed(answer) && services.every(one => one.name !== answer.name || (one.groupName === of.name && one.state === 'OFFLINE'))
        }
    if (busy >= of.maxOnlineService) return [limit]
    // Where time passes, others may have been started for the minimum meanwhile.
    const coming = this.isExact ? 0 : Math.max(0, of.minOnlineService - busy)
    return busy + doubtful + coming >= of.maxOnlineService ? [started, limit] : [started]
  }

  groupOf (service: string): string | undefined {
    return this.#groupOf.get(service)
  }

  #renamed (name: string, newName: string): void {
    this.templates.delete(name)
    this.templates.add(newName)
    for (const [key, group] of this.groups) {
      this.groups.set(key, { ...group, templates: group.templates.map(one => one === name ? newName : one) })
    }
  }

  #mayBeOver = (name: string): boolean => [...this.isExact ? this.over : this.deleting].some(one => fold(one) === fold(name))
  #isTaken = (name: string): boolean => [...this.groups.keys()].some(one => fold(one) === fold(name))
  #template = (name: string): string | undefined => [...this.templates].find(one => fold(one) === fold(name))
  #isUsed = (name: string): boolean => [...this.groups.values()].some(({ templates }) => templates.includes(name))
}

const isNamed = (answer: unknown): answer is { readonly name: string } =>
  typeof (answer as { readonly name?: unknown } | null)?.name === 'string'

const isGroup = (answer: unknown): answer is Group =>
  isNamed(answer) && typeof (answer as Partial<Group>).properties === 'object' && Array.isArray((answer as Partial<Group>).templates)

/** A group with our fields alone. */
export function plain ({
  name, minMemory, maxMemory, minOnlineService, maxOnlineService, platform, percentageToStartNewService, properties, templates, createdAt
}: Group): Group {
  return {
    name,
    minMemory,
    maxMemory,
    minOnlineService,
    maxOnlineService,
    platform: { name: platform.name, version: platform.version },
    percentageToStartNewService,
    properties: { ...properties },
    templates: [...templates],
    createdAt
  }
}
