/**
 * What is known of one list: it is compared with how the list is now, and each difference goes into the journal.
 *
 * Of services it is the runtime's own word that a state has changed (`states`) that counts: a list may lag behind it, or run
 * ahead. Where the two differ for longer than a second the list is right.
 */
import type { EventTopics, ItemEvent } from '../../types/events.js'
import type { Service, ServiceState } from '../../types/resources.js'
import type { StateChange } from '../../types/runtime.js'
import { inChunks } from '../cloud/chunks.js'
import type { Entry, Journal } from './journal.js'
import { changeText } from './texts.js'
import type { Source } from './topics.js'

const doubtMs = 1_000
/** Services that nobody has listed yet, and states of each, that are remembered until the list is looked at. */
const mostNames = 1_000
const mostStates = 100

type Item = EventTopics[keyof EventTopics]

interface Thing {
  /** As it was handed over last; undefined where it has to be compared anew. */
  given: object | undefined
  item: Item
  text: string
  /** The look that has seen it last. */
  look: number
  /** Its last entry, where a later one can stand for it. */
  plain: Entry | undefined
  /** Since when list and states differ, or a state is known that the list has not shown yet. */
  doubtedAt: number | undefined
}

export interface Known {
  /** Takes note of the list as it is now. */
  compare (items: readonly object[]): Promise<void>
  /** Takes note of a change of state; false where the service is not known yet. */
  change (change: StateChange): boolean
  /** Whether list and states differ. */
  readonly isDoubtful: boolean
  /** All items, as JSON. */
  texts (): readonly string[]
  items (): readonly Item[]
}

export interface KnownParts {
  readonly source: Source
  readonly journal: Journal
  /** A clock that never goes back. */
  now (): number
  /** Whether the runtime tells of states now. */
  isTold (): boolean
}

export function createKnown ({ source, journal, now, isTold }: KnownParts): Known {
  const things = new Map<string, Thing>()
  /** States of services that the list has not shown yet. */
  const early = new Map<string, ServiceState[]>()
  let doubtful = 0
  let looks = 0

  function tell (type: ItemEvent['type'], { item, text }: Pick<Thing, 'item' | 'text'>): Entry {
    return journal.add(source.bit, { type, topic: source.name, item } as ItemEvent, changeText(type, source.name, text))
  }

  function doubt (thing: Thing, since: number | undefined): void {
    if (thing.doubtedAt === undefined && since !== undefined) doubtful++
    if (thing.doubtedAt !== undefined && since === undefined) doubtful--
    thing.doubtedAt = since
  }

  /** Gives a thing another form, and tells of it. */
  function renew (thing: Thing, item: Item, text = JSON.stringify(item)): void {
    if (text === thing.text) return
    const isPlain = stateOf(item) === stateOf(thing.item)
    thing.item = item
    thing.text = text
    if (thing.plain !== undefined) journal.supersede(thing.plain)
    const entry = tell('changed', thing)
    thing.plain = isPlain ? entry : undefined
  }

  function add (key: string, given: object): void {
    const [first, ...later] = early.get(key) ?? []
    early.delete(key)
    const shown = source.show(given)
    const item = first === undefined ? shown : { ...shown as Service, state: first }
    const thing: Thing = { given, item, text: JSON.stringify(item), look: looks, plain: undefined, doubtedAt: undefined }
    things.set(key, thing)
    tell('added', thing)
    for (const state of later) renew(thing, { ...thing.item as Service, state })
    if (first !== undefined) see(thing, given)
  }

  /** Compares a thing with how the list shows it. */
  function see (thing: Thing, given: object): void {
    const shown = source.show(given)
    const state = stateOf(thing.item)
    if (state === undefined || stateOf(shown) === state || !isTold()) doubt(thing, undefined)
    else if (thing.doubtedAt === undefined) doubt(thing, now())
    else if (now() - thing.doubtedAt >= doubtMs) doubt(thing, undefined)
    const isDoubted = thing.doubtedAt !== undefined
    thing.given = isDoubted ? undefined : given
    renew(thing, isDoubted ? { ...shown as Service, state: state as ServiceState } : shown)
  }

  function remove (key: string, thing: Thing): void {
    things.delete(key)
    doubt(thing, undefined)
    if (thing.plain !== undefined) journal.supersede(thing.plain)
    tell('removed', thing)
  }

  return {
    compare: async items => {
      const look = ++looks
      const before = [...early.keys()]
      let seen = 0
      for await (const some of inChunks(items)) {
        for (const given of some) {
          const key = source.keyOf(given)
          const thing = things.get(key)
          // What a list has twice is there once.
          if (thing?.look === look) continue
          seen++
          if (thing === undefined) add(key, given)
          else {
            thing.look = look
            if (thing.given !== given) see(thing, given)
          }
        }
      }
      if (seen < things.size) for (const [key, thing] of things) if (thing.look !== look) remove(key, thing)
      for (const key of before) early.delete(key)
    },

    change: ({ serviceName, state }) => {
      const thing = things.get(serviceName)
      if (thing === undefined) {
        const states = early.get(serviceName) ?? []
        if (states.length < mostStates) states.push(state)
        if (early.has(serviceName) || early.size < mostNames) early.set(serviceName, states)
        return false
      }
      if (stateOf(thing.item) !== state) {
        thing.given = undefined
        renew(thing, { ...thing.item as Service, state })
        doubt(thing, now())
      }
      return true
    },

    get isDoubtful () { return doubtful > 0 },
    texts: () => Array.from(things.values(), ({ text }) => text),
    items: () => Array.from(things.values(), ({ item }) => item)
  }
}

const stateOf = (item: object): ServiceState | undefined => (item as Partial<Service>).state
