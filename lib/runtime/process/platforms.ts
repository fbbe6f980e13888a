/** The platforms that exist: one JSON file each, looked at again whenever somebody asks. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Listed } from '../../../types/runtime.js'
import type { Platform } from '../../../types/resources.js'
import { codeOf } from './errors.js'
import type { Log } from './options.js'
import { readDefinition, type PlatformDefinition } from './platform-definition.js'

interface Entry {
  /** Changes when the file does. */
  readonly version: string
  readonly definition?: PlatformDefinition
}

const LARGEST = 1024 * 1024

/** Has no revision on purpose: whether a file was added is only known by looking. */
export class Platforms implements Listed<Platform> {
  readonly #directory: string
  readonly #log: Log
  #entries: ReadonlyMap<string, Entry> = new Map()
  #refreshing: Promise<void> | undefined

  constructor (directory: string, log: Log) {
    this.#directory = directory
    this.#log = log
  }

  async list (): Promise<readonly Platform[]> {
    await this.refresh()
    return [...this.#entries.values()].flatMap(({ definition }) => definition === undefined
      ? []
      : [{ name: definition.name, type: definition.type, versions: definition.versions.map((version) => ({ version })) }])
  }

  /** As of the last look. */
  get (name: string): PlatformDefinition | undefined {
    return this.#entries.get(name)?.definition
  }

  /** Where a platform keeps its own files: `${platformDirectory}`. */
  directoryOf (name: string): string {
    return join(this.#directory, name)
  }

  /** Looks for files that are new, changed or gone; those who ask at once share one look. */
  refresh (): Promise<void> {
    this.#refreshing ??= this.#look().finally(() => { this.#refreshing = undefined })
    return this.#refreshing
  }

  async #look (): Promise<void> {
    const entries = new Map<string, Entry>()
    const files = (await readdir(this.#directory)).filter((file) => file.endsWith('.json') && !file.startsWith('.')).sort()
    for (const file of files) {
      const name = file.slice(0, -'.json'.length)
      entries.set(name, await this.#read(name, file))
    }
    this.#entries = entries
  }

  async #read (name: string, file: string): Promise<Entry> {
    const path = join(this.#directory, file)
    try {
      const { mtimeMs, ino, size, isFile } = await describe(path)
      const version = `${mtimeMs} ${ino} ${size}`
      const known = this.#entries.get(name)
      if (known?.version === version) return known
      const result = !isFile || size > LARGEST
        ? [{ field: '(file)', problem: 'must be a file of at most 1 MiB' }]
        : readDefinition(name, await readFile(path, 'utf8'))
      if (!Array.isArray(result)) return { version, definition: result as PlatformDefinition }
      for (const { field, problem } of result) {
        this.#log({ level: 'error', message: `Platform file ${file}: ${field} ${problem}`, file: path, field })
      }
      return { version }
    } catch (error) {
      // Gone between listing and reading is no fault; it will not be in the next listing either.
      if (codeOf(error) !== 'ENOENT') this.#log({ level: 'error', message: `Platform file ${file} cannot be read`, file: path, field: '(file)', error })
      return { version: '' }
    }
  }
}

async function describe (path: string) {
  const { mtimeMs, ino, size, ...rest } = await stat(path)
  return { mtimeMs, ino, size, isFile: (rest.mode & 0o170000) === 0o100000 }
}
