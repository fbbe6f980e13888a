/** A service as a swarm is asked for it. What is not named here a container does not get. */
import { createHash } from 'node:crypto'
import type { FilledPlan, Plan } from '../../fleet/index.js'
import type { Base } from '../images.js'
import type { Labels } from '../marks.js'
import { envOf, hostnameOf, logOptions, MB, mostMemory, nanosOf, PIDS } from '../spec.js'
import type { Laid } from './texts.js'

export interface SpecParts {
  readonly plan: Plan
  readonly filled: FilledPlan
  readonly base: Base
  /** By its digest, so that every node has the same. */
  readonly image: string
  readonly labels: Labels
  readonly name: string
  readonly volume: { readonly name: string, readonly labels: Labels } | undefined
  /** What a node has to be that it may run there. */
  readonly constraints: readonly string[]
  readonly laid: Laid
  /** An overlay network that it is in as well. */
  readonly network: string | undefined
  readonly console: number
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly kill: number
}

/** As swarms take and give it, as far as we look. */
export interface ServiceSpec {
  readonly Name: string
  readonly Labels: Labels
  readonly Mode: { readonly Replicated: { readonly Replicas: number } }
  readonly TaskTemplate: {
    readonly ForceUpdate?: number
    readonly ContainerSpec: {
      readonly Labels: Labels
      readonly Configs?: ReadonlyArray<{ readonly ConfigID: string }>
      readonly Secrets?: ReadonlyArray<{ readonly SecretID: string }>
    }
  }
}

const LONGEST = 63
const NANOS = 1e6

/** The name of a service at a swarm, which takes no dots in it: of one service there is never more than one. */
export function serviceName (cloud: string, service: string): string {
  const name = `${cloud}_${service}`
  return name.length <= LONGEST && /[A-Za-z0-9]$/.test(name) ? name : `${name.slice(0, LONGEST - 13)}_${createHash('sha256').update(name).digest('hex').slice(0, 12)}`
}

export function specOf ({ plan, filled, base, image, labels, name, volume, constraints, laid, network, console, kill }: SpecParts): ServiceSpec {
  const program = filled.command === '' ? base.own.entrypoint : [filled.command]
  const args = filled.command === '' && filled.args.length === 0 ? base.own.args : filled.args
  const most = mostMemory(plan.memory.max)
  const limits = { Pids: plan.pids ?? PIDS, ...(most === 0 ? {} : { MemoryBytes: most * MB }), ...(plan.cpu === undefined ? {} : { NanoCPUs: nanosOf(plan.cpu) }) }
  const spec = {
    Name: name,
    Labels: labels,
    TaskTemplate: {
      ContainerSpec: {
        Image: image,
        Command: [...laid.launcher, ...program],
        Args: args,
        Env: envOf(base, filled),
        Dir: base.directory,
        User: base.user,
        Hostname: hostnameOf(plan),
        Labels: labels,
        OpenStdin: true,
        TTY: false,
        HealthCheck: { Test: ['NONE'] },
        Init: true,
        ReadOnly: plan.image?.writable !== true,
        CapabilityDrop: ['ALL'],
        // Engines before 25 leave this out, and say nothing.
        Privileges: { NoNewPrivileges: true },
        // Who moves a service, or takes it off a node, gives it the time that its platform asks for.
        ...(plan.stop.ask !== undefined && 'signal' in plan.stop.ask ? { StopSignal: plan.stop.ask.signal } : {}),
        StopGracePeriod: Math.max(kill, plan.stop.timeout) * NANOS,
        Mounts: [
          { Type: 'volume', Target: base.directory, ...(volume === undefined ? {} : { Source: volume.name, VolumeOptions: { Labels: volume.labels } }) },
          // Memory would be mounted without leave to run what libraries unpack there.
          { Type: 'volume', Target: '/tmp' }
        ],
        Configs: laid.configs,
        Secrets: laid.secrets
      },
      Resources: { Limits: limits, Reservations: most === 0 ? {} : { MemoryBytes: Math.min(plan.memory.min, most) * MB } },
      // A death is counted, and answered, by our own rules.
      RestartPolicy: { Condition: 'none' },
      Placement: { Constraints: constraints },
      LogDriver: { Name: 'json-file', Options: logOptions(console) },
      ...(network === undefined ? {} : { Networks: [{ Target: network }] })
    },
    Mode: { Replicated: { Replicas: 1 } },
    UpdateConfig: { Parallelism: 0, FailureAction: 'continue', Order: 'stop-first' },
    // On the node itself: the swarm's own way in would hide the addresses of players.
    EndpointSpec: { Mode: 'dnsrr', Ports: [{ Protocol: 'tcp', TargetPort: plan.port, PublishedPort: plan.port, PublishMode: 'host' }] }
  }
  return spec
}
