/** Going through the files of a template, however many there are, without keeping others from the event loop, and without holding their names. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { TemplateFile } from '../../../../types/resources.js'
import { isNothing } from '../plain-file.js'
import { entriesIn } from '../entries.js'
import { modeText, oneAtATime } from './template-tree.js'
import type { Tree } from './trees.js'

/** Files that are looked at together. */
const TOGETHER = 32
/** Names that a walk holds, of all directories that it is in, whether somebody reads on or not; for the others they are read again. */
const HELD = 2_000
/** Names that are put in order in one turn, beside those that are in order. */
const IN_A_TURN = 1_000

/** A directory, with the names of what comes next in it, the next one last; those of directories end in `/`. */
interface Level {
  readonly below: string
  names: string[]
  /** The last one that was taken. */
  taken: string
  /** Whether there are names beyond those that are held. */
  isMore: boolean
}

/** All ordinary files at any depth, in the order of their paths; no more is looked at than somebody takes, but for a few. */
export async function * walkTree (tree: Tree): AsyncGenerator<TemplateFile, void, void> {
  const levels = [await levelAt(tree, '')]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { below, names } = level
    const paths: string[] = []
    while (paths.length < TOGETHER && names.at(-1)?.endsWith('/') === false) paths.push(`${below}${level.taken = names.pop() as string}`)
    const found = await tree.use(async root => await Promise.all(paths.map(async path => await lstat(join(root, path)).catch(goneIsNothing))))
    for (const [at, stats] of found.entries()) {
      if (stats?.isFile() === true) yield { path: paths[at] as string, size: stats.size, mode: modeText(stats.mode), modifiedAt: Math.round(stats.mtimeMs) }
    }
    if (paths.length > 0) continue
    const directory = names.pop()
    if (directory !== undefined) {
      level.taken = directory
      levels.push(await levelAt(tree, `${below}${directory}`))
    } else if (level.isMore) levels[levels.length - 1] = await levelAt(tree, below, level.taken)
    else levels.pop()
    letGo(levels)
  }
}

/** Of what is held too much, what comes last goes first. */
function letGo (levels: readonly Level[]): void {
  let over = levels.reduce((sum, { names }) => sum + names.length, 0) - HELD
  for (const level of levels) {
    if (over <= 0) return
    const less = Math.min(over, level.names.length)
    if (less === 0) continue
    level.names = level.names.slice(less)
    level.isMore = true
    over -= less
  }
}

/** What comes in a directory behind a name. As the paths of the files below it stand in the order, so does a directory. */
async function levelAt (tree: Tree, below: string, taken = ''): Promise<Level> {
  return await tree.use(async root => {
    let names: string[] = []
    let isMore = false
    const isNext = (name: string): boolean => name > taken && !(isMore && name > (names[HELD - 1] as string))
    /** Those that were found so far in order, and no more than are held. */
    async function sort (): Promise<void> {
      names.sort()
      if (names.length > HELD) {
        names = names.slice(0, HELD)
        isMore = true
      }
      await turn()
    }
    for await (const entries of entriesIn(join(root, below), 'utf8', oneAtATime)) {
      for (const entry of entries) {
        if (!entry.isDirectory() && !entry.isFile()) continue
        const name = entry.isDirectory() ? `${entry.name}/` : entry.name
        if (isNext(name)) names.push(name)
      }
      if (names.length >= HELD + IN_A_TURN) await sort()
    }
    await sort()
    return { below, names: names.reverse(), taken, isMore }
  })
}

function goneIsNothing (error: unknown): undefined {
  if (!isNothing(error)) throw error
}
