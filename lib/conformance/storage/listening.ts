/** What a listener of a storage is told, compared with what the writes have changed. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { CloudStorage, StorageChange } from '../../../types/storage.js'
import { byValue, same, show } from '../suite.js'
import { stopwatch, waitFor } from '../waiting.js'
import type { Accounts } from './visible.js'

/** One write, as it looks from outside. */
interface Write {
  readonly before: Accounts
  readonly after: Accounts
  readonly refused: boolean
  /** What was told until its promise resolved. */
  readonly told: readonly StorageChange[]
  /** Whether another process has made it: then a second may pass. */
  readonly elsewhere: boolean
  /** Makes a call that was refused once more. */
  again (): Promise<unknown>
}

/** How long it may take until what another process has changed is told. */
export const ELSEWHERE_MS = 1_000

/** So often a write that is refused has to tell the same to be believed to tell it. */
const ATTEMPTS = 2

/** Several listeners on one storage, one of which always throws: whatever happens, each of the others hears of every change. */
export class Listening {
  readonly #changes: StorageChange[] = []
  readonly #again: StorageChange[] = []
  readonly #listening = new AbortController()
  /** What was told or stored before: that may be told once more, and later. */
  readonly #known = new Set<string>()
  /** Answers how long ago the last write was done; what it has changed may be told, once more or for the first time. */
  #since: () => number = () => Infinity
  #writing = false
  /** What each had heard when the last write began. */
  #from = { first: 0, again: 0 }
  /** What could be read at the moment of the telling, and of what. */
  #reads: Array<{ readonly change: StorageChange, readonly read: Promise<unknown> }> = []

  constructor (storage: CloudStorage) {
    const { signal } = this.#listening
    const again = (change: StorageChange): void => { this.#again.push(change) }
    const gone = new AbortController()
    storage.subscribe?.(again, gone)
    storage.subscribe?.(() => {
      // Told later than it should be, it would end the process.
      if (this.#writing) throw new Error('a listener\'s own mistake')
    }, { signal })
    storage.subscribe?.(change => {
      this.#changes.push(change)
      const read = readOf(storage, change)
      // Awaited below; a failure there must not count as one that nobody hears of.
      read.catch(() => {})
      this.#reads.push({ change, read })
    }, { signal })
    storage.subscribe?.(again, { signal })
    // The same function listens once more, and goes on: it was another subscription that has ended.
    gone.abort()
  }

  /** Answers a function that answers what is told between the two. */
  begin (): () => readonly StorageChange[] {
    this.#from = { first: this.#changes.length, again: this.#again.length }
    this.#reads = []
    this.#writing = true
    return () => {
      this.#writing = false
      return this.#changes.slice(this.#from.first)
    }
  }

  /** Compares what was told with what has changed. */
  async compare ({ before, after, refused, told, elsewhere, again: callAgain }: Write): Promise<void> {
    const { first: from, again } = this.#from
    const heard = (): readonly StorageChange[] => elsewhere ? this.#changes.slice(from) : told
    const missing = () => changesOf(before, after).filter(({ change, owner }) => !heard().some(one => covers(one, change, owner)))
    if (elsewhere) await waitFor(() => missing().length === 0, ELSEWHERE_MS)
    const [lacks] = missing()
    assert.ok(lacks === undefined, `${show(lacks?.change)} must be told ${elsewhere ? 'within a second' : 'before the promise of the write resolves'}, and told was ${show(heard())}`)
    if (refused && !elsewhere) await this.#innocent(heard(), callAgain)
    for (const change of [...heard(), ...changesOf(before, after).map(({ change }) => change)]) this.#known.add(idOf(change))
    // Each listener may be told at a time of its own.
    const unheard = () => changesOf(before, after).find(({ change, owner }) => !this.#again.slice(again).some(one => covers(one, change, owner)))
    if (elsewhere) await waitFor(() => unheard() === undefined, ELSEWHERE_MS)
    const deaf = unheard()
    assert.ok(deaf === undefined, `${show(deaf?.change)} must be told to every listener, beside one that throws and one whose signal has aborted`)
    const reads = this.#reads
    this.#reads = []
    if (elsewhere) return
    await this.#committed(after, reads)
  }

  /** Fails where a change was told and never with it there to be read: what an earlier write has changed, by whatever process, may be told as well, before this one is done. */
  async #committed (after: Accounts, reads: ReadonlyArray<{ readonly change: StorageChange, readonly read: Promise<unknown> }>): Promise<void> {
    const read = new Map<string, unknown[]>()
    for (const one of reads) read.set(idOf(one.change), [...read.get(idOf(one.change)) ?? [], byValue(await one.read)])
    for (const { change } of reads) {
      const now = shownOf(after, change)
      const values = read.get(idOf(change))!
      if (now !== undefined && !values.some(value => isDeepStrictEqual(value, byValue(now.value)))) same(values.at(-1), now.value, `${show(change)} must be told when it is committed: read at that moment`)
    }
  }

  /** Takes note that a write was done: what it has changed, and more than that, may be told for a second. */
  done (): void {
    const passed = stopwatch()
    this.#since = passed
  }

  end (): void {
    this.#listening.abort()
  }

  /**
   * Fails where a write that was refused tells something. What is told while it is under way may be of an earlier one that was
   * done, by whatever process; so it is called again when nothing of those can be on its way.
   */
  async #innocent (heard: readonly StorageChange[], callAgain: () => Promise<unknown>): Promise<void> {
    const unknown = (changes: readonly StorageChange[]) => changes.filter(change => change.kind !== 'all' && !this.#known.has(idOf(change)))
    let told = unknown(heard)
    for (let attempt = 0; told.length > 0 && attempt < ATTEMPTS; attempt++) {
      await waitFor(() => this.#since() > ELSEWHERE_MS, ELSEWHERE_MS + 1)
      const from = this.#changes.length
      await callAgain()
      const now = this.#changes.slice(from)
      told = told.filter(change => now.some(one => idOf(one) === idOf(change)))
    }
    same(told, [], 'nothing may be told of what was not stored')
  }
}

/** What a change is about, in one word. */
const idOf = (change: StorageChange): string => JSON.stringify(change)

/** Reads what a change is about. */
async function readOf ({ users, roles, sessions, keys }: CloudStorage, change: StorageChange): Promise<unknown> {
  if (change.kind === 'user') return (await users.find(change.uuid))?.user
  if (change.kind === 'role') return await roles.find(change.id)
  if (change.kind === 'key') return await keys.find(change.id)
  return change.kind === 'session' ? await sessions.find(change.id) : undefined
}

/** What that read has to show, where it is known. */
function shownOf (accounts: Accounts, change: StorageChange): { readonly value: unknown } | undefined {
  const { 'users.find': users, 'roles.find': roles, 'sessions.find': sessions, 'keys.find': keys } = accounts
  if (change.kind === 'user' && change.uuid in users) return { value: users[change.uuid]?.user }
  if (change.kind === 'role' && change.id in roles) return { value: roles[change.id] }
  if (change.kind === 'key' && change.id in keys) return { value: keys[change.id] }
  return change.kind === 'session' && change.id in sessions ? { value: sessions[change.id] } : undefined
}

/** What has to be told of a write, with the owner of a session that has ended: that something new exists need not be. */
function changesOf (before: Accounts, after: Accounts): ReadonlyArray<{ readonly change: StorageChange, readonly owner?: string }> {
  const users = Object.entries(before['users.find']).filter(([uuid, found]) =>
    found !== undefined && !isDeepStrictEqual(found.user, after['users.find'][uuid]?.user))
  const roles = Object.entries(before['roles.find']).filter(([id, found]) => found !== undefined && !isDeepStrictEqual(found, after['roles.find'][id]))
  const sessions = Object.entries(before['sessions.find']).filter(([id, found]) => found !== undefined && after['sessions.find'][id] === undefined)
  const keys = Object.entries(before['keys.find']).filter(([id, found]) => found !== undefined && after['keys.find'][id] === undefined)
  return [
    ...keys.map(([id, found]) => ({ change: { kind: 'key', id } as const, owner: found!.key.userUuid })),
    ...users.map(([uuid]) => ({ change: { kind: 'user', uuid } as const })),
    ...roles.map(([id]) => ({ change: { kind: 'role', id: Number(id) } as const })),
    ...sessions.map(([id, found]) => ({ change: { kind: 'session', id } as const, owner: found!.session.userUuid }))
  ]
}

/** Whether somebody who hears `change` looks anew at what `expected` is about. */
export function covers (change: StorageChange, expected: StorageChange, owner?: string): boolean {
  if (change.kind === 'all') return true
  if (change.kind === 'user') return (expected.kind === 'user' && change.uuid === expected.uuid) || (expected.kind === 'key' && change.uuid === owner)
  if (change.kind === 'role') return expected.kind === 'role' && change.id === expected.id
  if (change.kind === 'key') return expected.kind === 'key' && change.id === expected.id
  if (expected.kind !== 'session') return false
  if (change.kind === 'session') return change.id === expected.id
  return change.userUuid === owner && change.except !== expected.id
}
