/** The cases of `terminal`: commands of the runtime's own. */
import assert from 'node:assert/strict'
import { show } from '../suite.js'
import * as shapes from './shapes.js'
import type { RuntimeCases } from './stage.js'

/** The contract of `Terminal`. */
export const terminal: RuntimeCases = async add => {
  await add('terminal.execute answers whether it was accepted, and lines', async stage => {
    for (const line of ['help', 'no-such-command', 'a b c d e f g']) {
      shapes.answer(await stage.settled(stage.runtime.terminal?.execute(line, stage.options), 'terminal.execute'), 'answer')
    }
  })

  await add('terminal.execute does not accept an unknown command, and says what can be said', async stage => {
    const answer = await stage.settled(stage.runtime.terminal?.execute('no-such-command at-all', stage.options), 'terminal.execute')
    assert.ok(answer?.accepted === false && answer.output.length > 0,
      `terminal.execute of an unknown command must answer accepted: false and at least one line, and answered ${show(answer)}`)
  })
}
