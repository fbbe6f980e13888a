/** Each call of a storage beside the same call of a storage in memory. */
import assert from 'node:assert/strict'
import { types } from 'node:util'
import type { CloudStorage } from '../../../types/storage.js'
import { storesIn } from '../../storage/memory/stores.js'
import { same, show } from '../suite.js'
import { Caller, type Call, type Command } from './commands.js'
import { auditOf } from './entries.js'
import { Listening } from './listening.js'
import type { StorageUnderTest } from './under-test.js'
import { accountsOf, metricsOf, type Accounts } from './visible.js'

/** A storage of which every call is made on a storage in memory as well, and compared with what that says. */
export class Following {
  readonly subject: StorageUnderTest
  /** The calls so far, in words. */
  readonly calls: string[] = []
  readonly #reference: CloudStorage
  readonly #caller: Caller
  readonly #listening: Listening
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
    } catch (error) {
      const after = `after these calls:\n${this.calls.map((call, index) => `  ${index + 1}. ${call}`).join('\n')}`
      if (!(error instanceof assert.AssertionError)) throw new Error(`${show(error)}\n${after}`, { cause: error })
      throw new assert.AssertionError({ message: `${error.message}\n${after}` })
    } finally {
      this.#listening.end()
    }
  }

  /** Makes a call, compares what it answers, what can be read and what is told, and answers what it has answered. */
  async step (command: Command | Call): Promise<unknown> {
    const [before, call] = [await this.#shown(), await this.begin(command)]
    const through = this.#turn()
    const heard = this.#listening.begin()
    const outcome = await this.#answered(call, through)
    const told = heard()
    await this.compare(`after ${call.name}`)
    if (this.#storage.subscribe !== undefined) {
      await this.#listening.compare({ before, after: await this.#shown(), refused: isRefused(outcome.value), told, elsewhere: through !== this.#storage })
    }
    return outcome.value
  }

  /** Makes a call that only leads to where a case begins, and compares no more than what it answers. */
  async furnish (command: Command): Promise<void> {
    await this.#answered(await this.begin(command), this.#turn())
  }

  /** The storage that the next call is made of: two processes take turns where there are two. */
  #turn (): CloudStorage {
    return this.#other !== undefined && this.calls.length % 3 === 0 ? this.#other : this.#storage
  }

  async #answered (call: Call, through: CloudStorage): Promise<{ readonly value: unknown }> {
    const outcome = await outcomeOf(call, through)
    const expected = await this.expect(call, outcome)
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
    return expected.value
  }

  /** Compares all that can be read, read by read, so that the failure names the one that differs. */
  async compare (when: string): Promise<void> {
    const [right, actual] = [await this.#shown(), await accountsOf(this.#storage, this.#caller.asking(this.#lastRoleId))]
    for (const [read, expected] of Object.entries(right)) same(actual[read as keyof Accounts], expected, `${read} ${when}`)
    const [told, audit] = [await auditOf(this.#reference), await auditOf(this.#storage)]
    for (const [question, expected] of Object.entries(told)) same(audit[question], expected, `audit.list(${question}) ${when}`)
    same(await metricsOf(this.#storage), await metricsOf(this.#reference), `metrics.list and metrics.sum ${when}`)
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
  }

  async #shown (): Promise<Accounts> {
    return await accountsOf(this.#reference, this.#caller.asking(this.#lastRoleId))
  }
}

/** What a call answers; that it throws is all that can be compared of a failure. */
export async function outcomeOf (call: Call, storage: CloudStorage): Promise<{ readonly value: unknown, readonly error?: unknown }> {
  try {
    return { value: structuredClone(await call.on(storage)) }
  } catch (error) {
    return { value: 'throws', error: types.isNativeError(error) ? error : new Error(show(error)) }
  }
}

/** Whether a call has stored nothing, as its outcome says. */
const isRefused = (outcome: unknown): boolean => typeof outcome === 'string' && outcome !== 'done'
