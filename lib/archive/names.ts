/** The names in an archive, directories among them: where two stand for one place, others would read something else than we do. */
import { hash } from 'node:crypto'

/** What is said of a name in the way of another. */
export const whys = {
  blocked: 'is a directory, or leads through a file', case: 'differs in case only from a name that is there', crowded: 'is one too many in its directory'
} as const

export interface Names {
  /** What is wrong with a further entry of that path, to go on from it; `too large`: there are more places than there may be. */
  add (path: string, isDirectory: boolean): string | undefined
}

/** One name for all that differ in case, or in how their letters are put together. */
export const foldedName = (name: string): string =>
  isPlain.test(name) ? name : name.normalize('NFC').toLowerCase().toUpperCase().toLowerCase().normalize('NFC')

/** Nothing that has a case, or could be put together in another way. */
const isPlain = /^[ -@[-~]*$/
/** What is longer is kept as its digest: a place takes as much memory as any, however long its name is. */
const longest = 44

/** A copy: a part of a text keeps the whole of it. */
const kept = (name: string): string => name.length > longest ? hash('sha256', name, 'base64') : Buffer.from(name, 'utf16le').toString('utf16le')

interface Place {
  /** Its number. */
  readonly at: number
  readonly isDirectory: boolean
  /** What it is called, where that is not its folded name. */
  readonly exact: string | undefined
}

/** For at most so many files and directories, those among them that no entry names. */
export function createNames (most: number): Names {
  /** By the number of the directory and the folded name. */
  const taken = new Map<string, Place>()
  /** The directory in which the last one was; mostly the next one is there as well. */
  let last = { path: '', at: 0 }

  function take (above: number, name: string, isDirectory: boolean): Place | string {
    const folded = foldedName(name)
    const exact = folded === name ? undefined : kept(name)
    const key = `${above}/${kept(folded)}`
    const before = taken.get(key)
    if (before === undefined) {
      if (taken.size === most) return 'too large'
      const place = { at: taken.size + 1, isDirectory, exact }
      taken.set(key, place)
      return place
    }
    if (before.exact !== exact) return whys.case
    return before.isDirectory === isDirectory ? before : whys.blocked
  }

  return {
    add: (path, isDirectory) => {
      const end = path.lastIndexOf('/')
      const [above, name] = [path.slice(0, Math.max(0, end)), path.slice(end + 1)]
      if (above !== last.path) {
        let at = 0
        for (const directory of above === '' ? [] : above.split('/')) {
          const place = take(at, directory, true)
          if (typeof place === 'string') return place
          at = place.at
        }
        last = { path: above, at }
      }
      const place = take(last.at, name, isDirectory)
      return typeof place === 'string' ? place : undefined
    }
  }
}
