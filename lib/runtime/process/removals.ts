/** Directories that are taken away: whoever asks has their names at once, and does not wait until the last of a hundred thousand files is gone. */
import { randomBytes } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { codeOf, removeTree } from '../fleet/index.js'

export interface Removals {
  /** Answers when all of it is gone, or will go in the background; throws what goes wrong before, and then what is left is where it was. */
  remove (path: string): Promise<void>
  /** Gives up what is under way: the next start goes on with it. */
  close (): Promise<void>
}

/** Milliseconds for which a removal is waited for. */
const patienceMs = 2_000

/** `complain` is told what has gone wrong when nobody waits any more. */
export function createRemovals (complain: (error: unknown) => void, patience = patienceMs): Removals {
  const giving = new AbortController()
  const { signal } = giving
  const underWay = new Set<Promise<void>>()

  async function remove (path: string): Promise<void> {
    // Under such a name the next start clears what is left.
    const aside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString('hex')}.tmp`)
    try {
      await rename(path, aside)
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return
      // Something that cannot be moved: where a disk of its own is mounted, for instance.
      return await removeTree(path, { signal })
    }
    let isAwaited = true
    const gone = removeTree(aside, { signal }).catch(async (error: unknown) => {
      if (!isAwaited) return signal.aborted ? undefined : complain(error)
      await rename(aside, path).catch(() => {})
      throw error
    }).finally(() => { underWay.delete(gone) })
    underWay.add(gone)
    let timer: NodeJS.Timeout | undefined
    try {
      await Promise.race([gone, new Promise<void>(resolve => { timer = setTimeout(resolve, patience) })])
    } finally {
      isAwaited = false
      clearTimeout(timer)
    }
  }

  return {
    remove,
    close: async () => {
      giving.abort(new Error('The cloud is closed'))
      await Promise.allSettled(underWay)
    }
  }
}
