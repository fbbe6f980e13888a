/** A service as an engine is asked for it. What is not named here a container does not get. */
import type { FilledPlan, Plan } from '../fleet/index.js'
import type { Base } from './images.js'
import type { Labels } from './marks.js'

export interface SpecParts {
  readonly plan: Plan
  readonly filled: FilledPlan
  readonly base: Base
  readonly labels: Labels
  readonly name: string
  readonly network: string
  /** Where it is published; absent: nowhere. */
  readonly publishedAt: string | undefined
  /** The volume that its files are kept in; absent: one that goes with the container. */
  readonly volume: string | undefined
  /** Bytes of its output that are kept. */
  readonly console: number
}

export const MB = 1024 * 1024
export const PIDS = 4096
const TMP_MB = 64
const LOGS = 4

export function specOf ({ plan, filled, base, labels, name, network, publishedAt, volume, console }: SpecParts): object {
  const { command, args } = filled
  const port = `${plan.port}/tcp`
  const own = mostMemory(plan.memory.max)
  return {
    name,
    Image: base.id,
    // What the image says is not looked at where the platform says something.
    ...(command === '' ? {} : { Entrypoint: [command] }),
    ...(command === '' && args.length === 0 ? {} : { Cmd: args }),
    Env: envOf(base, filled),
    WorkingDir: base.directory,
    User: base.user,
    Hostname: hostnameOf(plan),
    Labels: labels,
    OpenStdin: true,
    StdinOnce: false,
    Tty: false,
    // Our own signs of readiness are told by the fleet: what an image asks for is run inside of it again and again.
    Healthcheck: { Test: ['NONE'] },
    ...(publishedAt === undefined ? {} : { ExposedPorts: { [port]: {} } }),
    HostConfig: {
      NetworkMode: network,
      ...(publishedAt === undefined ? {} : { PortBindings: { [port]: [{ HostIp: publishedAt, HostPort: String(plan.port) }] } }),
      Mounts: [{ Type: 'volume', Target: base.directory, ...(volume === undefined ? {} : { Source: volume }) }],
      RestartPolicy: { Name: 'no' },
      Init: true,
      Privileged: false,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges:true'],
      ReadonlyRootfs: plan.image?.writable !== true,
      Tmpfs: { '/tmp': `rw,exec,nosuid,nodev,size=${TMP_MB}m,mode=1777` },
      PidsLimit: plan.pids ?? PIDS,
      ...(own === 0 ? {} : { Memory: own * MB, MemorySwap: own * MB, MemoryReservation: Math.min(plan.memory.min, own) * MB }),
      ...(plan.cpu === undefined ? {} : { NanoCpus: nanosOf(plan.cpu) }),
      LogConfig: { Type: 'json-file', Config: logOptions(console) }
    }
  }
}

/** A user without an entry in the image has no home. */
export const envOf = ({ directory }: Base, { env }: FilledPlan): string[] => Object.entries({ HOME: directory, ...env }).map(([key, value]) => `${key}=${value}`)

export const hostnameOf = ({ name }: Plan): string => name.replaceAll(/[^A-Za-z0-9]/g, '-').slice(0, 63)

export const nanosOf = (processors: number): number => Math.round(processors * 1e9)

/** Of the driver that keeps the output: so many bytes of it. */
export const logOptions = (bytes: number): Record<string, string> => ({ 'max-size': String(Math.max(64 * 1024, Math.floor(bytes / LOGS))), 'max-file': String(LOGS) })

/**
 * MB that all processes of a service may hold together. `maxMemory` is what a platform gives its program for its data
 * (`-Xmx`): around that it needs some more, and is not to be ended for it.
 */
export const mostMemory = (max: number): number => max === 0 ? 0 : max + Math.max(256, Math.ceil(max / 4))
