/** Each call of a storage beside the same call of a storage in memory. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { CloudStorage } from '../../../types/storage.js'
import { storesIn } from '../../storage/memory/stores.js'
import { byValue, same, show } from '../suite.js'
import { Caller, type Call } from './caller.js'
import type { Command } from './commands.js'
import { auditOf } from './entries.js'
import { Listening } from './listening.js'
import { isSame, readAround, seenIn } from './reading.js'
import type { StorageUnderTest } from './under-test.js'
import { accountsOf, metricsOf, readsOf, type Accounts } from './visible.js'

/** A storage of which every call is made on a storage in memory as well, and compared with what that says. */
export class Following {
  readonly subject: StorageUnderTest
  /** The calls so far, in words. */
  readonly calls: string[] = []
  readonly #reference: CloudStorage
  readonly #caller: Caller
  #listening: Listening
  #storage: CloudStorage
  #other: CloudStorage | undefined
  #before: Accounts | undefined
  // Role ids count up; a refused insert may use one up, so that it is the storage that says which is next.
  #lastRoleId = 0
  #nextRoleId = 0

  private constructor (subject: StorageUnderTest, permissions: readonly string[], other: CloudStorage | undefined) {
    this.subject = subject
    this.#storage = subject.storage
    this.#other = other
    this.#reference = storesIn(permissions, () => this.#nextRoleId)
    this.#caller = new Caller(this.#reference)
    this.#listening = new Listening(subject.storage)
  }

  static async of (subject: StorageUnderTest): Promise<Following> {
    const permissions = (await subject.storage.roles.find(0))?.permissions ?? []
    return new Following(subject, permissions, await subject.another?.())
  }

  /** Runs something, and says in its failure which calls came before. */
  async during (run: (following: Following) => Promise<void>): Promise<void> {
    try {
      await run(this)
      same(await metricsOf(this.#storage), await metricsOf(this.#reference), 'metrics.list and metrics.sum when all is over')
    } catch (error) {
      const after = `after these calls:\n${this.calls.map((call, index) => `  ${index + 1}. ${call}`).join('\n')}`
      if (!(error instanceof assert.AssertionError)) throw new Error(`${show(error)}\n${after}`, { cause: error })
      throw new assert.AssertionError({ message: `${error.message}\n${after}` })
    } finally {
      this.#listening.end()
    }
  }

  /**
   * Makes a call, compares what it answers, what can be read and what is told, and answers what it has answered.
   * @param isRead whether all that can be read is looked at; of several calls that are refused in a row the last may do
   */
  async step (command: Command | Call, isRead = true): Promise<unknown> {
    const call = await this.begin(command)
    const before = this.#before!
    const through = this.#turn()
    const heard = this.#listening.begin()
    const outcome = await this.#answered(call, through)
    const told = heard()
    const refused = isRefused(outcome.value)
    // More may be asked for by now, so that it is read anew for what was refused as well.
    const after = await this.#shown()
    // No other write can reach the metrics; they are compared once more when all is over.
    if (isRead) await this.#compare(`after ${call.name}`, after, call.name.startsWith('metrics.'))
    if (this.#storage.subscribe !== undefined) {
      await this.#listening.compare({ before, after, refused, told, elsewhere: through !== this.#storage, again: async () => await outcomeOf(call, through) })
    }
    return outcome.value
  }

  /** Makes a call that only leads to where a case begins, and compares no more than what it answers. */
  async furnish (command: Command): Promise<void> {
    await this.#answered(await this.begin(command), this.#turn())
  }

  /**
   * Makes a call, ends the process in the turn in which it has answered, and compares what it has answered and what the next
   * process finds. Nothing may come in between: whatever is looked up first gives a late write its time.
   */
  async stepAndEnd (command: Command | Call): Promise<void> {
    const call = await this.begin(command)
    const outcome = await outcomeOf(call, this.#storage)
    await this.reopen()
    const expected = await this.expect(call, outcome)
    same(outcome.value, expected, `${this.calls.at(-1)} must answer ${show(expected)}`)
    await this.compare(`after a new start straight after the answer of ${call.name}`)
  }

  /**
   * Makes a call while others read one thing after the other, through another process where there is one: whatever shows that
   * it is done, no later read may show that it is not.
   */
  async stepWhole (command: Command): Promise<void> {
    const call = await this.begin(command)
    const asking = this.#caller.asking(this.#lastRoleId)
    const before = await seenIn(this.#reference, asking)
    const pending = { isOver: false }
    const asked = outcomeOf(call, this.#storage).finally(() => { pending.isOver = true })
    const seen: Array<readonly [read: string, value: unknown]> = []
    const last = new Map<string, unknown>()
    const reader = this.#other ?? this.#storage
    for (let rounds = 0; rounds < MOST_ROUNDS && !pending.isOver; rounds++) {
      for (const [read, run] of readsOf(asking)) {
        const value = await run(reader)
        seen.push([read, last.has(read) && isDeepStrictEqual(byValue(value), byValue(last.get(read))) ? SAME : value])
        last.set(read, value)
      }
      await turn()
    }
    const outcome = await asked
    const expected = await this.expect(call, outcome)
    same(outcome.value, expected, `${this.calls.at(-1)} must answer ${show(expected)}`)
    const after = await seenIn(this.#reference, asking)
    const known = new Map<string, unknown>()
    let shown: string | undefined
    for (const [read, given] of seen) {
      const value = given === SAME ? known.get(read) : given
      known.set(read, value)
      const [isBefore, isAfter] = [isSame(value, before.get(read)), isSame(value, after.get(read))]
      assert.ok(isBefore || isAfter, `${read}, read while ${call.name} was under way, must be as it was before or as it is afterwards, and was ${show(value)}`)
      if (!isBefore) shown = read
      assert.ok(shown === undefined || isAfter, `${String(shown)} has shown that ${call.name} is done, and ${read}, read later, that it is not: a write is done whole`)
    }
  }

  /** Makes a call while reads are under way that were begun before it: what each answers is as it was before or as it is afterwards. */
  async stepAmid (command: Command): Promise<void> {
    const call = await this.begin(command)
    const asking = this.#caller.asking(this.#lastRoleId)
    const before = await seenIn(this.#reference, asking)
    const reader = this.#other ?? this.#storage
    let outcome: { readonly value: unknown } = { value: undefined }
    const seen = await readAround(() => readsOf(asking).map(async ([read, run]) => [read, await run(reader)] as const), async () => { outcome = await outcomeOf(call, this.#storage) })
    const expected = await this.expect(call, outcome)
    same(outcome.value, expected, `${this.calls.at(-1)} must answer ${show(expected)}`)
    const after = await seenIn(this.#reference, asking)
    for (const [read, value] of seen) {
      assert.ok(isSame(value, before.get(read)) || isSame(value, after.get(read)), `${read}, which was under way when ${call.name} came, must be as it was before or as it is afterwards, and was ${show(value)}`)
    }
  }

  /** Waits until something of a call that is under way can be seen, or it is over. */
  async untilSeen (pending: { readonly isOver: boolean }): Promise<void> {
    const asking = this.#caller.asking(this.#lastRoleId)
    const before = await seenIn(this.#reference, asking)
    for (let rounds = 0; rounds < MOST_ROUNDS && !pending.isOver; rounds++) {
      for (const [read, run] of readsOf(asking)) if (!isSame(await run(this.#storage), before.get(read))) return
      await turn()
    }
  }

  /** The storage that the next call is made of: two processes take turns where there are two. */
  #turn (): CloudStorage {
    return this.#other !== undefined && this.calls.length % 3 === 0 ? this.#other : this.#storage
  }

  async #answered (call: Call, through: CloudStorage): Promise<{ readonly value: unknown }> {
    const outcome = await outcomeOf(call, through)
    const expected = await this.expect(call, outcome)
    if (!isRefused(outcome.value)) this.#listening.done()
    same(outcome.value, expected, `${this.calls.at(-1)} must answer ${show(expected)}${outcome.error === undefined ? '' : `, and has thrown ${show(outcome.error)}`}`)
    return outcome
  }

  /** The call that a command means now. */
  async begin (command: Command | Call): Promise<Call> {
    this.#before = await this.#shown()
    const call = 'on' in command ? command : await this.#caller.callOf(command)
    this.calls.push(`${call.name}(${call.given.map(show).join(', ')})`)
    return call
  }

  /** Makes a call that was made of the storage of the reference too, and answers what it should have answered. */
  async expect (call: Call, { value }: { readonly value: unknown }): Promise<unknown> {
    const given = call.name === 'roles.insert' ? (value as { readonly id?: number } | undefined)?.id : undefined
    this.#nextRoleId = given !== undefined && given > this.#lastRoleId ? given : this.#lastRoleId + 1
    const expected = await outcomeOf(call, this.#reference)
    if (typeof expected.value === 'object' && call.name === 'roles.insert') this.#lastRoleId = this.#nextRoleId
    return value === 'throws' && isRefused(expected.value) && expected.value !== 'stale-actor' && await this.#isThere(call) ? value : expected.value
  }

  /** Whether a call adds what is there already: that it throws may come before every word but that about the actor. */
  async #isThere ({ name, given: [row] }: Call): Promise<boolean> {
    const { id = '', uuid = '' } = row as { readonly id?: string, readonly uuid?: string }
    if (name === 'keys.insert') return await this.#reference.keys.find(id) !== undefined
    return name === 'users.insert' && await this.#reference.users.find(uuid) !== undefined
  }

  /** The same of a call whose answer was never heard, and that is stored: its role is the one that is there now. */
  async expectUnheard (call: Call): Promise<void> {
    const ids = call.name === 'roles.insert' ? (await this.#storage.roles.list()).map(({ role }) => role.id) : []
    await this.expect(call, { value: { id: Math.max(0, ...ids) } })
  }

  /** Compares all that can be read, read by read, so that the failure names the one that differs. */
  async compare (when: string): Promise<void> {
    await this.#compare(when, await this.#shown(), true)
  }

  async #compare (when: string, right: Accounts, withMetrics: boolean): Promise<void> {
    // Two processes take turns here too: what one has committed, the next read of the other answers.
    const storage = this.#other !== undefined && this.calls.length % 2 === 0 ? this.#other : this.#storage
    const actual = await accountsOf(storage, this.#caller.asking(this.#lastRoleId))
    for (const [read, expected] of Object.entries(right)) same(actual[read as keyof Accounts], expected, `${read} ${when}`)
    const [told, audit] = [await auditOf(this.#reference), await auditOf(storage)]
    for (const [question, expected] of Object.entries(told)) same(audit[question], expected, `audit.list(${question}) ${when}`)
    if (withMetrics) same(await metricsOf(storage), await metricsOf(this.#reference), `metrics.list and metrics.sum ${when}`)
  }

  /** Whether all that can be read is as it was before the last call began. */
  async isAsBefore (): Promise<boolean> {
    const actual = await accountsOf(this.#storage, this.#caller.asking(this.#lastRoleId))
    try {
      same(actual['users.list'], this.#before?.['users.list'])
      same(actual['roles.list'], this.#before?.['roles.list'])
      same(actual['sessions.find'], { ...Object.fromEntries(Object.keys(actual['sessions.find']).map(id => [id, undefined])), ...this.#before?.['sessions.find'] })
      same(actual['keys.find'], { ...Object.fromEntries(Object.keys(actual['keys.find']).map(id => [id, undefined])), ...this.#before?.['keys.find'] })
      same(await auditOf(this.#storage), await auditOf(this.#reference))
      same(await metricsOf(this.#storage), await metricsOf(this.#reference))
      return true
    } catch {
      return false
    }
  }

  /** Goes on with the storage as a new start finds it. */
  async reopen (): Promise<void> {
    const again = await this.subject.reopen?.()
    assert.ok(typeof again?.users?.list === 'function', 'reopen() must answer the storage as it is after a new start')
    this.#storage = again
    this.#other = undefined
    this.#listening.end()
    this.#listening = new Listening(again)
    this.#listening.done()
  }

  async #shown (): Promise<Accounts> {
    return await accountsOf(this.#reference, this.#caller.asking(this.#lastRoleId))
  }
}

/** What a call answers; that it throws is all that can be compared of a failure. */
export async function outcomeOf (call: Call, storage: CloudStorage): Promise<{ readonly value: unknown, readonly error?: unknown }> {
  try {
    return { value: byValue(await call.on(storage)) }
  } catch (error) {
    return { value: 'throws', error }
  }
}

/** A value that was read before, of the same read. */
const SAME = Symbol('as at the read before')

/** More rounds than any write takes. */
const MOST_ROUNDS = 500

/** Whether a call has stored nothing, as its outcome says. */
const isRefused = (outcome: unknown): boolean => typeof outcome === 'string' && outcome !== 'done'
