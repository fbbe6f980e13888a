/** How long a token gets at the worst. */
import { claimsOf } from './token.js'

/** 512 characters that take two bytes each, and the longest address there is. */
const longestPeer = { ip: '0000:0000:0000:0000:0000:0000:000.000.000.000', userAgent: '"'.repeat(512) }
const anyUuid = '00000000-0000-0000-0000-000000000000'
const farTime = 99_999_999_999_000

const base64Length = (text: string): number => Math.ceil(Buffer.byteLength(text) * 4 / 3)
/** Of `{"alg":"HS256","typ":"JWT"}`, of 32 bytes of signature, and two dots between the parts. */
const around = base64Length(JSON.stringify({ alg: 'HS256', typ: 'JWT' })) + base64Length('.'.repeat(32)) + 2

/** The length of a token with these permissions for the longest user agent that a token is tied to. */
export function tokenSize (permissions: readonly string[]): number {
  return around + base64Length(JSON.stringify(claimsOf({
    id: anyUuid, userUuid: anyUuid, ...longestPeer, permissions, createdAt: farTime, expiresAt: farTime, lastActivity: farTime
  })))
}
