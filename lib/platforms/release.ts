/** What catalogues say of a version, and which Java it needs where they do not. */
import type { Content } from '../runtime/fleet/downloads/store.js'
import { PlatformError, type Ask } from './catalogue.js'

/** A file of a release; what is known of its content is as much as its catalogue tells. */
export interface ReleaseFile extends Partial<Content> {
  readonly url: string
  readonly to: string
}

/** One build of one version. */
export interface Release {
  readonly version: string
  /** `build 132`, where a version has several. */
  readonly build?: string
  readonly java: number
  readonly files: readonly ReleaseFile[]
}

export interface Wanted {
  /** Absent: the newest. */
  readonly version?: string | undefined
  /** Also what its makers do not call stable. */
  readonly unstable: boolean
}

/** Finds a release in a catalogue at a base address, which has no slash at its end. */
export type Resolve = (base: string, wanted: Wanted, ask: Ask) => Promise<Release>

export const sums = { sha256: /^[0-9a-f]{64}$/i, sha1: /^[0-9a-f]{40}$/i, md5: /^[0-9a-f]{32}$/i } as const
export const addressForm = /^https?:\/\/\S{1,2040}$/

/** Names a few of those that there are, the newest first. */
export function noVersion (name: string, version: string, known: readonly string[]): PlatformError {
  const some = known.slice(0, 8).join(', ')
  return new PlatformError(`There is no ${name} ${version}${some === '' ? '' : `; there are ${some}${known.length > 8 ? ', …' : ''}`}`)
}

/** Since which version of Minecraft which Java is needed (minecraft.wiki, Java Edition). */
const javaSince: ReadonlyArray<readonly [readonly [number, number, number], number]> = [
  [[26, 0, 0], 25], [[1, 20, 5], 21], [[1, 18, 0], 17], [[1, 17, 0], 16]
]

export function javaOfMinecraft (version: string): number {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  const isSince = ([since]: typeof javaSince[number]): boolean =>
    major !== since[0] ? major > since[0] : minor !== since[1] ? minor > since[1] : patch >= since[2]
  return javaSince.find(isSince)?.[1] ?? 8
}
