/** The platforms that exist: one JSON file each, looked at again whenever somebody asks. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Awaitable } from '../../../../types/engine.js'
import type { Platform } from '../../../../types/resources.js'
import { codeOf, textOf } from '../faults.js'
import type { Log } from '../options.js'
import { DanglingError, isLink, readNote } from '../plain-file.js'
import { readDefinition, type PlatformDefinition } from './platform-definition.js'

export interface Platforms {
  /** All that are right, as of the last look. */
  readonly all: readonly PlatformDefinition[]
  /** As of the last look. */
  get (name: string): PlatformDefinition | undefined
  /** Where a platform keeps its own files: `${platformDirectory}`. */
  directoryOf (name: string): string
  /** Looks for what is new, changed or gone. */
  refresh (): Awaitable<void>
}

interface Entry {
  /** Changes when the file does. */
  readonly version: string
  readonly definition?: PlatformDefinition
}

const LARGEST = 1024 * 1024
/** Nothing can be opened at the moment. */
const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOMEM'])

export function createPlatforms (directory: string, log: Log): Platforms {
  let entries: ReadonlyMap<string, Entry> = new Map()
  let refreshing: Promise<void> | undefined

  async function look (): Promise<void> {
    const files = (await readdir(directory)).filter(file => file.endsWith('.json') && !file.startsWith('.')).sort()
    const found = new Map<string, Entry>()
    for (const file of files) {
      const name = file.slice(0, -'.json'.length)
      found.set(name, await read(name, file))
    }
    entries = found
  }

  async function read (name: string, file: string): Promise<Entry> {
    const path = join(directory, file)
    const known = entries.get(name)
    try {
      const stats = await stat(path)
      const version = `${stats.mtimeMs} ${stats.ino} ${stats.size}`
      if (known?.version === version) return known
      const result = !stats.isFile() || stats.size > LARGEST
        ? [{ field: '(file)', problem: 'must be a file of at most 1 MiB' }]
        : readDefinition(name, readNote(path, { links: true }) ?? '')
      if (!Array.isArray(result)) return { version, definition: result as PlatformDefinition }
      for (const { field, problem } of result) {
        log({ level: 'error', message: `Platform file ${file}: ${field} ${problem}`, file: path, field })
      }
      return { version }
    } catch (error) {
      const code = codeOf(error) ?? ''
      // Says nothing about this file; whoever asked tries again.
      if (EXHAUSTED.has(code)) throw error
      // Gone between listing and reading is no fault; it will not be in the next listing either.
      const isGone = code === 'ENOENT' && !isLink(path)
      if (!isGone && known?.version !== code) {
        const fault = code === 'ENOENT' ? new DanglingError(path) : error
        log({ level: 'error', message: `Platform file ${file} cannot be read: ${textOf(fault)}`, file: path, field: '(file)', error: fault })
      }
      return { ...known, version: code }
    }
  }

  return {
    get all () { return [...entries.values()].flatMap(({ definition }) => definition ?? []) },
    get: name => entries.get(name)?.definition,
    directoryOf: name => join(directory, name),
    // Those who ask at once share one look.
    refresh: () => (refreshing ??= look().finally(() => { refreshing = undefined }))
  }
}

/** A platform as it is listed. */
export const showPlatform = ({ name, type, versions }: PlatformDefinition): Platform =>
  ({ name, type, versions: versions.map(version => ({ version })) })
