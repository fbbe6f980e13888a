/**
 * Finds who a token or an API key belongs to, and keeps the answer as long as nothing changed. (A plain map, not a cache of a library:
 * entries go when something about them changes, and the limit, oldest first, only bounds the memory. To order them by use
 * would cost every request something.)
 */
import { timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../types/options.js'
import type { CloudStorage, StorageChange } from '../../types/storage.js'
import { type Caller, type Credential, toCaller, toKeyCaller } from './caller.js'
import { hashOf, idOf } from './key.js'
import { ownText } from './own-text.js'
import type { TokenSigner } from './token.js'

/** Tokens and keys of which the caller is kept in memory. */
const kept = 10_000

export interface Identities {
  /** The caller that a token stands for, as everything is now; undefined for a token that is not valid any more. */
  find (token: string): Caller | undefined | Promise<Caller | undefined>
  /** The same for an API key; from where it was sent is not looked at. */
  findKey (key: string): Caller | undefined | Promise<Caller | undefined>
  /** The same, where that is known without asking the storage; undefined where it is not. */
  knownKey (key: string): Caller | undefined
  /** The same for what a caller was known by before. */
  again (caller: Caller): Caller | undefined | Promise<Caller | undefined>
  /** Whether it is known, without asking the storage, that nothing has changed since a caller was found. */
  isCurrent (caller: Caller): boolean
  /** Forgets a caller of whom the storage says that they are out of date; the next question goes to it. */
  forget (caller: Caller): void
}

/**
 * A storage that tells of every change is asked once for each token or key; one that does not is asked on every request.
 * An answer that a change overtook may be out of date: it is asked anew.
 */
export function createIdentities (storage: CloudStorage, tokens: TokenSigner, clock: Clock, signal: AbortSignal): Identities {
  /** By the signature of their tokens, which is found faster than a whole token; by whole keys, which are no longer. */
  const callers = new Map<string, Caller>()
  /** Those in `callers`, to be asked for without a look at what they are known by. */
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
    callers.delete(placeOf(caller.credential))
  }

  function remember (caller: Caller): void {
    const place = placeOf(caller.credential)
    const before = callers.get(place)
    if (before !== undefined) drop(before)
    else if (callers.size >= kept) drop(callers.values().next().value as Caller)
    callers.set(place, caller)
    current.add(caller)
  }

  const isAlive = ({ credential }: Caller): boolean =>
    clock.now() < (credential.kind === 'session' ? credential.session.expiresAt : credential.key.expiresAt ?? Infinity)

  async function readToken (token: string): Promise<Caller | undefined> {
    const claims = await tokens.verify(token)
    if (claims === undefined) return undefined
    return await ask(async () => {
      const identity = await storage.sessions.find(claims.jti)
      if (identity === undefined || identity.user.uuid !== claims.uuid) return undefined
      return identity.session.expiresAt === claims.exp * 1000 ? toCaller(identity, ownText(token)) : undefined
    })
  }

  async function readKey (text: string): Promise<Caller | undefined> {
    const id = idOf(text)
    if (id === undefined) return undefined
    const hash = Buffer.from(hashOf(text))
    return await ask(async () => {
      const identity = await storage.keys.find(id)
      if (identity === undefined) return undefined
      const stored = Buffer.from(identity.key.hash)
      return stored.length === hash.length && timingSafeEqual(stored, hash) ? toKeyCaller(identity, ownText(text)) : undefined
    })
  }

  async function ask (read: () => Promise<Caller | undefined>): Promise<Caller | undefined> {
    const told: StorageChange[] = []
    questions.add(told)
    try {
      for (;;) {
        told.length = 0
        const caller = await read()
        if (caller === undefined || !isAlive(caller)) return undefined
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

  function find (place: string, text: string, read: (text: string) => Promise<Caller | undefined>): Caller | undefined | Promise<Caller | undefined> {
    const caller = callers.get(place)
    if (caller === undefined || caller.credential.text !== text) return read(text)
    if (isAlive(caller)) return caller
    drop(caller)
    return undefined
  }
  const findToken = (token: string) => find(signatureOf(token), token, readToken)
  const findKey = (key: string) => find(key, key, readKey)

  return {
    find: findToken,
    findKey,
    knownKey: key => {
      const caller = callers.get(key)
      return caller !== undefined && isAlive(caller) ? caller : undefined
    },
    again: ({ credential: { kind, text } }) => kind === 'session' ? findToken(text) : findKey(text),
    isCurrent: caller => current.has(caller) && isAlive(caller),
    forget: caller => {
      // An answer that is on its way may be as old.
      for (const told of questions) told.push(endOf(caller.credential))
      drop(caller)
    }
  }
}

const placeOf = ({ kind, text }: Credential): string => kind === 'session' ? signatureOf(text) : text

/** The change by which a storage tells that a credential has ended. */
const endOf = (credential: Credential) => credential.kind === 'session'
  ? { kind: 'session', id: credential.session.id } as const
  : { kind: 'key', id: credential.key.id } as const

/** Of HS256, in base64url. */
const signatureOf = (token: string): string => token.slice(-43)

/** Whether a change may have taken something from a caller. */
export function concerns (change: StorageChange, { user, role, credential }: Caller): boolean {
  const end = endOf(credential)
  switch (change.kind) {
    case 'user': return user.uuid === change.uuid
    case 'role': return role.id === change.id
    case 'session': case 'key': return change.kind === end.kind && change.id === end.id
    case 'sessions': return end.kind === 'session' && user.uuid === change.userUuid && end.id !== change.except
    case 'all': return true
  }
}
