/** What platforms download: who waits for it, how far it is, and when it is tried again. */
import type { Awaitable, PlanDownload } from '../../../../types/engine.js'
import type { Scheduler } from '../clock.js'
import type { Download } from '../content/download-definition.js'
import type { PlatformDefinition } from '../content/platform-definition.js'
import { textOf } from '../faults.js'
import type { Log, Timing } from '../options.js'
import { createGate } from '../queue.js'
import { shownAddress } from './request.js'
import type { Store } from './store.js'
import { megabytes, percentOf } from './words.js'

/** How one file of a platform is. */
export interface Progress {
  readonly platform: string
  readonly version: string
  /** Its path in the working directory of a service. */
  readonly to: string
  /** Bytes. */
  readonly size: number
  readonly received: number
  /** In a few words: `is there`, `42 % of 51.2 MB`, why it is not to be had. */
  readonly says: string
}

export interface PlatformDownloads {
  /** What a version of a platform lacks, told anew with each call; undefined when all is there. Begins to fetch what is missing. */
  lackOf (definition: PlatformDefinition, version: string): (() => string) | undefined
  /** Answers where everything is, when it is there; throws what keeps it away. */
  ready (definition: PlatformDefinition, version: string, signal: AbortSignal): Awaitable<readonly PlanDownload[]>
  /** Begins to fetch what is missing, without waiting for the end of a pause, and tells how each file is now. */
  fetch (definition: PlatformDefinition, version: string): Progress[]
  /** Calls `listener` when something that was lacking is there, or may be tried again. */
  watch (listener: () => void): void
  /** Ends what is under way; answers when nothing writes any more. */
  close (): Awaitable<void>
}

export interface DownloadParts {
  /** Asked when something is to be fetched; what it throws is told like a download that failed. */
  openStore (): Promise<Store>
  readonly clock: Scheduler
  readonly log: Log
  readonly timing: Timing
}

/** One content on its way from one address, for all who wait for it there. */
interface Way {
  readonly download: Download
  /** `server.jar of paper 1.21.4`: as those who asked first call it. */
  readonly name: string
  received: number
  /** When something came last, by a clock that never goes back. */
  heardAt: number
  state: 'looked at' | 'queued' | 'fetched' | 'failed'
  failures: number
  problem: string
  /** When it may be tried again, by a clock that never goes back. */
  retryAt: number
  /** Settled with each try. */
  tried: Promise<void>
  /** For which files of platforms it is asked. */
  readonly askers: Set<string>
  /** Aborted when nobody asks for it there any more, and when its content has come from elsewhere. */
  readonly ending: AbortController
  /** What has to let go before it begins: what that has fetched is gone on with. */
  before: Promise<unknown>
}

/** At the same time: others wait, so that a few large ones do not slow each other down. Those that crawl do not, and count no more. */
const together = 3
/** A file that is wrong, or not there, will hardly be right in a minute. */
const longestPauses = 5
/** Milliseconds in which nothing comes, before that is told. */
const silence = 10_000
/** In the log, not more often than so many percent and milliseconds. */
const telling = { percent: 10, ms: 2000 }

export function createDownloads ({ openStore, clock, log, timing }: DownloadParts): PlatformDownloads {
  const closing = new AbortController()
  /** By content and address: who has a good address does not wait for somebody else's. */
  const ways = new Map<string, Map<string, Way>>()
  /** What each file of a platform is waiting for. */
  const asked = new Map<string, Way>()
  const listeners: Array<() => void> = []
  const turn = createGate(together)
  let opened: Store | undefined
  let opening: Promise<Store> | undefined

  const keyOf = ({ algorithm, sum, size }: Download): string => `${algorithm}-${sum}-${size}`
  const tell = (): void => { for (const listener of listeners) listener() }
  const store = async (): Promise<Store> => {
    if (opened === undefined) opened = await (opening ??= openStore().finally(() => { opening = undefined }))
    return opened
  }

  const needs = ({ downloads }: PlatformDefinition, version: string): readonly Download[] =>
    downloads !== undefined && Object.hasOwn(downloads, version) ? downloads[version] as readonly Download[] : []

  /** The way of a content that is not there; begun, or tried again where it is due. */
  function wayOf (download: Download, platform: string, version: string, now = false): Way | undefined {
    const asker = `${platform} ${version} ${download.to}`
    if (opened?.has(download) === true) {
      leave(asker)
      return undefined
    }
    const all = ways.get(keyOf(download)) ?? new Map<string, Way>()
    ways.set(keyOf(download), all)
    const way = all.get(download.url) ?? begin(download, `${download.to} of ${platform} ${version}`)
    all.set(download.url, way)
    way.askers.add(asker)
    if (asked.get(asker) !== way) way.before = Promise.all([way.before, leave(asker)])
    asked.set(asker, way)
    if (way.state === 'failed' && (now || way.retryAt <= clock.elapsed())) go(way)
    return way
  }

  function begin (download: Download, name: string): Way {
    return {
      download,
      name,
      received: 0,
      heardAt: 0,
      state: 'failed',
      failures: 0,
      problem: '',
      retryAt: 0,
      tried: Promise.resolve(),
      askers: new Set(),
      ending: new AbortController(),
      before: Promise.resolve()
    }
  }

  /** It asks for that no more; what nobody asks for any more ends. */
  function leave (asker: string): Promise<void> | undefined {
    const way = asked.get(asker)
    if (way === undefined) return undefined
    asked.delete(asker)
    way.askers.delete(asker)
    if (way.askers.size === 0) end(way)
    return way.tried
  }

  function end (way: Way): void {
    const key = keyOf(way.download)
    const all = ways.get(key)
    if (all?.get(way.download.url) === way) all.delete(way.download.url)
    if (all?.size === 0) ways.delete(key)
    way.ending.abort()
  }

  function go (way: Way): void {
    way.state = 'looked at'
    way.tried = attempt(way).then(
      () => { for (const one of [...ways.get(keyOf(way.download))?.values() ?? []]) end(one) },
      error => { fail(way, error) }
    ).then(tell)
  }

  async function attempt (way: Way): Promise<void> {
    const { download, name, ending: { signal } } = way
    closing.signal.throwIfAborted()
    await way.before
    signal.throwIfAborted()
    const place = await store()
    if (await place.check(download, signal)) return
    way.state = 'queued'
    await turn(async leave => {
      signal.throwIfAborted()
      way.state = 'fetched'
      way.heardAt = clock.elapsed()
      log({ level: 'info', message: `Downloads ${name}, ${megabytes(download.size)}, from ${new URL(download.url).host}`, url: shownAddress(download.url), size: download.size })
      const [beganAt, told] = [clock.elapsed(), { at: clock.elapsed(), percent: 0 }]
      await place.fetch(download, {
        signal,
        stall: timing.stall,
        crawls: leave,
        progress: received => {
          way.received = received
          way.heardAt = clock.elapsed()
          const [percent, now] = [percentOf(received, download.size), clock.elapsed()]
          if (percent < told.percent + telling.percent || now < told.at + telling.ms) return
          Object.assign(told, { at: now, percent })
          log({ level: 'info', message: `Downloads ${name}: ${percent} % of ${megabytes(download.size)}`, percent })
        }
      })
      log({ level: 'info', message: `${name} is there, ${megabytes(download.size)} in ${((clock.elapsed() - beganAt) / 1000).toFixed(1)} s` })
    })
  }

  function fail (way: Way, error: unknown): void {
    const { retryAfter = 0 } = (error ?? {}) as { readonly retryAfter?: number }
    const pause = Math.max(retryAfter, Math.min(timing.pause * 2 ** Math.min(way.failures++, 30), timing.longestPause * longestPauses))
    way.state = 'failed'
    way.problem = textOf(error)
    way.retryAt = clock.elapsed() + pause
    if (way.ending.signal.aborted) way.problem = 'it is asked for elsewhere'
    if (closing.signal.aborted || way.ending.signal.aborted) return
    log({ level: 'error', message: `${way.name} cannot be downloaded: ${way.problem}; next try in ${Math.ceil(pause / 1000)} s`, url: shownAddress(way.download.url), error })
    clock.after(pause, tell)
  }

  function describe ({ state, received, heardAt, download: { size }, problem, retryAt }: Way): string {
    if (state === 'looked at') return 'is looked at'
    if (state === 'queued') return 'waits for other downloads'
    if (state === 'fetched') {
      const silent = clock.elapsed() - heardAt
      return `${percentOf(received, size)} % of ${megabytes(size)}${silent < silence ? '' : `, nothing has come for ${Math.round(silent / 1000)} s`}`
    }
    return `${problem}; next try in ${Math.max(0, Math.ceil((retryAt - clock.elapsed()) / 1000))} s`
  }

  const laid = (download: Download): PlanDownload => ({ id: `${download.algorithm}-${download.sum}`, file: opened?.pathOf(download) ?? '', to: download.to })

  async function wait (definition: PlatformDefinition, version: string, needed: readonly Download[], signal: AbortSignal): Promise<readonly PlanDownload[]> {
    for (const download of needed) {
      const way = wayOf(download, definition.name, version)
      if (way === undefined) continue
      await orAborted(way.tried, signal)
      if (opened?.has(download) !== true) throw new Error(`${way.name} is not there: ${way.problem}`)
    }
    return needed.map(laid)
  }

  return {
    lackOf: (definition, version) => {
      const lacking = needs(definition, version).flatMap(download => wayOf(download, definition.name, version) ?? [])
      return lacking.length === 0 ? undefined : () => lacking.map(way => `${way.download.to} ${describe(way)}`).join(', ')
    },
    ready: (definition, version, signal) => {
      const needed = needs(definition, version)
      return needed.every(download => opened?.has(download) === true) ? needed.map(laid) : wait(definition, version, needed, signal)
    },
    fetch: (definition, version) => needs(definition, version).map(download => {
      const way = wayOf(download, definition.name, version, true)
      const { to, size } = download
      return { platform: definition.name, version, to, size, received: way?.received ?? size, says: way === undefined ? 'is there' : describe(way) }
    }),
    watch: listener => { listeners.push(listener) },
    close: async () => {
      closing.abort()
      const left = [...ways.values()].flatMap(all => [...all.values()])
      for (const way of left) way.ending.abort()
      await Promise.all(left.map(({ tried, before }) => Promise.all([tried, before])))
    }
  }
}

/** Waits for something, unless whoever waits has gone. */
async function orAborted (answer: Promise<void>, signal: AbortSignal): Promise<void> {
  let gone = (): void => {}
  try {
    await Promise.race([answer, new Promise((_resolve, reject) => {
      gone = () => {
        const reason: Error = signal.reason
        reject(reason)
      }
      signal.addEventListener('abort', gone)
      if (signal.aborted) gone()
    })])
  } finally {
    signal.removeEventListener('abort', gone)
  }
}

/** For a world in which nothing is downloaded: all is there. */
export const noDownloads: PlatformDownloads = {
  lackOf: () => undefined,
  ready: () => [],
  fetch: () => [],
  watch: () => {},
  close: () => {}
}
