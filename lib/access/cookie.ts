/**
 * Reads and writes the one cookie that carries the token, untouched by a host's own cookie set-up. Reading is ours: one
 * pass that sees duplicates, which a parser hides.
 */
import fastifyCookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Settings } from '../options.js'
import { tokenLifetimeMs } from './token.js'

/** Two cookies of our name with different values: a sibling host or path may have planted one. */
export const ambiguous: unique symbol = Symbol('ambiguous')

/** The value of the cookie `name` in a `Cookie` header, in one pass. */
export function readCookie (header: string | undefined, name: string): string | undefined | typeof ambiguous {
  if (header === undefined) return undefined
  let found: string | undefined
  for (let at = 0; at < header.length;) {
    let end = header.indexOf(';', at)
    if (end === -1) end = header.length
    while (header.charCodeAt(at) === 0x20 || header.charCodeAt(at) === 0x09) at++
    if (header.startsWith(name, at) && header.charCodeAt(at + name.length) === 0x3d) {
      const value = header.slice(at + name.length + 1, end).trim()
      if (found !== undefined && found !== value) return ambiguous
      found = value
    }
    at = end + 1
  }
  return found === '' ? undefined : found
}

export interface TokenCookie {
  readonly name: string
  set (reply: FastifyReply, token: string): void
  /** Clears it, with the attributes it was set with. */
  clear (reply: FastifyReply): void
  /** Bytes of the whole `Set-Cookie` value for a token of that length. */
  size (tokenLength: number): number
}

export async function createTokenCookie (scope: FastifyInstance, { cookie }: Pick<Settings, 'cookie'>): Promise<TokenCookie> {
  const { name, domain, sameSite, secure } = cookie
  const serialize = await serializerOf(scope)
  const write = (value: string, maxAge: number): string => serialize(name, value, {
    path: '/', httpOnly: true, secure, sameSite, maxAge, ...(domain !== undefined && { domain })
  })
  return {
    name,
    set: (reply, token) => { reply.header('set-cookie', write(token, tokenLifetimeMs / 1000)) },
    clear: reply => { reply.header('set-cookie', write('', 0)) },
    size: tokenLength => write('', tokenLifetimeMs / 1000).length + tokenLength
  }
}

/**
 * The writer of `@fastify/cookie`, which knows nothing of a secret or options that a host has given to that plugin. Where
 * the host has none, it is registered in a scope without routes: its hooks then cost no request anything.
 */
async function serializerOf (scope: FastifyInstance): Promise<FastifyInstance['serializeCookie']> {
  if (scope.hasDecorator('serializeCookie')) return scope.serializeCookie
  let serialize: FastifyInstance['serializeCookie'] | undefined
  await scope.register(async aside => {
    await aside.register(fastifyCookie, { hook: false })
    serialize = aside.serializeCookie
  })
  return serialize as unknown as FastifyInstance['serializeCookie']
}
