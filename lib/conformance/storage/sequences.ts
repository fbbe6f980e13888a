/** Random calls of a storage, compared with a storage in memory. */
import assert from 'node:assert/strict'
import type { CloudStorage } from '../../../types/storage.js'
import { storesIn } from '../../storage/memory/stores.js'
import { loadFastCheck, trySequences, type SequenceOptions } from '../random.js'
import { absent, same, show, type Case, type TestFunction } from '../suite.js'
import { Caller, commandsOf, prelude, type Call, type Command } from './commands.js'
import { Listening } from './listening.js'
import type { StorageUnderTest } from './under-test.js'
import { accountsOf, metricsOf, type Accounts } from './visible.js'

/** Random calls, one after the other, compared with a storage in memory: what is answered, what can be read, what is told. */
export async function sequences (
  add: Case<StorageUnderTest>, test: TestFunction, create: () => Promise<StorageUnderTest> | StorageUnderTest, options: SequenceOptions | undefined
): Promise<void> {
  const fc = await loadFastCheck()
  if (fc === undefined) return await absent(test, 'random sequences', 'fast-check is not installed')
  await add('any sequence of calls is answered, stored and told as the contract says', async () => {
    await trySequences(fc, commandsOf(fc), prelude, async commands => {
      const subject = await create()
      try {
        await follow(subject, commands)
      } finally {
        await subject.close()
      }
    }, options)
  })
}

/** Makes the calls on a storage and on the reference, and compares after each of them. */
async function follow (subject: StorageUnderTest, commands: readonly Command[]): Promise<void> {
  const { storage } = subject
  const other = await subject.another?.()
  const plain = (await storage.roles.find(0))?.permissions
  // Role ids count up; a refused insert may use one up, so that it is the storage that says which is next.
  let [lastRoleId, nextRoleId] = [0, 0]
  const reference = storesIn(plain ?? [], () => nextRoleId)
  const caller = new Caller(reference)
  const listening = new Listening(storage)
  const calls: string[] = []
  try {
    let before: Accounts = await accountsOf(reference, caller.asking(0))
    for (const [index, command] of commands.entries()) {
      const call = await caller.callOf(command)
      // Two processes take turns where there are two.
      const through = other !== undefined && index % 3 === 2 ? other : storage
      calls.push(`${call.name}(${call.given.map(show).join(', ')})`)
      const heard = listening.begin()
      const outcome = await outcomeOf(call, through)
      const told = heard()
      const given = call.name === 'roles.insert' ? (outcome as { readonly id?: number }).id : undefined
      nextRoleId = given !== undefined && given > lastRoleId ? given : lastRoleId + 1
      const expected = await outcomeOf(call, reference)
      if (typeof expected === 'object' && call.name === 'roles.insert') lastRoleId = nextRoleId
      const ask = caller.asking(lastRoleId)
      same(outcome, expected, `${calls.at(-1)} must answer ${show(expected)}`)
      const after = await accountsOf(reference, ask)
      compare(await accountsOf(storage, ask), after, call)
      if (call.name.startsWith('metrics')) same(await metricsOf(storage), await metricsOf(reference), 'what can be read of the metrics')
      if (storage.subscribe !== undefined) await listening.compare({ before, after, refused: isRefused(outcome), told, elsewhere: through !== storage })
      before = after
    }
  } catch (error) {
    if (!(error instanceof assert.AssertionError)) throw new Error(`${show(error)}\n${history(calls)}`, { cause: error })
    throw new assert.AssertionError({ message: `${error.message}\n${history(calls)}` })
  } finally {
    listening.end()
  }
}

const history = (calls: readonly string[]): string => `after these calls:\n${calls.map((call, index) => `  ${index + 1}. ${call}`).join('\n')}`

/** What a call answers; that it throws is all that can be compared of a failure. */
async function outcomeOf (call: Call, storage: CloudStorage): Promise<unknown> {
  try {
    return structuredClone(await call.on(storage))
  } catch (error) {
    if (error instanceof TypeError) throw error
    return 'throws'
  }
}

/** Whether a call has stored nothing, as its outcome says. */
const isRefused = (outcome: unknown): boolean => typeof outcome === 'string' && outcome !== 'done'

/** Compares read by read, so that the failure names the one that differs. */
function compare (actual: Accounts, expected: Accounts, call: Call): void {
  for (const [read, right] of Object.entries(expected)) {
    same(actual[read as keyof Accounts], right, `${read} after ${call.name}`)
  }
}
