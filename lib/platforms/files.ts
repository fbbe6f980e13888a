/** The files of platforms in a cloud's directory, as a command on this machine reads and writes them. */
import { readdir, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { unlinkDurably, writeFileWhole } from '../runtime/fleet/content/files.js'
import type { Download } from '../runtime/fleet/content/download-definition.js'
import { readDefinition, type PlatformDefinition } from '../runtime/fleet/content/platform-definition.js'
import { readNote } from '../runtime/fleet/plain-file.js'
import { PlatformError } from './catalogue.js'

export type PlatformFile = Readonly<Record<string, unknown>>

const pathOf = (directory: string, name: string): string => join(directory, 'platforms', `${name}.json`)

/** A file as it stands there, and what it means; undefined when there is none. Throws where it is wrong. */
export function readPlatform (directory: string, name: string): { readonly file: PlatformFile, readonly definition: PlatformDefinition } | undefined {
  const text = readNote(pathOf(directory, name), { links: true })
  if (text === undefined) return undefined
  const definition = readDefinition(name, text)
  if (Array.isArray(definition)) throw new PlatformError(`platforms/${name}.json is wrong: ${definition.map(({ field, problem }) => `${field} ${problem}`).join('; ')}`)
  return { file: JSON.parse(text) as PlatformFile, definition: definition as PlatformDefinition }
}

/** All that are right, by name, and what is wrong with the others. */
export async function readAllPlatforms (directory: string): Promise<{ readonly definitions: readonly PlatformDefinition[], readonly faults: readonly string[] }> {
  const [definitions, faults]: [PlatformDefinition[], string[]] = [[], []]
  for (const name of await namesIn(join(directory, 'platforms'))) {
    try {
      const read = readPlatform(directory, name)
      if (read !== undefined) definitions.push(read.definition)
    } catch (error) {
      faults.push((error as Error).message)
    }
  }
  return { definitions, faults }
}

export async function writePlatform (directory: string, name: string, file: PlatformFile): Promise<void> {
  const text = `${JSON.stringify(file, null, 2)}\n`
  const read = readDefinition(name, text)
  if (Array.isArray(read)) throw new PlatformError(`What would be written for ${name} is wrong: ${read.map(({ field, problem }) => `${field} ${problem}`).join('; ')}`)
  await mkdir(join(directory, 'platforms'), { recursive: true, mode: 0o700 })
  await writeFileWhole(pathOf(directory, name), text)
}

export const removePlatformFile = async (directory: string, name: string): Promise<void> => { await unlinkDurably(pathOf(directory, name)) }

/** Which groups name a platform, by their files; a file that cannot be read is somebody's group. */
export async function groupsOn (directory: string, name: string, version?: string): Promise<string[]> {
  const found: string[] = []
  for (const group of await namesIn(join(directory, 'groups'))) {
    try {
      const { platform } = JSON.parse(readNote(join(directory, 'groups', `${group}.json`), { links: true }) ?? '{}') as { readonly platform?: { readonly name?: unknown, readonly version?: unknown } }
      if (platform?.name === name && (version === undefined || platform.version === version)) found.push(group)
    } catch {
      found.push(group)
    }
  }
  return found
}

export const downloadsOf = ({ downloads = {} }: PlatformDefinition, version?: string): readonly Download[] =>
  Object.entries(downloads).flatMap(([of, list]) => version === undefined || of === version ? list : [])

async function namesIn (directory: string): Promise<string[]> {
  const files = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return files.filter(file => file.endsWith('.json') && !file.startsWith('.')).map(file => file.slice(0, -'.json'.length)).sort()
}
