/** The files of a service in its container, whether that runs or not. Nothing leads out of it: what is read and written, the engine does inside. */
import { randomBytes } from 'node:crypto'
import { posix } from 'node:path'
import { finished } from 'node:stream/promises'
import type { Files } from '../../../types/engine.js'
import { readTar } from '../../archive/read-tar.js'
import { writeTar, type FileForTar } from '../../archive/write-tar.js'
import { DefinitionError } from '../fleet/index.js'
import { isGone, reasonOf, type Client } from './client.js'
import { bytesOf, packed } from './tree.js'

/** Of a text more is not read. */
const LARGEST = 1024 * 1024

export interface Whereabouts {
  readonly client: Client
  /** Of the container. */
  readonly id: string
  /** The working directory in it. */
  readonly directory: string
  /** Whom its files belong to. */
  readonly owner: number
}

export interface NewFile {
  readonly path: string
  readonly content: AsyncIterable<Uint8Array>
  readonly size: number
  readonly mode: string
}

/** Puts files into a container, with the directories that they lie in. */
export async function put ({ client, id, directory, owner }: Whereabouts, files: readonly NewFile[], signal?: AbortSignal): Promise<void> {
  async function * entries (): AsyncGenerator<FileForTar> {
    const made = new Set<string>()
    const directoryAt = (path: string): FileForTar => ({ path: `${path}/`, kind: 'directory', size: 0, mode: '0755', owner, modifiedAt: Date.now(), content: bytesOf('') })
    for (const { path, ...file } of files) {
      const inside = insideOf(path)
      for (const parent of parentsOf(inside)) {
        if (!made.has(parent)) yield directoryAt(parent)
        made.add(parent)
      }
      yield { ...file, path: inside, owner, modifiedAt: Date.now() }
    }
  }
  await client.ask(async (docker, abortSignal) => await docker.getContainer(id).putArchive(packed(writeTar(entries())), { path: directory, abortSignal }), {
    within: 300_000, ...(signal === undefined ? {} : { signal })
  })
}

/** `runs`: whether the program does, which may be reading what is written. */
export function filesOf (where: Whereabouts, runs: () => boolean): Files {
  const { client, id, directory } = where
  // What is read and written through us comes one after the other; the program has a rename.
  let queue: Promise<unknown> = Promise.resolve()
  const inTurn = async <T>(action: () => Promise<T>): Promise<T> => {
    const result = queue.then(action)
    queue = result.catch(() => {})
    return await result
  }

  async function write (path: string, text: string): Promise<void> {
    const file = { path, content: bytesOf(text), size: Buffer.byteLength(text), mode: '0644' }
    if (!runs()) return await put(where, [file])
    const temporary = posix.join(posix.dirname(path), `.${randomBytes(6).toString('hex')}.tmp`)
    await put(where, [{ ...file, path: temporary }])
    if (await move(temporary, path)) return
    // An image without `mv`: the file is there anew, and for a moment not at all.
    await put(where, [{ ...file, content: bytesOf(text) }])
  }

  /** False where the image has nothing that could do it. */
  async function move (from: string, to: string): Promise<boolean> {
    const exec = await client.ask(async (docker, abortSignal) => await docker.getContainer(id).exec({
      // Not into a directory that stands there.
      Cmd: ['mv', '-fT', posix.join(directory, from), posix.join(directory, to)], AttachStdout: true, AttachStderr: true, abortSignal
    }))
    const output = await client.ask(async (_docker, abortSignal) => await exec.start({ hijack: false, stdin: false, abortSignal }))
    await finished(output.resume())
    const { ExitCode } = await client.ask(async (_docker, abortSignal) => await exec.inspect({ abortSignal }))
    return ExitCode === 0
  }

  return {
    read: async path => await inTurn(async () => await readText(client, id, posix.join(directory, insideOf(path)))),
    write: async (path, text) => { await inTurn(async () => { await write(insideOf(path), text) }) }
  }
}

/** The text of a file in a container; undefined where there is none. */
export async function readText (client: Client, id: string, path: string): Promise<string | undefined> {
  const stream = await client.ask(async (docker, abortSignal) => await docker.getContainer(id).getArchive({ path, abortSignal })).catch((error: unknown) => {
    // Below a file there are no others: of that the engine says that it is no directory.
    if (isGone(error) || /: not a directory\s*$/.test(reasonOf(error))) return undefined
    throw error
  })
  if (stream === undefined) return undefined
  let text: string | undefined
  for await (const { content } of readTar(stream as AsyncIterable<Uint8Array>, { most: LARGEST + 64 * 1024 })) {
    const pieces: Uint8Array[] = []
    for await (const piece of content) pieces.push(piece)
    text ??= Buffer.concat(pieces).toString()
  }
  return text
}

/** A path that stays inside, in its plainest form. */
export function insideOf (path: string): string {
  const plain = posix.normalize(path)
  if (plain.startsWith('/') || plain === '..' || plain.startsWith('../') || plain === '.' || plain.includes('\0')) throw new DefinitionError(`file ${path} would be written outside of its directory`)
  return plain
}

function parentsOf (path: string): string[] {
  const steps = path.split('/').slice(0, -1)
  return steps.map((_step, index) => steps.slice(0, index + 1).join('/'))
}
