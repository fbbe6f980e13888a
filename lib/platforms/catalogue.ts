/** Asking the catalogues of server software: JSON of a bearable size and number of entries, tried again where that may help, and read field by field. */
import { setTimeout as pause } from 'node:timers/promises'
import { createDeadline } from '../runtime/fleet/downloads/deadline.js'
import { DownloadError, reasonOf, refuse, request, shownAddress } from '../runtime/fleet/downloads/request.js'
import { listenFor, type Tell } from './silence.js'

/** Why a catalogue could not be made use of, or a command on platforms, for whoever gave it. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'
}

export interface AskOptions {
  readonly signal: AbortSignal
  /** Who asks, for the people behind a catalogue: `fastify-cloud/0.1.0 (admin@example.com)`. */
  readonly agent: string
  /** Milliseconds before the second try; the third waits twice as long. Default 1,000. */
  readonly pause?: number
  /** Milliseconds that one answer may take. Default 30,000. */
  readonly timeout?: number
  /** Told what does not answer, and when it is asked again. */
  readonly tell?: Tell
  /** Milliseconds of silence after which that is told. */
  readonly silence?: number | undefined
}

export type Ask = (url: string) => Promise<Reader>

/** Bytes of the longest answer, some ten times what any catalogue says. */
const longest = 4 * 1024 * 1024
/** Entries of lists and objects that are looked at in one answer; the longest has some thousand. */
const mostEntries = 20_000
const tries = 3
/** What may be otherwise in a moment. */
const passing = new Set([408, 425, 429, 500, 502, 503, 504])

export function createAsk ({ signal, agent, pause: wait = 1000, timeout = 30_000, tell = () => {}, silence: silent }: AskOptions): Ask {
  return async url => {
    for (let left = tries - 1; ; left--) {
      const silence = listenFor(shownAddress(url), tell, silent)
      try {
        return await askInTime(url, signal, timeout, agent)
      } catch (error) {
        signal.throwIfAborted()
        const { isPassing, retryAfter = 0 } = error as CatalogueFault
        if (isPassing !== true || left === 0 || retryAfter > timeout) throw new PlatformError((error as Error).message, { cause: error })
        const ms = Math.max(retryAfter, wait * 2 ** (tries - 1 - left))
        tell(`${(error as Error).message}; asked again in ${Math.ceil(ms / 1000)} s`)
        await pause(ms, undefined, { signal })
      } finally {
        silence.end()
      }
    }
  }
}

interface CatalogueFault extends Error {
  readonly isPassing?: boolean
  readonly retryAfter?: number | undefined
}

async function askInTime (url: string, signal: AbortSignal, timeout: number, agent: string): Promise<Reader> {
  const deadline = createDeadline(signal)
  const late: CatalogueFault = Object.assign(new DownloadError(`${shownAddress(url)} did not answer in time`), { isPassing: true })
  const timer = setTimeout(() => { deadline.abort(late) }, timeout)
  try {
    return await askOnce(url, deadline.signal, agent)
  } catch (error) {
    throw deadline.signal.reason === late ? late : error
  } finally {
    clearTimeout(timer)
    deadline.end()
  }
}

async function askOnce (url: string, signal: AbortSignal, agent: string): Promise<Reader> {
  const where = shownAddress(url)
  let text: string
  try {
    const response = await request(url, { signal, headers: { 'user-agent': agent, accept: 'application/json' } })
    if (response.status === 404) {
      await refuse(response, url)
      return createReader(undefined, `${where} (404 Not Found)`)
    }
    if (response.status !== 200) {
      throw Object.assign(await refuse(response, url), { isPassing: passing.has(response.status) })
    }
    text = await textOf(response, where)
  } catch (error) {
    if ((error as Error).name === 'DownloadError') throw (error as CatalogueFault).isPassing === undefined && (error as Error).cause !== undefined ? Object.assign(error as Error, { isPassing: true }) : error
    throw Object.assign(new DownloadError(`${where} broke off: ${reasonOf(error)}`), { isPassing: true })
  }
  try {
    return createReader(JSON.parse(text), where)
  } catch {
    throw new DownloadError(`${where} answered something that is no JSON`)
  }
}

/** Not kept in the pieces in which it comes: each has some hundred bytes of its own, and may bring one. */
async function textOf ({ body }: Response, where: string): Promise<string> {
  let text = Buffer.allocUnsafe(64 * 1024)
  let length = 0
  for await (const piece of body ?? []) {
    const grown = length + piece.length
    if (grown > longest) throw new DownloadError(`${where} answered more than ${longest / 1024 / 1024} MiB`)
    if (grown > text.length) text = Buffer.concat([text.subarray(0, length)], Math.max(grown, 2 * text.length))
    text.set(piece, length)
    length = grown
  }
  return text.toString('utf8', 0, length)
}

/** A part of an answer, and its place in it for the sentence that says what is wrong with it. */
export interface Reader {
  /** Whether there is anything: a 404 has nothing. */
  readonly isThere: boolean
  get (key: string): Reader
  text (pattern: RegExp): string
  whole (): number
  flag (): boolean
  items (): readonly Reader[]
  entries (): ReadonlyArray<readonly [string, Reader]>
}

/** What a version may be called: it becomes part of addresses and of a platform's file. */
export const versionForm = /^[\w.+-]{1,64}$/

/** `budget` is one for all parts of an answer. */
function createReader (value: unknown, where: string, path = '', budget = { left: mostEntries }): Reader {
  const wrong = (wanted: string): PlatformError => new PlatformError(`${where} answered something else than was expected: ${path === '' ? 'it' : path} is no ${wanted}`)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const at = (key: string, inner: unknown): Reader => createReader(inner, where, path === '' ? key : `${path}.${key}`, budget)
  const take = (count: number): void => {
    budget.left -= count
    if (budget.left < 0) throw new PlatformError(`${where} answered more than was expected: with ${path === '' ? 'it' : path} it has more than ${mostEntries.toLocaleString('en')} entries`)
  }
  return {
    isThere: value !== undefined && value !== null,
    get: key => {
      if (!isObject) throw wrong('object')
      return at(key, Object.hasOwn(value, key) ? (value as Record<string, unknown>)[key] : undefined)
    },
    text: pattern => {
      if (typeof value !== 'string' || !pattern.test(value)) throw wrong('text of the right form')
      return value
    },
    whole: () => {
      if (!Number.isSafeInteger(value)) throw wrong('whole number')
      return value as number
    },
    flag: () => {
      if (typeof value !== 'boolean') throw wrong('true or false')
      return value
    },
    items: () => {
      if (!Array.isArray(value)) throw wrong('list')
      take(value.length)
      return value.map((item, index) => at(String(index), item))
    },
    entries: () => {
      if (!isObject) throw wrong('object')
      take(Object.keys(value).length)
      return Object.entries(value).map(([key, inner]) => [key, at(key, inner)] as const)
    }
  }
}
