/** Services as services of a Docker Swarm, each of one replica: what runs is found by labels, where it runs is the swarm's. */
import { setTimeout as delay } from 'node:timers/promises'
import type { End, Engine, Plan, Running, StartOptions } from '../../../../types/engine.js'
import { fillPlan, textOf } from '../../fleet/index.js'
import type { Client } from '../client.js'
import { createImages, PLATFORM, type Images } from '../images.js'
import { createLife, type DockerLife } from '../life.js'
import { labelsOf, LABEL, readMark, type Mark } from '../marks.js'
import type { Settings } from '../options.js'
import { createRounds } from '../rounds.js'
import { createSampler } from '../usage.js'
import { ownerOf } from '../users.js'
import { endOfTask, taskBody } from './body.js'
import { createManagers } from './managers.js'
import { createMover } from './moves.js'
import { createNodes, type Endpoint } from './nodes.js'
import { placed } from './placing.js'
import { createRegistry } from './registry.js'
import { createServices, replicasOf } from './services.js'
import { configSigns } from './signs.js'
import { serviceName, specOf } from './spec.js'
import { createStatics } from './statics.js'
import { createTasks, isOver, labelsIn, tokenOf, type Task, type Tasks } from './tasks.js'
import { createTexts, DOWNLOADS, plannedFiles } from './texts.js'

export interface SwarmParts {
  /** The engine of a manager. */
  readonly client: Client
  /** The engines of nodes, by their names. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly registry: string
  readonly cloud: string
  /** Tells the directory of this core from others. */
  readonly owner: string
  readonly settings: Settings
  release (): Promise<void>
}

const CLEAN_MS = 600_000
const EMPTY_MS = 15_000
const EMPTY_LOOK_MS = 200

export function createSwarmEngine ({ client: own, endpoints, registry: address, cloud, owner, settings, release }: SwarmParts): Engine {
  const { log, timing, limits, network } = settings
  const client = createManagers(own)
  const rounds = createRounds({ client, cloud, owner, log })
  const lives = new Map<string, DockerLife>()
  const nodes = createNodes(client, own, endpoints)
  const services = createServices(client, cloud)
  const tasks: Tasks = createTasks({ client, cloud, every: timing.poll, within: timing.call, isHasty: () => rounds.starting + mover.under.size > 0 })
  const mover = createMover({ client, cloud, tasks: () => tasks, nodes, services, signal: rounds.signal, live: async (task, mark) => await live(task, mark) })
  const texts = createTexts(client, cloud)
  const statics = createStatics(nodes, services, cloud)
  const registry = createRegistry(client, address, cloud)
  const used = async (): Promise<ReadonlySet<string>> => new Set((await services.list()).map(({ Spec }) => Spec.Labels[LABEL.image] ?? ''))
  const imagesAt = (engine: Client): Images => createImages({ client: engine, cloud, image: settings.image, user: settings.user, kept: timing.keepImage, log, used, downloads: DOWNLOADS })
  const images = imagesAt(client)
  const deaf = new Set<string>()
  let watching: Promise<void> = Promise.resolve()
  let closed: Promise<void> | undefined

  async function live (task: Task, mark: Mark, end?: End): Promise<DockerLife> {
    const node = nodes.get(task.NodeID)
    const { User: user = '' } = task.Spec.ContainerSpec ?? {}
    const id = task.Status.ContainerStatus?.ContainerID ?? ''
    const owned = node?.client === undefined || id === '' ? 0 : await ownerOf(node.client, id, user).catch(() => 0)
    const name = serviceName(cloud, mark.name)
    const tellDeaf = (): void => {
      const where = node?.hostname ?? 'a node that is gone'
      if (!deaf.has(where)) log({ level: 'warn', message: `Consoles on ${where} cannot be typed into, and usage there is not known: name its engine in swarm.nodes`, service: mark.name, node: where })
      deaf.add(where)
    }
    if (node?.client === undefined && end === undefined) tellDeaf()
    const body = taskBody({
      client, tasks, nodes, task, node, owner: owned, deaf: tellDeaf, rest: async () => { await services.rest(name, mark.token) }, move: mover.of(task, mark)
    })
    const life = createLife({ body, mark, host: node?.address ?? '127.0.0.1', end, kill: timing.kill, over: () => { lives.delete(task.ID) } })
    if (end === undefined) lives.set(task.ID, life)
    return life
  }

  /** Takes note of what has ended, and ends what has begun when nobody waited for it any more. */
  function see (): void {
    const ids = new Set(tasks.wanted.map(({ ID }) => ID))
    for (const [id, life] of lives) if (!ids.has(id)) life.look().catch(() => {})
    for (const task of tasks.wanted) {
      const mark = readMark(cloud, labelsIn(task))
      if (mark === undefined || lives.has(task.ID) || rounds.isStarting(mark.name) || mover.under.has(mark.name) || task.Status.State !== 'running') continue
      mover.under.add(mark.name)
      log({ level: 'warn', message: `A start of ${mark.name} that was given up has come all the same: it is ended`, service: mark.name })
      services.rest(serviceName(cloud, mark.name), mark.token).catch(() => {}).finally(() => { mover.under.delete(mark.name) })
    }
  }

  async function start (plan: Plan, { signal, progress, arrange }: StartOptions): Promise<Running> {
    signal.throwIfAborted()
    const base = await images.prepare(plan, { signal, progress })
    const image = await registry.publish(base.id, { signal, progress })
    const name = serviceName(cloud, plan.name)
    const home = plan.keep ? await statics.homeOf(plan.name) : undefined
    const filled = fillPlan(plan, { host: '0.0.0.0', port: String(plan.port), directory: base.directory, platformDirectory: PLATFORM })
    const planned = plannedFiles(plan, filled)
    // What a service has kept is read when it runs.
    if (home?.node === undefined) await arrange?.(planned.files)
    // Who has to be reached from outside when it runs needs a node that can be asked.
    const closed = plan.keep || arrange !== undefined ? nodes.all.filter(node => node.client === undefined) : []
    const constraints = home?.node === undefined ? closed.map(({ id }) => `node.id!=${id}`) : [`node.id==${home.node}`]
    const labels = { ...labelsOf(cloud, plan, Date.now()), ...(home === undefined ? {} : { [LABEL.volume]: home.volume.name }) }
    signal.throwIfAborted()
    try {
      const laid = await texts.lay(plan, planned.texts, filled.secretFiles)
      const spec = specOf({ plan, filled, base, image, labels, name, volume: home?.volume, constraints, laid, network, console: limits.console, kill: timing.kill })
      const pin = home?.node === undefined ? {} : { [LABEL.node]: home.node }
      const service = await services.put({ ...spec, Labels: { ...labels, ...pin, [LABEL.image]: base.id } })
      const task = await placed(tasks, nodes, { service, token: plan.token, signal, progress: once(progress) })
      if (home !== undefined && task.NodeID !== undefined) await pinTo(name, task.NodeID)
      texts.clean(plan.name, laid).catch(rounds.report(`What was laid for ${plan.name} before cannot be taken away`))
      if (nodes.get(task.NodeID) === undefined) await nodes.look()
      const life = await live(task, { ...readMark(cloud, labels) as Mark, note: plan.note })
      // It may have ended before anybody listened for that.
      setImmediate(() => { life.look().catch(() => {}) })
      return life
    } catch (error) {
      if (/No such image|manifest unknown|not found/i.test(textOf(error))) registry.forget(base.id)
      await services.rest(name)
      throw error
    }
  }

  /** Its files are there from now on. Labels of a service are none of its tasks: nothing begins anew. */
  async function pinTo (name: string, node: string): Promise<void> {
    await services.change(name, spec => spec.Labels[LABEL.node] === node ? undefined : { ...spec, Labels: { ...spec.Labels, [LABEL.node]: node } })
  }

  /**
   * Managers of a Swarm crash, one after the other, when a service is removed in the moment in which they take its last tasks away: it goes when
   * what it has left is kept as its past, or stays because its node is lost.
   */
  async function removeService (name: string): Promise<void> {
    await services.rest(name)
    for (const until = performance.now() + EMPTY_MS; performance.now() < until; await delay(EMPTY_LOOK_MS)) {
      const now = await services.get(name)
      if (now === undefined || (await tasks.of(now.ID)).every(({ DesiredState }) => DesiredState === 'shutdown')) break
    }
    await services.remove(name)
  }

  async function recall (): Promise<Running[]> {
    const known = await tasks.all()
    return (await Promise.all((await services.list()).map(async ({ ID, Spec }) => {
      const mark = readMark(cloud, Spec.Labels)
      // What somebody else has made of the same labels is none of ours.
      if (mark === undefined || Spec.Name !== serviceName(cloud, mark.name) || replicasOf(Spec) === 0) return []
      const task = known.find(one => one.ServiceID === ID && tokenOf(one) === mark.token)
      const isThere = task?.Status.ContainerStatus?.ContainerID !== undefined
      if (task !== undefined && isOver(task) && task.Status.State !== 'shutdown') return [await live(task, mark, await endOfTask(task, nodes.get(task.NodeID)?.client))]
      if (task !== undefined && isThere && Spec.Labels[LABEL.volume] !== undefined && task.NodeID !== undefined) await pinTo(Spec.Name, task.NodeID)
      if (task !== undefined && isThere) return [await live(task, mark)]
      // A core was ended while it began this one: nobody waits for it.
      await services.rest(Spec.Name)
      return []
    }))).flat()
  }

  async function look (): Promise<void> {
    await nodes.look()
    for (const { manager } of nodes.all) if (manager !== undefined) client.add(manager)
  }

  const sample = sampled(lives)

  return {
    host: '127.0.0.1',
    get away () {
      const { away } = client
      return away === undefined ? undefined : { ...away, why: `${away.why}; what is known is of ${new Date(tasks.asOf).toISOString()}` }
    },
    watch: listener => {
      client.watch(() => {
        const { away } = client
        log(away === undefined ? { level: 'info', message: 'The swarm answers again' } : { level: 'error', message: `${away.why}: nothing is started or taken for dead; what is known is of ${new Date(tasks.asOf).toISOString()}` })
        listener()
      })
    },
    find: async () => {
      await rounds.takeLease({ signs: configSigns(client, cloud), every: timing.lease })
      await look()
      const found = await recall()
      watching = tasks.follow(see, rounds.signal)
      rounds.regularly(timing.look, 'The nodes cannot be looked at', look)
      rounds.regularly(timing.sample, 'Usage cannot be measured', sample)
      rounds.regularly(Math.min(CLEAN_MS, timing.keepImage), 'Images cannot be cleaned up', async () => {
        await images.clean()
        for (const { client: engine } of nodes.all) if (engine !== undefined && engine !== own && engine.away === undefined) await imagesAt(engine).clean()
      })
      return found
    },
    start: async (plan, options) => await rounds.started(plan.name, start(plan, { ...options, signal: AbortSignal.any([options.signal, rounds.signal]) })),
    discard: async (name, { keep }) => {
      const labels = (await services.get(serviceName(cloud, name)))?.Spec.Labels
      const place = keep ? await statics.putAside(name) : undefined
      await removeService(serviceName(cloud, name))
      await texts.clean(name)
      if (!keep && labels?.[LABEL.volume] !== undefined) await statics.remove(name, labels)
      return place
    },
    close: async () => { await (closed ??= close()) }
  }

  function sampled (all: ReadonlyMap<string, DockerLife>): () => Promise<void> {
    const samplers = new Map<Client, ReturnType<typeof createSampler>>()
    return async () => {
      for (const { client: engine, hostname } of nodes.all) {
        if (engine === undefined || engine.away !== undefined) continue
        const sampleAt = samplers.get(engine) ?? createSampler(engine)
        samplers.set(engine, sampleAt)
        await sampleAt([...all.values()].filter(life => life.details?.()['node'] === hostname))
      }
    }
  }

  async function close (): Promise<void> {
    await rounds.end()
    await watching
    await rounds.release()
    await release()
  }
}

/** Tells nothing twice in a row. */
function once (tell: (what: string) => void): (what: string) => void {
  let last = ''
  return what => {
    if (what !== last) tell(what)
    last = what
  }
}
