/**
 * What travels over the wire: the resources of the v3 interface, one interface each, with the field names,
 * units and ranges of the specification. Times are milliseconds since the Unix epoch, memory is MB.
 */

/** An account as the interface shows it: never with a password, its hash or a token. */
export interface User {
  readonly uuid: string
  readonly username: string
  readonly role: Role
  /** False until the user has replaced a generated password. */
  readonly hasChangedPassword: boolean
  readonly createdAt: number
}

/** A named list of permissions that users hold. */
export interface Role {
  /** -1 is the admin role, 0 the default role of a new user, higher ones count up and are never reused. */
  readonly id: number
  readonly label: string
  /** `#RGB` or `#RRGGBB`. */
  readonly hexColor: string
  /** True for the two roles that come with the system and cannot be deleted. */
  readonly default: boolean
  /** Matched exactly; the admin role holds the single entry `*`. */
  readonly permissions: readonly string[]
}

/** A role in the list of roles. */
export interface CountedRole extends Role {
  /** How many users hold it. */
  readonly userCount: number
}

/** One live login of a user. */
export interface Token {
  /** Names it where the token itself should not stand, for instance in a URL. */
  readonly id: string
  /** Whether it is the one that the request was sent with. */
  readonly current: boolean
  /** The JSON Web Token itself. */
  readonly value: string
  readonly data: {
    readonly userUUID: string
    readonly ip: string
    readonly userAgent: string
    readonly lastActivity: number
  }
}

/** A named set of files that is laid into services. */
export interface Template {
  readonly name: string
  /** Text for people; `unknown` where nobody measured it. */
  readonly size: string
}

export type ServiceState = 'ONLINE' | 'OFFLINE' | 'STARTING' | 'STOPPING'
export type ServiceType = 'SERVER' | 'PROXY'

/** How a life of a service ended. */
export interface Exit {
  readonly at: number
  /**
   * `stopped`: somebody asked for it, and it followed; `killed`: it had to be forced, or somebody wanted no less;
   * `crashed`: nobody asked for it; `timeout`: it did not become ready in time; `unknown`: nobody was there to see it.
   */
  readonly reason: 'stopped' | 'crashed' | 'killed' | 'timeout' | 'unknown'
  /** What its program exited with; `null` where there is none. */
  readonly code: number | null
  /** `SIGKILL` and its like; `null` where there is none. */
  readonly signal: string | null
  /** What it printed last, oldest first; at most 10 lines. */
  readonly lastLines: readonly string[]
}

/** One running (or just stopped) process of a group. */
export interface Service {
  readonly name: string
  readonly state: ServiceState
  readonly type: ServiceType
  readonly groupName: string
  readonly hostname: string
  readonly port: number
  /** As laid at its last start, each with its size; in a `Group` they are names. */
  readonly templates: readonly Template[]
  /** All values are strings, for instance `{ fallback: 'true' }`; in a `Group` they are of several kinds. */
  readonly properties: Readonly<Record<string, string>>
  readonly minMemory: number
  readonly maxMemory: number
  /** -1 for a PROXY. */
  readonly playerCount: number
  /** -1 for a PROXY. */
  readonly maxPlayerCount: number
  readonly memoryUsage: number
  /** Percent of the whole machine. */
  readonly cpuUsage: number
  readonly motd: string
  /** When its present life began, or its last one. Absent: it had none, or the runtime does not tell. */
  readonly startedAt?: number
  /** How its last life ended, if one has. */
  readonly lastExit?: Exit
}

/** Somebody connected to a service. */
export interface Player {
  readonly name: string
  readonly uuid: string
  readonly currentServiceName: string
}

export type PropertyValue = string | number | boolean

/** A recipe for identical services. */
export interface Group {
  readonly name: string
  readonly minMemory: number
  readonly maxMemory: number
  readonly minOnlineService: number
  readonly maxOnlineService: number
  readonly platform: { readonly name: string, readonly version: string }
  /** 0 to 100: how full the group is when one more service starts; 0 switches this off. */
  readonly percentageToStartNewService: number
  /** For instance `{ fallback: true }`. `fallback` and `static` are booleans and read as false when absent. */
  readonly properties: Readonly<Record<string, PropertyValue>>
  /** Names of templates, laid in this order. */
  readonly templates: readonly string[]
  readonly createdAt: number
}

/** The fields of a group that can be changed after it was made. */
export type GroupChanges = Partial<Pick<Group,
  'minMemory' | 'maxMemory' | 'minOnlineService' | 'maxOnlineService' | 'percentageToStartNewService' |
  'templates' | 'properties' | 'platform'>>

/** A program that services run. */
export interface Platform {
  readonly name: string
  readonly type: ServiceType
  readonly versions: ReadonlyArray<{ readonly version: string }>
}

/** A figure for the core, for all services together, and their sum. The core's is called `polocloud` on the wire. */
export interface Usage {
  readonly polocloud: number
  readonly services: number
  readonly total: number
}

/** What the cloud uses now. */
export interface SystemInformation {
  /** Percent of the whole machine, 0 to 100. */
  readonly cpuUsage: Usage
  /** MB. */
  readonly memoryUsage: Usage
  /** For people: name and version of what the core runs on. */
  readonly runtime: string
  /** Milliseconds since the core started. */
  readonly uptime: number
}

/** One minute, hour or day of history, averaged. */
export interface HistoryPoint {
  /** Start of the bucket, UTC. */
  readonly timestamp: number
  readonly avgCpu: number
  readonly avgRam: number
}

/** The average over a span of time. */
export interface AverageUsage {
  readonly avgCpu: Usage
  readonly avgRam: Usage
  readonly from: number
  readonly to: number
}
