/** The rules about logins: who gets a token, and which tokens a user has. */
import { randomUUID } from 'node:crypto'
import type { Token } from '../../types/resources.js'
import type { Audited, CloudStorage, StoredRole, StoredSession, StoredUser } from '../../types/storage.js'
import type { Activity } from '../access/activity.js'
import { siteOf } from '../access/networks.js'
import { type Caller, type Permit, sessionOf } from '../access/caller.js'
import { type TokenSigner, tokenLifetimeMs } from '../access/token.js'
import { Failure, InvalidCredentials, TokenNotFound, TooBusy } from '../errors.js'
import type { Settings } from '../options.js'
import { act } from './act.js'
import type { Attempts } from './attempts.js'
import { foldGiven } from '../schemas/account-names.js'
import type { Passwords } from './passwords.js'

/** Where a login comes from; the token is tied to it. */
export interface Peer {
  readonly ip: string
  readonly userAgent: string
}

/** A user whose password has just been checked against that hash. */
export type CheckedUser = Pick<StoredUser, 'uuid' | 'passwordHash'>

interface Checked {
  readonly user: StoredUser
  readonly role: StoredRole
  /** A hash of the same password at the cost of the settings, where the stored one has another. */
  readonly renewed: string | undefined
}

/** So often a login looks at a hash that has changed under its hands. */
const loginRounds = 3

export interface Sessions {
  /** Answers the token of a new session; throws 401, or 429 after too many failures. */
  login (username: string, password: string, peer: Peer, auditedOf?: (user: StoredUser) => Audited): Promise<{ readonly token: string, readonly uuid: string }>
  /** A session for a user who has just been checked; throws 401 when the password has changed meanwhile. */
  begin (user: CheckedUser, permissions: readonly string[], peer: Peer): Promise<string>
  /** The caller's tokens. */
  list (caller: Caller): Promise<readonly Token[]>
  /** Ends the session behind one of the caller's tokens, given whole or by its id, and answers that. */
  end (permit: Permit, token: string): Promise<string>
  /** Ends all of the caller's sessions. */
  endAll (permit: Permit): Promise<void>
}

export function createSessions (
  storage: CloudStorage, { clock, sessionsPerUser }: Settings, tokens: TokenSigner, passwords: Passwords, attempts: Attempts,
  active: Activity
): Sessions {
  /** Undefined where that hash is no longer the user's. */
  async function tryBegin (
    { uuid, passwordHash }: CheckedUser, permissions: readonly string[], peer: Peer, audited: Audited = {}
  ): Promise<string | undefined> {
    const now = clock.now()
    // A token counts in seconds; the session ends at the very second that the token says.
    const expiresAt = Math.floor(now / 1000) * 1000 + tokenLifetimeMs
    const session: StoredSession = {
      id: randomUUID(), userUuid: uuid, ...peer, permissions, createdAt: now, expiresAt, lastActivity: now
    }
    const outcome = await storage.sessions.insert(session, { keep: sessionsPerUser, passwordHash, ...audited })
    return outcome === 'missing' ? undefined : await tokens.sign(session)
  }

  /** The user of that name, by that password. */
  async function check (nameKey: string, password: string, { ip }: Peer): Promise<Checked> {
    const checkAttempts = (): void => { attempts.check(ip, nameKey) }
    checkAttempts()
    const found = await storage.users.findByNameKey(nameKey)
    const { matches, renewed } = await passwords.compare(password, found?.user.passwordHash, siteOf(ip), checkAttempts)
      .catch((error: unknown) => {
        if (error instanceof Failure && error.is(TooBusy)) attempts.turnAway(ip)
        throw error
      })
    // Others may have failed while this one waited: beyond the limit even a right password is not told.
    checkAttempts()
    if (!matches || found === undefined) {
      attempts.fail(ip, nameKey)
      throw InvalidCredentials
    }
    attempts.forget(ip, nameKey)
    return { ...found, renewed }
  }

  /** The user with the hash that is to stay: where it was made at another cost, one that is made anew. */
  async function renew ({ user: { uuid, passwordHash }, renewed }: Checked): Promise<CheckedUser> {
    if (renewed === undefined) return { uuid, passwordHash }
    const outcome = await storage.users.renewHash(uuid, passwordHash, renewed)
    return { uuid, passwordHash: outcome === 'done' ? renewed : passwordHash }
  }

  return {
    begin: async (user, permissions, peer) => {
      const token = await tryBegin(user, permissions, peer)
      if (token === undefined) throw InvalidCredentials
      return token
    },

    login: async (username, password, peer, auditedOf) => {
      const nameKey = foldGiven(username)
      // The hash may be another one by the end: of a new password, or of this one, renewed by a login that was faster.
      for (let round = 1; round <= loginRounds; round++) {
        const checked = await check(nameKey, password, peer)
        const user = await renew(checked)
        const token = await tryBegin(user, checked.role.permissions, peer, auditedOf?.(checked.user))
        if (token !== undefined) return { token, uuid: user.uuid }
      }
      throw InvalidCredentials
    },

    list: async caller => {
      const live = await storage.sessions.list(caller.user.uuid, clock.now())
      return await Promise.all(live.map(async session => ({
        id: session.id,
        current: session.id === sessionOf(caller).id,
        value: await tokens.sign(session),
        data: {
          userUUID: session.userUuid,
          ip: session.ip,
          userAgent: session.userAgent,
          lastActivity: active.of(session.id) ?? session.lastActivity
        }
      })))
    },

    end: async (permit, token) => {
      // No id has a dot, and no token is without one.
      const claims = token.includes('.') ? await tokens.verify(token) : undefined
      const id = token.includes('.') ? claims?.jti : token
      const outcome = await act(permit, async ({ user: { uuid } }, asked) => {
        const isOwn = id !== undefined && (claims === undefined || claims.uuid === uuid)
        return isOwn ? await storage.sessions.delete(uuid, id, asked) : 'missing'
      })
      if (id === undefined || outcome === 'missing') throw TokenNotFound
      return id
    },

    endAll: async permit => {
      await act(permit, ({ user }, asked) => storage.sessions.deleteAll(user.uuid, asked))
    }
  }
}
