/** The audit entries of a sequence of calls, and the questions that are asked of the audit after each. */
import type { CloudStorage, StoredAuditEntry } from '../../../types/storage.js'

const actions = ['role.created', 'Role.created', 'role', 'login'] as const
// One more than there are actions: every action comes with every outcome.
const outcomes = ['done', 'refused', '', 'failed', 'missing'] as const
const people = [
  null, { uuid: '00000000-0000-4000-8000-000000000000', username: 'Jane' }, { uuid: '00000001-0000-4000-8000-000000000000', username: 'jane' },
  { uuid: '00000002-0000-4000-8000-000000000000', username: 'Jane' }
] as const

// Coprime to the step below, so that no two entries are of one time and the order they are made in is not that of their times.
const TIMES = 100_003

/** Makes entries, each of a time of its own. Some have the id of one before. */
export class Entries {
  #made: number
  #last: string | undefined
  readonly #named: string

  /** @param from where others are made beside these: a number far from theirs, so that the times are others as well */
  constructor (named = 'entry', from = 0) {
    this.#named = named
    this.#made = from
  }

  /** @param isAgain whether it has the id of the one before, where there is one */
  next (isAgain = this.#made % 7 === 6): StoredAuditEntry {
    const n = this.#made++
    this.#last = isAgain && this.#last !== undefined ? this.#last : `${this.#named} ${n}`
    return {
      id: this.#last,
      at: n * 61_813 % TIMES,
      action: actions[n % actions.length]!,
      user: people[n % 5 % people.length]!,
      key: n % 3 === 0 ? 'a key' : null,
      address: n % 4 === 0 ? '2001:0db8:0000:0000:0000:0000:0000:0001' : '192.0.2.7',
      target: n % 2 === 0 ? null : n % 3 === 0 ? '' : `target ${n}`,
      outcome: outcomes[n % outcomes.length]!,
      detail: { label: 'ünïcödé', n, none: null, permissions: ['b', 'a', 'b'] }
    }
  }

  /** A time that about half of the entries come before. */
  get middle (): number {
    return TIMES >> 1
  }
}

const all = { from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 10_000 }
const questions = [
  all,
  { ...all, limit: 0 },
  { ...all, offset: 1, limit: 2 },
  { ...all, from: 5_000, to: TIMES >> 1 },
  { ...all, action: 'role.created' },
  { ...all, action: 'role' },
  { ...all, action: '' },
  { ...all, user: { uuid: 'nobody', username: 'jane' } },
  { ...all, user: people[3]! },
  { ...all, action: 'login', user: people[1]! }
]

/** The audit as every question shows it. */
export async function auditOf ({ audit }: CloudStorage): Promise<Record<string, unknown>> {
  return Object.fromEntries(await Promise.all(questions.map(async question => [JSON.stringify(question), await audit.list(question)] as const)))
}
