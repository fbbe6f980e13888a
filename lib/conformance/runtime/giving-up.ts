/** Calls that nobody waits for any more: what was begun is finished or undone, whenever the signal is aborted. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { show } from '../suite.js'
import { Scene } from './scene.js'
import type { RuntimeCases, Stage } from './stage.js'
import { described, type Given, type Verbs } from './verbs.js'

const OLD = 'Conformance-1'
const NEW = 'Conformance-2'

/** When the signal is aborted. */
const moments = ['before the call', 'in the turn of the call', 'a turn later'] as const
type Moment = typeof moments[number]

interface Call<V extends keyof Verbs = keyof Verbs> {
  readonly verb: V
  readonly needs?: 'services' | 'templates'
  given (stage: Stage, group: string): Given<Verbs[V]>
}

const call = <V extends keyof Verbs>(one: Call<V>): Call => one as unknown as Call

/** Everything that is aborted when nobody waits any more; the deletion of a group goes on. */
const calls: readonly Call[] = [
  call({ verb: 'groups.create', given: (stage, group) => [stage.group({ name: `${group}-new`, minOnlineService: 1 })] }),
  call({ verb: 'groups.edit', given: (_, group) => [group, { minOnlineService: 1, percentageToStartNewService: 9 }] }),
  call({ verb: 'services.start', needs: 'services', given: (_, group) => [group] }),
  call({ verb: 'templates.create', needs: 'templates', given: () => [NEW] }),
  call({ verb: 'templates.rename', needs: 'templates', given: () => [OLD, NEW] }),
  call({ verb: 'templates.delete', needs: 'templates', given: () => ['Conformance-3'] })
]

interface Has {
  readonly services: boolean
  readonly templates: boolean
  readonly reopen: boolean
}

/** The contract of what was begun and is given up. */
export const givingUp = (has: Has): RuntimeCases => async add => {
  for (const { verb, given } of calls.filter(({ needs }) => needs === undefined || has[needs])) {
    for (const [moment, reopens] of moments.flatMap(moment => [false, ...has.reopen ? [true] : []].map(reopens => [moment, reopens] as const))) {
      await add(`${verb} is finished or undone when it is given up ${moment}${reopens ? ', after a new start as well' : ''}`, async stage => {
        const scene = await Scene.of(stage)
        for (const template of has.templates ? [OLD, 'Conformance-3'] : []) await scene.ask('templates.create', template)
        const group = stage.group({ templates: [...stage.group().templates, ...has.templates ? [OLD] : []] })
        await scene.ask('groups.create', group)
        const args = given(stage, group.name)
        await giveUp(scene, moment, verb, args)
        // Its services come, and it goes on from there as from any other.
        await scene.settle()
        if (reopens) await scene.reopen()
        await scene.ask(verb, ...args)
        await scene.settle()
        scene.end()
      })
    }
  }
}

/** Calls a verb and gives it up; what is listed afterwards tells whether it was finished or undone. */
async function giveUp (scene: Scene, moment: Moment, verb: keyof Verbs, given: Given<Verbs[keyof Verbs]>): Promise<void> {
  const { stage, oracle } = scene
  const calling = new AbortController()
  if (moment === 'before the call') calling.abort()
  const answered = (async () => await stage.callWith({ signal: calling.signal }, verb, ...given))()
  if (moment === 'a turn later') await turn()
  calling.abort()
  // That it never answers is a failure; that it rejects is none: nobody waits.
  const answer = await stage.settled(answered.catch((error: unknown) => {
    if (error instanceof assert.AssertionError) throw error
    return 'nothing'
  }), described(verb, given))
  scene.calls.push(`${described(verb, given)}, given up ${moment}, answered ${show(answer)}`)
  try {
    await scene.compare('when nothing was done')
    if (answer !== true) return
  } catch (undone) {
    oracle.note(verb, given, true)
    await scene.compare('when all was done').catch((finished: unknown) => {
      throw new assert.AssertionError({ message: `${described(verb, given)}, given up ${moment}, must be finished or undone.\n${String(undone)}\n${String(finished)}` })
    })
    return
  }
  oracle.note(verb, given, true)
  await scene.compare(`since ${scene.calls.at(-1)}`)
}
