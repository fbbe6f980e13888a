/** Looks at a runtime whenever anything is asked of it: what holds at every moment is compared in the same turn as an answer. */
import type { CallOptions, CloudRuntime, Consoles, Listed, MaybePromise, StateChange, Watched } from '../../../types/runtime.js'
import { show } from '../suite.js'
import { comparable, copyOf, differing, inOrder, isAs, keysOf, type Copies, type ListName } from './copies.js'
import type { Findings, Invariant } from './findings.js'
import { Handed } from './handed.js'
import * as shapes from './shapes.js'

type Verb = (...given: any[]) => unknown

/** What one list has shown. */
interface Seen {
  readonly name: ListName
  readonly source: Listed<unknown>
  /** Whether it answers at once, so that it can be looked at within a turn; believed until it answers otherwise. */
  plain: boolean
  /** What each number stood for, as a text and as it was. */
  readonly revisions: Map<number, { readonly text: string, readonly items: readonly unknown[] }>
  /** What was handed out last, and as it was then. */
  readonly handedOut: Array<{ readonly items: readonly unknown[], readonly copy: Copies }>
  /** What it had at the last look. */
  last: Copies | undefined
  /** The same in an order of ours. */
  sorted: { readonly text: string, readonly items: readonly unknown[] }
}

const shapeOf = { services: shapes.service, groups: shapes.group, platforms: shapes.platform, players: shapes.player, templates: shapes.template }

/** What a part can be asked for besides its list. */
const verbsOf: Readonly<Record<string, readonly string[]>> = {
  'services.': ['command', 'restart', 'start', 'stop', 'kill'],
  'groups.': ['create', 'edit', 'delete', 'restart', 'progressOf'],
  'templates.': ['create', 'rename', 'delete'],
  'templates.files.': ['list', 'readAll', 'read', 'put', 'delete']
}

/** After so many others of its kind a list is compared with what it was when it was handed out. */
const KEPT = 3

type FollowOptions = Parameters<Consoles['follow']>[2]

const never: CallOptions = { signal: new AbortController().signal }

export const isPromise = <T>(answer: MaybePromise<T>): answer is Promise<T> =>
  typeof (answer as { readonly then?: unknown } | undefined)?.then === 'function'

/** The runtime, looked at around every call; what is found wrong is noted among the findings. */
export class Observer {
  readonly runtime: CloudRuntime
  readonly #findings: Findings
  readonly #lists: readonly Seen[]
  readonly #source: CloudRuntime
  /** What calls were given, and what they and listeners were answered and told. */
  readonly #given = new Handed()
  readonly #answered = new Handed()
  /** A listener stays one, so that a function can follow twice. */
  readonly #hearing = new WeakMap<object, (lines: readonly string[]) => void>()
  /** What is asked of groups beside a look, and not answered yet. */
  readonly #asking = new Set<string>()
  #looking = false
  #hasLeft = false
  #groupsChange = false
  /** Whether a group was restarted: the next successor may have the name of a service that has gone since the last look. */
  #groupsRoll = false
  /** What was asked for last, for the findings. */
  #after = 'at first'

  constructor (source: CloudRuntime, findings: Findings) {
    this.#findings = findings
    this.#source = source
    this.#lists = (['services', 'groups', 'platforms', 'players', 'templates'] as const)
      .flatMap(name => source[name] === undefined ? [] : [{ name, source: source[name], plain: true, revisions: new Map(), handedOut: [], last: undefined, sorted: { text: '[]', items: [] } }])
    const list = (name: ListName) => this.#watched(this.#lists.find(one => one.name === name)!)
    const { services, groups, platforms, players, metrics, templates, terminal, states, log, consoles } = source
    // Each part is a new object that calls the author's: those may be frozen, of classes, or answer with getters.
    this.runtime = {
      services: Object.assign(list('services'), services.control && { control: this.#verbs('services.', services.control) },
        services.force && { force: this.#verbs('services.', services.force) }),
      groups: Object.assign(list('groups'), groups.control && { control: this.#verbs('groups.', groups.control) }, groups.reasons && { reasons: groups.reasons }, groups.properties && { properties: groups.properties },
        groups.damage && { damage: groups.damage }, groups.restarts && { restarts: this.#verbs('groups.', groups.restarts) }),
      platforms: Object.assign(list('platforms'), platforms.downloads && { downloads: platforms.downloads }),
      players: players && list('players'),
      metrics: metrics && {
        sample: (options: CallOptions) => this.#answers('metrics.sample', metrics.sample(options))
      },
      ...templates && { templates: Object.assign(list('templates'), this.#verbs('templates.', templates), templates.files && { files: this.#verbs('templates.files.', templates.files) }) },
      ...terminal && { terminal },
      ...states && { states: this.#states(states) },
      ...log && { log: { watch: (listener: (line: string) => void, options: CallOptions) => log.watch(listener, options) } },
      ...consoles && { consoles: { follow: (name: string, listener: (lines: readonly string[]) => void, options: FollowOptions) => consoles.follow(name, this.#hears(listener), options) } }
    } as unknown as CloudRuntime
  }

  /** Whether the list of services answers at once. */
  get isPlain (): boolean {
    return this.#lists.some(({ name, plain }) => name === 'services' && plain)
  }

  /** Looks no more: its core is ended, and what it had the next one has. */
  leave (): void {
    this.#hasLeft = true
  }

  /** Looks at every list that answers at once. */
  look (): void {
    if (this.#looking || this.#hasLeft) return
    this.#looking = true
    try {
      for (const seen of this.#lists) {
        if (!seen.plain) continue
        const revision = this.#revision(seen)
        const items = listed(seen)
        if (isPromise(items)) {
          seen.plain = false
          items.then(undefined, () => {})
        } else this.#note(seen, items, revision, seen.source.revision)
      }
      this.#related()
      this.#explained()
    } finally {
      this.#looking = false
    }
  }

  /** Looks once more at what was handed out and given while it was tried. */
  end (): void {
    for (const { name, handedOut } of this.#lists) for (const one of handedOut) this.#stays(name, one)
    const [given, answered] = [this.#given.changed(), this.#answered.changed()]
    if (given !== undefined) this.#findings.add('calls.given', `what a call is given is not changed, afterwards neither: what ${given}`)
    if (answered !== undefined) this.#findings.add('answers.handed-out', `what was handed out is not changed afterwards: what ${answered}`)
  }

  /** Remembers what is answered. */
  #answers<T> (what: string, answer: MaybePromise<T>): MaybePromise<T> {
    const kept = (answer: T): T => {
      this.#answered.keep(`${what} has answered`, answer)
      return answer
    }
    return isPromise(answer) ? answer.then(kept) : kept(answer)
  }

  #hears (listener: (lines: readonly string[]) => void): (lines: readonly string[]) => void {
    const known = this.#hearing.get(listener)
    if (known !== undefined) return known
    const hears = (lines: readonly string[]): void => {
      this.#answered.keep('consoles.follow has told', lines)
      listener(lines)
    }
    this.#hearing.set(listener, hears)
    return hears
  }

  /** What is told of each group, whatever it is doing. */
  #explained (): void {
    const { reasons, damage } = this.#source.groups
    if (reasons === undefined && damage === undefined) return
    const listed = this.#lists.find(({ name }) => name === 'groups')?.last as ReadonlyArray<{ readonly name: string }> | undefined
    for (const { name } of listed ?? []) {
      if (reasons !== undefined) {
        this.#asked(`reason of ${name}`, () => reasons.of(name, never), reason => {
          if (reason !== undefined) this.#check('reasons.line', () => { shapes.sentence(reason, `what groups.reasons.of(${show(name)}) answers, where it is not undefined,`) })
        })
      }
      if (damage !== undefined) {
        this.#asked(`damage of ${name}`, () => damage.of(name, never), answer => {
          if (answer !== false) this.#find('damage.none', `nobody has changed by hand what is kept of ${name}, and groups.damage.of(${show(name)}) answered ${show(answer)}`)
        })
      }
    }
  }

  /** Asks beside a look, once at a time; what throws is found by the cases of its own. */
  #asked<T> (what: string, ask: () => MaybePromise<T>, see: (answer: T) => void): void {
    if (this.#asking.has(what)) return
    try {
      const answer = ask()
      if (!isPromise(answer)) return see(answer)
      this.#asking.add(what)
      answer.then(see, () => {}).finally(() => { this.#asking.delete(what) })
    } catch {}
  }

  #watched (seen: Seen): Listed<unknown> {
    const { source } = seen
    const list = (options: CallOptions): MaybePromise<readonly unknown[]> => {
      const revision = this.#revision(seen)
      const items = source.list(options)
      if (!isPromise(items)) {
        this.#note(seen, items, revision, source.revision)
        return comparable(seen.name, items)
      }
      seen.plain = false
      return items.then(items => {
        this.#note(seen, items, revision, source.revision)
        return comparable(seen.name, items)
      })
    }
    if (source.revision === undefined) return { list }
    return Object.defineProperty({ list }, 'revision', { enumerable: true, get: () => source.revision })
  }

  /** The verbs of a part of the author's, looked at before and after; called on that part, whatever it is made of. */
  #verbs (prefix: string, verbs: object): object {
    const own = verbs as Record<string, Verb | undefined>
    const called = (name: string) => (...given: unknown[]): unknown => {
      this.look()
      if (name === 'edit' || name === 'delete') this.#groupsChange = true
      if (prefix === 'groups.' && name === 'restart') this.#groupsRoll = true
      const what = `${prefix}${name}`
      for (const one of prefix === 'templates.files.' ? [] : given.slice(0, -1)) this.#given.keep(`${what} was given`, one)
      const answer = prefix === 'templates.files.' ? own[name]!(...given) : this.#answers(what, own[name]!(...given))
      this.#after = `after ${what}(${given.slice(0, -1).map(show).join(', ')})`
      this.look()
      const shown = (answer: unknown): unknown => name === 'edit' && typeof answer === 'object' && answer !== null ? copyOf('groups')(answer) : answer
      if (!isPromise(answer)) return shown(answer)
      return Promise.resolve(answer).finally(() => this.look()).then(shown)
    }
    return Object.fromEntries((verbsOf[prefix] ?? []).filter(name => typeof own[name] === 'function').map(name => [name, called(name)]))
  }

  #states (states: Watched<StateChange>): Watched<StateChange> {
    return {
      watch: (listener, options) => {
        const last = new Map<string, string>()
        const told = (change: StateChange): void => {
          this.#answered.keep('states.watch has told', change)
          this.#check('states.shape', () => { shapes.stateChange(change, 'what states.watch tells') })
          if (last.get(change?.serviceName) === change?.state) {
            this.#find('states.moves', `states.watch told ${show(change)} where it had told that state of that service just before`)
          }
          last.set(change?.serviceName, change?.state)
        }
        // Beside the listener, which the runtime gets as it is: it may be one that watches already.
        states.watch(told, options)
        return states.watch(listener, options)
      }
    }
  }

  #revision ({ name, source }: Seen): number | undefined {
    const { revision } = source
    if (revision !== undefined && !Number.isFinite(revision)) this.#find('list.revision', `${name}.revision must be a number, and is ${show(revision)}`)
    return revision
  }

  #note (seen: Seen, items: readonly unknown[], before: number | undefined, after: number | undefined): void {
    const { name, handedOut, revisions } = seen
    // What is as it was at the last look has been found right, or noted, there.
    if (seen.last === undefined || !isAs(name, seen.last, items)) {
      this.#check(`${name}.shape`, () => { shapes.every(items, shapeOf[name], `${name}.list`) })
      if (!Array.isArray(items)) return
      const copy = items.map(copyOf(name))
      const keys = keysOf(name, copy)
      const twice = keys.find((key, index) => keys.indexOf(key) !== index)
      if (twice !== undefined) this.#find(`${name}.once`, `${name}.list has ${show(twice)} more than once`)
      if (name === 'services') this.#alone(copy)
      if (name === 'services' && seen.plain) this.#unmoved(seen.last, copy)
      const sorted = inOrder(name, copy)
      seen.last = copy
      seen.sorted = { text: JSON.stringify(sorted), items: sorted }
    }

    handedOut.push({ items, copy: seen.last })
    if (handedOut.length > KEPT) this.#stays(name, handedOut.shift()!)

    // It changed meanwhile: then the list may be the old one or the new one.
    if (before !== undefined && before === after) {
      const known = revisions.get(before)
      if (known !== undefined && known.text !== seen.sorted.text) {
        this.#find(`${name}.revision`, `${name}.list changed and ${name}.revision stayed ${before}: it had ${show(differing(known.items, seen.sorted.items))} and has ${show(differing(seen.sorted.items, known.items))}`)
      }
      revisions.set(before, seen.sorted)
    }
  }

  /** A list that was handed out some looks ago is as it was then. */
  #stays (name: ListName, { items, copy }: Seen['handedOut'][number]): void {
    if (!isAs(name, copy, items)) this.#find('list.handed-out', `a list that ${name}.list has answered was changed afterwards: it was ${JSON.stringify(copy)} and is ${JSON.stringify(items)}`)
  }

  /** What stays as long as a service is listed. Where groups are edited or deleted, another may have its name by now. */
  #unmoved (before: Copies | undefined, now: Copies): void {
    if (this.#groupsChange) return
    for (const item of now) {
      const earlier = before?.find(({ name, groupName }) => name === item['name'] && groupName === item['groupName'])
      // However long nobody has looked: the old one may have gone and another come.
      const isSuccessor = this.#groupsRoll && item['lastExit'] === undefined
      if (earlier !== undefined && earlier['createdAt'] !== item['createdAt'] && !isSuccessor) {
        this.#find('services.created', `${show(item['name'])} had the createdAt ${show(earlier['createdAt'])} and has ${show(item['createdAt'])}: it is the time of the first start`)
      }
    }
  }

  /** Nobody else listens where a service does that is ONLINE. */
  #alone (services: Copies): void {
    const listens = services.filter(({ state, port }) => state === 'ONLINE' && port !== 0).map(({ hostname, port }) => `${String(hostname)}:${String(port)}`)
    const shared = listens.find((one, index) => listens.indexOf(one) !== index)
    if (shared !== undefined) this.#find('services.port', `two services that are ONLINE listen on ${shared}`)
  }

  /** What the lists say of each other, where all can be looked at in one turn. */
  #related (): void {
    const [services, groups, players] = (['services', 'groups', 'players'] as const).map(wanted => this.#lists.find(({ name, plain }) => name === wanted && plain)?.last)
    if (services !== undefined && groups !== undefined) {
      const names = new Set((groups as ReadonlyArray<{ name: unknown }>).map(({ name }) => name))
      const lost = (services as ReadonlyArray<{ name: unknown, groupName: unknown }>).find(({ groupName }) => !names.has(groupName))
      if (lost !== undefined) this.#find('services.group', `${show(lost.name)} has the groupName ${show(lost.groupName)}, and groups.list has ${show([...names])}`)
    }
    if (services !== undefined && players !== undefined) {
      const names = new Set((services as ReadonlyArray<{ name: unknown }>).map(({ name }) => name))
      const lost = (players as ReadonlyArray<{ name: unknown, currentServiceName: unknown }>).find(({ currentServiceName }) => !names.has(currentServiceName))
      if (lost !== undefined) this.#find('players.service', `${show(lost.name)} has the currentServiceName ${show(lost.currentServiceName)}, and services.list has ${show([...names])}`)
    }
  }

  #check (invariant: Invariant, check: () => void): void {
    try {
      check()
    } catch (error) {
      this.#find(invariant, (error as Error).message)
    }
  }

  #find (invariant: Invariant, what: string): void {
    this.#findings.add(invariant, `${what}; ${this.#after}`)
  }
}

/** What a list answers; one that throws is none to be looked at beside a call. */
function listed ({ source }: Seen): MaybePromise<readonly unknown[]> {
  try {
    return source.list(never)
  } catch (error) {
    return Promise.reject(error)
  }
}
