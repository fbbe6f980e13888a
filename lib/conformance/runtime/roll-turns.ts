/** The cases of restarts of groups at the turn of one service: what it is like then, and how long its players have. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { same, show } from '../suite.js'
import { several, soon } from './furnished.js'
import { areRestarted, progress, restart, rollOf } from './rolls-beside.js'
import { statesOf, type RuntimeCases } from './stage.js'

interface Has {
  readonly crash: boolean
  readonly join: boolean
  readonly states: boolean
  readonly templates: boolean
}

/** How long it is waited for the end of somebody's time, and the most that is asked of the time of the next; milliseconds. */
const [MOST_MS, LEAST_MS, LOOK_MS] = [1_500, 30, 2]
/** A part of the time that the first one's players had. */
const PART = 3

/** The contract of `GroupRestarts`, at the turn of a service. */
export const rollTurns = (has: Has): RuntimeCases => async add => {
  await add('groups.restart restarts a service that is STARTING, where it is the only one', async stage => {
    const { scene, group, names: [name] } = await several(stage, 1)
    await scene.ask('services.stop', name!)
    const old = await stage.becomes(name!, 'OFFLINE')
    await stage.pause()
    await scene.ask('services.start', name!)
    const life = (await stage.find(name!))!
    await scene.ask('groups.edit', group, { minMemory: 97, maxMemory: 161 })
    await restart(stage, group)
    await soon(stage, `the restart of ${group} is over`, async () => await progress(stage, group) === undefined)
    const now = await stage.becomes(name!, 'ONLINE')
    same([now.minMemory, now.maxMemory], [97, 161], `${name!} must have been started anew by the restart of its group, with the memory that the group was given before`)
    const hasBegun = life.startedAt !== undefined && life.startedAt !== old.startedAt && life.startedAt % 1_000 !== 0
    assert.ok(!hasBegun || now.startedAt !== life.startedAt || now.lastExit?.at !== life.lastExit?.at, `${name!} was ${life.state} when groups.restart(${show(group)}) was called, and its life has gone on`)
    await scene.settle()
    scene.end()
  })

  await add('groups.restart restarts nothing of another group, the name of which begins as that of the group', async stage => {
    const { scene, group } = await several(stage, 2)
    const other = stage.group({ name: `${group}2` })
    await scene.ask('groups.create', other)
    const started = await scene.ask('services.start', other.name)
    assert.ok(typeof started === 'object', `services.start(${show(other.name)}) must answer { name }`)
    const before = await stage.becomes(started.name, 'ONLINE')
    await scene.toldOnline([started.name])
    const told = scene.told.get(started.name)?.length
    const roll = await rollOf(scene, group)
    await restart(stage, group)
    same((await progress(stage, group))?.total ?? 2, 2, `${group} has two services, and so many are restarted`)
    await areRestarted(scene, roll)
    const now = (await stage.find(started.name))!
    same([now.state, now.startedAt, now.lastExit?.at], [before.state, before.startedAt, before.lastExit?.at], `nothing was asked of ${started.name}, which is of another group`)
    same(scene.told.get(started.name)?.length, told, `nothing was asked of ${started.name}, and states.watch told ${show(scene.told.get(started.name))}`)
    scene.end()
  })

  if (has.templates) {
    await add('groups.restart goes on where one of the templates of the group gets another name', async stage => {
      const { scene, group } = await several(stage, 3)
      await scene.ask('templates.create', 'Conformance-1')
      await scene.ask('groups.edit', group, { templates: [...stage.group().templates, 'Conformance-1'] })
      const roll = await rollOf(scene, group)
      await restart(stage, group)
      await scene.ask('templates.rename', 'Conformance-1', 'Conformance-2')
      await areRestarted(scene, roll)
      scene.end()
    })
  }

  await add('groups.delete after groups.restart: no service is left, those that came for others neither', async stage => {
    const { scene, group } = await several(stage, 2)
    await scene.ask('groups.edit', group, { maxOnlineService: 4 })
    const roll = await rollOf(scene, group)
    await restart(stage, group)
    await areRestarted(scene, roll)
    await scene.ask('groups.delete', group)
    for (let looks = 0; looks < 5; looks++) {
      await stage.pause()
      same(await stage.services(group), [], `${group} was deleted, and none of its services is listed any more`)
    }
    scene.end()
  })

  if (has.crash && has.states) {
    await add('groups.restart restarts every service of the group, where the next one dies in the moment in which another is back', async stage => {
      const { scene, group, names } = await several(stage, 3)
      const roll = await rollOf(scene, group)
      const watching = new AbortController()
      let victim: string | undefined
      stage.runtime.states?.watch(({ serviceName, state }) => {
        if (victim !== undefined || state !== 'ONLINE' || !names.includes(serviceName)) return
        // The one in the middle comes next, whichever end it begins at.
        victim = names[1]!
        // In this very turn; where it has ended already, there is nothing to die.
        if (victim !== serviceName) (async () => await stage.subject.crash?.(names[1]!))().catch(() => {})
      }, watching)
      await restart(stage, group)
      await areRestarted(scene, { ...roll, before: roll.before.filter(({ name }) => name !== names[1]) })
      watching.abort()
      scene.end()
    })
  }

  if (has.join) {
    await add('groups.restart gives the players of each service time to leave, where that of others has run out as well', async stage => {
      const { scene, group, names } = await several(stage, 2)
      const players = []
      for (const name of names) players.push(await stage.join(name))
      await stage.until('all players are listed', async () => {
        const listed = await stage.settled(stage.runtime.players.list(stage.options), 'players.list')
        return names.every(name => listed.some(({ currentServiceName }) => currentServiceName === name))
      })
      await restart(stage, group)
      const isThere = async (name: string): Promise<boolean> => (await stage.find(name))?.state === 'ONLINE'
      const look = async (): Promise<void> => { await (stage.subject.pause === undefined ? delay(LOOK_MS) : stage.pause()) }
      let first: string | undefined
      let had = 0
      for (let began = performance.now(); first === undefined && performance.now() - began < MOST_MS; await look()) {
        for (const name of names) if (!await isThere(name)) first ??= name
        if (first === undefined) had = performance.now() - began
      }
      const least = Math.min(LEAST_MS, had / PART)
      const other = names.find(name => name !== first)
      // Where players have longer nothing can be seen.
      if (first !== undefined && stage.isPlain && stage.subject.pause === undefined && other !== undefined && await isThere(other)) {
        // The turn of the other one comes when this one is back.
        let lastAway = performance.now()
        for (let began = performance.now(); performance.now() - began < MOST_MS && !await isThere(first); await look()) lastAway = performance.now()
        while (await isThere(other) && performance.now() - lastAway < least) await look()
        const passed = performance.now() - lastAway
        assert.ok(passed >= least || await isThere(other), `${other} has a player, and was ended ${Math.ceil(passed)} ms after ${first} was back, the players of which had ${Math.floor(had)} ms: its players must have time to leave as well; ${statesOf(await stage.services())}`)
      }
      for (const { leave } of players) await leave()
      scene.end()
    })
  }
}
