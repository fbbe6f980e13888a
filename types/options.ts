/** What a host application passes when it registers the plugin. */
import type { CloudRuntime } from './runtime.js'
import type { CloudStorage } from './storage.js'

export interface CloudOptions {
  /** What the cloud does. The host opens it and closes it. */
  readonly runtime: CloudRuntime
  /** What the cloud remembers. The host opens it and closes it. */
  readonly storage: CloudStorage
  /** Signs the tokens; at least 32 bytes. Another secret ends every session. */
  readonly secret: string
  /**
   * Where the routes live: `/` and a segment, once or several times, of letters, digits, `.`, `_`, `~` and `-`; no segment is
   * `.` or `..`, and none a parameter. Below the prefix of the scope where the plugin is registered. One at which the host or
   * another cloud has routes of the same paths is refused. Default `/cloud/api/v3`.
   */
  readonly prefix?: string
  /** First segment of every permission: lower-case letters, digits and dashes. Default `cloud`. */
  readonly namespace?: string
  /** Name of the decorator on the host's instance; another one for each further cloud in a host. Default `cloud`. */
  readonly decorator?: string
  /** The product version that `GET /system/version` answers. Default: the version of this package. */
  readonly version?: string
  /** What a token is tied to besides its session. Default both. */
  readonly tokenBinding?: {
    /** The address that logged in; every other one is answered 401. Default true. */
    readonly ip?: boolean
    /** The user agent that logged in, its first 512 bytes. Default true. */
    readonly userAgent?: boolean
  }
  /** The cookie that carries the token. */
  readonly cookie?: CookieOptions
  /**
   * Other origins whose pages may send changing requests and read the answers, each as browsers send it: `https://panel.example`,
   * `http://localhost:5173`. `http` or `https`, without a path, and without wildcards: each is compared as a whole. Default none.
   */
  readonly allowedOrigins?: readonly string[]
  /** Whether a generated password has to be changed before anything else. Default true. */
  readonly requirePasswordChange?: boolean
  /** Whether a new password needs the current one beside it, as `currentPassword`. Default false. */
  readonly requireCurrentPassword?: boolean
  /** In characters, from 1 to 72; a password has at most 72 bytes of UTF-8 in any case. Default 8. */
  readonly minPasswordLength?: number
  /** bcrypt's cost, from 4 to 15: each step doubles the work of a login. A hash of another cost is renewed at the next login. Default 10. */
  readonly passwordCost?: number
  /** API keys that a user may have. Default 100. */
  readonly keysPerUser?: number
  /** Days for which the entries of the audit are kept. Default 90. */
  readonly auditDays?: number
  /** How many failed logins, and apart from them how many wrong API keys, are let through before the answer is 429. An IPv6 address counts with its /64, and at ten times the limit with its /48. */
  readonly loginThrottle?: LoginThrottle
  /** Live sessions that a user may have; a further login ends the oldest. Default 50. */
  readonly sessionsPerUser?: number
  /** Milliseconds that a call to the runtime may take, with what it has to wait for others that change the same. Default 10,000. */
  readonly runtimeTimeout?: number
  /** Milliseconds that the deletion of a group may take before the request is answered. Default 120,000. */
  readonly deleteTimeout?: number
  /** Bytes that a file may have which is put into a template, by itself or in an archive. Default 536,870,912. */
  readonly maxTemplateFile?: number
  /** Bytes that an archive may have, unpacked, which is put into a template; each file in it has at most `maxTemplateFile`. Default 4,294,967,296. */
  readonly maxTemplateArchive?: number
  /** The live channels, the stream of events, and their limits. */
  readonly live?: LiveOptions
  /** How the metrics are sampled and how long they are kept. */
  readonly metrics?: MetricOptions
  /** Time, for tests. Default: the system's. */
  readonly clock?: Clock
}

export interface CookieOptions {
  /** One that begins with `__Host-` or `__Secure-` is refused where the other options break what that promises. Default `token`. */
  readonly name?: string
  /** Default none: the host that set it. */
  readonly domain?: string
  /** Default `strict`. */
  readonly sameSite?: 'strict' | 'lax' | 'none'
  /** False only for a lab without TLS. Default true. */
  readonly secure?: boolean
}

export interface LoginThrottle {
  /** Failed logins within the window from one address, whatever the names. Default 10. */
  readonly perAddress?: number
  /** Failed logins within the window from one address for one name, or wrong keys of one id. Default 10. */
  readonly perAddressAndName?: number
  /** Milliseconds. Default 300,000. */
  readonly window?: number
}

export interface LiveOptions {
  /** Also takes the token from `?token=`, for clients that cannot send a cookie; it then ends up in logs. Default false. */
  readonly queryToken?: boolean
  /** Whether a token is tied to its address and agent on channels as well (`tokenBinding`). Default true; false for clients whose browser opens the channels and whose server sends the requests. */
  readonly binding?: boolean
  /** Sockets and streams of events of one user. Default 30. */
  readonly socketsPerUser?: number
  /** Sockets and streams of events in all. Default 1,000. */
  readonly sockets?: number
  /** Bytes of a client's message, which is then ignored; a longer one ends the socket. Default 16,384. */
  readonly message?: number
  /** Bytes that may wait for a slow reader before it is closed. Default 1,048,576. */
  readonly backlog?: number
  /** Bytes of the last lines that a console opens with. Default 65,536. */
  readonly history?: number
}

export interface MetricOptions {
  /**
   * A `Registry` of `prom-client` of the host's own, to which the metrics of the cloud are added and which `GET /metrics` answers as a
   * whole; those of the process are the host's to add. Default: one of the cloud's own, with those of the process, made when it is asked for first.
   */
  readonly registry?: MetricRegistry
  /** Milliseconds between two samples; 0 takes none. Default 5,000. */
  readonly interval?: number
  /** Days for which minutes are kept. Default 7. */
  readonly keepMinutes?: number
  /** Days for which hours are kept, no fewer than minutes. Default 90. */
  readonly keepHours?: number
  /** Days for which days are kept, no fewer than hours. Default 1,825. */
  readonly keepDays?: number
}

/** A `Registry` of `prom-client`. */
export interface MetricRegistry {
  get contentType (): string
  metrics (): Promise<string>
  registerMetric (metric: any): void
  getSingleMetric (name: string): unknown
}

export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now (): number
  /** Milliseconds from any fixed point; never goes back. */
  elapsed (): number
}
