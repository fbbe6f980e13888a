/**
 * What travels over the wire: the resources of the v3 interface, one interface each, with the field names,
 * units and ranges of the specification. Times are milliseconds since the Unix epoch, memory is MB.
 */

/** An account as the interface shows it: never with a password, its hash or a token. */
export interface User {
  /** Never changes. */
  readonly uuid: string
  /** What the user logs in with. */
  readonly username: string
  /** As it is now. */
  readonly role: Role
  /** False until the user has replaced a generated password. */
  readonly hasChangedPassword: boolean
  /** When the account was made. */
  readonly createdAt: number
}

/** A named list of permissions that users hold. */
export interface Role {
  /** -1 is the admin role, 0 the default role of a new user, higher ones count up and are never reused. */
  readonly id: number
  /** For people; unlike that of every other role. */
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
  /** Whose it is, and where it is used. */
  readonly data: {
    /** The user that it belongs to. */
    readonly userUUID: string
    /** The address that logged in. */
    readonly ip: string
    /** The user agent that logged in. */
    readonly userAgent: string
    /** When it was last used. */
    readonly lastActivity: number
  }
}

/** What an API key was made with. */
export interface KeyTerms {
  /** Names it, and stands in the key. */
  readonly id: string
  /** What its owner calls it. */
  readonly label: string
  /** What it was made for; what its owner may not do any more, it may not either. */
  readonly permissions: readonly string[]
  /** Addresses and networks (CIDR) from which it is accepted; none: from anywhere. */
  readonly addresses: readonly string[]
  /** Milliseconds since the Unix epoch; null: never. */
  readonly expiresAt: number | null
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number
}

/** An API key of a user, without the key itself. */
export interface Key extends KeyTerms {
  /** Milliseconds since the Unix epoch, written down now and then; null: not used yet. */
  readonly lastUsedAt: number | null
}

/** An API key right after it was made: the only time that the key itself is shown. */
export interface NewKey extends KeyTerms {
  /** `fc_<id>_<secret>`: what stands behind `Bearer` in the header `Authorization`. */
  readonly key: string
}

/** An API key, as admins see it. */
export interface OwnedKey extends Key {
  /** Its owner. */
  readonly user: { readonly uuid: string, readonly username: string }
}

/** What somebody did, or tried. */
export interface AuditEntry {
  /** Milliseconds since the Unix epoch. */
  readonly at: number
  /** The word of the log line: `login`, `role.edited`, `service.command` … */
  readonly action: string
  /** Who did it; null where nobody was logged in, and for an operator on the machine itself: `by` of `detail` is then `operator`. */
  readonly user: { readonly uuid: string, readonly username: string } | null
  /** The id of the API key that it was done with; null for none. */
  readonly key: string | null
  /** Where it came from; empty on the machine itself. */
  readonly address: string
  /** The id or name of what it was done to; null for nothing in particular. */
  readonly target: string | null
  /** How it ended. */
  readonly outcome: 'done' | 'refused' | 'failed'
  /** What the log line tells besides, never a secret. */
  readonly detail: Readonly<Record<string, unknown>>
}

/** A named set of files that is laid into services. */
export interface Template {
  /** Unlike that of every other template. */
  readonly name: string
  /** Text for people; `unknown` where nobody measured it. */
  readonly size: string
}

/** A file of a template. */
export interface TemplateFile {
  /** From the template's own directory on, with `/` between names. */
  readonly path: string
  /** Bytes. */
  readonly size: number
  /** Its rights, four octal digits: `0644`. */
  readonly mode: string
  /** When it was last changed, in milliseconds since the Unix epoch: it moves where a file is replaced by another content a second later or more, may move where the content is the same, and stays over a new start. */
  readonly modifiedAt: number
}

export type ServiceState = 'ONLINE' | 'OFFLINE' | 'STARTING' | 'STOPPING'
export type ServiceType = 'SERVER' | 'PROXY'

/** How a life of a service ended. */
export interface Exit {
  /** When it ended, in milliseconds since the Unix epoch. */
  readonly at: number
  /**
   * `stopped`: somebody asked for it, and it followed; `killed`: it had to be forced, or somebody wanted no less;
   * `crashed`: nobody asked for it; `timeout`: it did not become ready in time; `unresponsive`: it did not answer any
   * more, and was ended for that; `unknown`: nobody was there to see it.
   */
  readonly reason: 'stopped' | 'crashed' | 'killed' | 'timeout' | 'unresponsive' | 'unknown'
  /** What its program exited with; `null` where there is none. */
  readonly code: number | null
  /** `SIGKILL` and its like; `null` where there is none. */
  readonly signal: string | null
  /**
   * What that life printed last, and none before it, oldest first: 10 lines, or all where it printed fewer. They are as they were printed, empty ones among them; of a line more
   * than 500 characters, and what controls a terminal, may be left out.
   */
  readonly lastLines: readonly string[]
}

/** One server or proxy of a group: in the list from its first start on, whether it runs or not. */
export interface Service {
  /** The name of its group, a `-` and a whole number: `lobby-1`. */
  readonly name: string
  /** Where it is in its life. */
  readonly state: ServiceState
  /** As its platform says. */
  readonly type: ServiceType
  /** The group that it belongs to. */
  readonly groupName: string
  /** Where it listens. */
  readonly hostname: string
  /** Where it listens. */
  readonly port: number
  /** As laid at its last start, each with its size; in a `Group` they are names. */
  readonly templates: readonly Template[]
  /** All values are strings, for instance `{ fallback: 'true' }`; in a `Group` they are of several kinds. */
  readonly properties: Readonly<Record<string, string>>
  /** MB, as its group says. */
  readonly minMemory: number
  /** MB, as its group says. */
  readonly maxMemory: number
  /** -1 for a PROXY, in any state; 0 for a SERVER that is OFFLINE. */
  readonly playerCount: number
  /** -1 for a PROXY. */
  readonly maxPlayerCount: number
  /** False where nobody knows how many players there are, as the service has not answered yet, or does not any more: `playerCount` is what was known last. Absent: it is known, or the runtime does not tell. */
  readonly playersKnown?: boolean
  /** MB that it uses; 0 where it is OFFLINE. */
  readonly memoryUsage: number
  /** Percent of the whole machine; 0 where it is OFFLINE. */
  readonly cpuUsage: number
  /** The line that it shows in a list of servers. */
  readonly motd: string
  /** When its present life began, or its last one; it stays the same as long as that goes on, and does not move when the service becomes ONLINE: only as long as it is STARTING may it be that of the last life. Absent: it had none, or the runtime does not tell. */
  readonly startedAt?: number
  /**
   * How its last life ended, if one has; as long as a life goes on, STOPPING included, that is the one before it. A runtime may leave it out; who
   * tells it tells it of every end, of one that was never ONLINE as well. A service of a group that was deleted and made anew is another: it has no end yet.
   */
  readonly lastExit?: Exit
}

/** Somebody connected to a service. */
export interface Player {
  /** As the game has it. */
  readonly name: string
  /** As the game has it. */
  readonly uuid: string
  /** The service that the player is on. */
  readonly currentServiceName: string
}

export type PropertyValue = string | number | boolean

/** A recipe for identical services. */
export interface Group {
  /** Unlike that of every other group; its services begin with it. */
  readonly name: string
  /** MB that a service gets at its start. */
  readonly minMemory: number
  /** MB that a service may have. */
  readonly maxMemory: number
  /** How many services run at least. */
  readonly minOnlineService: number
  /** How many services run at most. */
  readonly maxOnlineService: number
  /** What its services run, by the name and the version that the list of platforms has. */
  readonly platform: { readonly name: string, readonly version: string }
  /** 0 to 100: how full the group is when one more service starts; 0 switches this off. */
  readonly percentageToStartNewService: number
  /** For instance `{ fallback: true }`. `fallback` and `static` are booleans and read as false when absent. */
  readonly properties: Readonly<Record<string, PropertyValue>>
  /** Names of templates, laid in this order. */
  readonly templates: readonly string[]
  /** When the group was made. */
  readonly createdAt: number
}

/** The fields of a group that can be changed after it was made. */
export type GroupChanges = Partial<Pick<Group,
  'minMemory' | 'maxMemory' | 'minOnlineService' | 'maxOnlineService' | 'percentageToStartNewService' |
  'templates' | 'properties' | 'platform'>>

/** A program that services run. */
export interface Platform {
  /** Unlike that of every other platform. */
  readonly name: string
  /** What its services are. */
  readonly type: ServiceType
  /** Those that a group can name. */
  readonly versions: ReadonlyArray<{ readonly version: string }>
}

/** A figure for the core, for all services together, and their sum. The core's is called `polocloud` on the wire. */
export interface Usage {
  /** Of the core. */
  readonly polocloud: number
  /** Of all services together. */
  readonly services: number
  /** Of both. */
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
  /** Percent of the whole machine, of core and services together. */
  readonly avgCpu: number
  /** MB, of core and services together. */
  readonly avgRam: number
}

/** The average over a span of time. */
export interface AverageUsage {
  /** Percent of the whole machine. */
  readonly avgCpu: Usage
  /** MB. */
  readonly avgRam: Usage
  /** Begin of the span. */
  readonly from: number
  /** End of the span. */
  readonly to: number
}
