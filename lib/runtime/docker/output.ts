/** Following what a container prints: first what there is, then what comes, and between the two nothing is left out or told twice. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Chunk, FollowOptions } from '../../../types/engine.js'
import { isGone, type Client, type Docker } from './client.js'
import { createFrameReader, type Entry } from './frames.js'
import { createPlace } from './output-place.js'

export interface OutputParts {
  readonly client: Client
  /** Whose output it is: a container's, or a task's. */
  source (docker: Docker): Pick<Docker.Container, 'logs'>
  /** Whether nothing more will be printed. */
  isOver (): boolean
  /** The source does not end by itself: when the life is over and nothing has come for so many milliseconds, everything was said. */
  readonly quiet?: number
}

export interface Output {
  follow (tell: (chunk: Chunk) => void, options: FollowOptions): Promise<void>
  /** Answers when all who follow have heard the last words of a life that is over; after some seconds in any case. */
  drained (): Promise<void>
}

/** So many entries of the past where it may be cut, and at least so many: by them it is known where to go on. */
const MOST = 2000
const LEAST = 200
/** A short line has so many bytes, with what ends it. */
const SHORT = 8
/** Bytes of a console are read in so many milliseconds, however many they are. */
const HISTORY_MS = 60_000
const PAUSE_MS = 250
const DRAIN_MS = 5000

export function createOutput ({ client, source, isOver, quiet }: OutputParts): Output {
  const following = new Set<Promise<unknown>>()

  async function past (tail: number | 'all', signal: AbortSignal): Promise<Entry[]> {
    const bytes = await client.ask(async (docker, abortSignal) => await source(docker).logs({
      follow: false, stdout: true, stderr: true, timestamps: true, tail: tail as number, abortSignal
    }), { signal, within: HISTORY_MS })
    // An answer that is not followed is handed over whole; where there is nothing it may be an empty text.
    return createFrameReader()(Buffer.from(bytes))
  }

  /** Hands over what comes until the life is over, or the connection. */
  async function live (since: string | undefined, signal: AbortSignal, hear: (entry: Entry) => void): Promise<void> {
    const stream = await client.ask(async (docker, abortSignal) => await source(docker).logs({
      follow: true, stdout: true, stderr: true, timestamps: true, ...(since === undefined ? {} : { since: since as unknown as number }), abortSignal
    }), { signal }) as NodeJS.ReadableStream & { destroy (): void }
    const take = createFrameReader()
    const end = (): void => { stream.destroy() }
    signal.addEventListener('abort', end, { once: true })
    let [heardAt, hasAll] = [performance.now(), false]
    const silence = quiet === undefined
      ? undefined
      : setInterval(() => {
        hasAll = isOver() && performance.now() - heardAt > quiet
        if (hasAll) end()
      }, quiet).unref()
    try {
      for await (const piece of stream) {
        heardAt = performance.now()
        for (const entry of take(piece as Buffer)) if (!signal.aborted) hear(entry)
      }
    } catch (error) {
      if (!hasAll) throw error
    } finally {
      clearInterval(silence)
      signal.removeEventListener('abort', end)
      end()
    }
  }

  async function goOn (place: ReturnType<typeof createPlace>, signal: AbortSignal, tell: (chunk: Chunk) => void): Promise<void> {
    while (!signal.aborted) {
      const wasOver = isOver()
      try {
        let { since, skip } = place.next()
        await live(since, signal, entry => {
          if (skip > 0) return skip--
          place.note(entry.at)
          tell({ bytes: entry.bytes, gap: 0 })
        })
        if (wasOver) return
      } catch (error) {
        // What is over has said all that can be had.
        if (signal.aborted || isGone(error) || wasOver) return
      }
      await delay(isOver() ? 0 : PAUSE_MS, undefined, { signal }).catch(() => {})
    }
  }

  return {
    follow: async (tell, { from, whole, signal }) => {
      if (signal.aborted) return
      const hear = (chunk: Chunk): void => { if (!signal.aborted && chunk.bytes.length > 0) tell(chunk) }
      const tail = typeof from === 'object' ? Math.max(LEAST, Math.min(Math.ceil(from.last / SHORT), 10 * MOST)) : whole() ? 'all' : MOST
      const first = past(tail, signal).catch((error: unknown) => {
        if (signal.aborted || isGone(error)) return undefined
        throw error
      })
      const rest = first.then(async entries => {
        if (entries === undefined) return
        const isCut = typeof tail === 'number' && entries.length >= tail
        const place = createPlace(entries.map(({ at }) => at), isCut)
        for (const chunk of chunksOf(entries, isCut, typeof from === 'object' ? from.last : undefined)) hear(chunk)
        return async () => { await goOn(place, signal, hear) }
      })
      const over = rest.then(async go => { await go?.() }).catch(() => {})
      following.add(over)
      over.then(() => { following.delete(over) }, () => {})
      await rest
    },
    drained: async () => { await Promise.race([Promise.all(following), delay(DRAIN_MS, undefined, { ref: false })]) }
  }
}

/** What is handed over of the past: all of it, or at most so many of its last bytes. */
function chunksOf (entries: readonly Entry[], isCut: boolean, last: number | undefined): Chunk[] {
  if (last === undefined) return entries.map(({ bytes }, index) => ({ bytes, gap: isCut && index === 0 ? 1 : 0 }))
  let [left, from] = [last, entries.length]
  while (from > 0 && (entries[from - 1] as Entry).bytes.length <= left) left -= (entries[--from] as Entry).bytes.length
  const whole = entries.slice(from).map(({ bytes }) => bytes)
  const before = entries[from - 1]?.bytes
  // A piece of the entry before, of which the rest is left out; or a whole one, which begins with a line unless that one was part of it.
  const isLine = before === undefined || before.at(-1) === 10
  if (whole.length === 0 && before !== undefined && left > 0) return [{ bytes: before.subarray(before.length - left), gap: before.length - left }]
  return whole.map((bytes, index) => ({ bytes, gap: index === 0 && !isLine ? 1 : 0 }))
}
