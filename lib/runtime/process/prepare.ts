/** Making a service's directory ready for a start. */
import { appendFile, chmod, lstat, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Awaitable, Files, PlanDownload } from '../../../types/engine.js'
import { codeOf, entriesIn, isLink, removeTree, textOf } from '../fleet/index.js'
import { isPiece } from './console-pieces.js'
import { copyTree, type LeftOut } from './copy.js'
import { layDownloads } from './lay-downloads.js'
import type { Place } from './place.js'
import { filesIn, writeInside } from './service-files.js'
import { isClaim, RUN } from './shim.js'

export interface Preparation {
  readonly place: Place
  /** The templates' directories, in the order in which they are laid. */
  readonly templates: readonly string[]
  /** What was downloaded for the platform; laid after the templates, and before the texts. */
  readonly downloads: readonly PlanDownload[]
  readonly texts: Readonly<Record<string, string>>
  /** The paths of those that nobody but the service may read. */
  readonly secretFiles: readonly string[]
  /** Lays what is left to lay. */
  arrange? (files: Files): Awaitable<void>
  /** Whether what the service wrote is kept from start to start. */
  readonly keep: boolean
  readonly leftOut: LeftOut
  /** Told of what keeps the service from nothing. */
  warn (what: string): void
}

/** Lays everything out. What fails or is aborted leaves nothing half-done that a later start would take for whole. */
export async function prepare (preparation: Preparation, signal: AbortSignal): Promise<void> {
  const { place, texts, secretFiles } = preparation
  // May be passed through, should the operator let somebody else pass that far; what is in it is still its owner's.
  await makeDirectory(place.directory)
  await prepareRun(place.run)
  await prepareFiles(preparation, signal)
  await layDownloads(place.files, preparation.downloads, signal)
  await writeTexts(place.files, texts, secretFiles)
  await preparation.arrange?.(filesIn(place.files))
}

/** Makes a service's directory, and leaves one as it is that its owner can use; an operator may have put a link to one there. */
async function makeDirectory (path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined)
  if (stats === undefined && isLink(path)) throw awayBehind(path)
  if (stats?.isDirectory() !== true) {
    await removeTree(path)
    await mkdir(path, { mode: 0o711 })
  } else if ((stats.mode & 0o700) !== 0o700) await chmod(path, stats.mode | 0o700)
}

/** Only the console outlives a start: the last words of the one before are worth reading. */
async function prepareRun (run: string): Promise<void> {
  // A service may have put something else there, or locked it away.
  if (!await isDirectory(run)) await removeTree(run)
  await mkdir(run, { recursive: true, mode: 0o700 })
  await chmod(run, 0o700)
  for await (const name of namesIn(run)) {
    const isOurs = name === RUN.meta || name === RUN.console || isPiece(name)
    const keep = isClaim(name) || (isOurs && (await lstat(join(run, name))).isFile())
    if (!keep) await removeTree(join(run, name))
  }
  // Both are watched, and only what is there can be.
  for (const name of [RUN.unfinishedExit, RUN.console]) await makeFile(join(run, name))
}

/** Makes an empty file where there is none that we can write. */
async function makeFile (path: string): Promise<void> {
  await appendFile(path, '', { mode: 0o600 }).catch(async error => {
    if (codeOf(error) !== 'EACCES') throw error
    await removeTree(path)
    await appendFile(path, '', { mode: 0o600 })
  })
}

/** Takes away the claims of earlier starts; only when the note of the new one is there, for shims that come very late. */
export async function clearClaims (run: string): Promise<void> {
  for await (const name of namesIn(run)) if (isClaim(name)) await removeTree(join(run, name))
}

/** How often templates are laid anew that change meanwhile; the last time as they are. */
const MOST_TRIES = 10
const NONE = 'none'

/** What an earlier start could not finish, or take away. */
const isRemnant = (name: string): boolean => /^files\.(?:tmp|old-\d+)$/.test(name)

async function prepareFiles (preparation: Preparation, signal: AbortSignal): Promise<void> {
  const { place: { directory, files }, templates, leftOut, warn } = preparation
  const temporary = join(directory, 'files.tmp')
  await removeTree(temporary)
  const kept = await isLaid(files)
  if (preparation.keep && kept) {
    if (isLink(files)) await checkOwner(files)
    // What it should lead to is what people built: nothing else comes in its place.
    if (await stat(files).catch(() => undefined) === undefined) throw awayBehind(files)
    return
  }
  try {
    await layTemplates(templates, temporary, leftOut, signal)
    signal.throwIfAborted()
    // Out of the way in one step: that it cannot be removed must not keep the service from starting.
    if (kept) await rename(files, join(directory, `files.old-${Date.now()}`))
    else await rm(files, { force: true })
    await rename(temporary, files)
  } catch (error) {
    await removeTree(temporary).catch(() => {})
    throw error
  }
  for await (const name of namesIn(directory)) {
    if (isRemnant(name)) await removeTree(join(directory, name)).catch(error => { warn(`what the life before has left cannot be removed: ${textOf(error)}`) })
  }
}

/** What is in a directory; a service may have put any number of things there. */
async function * namesIn (directory: string): AsyncGenerator<string, void, void> {
  for await (const entries of entriesIn(directory)) yield * entries.map(({ name }) => name)
}

/** Lays templates one over the other, each of them one version of it: all anew where one was exchanged, or changed, meanwhile. */
async function layTemplates (templates: readonly string[], target: string, leftOut: LeftOut, signal: AbortSignal): Promise<void> {
  for (let tries = MOST_TRIES; ; tries--) {
    const before = await Promise.all(templates.map(versionOf))
    const isSame = async (): Promise<boolean> => (await Promise.all(templates.map(versionOf))).join() === before.join()
    await mkdir(target)
    try {
      for (const template of templates) await copyTree(template, target, leftOut, signal)
      if (tries === 1 || await isSame()) return
    } catch (error) {
      // A file may be taken away at any depth; a template that is not there comes no sooner.
      const isGone = codeOf(error) === 'ENOENT' && !before.includes(NONE)
      if (tries === 1 || signal.aborted || (!isGone && await isSame())) throw error
    }
    await removeTree(target)
  }
}

/** Changes with the directory that has this name, and with what is right in it. */
async function versionOf (path: string): Promise<string> {
  try {
    const { dev, ino, ctimeNs } = await stat(path, { bigint: true })
    return `${dev}:${ino}:${ctimeNs}`
  } catch {
    return NONE
  }
}

/** Writes the platform's own texts, on every start: the port in them may be another one now. */
async function writeTexts (files: string, texts: Readonly<Record<string, string>>, secret: readonly string[]): Promise<void> {
  for (const [path, text] of Object.entries(texts)) await writeInside(files, path, text, { mode: secret.includes(path) ? 0o600 : 0o644, keepMode: false })
}

/**
 * Takes a service's directory away. That of a static service holds what people built: it is moved aside under a name
 * that no service can have, and its new place is the answer. Any other goes by `remove`.
 */
export async function discard (directory: string, isStatic: boolean, remove: (path: string) => Promise<void> = removeTree): Promise<string | undefined> {
  if (isStatic && (isLink(directory) || await isLaid(join(directory, 'files')))) {
    const aside = `${directory}.kept-${new Date().toISOString().replace(/[:.]/g, '-')}`
    await rename(directory, aside)
    return aside
  }
  await remove(directory)
  return undefined
}

/** Whoever else has put a link there wants the core to work where it leads. */
async function checkOwner (link: string): Promise<void> {
  const { uid } = await lstat(link)
  if (uid !== 0 && uid !== process.getuid?.()) throw new Error(`${link} is a link that belongs to user ${uid}: it is followed only where it is the core's own, or root's`)
}

const awayBehind = (path: string): Error => new Error(`${path} is a link to something that is not there: a disk that is not mounted yet, perhaps`)

/** Whether there are files: an operator may have put them on another disk, and a link to them there. One to something else is none. */
async function isLaid (files: string): Promise<boolean> {
  return await isDirectory(files) || (isLink(files) && (await stat(files).catch(() => undefined))?.isDirectory() !== false)
}

/** Throws when that cannot be said: what people built must not be taken for nothing. */
async function isDirectory (path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')) return false
    throw error
  }
}
