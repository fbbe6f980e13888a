/** Going through the files of a template, however many there are, without keeping others from the event loop. */
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { TemplateFile } from '../../../../types/resources.js'
import { isNothing } from '../plain-file.js'
import { createGate } from '../queue.js'
import { entriesIn } from '../entries.js'
import { modeText } from './template-tree.js'
import type { Tree } from './trees.js'

/** Files that are looked at together. */
const TOGETHER = 32
/** Names that are put in order in one turn. */
const IN_A_TURN = 2_000

/** A directory, with the names of what is in it and was not looked at yet, the next one last; those of directories end in `/`. */
interface Level {
  readonly below: string
  readonly names: string[]
}

/** Where many large directories are read at once, one after the other is. */
const oneAtATime = createGate(1)

/** All ordinary files at any depth, in the order of their paths; no more is looked at than somebody takes, but for a few. */
export async function * walkTree (tree: Tree): AsyncGenerator<TemplateFile, void, void> {
  const levels = [await levelAt(tree, '')]
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const { below, names } = level
    const paths: string[] = []
    while (paths.length < TOGETHER && names.at(-1)?.endsWith('/') === false) paths.push(`${below}${names.pop() as string}`)
    const found = await tree.use(async root => await Promise.all(paths.map(async path => await lstat(join(root, path)).catch(goneIsNothing))))
    for (const [at, stats] of found.entries()) {
      if (stats?.isFile() === true) yield { path: paths[at] as string, size: stats.size, mode: modeText(stats.mode), modifiedAt: Math.round(stats.mtimeMs) }
    }
    if (paths.length > 0) continue
    const directory = names.pop()
    if (directory === undefined) levels.pop()
    else levels.push(await levelAt(tree, `${below}${directory}`))
  }
}

async function levelAt (tree: Tree, below: string): Promise<Level> {
  return await oneAtATime(async () => ({ below, names: await tree.use(async root => await namesIn(join(root, below))) }))
}

/** The last one first. As the paths of the files below it stand in the order, so does a directory. */
async function namesIn (path: string): Promise<string[]> {
  const runs: string[][] = []
  let run: string[] = []
  for await (const entries of entriesIn(path)) {
    for (const entry of entries) {
      if (entry.isDirectory()) run.push(`${entry.name}/`)
      else if (entry.isFile()) run.push(entry.name)
    }
    if (run.length < IN_A_TURN) continue
    runs.push(run.sort().reverse())
    run = []
  }
  runs.push(run.sort().reverse())
  while (runs.length > 1) runs.push(await merge(runs.shift() as string[], runs.shift() as string[]))
  return runs[0] as string[]
}

/** Of two lists in order, one. */
async function merge (one: readonly string[], other: readonly string[]): Promise<string[]> {
  const all: string[] = []
  let [at, otherAt] = [0, 0]
  while (at < one.length && otherAt < other.length) {
    const [name, otherName] = [one[at] as string, other[otherAt] as string]
    if (name > otherName) at++
    else otherAt++
    all.push(name > otherName ? name : otherName)
    if (all.length % IN_A_TURN === 0) await turn()
  }
  return all.concat(one.slice(at), other.slice(otherAt))
}

function goneIsNothing (error: unknown): undefined {
  if (!isNothing(error)) throw error
}
