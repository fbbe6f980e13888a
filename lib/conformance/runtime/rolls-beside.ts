/** The cases of restarts of groups beside what else happens: to another group, to services that are STARTING or stopped meanwhile, and to how far it has got. */
import assert from 'node:assert/strict'
import type { RuntimeService } from '../../../types/runtime.js'
import { same, show } from '../suite.js'
import { more, several, soon } from './furnished.js'
import type { Scene } from './scene.js'
import { statesOf, type RuntimeCases, type Stage } from './stage.js'

export const restart = async (stage: Stage, name: string): Promise<void> => {
  await stage.past()
  same(await stage.settled(stage.restarts.restart(name, stage.options), 'groups.restart'), true, `groups.restart(${show(name)}) must answer true`)
}
export const progress = async (stage: Stage, name: string) => await stage.settled(stage.restarts.progressOf(name, stage.options), 'groups.progressOf')

/** A group whose restart is followed, and how its services were before. */
export interface Roll {
  readonly group: string
  readonly before: readonly RuntimeService[]
  /** So much was told of each of them before. */
  readonly told: ReadonlyMap<string, number>
}

export async function rollOf ({ stage, told }: Scene, group: string): Promise<Roll> {
  const before = await stage.services(group)
  return { group, before, told: new Map(before.map(({ name }) => [name, told.get(name)?.length ?? 0])) }
}

/** Whether two looks have seen the same life, as far as its beginning tells; a clock of whole seconds may have stood still. */
export const isSameLife = (one: RuntimeService, other: RuntimeService): boolean =>
  one.startedAt !== undefined && one.startedAt === other.startedAt && one.startedAt % 1_000 !== 0 && one.lastExit?.at === other.lastExit?.at

/** Whether two looks may have seen the same life: nothing that they tell speaks against it. */
export const mayBeSameLife = (one: RuntimeService, other: RuntimeService): boolean =>
  (one.startedAt === undefined || other.startedAt === undefined || one.startedAt === other.startedAt) && one.lastExit?.at === other.lastExit?.at

/** Whether the restart of a full group is over; fails where it is told to be, and a service has not come back from it. */
async function isOver (stage: Stage, { group, before }: Roll): Promise<boolean> {
  if (await progress(stage, group) !== undefined) return false
  const now = await stage.services(group)
  const left = before.find(one => now.some(other => other.name === one.name && (other.state === 'STOPPING' || isSameLife(one, other))))
  assert.ok(left === undefined, `groups.progressOf(${show(group)}) answered undefined, and ${left?.name ?? ''} is still ${now.find(({ name }) => name === left?.name)?.state ?? ''} in the life that was to end; ${statesOf(now)}`)
  return true
}

/** Waits until the restarts are over, and sees that every service has begun another life, as far as that can be seen. */
export async function over (scene: Scene, ...rolls: readonly Roll[]): Promise<void> {
  const { stage } = scene
  for (const roll of rolls) await soon(stage, `the restart of ${roll.group} is over`, async () => await isOver(stage, roll))
  for (const { group, before, told } of rolls) {
    await stage.until(`every service of ${group} is ONLINE in another life`, async () => {
      const now = await stage.services(group)
      return before.every(one => {
        const there = now.find(({ name }) => name === one.name)
        if (there?.state !== 'ONLINE') return false
        const isUntold = one.startedAt === undefined && there.lastExit === undefined && stage.runtime.states === undefined
        return isUntold || there.startedAt !== one.startedAt || there.lastExit?.at !== one.lastExit?.at ||
          (scene.told.get(one.name) ?? []).slice(told.get(one.name)).some(({ state }) => state === 'ONLINE')
      })
    })
  }
  await scene.settle()
  scene.end()
}

/** Waits until a restart is over, and sees that none of these services is in the life that was to end. */
export async function areRestarted ({ stage, told }: Scene, { group, before, told: from }: Roll): Promise<void> {
  await soon(stage, `the restart of ${group} is over`, async () => await progress(stage, group) === undefined)
  const now = await stage.services(group)
  // By a clock of whole seconds two lives may have begun at once; then nothing was told of an end between them.
  const isUntold = (one: RuntimeService, there: RuntimeService): boolean =>
    stage.runtime.states !== undefined && stage.subject.pause !== undefined && one.startedAt !== undefined && one.startedAt === there.startedAt && told.get(one.name)?.length === from.get(one.name)
  for (const one of before) {
    const there = now.find(({ name }) => name === one.name)
    assert.ok(there === undefined || there.state !== 'ONLINE' || !(isSameLife(one, there) || isUntold(one, there)), `the restart of ${group} is over, and ${one.name} is still ONLINE in the life that was to end; ${statesOf(now)}`)
  }
}

/** What happens to another group meanwhile. */
const besides: ReadonlyArray<readonly [what: string, run: (scene: Scene, group: string, names: readonly string[]) => Promise<unknown>]> = [
  ['is edited', async (scene, group) => await scene.ask('groups.edit', group, { percentageToStartNewService: 9 })],
  ['is made', async (scene, group) => await scene.ask('groups.create', scene.stage.group({ name: `${group}-new` }))],
  ['is deleted', async (scene, group) => await scene.ask('groups.delete', group)],
  ['has its services restarted and stopped', async (scene, _, names) => {
    await scene.ask('services.restart', names[0]!)
    await scene.ask('services.stop', names[1]!)
  }]
]

/** The contract of `GroupRestarts` beside other things. */
export const rollsBeside: RuntimeCases = async add => {
  await add('groups.restart of two groups at once restarts every service of both', async stage => {
    const { scene, group } = await several(stage, 2)
    const other = await more(scene, { name: `other-${group}` }, 2)
    const rolls = [await rollOf(scene, group), await rollOf(scene, other.group)]
    for (const one of rolls) await restart(stage, one.group)
    await over(scene, ...rolls)
  })

  for (const [what, run] of besides) {
    await add(`groups.restart goes on where another group ${what}, and groups.progressOf tells so`, async stage => {
      const { scene, group } = await several(stage, 2)
      const other = await more(scene, { name: `other-${group}` }, 2)
      const roll = await rollOf(scene, group)
      await restart(stage, group)
      await run(scene, other.group, other.names)
      await over(scene, roll)
    })
  }

  await add('groups.progressOf tells of a restart until every service is ONLINE in its next life', async stage => {
    const { scene, group } = await several(stage, 3)
    const roll = await rollOf(scene, group)
    await restart(stage, group)
    await over(scene, roll)
  })

  await add('groups.restart restarts every service of the group, one that is STARTING among them', async stage => {
    const { scene, group, names } = await several(stage, 2)
    const [first, second] = names as [string, string]
    await scene.ask('services.stop', second)
    const old = await stage.becomes(second, 'OFFLINE')
    await stage.pause()
    await scene.ask('services.start', second)
    const life = (await stage.find(second))!
    await scene.ask('groups.edit', group, { minMemory: 97, maxMemory: 161 })
    await restart(stage, group)
    const online = async (): Promise<readonly RuntimeService[] | false> => {
      const now = await stage.services(group)
      return await progress(stage, group) === undefined && now.length === 2 && now.every(({ state }) => state === 'ONLINE') && now
    }
    const now = await soon(stage, `the restart of ${group} is over`, online)
    for (const name of [first, second]) {
      const { minMemory, maxMemory } = now.find(one => one.name === name)!
      same({ minMemory, maxMemory }, { minMemory: 97, maxMemory: 161 }, `${name} must have been started anew by the restart of its group, with the memory that the group was given before`)
    }
    // What is STARTING may not have begun yet: then the life that begins is the one that was asked for.
    const hasBegun = life.startedAt !== undefined && life.startedAt !== old.startedAt
    assert.ok(!hasBegun || !isSameLife(life, now.find(({ name }) => name === second)!), `${second} was ${life.state} when groups.restart(${show(group)}) was called, and its life has gone on`)
    await scene.settle()
    scene.end()
  })

  for (const [which, isBefore] of [['', () => true], [', and before that of another', (name: string, names: readonly string[]) => name !== names.at(-1)]] as const) {
    await add(`groups.restart leaves a service that is stopped before its turn${which} as it is`, async stage => {
      const { scene, group, names } = await several(stage, 3)
      await restart(stage, group)
      const there = await stage.services(group)
      const last = there.findLast(({ name, state }) => names.includes(name) && state === 'ONLINE' && isBefore(name, names))?.name ?? names[1]!
      await scene.ask('services.stop', last)
      const begun = new Set<string>()
      await soon(stage, `the restart of ${group} is over`, async () => {
        // Where the one that was stopped has left room, a successor comes first.
        for (const { name, state } of await stage.services(group)) if (name !== last && state !== 'ONLINE') begun.add(name)
        const now = await progress(stage, group)
        if (now === undefined) return true
        same(now.total, 3, `${last} counts as done: of all services, which were 3, ${show(now)} tells`)
        // Whichever end it begins at, the one in the middle has had its turn before the last.
        assert.ok(last !== names[1] || begun.size < 2 || now.done >= 2, `${last} was stopped before its turn, and counts as done: both others have begun, and ${show(now)} is told`)
        return false
      })
      // Of the others each, or a successor of another name, is there: an old one may stay listed. This one stays as it is.
      for (const name of names) if (name !== last) scene.oracle.wishes.delete(name)
      await scene.settle()
      await stage.pause()
      same((await stage.find(last))?.state, 'OFFLINE', `${last} was stopped while its group was restarted, and must stay OFFLINE`)
      scene.end()
    })
  }

  await add('groups.restart goes on when whoever asked for it does not wait any more, and groups.progressOf tells so', async stage => {
    const { scene, group } = await several(stage, 2)
    const roll = await rollOf(scene, group)
    const asking = new AbortController()
    same(await stage.settled(stage.restarts.restart(group, { signal: asking.signal }), 'groups.restart'), true, `groups.restart(${show(group)}) must answer true`)
    asking.abort()
    await over(scene, roll)
  })
}
