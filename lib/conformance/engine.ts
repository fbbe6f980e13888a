/** The suite for engines: which cases there are for what an author gives beside the engine. */
import assert from 'node:assert/strict'
import type { Awaitable } from '../../types/engine.js'
import { ends, starts } from './engine/lives.js'
import { output } from './engine/output.js'
import { reach } from './engine/reach.js'
import { sentences } from './engine/sentences.js'
import { EngineStage } from './engine/stage.js'
import { survival } from './engine/survival.js'
import type { EngineUnderTest } from './engine/under-test.js'
import { absent, cases, look, type TestFunction } from './suite.js'

/** What `engineConformance` takes. */
export interface EngineConformance {
  /** Your runner's: tap's `t.test` and `node:test`'s `test` as they are. */
  readonly test: TestFunction
  /** Makes a new engine of a new cloud; called for every case. */
  create (): Awaitable<EngineUnderTest>
}

const hooks = ['print', 'crash', 'typed', 'deafen', 'stuck', 'remains', 'read', 'write', 'reopen'] as const

/**
 * Adds a test for every sentence of the contract of `Engine` that can be tried; what the author does not give is skipped by
 * name. Resolves when all are added and, where the runner's tests can be awaited, done; rejects, before the first test, when
 * `create` does and when what it answers is no engine or no plan.
 */
export async function engineConformance ({ test, create }: EngineConformance): Promise<void> {
  const has = await look(async () => await create(), subject => {
    const { engine, plan } = subject
    for (const verb of ['find', 'start', 'discard'] as const) assert.ok(typeof engine?.[verb] === 'function', `engine.${verb} must be a function`)
    assert.ok(typeof plan?.command === 'string' && Number.isInteger(plan.port) && Array.isArray(plan.args) && Array.isArray(plan.layers),
      'create() must answer a whole `plan`, of a program that runs until it is stopped')
    return Object.fromEntries(hooks.map(hook => [hook, subject[hook] !== undefined])) as Readonly<Record<typeof hooks[number], boolean>>
  })
  const one = cases(test, async () => await EngineStage.of(await create()), { promises: sentences })
  const add: typeof one = async (title, proof) => await one(title, async stage => {
    await proof(stage)
    stage.check()
  })
  const said = 'the author says'

  await starts(has)(add)
  await ends(has)(add)
  await reach(has)(add)
  if (has.print) await output(has)(add)
  if (has.reopen) await survival(has)(add)
  const lacks: ReadonlyArray<readonly [boolean, string]> = [
    [has.print, 'a life that prints'], [has.crash, 'a life that dies'], [has.typed, 'what a life has read'], [has.deafen, 'a life that does not follow'],
    [has.stuck, 'a stop that fails'], [has.remains, 'what is left on the machine'], [has.read && has.write, 'files'], [has.reopen, 'a core that starts anew']
  ]
  for (const [isThere, what] of lacks) if (!isThere) await absent(test, what, said)
}
