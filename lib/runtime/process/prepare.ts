/** Making a service's directory ready for a start. */
import { constants } from 'node:fs'
import { appendFile, chmod, lstat, mkdir, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { randomBytes } from 'node:crypto'
import { dirname, join, sep } from 'node:path'
import { codeOf, DefinitionError, removeTree, textOf } from '../fleet/index.js'
import { isPiece } from './console-pieces.js'
import { copyTree, type LeftOut } from './copy.js'
import type { Place } from './place.js'
import { isClaim, RUN } from './shim.js'

export interface Preparation {
  readonly place: Place
  /** The templates' directories, in the order in which they are laid. */
  readonly templates: readonly string[]
  readonly texts: Readonly<Record<string, string>>
  /** Whether what the service wrote is kept from start to start. */
  readonly keep: boolean
  readonly leftOut: LeftOut
  /** Told of what keeps the service from nothing. */
  warn (what: string): void
}

/** Lays everything out. What fails or is aborted leaves nothing half-done that a later start would take for whole. */
export async function prepare (preparation: Preparation, signal: AbortSignal): Promise<void> {
  const { place, texts } = preparation
  // May be passed through, should the operator let somebody else pass that far; what is in it is still its owner's.
  await makeDirectory(place.directory)
  await prepareRun(place.run)
  await prepareFiles(preparation, signal)
  await writeTexts(place.files, texts)
}

/** Makes a service's directory, and leaves one as it is that its owner can use; an operator may have put a link to one there. */
async function makeDirectory (path: string): Promise<void> {
  const stats = await stat(path).catch(() => undefined)
  if (stats?.isDirectory() !== true) {
    await removeTree(path)
    await mkdir(path, { recursive: true, mode: 0o711 })
  } else if ((stats.mode & 0o700) !== 0o700) await chmod(path, stats.mode | 0o700)
}

/** Only the console outlives a start: the last words of the one before are worth reading. */
async function prepareRun (run: string): Promise<void> {
  // A service may have put something else there, or locked it away.
  if (!await isDirectory(run)) await removeTree(run)
  await mkdir(run, { recursive: true, mode: 0o700 })
  await chmod(run, 0o700)
  for (const name of await readdir(run)) {
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
  for (const name of (await readdir(run)).filter(isClaim)) await removeTree(join(run, name))
}

/** What an earlier start could not finish, or take away. */
const isRemnant = (name: string): boolean => /^files\.(?:tmp|old-\d+)$/.test(name)

async function prepareFiles (preparation: Preparation, signal: AbortSignal): Promise<void> {
  const { place: { directory, files }, templates, leftOut, warn } = preparation
  const temporary = join(directory, 'files.tmp')
  await removeTree(temporary)
  const kept = await isDirectory(files)
  if (preparation.keep && kept) return
  try {
    await mkdir(temporary)
    for (const template of templates) await copyTree(template, temporary, leftOut, signal)
    signal.throwIfAborted()
    // Out of the way in one step: that it cannot be removed must not keep the service from starting.
    if (kept) await rename(files, join(directory, `files.old-${Date.now()}`))
    else await rm(files, { force: true })
    await rename(temporary, files)
  } catch (error) {
    await removeTree(temporary).catch(() => {})
    throw error
  }
  for (const name of (await readdir(directory)).filter(isRemnant)) {
    await removeTree(join(directory, name)).catch(error => { warn(`what the life before has left cannot be removed: ${textOf(error)}`) })
  }
}

/** Writes the platform's own texts, on every start: the port in them may be another one now. */
async function writeTexts (files: string, texts: Readonly<Record<string, string>>): Promise<void> {
  const root = await realpath(files)
  for (const [path, text] of Object.entries(texts)) {
    const target = join(root, path)
    await mkdir(dirname(target), { recursive: true })
    const parent = await realpath(dirname(target))
    // A static service may have put a link there since.
    if (parent !== root && !parent.startsWith(root + sep)) throw new DefinitionError(`file ${path} would be written outside of its directory`)
    const temporary = join(parent, `.${randomBytes(6).toString('hex')}.tmp`)
    const file = await open(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o644)
    try {
      await file.writeFile(text)
    } finally {
      await file.close()
    }
    // A rename replaces a link where opening it would follow it.
    await rename(temporary, target)
  }
}

/**
 * Takes a service's directory away. That of a static service holds what people built: it is moved aside under a name
 * that no service can have, and its new place is the answer.
 */
export async function discard (directory: string, isStatic: boolean): Promise<string | undefined> {
  if (isStatic && await isDirectory(join(directory, 'files'))) {
    const aside = `${directory}.kept-${new Date().toISOString().replace(/[:.]/g, '-')}`
    await rename(directory, aside)
    return aside
  }
  await removeTree(directory)
  return undefined
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
