/** The cases of `groups.restarts`: a whole group comes back, and somebody is there all the time. */
import assert from 'node:assert/strict'
import type { Group } from '../../../types/resources.js'
import type { RestartProgress, RuntimeService, StateChange } from '../../../types/runtime.js'
import { same, show } from '../suite.js'
import { soon } from './furnished.js'
import { isPromise } from './observer.js'
import { statesOf, type RuntimeCases, type Stage } from './stage.js'

/** The contract of `GroupRestarts`, where groups can be made and services started. */
export const groupRestarts: RuntimeCases = async add => {
  await add('groups.restart restarts every service of the group, one after the other, where it has its maximum', async stage => {
    const { group, services, told } = await running(stage, 2, 2)
    await begin(stage, group.name)
    await over(stage, group.name, now => {
      const away = services.filter(({ name }) => now.find(one => one.name === name)?.state !== 'ONLINE')
      assert.ok(away.length < services.length, `one service of ${group.name} must stay ONLINE while the other is restarted; ${statesOf(now)}`)
    })
    const now = await stage.services(group.name)
    same(now.map(({ name, state }) => [name, state]), services.map(({ name }) => [name, 'ONLINE']), `the services of ${group.name} must be back under their names`)
    const moved = await told()
    if (moved !== undefined) for (const before of services) beganOnce(before, now, moved)
  })

  await add('groups.restart brings the successor first, where the maximum allows one more', async stage => {
    const { group, services: [old], told } = await running(stage, 1, 2)
    await begin(stage, group.name)
    await over(stage, group.name, now => {
      assert.ok(now.some(({ state }) => state === 'ONLINE'), `the old service may only end when its successor is ONLINE; ${statesOf(now)}`)
    })
    const now = await stage.services(group.name)
    const left = now.filter(({ state }) => state !== 'OFFLINE')
    assert.ok(left.length === 1 && left[0]!.state === 'ONLINE', `one service must be there in the place of ${old!.name}; ${statesOf(now)}`)
    const moved = await told()
    if (moved !== undefined) assert.ok(moved.some(change => change.endsWith(' ONLINE')), `a life must have begun; states.watch told ${show(moved)}`)
  })

  await add('groups.restart answers at once, and not when the services are done', async stage => {
    const { group } = await running(stage, 2, 2)
    const call = { isAnswered: false }
    const answer = (async () => await stage.restarts.restart(group.name, stage.options))().finally(() => { call.isAnswered = true })
    // Awaited below; a failure there must not count as one that nobody hears of.
    answer.catch(() => {})
    await stage.until('groups.restart answers', async () => {
      const now = await progress(stage, group.name)
      assert.ok(call.isAnswered || (now?.done ?? 0) === 0, `groups.restart must answer at once; it has not, and groups.progressOf answers ${show(now)}`)
      return call.isAnswered
    })
    same(await answer, true, 'groups.restart must answer true')
  })

  await add('groups.restart answers false for a group that does not exist, or is being deleted', async stage => {
    const { group } = await running(stage, 1, 2)
    for (const name of ['no-such-group', '', '__proto__']) {
      same(await restart(stage, name), false, `groups.restart(${show(name)}) must answer false`)
      same(await progress(stage, name), undefined, `groups.progressOf(${show(name)}) must answer undefined`)
    }
    const deleting = (async () => await stage.groupControl.delete(group.name, stage.options))()
    // Awaited below; a failure there must not count as one that nobody hears of.
    deleting.catch(() => {})
    same(await restart(stage, group.name), false, 'groups.restart must answer false from the first moment of the deletion')
    same(await stage.settled(deleting, 'groups.delete'), true, 'groups.delete must answer true')
  })

  await add('groups.progressOf counts the services that are done, of all', async stage => {
    const { group } = await running(stage, 2, 2)
    same(await progress(stage, group.name), undefined, 'groups.progressOf must answer undefined before a restart')
    await begin(stage, group.name)
    let last: RestartProgress = { done: 0, total: 2 }
    let looks = 0
    await stage.until(`the restart of ${group.name} is over`, async () => {
      const now = await progress(stage, group.name)
      if (now === undefined) return true
      looks++
      same(now.total, 2, `of all services, which are 2, ${show(now)} tells`)
      assert.ok(Number.isInteger(now.done) && now.done >= last.done && now.done <= 2, `done must count up to 2; after ${show(last)} came ${show(now)}`)
      last = now
    })
    // Who is quick is seen at few looks; at many of them one of two is done.
    assert.ok(last.done > 0 || looks < 6, `done must count the services that are done while others are not yet; it stayed ${show(last)}`)
  })

  await add('groups.restart: a second one joins the first', async stage => {
    const { group, services, told } = await running(stage, 2, 2)
    // In one turn: where time passes until an answer, the first may be over by then.
    same(await Promise.all([1, 2].map(async () => await restart(stage, group.name))), [true, true], 'groups.restart must answer true, twice')
    let isOne = await progress(stage, group.name) !== undefined
    // One that comes half-way joins as well; that it is half-way is known where nothing passes between the look and the call.
    await stage.until('one of the services is done', async () => ((await progress(stage, group.name))?.done ?? 1) > 0)
    const halfway = stage.restarts.progressOf(group.name, stage.options)
    if (!isPromise(halfway) && halfway !== undefined) {
      const answer = stage.restarts.restart(group.name, stage.options)
      if (isPromise(answer)) isOne = false
      same(await stage.settled(answer, 'groups.restart'), true, 'groups.restart must answer true half-way')
    }
    await over(stage, group.name)
    const moved = await told()
    const now = await stage.services(group.name)
    if (moved !== undefined && isOne) for (const before of services) beganOnce(before, now, moved)
  })

  await add('groups.restart ends with an edit of the group, and with its deletion', async stage => {
    const { group, services } = await running(stage, 2, 2)
    await begin(stage, group.name)
    await stage.call('groups.edit', group.name, { percentageToStartNewService: 9 })
    same(await progress(stage, group.name), undefined, 'groups.progressOf must answer undefined after groups.edit')
    await stage.until('what is left runs on', async () => (await stage.services(group.name)).filter(({ state }) => state === 'ONLINE').length === services.length)
    await begin(stage, group.name)
    const deleting = (async () => await stage.groupControl.delete(group.name, stage.options))()
    // Awaited below; a failure there must not count as one that nobody hears of.
    deleting.catch(() => {})
    // With that answer the deletion has begun.
    await stage.says(false, 'services.start', group.name)
    same(await progress(stage, group.name), undefined, 'groups.progressOf must answer undefined from the first moment of groups.delete')
    same(await stage.settled(deleting, 'groups.delete'), true, 'groups.delete must answer true')
    same(await progress(stage, group.name), undefined, 'groups.progressOf must answer undefined after groups.delete')
    same(await stage.services(group.name), [], 'services.list must have no service of the group')
  })
}

type Telling = () => Promise<readonly string[] | undefined>

/** A group of that maximum, and so many services of it that are ONLINE; `told` answers what is told from then on. */
async function running (stage: Stage, count: number, maxOnlineService: number): Promise<{ readonly group: Group, readonly services: readonly RuntimeService[], readonly told: Telling }> {
  const watching = new AbortController()
  const changes: StateChange[] = []
  stage.runtime.states?.watch(change => { changes.push(change) }, watching)
  // What is listed may be told a moment later.
  const isTold = ({ name, state }: RuntimeService): boolean => changes.findLast(({ serviceName }) => serviceName === name)?.state === state
  const group = await stage.withGroup({ maxOnlineService })
  const services: RuntimeService[] = []
  for (let n = 0; n < count; n++) services.push(await stage.online())
  if (stage.runtime.states !== undefined) await stage.until('states.watch has told that they are ONLINE', () => services.every(isTold))
  const from = changes.length
  const told = async (): Promise<readonly string[] | undefined> => {
    if (stage.runtime.states === undefined) return undefined
    const isKnown = (one: RuntimeService): boolean => changes.every(({ serviceName }) => serviceName !== one.name) || isTold(one)
    for (let looks = 0; looks < LATE && (looks === 0 || !(await stage.services()).every(isKnown)); looks++) await stage.pause()
    watching.abort()
    return changes.slice(from).map(({ serviceName, state }) => `${serviceName} ${state}`)
  }
  return { group, services, told }
}

const restart = async (stage: Stage, name: string) => await stage.settled(stage.restarts.restart(name, stage.options), 'groups.restart')
const progress = async (stage: Stage, name: string) => await stage.settled(stage.restarts.progressOf(name, stage.options), 'groups.progressOf')

async function begin (stage: Stage, name: string): Promise<void> {
  same(await restart(stage, name), true, `groups.restart(${show(name)}) must answer true`)
}

/** Waits until a restart is over and the group at rest, and shows all services of it at every look. */
async function over (stage: Stage, name: string, see: (services: readonly RuntimeService[]) => void = () => {}): Promise<void> {
  await soon(stage, `the restart of ${name} is over`, async () => {
    const services = await stage.services(name)
    see(services)
    return await progress(stage, name) === undefined && services.every(({ state }) => state === 'ONLINE' || state === 'OFFLINE')
  })
}

/** Fails where a service has not begun one life; where it was listed as ONLINE all the time there was no other state to tell. */
function beganOnce ({ name, startedAt }: RuntimeService, now: readonly RuntimeService[], moved: readonly string[]): void {
  const lives = moved.filter(change => change === `${name} ONLINE`).length
  const isSwapped = moved.every(change => !change.startsWith(`${name} `)) && now.find(one => one.name === name)?.startedAt !== startedAt
  assert.ok(lives === 1 || isSwapped, `${name} must be started anew once; states.watch told ${show(moved)}`)
  const starts = moved.filter(change => change === `${name} STARTING`).length
  assert.ok(starts < 2, `${name} must be started anew once, and has begun ${starts} times; states.watch told ${show(moved)}`)
}

/** Pauses in which what is listed has to be told, where it is looked at what was told. */
const LATE = 50
