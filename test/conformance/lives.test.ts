/** What two looks at a service tell of its life: that it is the same, that it is another, or neither. */
import t from 'tap'
import type { RuntimeService } from '../../types/runtime.js'
import { isAnew, isOfBefore } from '../../lib/conformance/runtime/group-rolls.js'

const service = (startedAt?: number, endedAt?: number): RuntimeService =>
  ({ name: 'lobby-1', startedAt, ...endedAt !== undefined && { lastExit: { at: endedAt } } }) as unknown as RuntimeService

const [second, moment] = [1_760_000_000_000, 1_760_000_000_042]

t.test('a life that began at a whole second, by chance or by its clock, may be the same one, and is surely none', async t => {
  t.strictSame([isOfBefore([service(second)], service(second)), isAnew([service(second)], service(second))], [false, false])
  t.strictSame([isOfBefore([service(moment)], service(moment)), isAnew([service(moment)], service(moment))], [true, false])
})

t.test('a life is another that began at another time, or before which one has ended, or that has another name', async t => {
  for (const [one, other] of [[service(moment), service(moment + 1)], [service(second), service(second + 1000)], [service(moment), service(moment, second)]] as const) {
    t.strictSame([isOfBefore([one], other), isAnew([one], other)], [false, true])
  }
  t.strictSame([isOfBefore([], service(moment)), isAnew([], service(moment))], [false, true])
})

t.test('of a life whose beginning is not told nothing is sure', async t => {
  t.strictSame([isOfBefore([service()], service()), isAnew([service()], service())], [false, false])
})
