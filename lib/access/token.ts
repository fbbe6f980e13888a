/** Makes and checks the JSON Web Tokens: HS256 and nothing else, always with an expiry and the id of a session. */
import type { JWT } from '@fastify/jwt'
import type { StoredSession } from '../../types/storage.js'
import type { Settings } from '../options.js'
import { type Static, Type, checkOf } from '../typebox.js'

/** Seven days (docs/interface.md, Limits). */
export const tokenLifetimeMs = 7 * 24 * 60 * 60 * 1000

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

const claims = checkOf(Claims)

export interface TokenSigner {
  /** The token of a session; the same session always gives the same text. */
  sign (session: StoredSession): Promise<string>
  /** The claims of a token that we signed, expired or not; undefined for any other text. */
  verify (token: string): Promise<Claims | undefined>
}

/** What a session's token says of it. */
export const claimsOf = ({ id, userUuid, ip, userAgent, permissions, createdAt, expiresAt }: StoredSession): Claims => ({
  uuid: userUuid,
  ip,
  userAgent,
  permissions: [...permissions],
  jti: id,
  iat: Math.floor(createdAt / 1000),
  exp: Math.floor(expiresAt / 1000)
})

/**
 * A signer and a verifier of `@fastify/jwt`, both built once. The plugin is loaded with the first token, and registered on an
 * instance of its own: whatever a host has done with that plugin does not reach it.
 */
export function createTokenSigner ({ secret }: Settings): TokenSigner {
  let loading: Promise<JWT> | undefined
  let jwt: JWT | undefined

  async function load (): Promise<JWT> {
    const [{ default: Fastify }, { default: fastifyJwt }] = await Promise.all([import('fastify'), import('@fastify/jwt')])
    const aside = Fastify()
    await aside.register(fastifyJwt, {
      secret,
      sign: { algorithm: 'HS256' },
      // The expiry is checked against the injected clock, by the caller.
      verify: { algorithms: ['HS256'], requiredClaims: ['jti', 'iat', 'exp'], ignoreExpiration: true, ignoreNotBefore: true }
    })
    jwt = aside.jwt
    return jwt
  }

  /** The one that is there, or the first. */
  function loaded (): Promise<JWT> {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }

  return {
    sign: async session => (jwt ?? await loaded()).sign(claimsOf(session)),
    verify: async token => {
      const { verify } = jwt ?? await loaded()
      try {
        const payload: unknown = verify(token)
        return claims().Check(payload) ? payload : undefined
      } catch {
        return undefined
      }
    }
  }
}
