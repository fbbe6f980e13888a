/** Fetching one file into its place on the disk: resumed where it was cut off, never more than was declared. */
import * as fs from 'node:fs'
import { rm, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { Download } from '../content/download-definition.js'
import { codeOf, textOf } from '../faults.js'
import { createDeadline } from './deadline.js'
import { cancel, DownloadError, reasonOf, refuse, request, shownAddress } from './request.js'
import { megabytes } from './words.js'

export interface TransferOptions {
  readonly signal: AbortSignal
  /** Told how many bytes are there, and of how many where that is known, often. */
  progress (received: number, size?: number): void
  /** Milliseconds in which a bit more has to come; it is cut off otherwise. */
  readonly stall: number
  /** Told each time that so little came in that time that others should not wait for it. */
  crawls? (): void
  /** `fs.write`, or what a test puts in its place. */
  readonly write?: Write
}

export type Write = (file: number, bytes: Uint8Array, offset: number, length: number, position: number) => Promise<{ readonly bytesWritten: number }>

// By number and not as a FileHandle: the one that Yarn's PnP puts in its place has no `sync`.
const open = promisify(fs.open)
const close = promisify(fs.close)
const sync = promisify(fs.fsync)
const writeFile = promisify(fs.write) as unknown as Write
/** Bytes of which fewer in `stall` are none: whoever sends one a minute is not waited for. */
const trickle = 1024
/** Bytes in a millisecond: with fewer a download crawls. */
const crawl = 16
const full = new Set(['ENOSPC', 'EDQUOT'])

/**
 * Goes on with what `part` holds until it has as many bytes as were declared; whether they are the right ones is for others to
 * say. Throws a `DownloadError` otherwise; what came is left for the next time, except where that would be wrong, or in others' way.
 */
export async function transfer (part: string, { url, size }: Pick<Download, 'url' | 'size'>, options: TransferOptions): Promise<void> {
  const held = await sizeOf(part)
  const have = held > size ? 0 : held
  if (have === size) return
  await checkSpace(part, size - have)
  await flow(part, url, options, async signal => {
    const response = await request(url, { signal, headers: have === 0 ? {} : { range: `bytes=${have}-` } })
    return { response, at: await beginOf(response, url, have, size, part), size }
  })
}

/** Fetches a file of which nobody has said how long it is, at most `most` bytes; answers how long it was. */
export async function receive (part: string, url: string, most: number, options: TransferOptions): Promise<number> {
  return await flow(part, url, options, async signal => {
    const response = await request(url, { signal })
    if (response.status !== 200) throw await refuse(response, url)
    const length = Number(response.headers.get('content-length') ?? NaN)
    if (length > most) throw new DownloadError(`${shownAddress(url)} has ${length} bytes, and ${most} are the most`)
    return { response, at: 0, size: Number.isNaN(length) ? undefined : length, most }
  })
}

interface Flow {
  readonly response: Response
  /** Where its body begins in the file. */
  readonly at: number
  /** Where it has to end; undefined: anywhere. */
  readonly size: number | undefined
  readonly most?: number
}

/** Writes what an answer brings; answers where it ended. */
async function flow (part: string, url: string, { signal, progress, stall, crawls = () => {}, write = writeFile }: TransferOptions, begin: (signal: AbortSignal) => Promise<Flow>): Promise<number> {
  const either = createDeadline(signal)
  let stalled: DownloadError | undefined
  const watch = watchFlow(stall, () => { either.abort(stalled ??= new DownloadError(`${shownAddress(url)} sends nothing any more`)) }, crawls)
  try {
    const { response, at: from, size, most = Infinity } = await begin(either.signal)
    const limit = size ?? most
    const file = await open(part, fs.constants.O_WRONLY | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW | (from === 0 ? fs.constants.O_TRUNC : 0), 0o600)
    let at = from
    try {
      progress(at, size)
      for await (const chunk of response.body ?? []) {
        if (at + chunk.length > limit) throw new TooMuch(`${shownAddress(url)} sends more than the ${limit} bytes that ${size === undefined ? 'are the most' : 'were declared'}`)
        for (let done = 0; done < chunk.length;) done += (await write(file, chunk, done, chunk.length - done, at + done)).bytesWritten
        at += chunk.length
        watch.note(chunk.length)
        progress(at, size)
      }
      await sync(file)
    } finally {
      await close(file)
    }
    if (size !== undefined && at < size) throw new DownloadError(`${shownAddress(url)} ended after ${at} of ${size} bytes`)
    return at
  } catch (error) {
    signal.throwIfAborted()
    throw await faultOf(stalled ?? error, part, url)
  } finally {
    watch.end()
    either.end()
  }
}

/** What came is not the file that was declared: it is no use to go on with it. */
class TooMuch extends DownloadError {}

/** A sentence for whatever was thrown. On a full disk the room goes back to those who need it more. */
async function faultOf (error: unknown, part: string, url: string): Promise<DownloadError> {
  const code = codeOf(error) ?? ''
  if (full.has(code) || (error as Error).constructor === TooMuch) await rm(part, { force: true })
  if ((error as Error).name === 'DownloadError') return error as DownloadError
  if (full.has(code)) return new DownloadError('the disk is full', { cause: error as Error })
  // What the disk refuses names the system call; what the connection does is told by `fetch`.
  const { syscall } = error as { readonly syscall?: string }
  const text = syscall !== undefined && ['open', 'write', 'fsync', 'close'].includes(syscall) ? textOf(error) : `${shownAddress(url)} broke off: ${reasonOf(error)}`
  return new DownloadError(text, { cause: error as Error })
}

/** Where the body of an answer begins in the file. */
async function beginOf (response: Response, url: string, have: number, size: number, part: string): Promise<number> {
  const { status, headers } = response
  // What is kept there does not fit: the next time it is asked for from its beginning.
  if (status === 416) await rm(part, { force: true })
  if (status !== 200 && status !== 206) throw await refuse(response, url)
  const wrong = async (problem: string): Promise<DownloadError> => {
    await cancel(response)
    return new DownloadError(`${shownAddress(url)} ${problem}`)
  }
  if (!['', 'identity'].includes(headers.get('content-encoding') ?? '')) throw await wrong('answered in an encoding that was not asked for')
  const begin = status === 200 ? 0 : beginOfRange(headers.get('content-range'))
  if (begin !== 0 && begin !== have) throw await wrong('answered another part than was asked for')
  const length = headers.get('content-length')
  if (length !== null && Number(length) + begin > size) throw await wrong(`has ${Number(length) + begin} bytes, not ${size}`)
  if (length !== null && status === 200 && Number(length) !== size) throw await wrong(`has ${length} bytes, not ${size}`)
  return begin
}

function beginOfRange (header: string | null): number | undefined {
  const begin = /^bytes (\d{1,15})-/.exec(header ?? '')?.[1]
  return begin === undefined ? undefined : Number(begin)
}

async function sizeOf (path: string): Promise<number> {
  try {
    const stats = await stat(path)
    return stats.isFile() ? stats.size : 0
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw new DownloadError(textOf(error), { cause: error as Error })
  }
}

/** Services need the disk more than a download does: one that will not fit is not begun. */
async function checkSpace (path: string, needed: number): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path)).catch(() => ({ bavail: Infinity, bsize: 1 }))
  if (bavail * bsize < needed) throw new DownloadError(`the disk is full: ${megabytes(needed)} are needed, ${megabytes(bavail * bsize)} are free`)
}

function watchFlow (ms: number, stalls: () => void, crawls: () => void): { note (bytes: number): void, end (): void } {
  let came = 0
  const timer = setInterval(() => {
    if (came < trickle) stalls()
    else if (came < crawl * ms) crawls()
    came = 0
  }, ms)
  return { note: bytes => { came += bytes }, end: () => { clearInterval(timer) } }
}
