/** The cases of `groups.restarts` with more services than two, with players on them, and with names that are no group's. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Player } from '../../../types/resources.js'
import type { RestartProgress, RuntimeService } from '../../../types/runtime.js'
import { same, show } from '../suite.js'
import { several, soon } from './furnished.js'
import { isSameLife, mayBeSameLife } from './rolls-beside.js'
import { statesOf, type RuntimeCases, type Stage } from './stage.js'

const restart = async (stage: Stage, name: string) => await stage.settled(stage.restarts.restart(name, stage.options), 'groups.restart')
const progress = async (stage: Stage, name: string) => await stage.settled(stage.restarts.progressOf(name, stage.options), 'groups.progressOf')

/** Follows a restart at many looks: the services first, then how far it has got, which may be further by then. */
export async function followed (stage: Stage, group: string, see: (services: readonly RuntimeService[], now: RestartProgress, after: readonly RuntimeService[]) => void): Promise<void> {
  await soon(stage, `the restart of ${group} is over`, async () => {
    const services = await stage.services(group)
    const now = await progress(stage, group)
    if (now === undefined) return true
    see(services, now, await stage.services(group))
    return false
  })
}

/**
 * Fails where more is told as done than there is: a service is done when it, or one in its place, is ONLINE in another life.
 * Looked at after the progress, since a service may have come back in between.
 */
export function isDone (old: readonly RuntimeService[], after: readonly RuntimeService[], { done }: RestartProgress): void {
  const online = after.filter(({ state }) => state === 'ONLINE')
  const most = online.filter(one => !isOfBefore(old, one)).length
  assert.ok(done <= most, `only what is done counts: ${most} services are ONLINE in another life than before, and groups.progressOf answered that ${done} are done; ${statesOf(after)}`)
}

/** Whether it is surely one of those, in that of its lives. */
export const isOfBefore = (old: readonly RuntimeService[], one: RuntimeService): boolean => old.some(other => other.name === one.name && isSameLife(other, one))

/** Whether it is surely none of those, or in another life. */
export const isAnew = (old: readonly RuntimeService[], one: RuntimeService): boolean => !old.some(other => other.name === one.name && mayBeSameLife(other, one))

const isAway = ({ state }: RuntimeService): boolean => state === 'STOPPING' || state === 'STARTING' || state === 'OFFLINE'

/** The contract of `GroupRestarts`, beyond two services. */
export const groupRolls: RuntimeCases = async add => {
  await add('groups.restart of three services has one away at a time, and groups.progressOf counts those that are back', async stage => {
    const { scene, group, names } = await several(stage, 3)
    const old = await stage.services(group)
    same(await restart(stage, group), true, `groups.restart(${show(group)}) must answer true`)
    const begun = new Set<string>()
    await followed(stage, group, (services, now, after) => {
      isDone(old, after, now)
      const away = services.filter(one => names.includes(one.name) && isAway(one))
      assert.ok(away.length <= 1, `the services of ${group} must be restarted one after the other; ${statesOf(services)}`)
      for (const { name } of away) begun.add(name)
      same(now.total, 3, `of all services, which are 3, ${show(now)} tells`)
      assert.ok(now.done >= begun.size - 1, `${show([...begun])} have been away one after the other, so that all but the last of them are done; groups.progressOf answers ${show(now)}`)
      assert.ok(now.done <= 3, `no more can be done than there are; groups.progressOf answers ${show(now)}`)
    })
    await stage.until('all are ONLINE again', async () => (await stage.services(group)).filter(({ state }) => state === 'ONLINE').length === 3)
    scene.end()
  })

  await add('groups.restart of two services has both or their successors ONLINE all the time, and groups.progressOf counts two, where the maximum allows more', async stage => {
    const { scene, group } = await several(stage, 2)
    await scene.ask('groups.edit', group, { maxOnlineService: 5 })
    const old = await stage.services(group)
    same(await restart(stage, group), true, `groups.restart(${show(group)}) must answer true`)
    await followed(stage, group, (services, now, after) => {
      isDone(old, after, now)
      const online = services.filter(({ state }) => state === 'ONLINE')
      assert.ok(online.length >= 2, `the old service may only end when its successor is ONLINE; ${statesOf(services)}`)
      same(now.total, 2, `of all services, which are 2, ${show(now)} tells`)
      assert.ok(now.done <= 2, `no more can be done than there are; groups.progressOf answers ${show(now)}`)
    })
    scene.end()
  })

  await add('groups.restart and progressOf look a name up exactly', async stage => {
    const { scene, group, names } = await several(stage, 2)
    const others = [group.toUpperCase(), group.toLowerCase(), `${group} `, ` ${group}`, group.slice(0, -1), `${group}-`, `${group}\0`, `${group}\u00ad`, names[0]!, '*', '', 'constructor', 'toString', '__proto__'].filter(name => name !== group)
    for (const name of others) same(await restart(stage, name), false, `groups.restart(${show(name)}) must answer false`)
    same(await progress(stage, group), undefined, `nobody has asked for a restart of ${group}`)
    same(await restart(stage, group), true, `groups.restart(${show(group)}) must answer true`)
    for (const name of others) same(await progress(stage, name), undefined, `groups.progressOf(${show(name)}) must answer undefined`)
    await followed(stage, group, () => {})
    scene.end()
  })
}

/** So long players have in any case, in looks and in milliseconds; what is longer is not judged. */
const [LOOKS, LOOK_MS, MOST_MS] = [20, 2, 10]

/** The same with players, where the author can have some. */
export const groupDrains: RuntimeCases = async add => {
  await add('groups.restart gives the players of a service time to leave before it ends', async stage => {
    const { scene, group, names } = await several(stage, 2)
    const list = async (): Promise<readonly Player[]> => await stage.settled(stage.runtime.players.list(stage.options), 'players.list')
    const joined = []
    for (const name of names) {
      joined.push(await stage.join(name))
      await stage.until(`the player who joined ${name} is listed`, async () => (await list()).some(({ currentServiceName }) => currentServiceName === name))
    }
    const began = performance.now()
    same(await restart(stage, group), true, `groups.restart(${show(group)}) must answer true`)
    // No time has passed since the answer: whoever is still listed had none.
    const services = await stage.services(group)
    const players = await list()
    if (stage.isPlain) {
      const ended = services.find(one => isAway(one) && players.some(({ currentServiceName }) => currentServiceName === one.name))
      assert.ok(ended === undefined, `${ended?.name ?? ''} has players, and was ended by the time that groups.restart had answered; ${statesOf(services)}`)
      const left = players.map(({ currentServiceName }) => currentServiceName).filter(one => names.includes(one))
      same([...new Set(left)].sort(), [...names].sort(), 'the players must have time to leave')
    }
    for (let looks = 0; stage.isPlain && looks < LOOKS; looks++) {
      if (stage.subject.pause === undefined) await delay(LOOK_MS)
      const ended = (await stage.services(group)).find(one => isAway(one) && names.includes(one.name))
      // Where this process could not run, their time may be over.
      if (performance.now() - began > MOST_MS) break
      assert.ok(ended === undefined, `${ended?.name ?? ''} has players, and was ended in ${Math.ceil(performance.now() - began)} ms: they must have time to leave`)
    }
    for (const player of joined) await player.leave()
    await stage.until('the players have left', async () => (await list()).every(({ currentServiceName }) => !names.includes(currentServiceName)))
    await followed(stage, group, () => {})
    scene.end()
  })
}
