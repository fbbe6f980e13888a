/** Follows `GET /events` for as long as it takes: over lost connections and restarts of the core. */
import { createParser } from 'eventsource-parser'
import type { EventTopic, ItemEvent, SnapshotEvent } from '../../types/events.js'
import { CloudError, refusalIn } from './error.js'
import { createView } from './view.js'

export interface EventsOptions {
  /** What to follow. Default: all that the caller may list. */
  readonly topics?: readonly EventTopic[]
  /** Ends the iteration. */
  readonly signal?: AbortSignal
  /** Told why a connection was lost, or could not be made; it is tried again. */
  readonly onLost?: (cause: unknown) => void
}

/** Begins a request for the stream that goes on after that id. */
export type OpenStream = (query: Readonly<Record<string, string>>, signal: AbortSignal) => Promise<Response>

/** A core sends something at least every 15 s. */
const silenceMs = 40_000
/** It answers a request for the stream at once, with its head. */
const headMs = 10_000
const firstWaitMs = 100
const longestWaitMs = 10_000

/** Statuses of which a caller has to hear; whatever else goes wrong may be over soon. */
const isFinal = (status: number): boolean => status >= 400 && status < 500 && ![408, 425, 429].includes(status)

export async function * followEvents (open: OpenStream, { topics, signal, onLost }: EventsOptions): AsyncGenerator<SnapshotEvent | ItemEvent, void, void> {
  const view = createView()
  const ending = new AbortController()
  const end = (): void => { ending.abort() }
  if (signal?.aborted === true) return
  signal?.addEventListener('abort', end, { once: true })
  let since: string | undefined
  let failures = 0
  try {
    while (!ending.signal.aborted) {
      try {
        const query = { ...(topics !== undefined && { topics: topics.join(',') }), ...(since !== undefined && { since }) }
        for await (const { id, type, data } of read(open, query, ending.signal)) {
          failures = 0
          if (type === 'snapshot') {
            const items = data as SnapshotEvent['items']
            const differences = view.replace(items)
            if (differences === undefined) yield { type, items }
            else yield * differences
          } else if (type === 'added' || type === 'changed' || type === 'removed') {
            const event = { type, ...data as object } as ItemEvent
            view.take(event)
            yield event
          }
          // Whoever stops in between has not had it.
          since = id
        }
        throw new Error('The core has ended the stream')
      } catch (error) {
        if (ending.signal.aborted) return
        if (error instanceof CloudError && isFinal(error.status)) throw error
        onLost?.(error)
        await pause(Math.min(longestWaitMs, firstWaitMs * 2 ** failures++) * (0.5 + Math.random() / 2), ending.signal)
      }
    }
  } finally {
    signal?.removeEventListener('abort', end)
    ending.abort()
  }
}

interface Told {
  readonly id: string
  readonly type: string
  readonly data: unknown
}

/** The events of one connection; throws when it is lost, refused or silent for too long. */
async function * read (open: OpenStream, query: Readonly<Record<string, string>>, ending: AbortSignal): AsyncGenerator<Told, void, void> {
  const connection = new AbortController()
  const leave = (): void => { connection.abort(ending.reason) }
  ending.addEventListener('abort', leave, { once: true })
  let timer: ReturnType<typeof setTimeout> | undefined
  /**
   * Waits for the core, and no longer than it may be silent; the time that the caller takes is not its. The end of the connection is heard
   * here as well: what `fetch` makes of the signal may have been collected as garbage (Node.js 20).
   */
  async function inTime<T> (answer: Promise<T>, ms = silenceMs): Promise<T> {
    const { signal } = connection
    let end = (): void => {}
    timer = setTimeout(() => { connection.abort(new Error('Nothing came for too long')) }, ms)
    const ended = new Promise<never>((_resolve, reject) => {
      end = () => {
        const reason: Error = signal.reason
        reject(reason)
      }
      if (signal.aborted) end()
      else signal.addEventListener('abort', end, { once: true })
    })
    return await Promise.race([answer, ended]).finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    })
  }
  let letGo = async (): Promise<void> => {}
  try {
    const opening = open(query, connection.signal)
    letGo = async () => { await (await opening).body?.cancel() }
    const answer = await inTime(opening, headMs)
    if (answer.status !== 200) throw refusalIn(answer.status, await inTime(answer.text()))
    if (answer.body === null) throw new Error('The answer has no body')
    const waiting: Told[] = []
    const parser = createParser({ onEvent: ({ id = '', event = 'message', data }) => { waiting.push({ id, type: event, data: JSON.parse(data) }) } })
    const text = new TextDecoder()
    const reader = answer.body.getReader()
    letGo = async () => { await reader.cancel() }
    for (;;) {
      const { done, value } = await inTime(reader.read())
      if (done) return
      parser.feed(text.decode(value, { stream: true }))
      yield * waiting.splice(0)
    }
  } finally {
    ending.removeEventListener('abort', leave)
    connection.abort()
    letGo().catch(() => {})
  }
}

/** Waits, or until that is over as well. */
async function pause (ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>(resolve => {
    const done = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
}
