/** Every proxy of the cloud, and what it is told of the servers behind it. */
import type { Awaitable, Files, Running } from '../../../../types/engine.js'
import type { Changes } from '../changes.js'
import type { Scheduler } from '../clock.js'
import type { Log } from '../options.js'
import { all, attempt, createLater, run, wait, type Later, type Task } from '../task.js'
import type { Server } from './server.js'
import { createServers, type Known } from './servers.js'
import { createTeller, lay, renderOptionsOf, type Teller } from './teller.js'
import { ask, createLook, maySay, type Word } from './vacancy.js'
import type { NetworkDefinition } from './definition.js'
import { writers } from './writers/index.js'

/** A proxy that cannot be told in so many milliseconds does not keep a service from being ended. */
const TOLD = 2000
/** So long a proxy has to move the players of a server that is parked. */
const MOVED = 3000
/** What is told to look is done with it in so many milliseconds; only a socket says when. */
const GRACE = 500
/** After an earlier core nothing is told for so long. */
const SETTLE = 500
/**
 * A login is done in so many milliseconds: the account was checked, and the server counts who comes. Where nobody can say who is on the
 * way, a server to which nobody is sent any more has to be empty at first and so much later.
 */
const LOGIN = 5000
/** Names that are shown. */
const SHOWN = 10

export interface Proxies {
  /** Lays what a proxy has to find when it starts; undefined when it is not told of servers. */
  arrange (definition: NetworkDefinition | undefined): ((files: Files) => Awaitable<void>) | undefined
  /**
   * Answers when no proxy sends anybody to a service any more that is about to end, and those that move players have moved
   * them; after some seconds in any case.
   */
  park (name: string): Awaitable<void>
  /**
   * Parks a service as `park` does, and answers what the proxies say of who is on the way there. It stays parked until it is released or
   * has ended. For so many milliseconds of `patience` a proxy that hangs is not taken for one that cannot say it.
   */
  vacate (name: string, patience: number): Awaitable<Vacancy>
  /** It takes players again, where nothing else speaks against it. */
  release (name: string): void
  /** What the proxies of a group were told last, for people; undefined when it has none. */
  describe (group: string): string | undefined
  /**
   * Begins to tell. `names` are those that an earlier core has left; who is not known to be ONLINE of them may be so in a moment, and its
   * players are not to be moved for that.
   */
  begin (names: readonly string[]): void
  /**
   * Answers when nobody is told anything any more. With `keep` the services run on, and nobody speaks of them until there is another core:
   * whoever is parked for something that has been given up takes players again, and this is told before.
   */
  end (services: 'stop' | 'keep'): Task<void>
}

/** What is known of those who are on the way to a service. */
export interface Vacancy {
  /** Somebody is, or may be: that is to be asked again later. */
  readonly isAwaited: boolean
  /** Milliseconds after which it is empty only if it still says so: not every proxy can say who is on the way. */
  readonly settle: number
}

/** A service, as far as its proxies have to know it. */
export interface Seen {
  readonly group: string
  readonly isOnline: boolean
  /** Nobody is on it, as far as is known. */
  readonly isEmpty: boolean
  /** While it runs. */
  readonly running: Running | undefined
  /** As of its last start, for a proxy that is told of servers. */
  readonly definition: NetworkDefinition | undefined
  /** What proxies are told of it; undefined: nothing. */
  readonly server: Known | undefined
}

export interface ProxyParts {
  readonly clock: Scheduler
  readonly changes: Changes
  readonly settings: { readonly log: Log }
  readonly closing: AbortSignal
  find (name: string): Seen | undefined
  /** The names of the services of a group. */
  of (group: string): readonly string[]
}

export function createProxies ({ clock, changes, settings: { log }, closing, find, of }: ProxyParts): Proxies {
  const servers = createServers()
  const tellers = new Map<string, Told>()
  /** Services that are parked for as long as it is asked who is on the way there. */
  const vacated = new Set<string>()
  /** Those who wait until nobody is on a service any more. */
  const emptying = new Map<string, Later<void>>()
  let begun = false
  const beginning = createLater<void>()
  const rendered = new Map<string, { readonly revision: number, readonly text: string }>()

  /** The servers that a proxy is told of. */
  function serversFor ({ writer, groups }: NetworkDefinition): readonly Server[] {
    const all = servers.list(groups)
    return groups === undefined && writers[writer].fallbackOnly === true ? all.filter(({ fallback }) => fallback) : all
  }

  /** Proxies of one platform get the same file. */
  function render (definition: NetworkDefinition): string {
    const key = JSON.stringify(definition)
    const known = rendered.get(key)
    if (known?.revision === servers.revision) return known.text
    const { text } = writers[definition.writer].render(serversFor(definition), renderOptionsOf(definition), { isNew: false })
    rendered.set(key, { revision: servers.revision, text })
    return text
  }

  function look (name: string): void {
    const service = find(name)
    if (begun) lookAtProxy(name, service)
    if (service?.server === undefined) vacated.delete(name)
    const difference = servers.put(name, service?.server !== undefined && vacated.has(name) ? asVacated(service.server) : service?.server)
    if (difference !== 'nothing') for (const { teller } of concerned(name)) teller.touch(difference)
    if (service?.isEmpty !== false) emptying.get(name)?.resolve()
  }

  /** The proxies that are told of a service. */
  const concerned = (name: string): readonly Told[] =>
    [...tellers.values()].filter(({ teller: { definition: { groups } } }) => groups === undefined || groups.includes(name.replace(/-\d+$/, '')))

  /** Those of them that may send players there. */
  const sendersOf = (name: string): readonly Told[] => concerned(name).filter(({ teller: { service } }) => service !== name)

  function lookAtProxy (name: string, service: Seen | undefined): void {
    const known = tellers.get(name)
    if (known !== undefined && known.token !== service?.running?.token) {
      tellers.delete(name)
      attempt(() => run(known.teller.end()), () => {})
    }
    if (service?.running === undefined || service.definition === undefined || closing.aborted) return
    const teller = tellers.get(name)?.teller ?? begin(name, service.group, service.running, service.definition)
    if (service.isOnline) teller.ready()
  }

  function begin (service: string, group: string, running: Running, definition: NetworkDefinition): Teller {
    const teller = createTeller({
      clock, log, service, group, running, definition, list: () => serversFor(definition), render: () => render(definition)
    })
    tellers.set(service, { token: running.token, group, teller, look: createLook(running.files, definition, () => serversFor(definition).length) })
    // What has changed since its file was laid.
    teller.touch('more')
    return teller
  }

  changes.watch(change => {
    if (change.kind === 'engine' || change.kind === 'usage') return
    if (change.kind === 'group') for (const name of of(change.group)) look(name)
    else look(change.service)
  }, { signal: closing })

  /** Answers with what comes first. */
  function within (ms: number, answer: Later<void>): Later<void> {
    const later = createLater<void>()
    const cancel = clock.after(ms, () => { later.resolve() }, { awaited: true })
    answer.then(() => {
      cancel()
      later.resolve()
    })
    return later
  }

  function * parkAll (name: string): Task<void> {
    const told = sendersOf(name).map(({ teller }) => teller)
    if (told.length === 0) return
    yield * all(told.map(teller => () => within(TOLD, teller.tell())))
    const grace = Math.max(...told.map(({ definition }) => graceOf(definition)))
    if (grace > 0) yield * wait(within(grace, createLater()))
    if (find(name)?.isEmpty !== false || !told.some(({ definition, problem }) => writers[definition.writer].moves && problem === undefined)) return
    const empty = createLater<void>()
    emptying.set(name, empty)
    yield * wait(within(MOVED, empty))
    emptying.delete(name)
  }

  function * vacate (name: string, patience: number): Task<Vacancy> {
    // Which proxies there are is not known before.
    if (!begun) yield * wait(beginning)
    const senders = sendersOf(name)
    if (senders.length === 0) return { isAwaited: false, settle: 0 }
    const wasParked = servers.isParked(name)
    // Where it takes players until its end, because no other does, that is stopped for as long only as it takes to ask.
    const asksAll = senders.every(({ teller: { definition } }) => maySay(definition))
    if (wasParked || asksAll) {
      vacated.add(name)
      look(name)
    }
    yield * parkAll(name)
    const words = yield * all(senders.map(sender => () => run(wordOf(sender, name, patience))))
    if (words.some(word => word === 'later' || (word !== 'nothing' && word > 0))) return { isAwaited: true, settle: 0 }
    if (!words.includes('nothing')) return { isAwaited: false, settle: 0 }
    if (wasParked) return { isAwaited: false, settle: LOGIN }
    release(name)
    return { isAwaited: false, settle: 0 }
  }

  function * wordOf (sender: Told, name: string, patience: number): Task<Word> {
    const { teller: { service }, token, look } = sender
    const word = yield * ask(name, {
      look,
      elapsed: clock.elapsed,
      pause: ms => within(ms, createLater()),
      isOver: () => closing.aborted || tellers.get(service)?.token !== token
    })
    if (word !== 'later') {
      delete sender.silentSince
      return word
    }
    sender.silentSince ??= clock.elapsed()
    return clock.elapsed() - sender.silentSince < patience ? word : 'nothing'
  }

  function release (name: string): void {
    if (vacated.delete(name)) look(name)
  }

  /** What is true when nothing is under way any more. */
  function * tellLast (): Task<void> {
    vacated.clear()
    const before = servers.revision
    for (const name of servers.names) look(name)
    if (servers.revision !== before) yield * all([...tellers.values()].map(({ teller }) => () => within(TOLD, teller.tell())))
  }

  return {
    arrange: definition => definition === undefined ? undefined : files => run(lay(files, definition, serversFor(definition))),
    park: name => closing.aborted || !servers.has(name) ? undefined : run(parkAll(name)),
    vacate: (name, patience) => closing.aborted || !servers.has(name) ? { isAwaited: false, settle: 0 } : run(vacate(name, patience)),
    release,
    describe: group => {
      const own = [...tellers.values()].filter(one => one.group === group).map(({ teller }) => describe(teller))
      return own.length === 0 ? undefined : own.join('; ')
    },
    begin: names => {
      const start = (): void => {
        begun = true
        if (!closing.aborted) for (const name of names) look(name)
        beginning.resolve()
      }
      if (names.some(name => find(name)?.running !== undefined)) clock.after(SETTLE, start)
      else start()
    },
    * end (services) {
      if (begun && services === 'keep') yield * tellLast()
      yield * all([...tellers.values()].map(({ teller }) => () => run(teller.end())))
    }
  }
}

/** Nobody is sent there for as long as it is asked who is on the way. */
const asVacated = (server: Known): Known => server.parked && server.held !== true ? server : { ...server, parked: true, held: true, asked: true }

/** A proxy that is told of its servers. */
interface Told {
  readonly token: string
  readonly group: string
  readonly teller: Teller
  /** Reads what it says of servers that are parked. */
  readonly look: ReturnType<typeof createLook>
  /** Since when it does not say what it can. */
  silentSince?: number
}

/** Milliseconds after which a proxy that was told sends nobody there any more. */
function graceOf ({ writer, reload }: NetworkDefinition): number {
  return writers[writer].retries || (reload !== undefined && 'socket' in reload) ? 0 : GRACE
}

function describe ({ service, told, problem }: Teller): string {
  if (problem !== undefined) return `${service} cannot be told of its servers: ${problem}`
  if (told === undefined) return `${service} was not told of its servers yet`
  const names = told.servers.map(({ name, parked }) => parked ? `${name} (parked)` : name)
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''
  const which = names.length === 0 ? 'no servers' : `${names.slice(0, SHOWN).join(', ')}${more}`
  return `${service} was told ${which} at ${new Date(told.at).toISOString()}`
}
