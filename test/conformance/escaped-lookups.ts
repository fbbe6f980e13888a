/** Broken storages: what is looked up, what is of oneself, what is more than a page, and who listens. */
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { Asked, Audited, CloudStorage, StorageChange, StoredAuditEntry, StoredKey, StoredRole, StoredSession } from '../../types/storage.js'
import type { Broken } from './broken-storages.js'
import { call } from './escaped-rows.js'

type Part = 'users' | 'roles' | 'sessions' | 'keys' | 'audit' | 'metrics'
type Call = (...given: any[]) => Promise<any>

const operator: Asked = { by: { kind: 'operator' } }
const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 10_000 }

/** The calls that look up something by the text that they are given first. */
const byText: ReadonlyArray<readonly [Part, string]> = [
  ['users', 'find'], ['users', 'findByNameKey'], ['sessions', 'find'], ['keys', 'find'], ['users', 'delete'], ['users', 'setPassword'], ['sessions', 'list'], ['keys', 'delete']
]

interface Listener {
  readonly tell: (change: StorageChange) => void
  readonly signal: AbortSignal
}

/** Who listened at first and listens still, when their turn comes. */
function * present (all: readonly Listener[]): Iterable<Listener> {
  for (const one of [...all]) if (!one.signal.aborted) yield one
}

/** Listeners are kept in a list: `leave` takes one out, `order` says who is told of a change. */
const telling = (flaw: string, { leave = (all, own) => { all.splice(all.indexOf(own), 1) }, order = present }: {
  leave?: (all: Listener[], own: Listener) => void
  order?: (all: Listener[]) => Iterable<Listener>
}): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    const listeners: Listener[] = []
    storage.subscribe(change => { for (const { tell } of order(listeners)) try { tell(change) } catch {} }, new AbortController())
    return {
      ...storage,
      subscribe (tell, { signal }) {
        if (signal.aborted) return
        const own = { tell, signal }
        listeners.push(own)
        signal.addEventListener('abort', () => { leave(listeners, own) }, { once: true })
      }
    }
  }
})

/** Nothing of a write is told where something says so. */
const silent = (flaw: string, part: 'users' | 'roles', verb: string, isSilent: (storage: CloudStorage, given: readonly any[]) => Promise<boolean>): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    let quiet = false
    const own = storage[part] as unknown as Record<string, Call>
    return {
      ...storage,
      [part]: {
        ...own,
        async [verb] (...given: any[]) {
          quiet = await isSilent(storage, given)
          return await own[verb]!(...given).finally(() => { quiet = false })
        }
      },
      subscribe: (listener, options) => { storage.subscribe(change => { if (!quiet) listener(change) }, options) }
    }
  }
})

/** A write is refused where whoever asked for it is not who they were afterwards. */
const staleAfter = (part: 'users' | 'roles', verb: string, isOwn: (given: readonly any[], own: { readonly uuid: string, readonly roleId: number }) => boolean): Broken<CloudStorage> =>
  call(`nobody may end what they are: ${part}.${verb}`, part, verb, (run, { sessions, keys }) => async (...given) => {
    const { by } = given.at(-1) as Asked
    const found = by.kind === 'session' ? await sessions.find(by.sessionId) : by.kind === 'key' ? await keys.find(by.keyId) : undefined
    return found !== undefined && isOwn(given, found.user) ? 'stale-actor' : await run(...given)
  })

/** What is purged ends after so many. */
const MOST = 1_000

/** All of them. */
export const escapedLookups: ReadonlyArray<Broken<CloudStorage>> = [
  ...byText.map(([part, verb]) => call(`what every object has is somebody: ${part}.${verb}`, part, verb, run => async (text: string, ...given) => {
    const answer: unknown = await run(text, ...given)
    return text in {} && (answer === undefined || answer === 'missing' || (Array.isArray(answer) && answer.length === 0)) ? ({} as Record<string, unknown>)[text] : answer
  })),
  ...(['find', 'setRole', 'delete', 'renewHash'] as const).map(verb => call(`the case of a uuid does not matter: users.${verb}`, 'users', verb, (run, { users }) => async (uuid: string, ...given) => {
    const all = (await users.list()).map(({ user }) => user.uuid)
    return await run(all.includes(uuid) ? uuid : all.find(one => one.toLowerCase() === uuid.toLowerCase()) ?? uuid, ...given)
  })),
  call('activity of what no database holds throws', 'sessions', 'touch', touch => async (activity: ReadonlyArray<{ readonly id: string }>) => {
    if (activity.some(({ id }) => id.includes('\0'))) throw new Error('invalid byte sequence')
    await touch(activity)
  }),
  call('a role that is given has 32 bits', 'users', 'setRole', set => async (uuid: string, id: number, asked) => await set(uuid, id | 0, asked)),
  telling('who has the same function listens no more', { leave: (all, { tell }) => { all.splice(all.findIndex(one => one.tell === tell), 1) } }),
  telling('a listener that leaves takes the turn of the next one', { order: all => all }),
  call('the entry of an edit has no target of its own', 'roles', 'update', (update, { audit }) => async (role: StoredRole, { entry, ...asked }: Asked & Audited) => {
    const outcome: unknown = await update(role, asked)
    if (typeof outcome === 'object' && entry !== undefined) await audit.insert([entry])
    return outcome
  }),
  call('what has failed stays in the audit', 'audit', 'purge', (purge, { audit }) => async (before: number) => {
    const { entries } = await audit.list(everything)
    await purge(before)
    await audit.insert(entries.filter(({ at, outcome }) => at < before && outcome !== 'done'))
  }),
  call('a thousand entries are purged at once', 'audit', 'purge', (purge, { audit }) => async (before: number) => {
    const old: readonly StoredAuditEntry[] = (await audit.list({ ...everything, to: before - 1 })).entries
    await purge(before)
    await audit.insert(old.slice(MOST))
  }),
  call('a thousand keys are purged at once', 'keys', 'purge', (purge, { keys }) => async (now: number) => {
    const old: readonly StoredKey[] = (await keys.listAll(-1)).map(({ key }) => key).filter(({ expiresAt }) => expiresAt !== null && expiresAt <= now)
    await purge(now)
    for (const key of old.slice(MOST)) await keys.insert(key, { most: Infinity, ...operator })
  }),
  call('a hundred sessions are purged at once', 'sessions', 'purge', (purge, { users, sessions }) => async (now: number) => {
    const old: Array<readonly [StoredSession, string]> = []
    for (const { user } of await users.list()) for (const login of await sessions.list(user.uuid, -1)) if (login.expiresAt <= now) old.push([login, user.passwordHash])
    await purge(now)
    for (const [login, passwordHash] of old.slice(100)) await sessions.insert(login, { keep: Infinity, passwordHash })
  }),
  call('a thousand users are listed', 'users', 'list', list => async () => (await list() as unknown[]).slice(0, MOST)),
  call('a thousand keys are listed', 'keys', 'listAll', list => async now => (await list(now) as unknown[]).slice(0, MOST)),
  staleAfter('users', 'setRole', ([uuid, roleId], own) => uuid === own.uuid && roleId !== own.roleId),
  staleAfter('users', 'delete', ([uuid], own) => uuid === own.uuid),
  silent('another shown name is not told', 'users', 'rename', async ({ users }, [uuid, , nameKey]) => (await users.find(uuid as string))?.user.nameKey === nameKey),
  silent('a label in another case is not told', 'roles', 'update', async ({ roles }, [role]: readonly any[]) => {
    const stored = await roles.find((role as StoredRole).id)
    return stored !== undefined && stored.label !== (role as StoredRole).label && stored.label.toLowerCase() === (role as StoredRole).label.toLowerCase()
  })
]

/** Storages that keep less than the next process needs. */
export const escapedLookupProcesses: ReadonlyArray<Broken<{ readonly storage: CloudStorage, another (): Promise<CloudStorage>, reopen (): CloudStorage, close (): void }>> = [{
  flaw: 'the buckets of days are gone with the process',
  make () {
    const storage = createMemoryStorage()
    const list: CloudStorage['metrics']['list'] = async (resolution, from, to) => resolution === 'day' ? [] : await storage.metrics.list(resolution, from, to)
    return { storage, another: async () => storage, reopen: () => ({ ...storage, metrics: { ...storage.metrics, list } }), close () {} }
  }
}]
