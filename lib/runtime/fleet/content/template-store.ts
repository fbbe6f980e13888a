/** The files of templates that are directories, side by side in one directory. */
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Awaitable } from '../../../../types/engine.js'
import type { TemplateFile } from '../../../../types/resources.js'
import type { NewTemplateFile, PackedFile, TemplateContent } from '../../../../types/template-files.js'
import { isNothing } from '../plain-file.js'
import { syncPath } from './files.js'
import { isOutOfRoom, type Room } from './room.js'
import { goneIsNothing, keepModes, layBelow, modeAt, placeTreeFile, readTreeFile, refusalAt, removeTreeFile, type Refusal, type Step } from './template-tree.js'
import { walkTree } from './template-walk.js'
import { stage, type Staged } from './template-upload.js'
import type { Place, Tree, Trees } from './trees.js'

export interface TemplateStore {
  /** Of one version of the template, the present one, whatever takes its place meanwhile; undefined where there is none. */
  list (name: string): AsyncIterable<TemplateFile> | undefined
  read (name: string, path: string): Awaitable<TemplateContent | undefined>
  /** As `list`. */
  readAll (name: string): AsyncIterable<PackedFile> | undefined
  /** Whether there was such a file. */
  remove (name: string, path: string): Awaitable<boolean>
  /** Takes files in beside the template, which has nothing of them yet. */
  stage (name: string, files: AsyncIterable<NewTemplateFile>, signal: AbortSignal): Awaitable<Upload | Refusal | 'full'>
}

type Counts = { readonly added: number, readonly replaced: number }

/** Files that are there whole, and not in their template yet. */
export interface Upload {
  /** Makes the template ready beside itself, as it will be: what takes long. Nothing else may change it from here on. */
  prepare (replace: boolean, step: Step): Awaitable<Refusal | 'full' | undefined>
  /** Puts them there in one step, in the turn of the event loop in which `allowed` allows it. `false`: the template has gone since it was prepared. */
  commit (allowed: () => Promise<void>): Awaitable<Counts | Refusal | false>
  /** Has what was put there survive, before anybody is told of it. */
  keep (): Awaitable<void>
  /** Lets go of what is left of them. */
  clear (): void
}

/** So long is a version kept for somebody who has asked for it and not begun to read. */
const BEGIN_MS = 5_000
/** Trees of a template that may be waiting to be taken away when a further upload to it begins. */
const MOST_DISCARDED = 4
const ASIDE = /^\.(.+)\.[0-9a-f]{12}\.replaced$/

/** Undoes, or finishes, what was under way when a core ended. */
export async function recoverTemplates (directory: string): Promise<void> {
  for (const entry of await readdir(directory)) {
    const [, name] = ASIDE.exec(entry) ?? []
    if (name === undefined) continue
    // It is cleared with all that was cut short.
    if (await isDirectory(join(directory, name))) await rename(join(directory, entry), join(directory, `${entry}.tmp`))
    else await rename(join(directory, entry), join(directory, name))
  }
}

const isDirectory = async (path: string): Promise<boolean> => await stat(path).then(stats => stats.isDirectory(), () => false)

export function createTemplateStore (directory: string, pathOf: (name: string) => string, trees: Trees, isFull: Room): TemplateStore {
  /** Of the version that is there now, also when somebody begins to read later; of one that nobody begins with it lets go. */
  function of<T> (name: string, work: (tree: Tree) => AsyncIterable<T>): AsyncGenerator<T, void, void> | undefined {
    // It may have gone since names were looked at.
    if (statSync(pathOf(name), { throwIfNoEntry: false }) === undefined) return undefined
    let tree: Tree | undefined = trees.read(pathOf(name))
    const timer = setTimeout(() => {
      tree?.leave()
      tree = undefined
    }, BEGIN_MS).unref()
    return (async function * () {
      clearTimeout(timer)
      const own = tree ?? trees.read(pathOf(name))
      try {
        yield * work(own)
      } finally {
        own.leave()
      }
    })()
  }

  function uploadOf (name: string, staged: Staged, id: string, place: Place): Upload {
    const [root, from] = [pathOf(name), join(directory, `.${name}.${id}.tmp`)]
    const [only] = staged
    let tree: Tree | undefined
    let replaced: number | undefined

    async function commitOne (path: string, hasMode: boolean, allowed: () => Promise<void>): Promise<Counts | Refusal> {
      const before = hasMode ? undefined : await modeAt(root, path)
      if (before !== undefined) await chmod(join(from, path), before)
      const placed = await placeTreeFile(root, path, join(from, path), allowed)
      if (typeof placed === 'object') return placed
      return { added: placed ? 0 : 1, replaced: placed ? 1 : 0 }
    }

    /** It may be a directory on the way to one that was sent. */
    function sentAt (refused: string): string {
      for (const [path] of staged) if (path === refused || path.startsWith(`${refused}/`)) return path
      return refused
    }

    async function prepare (replace: boolean, step: Step): Promise<Refusal | 'full' | undefined> {
      if (!place.isSame) return undefined
      tree = trees.read(root)
      // None changes nothing, and one takes its place without the others.
      if (!replace && staged.size < 2) {
        if (only === undefined) return undefined
        await syncPath(join(from, only[0]))
        return await tree.use(async at => await refusalAt(at, only[0], step))
      }
      replaced = await keepModes(root, from, staged, step)
      const refusal = replace ? undefined : await layBelow(tree, from, isFull, step)
      if (refusal === 'full') return 'full'
      if (refusal !== undefined) {
        return { ...refusal, refused: sentAt(refusal.refused) }
      }
      await chmod(from, await tree.use(async at => (await stat(at)).mode & 0o777))
      return undefined
    }

    return {
      prepare: async (replace, step) => {
        try {
          return await prepare(replace, step)
        } catch (error) {
          if (isOutOfRoom(error)) return 'full'
          // Where it was deleted or renamed meanwhile, `commit` says so; asked last, as that may happen until then.
          if (!isNothing(error) || (await isDirectory(root) && place.isSame)) throw error
          tree?.leave()
          tree = undefined
          return undefined
        }
      },
      commit: async allowed => {
        if (tree === undefined || !place.isSame) return false
        if (replaced === undefined) return only === undefined ? { added: 0, replaced: 0 } : await commitOne(...only, allowed)
        await allowed()
        const [aside, rubbish] = [join(directory, `.${name}.${id}.replaced`), join(directory, `.${name}.${id}.old.tmp`)]
        // Nothing exchanges two directories in one step here: the next start puts back what has no other of its name.
        trees.exchange(root, from, aside)
        // Under this name nobody takes it for the template again, also when that is deleted.
        trees.move(aside, rubbish)
        trees.discard(rubbish, name)
        return { added: staged.size - replaced, replaced }
      },
      keep: async () => {
        if (replaced !== undefined) return await syncPath(directory)
        // Wherever it is by now: others have had their turn since. What they have taken away has nothing to be kept.
        // A single file is brought to the disk; syncing many, one by one, would keep everybody else from it.
        for (let above = only?.[0] ?? '.'; above !== '.';) {
          const path = above = dirname(above)
          await tree?.use(async at => { await syncPath(join(at, path)).catch(goneIsNothing) })
        }
      },
      clear: () => {
        tree?.leave()
        place.leave()
        trees.discard(from, name)
      }
    }
  }

  return {
    list: name => of(name, walkTree),
    read: async (name, path) => {
      const tree = trees.read(pathOf(name))
      try {
        return await tree.use(async root => await readTreeFile(root, path), letGo)
      } finally {
        tree.leave()
      }
    },
    readAll: name => of(name, async function * (tree) {
      for await (const { path } of walkTree(tree)) {
        const file = await tree.use(async root => await readTreeFile(root, path), letGo)
        if (file === undefined) continue
        try {
          yield { ...file, path }
        } finally {
          await letGo(file)
        }
      }
    }),
    remove: async (name, path) => await removeTreeFile(pathOf(name), path),
    stage: async (name, files, signal) => {
      const place = trees.watch(pathOf(name))
      const id = randomBytes(6).toString('hex')
      const from = join(directory, `.${name}.${id}.tmp`)
      const letGo = (): void => {
        trees.discard(from, name)
        place.leave()
      }
      try {
        await trees.discarded(MOST_DISCARDED, name)
        await mkdir(from, { mode: 0o700 })
        const staged = await stage(files, from, isFull, signal)
        if (staged !== 'full' && !('refused' in staged)) return uploadOf(name, staged, id, place)
        letGo()
        return staged
      } catch (error) {
        letGo()
        if (isOutOfRoom(error)) return 'full'
        throw error
      }
    }
  }
}

/** Closes a file that was opened, whoever has begun to read it. */
async function letGo (file: TemplateContent | undefined): Promise<void> {
  await file?.content[Symbol.asyncIterator]().return?.()
}
