/** What the cloud has, followed by the events of the interface; and what it used while this page was open. */
import { useEffect, useReducer } from 'preact/hooks'
import type { EventTopic, ItemEvent } from '../../client/index.js'
import type { Group, Platform, Player, Service, Template } from '../../../types/resources.js'
import { onAnswer, passed } from './cloud.js'
import { connection, healed, heard, lost } from './connection.js'
import type { Told } from './events/hub.js'
import { type Listening, listen } from './events/listen.js'
import { isMeasured } from './parts/usage.js'
import { place } from './place.js'
import { holds, look, session } from './session.js'

export interface Items {
  readonly services: Service
  readonly groups: Group
  readonly platforms: Platform
  readonly templates: Template
  readonly players: Player
}

/** A service's processor and memory, the newest last. */
export interface Sample {
  readonly cpu: number
  readonly memory: number
}

const permissions: Readonly<Record<EventTopic, string>> = {
  services: 'service.list', groups: 'group.list', platforms: 'platform.list', templates: 'templates.list', players: 'players.list'
}
/** Players may be many: they are followed while their view is open. */
const always: readonly EventTopic[] = ['services', 'groups', 'platforms', 'templates']
const samplesKept = 60
/** Whoever sees a page that shows nothing waits for a role that opens something. */
const lookedEveryMs = 1_000
/** A thousand services change all the time; eyes want no more than this. */
const drawnEveryMs = 150

const collator = new Intl.Collator('en', { numeric: true })
const keyOf = (topic: EventTopic, item: ItemEvent['item']): string => topic === 'players' ? (item as Player).uuid : item.name

interface Topic {
  readonly items: Map<string, ItemEvent['item']>
  readonly listeners: Set<() => void>
  /** Keys by name; undefined where something came or went. */
  order: readonly string[] | undefined
  sorted: ReadonlyArray<ItemEvent['item']> | undefined
  isLoaded: boolean
}

const topics = Object.fromEntries(Object.keys(permissions).map(name =>
  [name, { items: new Map(), listeners: new Set(), order: undefined, sorted: undefined, isLoaded: false }])) as unknown as Record<EventTopic, Topic>
const samples = new Map<string, Sample[]>()

let timer: ReturnType<typeof setTimeout> | undefined
const changed = new Set<EventTopic>()

function tell (name: EventTopic, isSameOrder = false): void {
  topics[name].sorted = undefined
  if (!isSameOrder) topics[name].order = undefined
  changed.add(name)
  timer ??= setTimeout(() => {
    timer = undefined
    const told = [...changed]
    changed.clear()
    for (const one of told) for (const listener of [...topics[one].listeners]) listener()
  }, drawnEveryMs)
}

function note (service: Service): void {
  if (!isMeasured(service)) return
  const { name, cpuUsage, memoryUsage } = service
  const kept = samples.get(name) ?? []
  kept.push({ cpu: cpuUsage, memory: memoryUsage })
  if (kept.length > samplesKept) kept.shift()
  samples.set(name, kept)
}

function forget (name: EventTopic): void {
  topics[name].items.clear()
  topics[name].isLoaded = false
  if (name === 'services') samples.clear()
  tell(name)
}

const listenings = new Set<Listening>()
const renew = (): void => { for (const listening of listenings) listening.renew() }

// A request without an answer, or a network that went or came: the stream may be dead without a word. Whether the server can be reached is
// found out by trying, since one on this machine, or by a cable, still may be.
connection.subscribe(() => { if (connection.get().isLost) renew() })
for (const name of ['online', 'offline']) window.addEventListener(name, renew)

function take (names: readonly EventTopic[], event: Exclude<Told, { readonly type: 'open' | 'heard' | 'lost' | 'refused' }>): void {
  if (event.type === 'snapshot') {
    for (const name of names) {
      topics[name].items.clear()
      topics[name].isLoaded = true
      for (const item of event.items[name] ?? []) topics[name].items.set(keyOf(name, item), item)
      tell(name)
    }
    for (const service of event.items.services ?? []) note(service)
    return
  }
  const { type, topic, item } = event
  const key = keyOf(topic, item)
  if (type === 'removed') topics[topic].items.delete(key)
  else topics[topic].items.set(key, item)
  if (topic === 'services') {
    if (type === 'removed') samples.delete(key)
    else note(item as Service)
  }
  tell(topic, type === 'changed')
}

/** Follows those topics until the signal aborts, over everything that may come in between. */
function follow (names: readonly EventTopic[], signal: AbortSignal): void {
  const now = session.get()
  if (signal.aborted || now.phase !== 'inside') return
  if (names.length === 0) {
    healed()
    // Nobody tells a role that may list nothing what becomes of it.
    const looking = setInterval(() => { if (document.visibilityState === 'visible') passed().then(look) }, lookedEveryMs)
    const deaf = onAnswer(status => {
      if (status === 0 || status >= 500) return
      heard()
      healed()
    })
    signal.addEventListener('abort', () => {
      clearInterval(looking)
      deaf()
    }, { once: true })
    return
  }
  const listening = listen({ api: place.api, user: now.user.uuid, topics: names }, told => {
    switch (told.type) {
      case 'open':
        healed()
        break
      case 'heard':
        heard(told.at)
        break
      case 'lost':
        lost()
        // A stream that ended may mean that a right was lost.
        look()
        break
      case 'refused':
        end()
        lost()
        // The right to follow is gone, or the session: what is left decides.
        look().finally(() => { setTimeout(() => { passed().then(() => { follow(names.filter(name => holds(permissions[name])), signal) }) }, 1_000) })
        break
      default: take(names, told)
    }
  })
  function end (): void {
    listenings.delete(listening)
    listening.end()
  }
  listenings.add(listening)
  signal.addEventListener('abort', end, { once: true })
}

/** Follows what the caller may list, until the answered function is called; what is known stays until there is something newer. */
export function followAll (): () => void {
  const ending = new AbortController()
  const names = always.filter(name => holds(permissions[name]))
  for (const name of always) if (!names.includes(name)) forget(name)
  follow(names, ending.signal)
  return () => { ending.abort() }
}

/** Somebody else may be the next who looks. */
export function forgetAll (): void {
  for (const name of always) forget(name)
}

/** Follows players while a view is open. */
export function useFollowedPlayers (): void {
  useEffect(() => {
    const ending = new AbortController()
    follow(['players'], ending.signal)
    return () => {
      ending.abort()
      forget('players')
    }
  }, [])
}

/** All that is there of a topic, by name. */
export function itemsOf<T extends EventTopic> (name: T): ReadonlyArray<Items[T]> {
  const topic = topics[name]
  topic.order ??= [...topic.items].sort(([, one], [, other]) => collator.compare(one.name, other.name)).map(([key]) => key)
  topic.sorted ??= topic.order.map(key => topic.items.get(key) as ItemEvent['item'])
  return topic.sorted as ReadonlyArray<Items[T]>
}

export const itemOf = <T extends EventTopic> (name: T, key: string): Items[T] | undefined => topics[name].items.get(key) as Items[T] | undefined
export const samplesOf = (service: string): readonly Sample[] => samples.get(service) ?? []
export const mayList = (name: EventTopic): boolean => holds(permissions[name])

/** What is there of a topic, as it changes; undefined until it is known. */
export function useItems<T extends EventTopic> (name: T): ReadonlyArray<Items[T]> | undefined {
  const [, redraw] = useReducer((count: number, _: void) => count + 1, 0)
  useEffect(() => {
    const listener = (): void => { redraw() }
    topics[name].listeners.add(listener)
    redraw()
    return () => { topics[name].listeners.delete(listener) }
  }, [name])
  return topics[name].isLoaded ? itemsOf(name) : undefined
}
