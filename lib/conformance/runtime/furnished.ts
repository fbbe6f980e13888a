/** Groups and services that are made ready for a case, and waiting for what happens to them. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { Group } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { show } from '../suite.js'
import { ending } from './ending.js'
import { Scene } from './scene.js'
import type { Stage } from './stage.js'

/** Looks between two pauses, where time passes by itself. */
const QUICK_LOOKS = 8
const QUICK_MS = 2

/** Waits as `until` does, and looks more often where time passes by itself: some states are short. */
export async function soon<T> (stage: Stage, what: string, look: () => Promise<T | false | undefined>): Promise<T> {
  return await stage.until(what, async () => {
    for (let looks = 0; looks < QUICK_LOOKS; looks++) {
      const seen = await look()
      if (seen !== false && seen !== undefined) return seen
      if (stage.subject.pause !== undefined) return false
      await delay(QUICK_MS)
    }
    return false
  })
}

/** A group that has so many services, all ONLINE. */
export async function kept (stage: Stage, minOnlineService: number, maxOnlineService: number): Promise<{ readonly scene: Scene, readonly group: string, readonly services: readonly RuntimeService[] }> {
  const scene = await Scene.of(stage)
  const { name } = stage.group()
  await scene.ask('groups.create', stage.group({ minOnlineService, maxOnlineService }))
  const services = await stage.until(`${minOnlineService} services are ONLINE`, async () => {
    const online = (await stage.services(name)).filter(service => service.state === 'ONLINE' && stage.isPast(service))
    return online.length === minOnlineService && online
  })
  await scene.toldOnline(services.map(service => service.name))
  return { scene, group: name, services }
}

/** So many services of a group without a minimum, all ONLINE. */
export async function several (stage: Stage, count: number): Promise<{ readonly scene: Scene, readonly group: string, readonly names: readonly string[] }> {
  const scene = await Scene.of(stage)
  // By a clock of the runtime's own it would begin at a whole second, as by a clock that has no others.
  await stage.pause()
  return { scene, ...await more(scene, {}, count) }
}

/** Another group of that kind. */
export async function more (scene: Scene, given: Partial<Group>, count: number): Promise<{ readonly group: string, readonly names: readonly string[] }> {
  const { stage } = scene
  const group = stage.group({ maxOnlineService: count, ...given })
  await scene.ask('groups.create', group)
  const names = []
  for (let n = 0; n < count; n++) {
    const started = await scene.ask('services.start', group.name)
    if (typeof started !== 'object') assert.fail(`services.start(${show(group.name)}) must answer { name }, and answered ${show(started)}`)
    names.push(started.name)
  }
  for (const name of names) await stage.becomes(name, 'ONLINE')
  await scene.toldOnline(names)
  return { group: group.name, names }
}

/** Waits until a service that is on its way to another life has got there, or to its STARTING, as far as that can be seen. */
export async function startingAgain (stage: Stage, before: RuntimeService): Promise<void> {
  const { name } = before
  let hasLeft = false
  const hasEnded = ending(stage, before)
  await soon(stage, `${name} is STARTING`, async () => {
    const now = await stage.find(name)
    if (now?.state !== 'ONLINE') hasLeft = true
    return now?.state === 'STARTING' || (now?.state === 'ONLINE' && (hasLeft || hasEnded(now)))
  })
}

/** Lets a service die, and waits until that can be seen. */
export const dies = async (scene: Scene, before: RuntimeService): Promise<void> => {
  await scene.die(before.name)
  const hasEnded = ending(scene.stage, before)
  await soon(scene.stage, `the death of ${before.name} can be seen`, async () => {
    const now = await scene.stage.find(before.name)
    return now?.state !== 'ONLINE' || hasEnded(now)
  })
}
