/**
 * The bundled platforms in a cloud's directory. Each is laid once, and `.bundled` notes what was laid: what an operator removed or
 * changed stays removed or changed, what nobody changed is that of this version, and a directory that an older version has made gets what is new.
 */
import { createHash } from 'node:crypto'
import { cp, lstat, mkdir, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { NotPlainError, readNote } from 'fastify-cloud/runtime/fleet'
import { isMissing } from './missing.js'

const ofThisVersion = fileURLToPath(new URL('./platforms/', import.meta.url))
/** In the note, beside digests: an operator had something of that name before, or it was laid before digests were noted. */
const [own, unknown] = ['own', '']

/** `isFirst`: no core has been in the directory. */
export async function layPlatforms (platforms, isFirst, bundled = ofThisVersion) {
  await mkdir(platforms, { recursive: true })
  const note = join(platforms, '.bundled')
  const { laid, isNoted } = await laidIn(platforms, note, isFirst, bundled)
  const write = async () => {
    const half = `${note}.new`
    await rm(half, { recursive: true, force: true })
    await writeFile(half, JSON.stringify(laid), { flag: 'wx' })
    await rename(half, note)
  }
  if (!isNoted) {
    await rm(note, { recursive: true, force: true })
    await write()
  }
  for (const file of await filesIn(bundled)) {
    const now = await layFile(platforms, join(bundled, file), laid[file])
    if (laid[file] === now) continue
    laid[file] = now
    await write()
  }
}

/** The names of those that this version brings. */
export const bundledNames = async () => await namesIn(ofThisVersion)

/** Has a bundled platform be that of this version, whatever was done with it. Answers where it has put what somebody had changed. */
export async function takeBundled (platforms, name, bundled = ofThisVersion) {
  const kept = []
  for (const file of filesOf(name)) {
    const [ours, place] = [join(bundled, file), join(platforms, file)]
    const present = await digestOf(place)
    if (present === await digestOf(ours)) continue
    if (present !== undefined) {
      kept.push(await freeName(`${place}.old`))
      await rename(place, kept.at(-1))
    }
    await layNew(ours, place)
  }
  return kept
}

async function freeName (name) {
  for (let n = 1; ; n++) {
    const free = n === 1 ? name : `${name}${n}`
    if (await isMissing(free)) return free
  }
}

/** The program of a platform, then its definition: that never stands there without it. */
const filesOf = name => [name, `${name}.json`]
const filesIn = async bundled => (await namesIn(bundled)).flatMap(filesOf)
const namesIn = async bundled => (await readdir(bundled)).filter(file => file.endsWith('.json')).map(file => file.slice(0, -'.json'.length))

/** Answers what is to be noted of it. */
async function layFile (platforms, ours, laid) {
  const file = basename(ours)
  const [place, old] = [join(platforms, file), join(platforms, `.${file}.old`)]
  // Of a start that was ended between the two steps with which one takes the place of the other.
  if (!await isMissing(old)) {
    if (await isMissing(place)) await rename(old, place)
    else await rm(old, { recursive: true, force: true })
  }
  const digest = await digestOf(ours)
  let present
  try {
    present = await digestOf(place)
  } catch (error) {
    // As one of the operator's own: whoever needs it is told why it cannot be had.
    if (!['EACCES', 'EPERM', 'EIO', 'ELOOP'].includes(error.code)) throw error
    process.stderr.write(`${place} cannot be read (${error.code}): it stays as it is\n`)
    return laid ?? own
  }
  if (present === digest) return digest
  if (laid === undefined && present !== undefined) return own
  if (laid !== undefined && (laid === own || laid === digest || present === undefined)) return laid
  if (laid !== undefined && laid !== present) {
    process.stderr.write(`${place} is not that of this version, and ${laid === unknown ? 'may have been' : 'was'} changed by hand: it stays. fastify-cloud admin platform add ${file.replace(/\.json$/, '')} takes that of this version\n`)
    return laid
  }
  await layNew(ours, place, present === undefined ? undefined : old)
  return digest
}

/** Copies one to its place; what is there goes by way of `old`. */
async function layNew (ours, place, old) {
  const half = join(dirname(place), `.${basename(place)}.new`)
  await rm(half, { recursive: true, force: true })
  await cp(ours, half, { recursive: true })
  if (old !== undefined) await rename(place, old)
  await rename(half, place)
  if (old !== undefined) await rm(old, { recursive: true, force: true })
}

/** Of a file, or of all in a directory, by names and content; undefined when there is nothing. */
async function digestOf (path) {
  const hash = createHash('sha256')
  const add = async (path, name) => {
    const stats = await lstat(path)
    hash.update(`${name}\0${stats.mode & 0o170000}\0`)
    if (stats.isSymbolicLink()) hash.update(await readlink(path))
    else if (stats.isFile()) hash.update(`${stats.size}\0`).update(await readFile(path))
    else if (stats.isDirectory()) for (const inner of (await readdir(path)).sort()) await add(join(path, inner), `${name}/${inner}`)
  }
  if (await isMissing(path)) return undefined
  await add(path, '')
  return hash.digest('hex')
}

/**
 * Before there was a note limbo was all that was laid. Where no core has been, or nothing but half-written files of ours lies, nothing was:
 * platforms may be added before the first start. A damaged note is made anew as if all had been laid: what an operator has removed does not come back.
 */
async function laidIn (platforms, note, isFirst, bundled) {
  const isEmpty = (await readdir(platforms)).every(name => name.startsWith('.'))
  const text = textIn(note)
  if (text === undefined) return { laid: isEmpty || isFirst ? {} : undigested(['limbo']), isNoted: false }
  const laid = read(text)
  if (laid !== undefined) return { laid, isNoted: true }
  process.stderr.write(`${note} is damaged: it is made anew, as if all bundled platforms had been laid\n`)
  return { laid: isEmpty ? {} : undigested(await namesIn(bundled)), isNoted: false }
}

/** Undefined when there is none; of something else in its place, nothing. */
function textIn (note) {
  try {
    return readNote(note, { links: true })
  } catch (error) {
    if (error instanceof NotPlainError) return ''
    throw error
  }
}

const undigested = names => Object.fromEntries(names.flatMap(name => [[name, unknown], [`${name}.json`, unknown]]))

/** What was laid, by file: its digest. Once it was a list of names. */
function read (text) {
  try {
    const noted = JSON.parse(text)
    if (Array.isArray(noted)) return noted.every(name => typeof name === 'string') ? undigested(noted) : undefined
    return typeof noted === 'object' && noted !== null && Object.values(noted).every(digest => typeof digest === 'string') ? noted : undefined
  } catch {
    return undefined
  }
}
