/** How long a token gets at the worst. */
import type { TokenSigner } from './token.js'

/** 512 characters that take two bytes each, and the longest address there is. */
const longestPeer = { ip: '0000:0000:0000:0000:0000:0000:000.000.000.000', userAgent: '"'.repeat(512) }
const anyUuid = '00000000-0000-0000-0000-000000000000'
const farTime = 99_999_999_999_000

/** The length of a token with these permissions for the longest user agent that a token is tied to. */
export function tokenSize (tokens: TokenSigner, permissions: readonly string[]): number {
  return tokens.sign({
    id: anyUuid, userUuid: anyUuid, ...longestPeer, permissions, createdAt: farTime, expiresAt: farTime, lastActivity: farTime
  }).length
}
