/** What somebody sets when opening the Docker runtime, and what follows when they set nothing. */
import { isIP } from 'node:net'
import { resolve } from 'node:path'
import {
  settle as settleFleet, settleNumbers, wrongOption, type FleetSettings, type Limits as FleetLimits, type Settings as FleetDefaults, type Timing as FleetTiming
} from '../fleet/index.js'

/** Where an engine is reached: by a socket of this machine, or over the network with certificates. */
export type Connection =
  | { readonly socketPath: string }
  | { readonly host: string, readonly port: number, readonly ca?: string, readonly cert?: string, readonly key?: string }

/** A Swarm of several engines, of which `engine` is a manager. */
export interface SwarmOptions {
  /** The registry that all nodes get images from, with a path in it if it has one: `registry.example.org:5000/cloud`. */
  readonly registry: string
  /**
   * How the engines of nodes are reached, by their host names: for typing into consoles, for files of proxies and static services, for usage; managers among them
   * are asked when `engine` does not answer. `address`: where players and proxies reach the node, where that is not what the swarm knows. Default: none but `engine`.
   */
  readonly nodes?: Readonly<Record<string, Connection & { readonly address?: string }>>
}

export interface DockerRuntimeOptions extends Omit<FleetSettings, 'limits' | 'timing'> {
  /** Where everything is kept that is no container: `platforms/`, `templates/`, `groups/`, `services/`. Made when it does not exist. */
  readonly directory: string
  /** Default: `/var/run/docker.sock`. */
  readonly engine?: Connection
  /** Services are those of a Swarm. Default: they are containers of one engine. */
  readonly swarm?: SwarmOptions
  /**
   * The name of this cloud at its engine: containers, volumes and the network have it in theirs. Small letters, digits and dashes, at most 32. Default:
   * one that is made up once and kept in the directory.
   */
  readonly cloud?: string
  /** What services of a platform that names no image are made of. Default: none, and such a platform cannot run. */
  readonly image?: string
  /**
   * An address of the engine's machine that this core and the containers reach: all services are published there, and told to proxies so.
   * Default: none is published, but on the address that its group asks for; they are reached in the cloud's own network.
   */
  readonly host?: string
  /** The network of the services. Default: the name of the cloud; made when it does not exist. */
  readonly network?: string
  /** Who programs run as where their image does not say: a number, of the user and of the group. Default 1000. */
  readonly user?: number
  readonly limits?: Partial<Limits>
  /** Milliseconds; shorter in tests. */
  readonly timing?: Partial<Timing>
}

export interface Limits extends FleetLimits {
  /** Bytes of console output that the engine keeps for a service; beyond it the oldest goes. Default 48 MiB. */
  readonly console: number
}

export interface Timing extends FleetTiming {
  /** Between two samples of CPU and memory. Default 10,000. */
  readonly sample: number
  /** Between SIGTERM and SIGKILL. Default 2,000. */
  readonly kill: number
  /** What a call to the engine may take that is not known to be long. Default 20,000. */
  readonly call: number
  /** Between two looks at everything, for what was told and not heard. Default 5,000. */
  readonly look: number
  /** Between two looks at what a Swarm has running. Default 1,000. */
  readonly poll: number
  /** Between two signs of life of the core to others that would look after the same cloud. Default 5,000. */
  readonly lease: number
  /** How long an image is kept that no container is made of any more. Default 3,600,000. */
  readonly keepImage: number
}

/** The options with every default filled in. */
export interface Settings extends FleetDefaults {
  readonly directory: string
  readonly connection: Connection
  readonly swarm: Required<SwarmOptions> | undefined
  readonly cloud: string | undefined
  readonly image: string | undefined
  readonly host: string | undefined
  readonly network: string | undefined
  readonly user: number
  readonly limits: Limits
  readonly timing: Timing
}

const NAME = 'Docker runtime'
const NAMES = /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/
const REGISTRIES = /^[a-z0-9][a-z0-9.-]*(?::\d{1,5})?(?:\/[a-z0-9]+(?:[._-]+[a-z0-9]+)*)*$/
const NETWORKS = /^[A-Za-z0-9][\w.-]{0,62}$/

/** Checks the options and fills in the defaults; what is wrong is thrown as a sentence to act on. */
export function settle (options: DockerRuntimeOptions): Settings {
  const { directory, engine: connection = { socketPath: '/var/run/docker.sock' }, cloud, image, host, network, swarm, user = 1000 } = options
  const check = (option: string, right: boolean, expected: string, given: unknown): void => {
    if (!right) throw wrongOption(NAME, option, expected, given)
  }
  check('directory', typeof directory === 'string' && directory.trim() !== '', 'a path', directory)
  check('engine', isConnection(connection), '{ socketPath } or { host, port }', JSON.stringify(connection))
  check('cloud', cloud === undefined || isCloudName(cloud), 'small letters, digits and dashes, at most 32', cloud)
  check('image', image === undefined || (typeof image === 'string' && image !== ''), 'the name of an image', image)
  check('host', host === undefined || (isIP(host) !== 0 && !isLoopback(host)), 'an IP address that containers reach', host)
  if (swarm !== undefined) {
    check('swarm', typeof swarm === 'object' && swarm !== null, '{ registry, nodes }', swarm)
    check('swarm.registry', typeof swarm.registry === 'string' && REGISTRIES.test(swarm.registry), 'host:port, with a path if it has one', swarm.registry)
    for (const [name, node] of Object.entries(swarm.nodes ?? {})) {
      check(`swarm.nodes.${name}`, isConnection(node), '{ socketPath } or { host, port }', JSON.stringify(node))
      check(`swarm.nodes.${name}.address`, node.address === undefined || (isIP(node.address) !== 0 && !isLoopback(node.address)), 'an IP address that other nodes reach', node.address)
    }
    check('host', host === undefined, 'left out with swarm: services are reached at the addresses of their nodes', host)
  }
  check('network', network === undefined || NETWORKS.test(network), 'the name of a network', network)
  check('user', Number.isInteger(user) && user >= 1 && user <= 65_534, 'a number from 1 to 65534', user)
  const fleet = settleFleet(options, NAME)
  const limits = settleNumbers(NAME, 'limits', options.limits, { console: 48 * 1024 * 1024 })
  const timing = settleNumbers(NAME, 'timing', options.timing, { sample: 10_000, kill: 2000, call: 20_000, look: 5000, poll: 1000, lease: 5000, keepImage: 3_600_000 })
  return {
    ...fleet,
    directory: resolve(directory),
    connection,
    swarm: swarm === undefined ? undefined : { registry: swarm.registry, nodes: swarm.nodes ?? {} },
    cloud,
    image,
    host,
    network,
    user,
    limits: { ...fleet.limits, ...limits },
    timing: { ...fleet.timing, ...timing }
  }
}

export const isCloudName = (text: string): boolean => typeof text === 'string' && NAMES.test(text)

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1'

function isConnection (given: Connection): boolean {
  if (typeof given !== 'object' || given === null) return false
  if ('socketPath' in given) return typeof given.socketPath === 'string' && given.socketPath !== ''
  return typeof given.host === 'string' && given.host !== '' && Number.isInteger(given.port) && given.port >= 1 && given.port <= 65_535
}
