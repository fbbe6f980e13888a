/** Bringing images to where all nodes of a swarm get them. */
import type { StartOptions } from '../../../../types/engine.js'
import type { Client } from '../client.js'
import { jsonLines } from '../json-lines.js'

export interface Registry {
  /** Pushes an image, unless that was done, and answers the name by which every node gets exactly this one. */
  publish (id: string, options: Pick<StartOptions, 'signal' | 'progress'>): Promise<string>
  /** It is not there any more, as a node has said. */
  forget (id: string): void
}

const PUSH_MS = 600_000
/** One name for all of a cloud; what is meant is told by digests, and tags keep the registry from taking them for rubbish. */
export function createRegistry (client: Client, registry: string, cloud: string): Registry {
  const repository = `${registry}/${cloud}`
  const known = new Map<string, Promise<string>>()

  async function push (id: string): Promise<string> {
    const tag = id.replace(/^sha256:/, '').slice(0, 32)
    await client.ask(async (docker, abortSignal) => { await docker.getImage(id).tag({ repo: repository, tag, abortSignal }) })
    const stream = await client.ask(async (docker, abortSignal) => await docker.getImage(repository).push({ tag, authconfig: {}, abortSignal } as never) as unknown as AsyncIterable<unknown>, { within: PUSH_MS })
    let digest: string | undefined
    for await (const { error, aux } of jsonLines<{ readonly error?: string, readonly aux?: { readonly Digest?: string } }>(stream)) {
      if (error !== undefined) throw new Error(`the image of its files cannot be pushed to ${registry}: ${error}`)
      digest = aux?.Digest ?? digest
    }
    if (digest === undefined) throw new Error(`${registry} has not said by what the image of its files is known there`)
    return `${repository}@${digest}`
  }

  return {
    publish: async (id, { signal, progress }) => {
      let name = known.get(id)
      if (name === undefined) {
        progress('has the image of its files pushed')
        name = push(id)
        known.set(id, name)
        name.catch(() => { known.delete(id) })
      }
      signal.throwIfAborted()
      return await name
    },
    forget: id => { known.delete(id) }
  }
}
