/** What a host application gets from the plugin: `fastify.cloud`, or the name that the option `decorator` gives it. */
import type { CloudEvents } from './events.js'
import type { Permission } from './permissions.js'
import type { Role, User } from './resources.js'

/**
 * The means of a host to guard its own routes with the same users and roles, and to read what is there. A host with
 * another `decorator` or `namespace` declares it once:
 *
 * ```ts
 * declare module 'fastify' {
 *   interface FastifyInstance { panel: CloudDecorator<'polocloud'> }
 * }
 * ```
 */
export interface CloudDecorator<Namespace extends string = 'cloud'> {
  /**
   * An `onRequest` hook for a route of the host's: lets a caller pass whose role holds that permission, taken whole
   * (`mycore.thing`, never a single word), and an API key that was made for it. `token` lets everybody pass who has logged in,
   * `caller` every API key besides, `admin` those with the admin role who have logged in, and `public` everybody, with or without a token, whose page may send it (option `allowedOrigins`). Refusals are thrown with
   * `statusCode` 401 or 403. It judges the headers: between them and the last byte of the body, or while the route waits
   * for something of its own, the caller may lose the right; see `settle`. The permission is from then on among `permissions`, and where `@fastify/swagger` is
   * registered its document names it beside the route.
   * @throws SetupError `CLOUD_ERR_PERMISSION` for what no role can hold, for any other word without a dot, and for what is below our namespace without
   * being a permission of the interface.
   */
  access (permission: 'public' | 'caller' | 'token' | 'admin' | Permission<Namespace>): AccessHook
  /** Who sent a request that passed such a hook, or one of our own routes; undefined otherwise. */
  caller (request: AnyRequest): CloudCaller<Namespace> | undefined
  /**
   * Judges the caller of such a request once more, by all that its hooks asked for, as everything is now. Await it right
   * before the act, with nothing to wait for in between: `await fastify.cloud.settle(request); core.stop()`. Answers the
   * caller; rejects with `statusCode` 401 or 403 where they may not do it any more, and with 401 for a request that passed
   * no hook.
   */
  settle (request: AnyRequest): Promise<CloudCaller<Namespace>>
  /** Every route of the interface with its rule. Complete when the instance is ready. */
  readonly routes: readonly CatalogueEntry[]
  /** Every permission that a route of the interface, or `access` of the host, asks for; sorted. */
  readonly permissions: readonly string[]
  /** What changes in the cloud, as it happens. */
  readonly events: CloudEvents
  /**
   * Runs a line of the terminal for the host itself, whoever is logged in; answers its lines. The audit tells of it as of what an
   * operator did at the machine itself; for whom the host did it, if for somebody else, is for the host to note.
   * @throws Failure with `statusCode` and `code`, as `POST /terminal/command` is answered: 400 with the usage for what is no command
   */
  terminal (line: string): Promise<readonly string[]>
  users (): Promise<readonly User[]>
  roles (): Promise<readonly Role[]>
}

/** Who is calling a route of the host's. */
export interface CloudCaller<Namespace extends string = 'cloud'> {
  readonly uuid: string
  readonly username: string
  /** As it is now. That of an admin holds `*`. */
  readonly role: Role
  /** The id of the API key that the request was sent with; null for somebody who has logged in. */
  readonly key: string | null
  /** Whether the role allows that permission, by name or because it is the admin's; of an API key, whether the key was made for it as well. */
  holds (permission: Permission<Namespace>): boolean
}

/** One route of the interface. */
export interface CatalogueEntry {
  readonly method: string
  /** Relative to the prefix, as the specification writes it, for instance `/role/{id}`. */
  readonly path: string
  /** The whole permission, or `public`, `caller`, `token`, `admin`. */
  readonly access: string
  readonly summary: string
}

/** A request of any Fastify instance, whatever its server, its logger and its type provider. */
export interface AnyRequest {
  readonly id: string
  readonly raw: object
  readonly server: object
}

/**
 * A hook for any Fastify instance, whatever its server, its logger and its type provider. A hook of the host's may call it:
 * without `done` it answers a promise, which rejects where the caller is refused and has to be awaited.
 */
export interface AccessHook {
  (request: any, reply: any, done: (error?: Error) => void): void
  (request: any, reply?: any): Promise<void>
}
