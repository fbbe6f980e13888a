/** Named texts that outlive the core and that people may read and change: the groups, and what is known of services. */
import { accessSync, constants, renameSync, statSync, watch, type FSWatcher } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Awaitable } from '../../../../types/engine.js'
import { codeOf } from '../faults.js'
import { isLink, LONGEST_RECORD, readNote } from '../plain-file.js'
import { clearTemporaries, unlinkDurably, writeFileWhole } from './files.js'

export interface TextStore {
  /** For people: where the text of that name is. */
  pathOf (name: string): string
  /** Everything that is there; a text that cannot be read is the error. */
  readAll (): Awaitable<ReadonlyMap<string, string | Error>>
  /** What somebody else has written or removed (`undefined`) since it was last read or written here; of all texts, or of one. */
  readChanged (name?: string): Awaitable<ReadonlyMap<string, string | Error | undefined>>
  /**
   * Replaces a text. When it answers, it survives `kill -9`, and a power cut unless `durable` is false.
   * False: somebody else has written or removed it since it was last read or written here, and it stays as it is.
   */
  write (name: string, text: string, options?: { readonly durable: boolean }): Awaitable<boolean>
  remove (name: string): Awaitable<void>
  /** Throws when nothing can be removed here, because it may not be written to or is read-only. A full disk is no reason. */
  checkRemoval (): void
  /** Whether somebody else may have written since the last `readChanged`; cheap enough to be asked once a second. */
  mayHaveChanged (): boolean
  /** Answers when nothing is being written any more; nothing is from there on. */
  close (): Awaitable<void>
}

/** Tells one state of a file from every other. */
type Signature = string

interface TextStoreOptions {
  /** They are people's, and changes by hand are noticed; else the core's own, and what is in the way of one goes. */
  readonly watched: boolean
  /** Throws when nothing may be written by this name any more. */
  check? (): void
}

/** Keeps each text in a file `<name>.json` of a directory, which exists. */
export async function openTextStore (directory: string, { watched, check }: TextStoreOptions): Promise<TextStore> {
  const closing = new AbortController()
  const cleared = await clearTemporaries(directory, closing.signal)
  const known = new Map<string, Signature>()
  // What they lead to may change where nobody watches.
  const links = new Set<string>()
  // May be read in a moment, by which time nothing else of the file has to be another.
  const unread = new Set<string>()
  let changed = true
  let watcher: FSWatcher | undefined
  const inode = statSync(directory).ino
  if (watched) {
    try {
      watcher = watch(directory, { persistent: false }, () => { changed = true }).on('error', () => { watcher = undefined })
    } catch {
      // No watch is to be had: whoever asks has to look.
    }
  }
  const pathOf = (name: string): string => join(directory, `${name}.json`)
  let isClosed = false
  const underWay = new Set<Promise<unknown>>()

  async function unlessClosed<T> (change: () => Promise<T>): Promise<T> {
    // The directory may be another core's by now.
    if (isClosed) throw new Error('The cloud is closed')
    check?.()
    const changing = change()
    underWay.add(changing)
    return await changing.finally(() => { underWay.delete(changing) })
  }

  /** Of a directory that was taken away nobody tells any more, of the one in its place neither: whoever asks has to look. */
  function isWatched (): boolean {
    if (watcher !== undefined && statSync(directory, { throwIfNoEntry: false })?.ino !== inode) {
      watcher.close()
      watcher = undefined
    }
    return watcher !== undefined
  }

  async function names (): Promise<string[]> {
    // Whoever has taken the directory away has taken every text.
    const files = await readdir(directory).catch((error: unknown) => {
      if (codeOf(error) !== 'ENOENT') throw error
      return []
    })
    return files.filter(file => file.endsWith('.json') && !file.startsWith('.')).map(file => file.slice(0, -'.json'.length)).sort()
  }

  /** Signed before it is read: what is written in between is seen the next time. */
  function read (name: string): string | Error | undefined {
    const signature = sign(pathOf(name))
    if (signature === undefined) known.delete(name)
    else known.set(name, signature)
    unread.delete(name)
    if (watched && isLink(pathOf(name))) links.add(name)
    else links.delete(name)
    try {
      // A group's file may be a link of the operator's; what is known of a service is the core's own.
      return watched ? readNote(pathOf(name), { links: true }) : readNote(pathOf(name), { most: LONGEST_RECORD })
    } catch (error) {
      unread.add(name)
      return error as Error
    }
  }

  /** In one turn, so that nobody takes our own text for somebody else's, nor the other way round. */
  function replace (temporary: string, name: string, before: Signature | undefined): boolean {
    if (sign(pathOf(name)) !== before) return false
    const signature = sign(temporary)
    renameSync(temporary, pathOf(name))
    links.delete(name)
    unread.delete(name)
    if (signature !== undefined) known.set(name, signature)
    return true
  }

  return {
    pathOf,
    readAll: async () => {
      const all = new Map<string, string | Error>()
      for (const name of await names()) {
        const text = read(name)
        if (text !== undefined) all.set(name, text)
      }
      return all
    },
    readChanged: async only => {
      if (only === undefined) changed = false
      const asked = only === undefined ? new Set([...await names(), ...known.keys()]) : [only]
      const differing = [...asked].filter(name => unread.has(name) || sign(pathOf(name)) !== known.get(name))
      return new Map(differing.map(name => [name, read(name)]))
    },
    write: async (name, text, options) => await unlessClosed(async () => {
      // Somebody may have taken it away.
      await mkdir(directory, { recursive: true, mode: 0o700 })
      if (!watched) return await writeFileWhole(pathOf(name), text, { ...options, clear: true })
      const before = known.get(name)
      try {
        return await writeFileWhole(pathOf(name), text, { ...options, replace: temporary => replace(temporary, name, before) })
      } catch (error) {
        // Whatever stands there now is read again.
        known.delete(name)
        throw error
      }
    }),
    remove: async name => await unlessClosed(async () => {
      known.delete(name)
      unread.delete(name)
      await unlinkDurably(pathOf(name), { clear: !watched })
    }),
    checkRemoval: () => {
      check?.()
      accessSync(directory, constants.W_OK | constants.X_OK)
    },
    mayHaveChanged: () => watched && (changed || unread.size > 0 || !isWatched() || [...links].some(name => sign(pathOf(name)) !== known.get(name))),
    close: async () => {
      isClosed = true
      closing.abort()
      watcher?.close()
      await Promise.allSettled([...underWay, cleared.done])
    }
  }
}

function sign (path: string): Signature | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (stats === undefined) return isLink(path) ? 'leads nowhere' : undefined
    return `${stats.ino} ${stats.size} ${stats.mtimeNs}`
  } catch (error) {
    // A link to itself, for instance: what is wrong is told to whoever reads it.
    return codeOf(error) ?? 'unreadable'
  }
}
