/** Where services of this cloud have their files, and how it is told whether a process belongs to one of them. */
import { realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { procReader, stuck, type Look } from './proc-reader.js'
import { RUN } from './shim.js'

/** The directory of all services. */
export interface Home {
  readonly path: string
  /** Device and inode: a copy of the directory, running programs and all, is another one. */
  readonly id: string
}

/** What a service has on the disk. */
export interface Place {
  readonly name: string
  readonly directory: string
  /** The core's and the shim's. */
  readonly run: string
  /** The service's own: it works there. */
  readonly files: string
}

export function homeAt (directory: string): Home {
  const path = realpathSync(directory)
  const { dev, ino } = statSync(path, { bigint: true })
  return { path, id: `${dev}:${ino}` }
}

export function placeOf (home: Home, name: string): Place {
  const directory = join(home.path, name)
  return { name, directory, run: join(directory, 'run'), files: join(directory, 'files') }
}

/**
 * Whether a process works in a place: its working directory, or what it reads and writes, is there. Where the
 * place's own file is gone, its name has to do.
 */
export async function isIn (pid: number, place: Place): Promise<boolean> {
  return areIn(await linksOf(pid), place)
}

const areIn = (links: Look['links'], { run, files }: Place): boolean =>
  isAt(links.cwd, run) || isAt(links.cwd, files) || isAt(links['fd/0'], join(run, RUN.input)) || isAt(links['fd/1'], join(run, RUN.console))

/** The place that a process works in, by the names of its links alone. */
export async function placeByLinks (pid: number, home: Home): Promise<Place | undefined> {
  const links = await linksOf(pid)
  for (const link of ['cwd', 'fd/0', 'fd/1'] as const) {
    const path = pathOf(links[link])
    const name = path?.startsWith(home.path + sep) === true ? path.slice(home.path.length + 1).split(sep)[0] : undefined
    if (name === undefined || !isServiceName(name)) continue
    const place = placeOf(home, name)
    if (areIn(links, place)) return place
  }
  return undefined
}

/** Other names below the directory are what static services have left, or not ours at all. */
export function isServiceName (name: string): boolean {
  return /^[A-Za-z0-9_-]+-\d+$/.test(name)
}

/** What lies behind a link may be another cloud's as well, of which this one is a copy. */
function isAt (link: Look['link'], path: string): boolean {
  if (isBehindLink(path) || link.id === undefined) return false
  const ours = identify(path)
  return ours === undefined ? pathOf(link) === path : link.id === ours
}

/** Whether a process works in what a path leads to, over links as well. */
export const worksIn = async (pid: number, path: string): Promise<boolean> => {
  const { cwd } = await linksOf(pid)
  return cwd.id !== undefined && cwd.id === identify(path)
}

/** The directory of all services is there without one. */
export function isBehindLink (path: string): boolean {
  try {
    return realpathSync(path) !== path
  } catch {
    return false
  }
}

function identify (path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    return undefined
  }
}

/** None, where nothing can be said. */
async function linksOf (pid: number): Promise<Look['links']> {
  const none = { cwd: {}, 'fd/0': {}, 'fd/1': {} }
  const links = await procReader.ask('links', pid).catch(() => none)
  return links === stuck ? none : links
}

/** Where a link of a process leads, even if that has been removed meanwhile. */
const pathOf = ({ path }: Look['link']): string | undefined => path?.replace(/ \(deleted\)$/, '')
