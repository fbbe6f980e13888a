/** Services as containers of one Docker engine, found again by their labels. */
import { createReadStream } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Engine, Plan, Running, StartOptions } from '../../../types/engine.js'
import { fillPlan, type FilledPlan } from '../fleet/index.js'
import { isConflict, isGone, type Client, type Docker } from './client.js'
import { containerBody } from './container.js'
import { blame } from './faults.js'
import { filesOf, put, type NewFile, type Whereabouts } from './files.js'
import { createImages, PLATFORM } from './images.js'
import { volumeSigns } from './lease.js'
import { createLife, endOf, type DockerLife } from './life.js'
import { containerName, labelsOf, LABEL, readMark, type Mark } from './marks.js'
import { provideNetwork } from './network.js'
import type { Settings } from './options.js'
import { createRounds } from './rounds.js'
import { specOf } from './spec.js'
import { bytesOf } from './tree.js'
import { createSampler } from './usage.js'
import { ownerOf } from './users.js'
import { createVolumes } from './volumes.js'
import { watchEngine } from './watch.js'

export interface EngineParts {
  readonly client: Client
  readonly cloud: string
  /** Tells the directory of this core from others. */
  readonly owner: string
  readonly settings: Settings
  /** Gives back whatever the core holds beside. */
  release (): Promise<void>
}

/** Between two looks for images that nobody uses. */
const CLEAN_MS = 600_000
/** Between two looks whether a container is gone that somebody else removes. */
const REMOVING_MS = 100

export function createDockerEngine ({ client, cloud, owner, settings, release }: EngineParts): Engine {
  const { log, timing, limits, network = cloud } = settings
  const lives = new Map<string, DockerLife>()
  const rounds = createRounds({ client, cloud, owner, log })
  const images = createImages({ client, cloud, image: settings.image, user: settings.user, kept: timing.keepImage, log, used: async () => new Set((await listAll()).map(({ ImageID }) => ImageID)) })
  const volumes = createVolumes(client, cloud)
  const sample = createSampler(client)
  let watching: Promise<void> = Promise.resolve()
  let closed: Promise<void> | undefined

  const listAll = async (): Promise<Docker.ContainerInfo[]> => await client.ask(async (docker, abortSignal) => await docker.listContainers({
    all: true, filters: { label: [`${LABEL.cloud}=${cloud}`] }, abortSignal
  } as {}))

  function live (mark: Mark, id: string, { host, ...where }: Omit<Whereabouts, 'client' | 'id'> & { readonly host: string }, end?: Running['end']): DockerLife {
    const life = createLife({ body: containerBody({ ...where, client, id }), mark, host, end, kill: timing.kill, over: () => { lives.delete(id) } })
    if (end === undefined) lives.set(id, life)
    return life
  }

  /** Where a container can be reached from here and from other containers. */
  const hostIn = (networks: Docker.ContainerInfo['NetworkSettings']['Networks'] | undefined): string => settings.host ?? networks?.[network]?.IPAddress ?? ''

  async function recall ({ Id, State, Names, Labels, NetworkSettings }: Docker.ContainerInfo): Promise<Running[]> {
    const mark = readMark(cloud, Labels)
    // A container that somebody else has made of the same labels is none of ours.
    if (mark === undefined || !Names.includes(`/${containerName(cloud, mark.name)}`)) return []
    if (State === 'created') {
      // A core was ended while it made this one: it has never run, and nobody waits for it.
      await removeContainer(Id)
      return []
    }
    const { State: state, Config } = await client.ask(async (docker, abortSignal) => await docker.getContainer(Id).inspect({ abortSignal }))
    const where = { host: hostIn(NetworkSettings?.Networks) || '127.0.0.1', directory: Config.WorkingDir, owner: await ownerOf(client, Id, Config.User) }
    return [live(mark, Id, where, state.Running ? undefined : endOf(state))]
  }

  async function removeContainer (id: string): Promise<void> {
    for (const until = performance.now() + timing.call; ; await delay(REMOVING_MS)) {
      try {
        return await client.ask(async (docker, abortSignal) => { await docker.getContainer(id).remove({ force: true, v: true, abortSignal }) })
      } catch (error) {
        if (isGone(error)) return
        // Somebody else is about it: it is gone in a moment.
        if (!isConflict(error) || performance.now() > until) throw error
      }
    }
  }

  async function create (spec: object, name: string): Promise<string> {
    const make = async (): Promise<string> => (await client.ask(async (docker, abortSignal) => await docker.createContainer({ ...spec, abortSignal } as Docker.ContainerCreateOptions), { within: 120_000 })).id
    try {
      return await make()
    } catch (error) {
      if (!isConflict(error)) throw error
      // What an earlier core has asked for came after everybody had looked.
      await removeContainer(name)
      return await make()
    }
  }

  async function volumeFor ({ name, keep }: Plan): Promise<string | undefined> {
    if (keep) return await volumes.provide(name)
    const aside = await volumes.putAside(name)
    if (aside !== undefined) log({ level: 'warn', message: `The files of the static service ${name} are kept in the volume ${aside}`, service: name, volume: aside })
    return undefined
  }

  async function start (plan: Plan, { signal, progress, arrange }: StartOptions): Promise<Running> {
    signal.throwIfAborted()
    const base = await images.prepare(plan, { signal, progress })
    const name = containerName(cloud, plan.name)
    await removeContainer(name)
    const filled = fillPlan(plan, { host: '0.0.0.0', port: String(plan.port), directory: base.directory, platformDirectory: PLATFORM })
    const startedAt = Date.now()
    const labels = labelsOf(cloud, plan, startedAt)
    const volume = await volumeFor(plan)
    signal.throwIfAborted()
    const id = await create(specOf({ plan, filled, base, labels, name, network, publishedAt: plan.host ?? settings.host, volume, console: limits.console }), name).catch((error: unknown) => { throw blame(error) })
    try {
      const where = { client, id, directory: base.directory, owner: await ownerOf(client, id, base.user) }
      const files = await filesFor(plan, filled)
      if (files.length > 0) await put(where, files, signal)
      await arrange?.(filesOf(where, () => false))
      signal.throwIfAborted()
      await client.ask(async (docker, abortSignal) => { await docker.getContainer(id).start({ abortSignal }) }, { within: 60_000 }).catch((error: unknown) => { throw blame(error) })
      const { NetworkSettings } = await client.ask(async (docker, abortSignal) => await docker.getContainer(id).inspect({ abortSignal }))
      const mark = readMark(cloud, labels) as Mark
      const life = live({ ...mark, note: plan.note }, id, { ...where, host: hostIn(NetworkSettings.Networks) || '127.0.0.1' })
      // It may have ended before anybody listened for that.
      setImmediate(() => { life.look().catch(() => {}) })
      return life
    } catch (error) {
      await removeContainer(id)
      throw error
    }
  }

  /** What is laid when the container is there: the texts of the platform, and what was downloaded where its files stay. */
  async function filesFor ({ keep, downloads = [] }: Plan, { files, secretFiles }: FilledPlan): Promise<NewFile[]> {
    const copies = keep ? await Promise.all(downloads.map(async ({ file, to }) => ({ path: to, size: (await lstat(file)).size, mode: '0644', content: createReadStream(file) }))) : []
    const texts = Object.entries(files).map(([path, text]) => ({
      path, size: Buffer.byteLength(text), mode: secretFiles.includes(path) ? '0600' : '0644', content: bytesOf(text)
    }))
    return [...copies, ...texts]
  }

  /** Takes note of what has ended and was not told, and ends what has begun when nobody waited for it any more. */
  async function look (): Promise<void> {
    const running = (await listAll()).filter(({ State }) => State === 'running' || State === 'paused')
    const ids = new Set(running.map(({ Id }) => Id))
    await Promise.all([...lives.values()].filter(({ id }) => !ids.has(id)).map(async life => { await life.look() }))
    for (const { Id, Names, Labels } of running) {
      const mark = readMark(cloud, Labels)
      if (mark === undefined || !Names.includes(`/${containerName(cloud, mark.name)}`) || lives.has(Id) || rounds.isStarting(mark.name)) continue
      log({ level: 'warn', message: `A start of ${mark.name} that was given up has come all the same: it is ended`, service: mark.name })
      await removeContainer(Id)
    }
  }

  return {
    host: settings.host ?? '127.0.0.1',
    get away () { return client.away },
    watch: listener => { client.watch(listener) },
    find: async () => {
      await rounds.takeLease({ signs: volumeSigns(client, cloud), every: timing.lease })
      await provideNetwork(client, cloud, network)
      const found = (await Promise.all((await listAll()).map(recall))).flat()
      const seen = async (): Promise<void> => { await look().catch(rounds.report('The engine cannot be looked at')) }
      watching = watchEngine({ client, cloud, signal: rounds.signal, look: () => { seen().catch(() => {}) }, ended: id => { lives.get(id)?.look().catch(() => {}) } })
      rounds.regularly(timing.look, 'The engine cannot be looked at', look)
      rounds.regularly(timing.sample, 'Usage cannot be measured', async () => { await sample([...lives.values()]) })
      rounds.regularly(Math.min(CLEAN_MS, timing.keepImage), 'Images cannot be cleaned up', images.clean)
      return found
    },
    start: async (plan, options) => await rounds.started(plan.name, start(plan, { ...options, signal: AbortSignal.any([options.signal, rounds.signal]) })),
    discard: async (name, { keep }) => {
      await removeContainer(containerName(cloud, name))
      if (keep) return await volumes.putAside(name)
      await volumes.remove(name)
      return undefined
    },
    close: async () => { await (closed ??= close()) }
  }

  async function close (): Promise<void> {
    await rounds.end()
    await watching
    await rounds.release()
    await release()
  }
}
