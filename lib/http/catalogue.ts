/**
 * Watches the routes of our scope being declared. From what stands beside each route come its guard, its envelope,
 * its documentation, and its line in the catalogue.
 */
import type { FastifyInstance } from 'fastify'
import { SetupError } from '../../types/errors.js'
import type { CatalogueEntry } from '../../types/host.js'
import type { Audit } from '../access/audit.js'
import { type Guard, permissionOf } from '../access/guard.js'
import type { Settings } from '../options.js'
import { type Schema, documentation, responses } from './documentation.js'
import { type Count, readable } from './counting.js'
import { enveloped } from './envelope.js'

export interface Catalogue {
  /** Every route, in the order of declaration. */
  readonly entries: readonly CatalogueEntry[]
  /** Whether the document of `@fastify/swagger` will show any of them, and with it how a token is sent: a host may hide them all. */
  isDocumented (): boolean
}

export interface CatalogueParts {
  readonly settings: Settings
  readonly guard: Guard
  readonly audit: Audit
  readonly count: Count
}

export function createCatalogue (scope: FastifyInstance, { settings, guard, audit, count }: CatalogueParts): Catalogue {
  const entries: CatalogueEntry[] = []
  let isDocumented = false
  const base = scope.prefix

  scope.addHook('onRoute', route => {
    const { config = {}, url, method } = route
    const schema = (route.schema ?? {}) as Schema
    const declared = config.cloud
    if (declared === undefined) {
      throw new SetupError('CLOUD_ERR_ROUTE', `Route ${String(method)} ${url} declares no access rule`)
    }
    const permission = permissionOf(declared, settings.namespace)
    // `@fastify/cors`, where the host has it, leaves such a route alone: which origins may read it is for our options to say.
    Object.assign(config, { cors: false })
    route.onRequest = [guard(declared), ...[route.onRequest ?? []].flat()]
    if (declared.access !== 'public') route.preHandler = [guard.again, ...[route.preHandler ?? []].flat()]
    if (declared.isUnlisted === true) return

    const { access, path = url.slice(base.length), wildcard, failures = [] } = declared
    const name = `${String(method)} ${readable(path, wildcard)}`
    route.handler = enveloped(route.handler, declared, audit, status => { count(name, status) })
    if ([method].flat().includes('HEAD')) return
    entries.push({
      method: String(method),
      path: readable(path, wildcard),
      access: permission ?? access,
      summary: schema.summary ?? ''
    })
    if (schema.hide !== true) {
      // OpenAPI knows no sockets: a generated client would have a function that cannot be called.
      const isChannel = declared.isLive === true
      isDocumented ||= !isChannel
      Object.assign(config, { swaggerTransform: documentation(settings, permission ?? access, `${base}${path}`) })
      route.schema = { ...schema, ...(isChannel && { hide: true }), response: responses(String(method), schema, declared, failures) }
    }
  })
  return { entries, isDocumented: () => isDocumented }
}
