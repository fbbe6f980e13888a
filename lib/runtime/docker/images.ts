/** The images of services: that of a platform, and on it one for each content that services begin with. Told by their ids, never by a tag. */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import type { Plan, StartOptions } from '../../../types/engine.js'
import { writeTar, type FileForTar } from '../../archive/write-tar.js'
import { codeOf, DefinitionError, type Log } from '../fleet/index.js'
import { isGone, type Client } from './client.js'
import { jsonLines } from './json-lines.js'
import { LABEL } from './marks.js'
import { createPulls } from './pulls.js'
import { bytesOf, createSums, entryOf, leafOf, merged, packed, walk, type Leaf } from './tree.js'

/** What a container is made of. */
export interface Base {
  /** Names its content, and nothing else ever. */
  readonly id: string
  /** Where a program works. */
  readonly directory: string
  /** Who it runs as, as engines take it: a number, a name. */
  readonly user: string
  /** What it runs by itself. */
  readonly own: { readonly entrypoint: readonly string[], readonly args: readonly string[] }
}

export interface Images {
  /** The image that a service of this plan begins with; pulled and built where it is not there. */
  prepare (plan: Plan, options: Pick<StartOptions, 'signal' | 'progress'>): Promise<Base>
  /** Takes away what no container is made of any more and nobody has asked for in a while. */
  clean (): Promise<void>
}

export interface ImageParts {
  readonly client: Client
  readonly cloud: string
  /** Of platforms that name none. */
  readonly image: string | undefined
  /** Who programs run as that would be root. */
  readonly user: number
  /** Milliseconds for which an image is kept that nothing is made of any more. */
  readonly kept: number
  readonly log: Log
  /** Those that something is made of now. */
  used (): Promise<ReadonlySet<string>>
  /** Where downloads lie that are laid at every start, for who lays them from inside; absent: they are laid from outside. */
  readonly downloads?: string
}

/** Where a program works that has no place of its own in its image. */
const DIRECTORY = '/service'
/** Where it finds what lies beside its platform's file. */
export const PLATFORM = '/platform'
const BUILD_MS = 600_000
/** How often an image is built anew whose files change meanwhile. */
const MOST_TRIES = 10

export function createImages ({ client, cloud, image: preset, user, kept, log, used, downloads: beside }: ImageParts): Images {
  const pull = createPulls(client)
  const sum = createSums()
  const building = new Map<string, Promise<string | undefined>>()
  const usedAt = new Map<string, number>()

  async function baseOf ({ image, platform }: Plan, options: Pick<StartOptions, 'signal' | 'progress'>): Promise<Base> {
    const name = image?.name ?? preset
    if (name === undefined) throw new DefinitionError(`platform ${platform.name} names no image: put "image" into its file`)
    const look = async () => await client.ask(async (docker, abortSignal) => await docker.getImage(name).inspect({ abortSignal } as {}), options).catch((error: unknown) => {
      if (isGone(error)) return undefined
      throw error
    })
    const found = await look() ?? (await pull(name, options), await look())
    if (found === undefined) throw new Error(`the image ${name} was pulled, and is not there`)
    const { WorkingDir: directory = '', User: own = '', Entrypoint: entrypoint, Cmd: args } = found.Config ?? {}
    // Both come to stand in a file of instructions: what could be read as one is not taken.
    const isPlace = /^(?:\/\w[\w.-]*)+$/.test(directory)
    const isOther = /^\w[\w.-]*(?::\w[\w.-]*)?$/.test(own) && !/^(?:0|root)(?::|$)/.test(own)
    return { id: found.Id, directory: isPlace ? directory : DIRECTORY, user: isOther ? own : `${user}:${user}`, own: { entrypoint: [entrypoint ?? []].flat(), args: args ?? [] } }
  }

  async function contentOf ({ layers, downloads = [], keep, platform, name }: Plan, base: Base): Promise<Content> {
    const leftOut = (path: string, why: string): void => { log({ level: 'warn', message: `${path} is not laid for ${name}: ${why}`, service: name, file: path }) }
    // The working directory is there in any case, so that what is mounted at its place belongs to whom it does.
    const files = await Promise.all(layers.map(async ({ directory }) => await walk(directory, leftOut)))
    // Where files are kept from life to life, what is downloaded is laid at every start.
    const copies = keep && beside === undefined ? [] : await Promise.all(downloads.map(async download => await leafOf(download.file, download.to)))
    if (!keep) files.push(copies)
    const parts: Part[] = [{ below: `tree${base.directory}`, leaves: merged(files) }]
    parts.push({ below: `tree${PLATFORM}`, leaves: await walk(platform.directory, leftOut, { isOptional: true }) })
    if (keep && beside !== undefined) parts.push({ below: `tree${beside}`, leaves: copies })
    const hash = createHash('sha256').update(JSON.stringify([2, cloud, base]))
    for (const { below, leaves } of parts) {
      for (const { path, kind, mode, from, target, version } of leaves) {
        hash.update(JSON.stringify([below, path, kind, mode, target, from === undefined ? undefined : await sum(from, version)]))
      }
    }
    return { parts, hash: hash.digest('hex') }
  }

  async function find (hash: string): Promise<string | undefined> {
    const [known] = await client.ask(async (docker, abortSignal) => await docker.listImages({ filters: { label: [`${LABEL.imageContent}=${hash}`, `${LABEL.imageCloud}=${cloud}`] }, abortSignal } as {}))
    return known?.Id
  }

  async function build ({ parts, hash }: Content, base: Base): Promise<string> {
    const file = `FROM ${base.id}\nCOPY --chown=${base.user} ["tree/", "/"]\n`
    async function * entries (): AsyncGenerator<FileForTar> {
      yield { path: 'Dockerfile', size: Buffer.byteLength(file), mode: '0644', modifiedAt: 0, content: bytesOf(file) }
      const made = new Set<string>()
      for (const { below, leaves } of parts) {
        if (!made.has(below)) yield { path: `${below}/`, kind: 'directory', size: 0, mode: '0755', modifiedAt: 0, content: bytesOf('') }
        made.add(below)
        for (const leaf of leaves) yield entryOf(leaf, below, 0)
      }
    }
    const stream = await client.ask(async (docker, abortSignal) => await docker.buildImage(packed(writeTar(entries())), {
      labels: { [LABEL.imageCloud]: cloud, [LABEL.imageContent]: hash }, forcerm: true, networkmode: 'none', abortSignal
    } as {}), { within: BUILD_MS })
    for await (const { error } of jsonLines<{ readonly error?: string }>(stream)) if (error !== undefined) throw new Error(`the image of its files cannot be built: ${error}`)
    const id = await find(hash)
    if (id === undefined) throw new Error('the image of its files was built, and is not there')
    return id
  }

  /** Undefined where something was taken away while it was read; a template that is not there comes no sooner. */
  async function readContent (plan: Plan, base: Base): Promise<Content | undefined> {
    try {
      return await contentOf(plan, base)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT') throw error
      for (const { directory } of plan.layers) await stat(directory)
      return undefined
    }
  }

  /** Builds an image, and answers it when what went into it is still there: what has changed meanwhile may be in it under a false name. */
  async function buildWhole (plan: Plan, content: Content, base: Base): Promise<string | undefined> {
    const isWhole = async (): Promise<boolean> => {
      const after = await readContent(plan, base)
      // What is as it was may have been something else meanwhile.
      return after?.hash === content.hash && versionsOf(after) === versionsOf(content)
    }
    const id = await build(content, base).catch(async (error: unknown) => {
      if (await isWhole()) throw error
      return undefined
    })
    if (id === undefined || await isWhole()) return id
    await client.ask(async (docker, abortSignal) => await docker.getImage(id).remove({ force: true, abortSignal } as {}))
    return undefined
  }

  return {
    prepare: async (plan, options) => {
      const base = await baseOf(plan, options)
      for (let tries = MOST_TRIES; tries > 0; tries--) {
        const content = await readContent(plan, base)
        options.signal.throwIfAborted()
        if (content === undefined) continue
        // One that is being built is there already, and may yet prove to be none.
        const under = building.get(content.hash)
        let id = under === undefined ? await find(content.hash) : await under
        if (id === undefined && under === undefined) {
          if (!building.has(content.hash)) options.progress('has the image of its files built')
          const built = building.get(content.hash) ?? buildWhole(plan, content, base).finally(() => { building.delete(content.hash) })
          building.set(content.hash, built)
          id = await built
        }
        if (id === undefined) continue
        usedAt.set(id, Date.now())
        return { ...base, id }
      }
      throw new Error('its templates change faster than an image of them is built')
    },
    clean: async () => {
      const images = await client.ask(async (docker, abortSignal) => await docker.listImages({ filters: { label: [`${LABEL.imageCloud}=${cloud}`] }, abortSignal } as {}))
      const inUse = await used()
      for (const { Id, Created } of images) {
        const last = usedAt.get(Id) ?? Created * 1000
        // What is being built may be made of one that is as old.
        if (building.size > 0) return
        if (inUse.has(Id) || Date.now() - last < kept) continue
        // Somebody else may have made something of it.
        await client.ask(async (docker, abortSignal) => await docker.getImage(Id).remove({ abortSignal } as {})).catch(() => {})
      }
    }
  }
}

interface Part {
  readonly below: string
  readonly leaves: readonly Leaf[]
}

interface Content {
  readonly parts: readonly Part[]
  readonly hash: string
}

/** Another text where anything of it was touched, whatever is in it now. */
const versionsOf = ({ parts }: Content): string => JSON.stringify(parts.map(({ leaves }) => leaves.map(({ version }) => version)))
