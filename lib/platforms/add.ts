/** Adding a ready platform: its newest build is looked up, fetched and pinned, and its file written. */
import { join } from 'node:path'
import type { Download } from '../runtime/fleet/content/download-definition.js'
import { openStore, type Content, type Store } from '../runtime/fleet/downloads/store.js'
import type { TransferOptions } from '../runtime/fleet/downloads/transfer.js'
import { createAsk, PlatformError, versionForm, type AskOptions } from './catalogue.js'
import type { Behind } from './definitions.js'
import { readPlatform, writePlatform, type PlatformFile } from './files.js'
import { publicCatalogues, readyPlatforms, type Catalogues, type ReadyPlatform } from './ready.js'
import type { Release, ReleaseFile } from './release.js'
import { listenFor, type Tell } from './silence.js'

/** How far a file is: bytes, and of how many where that is known. */
export type Watch = (file: string, received: number, size: number | undefined) => void

export interface AddOptions {
  /** The cloud's. */
  readonly directory: string
  readonly name: string
  /** Absent: the newest that is stable. */
  readonly version?: string | undefined
  /** What its servers are to believe; absent: what is usual for it. */
  readonly behind?: string | undefined
  /** Also what its makers do not call stable. */
  readonly unstable?: boolean
  /** Those that are elsewhere than usual. */
  readonly catalogues?: Partial<Catalogues>
  /** Who asks. */
  readonly agent: string
  readonly signal: AbortSignal
  /** Asked before anything is fetched, for what Mojang's licence holds for; false: nothing is added. */
  accept (): boolean | Promise<boolean>
  progress?: Watch
  /** Told what is waited for: each ten seconds in which nothing comes, and each time that something is asked again. */
  tell?: Tell
  /** Milliseconds; shorter in tests. */
  readonly timing?: { readonly stall?: number, readonly pause?: number, readonly timeout?: number, readonly silence?: number }
}

export interface Added {
  readonly name: string
  readonly version: string
  readonly build: string | undefined
  readonly java: number
  /** Whether the file was there before, and got a version, or another build of one. */
  readonly how: 'made' | 'version added' | 'build renewed'
}

/** Throws a `PlatformError` for the person who asked, or what the disk has to say; then nothing was added. */
export async function addPlatform (options: AddOptions): Promise<Added> {
  const { directory, name, version, unstable = false, catalogues = {}, agent, signal, timing = {} } = options
  const ready = readyPlatforms.find(one => one.name === name)
  if (ready === undefined) throw new PlatformError(`There is no ready platform ${name}; there are ${readyPlatforms.map(one => one.name).join(', ')}`)
  if (version !== undefined && !versionForm.test(version)) throw new PlatformError(`${version} is no version`)
  const behind = behindOf(ready, options.behind)
  const before = readPlatform(directory, name)
  const all = { ...publicCatalogues, ...catalogues }
  const ask = createAsk({ signal, agent, ...pick(timing), ...(options.tell !== undefined && { tell: options.tell }), silence: timing.silence })
  const release = await ready.resolve(all)(all[ready.catalogue].replace(/\/$/, ''), { version, unstable }, ask)
  if (ready.licensed && !await options.accept()) throw new PlatformError(`Mojang's licence was not accepted, so ${name} is not added`)
  const store = await openStore(join(directory, 'downloads'), { alone: false })
  const downloads: Download[] = []
  for (const file of release.files) downloads.push(await pin(store, file, options))
  if (before === undefined) await writePlatform(directory, name, fresh(ready, behind, release, downloads))
  else await writePlatform(directory, name, renewed(before.file, before.definition.java, release, downloads))
  const how = before === undefined ? 'made' : before.definition.versions.includes(release.version) ? 'build renewed' : 'version added'
  return { name, version: release.version, build: release.build, java: release.java, how }
}

const pick = ({ pause, timeout }: NonNullable<AddOptions['timing']>): Pick<AskOptions, 'pause' | 'timeout'> =>
  ({ ...(pause === undefined ? {} : { pause }), ...(timeout === undefined ? {} : { timeout }) })

function behindOf ({ name, behind }: ReadyPlatform, wanted: string | undefined): Behind {
  if (wanted === undefined) return behind[0] ?? 'none'
  const found = behind.find(one => one === wanted)
  if (found === undefined) throw new PlatformError(behind.length === 0 ? `${name} is a proxy itself, and stands behind nothing` : `${name} cannot stand behind ${wanted}, only behind ${behind.join(', ')}`)
  return found
}

/** Fetches a file, and answers what it is from now on. */
async function pin (store: Store, file: ReleaseFile, { progress = () => {}, tell = () => {}, timing = {}, signal }: AddOptions): Promise<Download> {
  const silence = listenFor(file.to, tell, timing.silence)
  const watch = (received: number, total?: number): void => {
    silence.break()
    progress(file.to, received, file.size ?? total)
  }
  try {
    return await take(store, file, { signal, stall: timing.stall ?? 30_000, progress: watch })
  } finally {
    silence.end()
  }
}

async function take (store: Store, { url, to, algorithm, sum, size }: ReleaseFile, transfer: TransferOptions): Promise<Download> {
  const whole = algorithm !== undefined && sum !== undefined && size !== undefined ? { algorithm, sum, size } satisfies Content : undefined
  if (whole !== undefined) {
    if (!await store.check(whole, transfer.signal)) await store.fetch({ ...whole, url, to }, transfer)
    return { ...whole, url, to }
  }
  const known = { ...(algorithm === undefined ? {} : { algorithm }), ...(sum === undefined ? {} : { sum }), ...(size === undefined ? {} : { size }) }
  return { ...await store.take(url, known, transfer), url, to }
}

const shown = ({ url, algorithm, sum, size, to }: Download): PlatformFile => ({ url, [algorithm]: sum, size, to })

function fresh ({ name, body }: ReadyPlatform, behind: Behind, { version, java }: Release, downloads: readonly Download[]): PlatformFile {
  const { type, ...rest } = body(behind)
  return { name, type, versions: [version], java: { [version]: java }, downloads: { [version]: downloads.map(shown) }, ...rest }
}

/** The file of before with one version more, or another build of one; all else in it is the operator's and stays. */
function renewed (file: PlatformFile, java: number | Readonly<Record<string, number>> | undefined, { version, java: oldest }: Release, downloads: readonly Download[]): PlatformFile {
  const versions = file['versions'] as readonly string[]
  const byVersion = typeof java === 'number' ? Object.fromEntries(versions.map(one => [one, java])) : java ?? {}
  return {
    ...file,
    versions: versions.includes(version) ? versions : [version, ...versions],
    java: { ...byVersion, [version]: oldest },
    downloads: { ...file['downloads'] as object | undefined, [version]: downloads.map(shown) }
  }
}
