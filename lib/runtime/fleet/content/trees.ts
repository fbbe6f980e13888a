/**
 * Directories that are read while others move them: who has begun to read one reads that one to its end, wherever it is by then. All
 * moves are made here, each in one turn of the event loop.
 */
import { randomBytes } from 'node:crypto'
import { renameSync } from 'node:fs'
import { removeTree } from '../remove.js'

/** What a path stands for, whichever of its versions is there. */
export interface Place {
  /** Whether nothing was moved away from it or to it since. */
  readonly isSame: boolean
  /** To be called in the end. */
  leave (): void
}

/** One directory, for one who reads it. */
export interface Tree {
  /** What `look` answers of it, all from this directory. `look` may be called again, after `undo` of what it has answered. */
  use <T>(look: (root: string) => Promise<T>, undo?: (answer: T) => unknown): Promise<T>
  /** To be called in the end. */
  leave (): void
}

export interface Trees {
  /** Grows with every move: what was seen of the directories above is of one moment where it has not. */
  readonly moves: number
  read (root: string): Tree
  watch (path: string): Place
  move (from: string, to: string): void
  /** Puts `fresh`, a further version of it, in the place of `root`, which is `aside` then; when that fails all is as it was. */
  exchange (root: string, fresh: string, aside: string): void
  /** Takes a directory away as soon as nobody reads it any more, in the background; `of` is whose it was. What cannot go now goes with the next start. */
  discard (path: string, of: string): void
  /** Answers when at most so many are being taken away, of that one or of all. */
  discarded (most: number, of?: string): Promise<void>
}

interface Read {
  root: string
  readers: number
  left?: () => void
}

/** Once `giving` aborts nothing is taken away any more. */
export function createTrees (giving?: AbortSignal): Trees {
  const underWay = new Map<string, Read>()
  const discarding = new Map<Promise<void>, string>()
  const watched = new Set<{ readonly path: string, isSame: boolean }>()

  let moves = 0

  function place (from: string, to: string): void {
    moves++
    renameSync(from, to)
    // Whoever has begun there when nothing was there finds nothing, and not what has come since.
    const none = underWay.get(to)
    if (none !== undefined) none.root = `${to}.${randomBytes(6).toString('hex')}.none`
    underWay.delete(to)
    const tree = underWay.get(from)
    if (tree === undefined) return
    underWay.delete(from)
    tree.root = to
    underWay.set(to, tree)
  }

  return {
    get moves () { return moves },
    watch: path => {
      const entry = { path, isSame: true }
      watched.add(entry)
      return {
        get isSame () { return entry.isSame },
        leave: () => { watched.delete(entry) }
      }
    },
    move: (from, to) => {
      place(from, to)
      for (const entry of watched) if (entry.path === from || entry.path === to) entry.isSame = false
    },
    read: root => {
      const tree = underWay.get(root) ?? { root, readers: 0 }
      underWay.set(root, tree)
      tree.readers++
      let isRead = true
      return {
        use: async (look, undo) => {
          for (;;) {
            const at = tree.root
            try {
              const answer = await look(at)
              if (tree.root === at) return answer
              await undo?.(answer)
            } catch (error) {
              if (tree.root === at) throw error
            }
          }
        },
        leave: () => {
          if (!isRead) return
          isRead = false
          if (--tree.readers > 0) return
          if (underWay.get(tree.root) === tree) underWay.delete(tree.root)
          tree.left?.()
        }
      }
    },
    exchange: (root, fresh, aside) => {
      place(root, aside)
      try {
        place(fresh, root)
      } catch (error) {
        place(aside, root)
        throw error
      }
    },
    discard: (path, of) => {
      const remove = (): void => {
        const gone = removeTree(path, { signal: giving, gently: true }).catch(() => {}).finally(() => { discarding.delete(gone) })
        discarding.set(gone, of)
      }
      const tree = underWay.get(path)
      if (tree === undefined) remove()
      else tree.left = remove
    },
    discarded: async (most, of) => {
      const left = (): Array<Promise<void>> => [...discarding].filter(([, whose]) => of === undefined || whose === of).map(([gone]) => gone)
      for (let all = left(); all.length > most; all = left()) await Promise.race(all)
    }
  }
}
