/** Random calls of a storage, compared with a storage in memory. */
import { loadFastCheck, trySequences } from '../random.js'
import type { SequenceOptions } from '../sequence-options.js'
import { absent, type Case, type TestFunction } from '../suite.js'
import { commandsOf, prelude } from './commands.js'
import { Following } from './following.js'
import type { StorageUnderTest } from './under-test.js'

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
        const following = await Following.of(subject)
        await following.during(async () => {
          for (const command of commands) await following.step(command)
        })
      } finally {
        await subject.close()
      }
    }, options)
  })
}
