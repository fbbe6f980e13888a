/**
 * The metrics for Prometheus, over `prom-client`, which is loaded when somebody asks for them first, or at once where the host
 * has handed in a registry. No label holds what a client chose, groups apart.
 */
import type { Registry } from 'prom-client'
import type { MetricRegistry } from '../../types/options.js'
import type { RuntimeService, StateChange } from '../../types/runtime.js'
import type { Counts } from './counts.js'
import { createStarts } from './starts.js'

type Client = typeof import('prom-client')

export interface Prometheus {
  /**
   * All metrics as text.
   * @throws Error where `prom-client` is not installed, or the registry holds metrics of these names
   */
  read (): Promise<{ readonly text: string, readonly type: string }>
  /** Loads what is needed, and begins to measure. */
  load (): Promise<void>
}

export interface PrometheusParts {
  /** The host's own; the metrics of the process are then the host's. */
  readonly registry: MetricRegistry | undefined
  readonly counts: Counts
  services (): Promise<readonly RuntimeService[]>
  /** Listens to changes of states until the host closes. */
  watch (listener: (change: StateChange) => void): void
  /** Jobs in the queue of passwords. */
  queue (): number
  /** What is connected now, by kind. */
  sockets (): ReadonlyMap<string, number>
}

/** The metrics of the process: what measures them is never taken back, and so it is there once, whoever asks, and holds nobody. */
let ofProcess: Registry | undefined

function processRegistry ({ Registry, collectDefaultMetrics }: Client): Registry {
  if (ofProcess === undefined) collectDefaultMetrics({ register: ofProcess = new Registry() })
  return ofProcess
}

export function createPrometheus (parts: PrometheusParts): Prometheus {
  let opened: Promise<readonly Registry[]> | undefined

  async function open (): Promise<readonly Registry[]> {
    const client = await import('prom-client')
    const registry = (parts.registry ?? new client.Registry()) as Registry
    register(client, registry, parts)
    return parts.registry === undefined ? [processRegistry(client), registry] : [registry]
  }
  const load = (): Promise<readonly Registry[]> => (opened ??= open())

  return {
    load: async () => { await load() },
    read: async () => {
      const registries = await load()
      const texts = await Promise.all(registries.map(async registry => await registry.metrics()))
      return { text: texts.join('\n'), type: (registries[0] as Registry).contentType }
    }
  }
}

function register ({ Counter, Gauge, Histogram }: Client, registry: Registry, { counts, services, watch, queue, sockets }: PrometheusParts): void {
  const starts = createStarts()
  watch(starts.change)

  /** The services for one scrape, asked for once; none where the runtime does not answer, so that the rest is told. */
  let listing: Promise<readonly RuntimeService[]> | undefined
  const listed = (): Promise<readonly RuntimeService[]> => (listing ??= services().then(all => {
    starts.learn(all)
    return all
  }, () => []).finally(() => { listing = undefined }))

  const of = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) => ({ name, help, labelNames, registers: [] })

  const calls = new Histogram({
    ...of('cloud_runtime_call_seconds', 'Seconds that calls of the runtime took', ['call']),
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60]
  })
  const own = [
    new Gauge({
      ...of('cloud_services', 'Services by group and state', ['group', 'state']),
      async collect () {
        const all = await listed()
        this.reset()
        for (const { groupName: group, state } of all) this.inc({ group, state })
      }
    }),
    new Gauge({
      ...of('cloud_players', 'Players on the services of a group', ['group']),
      async collect () {
        const all = await listed()
        this.reset()
        // A proxy has -1: its players are counted where they are.
        for (const { groupName: group, playerCount } of all) this.inc({ group }, Math.max(0, playerCount))
      }
    }),
    new Counter({
      ...of('cloud_service_starts_total', 'Starts of services by group and how they ended: online, failed or stopped', ['group', 'outcome']),
      async collect () {
        await listed()
        this.reset()
        starts.each((group, outcome, count) => { this.inc({ group, outcome }, count) })
      }
    }),
    new Counter({
      ...of('cloud_http_requests_total', 'Requests by route and status', ['route', 'status']),
      collect () {
        this.reset()
        for (const [route, statuses] of counts.requests) for (const [status, count] of statuses) this.inc({ route, status }, count)
      }
    }),
    new Counter({
      ...of('cloud_logins_total', 'Logins by how they ended: done, refused, throttled, busy or failed', ['outcome']),
      collect () {
        this.reset()
        for (const [outcome, count] of counts.logins) this.inc({ outcome }, count)
      }
    }),
    new Gauge({ ...of('cloud_password_queue', 'Passwords that wait to be checked or hashed', []), collect () { this.set(queue()) } }),
    new Gauge({
      ...of('cloud_sockets', 'Live channels and streams of events that are open', ['kind']),
      collect () {
        this.reset()
        for (const [kind, count] of sockets()) this.set({ kind }, count)
      }
    }),
    calls
  ]
  for (const metric of own) registry.registerMetric(metric)
  counts.onCall = (call, seconds) => { calls.observe({ call }, seconds) }
}
