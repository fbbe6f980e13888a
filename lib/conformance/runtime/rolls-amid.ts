/** The cases of restarts of groups amid what happens to the same group: players, deaths, other calls, and what is not there. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { same, show } from '../suite.js'
import { several, soon } from './furnished.js'
import { isPromise } from './observer.js'
import { moment } from './roll-deaths.js'
import { areRestarted, isSameLife, over, progress, restart, rollOf } from './rolls-beside.js'
import type { Scene } from './scene.js'
import { statesOf, type RuntimeCases } from './stage.js'

interface Has {
  readonly crash: boolean
  readonly force: boolean
  readonly join: boolean
}

/** What happens to one service before its turn; whoever is not meant is restarted all the same. */
const amid: ReadonlyArray<readonly [what: string, needs: 'crash' | 'force' | undefined, run: (scene: Scene, name: string, group: string) => Promise<unknown>]> = [
  ['is stopped', undefined, async (scene, name) => await scene.ask('services.stop', name)],
  ['is restarted', undefined, async (scene, name) => await scene.ask('services.restart', name)],
  ['is killed', 'force', async (scene, name) => await scene.ask('services.kill', name)],
  ['dies', 'crash', async (scene, name) => { await scene.die(name) }]
]

const rolls: RuntimeCases = async add => {
  await add('groups.restart answers false for no group that is there: one that has nothing to restart answers true', async stage => {
    const { name } = await stage.withGroup({ maxOnlineService: 2 })
    await restart(stage, name)
    await soon(stage, `the restart of ${name} is over`, async () => await progress(stage, name) === undefined)
    same((await stage.services(name)).filter(({ state }) => state !== 'OFFLINE'), [], `nothing of ${name} was there to be restarted`)
  })

  await add('groups.restart restarts a service that is the only one, and all that there may be, under its name', async stage => {
    const { scene, group } = await several(stage, 1)
    const roll = await rollOf(scene, group)
    await restart(stage, group)
    await over(scene, roll)
  })

  await add('groups.restart restarts every service of the group, and none that was OFFLINE', async stage => {
    const { scene, group, names } = await several(stage, 3)
    const stopped = names[1]!
    await scene.ask('services.stop', stopped)
    await stage.becomes(stopped, 'OFFLINE')
    await restart(stage, group)
    await soon(stage, `the restart of ${group} is over`, async () => {
      const now = await progress(stage, group)
      if (now !== undefined) same(now.total, 2, `${stopped} was OFFLINE, and does not count: of all services, which are 2, ${show(now)} tells`)
      return now === undefined
    })
    for (const name of names) if (name !== stopped) scene.oracle.wishes.delete(name)
    await scene.settle()
    const now = await stage.services(group)
    assert.ok(now.filter(({ state }) => state !== 'OFFLINE').length <= 2, `two services of ${group} were there to be restarted, and more are there now; ${statesOf(now)}`)
    scene.end()
  })

  await add('groups.restart: a second one joins the first, and adds nothing to what is to be restarted', async stage => {
    const { scene, group } = await several(stage, 2)
    await scene.ask('groups.edit', group, { maxOnlineService: 5 })
    await restart(stage, group)
    await soon(stage, `the restart of ${group} is over`, async () => {
      const now = stage.restarts.progressOf(group, stage.options)
      if (isPromise(now)) return await now === undefined
      if (now === undefined) return true
      same(now.total, 2, `of all services, which were 2 when the restart began, ${show(now)} tells`)
      // In the turn in which it is under way.
      const answer = stage.restarts.restart(group, stage.options)
      same(await stage.settled(answer, 'groups.restart'), true, 'groups.restart must answer true while one is under way')
      const joined = await progress(stage, group)
      if (joined !== undefined) same(joined.total, 2, `a second groups.restart joins the first: of all services, which were 2 when that began, ${show(joined)} tells`)
      return isPromise(answer)
    })
    scene.end()
  })

  await add('groups.restart ends with an edit of the group, whatever is edited', async stage => {
    const { scene, group, names } = await several(stage, 2)
    const { properties } = stage.group()
    for (const changes of [{ maxOnlineService: 3 }, { maxMemory: 301 }, { properties: { ...properties, edited: 'so' } }, { maxOnlineService: 2 }]) {
      await restart(stage, group)
      await scene.ask('groups.edit', group, changes)
      same(await progress(stage, group), undefined, `groups.progressOf must answer undefined after groups.edit with ${show(changes)}`)
      // Of an old one on its way out and its successor a lowered maximum may end the successor.
      const least = changes.maxOnlineService === 2 ? 1 : names.length
      await stage.until('what is left runs on', async () => (await stage.services(group)).filter(({ state }) => state === 'ONLINE').length >= least)
    }
    // Another one is as the first would have been.
    await soon(stage, `no service of ${group} is on its way`, async () => (await stage.services(group)).every(({ state }) => state === 'ONLINE' || state === 'OFFLINE'))
    const roll = await rollOf(scene, group)
    await restart(stage, group)
    await areRestarted(scene, { ...roll, before: roll.before.filter(({ state }) => state === 'ONLINE') })
    scene.end()
  })

  await add('groups.restart restarts every service of the group, where another one of it is started meanwhile', async stage => {
    const { scene, group, names } = await several(stage, 3)
    await scene.ask('services.stop', names[2]!)
    await stage.becomes(names[2]!, 'OFFLINE')
    // Room for a successor, and for one more.
    await scene.ask('groups.edit', group, { maxOnlineService: 4 })
    const roll = await rollOf(scene, group)
    await restart(stage, group)
    await scene.ask('services.start', group)
    await areRestarted(scene, { ...roll, before: roll.before.filter(({ state }) => state === 'ONLINE') })
    scene.end()
  })
}

const isEnd = (what: string): boolean => what === 'is stopped' || what === 'is killed'

/** Sees that services which were ended before their turn are OFFLINE, and stay so. */
async function stays ({ stage }: Scene, names: readonly string[]): Promise<void> {
  for (const name of names) await stage.becomes(name, 'OFFLINE')
  for (let looks = 0; looks < LOOKS_ENDED; looks++) {
    await stage.pause()
    for (const name of names) same((await stage.find(name))?.state, 'OFFLINE', `${name} was ended before its turn in a restart of its group, and must stay as it is`)
  }
}

/** So often it is looked at what has ended. */
const LOOKS_ENDED = 4

const beside = (has: Has): RuntimeCases => async add => {
  for (const [what, needs, run] of amid) {
    if (needs !== undefined && !has[needs]) continue
    await add(`groups.restart restarts every service of the group that is left, where one ${what} before its turn`, async stage => {
      const { scene, group, names } = await several(stage, 3)
      const roll = await rollOf(scene, group)
      const { before } = roll
      await restart(stage, group)
      const there = await stage.services(group)
      // One that is still in its life: it has not had its turn.
      const last = there.findLast(one => one.state === 'ONLINE' && before.some(other => other.name === one.name && isSameLife(one, other)))?.name ?? names[2]!
      await run(scene, last, group)
      await areRestarted(scene, { ...roll, before: before.filter(({ name }) => name !== last) })
      if (isEnd(what)) await stays(scene, [last])
      scene.end()
    })

    await add(`groups.restart restarts every service of the group that is left, where one ${what} before its turn, and before that of another`, async stage => {
      const { scene, group } = await several(stage, 5)
      const roll = await rollOf(scene, group)
      await restart(stage, group)
      const there = await stage.services(group)
      const waiting = there.filter(one => one.state === 'ONLINE' && roll.before.some(other => other.name === one.name && isSameLife(one, other))).map(({ name }) => name)
      // Whichever end it begins at, one of these comes before another.
      const some = waiting.slice(1, -1)
      for (const name of some) await run(scene, name, group)
      await areRestarted(scene, { ...roll, before: roll.before.filter(({ name }) => !some.includes(name)) })
      if (isEnd(what)) await stays(scene, some)
      scene.end()
    })
  }
}

/** What keeps a successor from becoming ONLINE. */
const ends: ReadonlyArray<readonly [what: string, needs: 'crash' | undefined, stays: number, run: (scene: Scene, name: string) => Promise<unknown>]> = [
  ['is stopped', undefined, 1, async ({ stage }, name) => await stage.call('services.stop', name)],
  ['dies', 'crash', 0, async (scene, name) => { await scene.die(name) }]
]

const successors = (has: Has): RuntimeCases => async add => {
  for (const [what, needs, stays, run] of ends) {
    if (needs !== undefined && !has[needs]) continue
    await add(`groups.restart brings the successor first, and keeps the old service where that ${what} before it is ONLINE`, async stage => {
      const { scene, group, names } = await several(stage, 2)
      await scene.ask('groups.edit', group, { maxOnlineService: 4 })
      const { before } = await rollOf(scene, group)
      await restart(stage, group)
      // Where it is ONLINE at once there is nothing to be seen.
      const found = await soon(stage, 'a successor is there', async () => (await stage.services(group)).find(({ name }) => !names.includes(name)))
      if (found.state !== 'STARTING') return scene.end()
      const from = scene.told.get(found.name)?.length ?? 0
      await run(scene, found.name)
      // Where calls take time it may have been ONLINE before it was ended; what is told may be told a moment later.
      const wasOnline = (): boolean => (scene.told.get(found.name) ?? []).slice(from).some(({ state }) => state === 'ONLINE')
      const isKnown = stage.isPlain && (stage.runtime.states !== undefined || (stage.isAtOnce && stays > 0))
      let lost: string | undefined
      for (let looks = 0; looks < LOOKS_AFTER && lost === undefined; looks++) {
        const services = await stage.services(group)
        if (services.some(({ name, state }) => !names.includes(name) && state === 'ONLINE')) break
        if (services.filter(({ state }) => state === 'ONLINE').length < names.length) lost = statesOf(services)
        await (looks < LOOKS_AFTER / 2 ? moment(stage) : stage.pause())
      }
      if (lost !== undefined) for (let looks = 0; looks < LOOKS_TOLD; looks++) await stage.pause()
      assert.ok(lost === undefined || !isKnown || wasOnline(), `${found.name}, a successor, ${what} while it was STARTING, and nobody is there in its place; ${lost ?? ''}`)
      await soon(stage, `the restart of ${group} is over`, async () => await progress(stage, group) === undefined)
      const now = await stage.services(group)
      const old = before.filter(one => now.some(there => there.name === one.name && there.state === 'ONLINE' && isSameLife(one, there)))
      // The one whose successor was stopped may stay as it is.
      assert.ok(old.length <= stays, `the restart of ${group} is over, and these are ONLINE in the life that was to end: ${old.map(({ name }) => name).join(', ')}; ${statesOf(now)}`)
      scene.end()
    })
  }
}

/** So long it is looked at what follows. */
const LOOKS_AFTER = 20
/** So many pauses later it has been told. */
const LOOKS_TOLD = 5

/** Whoever has players is not judged for longer than `MOST_MS` milliseconds: how long they have is the runtime's own. */
const [LOOK_MS, MOST_MS, MOST_LOOKS] = [2, 10, 200]

const drains: RuntimeCases = async add => {
  for (const [where, count, maximum] of [['has its maximum', 2, 2], ['may have more', 2, 5], ['has one service and may have no more', 1, 1]] as const) {
    await add(`groups.restart gives the players of a service time to leave, the last of two as well, where the group ${where}, and restarts it afterwards`, async stage => {
      const { scene, group, names } = await several(stage, count)
      await scene.ask('groups.edit', group, { maxOnlineService: maximum })
      const joined = []
      for (const name of names) for (let n = 0; n < 2; n++) joined.push(await stage.join(name))
      const listed = async () => (await stage.settled(stage.runtime.players.list(stage.options), 'players.list')).filter(({ currentServiceName }) => names.includes(currentServiceName)).length
      await stage.until('all players are listed', async () => await listed() === joined.length)
      const roll = await rollOf(scene, group)
      let began = performance.now()
      const look = async (): Promise<boolean> => {
        const ended = (await stage.services(group)).find(({ name, state }) => names.includes(name) && state !== 'ONLINE')
        // Where this process could not run, their time may be over.
        if (performance.now() - began > MOST_MS) return false
        assert.ok(ended === undefined, `${ended?.name ?? ''} has players, and was ended in ${Math.ceil(performance.now() - began)} ms: they must have time to leave`)
        if (stage.subject.pause === undefined) await delay(LOOK_MS)
        return true
      }
      await restart(stage, group)
      if (stage.isPlain) {
        await look()
        // When the successor is ONLINE the old one may go, and has players still.
        const hasSuccessor = async (): Promise<boolean> => (await stage.services(group)).some(({ name, state }) => !names.includes(name) && state === 'ONLINE')
        for (let looks = 0; maximum > names.length && looks < MOST_LOOKS; looks++) {
          const at = performance.now()
          if (await hasSuccessor()) break
          // Their time begins after this look, if not right after it.
          began = at
          await (looks < MOST_LOOKS / 2 ? moment(stage) : stage.pause())
        }
        // One of each stays.
        for (const [n, player] of joined.entries()) if (n % 2 === 0) await player.leave()
        for (let looks = 0; looks < 20 && await look(); looks++);
      }
      for (const [n, player] of joined.entries()) if (n % 2 === 1 || !stage.isPlain) await player.leave()
      await stage.until('the players have left', async () => await listed() === 0)
      await areRestarted(scene, roll)
      scene.end()
    })
  }
}

/** The contract of `GroupRestarts`, amid whatever happens to the group. */
export const rollsAmid = (has: Has): RuntimeCases => async add => {
  await rolls(add)
  await beside(has)(add)
  await successors(has)(add)
  if (has.join) await drains(add)
}
