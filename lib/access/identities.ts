/**
 * Finds who a token belongs to, and keeps the answer as long as nothing changed. (A plain map, not a cache of a library:
 * entries go when something about them changes, and the limit, oldest first, only bounds the memory. To order them by use
 * would cost every request something.)
 */
import type { Clock } from '../../types/options.js'
import type { CloudStorage, StorageChange } from '../../types/storage.js'
import { type Caller, toCaller } from './caller.js'
import type { TokenSigner } from './token.js'

/** Tokens of which the caller is kept in memory. */
const kept = 10_000

export interface Identities {
  /** The caller that a token stands for, as everything is now; undefined for a token that is not valid any more. */
  find (token: string): Caller | undefined | Promise<Caller | undefined>
  /** Whether it is known, without asking the storage, that nothing has changed since a caller was found. */
  isCurrent (caller: Caller): boolean
  /** Forgets a caller of whom the storage says that they are out of date; the next question goes to it. */
  forget (caller: Caller): void
}

/**
 * A storage that tells of every change is asked once for each token; one that does not is asked on every request.
 * An answer that a change overtook may be out of date: it is asked anew.
 */
export function createIdentities (storage: CloudStorage, tokens: TokenSigner, clock: Clock, signal: AbortSignal): Identities {
  /** By the signature of their tokens, which is found faster than a whole token. */
  const callers = new Map<string, Caller>()
  /** Those in `callers`, to be asked for without a look at their tokens. */
  const current = new WeakSet<Caller>()
  /** What was told during each question that is under way. */
  const questions = new Set<StorageChange[]>()
  const keep = storage.subscribe !== undefined
  storage.subscribe?.(change => {
    for (const told of questions) told.push(change)
    for (const caller of callers.values()) {
      if (concerns(change, caller)) drop(caller)
    }
  }, { signal })

  function drop (caller: Caller): void {
    // Its place may be taken by then, by the same token's caller as they are now.
    if (!current.delete(caller)) return
    callers.delete(signatureOf(caller.token))
  }

  function remember (caller: Caller): void {
    const signature = signatureOf(caller.token)
    const before = callers.get(signature)
    if (before !== undefined) drop(before)
    else if (callers.size >= kept) drop(callers.values().next().value as Caller)
    callers.set(signature, caller)
    current.add(caller)
  }

  const isAlive = ({ session }: Caller): boolean => clock.now() < session.expiresAt

  async function ask (token: string): Promise<Caller | undefined> {
    const claims = await tokens.verify(token)
    if (claims === undefined) return undefined
    const told: StorageChange[] = []
    questions.add(told)
    try {
      for (;;) {
        told.length = 0
        const identity = await storage.sessions.find(claims.jti)
        if (identity === undefined || identity.user.uuid !== claims.uuid) return undefined
        if (identity.session.expiresAt !== claims.exp * 1000) return undefined
        const caller = toCaller(identity, token)
        if (!isAlive(caller)) return undefined
        const overtaking = told.filter(change => concerns(change, caller))
        // Nobody knows what `all` stands for; it may be told again and again, and one answer is then as good as another.
        if (overtaking.some(({ kind }) => kind !== 'all')) continue
        if (keep && overtaking.length === 0) remember(caller)
        return caller
      }
    } finally {
      questions.delete(told)
    }
  }

  return {
    find: token => {
      const caller = callers.get(signatureOf(token))
      if (caller === undefined || caller.token !== token) return ask(token)
      if (isAlive(caller)) return caller
      drop(caller)
      return undefined
    },
    isCurrent: caller => current.has(caller) && isAlive(caller),
    forget: caller => {
      // An answer that is on its way may be as old.
      for (const told of questions) told.push({ kind: 'session', id: caller.session.id })
      drop(caller)
    }
  }
}

/** Of HS256, in base64url. */
const signatureOf = (token: string): string => token.slice(-43)

/** Whether a change may have taken something from a caller. */
export function concerns (change: StorageChange, { user, role, session }: Caller): boolean {
  switch (change.kind) {
    case 'user': return user.uuid === change.uuid
    case 'role': return role.id === change.id
    case 'session': return session.id === change.id
    case 'sessions': return user.uuid === change.userUuid && session.id !== change.except
    case 'all': return true
  }
}
