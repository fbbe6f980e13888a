/** The templates: directories of files that are laid into services. */
import { randomBytes } from 'node:crypto'
import { statSync, type Dirent } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Awaitable } from '../../../../types/engine.js'
import { checkedName, isName } from '../names.js'
import { readNote } from '../plain-file.js'
import { clearTemporaries, syncPath, unlinkDurably, writeFileWhole } from './files.js'
import { BLOCK, createRoom, isOutOfRoom } from './room.js'
import { createTemplateStore, recoverTemplates, type TemplateStore } from './template-store.js'
import { createTrees } from './trees.js'

/** Always there; laid by the cloud itself. */
export const SYSTEM_TEMPLATES = ['EVERY', 'EVERY_SERVER', 'EVERY_PROXY', 'EVERY_FALLBACK'] as const

export interface Rename {
  readonly name: string
  readonly newName: string
}

export interface Templates {
  /** As of the last look. */
  readonly names: readonly string[]
  /** Changes with the names, also when somebody adds or removes a template by hand. */
  readonly revision: number
  /** Whether a group may name it. */
  has (name: string): boolean
  pathOf (name: string): string
  refresh (): Awaitable<void>
  /** `'full'`: there is no room for another. */
  make (name: string): Awaitable<void | 'full'>
  rename (from: string, to: string): Awaitable<void>
  remove (name: string): Awaitable<void>
  /** Notes down a rename that is under way, or that none is, for a core that comes after a crash. */
  note (renaming: Rename | undefined): Awaitable<void>
  noted (): Awaitable<Rename | undefined>
  /** One that is under way: what a group still calls by the one name may have the other already. */
  renaming?: Rename | undefined
  /** Absent: they are names and nothing else. */
  readonly files?: TemplateStore
  /** Gives up what is being taken away, unless that is over in a moment; the next one that opens them goes on with it. */
  readonly close?: () => Promise<void>
}

/** Below the templates' directory: the rename that is under way. */
export const RENAMING = '.renaming.json'
/** Milliseconds that what is being taken away may take until its end when they are closed. */
const CLOSE_MS = 1_000

/** Keeps each template in a directory of that name below `directory`, which exists. `check` throws when that has become another one: nothing is done to it then. */
export async function openTemplates (directory: string, { closeMs = CLOSE_MS, check }: { readonly closeMs?: number, readonly check?: () => void } = {}): Promise<Templates> {
  await recoverTemplates(directory)
  for (const name of SYSTEM_TEMPLATES) await mkdir(join(directory, name), { recursive: true })
  const giving = new AbortController()
  const cleared = await clearTemporaries(directory, giving.signal)
  let names: readonly string[] = []
  let revision = 1
  let seen = 0n
  const pathOf = (name: string): string => {
    check?.()
    return join(directory, checkedName(name))
  }
  const trees = createTrees(giving.signal)
  const isFull = createRoom(directory)

  async function refresh (): Promise<void> {
    let entries: Dirent[]
    let moves: number
    do {
      moves = trees.moves
      entries = await readdir(directory, { withFileTypes: true })
      // For a moment of each exchange nothing has its name.
    } while (trees.moves !== moves)
    const found = entries.filter(entry => entry.isDirectory() && isName(entry.name)).map(({ name }) => name).sort()
    if (found.join() === names.join()) return
    names = found
    revision++
  }

  async function changed (): Promise<void> {
    await syncPath(directory)
    await refresh()
  }

  await refresh()
  return {
    get names () { return names },
    // The time on the directory above tells.
    get revision () {
      const { mtimeNs } = statSync(directory, { bigint: true })
      if (mtimeNs !== seen) revision++
      seen = mtimeNs
      return revision
    },
    has: name => names.includes(name),
    pathOf,
    refresh,
    make: async name => {
      if (await isFull(BLOCK, 1)) return 'full'
      try {
        await mkdir(pathOf(name))
      } catch (error) {
        if (isOutOfRoom(error)) return 'full'
        throw error
      }
      await changed()
    },
    rename: async (from, to) => {
      trees.move(pathOf(from), pathOf(to))
      // At once: between the two nobody is to look for the one that is gone.
      await refresh()
      await syncPath(directory)
    },
    remove: async name => {
      // Out of the list in one step; taking the files away may be long.
      const rubbish = join(directory, `.${checkedName(name)}.${randomBytes(6).toString('hex')}.tmp`)
      trees.move(pathOf(name), rubbish)
      trees.discard(rubbish, name)
      await changed()
    },
    note: async renaming => {
      check?.()
      if (renaming === undefined) await unlinkDurably(join(directory, RENAMING))
      else await writeFileWhole(join(directory, RENAMING), JSON.stringify(renaming))
    },
    files: createTemplateStore(directory, pathOf, trees, isFull),
    close: async () => {
      const timer = setTimeout(() => { giving.abort() }, closeMs)
      await Promise.all([cleared.done, trees.discarded(0)])
      clearTimeout(timer)
      giving.abort()
    },
    noted: async () => {
      const note = readNote(join(directory, RENAMING))
      if (note === undefined) return undefined
      const { name, newName } = JSON.parse(note) as Partial<Rename> | null ?? {}
      if (![name, newName].every(one => typeof one === 'string' && isName(one))) throw new Error(`${join(directory, RENAMING)} names no rename`)
      return { name, newName } as Rename
    }
  }
}
