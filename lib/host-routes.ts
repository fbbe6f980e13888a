/** Tells the host's OpenAPI document what a route of the host's needs that is guarded by `access`. */
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { HostDecorator } from './decorator.js'
import type { Settings } from './options.js'
import { securityOf, sentenceOf } from './http/documentation.js'

export function describeOwnRoutes (fastify: FastifyInstance, settings: Settings, { guards, isDocumented }: HostDecorator): void {
  fastify.addHook('onRoute', route => {
    if (!fastify.hasDecorator('swagger')) return
    const access = guards(route)
    if (access === undefined || access === 'public') return
    const schema = (route.schema ?? {}) as FastifySchema & { description?: string }
    route.schema = {
      ...(isDocumented() && { security: securityOf(settings, access) }),
      'x-permission': access,
      ...schema,
      description: schema.description === undefined ? sentenceOf(access) : `${schema.description} ${sentenceOf(access)}`
    } as FastifySchema
  })
}
