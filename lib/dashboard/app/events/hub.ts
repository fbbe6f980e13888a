/**
 * Follows the events of the interface for every tab that asks: one stream for all who are logged in as the same user and follow the same.
 * A browser has no more than six connections to a host; a stream for each tab would leave none for anything else.
 */
import { CloudError, type EventTopic, type ItemEvent, type SnapshotEvent, createClient } from '../../../client/index.js'

export interface Follow {
  /** Where the interface is. */
  readonly api: string
  /** Who looks: what the session of another one may see is not told. */
  readonly user: string
  readonly topics: readonly EventTopic[]
}

/** What a tab says. `next`: what it was told is done, and there may be more. `renew`: it has reason to doubt the connection. */
export type Said = ({ readonly type: 'follow' } & Follow) | { readonly type: 'next' | 'renew' | 'leave' }

/**
 * What a tab is told. `heard`: until then nothing else has happened, in milliseconds since the Unix epoch. `refused`: the session, or the right
 * to follow, is gone; nothing comes after it.
 */
export type Told = SnapshotEvent | ItemEvent | { readonly type: 'open' | 'lost' | 'refused' } | { readonly type: 'heard', readonly at: number }

interface Listener {
  readonly port: MessagePort
  /** What it has yet to be told; undefined where that became too much: it is told how everything is then. */
  waiting: Told[] | undefined
  isReady: boolean
  toldAt: number
}

interface Stream {
  add (listener: Listener): void
  remove (listener: Listener): void
  renew (listener: Listener): void
}

/** A tab that is frozen takes nothing. */
const mostWaiting = 5_000
/** One that is gone never says so. */
const longestSilentMs = 60_000
/** A busy stream has a word all the time. */
const heardEveryMs = 1_000
/** Every tab hears of the network that is back: one new attempt is enough. */
const newAttemptMs = 1_000

const streams = new Map<string, Stream>()
const keyOf = (topic: EventTopic, item: ItemEvent['item']): string => topic === 'players' ? (item as { uuid: string }).uuid : item.name

function hand (listener: Listener, all: () => Told[]): void {
  if (!listener.isReady || listener.waiting?.length === 0) return
  listener.port.postMessage(listener.waiting ?? all())
  Object.assign(listener, { waiting: [], isReady: false, toldAt: Date.now() })
}

/** The answer to `GET /events`, if it is for that user: a browser has one cookie, and another one may have logged in since. */
async function openFor ({ api, user }: Follow, request: Request): Promise<Response> {
  const answer = await fetch(request)
  if (answer.status !== 200) return answer
  const self = await fetch(`${api}/user/self`, { credentials: 'include', signal: request.signal })
  const isOther = self.status === 200 ? (await self.json() as { data: { uuid: string } }).data.uuid !== user : self.status === 401 || self.status === 403
  if (self.status === 200 && !isOther) return answer
  await answer.body?.cancel()
  if (isOther) return new Response('{}', { status: 401 })
  throw new Error('Nobody knows whose stream that is')
}

function createStream (follow: Follow, onEnd: () => void): Stream {
  const listeners = new Set<Listener>()
  const items = new Map<EventTopic, Map<string, ItemEvent['item']>>()
  let status: 'open' | 'lost' | undefined
  let attempt = new AbortController()
  let begunAt = 0
  let heardAt = 0

  function all (): Told[] {
    const snapshot = { type: 'snapshot', items: Object.fromEntries([...items].map(([topic, known]) => [topic, [...known.values()]])) } as const
    const heard = { type: 'heard', at: heardAt } as const
    return [...(items.size > 0 ? [snapshot as SnapshotEvent] : []), ...(heardAt === 0 ? [] : [heard]), ...(status === undefined ? [] : [{ type: status }])]
  }

  function tell (told: Told): void {
    for (const listener of [...listeners]) {
      if (!listener.isReady && Date.now() - listener.toldAt > longestSilentMs) {
        remove(listener)
        continue
      }
      if (listener.waiting !== undefined && listener.waiting.push(told) > mostWaiting) listener.waiting = undefined
      hand(listener, all)
    }
  }

  function set (next: 'open' | 'lost'): void {
    status = next
    tell({ type: next })
  }

  function take (event: SnapshotEvent | ItemEvent): void {
    if (event.type === 'snapshot') {
      for (const topic of follow.topics) items.set(topic, new Map((event.items[topic] ?? []).map(item => [keyOf(topic, item), item])))
    } else if (event.type === 'removed') items.get(event.topic)?.delete(keyOf(event.topic, event.item))
    else items.get(event.topic)?.set(keyOf(event.topic, event.item), event.item)
    tell(event)
  }

  /** Hears of every word of the core, also of those that only say that it is there. */
  function listenIn (answer: Response): Response {
    const listening = new TransformStream<Uint8Array, Uint8Array>({
      transform: (bytes, onwards) => {
        onwards.enqueue(bytes)
        const now = Date.now()
        if (now - heardAt < heardEveryMs) return
        heardAt = now
        tell({ type: 'heard', at: now })
      }
    })
    return new Response(answer.body?.pipeThrough(listening) ?? null, answer)
  }

  async function run (): Promise<void> {
    attempt.abort()
    const { signal } = attempt = new AbortController()
    begunAt = Date.now()
    const cloud = createClient({
      url: follow.api,
      fetch: async request => {
        const answer = await openFor(follow, request)
        if (answer.status !== 200 || signal.aborted) return answer
        set('open')
        return listenIn(answer)
      }
    })
    try {
      for await (const event of cloud.events({ topics: follow.topics, signal, onLost: () => { if (!signal.aborted) set('lost') } })) {
        if (signal.aborted) return
        take(event)
      }
    } catch (error) {
      if (signal.aborted) return
      tell({ type: 'refused' })
      end()
      if (!(error instanceof CloudError)) throw error
    }
  }

  function end (): void {
    attempt.abort()
    listeners.clear()
    onEnd()
  }

  function remove (listener: Listener): void {
    if (listeners.delete(listener) && listeners.size === 0) end()
  }

  return {
    add: listener => {
      if (listeners.has(listener)) {
        hand(listener, all)
        return
      }
      listeners.add(listener)
      // Where nothing is known yet, it hears of it when it is.
      listener.waiting = all()
      hand(listener, all)
      if (listeners.size === 1 && begunAt === 0) run()
    },
    remove,
    renew: listener => {
      if (Date.now() - begunAt > newAttemptMs) run()
      else if (status === 'open') {
        listener.waiting?.push({ type: 'open' })
        hand(listener, all)
      }
    }
  }
}

function streamOf (follow: Follow): Stream {
  const key = JSON.stringify([follow.api, follow.user, follow.topics])
  const known = streams.get(key)
  if (known !== undefined) return known
  const made: Stream = createStream(follow, () => { if (streams.get(key) === made) streams.delete(key) })
  streams.set(key, made)
  return made
}

/** Tells whoever has the other end of that port what it asks for. */
export function serve (port: MessagePort): void {
  const listener: Listener = { port, waiting: [], isReady: true, toldAt: 0 }
  let wanted: Follow | undefined
  let stream: Stream | undefined

  function leave (): void {
    wanted = undefined
    stream?.remove(listener)
    stream = undefined
  }

  port.onmessage = ({ data }: MessageEvent<Said>) => {
    if (data.type === 'next') listener.isReady = true
    if (data.type === 'leave') leave()
    if (data.type === 'follow') {
      leave()
      wanted = data
    }
    if (wanted === undefined) return
    // One that was given up for gone is taken in again.
    stream = streamOf(wanted)
    stream.add(listener)
    if (data.type === 'renew') stream.renew(listener)
  }
  port.addEventListener('close', leave)
}
