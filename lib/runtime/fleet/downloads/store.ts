/**
 * Where downloads are kept: each content once, in a file that is called by its sum. A file under its name is whole and right:
 * it was under another one until its sum had been worked out.
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, lstatSync, type BigIntStats } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Algorithm, Download } from '../content/download-definition.js'
import { syncPath } from '../content/files.js'
import { DownloadError, shownAddress } from './request.js'
import { receive, transfer, type TransferOptions } from './transfer.js'

/** Which content is meant. */
export type Content = Pick<Download, 'algorithm' | 'sum' | 'size'>

export interface Store {
  readonly directory: string
  pathOf (content: Content): string
  /** Whether it is there, and was right when it was looked at last, and is untouched since. Cheap. */
  has (content: Content): boolean
  /** Whether it is there and right; what is wrong goes. */
  check (content: Content, signal: AbortSignal): Promise<boolean>
  /** Fetches it, and answers when it is there. Throws a `DownloadError` otherwise. */
  fetch (download: Download, options: TransferOptions): Promise<void>
  /**
   * Fetches a file of which nobody knows the content, or nothing but a weak sum, and keeps it as it came; answers what it is.
   * For the hand of an operator: what is told of it afterwards is all that others can be held to.
   */
  take (url: string, known: Partial<Content>, options: TransferOptions): Promise<Content>
  /** Takes away all that is none of these, half ones included; answers the bytes. */
  prune (kept: readonly Content[]): Promise<number>
}

export interface StoreOptions {
  /**
   * Nobody else fetches into it: what an earlier process could not finish is gone on with. Otherwise each fetch has a half file
   * of its own, and begins anew in another process.
   */
  readonly alone: boolean
}

/** Half files that nobody has touched for so long are nobody's: a transfer is cut off much sooner. */
const abandonedMs = 3_600_000
/** Bytes of a file of which nobody has said how long it is. */
const mostUnknown = 1024 ** 3
const isHalf = (name: string): boolean => /^\.?[a-z0-9]+-[0-9a-f]+\.(?:part|[0-9a-f]{12}\.tmp)$/.test(name)

export async function openStore (directory: string, { alone }: StoreOptions): Promise<Store> {
  /** Somebody may take it away to make room: all that is in it can be fetched again. */
  const make = async (): Promise<unknown> => await mkdir(directory, { recursive: true, mode: 0o700 })
  await make()
  for (const name of (await readdir(directory)).filter(name => name.endsWith('.tmp') && isHalf(name))) {
    const stats = await lstat(join(directory, name)).catch(() => undefined)
    if (stats !== undefined && Date.now() - stats.mtimeMs > abandonedMs) await rm(join(directory, name), { recursive: true, force: true })
  }
  const nameOf = ({ algorithm, sum }: Content): string => `${algorithm}-${sum}`
  const pathOf = (content: Content): string => join(directory, nameOf(content))
  /** Half files that somebody is at. */
  const busy = new Set<string>()
  /** How each looked when its sum was right. */
  const seen = new Map<string, string>()

  const note = (content: Content, stats: BigIntStats): void => { seen.set(nameOf(content), signatureOf(stats)) }

  async function check (content: Content, signal: AbortSignal): Promise<boolean> {
    const path = pathOf(content)
    const stats = await lstat(path, { bigint: true }).catch(() => undefined)
    if (stats === undefined) {
      seen.delete(nameOf(content))
      return false
    }
    if (seen.get(nameOf(content)) === signatureOf(stats)) return true
    if (stats.isFile() && stats.size === BigInt(content.size) && await sumOf(path, content.algorithm, signal) === content.sum) {
      note(content, stats)
      return true
    }
    seen.delete(nameOf(content))
    await rm(path, { recursive: true, force: true })
    return false
  }

  /** Gives a file its name, when it is known to be right. */
  async function keep (part: string, content: Content): Promise<void> {
    const path = pathOf(content)
    await chmod(part, 0o400)
    await clearOther(path)
    await rename(part, path)
    note(content, await lstat(path, { bigint: true }))
    await syncPath(directory)
  }

  return {
    directory,
    pathOf,
    has: content => {
      const stats = lstatSync(pathOf(content), { bigint: true, throwIfNoEntry: false })
      return stats !== undefined && seen.get(nameOf(content)) === signatureOf(stats)
    },
    check,
    fetch: async (download, options) => {
      const half = `${pathOf(download)}.part`
      // Another may be fetching it from elsewhere.
      const goesOn = alone && !busy.has(half)
      const part = goesOn ? half : join(directory, `.${nameOf(download)}.${randomBytes(6).toString('hex')}.tmp`)
      busy.add(part)
      try {
        await make()
        await clearOther(part)
        await transfer(part, download, options)
        await checkKnown(part, download.url, download.size, download, options.signal).catch(async error => {
          if (!options.signal.aborted) await rm(part, { force: true })
          throw error
        })
        await keep(part, download)
      } finally {
        busy.delete(part)
        // Of what has come another way meanwhile no half is needed.
        if (!goesOn || seen.has(nameOf(download))) await rm(part, { force: true }).catch(() => {})
      }
    },
    take: async (url, known, options) => {
      const part = join(directory, `.sha256-0.${randomBytes(6).toString('hex')}.tmp`)
      try {
        await make()
        const size = await receive(part, url, mostUnknown, options)
        await checkKnown(part, url, size, known, options.signal)
        const content: Content = { algorithm: 'sha256', sum: await sumOf(part, 'sha256', options.signal), size }
        await keep(part, content)
        return content
      } finally {
        await rm(part, { force: true }).catch(() => {})
      }
    },
    prune: async kept => {
      const names = new Set(kept.map(nameOf))
      let bytes = 0
      await make()
      for (const name of await readdir(directory)) {
        if (names.has(name.replace(/\.part$/, '')) || (!isHalf(name) && !/^(?:sha256|sha1|md5)-[0-9a-f]+$/.test(name))) continue
        // Somebody else may be at it.
        if (name.startsWith('.')) continue
        const stats = await lstat(join(directory, name)).catch(() => undefined)
        await rm(join(directory, name), { recursive: true, force: true })
        bytes += stats?.size ?? 0
      }
      return bytes
    }
  }
}

/** What little is known of a file has to be right. */
async function checkKnown (part: string, url: string, size: number, known: Partial<Content>, signal: AbortSignal): Promise<void> {
  if (known.size !== undefined && known.size !== size) throw new DownloadError(`${shownAddress(url)} has ${size} bytes, not ${known.size}`)
  if (known.algorithm === undefined || known.sum === undefined) return
  const found = await sumOf(part, known.algorithm, signal)
  if (found !== known.sum) throw new DownloadError(`${shownAddress(url)} is another file than was declared: its ${known.algorithm} is ${found}, not ${known.sum}`)
}

/** Whatever stands in the place of a file, and is none. */
async function clearOther (path: string): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (stats !== undefined && !stats.isFile()) await rm(path, { recursive: true, force: true })
}

/** Only the system sets the last one: whoever writes to the file, or puts another in its place, changes it. */
const signatureOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string => `${ino} ${size} ${mtimeNs} ${ctimeNs}`

/** The sum of what is on the disk, in hexadecimal digits. */
export async function sumOf (path: string, algorithm: Algorithm, signal: AbortSignal): Promise<string> {
  const hash = createHash(algorithm)
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash, { signal })
  return hash.digest('hex')
}
