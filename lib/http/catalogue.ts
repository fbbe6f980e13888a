/**
 * Watches the routes of our scope being declared. From what stands beside each route come its guard, its envelope,
 * its documentation, and its line in the catalogue.
 */
import type { FastifyInstance } from 'fastify'
import { SetupError } from '../../types/errors.js'
import type { CatalogueEntry } from '../../types/host.js'
import type { AuditEvent } from '../access/audit.js'
import { type AccessRule, type Guard, permissionOf } from '../access/guard.js'
import type { Failure } from '../errors.js'
import type { Settings } from '../options.js'
import { type Schema, documentation, responses } from './documentation.js'
import { enveloped } from './envelope.js'

declare module 'fastify' {
  interface FastifyContextConfig extends Partial<AccessRule> {
    /** Failures that this route can answer, besides those that its schema and its rule imply. */
    failures?: readonly Failure[]
    /** Written to the audit log when it is done or has failed. */
    audit?: AuditEvent
    /** Set where that may take minutes: it is written when it is accepted as well. */
    isLong?: boolean
    /** Set on what is no endpoint of the interface. */
    isUnlisted?: boolean
    /** As it was declared, with the slash that the specification may write at its end. */
    path?: string
    /** A wildcard is shown as this parameter in the documentation. */
    wildcard?: string
  }
}

export interface Catalogue {
  /** Every route, in the order of declaration. */
  readonly entries: readonly CatalogueEntry[]
  /** Whether the document of `@fastify/swagger` will show any of them, and with it how a token is sent: a host may hide them all. */
  isDocumented (): boolean
}

export function createCatalogue (scope: FastifyInstance, settings: Settings, guard: Guard): Catalogue {
  const entries: CatalogueEntry[] = []
  let isDocumented = false
  const base = scope.prefix

  scope.addHook('onRoute', route => {
    const { config = {}, url, method } = route
    const schema = (route.schema ?? {}) as Schema
    if (config.access === undefined) {
      throw new SetupError('CLOUD_ERR_ROUTE', `Route ${String(method)} ${url} declares no access rule`)
    }
    const rule = config as AccessRule
    const permission = permissionOf(rule, settings.namespace)
    // `@fastify/cors`, where the host has it, leaves such a route alone: which origins may read it is for our options to say.
    Object.assign(config, { cors: false })
    route.onRequest = [guard(rule), ...[route.onRequest ?? []].flat()]
    if (rule.access !== 'public') route.preHandler = [guard.again, ...[route.preHandler ?? []].flat()]
    if (config.isUnlisted === true) return

    route.handler = enveloped(route.handler, config)
    if ([method].flat().includes('HEAD')) return
    const { path = url.slice(base.length) } = config
    entries.push({
      method: String(method),
      path: readable(path, config.wildcard),
      access: permission ?? rule.access,
      summary: schema.summary ?? ''
    })
    if (schema.hide !== true) {
      isDocumented = true
      Object.assign(config, { swaggerTransform: documentation(settings, permission ?? rule.access, `${base}${path}`) })
      route.schema = { ...schema, response: responses(String(method), schema, rule, config.failures ?? []) }
    }
  })
  return { entries, isDocumented: () => isDocumented }
}

/** `/role/:id` as the specification writes it: `/role/{id}`. */
function readable (path: string, wildcard = '*'): string {
  return path.replace(/:(\w+)/g, '{$1}').replace(/\*$/, `{${wildcard}}`)
}
