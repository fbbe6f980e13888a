/** Makes and checks the JSON Web Tokens: HS256 and nothing else, always with an expiry and the id of a session. */
import fastifyJwt from '@fastify/jwt'
import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { FastifyInstance } from 'fastify'
import type { StoredSession } from '../../types/storage.js'
import type { Settings } from '../options.js'

const Claims = Type.Object({
  uuid: Type.String(),
  ip: Type.String(),
  userAgent: Type.String(),
  permissions: Type.Array(Type.String()),
  jti: Type.String({ minLength: 1 }),
  iat: Type.Integer(),
  exp: Type.Integer()
  // What says more, `nbf` for instance, was signed by somebody else with our secret, for another purpose.
}, { additionalProperties: false })
/** What a token says. `permissions` informs the client; what is allowed is decided on the role as it is now. */
export type Claims = Static<typeof Claims>

const claims = TypeCompiler.Compile(Claims)

export interface TokenSigner {
  /** The token of a session; the same session always gives the same text. */
  sign (session: StoredSession): string
  /** The claims of a token that we signed, expired or not; undefined for any other text. */
  verify (token: string): Claims | undefined
}

/**
 * Registers `@fastify/jwt` in this scope under a name of its own, beside whatever the host has, and answers its
 * signer and verifier, both built once.
 */
export async function tokenSigner (scope: FastifyInstance, { secret, decorator }: Settings): Promise<TokenSigner> {
  const namespace = `${decorator}Token`
  // @fastify/jwt would put ours into the host's `jwt`, where that of a sibling scope may lie already.
  scope.decorate('jwt', {} as never)
  await scope.register(fastifyJwt, {
    secret,
    namespace,
    decoratorName: `${namespace}User`,
    sign: { algorithm: 'HS256' },
    // The expiry is checked against the injected clock, by the caller.
    verify: { algorithms: ['HS256'], requiredClaims: ['jti', 'iat', 'exp'], ignoreExpiration: true, ignoreNotBefore: true }
  })
  const jwt = (scope.jwt as unknown as Record<string, typeof scope.jwt>)[namespace] as typeof scope.jwt

  return {
    sign: ({ id, userUuid, ip, userAgent, permissions, createdAt, expiresAt }) => jwt.sign({
      uuid: userUuid,
      ip,
      userAgent,
      permissions,
      jti: id,
      iat: Math.floor(createdAt / 1000),
      exp: Math.floor(expiresAt / 1000)
    }),
    verify: token => {
      try {
        const payload: unknown = jwt.verify(token)
        return claims.Check(payload) ? payload : undefined
      } catch {
        return undefined
      }
    }
  }
}
