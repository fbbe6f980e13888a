/**
 * `CloudStorage` is what the cloud remembers: users, roles, sessions, API keys, the audit and metrics. It stores, and it
 * settles every race atomically, across processes; it hashes nothing, judges no permission and knows no HTTP.
 *
 * - An outcome that a caller has to tell apart is a word in the result, never an exception. Whatever is thrown is
 *   the machine's fault (a full disk, a lost connection) and means: nothing of this call was stored. Only a connection
 *   that dies while the commit is on its way leaves it open whether it was. An error that will pass by itself, because
 *   the database is away, busy or full, carries `unavailable: true`: the client gets a 503 and not a 500.
 * - A call answers within 30 s. Of one that does not the client gets a 503, and what it does later nobody hears; while the
 *   host closes, a call gets 2 s more. So give the calls to your database time limits below that (SQLite's `busy_timeout`,
 *   PostgreSQL's `statement_timeout` and a limit for connecting).
 * - When a promise of a write resolves, the write survives `kill -9` of this process.
 * - **Each write is one transaction**: whoever reads at any moment finds all of it or nothing, and so does the next process
 *   where this one ended before the answer. Of several at once none is lost and none undoes another, purges among them.
 * - Where several outcomes apply, the answer is the first of them in the order of the method's description. A method that
 *   throws for an id that is there already may do so before any of them but `'stale-actor'`.
 * - **Every write that somebody asked for names its actor** (`by`), and is done only if the actor is still who they say:
 *   their session, or their key, is there, its user has that role, and the role has that version. Otherwise the outcome is
 *   `'stale-actor'`, before every other one, and nothing is stored. The check is part of the same transaction: the end of
 *   a session or key, or a change of a role, that is committed before the write, by whatever process, refuses it, and one
 *   that comes at the same time is committed after it. What the actor may do is the caller's to judge, on the role of that
 *   version; what is refused is judged anew.
 * - `nameKey` and `labelKey` are folded forms made by the caller; they are unique, the shown forms are not.
 * - A look-up finds exactly that name or id, in that case, and nothing that an object has by itself (`constructor`, say).
 *   One of a name or id that cannot be stored at all (one with NUL, say), that of an actor, of a session to keep and of
 *   activity included, finds nothing; it does not throw. A write of such a text stores it whole or throws, before any outcome or after it; it is never cut.
 * - What is written is answered as it was given: a list in its order and with what it holds twice, an empty text as one, a
 *   number with all its digits. Every time given is a whole number of milliseconds, 0 or more, and every figure of a bucket 0 or more.
 * - A name, label or id that was given up is free again, except the id of a role.
 * - What a call is handed stays as it is until it has answered; from then on it is the caller's, who may change it, and
 *   nothing of what is stored changes with it.
 * - A read answers what was committed before it was called, by whatever process. All that it answers was so at one moment:
 *   of what is committed meanwhile it shows nothing without what was committed before that.
 * - The storage starts with two roles: -1 (`Admin`, `admin`, `#FF0000`, `*`) and 0 (`User`, `user`, `#808080`; its
 *   permissions are for whoever opens the storage to say), both with `default: true` and version 0. Role ids count up
 *   from 1 and are never reused; some may be left out.
 * - What has the same `createdAt`, or as an entry the same `at`, comes in any order.
 * - What is answered counts by its own fields, of whatever class it is: those of its type, and no others. What was answered
 *   stays as it was.
 */

/** A user as stored. */
export interface StoredUser {
  readonly uuid: string
  readonly username: string
  /** The folded name; unique. */
  readonly nameKey: string
  readonly roleId: number
  readonly passwordHash: string
  readonly hasChangedPassword: boolean
  readonly createdAt: number
}

/** A role as stored. */
export interface StoredRole {
  readonly id: number
  readonly label: string
  /** The folded label; unique. */
  readonly labelKey: string
  readonly hexColor: string
  readonly default: boolean
  readonly permissions: readonly string[]
  /** Counts the edits, from 0; an edit names the version that it was made from. */
  readonly version: number
}

/** One login. It holds what is needed to rebuild the token together with the signing secret, never the token. */
export interface StoredSession {
  /** The token's `jti`. */
  readonly id: string
  readonly userUuid: string
  readonly ip: string
  readonly userAgent: string
  /** The permissions that the token carries. */
  readonly permissions: readonly string[]
  readonly createdAt: number
  readonly expiresAt: number
  readonly lastActivity: number
}

/** A session with its user and that user's role, as they are now. */
export interface Identity {
  readonly session: StoredSession
  readonly user: StoredUser
  readonly role: StoredRole
}

/** An API key of a user. It holds what is needed to recognise the key, never the key. */
export interface StoredKey {
  readonly id: string
  readonly userUuid: string
  readonly label: string
  /** Of the whole key: SHA-256, in hexadecimal. */
  readonly hash: string
  readonly permissions: readonly string[]
  /** The addresses and networks from which it is accepted; none: from anywhere. */
  readonly addresses: readonly string[]
  readonly createdAt: number
  /** Null: never. */
  readonly expiresAt: number | null
  /** Null: not yet. */
  readonly lastUsedAt: number | null
}

/** A key with its user and that user's role, as they are now. */
export interface KeyIdentity {
  readonly key: StoredKey
  readonly user: StoredUser
  readonly role: StoredRole
}

/**
 * Who asks for a write. `session`: whoever logged in, `key`: whoever has that key, both as they were when it was judged what
 * they may do. `operator`: somebody at the machine itself, without either, who may always.
 */
export type Actor =
  | { readonly kind: 'session', readonly sessionId: string, readonly roleId: number, readonly roleVersion: number }
  | { readonly kind: 'key', readonly keyId: string, readonly roleId: number, readonly roleVersion: number }
  | { readonly kind: 'operator' }

/** What goes with every write that somebody asked for. */
export interface Asked extends Audited {
  readonly by: Actor
}

/** What goes with a write that the audit tells of. */
export interface Audited {
  /**
   * Stored in the transaction of the write, where that is done, whether it changes anything or not, and only there. Where its `target` is null and the write
   * answers what is stored now, as `roles.insert` and `roles.update` do, the target is the id of that. An entry whose id is
   * there already is left out.
   */
  readonly entry?: StoredAuditEntry
}

/** What somebody did, or tried. */
export interface StoredAuditEntry {
  /** Made by the caller, unique. */
  readonly id: string
  readonly at: number
  readonly action: string
  /** Null where nobody was logged in, and for an operator. */
  readonly user: { readonly uuid: string, readonly username: string } | null
  /** The id of the API key that it was done with; null for none. */
  readonly key: string | null
  readonly address: string
  readonly target: string | null
  readonly outcome: string
  /** What JSON can say; its names are answered in any order. */
  readonly detail: Readonly<Record<string, unknown>>
}

export interface CloudStorage {
  readonly users: UserStore
  readonly roles: RoleStore
  readonly sessions: SessionStore
  readonly keys: KeyStore
  readonly audit: AuditStore
  readonly metrics: MetricStore
  /**
   * Calls `listener` after every committed change, however slight, of a user or role that exists, and every end of a session
   * or key, until `signal` aborts; that something new exists need not be told, nor activity. Changes made through this
   * object are told before the promise of the write resolves; changes that another process made, within a second.
   * Several changes are told in any order, and each listener at a time of its own.
   * Nothing is told of a write that was refused or has thrown; one that is done may tell more than has changed, and a change
   * may be told again. A listener that throws breaks neither the write nor the other listeners, and a promise that it answers is not waited for, and may reject. A signal that aborts while
   * listeners are told takes nothing from the others; of what is being told then its own listener may still hear. Leave
   * `subscribe` out where that cannot be promised: nothing is then kept in memory between two requests.
   */
  subscribe?(listener: (change: StorageChange) => void, options: { readonly signal: AbortSignal }): void
}

/** What changed. `all`: something may have been missed, look at everything anew. */
export type StorageChange =
  | { readonly kind: 'user', readonly uuid: string }
  | { readonly kind: 'role', readonly id: number }
  | { readonly kind: 'session', readonly id: string }
  /** All sessions of a user, except the one named. */
  | { readonly kind: 'sessions', readonly userUuid: string, readonly except?: string }
  /** Where the keys of a user end with that user, a change of the user says so too. */
  | { readonly kind: 'key', readonly id: string }
  | { readonly kind: 'all' }

export interface UserStore {
  /** All users, oldest first, each with its role. */
  list (): Promise<ReadonlyArray<{ readonly user: StoredUser, readonly role: StoredRole }>>
  count (): Promise<number>
  find (uuid: string): Promise<{ readonly user: StoredUser, readonly role: StoredRole } | undefined>
  findByNameKey (nameKey: string): Promise<{ readonly user: StoredUser, readonly role: StoredRole } | undefined>
  /**
   * Adds the very first user, who is an admin. `'not-first'`: there is one already; of many at once exactly one is stored. Throws for an
   * unknown role, since the first user is an admin and no request can name another role.
   */
  insertFirst (user: StoredUser, audited?: Audited): Promise<'done' | 'not-first'>
  /**
   * Adds a user. `'stale-actor'`; `'no-role'`: there is no such role; `'no-admin'`: the user is no admin, and there is none
   * (any more): users without any admin would be left, and the first setup closed; `'taken'`: the name is. Throws when the
   * uuid is there already.
   */
  insert (user: StoredUser, asked: Asked): Promise<'done' | 'stale-actor' | 'no-role' | 'no-admin' | 'taken'>
  /**
   * Gives a user another name; the own folded name is not taken. `'stale-actor'`; `'missing'`: no such user; `'taken'`:
   * another has it.
   */
  rename (uuid: string, username: string, nameKey: string, asked: Asked): Promise<'done' | 'stale-actor' | 'missing' | 'taken'>
  /**
   * Gives a user another role. `'stale-actor'`; `'missing'`: no such user; `'no-role'`: no such role; `'last-admin'`: no
   * admin (role -1) would be left.
   */
  setRole (uuid: string, roleId: number, asked: Asked): Promise<'done' | 'stale-actor' | 'missing' | 'no-role' | 'last-admin'>
  /**
   * Replaces the password's hash, sets `hasChangedPassword` as given, and deletes the user's sessions, except the
   * one named. `'stale-actor'`; `'missing'`: no such user.
   */
  setPassword (uuid: string, passwordHash: string, options: Asked & {
    readonly hasChangedPassword: boolean
    readonly keepSession?: string
  }): Promise<'done' | 'stale-actor' | 'missing'>
  /**
   * Replaces a password's hash by another one of the same password, as long as it is still `from`; nothing else changes,
   * sessions neither. Nobody asks for it: it goes with a login. `'missing'`: no such user, or one with another hash (the
   * password was changed meanwhile).
   */
  renewHash (uuid: string, from: string, to: string): Promise<'done' | 'missing'>
  /**
   * Deletes a user with all sessions and keys. What the audit tells of the user stays. `'stale-actor'`; `'missing'`: no such user; `'last-admin'`: the user is the only
   * admin, and other users would be left. So somebody who is alone can delete the own account, and of two admins who
   * delete each other at once one stays.
   */
  delete (uuid: string, asked: Asked): Promise<'done' | 'stale-actor' | 'missing' | 'last-admin'>
}

export interface RoleStore {
  /** All roles by id, with the number of users that hold each. */
  list (): Promise<ReadonlyArray<{ readonly role: StoredRole, readonly userCount: number }>>
  find (id: number): Promise<StoredRole | undefined>
  /** Adds a role under an id that is higher than every one before. `'stale-actor'`; `'taken'`: the label is. */
  insert (role: Pick<StoredRole, 'label' | 'labelKey' | 'hexColor' | 'permissions'>, asked: Asked):
  Promise<StoredRole | 'stale-actor' | 'taken'>
  /**
   * Replaces `label`, `labelKey`, `hexColor` and `permissions` of the role of that `id`, a default one's too; what is
   * given as `default` changes nothing. `'stale-actor'`; `'missing'`: no such role; `'stale'`: `role.version` is not the
   * stored one, read again and decide again; `'taken'`: another has the label. Answers the role as stored now, its version
   * one higher.
   */
  update (role: StoredRole, asked: Asked): Promise<StoredRole | 'stale-actor' | 'missing' | 'stale' | 'taken'>
  /** Deletes a role. `'stale-actor'`; `'missing'`: no such role; `'default'`: it came with the system; `'held'`: users hold it. */
  delete (id: number, asked: Asked): Promise<'done' | 'stale-actor' | 'missing' | 'default' | 'held'>
}

export interface SessionStore {
  /**
   * Adds a session and deletes the user's oldest ones (by creation) beyond `keep`, never the one just added, whatever
   * its `createdAt`. Expired ones that were not purged yet count as well. `'missing'`: there is no such user, or its
   * password hash is no longer `passwordHash` (it was changed while the login was under way). Throws when the id is there already.
   */
  insert (session: StoredSession, options: Audited & { readonly keep: number, readonly passwordHash: string }):
  Promise<'done' | 'missing'>
  /** The session of that id with its user and role, in one read. Expired ones too: time is the caller's. */
  find (id: string): Promise<Identity | undefined>
  /** A user's sessions that expire after `now`, oldest first. */
  list (userUuid: string, now: number): Promise<readonly StoredSession[]>
  /** Deletes one session of that user. `'stale-actor'`; `'missing'`: that user has no such session. */
  delete (userUuid: string, id: string, asked: Asked): Promise<'done' | 'stale-actor' | 'missing'>
  /** Deletes all sessions of a user; where there are none that is `'done'` as well. `'stale-actor'`. */
  deleteAll (userUuid: string, asked: Asked): Promise<'done' | 'stale-actor'>
  /**
   * Notes activity of many sessions at once. Never goes backwards: an earlier time than the one noted changes nothing.
   * Never brings a deleted session back.
   */
  touch (activity: ReadonlyArray<{ readonly id: string, readonly lastActivity: number }>): Promise<void>
  /** Deletes the sessions that expired at `now` or before. */
  purge (now: number): Promise<void>
}

export interface KeyStore {
  /**
   * Adds a key. `'stale-actor'`; `'missing'`: there is no such user; `'full'`: the user has `most` keys already, expired ones
   * that were not purged yet included, and of many at once no more than that are stored. Throws when the id is there already.
   */
  insert (key: StoredKey, asked: Asked & { readonly most: number }): Promise<'done' | 'stale-actor' | 'missing' | 'full'>
  /** The key of that id with its user and role, in one read. Expired ones too: time is the caller's. */
  find (id: string): Promise<KeyIdentity | undefined>
  /** A user's keys that expire after `now` or never, oldest first. */
  list (userUuid: string, now: number): Promise<readonly StoredKey[]>
  /** The same of all users, each with its user. */
  listAll (now: number): Promise<ReadonlyArray<{ readonly key: StoredKey, readonly user: StoredUser }>>
  /**
   * Deletes a key; where `userUuid` is given, one of that user only. `'stale-actor'`; `'missing'`: there is no such key, or
   * that user has none of that id.
   */
  delete (id: string, asked: Asked & { readonly userUuid?: string }): Promise<'done' | 'stale-actor' | 'missing'>
  /**
   * Notes the use of many keys at once. Never goes backwards: an earlier time than the one noted changes nothing. Never
   * brings a deleted key back.
   */
  touch (uses: ReadonlyArray<{ readonly id: string, readonly lastUsedAt: number }>): Promise<void>
  /** Deletes the keys that expired at `now` or before. */
  purge (now: number): Promise<void>
}

export interface AuditStore {
  /** Adds entries; one whose id is there already, or is that of an earlier one of the same call, is left out, and of several of one id at once one is stored. */
  insert (entries: readonly StoredAuditEntry[]): Promise<void>
  /** The entries that the filter lets through, the newest first, without the first `offset` and at most `limit`, and how many there are in all. */
  list (filter: AuditFilter & { readonly offset: number, readonly limit: number }):
  Promise<{ readonly total: number, readonly entries: readonly StoredAuditEntry[] }>
  /** Deletes the entries of a time before `before`. */
  purge (before: number): Promise<void>
}

/** Which entries are meant: all that is given has to fit. */
export interface AuditFilter {
  /** With `from <= at <= to`. */
  readonly from: number
  readonly to: number
  readonly action?: string
  /** Of a user of that uuid, or one that had exactly that name then. */
  readonly user?: { readonly uuid: string, readonly username: string }
}

export type MetricResolution = 'minute' | 'hour' | 'day'

/** Sums over the samples of one minute, hour or day. Sums and counts, so that nothing is an average of averages. */
export interface MetricBucket {
  readonly resolution: MetricResolution
  /** Start of the bucket, UTC. */
  readonly start: number
  readonly samples: number
  readonly cpuCore: number
  readonly cpuServices: number
  readonly memoryCore: number
  readonly memoryServices: number
}

export interface MetricStore {
  /**
   * Adds sums and counts to the buckets named, all or none; a bucket may be named more than once. Throws, and stores
   * nothing, when a figure, `start` among them, is no finite number.
   */
  add (buckets: readonly MetricBucket[]): Promise<void>
  /** The buckets with `from <= start <= to`, ascending. */
  list (resolution: MetricResolution, from: number, to: number): Promise<readonly MetricBucket[]>
  /**
   * The sum of the buckets with `from <= start <= to`; its `start` is that of the earliest of them. Where there are
   * none, every figure is 0 and `start` is `from`.
   */
  sum (resolution: MetricResolution, from: number, to: number): Promise<MetricBucket>
  /** Deletes the buckets of that resolution that start before `before`. */
  purge (resolution: MetricResolution, before: number): Promise<void>
}
