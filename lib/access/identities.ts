/** Finds who a token belongs to, and keeps the answer as long as nothing changed. */
import type { Clock } from '../../types/options.js'
import type { CloudStorage, StorageChange } from '../../types/storage.js'
import { type Caller, toCaller } from './caller.js'
import type { TokenSigner } from './token.js'

/** Tokens of which the caller is kept in memory. */
const kept = 10_000

export interface Identities {
  /** The caller that a token stands for, as everything is now; undefined for a token that is not valid any more. */
  find (token: string): Caller | undefined | Promise<Caller | undefined>
  /** Whether a caller was found here, and not by another cloud in the same host. */
  found (caller: Caller): boolean
}

/**
 * A storage that tells of every change is asked once for each token; one that does not is asked on every request.
 * A change that arrives while a question is under way keeps that answer out of the memory.
 */
export function identities (storage: CloudStorage, tokens: TokenSigner, clock: Clock, signal: AbortSignal): Identities {
  /** By the signature of their tokens, which is found faster than a whole token. */
  const callers = new Map<string, Caller>()
  const all = new WeakSet<Caller>()
  let changes = 0
  const keep = storage.subscribe !== undefined
  storage.subscribe?.(change => {
    changes++
    for (const [signature, caller] of callers) {
      if (concerns(change, caller)) callers.delete(signature)
    }
  }, { signal })

  const isAlive = ({ session }: Caller): boolean => clock.now() < session.expiresAt

  async function ask (token: string): Promise<Caller | undefined> {
    const claims = await tokens.verify(token)
    if (claims === undefined) return undefined
    const before = changes
    const identity = await storage.sessions.find(claims.jti)
    if (identity === undefined || identity.user.uuid !== claims.uuid) return undefined
    if (identity.session.expiresAt !== claims.exp * 1000) return undefined
    const caller = toCaller(identity, token)
    if (!isAlive(caller)) return undefined
    all.add(caller)
    if (keep && changes === before) {
      if (callers.size >= kept) callers.delete(callers.keys().next().value as string)
      callers.set(signatureOf(token), caller)
    }
    return caller
  }

  return {
    find: token => {
      const caller = callers.get(signatureOf(token))
      if (caller === undefined || caller.token !== token) return ask(token)
      if (isAlive(caller)) return caller
      callers.delete(signatureOf(token))
      return undefined
    },
    found: caller => all.has(caller)
  }
}

/** Of HS256, in base64url. */
const signatureOf = (token: string): string => token.slice(-43)

function concerns (change: StorageChange, { user, role, session }: Caller): boolean {
  switch (change.kind) {
    case 'user': return user.uuid === change.uuid
    case 'role': return role.id === change.id
    case 'session': return session.id === change.id
    case 'sessions': return user.uuid === change.userUuid && session.id !== change.except
    case 'all': return true
  }
}
