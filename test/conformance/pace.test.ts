/** How the suite for runtimes waits: what fails says for what it waited. */
import { setTimeout as delay } from 'node:timers/promises'
import t from 'tap'
import { Pace } from '../../lib/conformance/runtime/pace.js'
import { simulated } from './broken-runtimes.js'

class Plain extends Pace {
  protected looked (): void {}
  protected states (): string { return 'nothing' }
}

t.test('a wait that fails says what it waited for, also when an answer came before it whose own wait was not over', async t => {
  const { runtime, close } = simulated()
  t.teardown(close)
  const pace = new Plain({ runtime, close, pause: async () => { await delay(2) } }, 50)
  await pace.settled(delay(1))
  const waiting = pace.until('it is so', () => false)
  t.equal(pace.doing, 'it is so; seen last: nothing')
  await t.rejects(waiting, { name: 'AssertionError', message: 'Not within 50 ms: it is so; seen last: nothing' })
  t.equal(pace.doing, undefined)
})
