/** Named texts that outlive the core and that people may read and change: the groups, and what is known of services. */
import { statSync, watch, type FSWatcher } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Awaitable } from '../../../../types/engine.js'
import { codeOf } from '../faults.js'
import { readNote } from '../plain-file.js'
import { clearTemporaries, unlinkDurably, writeFileWhole } from './files.js'

export interface TextStore {
  /** For people: where the text of that name is. */
  pathOf (name: string): string
  /** Everything that is there; a text that cannot be read is the error. */
  readAll (): Awaitable<ReadonlyMap<string, string | Error>>
  /** What somebody else has written or removed (`undefined`) since it was last read or written here; of all texts, or of one. */
  readChanged (name?: string): Awaitable<ReadonlyMap<string, string | Error | undefined>>
  /** Replaces a text. When it answers, it survives `kill -9`, and a power cut unless `durable` is false. */
  write (name: string, text: string, options?: { readonly durable: boolean }): Awaitable<void>
  remove (name: string): Awaitable<void>
  /** Whether somebody else may have written since the last `readChanged`; cheap enough to be asked once a second. */
  mayHaveChanged (): boolean
  close (): void
}

/** Tells one state of a file from every other. */
type Signature = string

/**
 * Keeps each text in a file `<name>.json` of a directory, which exists. `watched`: they are people's, and
 * changes by hand are noticed; else the core's own, and what is in the way of one goes.
 */
export async function openTextStore (directory: string, { watched }: { readonly watched: boolean }): Promise<TextStore> {
  await clearTemporaries(directory)
  const known = new Map<string, Signature>()
  let changed = true
  let watcher: FSWatcher | undefined
  if (watched) {
    try {
      watcher = watch(directory, { persistent: false }, () => { changed = true }).on('error', () => { watcher = undefined })
    } catch {
      // No watch is to be had: whoever asks has to look.
    }
  }
  const pathOf = (name: string): string => join(directory, `${name}.json`)

  async function names (): Promise<string[]> {
    const files = await readdir(directory)
    return files.filter(file => file.endsWith('.json') && !file.startsWith('.')).map(file => file.slice(0, -'.json'.length)).sort()
  }

  /** Signed before it is read: what is written in between is seen the next time. */
  function read (name: string): string | Error | undefined {
    const signature = sign(pathOf(name))
    if (signature === undefined) known.delete(name)
    else known.set(name, signature)
    try {
      // A group's file may be a link of the operator's; what is known of a service is the core's own.
      return readNote(pathOf(name), { links: watched })
    } catch (error) {
      return error as Error
    }
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
      const differing = [...asked].filter(name => sign(pathOf(name)) !== known.get(name))
      return new Map(differing.map(name => [name, read(name)]))
    },
    write: async (name, text, options) => {
      await writeFileWhole(pathOf(name), text, { ...options, clear: !watched })
      if (!watched) return
      const signature = sign(pathOf(name))
      if (signature !== undefined) known.set(name, signature)
    },
    remove: async name => {
      known.delete(name)
      await unlinkDurably(pathOf(name), { clear: !watched })
    },
    mayHaveChanged: () => watched && (changed || watcher === undefined),
    close: () => { watcher?.close() }
  }
}

function sign (path: string): Signature | undefined {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
    return stats === undefined ? undefined : `${stats.ino} ${stats.size} ${stats.mtimeNs}`
  } catch (error) {
    // A link to itself, for instance: what is wrong is told to whoever reads it.
    return codeOf(error) ?? 'unreadable'
  }
}
