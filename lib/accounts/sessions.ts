/** The rules about logins: who gets a token, and which tokens a user has. */
import { randomUUID } from 'node:crypto'
import type { Token } from '../../types/resources.js'
import type { CloudStorage, StoredSession, StoredUser } from '../../types/storage.js'
import type { Activity } from '../access/activity.js'
import { networkOf } from '../access/address.js'
import { tokenLifetimeMs } from '../access/cookie.js'
import { throttle } from '../access/throttle.js'
import type { TokenSigner } from '../access/token.js'
import { InvalidCredentials, TokenNotFound, TooManyFailedLogins } from '../errors.js'
import type { Settings } from '../options.js'
import { foldGiven } from './names.js'
import type { Passwords } from './passwords.js'

/** Where a login comes from; the token is tied to it. */
export interface Peer {
  readonly ip: string
  readonly userAgent: string
}

/** A user whose password has just been checked against that hash. */
export type CheckedUser = Pick<StoredUser, 'uuid' | 'passwordHash'>

export interface Sessions {
  /** Answers the token of a new session; throws 401, or 429 after too many failures. */
  login (username: string, password: string, peer: Peer): Promise<{ readonly token: string, readonly uuid: string }>
  /** A session for a user who has just been checked; throws 401 when the password has changed meanwhile. */
  begin (user: CheckedUser, permissions: readonly string[], peer: Peer): Promise<string>
  list (userUuid: string): Promise<readonly Token[]>
  /** Ends the session behind a token of that user, and answers its id. */
  end (userUuid: string, token: string): Promise<string>
  endAll (userUuid: string): Promise<void>
}

export function sessions (
  storage: CloudStorage, settings: Settings, tokens: TokenSigner, passwords: Passwords, active: Activity
): Sessions {
  const { clock, sessionsPerUser, loginThrottle: { perAddress, perAddressAndName, window } } = settings
  const byAddress = throttle(clock, perAddress, window)
  const byAddressAndName = throttle(clock, perAddressAndName, window)

  async function begin (
    { uuid, passwordHash }: CheckedUser, permissions: readonly string[], peer: Peer
  ): Promise<string> {
    const now = clock.now()
    // A token counts in seconds; the session ends at the very second that the token says.
    const expiresAt = Math.floor(now / 1000) * 1000 + tokenLifetimeMs
    const session: StoredSession = {
      id: randomUUID(), userUuid: uuid, ...peer, permissions, createdAt: now, expiresAt, lastActivity: now
    }
    if (await storage.sessions.insert(session, { keep: sessionsPerUser, passwordHash }) === 'missing') throw InvalidCredentials
    return await tokens.sign(session)
  }

  return {
    begin,

    login: async (username, password, peer) => {
      const nameKey = foldGiven(username)
      const network = networkOf(peer.ip)
      const pair = `${network} ${nameKey.slice(0, 256)}`
      const checkThrottle = (): void => {
        const wait = Math.max(byAddress.wait(network), byAddressAndName.wait(pair))
        if (wait > 0) throw TooManyFailedLogins.with({ 'retry-after': String(Math.ceil(wait / 1000)) })
      }
      checkThrottle()
      const found = await storage.users.findByNameKey(nameKey)
      const matches = await passwords.matches(password, found?.user.passwordHash, network, checkThrottle)
      // Others may have failed while this one waited: beyond the limit even a right password is not told.
      checkThrottle()
      if (!matches || found === undefined) {
        byAddress.fail(network)
        byAddressAndName.fail(pair)
        throw InvalidCredentials
      }
      byAddressAndName.clear(pair)
      return { token: await begin(found.user, found.role.permissions, peer), uuid: found.user.uuid }
    },

    list: async userUuid => {
      const live = await storage.sessions.list(userUuid, clock.now())
      return await Promise.all(live.map(async session => ({
        value: await tokens.sign(session),
        data: {
          userUUID: session.userUuid,
          ip: session.ip,
          userAgent: session.userAgent,
          lastActivity: active.of(session.id) ?? session.lastActivity
        }
      })))
    },

    end: async (userUuid, token) => {
      const claims = await tokens.verify(token)
      if (claims === undefined || claims.uuid !== userUuid) throw TokenNotFound
      if (!await storage.sessions.delete(userUuid, claims.jti)) throw TokenNotFound
      return claims.jti
    },

    endAll: userUuid => storage.sessions.deleteAll(userUuid)
  }
}
