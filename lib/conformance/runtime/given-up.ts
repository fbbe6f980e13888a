/** The cases of calls with a signal that is aborted already, or at once: of a service, of a group, and of what is only asked. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { CallOptions, MaybePromise } from '../../../types/runtime.js'
import { byValue, same, show } from '../suite.js'
import { several, soon } from './furnished.js'
import { areRestarted, progress, rollOf } from './rolls-beside.js'
import { statesOf, type RuntimeCases, type Stage } from './stage.js'

interface Has {
  readonly force: boolean
  readonly restarts: boolean
  readonly services: boolean
  readonly groups: boolean
}

/** When the signal is aborted. */
const moments = ['before the call', 'in the turn of the call', 'a turn later'] as const

/** Calls something and gives it up; that it rejects is no answer, that it never answers a failure. */
async function giveUp<T> (stage: Stage, moment: typeof moments[number], call: (options: CallOptions) => MaybePromise<T>): Promise<T | undefined> {
  const calling = new AbortController()
  if (moment === 'before the call') calling.abort()
  const answered = (async () => await call({ signal: calling.signal }))()
  // Awaited below; a failure until then must not count as one that nobody hears of.
  answered.catch(() => {})
  if (moment === 'a turn later') await turn()
  calling.abort()
  return await stage.settled(answered.catch((error: unknown) => {
    if (error instanceof assert.AssertionError) throw error
    return undefined
  }), `a call that is given up ${moment}`)
}

/** A verb, and the state in which a service stays when it is done. */
const verbs = [['services.stop', 'OFFLINE'], ['services.restart', 'ONLINE'], ['services.kill', 'OFFLINE']] as const

async function settled (stage: Stage, name: string): Promise<string> {
  let [last, stays] = ['', 0]
  return await stage.until(`${name} stays as it is`, async () => {
    const { state, startedAt, lastExit } = (await stage.find(name))!
    const now = `${state} ${startedAt} ${lastExit?.at}`
    stays = now === last && (state === 'ONLINE' || state === 'OFFLINE') ? stays + 1 : 0
    last = now
    return stays > 5 && state
  })
}

const ofServices = (has: Has): RuntimeCases => async add => {
  for (const [verb, state] of verbs) {
    if (verb === 'services.kill' && !has.force) continue
    await add(`${verb} is finished or undone when it is given up, with a signal that is aborted already as well`, async stage => {
      const { scene, names } = await several(stage, moments.length)
      for (const [n, moment] of moments.entries()) {
        const name = names[n]!
        const before = (await stage.find(name))!
        const from = scene.told.get(name)?.length ?? 0
        await stage.pause()
        const answer = await giveUp(stage, moment, async options => await stage.callWith(options, verb, name))
        assert.ok(answer === undefined || answer === true, `${verb}(${show(name)}), given up ${moment}, answered ${show(answer)}: the service is there`)
        // What is accepted may take a moment to begin.
        if (answer === true) await stage.becomes(name, state)
        const now = await settled(stage, name)
        if (answer === true || verb === 'services.restart') same(now, state, `${verb}(${show(name)}), given up ${moment}, ${answer === true ? 'answered true' : 'did not answer'}, and ${name} must be ${state}`)
        const { startedAt, lastExit } = (await stage.find(name))!
        const isTold = stage.runtime.states !== undefined && (startedAt === undefined || before.startedAt! % 1_000 !== 0)
        if (answer === true && verb === 'services.restart' && isTold) {
          assert.ok(startedAt !== before.startedAt || lastExit?.at !== before.lastExit?.at || (scene.told.get(name)?.length ?? 0) > from, `${verb}(${show(name)}), given up ${moment}, answered true, and ${name} is in the life that was to end`)
        }
        scene.oracle.wishes.set(name, now === 'ONLINE' ? 'running' : 'stopped')
      }
      await scene.settle()
      scene.end()
    })
  }

  await add('services.start is finished or undone when it is given up, with a signal that is aborted already as well: who is named is there', async stage => {
    const { name } = await stage.withGroup({ maxOnlineService: moments.length })
    for (const moment of moments) {
      const answer = await giveUp(stage, moment, async options => await stage.callWith(options, 'services.start', name))
      if (typeof answer !== 'object') continue
      assert.ok(await stage.find(answer.name), `services.start(${show(name)}), given up ${moment}, answered ${show(answer)}; ${statesOf(await stage.services())}`)
      await stage.becomes(answer.name, 'ONLINE')
    }
  })
}

const ofGroups: RuntimeCases = async add => {
  await add('groups.restart restarts every service of the group, or none, with a signal that is aborted already', async stage => {
    const { scene, group } = await several(stage, 2)
    const roll = await rollOf(scene, group)
    await stage.pause()
    const answer = await giveUp(stage, 'before the call', async options => await stage.restarts.restart(group, options))
    if (answer === true) await areRestarted(scene, roll)
    else await soon(stage, `no restart of ${group} is under way`, async () => await progress(stage, group) === undefined)
    await scene.settle()
    scene.end()
  })
}

/** Of a list its names: what is used, and how much, goes on. */
const namesIn = (answer: unknown): unknown => Array.isArray(answer) ? answer.map(item => (item as { readonly name?: unknown } | undefined)?.name ?? item).sort() : answer

/** What can be asked, and changes nothing. */
const questions: ReadonlyArray<readonly [what: string, ask: (stage: Stage, options: CallOptions) => MaybePromise<unknown> | undefined]> = [
  ...(['services', 'groups', 'platforms', 'players', 'templates'] as const).map(list => [`${list}.list`, (stage: Stage, options: CallOptions) => stage.runtime[list]?.list(options)] as const),
  ['groups.reasons.of', async (stage, options) => typeof await stage.runtime.groups.reasons?.of((await stage.groups())[0]?.name ?? '', options) === 'number'],
  ['groups.damage.of', async (stage, options) => await stage.runtime.groups.damage?.of((await stage.groups())[0]?.name ?? '', options)],
  ['groups.restarts.progressOf', async (stage, options) => await stage.runtime.groups.restarts?.progressOf((await stage.groups())[0]?.name ?? '', options)],
  ['groups.properties.check', (stage, options) => stage.runtime.groups.properties?.check(stage.subject.group?.properties ?? {}, options)],
  ['metrics.sample', async (stage, options) => Object.keys(await stage.runtime.metrics.sample(options))]
]

const ofQuestions: RuntimeCases = async add => {
  await add('every list, metrics.sample and what is told of groups answer as ever to whoever asks next, where one asked with a signal that is aborted already', async stage => {
    await stage.online()
    if (stage.runtime.templates !== undefined) await stage.says(true, 'templates.create', 'Conformance-1')
    const player = stage.subject.join === undefined ? undefined : await stage.join((await stage.services()).find(({ state }) => state === 'ONLINE')!.name)
    const listed = async (): Promise<number> => (await stage.settled(stage.runtime.players.list(stage.options), 'players.list')).length
    if (player !== undefined) await stage.until('the player is listed', async () => await listed() > 0)
    for (const [what, ask] of questions) {
      const asked = async (): Promise<unknown> => namesIn(byValue(await stage.settled(Promise.resolve(ask(stage, stage.options)), what)))
      const before = await asked()
      await giveUp(stage, 'before the call', async options => await ask(stage, options))
      same(await asked(), before, `${what}, after a call with a signal that was aborted already`)
    }
    await player?.leave()
  })
}

/** The contract of calls whose signal is aborted already. */
export const givenUp = (has: Has): RuntimeCases => async add => {
  await ofQuestions(add)
  if (!has.groups || !has.services) return
  await ofServices(has)(add)
  if (has.restarts) await ofGroups(add)
}
