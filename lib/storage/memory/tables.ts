/** What a storage in memory holds. */
import type { Asked, StorageChange, StoredKey, StoredRole, StoredSession, StoredUser } from '../../../types/storage.js'

/** A store whose calls answer at once: nothing comes between what one of them does. */
export type Plain<Store> = { readonly [Name in keyof Store]: Store[Name] extends (...given: infer Given) => Promise<infer Answer> ? (...given: Given) => Answer : never }

/** What a memory storage holds of accounts, by its keys. */
export interface Tables {
  readonly users: Map<string, StoredUser>
  readonly roles: Map<number, StoredRole>
  readonly sessions: Map<string, StoredSession>
  readonly keys: Map<string, StoredKey>
  /** Tells whoever has subscribed, when all of the write is there. */
  emit (change: StorageChange): void
  /** Whether somebody is not who they say any more: the first question of every write that somebody asks for. */
  isStale (asked: Asked): boolean
}

/** The role that is never without a user while there are users. */
export const adminRoleId = -1

/** A copy that shares nothing with the original. */
export const copy = <T>(value: T): T => structuredClone(value)

/** Ends sessions of one user, except the one named, and tells each. */
export function endSessions ({ sessions, emit }: Tables, userUuid: string, except?: string): void {
  for (const { id } of [...sessions.values()].filter(session => session.userUuid === userUuid && session.id !== except)) {
    sessions.delete(id)
    emit({ kind: 'session', id })
  }
}

/** Ends the keys of one user, and tells each. */
export function endKeys ({ keys, emit }: Tables, userUuid: string): void {
  for (const { id } of [...keys.values()].filter(key => key.userUuid === userUuid)) {
    keys.delete(id)
    emit({ kind: 'key', id })
  }
}
