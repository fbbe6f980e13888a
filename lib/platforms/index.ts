/**
 * `fastify-cloud/platforms`: the platforms of a cloud's directory, for a command on the machine itself: ready ones are added by
 * name, with pinned builds, and what platforms download is fetched before anybody waits for it. With the server stopped or running.
 *
 * ```js
 * await addPlatform({ directory: './cloud', name: 'velocity', agent: 'my-tool/1.0 (admin@example.com)', signal, accept: () => false })
 * ```
 */
import { join } from 'node:path'
import type { Download } from '../runtime/fleet/content/download-definition.js'
import type { PlatformDefinition } from '../runtime/fleet/content/platform-definition.js'
import { textOf } from '../runtime/fleet/faults.js'
import { openStore, type Store } from '../runtime/fleet/downloads/store.js'
import type { Watch } from './add.js'
import { PlatformError } from './catalogue.js'
import { downloadsOf, groupsOn, readAllPlatforms, readPlatform, removePlatformFile, writePlatform } from './files.js'
import { listenFor, type Tell } from './silence.js'

export { addPlatform, type Added, type AddOptions, type Watch } from './add.js'
export { PlatformError } from './catalogue.js'
export { javaProblem } from './java.js'
export { publicCatalogues, readyPlatforms, type Catalogues } from './ready.js'

/** A version of a platform that is there, and how much of what it downloads. */
export interface ListedVersion {
  readonly platform: string
  readonly type: 'SERVER' | 'PROXY'
  readonly version: string
  /** Bytes of all that it downloads, and of what of it is there. */
  readonly size: number
  readonly fetched: number
}

const openDownloads = async (directory: string): Promise<Store> => await openStore(join(directory, 'downloads'), { alone: false })

/** All platforms of a cloud's directory, and what is wrong with the files of others. */
export async function listPlatforms ({ directory, signal }: { readonly directory: string, readonly signal: AbortSignal }): Promise<{ readonly versions: readonly ListedVersion[], readonly faults: readonly string[] }> {
  const { definitions, faults } = await readAllPlatforms(directory)
  const versions: ListedVersion[] = []
  let store: Store | undefined
  for (const definition of definitions) {
    for (const version of definition.versions) {
      let [size, fetched] = [0, 0]
      for (const download of downloadsOf(definition, version)) {
        size += download.size
        store ??= await openDownloads(directory)
        if (await store.check(download, signal)) fetched += download.size
      }
      versions.push({ platform: definition.name, type: definition.type, version, size, fetched })
    }
  }
  return { versions, faults }
}

export interface FetchOptions {
  readonly directory: string
  /** Absent: all platforms. */
  readonly name?: string | undefined
  /** Absent: all its versions. */
  readonly version?: string | undefined
  readonly signal: AbortSignal
  progress?: Watch
  /** Told each ten seconds in which nothing comes. */
  tell?: Tell
  /** Milliseconds in which a bit more has to come. Default 30,000. */
  readonly stall?: number
  /** Milliseconds of silence after which that is told; shorter in tests. */
  readonly silence?: number
}

/** Fetches what is missing, and answers how many files were there already and how many came. Throws a `PlatformError` that names each that did not. */
export async function fetchPlatforms ({ directory, name, version, signal, progress = () => {}, tell = () => {}, stall = 30_000, silence: silent }: FetchOptions): Promise<{ readonly there: number, readonly fetched: number }> {
  const chosen = name === undefined ? (await readAllPlatforms(directory)).definitions : [needed(directory, name, version).definition]
  let store: Store | undefined
  const failed: string[] = []
  let [there, fetched] = [0, 0]
  for (const { definition, of, download } of chosen.flatMap(definition => filesOf(definition, version))) {
    const file = `${definition.name} ${of} ${download.to}`
    const silence = listenFor(file, tell, silent)
    const watch = (received: number): void => {
      silence.break()
      progress(file, received, download.size)
    }
    try {
      store ??= await openDownloads(directory)
      if (await store.check(download, signal)) there++
      else {
        await store.fetch(download, { signal, stall, progress: watch })
        fetched++
      }
    } catch (error) {
      signal.throwIfAborted()
      failed.push(`${download.to} of ${definition.name} ${of}: ${textOf(error)}`)
    } finally {
      silence.end()
    }
  }
  if (failed.length > 0) throw new PlatformError(failed.join('\n'))
  return { there, fetched }
}

const filesOf = (definition: PlatformDefinition, version: string | undefined): ReadonlyArray<{ readonly definition: PlatformDefinition, readonly of: string, readonly download: Download }> =>
  definition.versions.filter(of => version === undefined || of === version).flatMap(of => downloadsOf(definition, of).map(download => ({ definition, of, download })))

/** Takes a platform away, or one version of it, where no group is of it; answers the bytes of what nobody needs any more. */
export async function removePlatform ({ directory, name, version }: { readonly directory: string, readonly name: string, readonly version?: string | undefined }): Promise<number> {
  const { file, definition } = needed(directory, name, version)
  const users = await groupsOn(directory, name, version)
  if (users.length > 0) throw new PlatformError(`${name}${version === undefined ? '' : ` ${version}`} is in use by ${users.join(', ')}: delete ${users.length === 1 ? 'that group' : 'these groups'} first, or give ${users.length === 1 ? 'it' : 'them'} another version`)
  const versions = definition.versions.filter(one => one !== version)
  if (version === undefined || versions.length === 0) await removePlatformFile(directory, name)
  else await writePlatform(directory, name, { ...file, versions, ...without(file, 'downloads', version), ...without(file, 'java', version) })
  const { definitions, faults } = await readAllPlatforms(directory)
  // What a file that cannot be read names is not known.
  return faults.length > 0 ? 0 : await (await openDownloads(directory)).prune(definitions.flatMap(one => downloadsOf(one)))
}

function needed (directory: string, name: string, version: string | undefined): NonNullable<ReturnType<typeof readPlatform>> {
  const found = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/.test(name) ? readPlatform(directory, name) : undefined
  if (found === undefined) throw new PlatformError(`There is no platform ${name}`)
  if (version !== undefined && !found.definition.versions.includes(version)) throw new PlatformError(`Platform ${name} has no version ${version}; it has ${found.definition.versions.join(', ')}`)
  return found
}

function without (file: Readonly<Record<string, unknown>>, field: string, version: string): Record<string, unknown> {
  const value = file[field]
  if (typeof value !== 'object' || value === null) return {}
  return { [field]: Object.fromEntries(Object.entries(value).filter(([of]) => of !== version)) }
}
