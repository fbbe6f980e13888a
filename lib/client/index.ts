/** `fastify-cloud/client`: calls the interface from Node.js and from browsers, typed by its OpenAPI document. */
import createFetchClient, { type Client } from 'openapi-fetch'
import type { ItemEvent, SnapshotEvent } from '../../types/events.js'
import { addressOf } from './address.js'
import { type ConsoleOptions, readConsole } from './console.js'
import { createCredentials } from './credentials.js'
import { type EventsOptions, followEvents } from './events.js'
import type { paths } from './operations.js'

export { CloudError } from './error.js'
export type { ConsoleOptions } from './console.js'
export type { EventsOptions } from './events.js'
export type { components, operations, paths } from './operations.js'
export type { EventTopic, ItemEvent, SnapshotEvent } from '../../types/events.js'

export interface CloudClientOptions {
  /** Where the interface is, prefix included: `https://panel.example/cloud/api/v3`. */
  readonly url: string
  /** An API key. Without one the client calls with the cookie of `POST /auth/login`: the browser's, or in Node.js the one that it got itself. */
  readonly key?: string
  /** The name of the cookie of the token, where the host has given it another one. Default `token`. */
  readonly cookieName?: string
  /** What sends requests. Default: the `fetch` of the platform. */
  readonly fetch?: (request: Request) => Promise<Response>
}

/**
 * `GET`, `POST`, `PUT`, `PATCH` and `DELETE` for every operation, as `openapi-fetch` has them: each answers `{ data, error, response }`, and
 * throws a CloudError `invalid_address` for a parameter that would lead to another address.
 */
export interface CloudClient extends Client<paths> {
  /**
   * Follows what changes: a `snapshot`, then every change, in order. It goes on by itself over lost connections and restarts of the core,
   * without a gap or a repeat: what a restart leaves untold is told as the differences between before and after.
   * @throws CloudError where the caller may not (400, 401, 403); the iteration ends where `signal` aborts
   */
  events (options?: EventsOptions): AsyncGenerator<SnapshotEvent | ItemEvent, void, void>
  /**
   * Reads the console of a service: its last lines, then every new one. Ends with the service or the core.
   * @throws CloudError where the caller may not, or there is no such service
   */
  console (serviceName: string, options?: ConsoleOptions): AsyncGenerator<string, void, void>
}

/** A client of the interface at that address. */
export function createClient ({ url, key, cookieName = 'token', fetch: send = request => fetch(request) }: CloudClientOptions): CloudClient {
  const base = url.endsWith('/') ? url.slice(0, -1) : url
  const credentials = createCredentials(key, cookieName)

  /** A page of another origin sends the cookie only where it is asked to, and none where there is a key. */
  const mode = key === undefined ? 'include' : 'omit'

  async function call (request: Request): Promise<Response> {
    for (const [name, value] of Object.entries(credentials.headers())) request.headers.set(name, value)
    const answer = await send(request)
    credentials.take(answer)
    return answer
  }

  return Object.assign(createFetchClient<paths>({ baseUrl: base, fetch: call, credentials: mode, pathSerializer: addressOf }), {
    events: (options: EventsOptions = {}) => followEvents(async (query, signal) =>
      await call(new Request(`${base}/events?${String(new URLSearchParams(query))}`, { signal, credentials: mode })), options),
    console: (serviceName: string, options: ConsoleOptions = {}) =>
      readConsole(`${base.replace(/^http/, 'ws')}/service/${encodeURIComponent(serviceName)}/screen`, credentials.headers(), options)
  })
}
