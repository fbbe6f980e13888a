/** What the numbers of a command mean: mostly what is there, and now and then what is not. */
import type { CloudStorage, MetricResolution, StoredKey, StoredSession } from '../../../types/storage.js'

export const pick = <T>(pool: readonly T[], index: number): T => pool[index % pool.length]!

export const uuids = Array.from({ length: 5 }, (_, n) => `0000000${n}-0000-4000-8000-000000000000`)
// Folded names are the caller's: what looks alike is not the same.
export const names = ['jane', 'Jane', 'jane ', 'jän', 'a%', '10', '9', '', 'j_ne', 'j%', '%', 'jan?', 'j.*']
export const hashes = ['$2b$10$one', '$2b$10$two', '$2b$12$three']
export const labels = ['builder', 'Builder', 'admin', 'user', 'maker', 'ünïcödé', '"']
export const permissionSets: ReadonlyArray<readonly string[]> = [[], ['cloud.role.list'], ['b', 'a', 'c', 'b'], ['mycore.thing', 'cloud.group.get']]
export const resolutions: readonly MetricResolution[] = ['minute', 'hour', 'day']
// As texts they would be in another order.
export const moments = [0, 7, 40, 300, 2_000, 10_000, 1_760_000_000_000]

// Most choices fall on what is there, the others on whatever there can be.
const MOSTLY = 19

/** Which of all that there is or can be a number means. */
export class Picks {
  /** All sessions that were ever begun. */
  readonly sessions: StoredSession[] = []
  /** All keys that were ever made. */
  readonly keys: StoredKey[] = []
  readonly #reference: CloudStorage
  readonly #times = new Set<number>()

  /** @param reference knows what is there now */
  constructor (reference: CloudStorage) {
    this.#reference = reference
  }

  async role (index: number): Promise<number> {
    const ids = (await this.#reference.roles.list()).map(({ role }) => role.id)
    return pick([-1, 0, ...ids, ids.length + 77], index)
  }

  async user (index: number): Promise<string> {
    const there = (await this.#reference.users.list()).map(({ user }) => user.uuid)
    return index < MOSTLY && there.length > 0 ? pick(there, index) : pick(uuids, index)
  }

  async newUser (index: number): Promise<string> {
    const there = (await this.#reference.users.list()).map(({ user }) => user.uuid)
    return index < MOSTLY ? uuids.find(uuid => !there.includes(uuid)) ?? pick(uuids, index) : pick(uuids, index)
  }

  async name (index: number): Promise<string> {
    const there = (await this.#reference.users.list()).map(({ user }) => user.nameKey)
    const free = names.filter(name => !there.includes(name))
    return index < MOSTLY && free.length > 0 ? pick(free, index) : pick(names, index)
  }

  async session (index: number): Promise<string> {
    const ids = this.sessions.map(({ id }) => id)
    const there = await Promise.all(ids.map(async id => await this.#reference.sessions.find(id)))
    const live = ids.filter((_, at) => there[at] !== undefined)
    return index < MOSTLY && live.length > 0 ? pick(live, index) : pick(['none', ...ids], index)
  }

  async key (index: number): Promise<string> {
    const ids = this.keys.map(({ id }) => id)
    const there = await Promise.all(ids.map(async id => await this.#reference.keys.find(id)))
    const live = ids.filter((_, at) => there[at] !== undefined)
    return index < MOSTLY && live.length > 0 ? pick(live, index) : pick(['none', ...ids], index)
  }

  /** A moment that nothing was made at yet: what has the same `createdAt` would come in any order. */
  time (index: number): number {
    let time = pick(moments, index)
    while (this.#times.has(time)) time++
    this.#times.add(time)
    return time
  }
}
