/** The cases of restarts of groups amid deaths: of who has come in the place of another, and of who has not had a turn yet. */
import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import type { RuntimeService } from '../../../types/runtime.js'
import { several, soon } from './furnished.js'
import { followed, isAnew, isDone, isOfBefore } from './group-rolls.js'
import { areRestarted, progress, restart, rollOf } from './rolls-beside.js'
import { statesOf, type RuntimeCases, type Stage } from './stage.js'

interface Has {
  readonly crash: boolean
  readonly join: boolean
  readonly states: boolean
}

/** How long it is waited for what need not be seen, in milliseconds and in looks, and what is between two looks. */
const [MOST_MS, MOST_LOOKS, LOOK_MS] = [2_500, 60, 2]

/** Players on each of these services, all of them listed. */
export async function playersOn (stage: Stage, names: readonly string[]): Promise<ReadonlyMap<string, () => Promise<unknown>>> {
  const leaves = new Map<string, () => Promise<unknown>>()
  for (const name of names) {
    const { leave } = await stage.join(name)
    leaves.set(name, async () => await leave())
  }
  await stage.until('all players are listed', async () => {
    const listed = await stage.settled(stage.runtime.players.list(stage.options), 'players.list')
    return names.every(name => listed.some(({ currentServiceName }) => currentServiceName === name))
  })
  return leaves
}

/** A moment between two looks at what may be short. */
export const moment = async (stage: Stage): Promise<void> => { await (stage.subject.pause === undefined ? delay(LOOK_MS) : stage.pause()) }

/** Looks again and again until something is seen; undefined where it is not. */
export async function glimpsed<T> (stage: Stage, look: () => Promise<T | undefined>): Promise<T | undefined> {
  const began = performance.now()
  for (let looks = 0; looks < MOST_LOOKS || performance.now() - began < MOST_MS; looks++) {
    const seen = await look()
    if (seen !== undefined) return seen
    if (stage.subject.pause !== undefined && looks > MOST_LOOKS) return undefined
    await moment(stage)
  }
  return undefined
}

const isOnline = ({ state }: RuntimeService): boolean => state === 'ONLINE'

/** The group that is restarted, and when the players of its old services leave. */
const wheres = [false, true].flatMap(leaveAtOnce => ([['has one service and may have another', 1, 2], ['may have more', 2, 3], ['has its maximum', 2, 2]] as const).map(([where, count, maximum]) => [where, count, maximum, leaveAtOnce] as const))

const successors: RuntimeCases = async add => {
  for (const [where, count, maximum, leaveAtOnce] of wheres) {
    await add(`groups.restart brings the successor first, and keeps who has players where that, or who is back, dies while they leave${leaveAtOnce ? ', all of them at once then' : ''}, where the group ${where}`, async stage => {
      const { scene, group, names } = await several(stage, count)
      await scene.ask('groups.edit', group, { maxOnlineService: maximum })
      const leaves = await playersOn(stage, names)
      const roll = await rollOf(scene, group)
      await restart(stage, group)
      // At its maximum the first one has to go for the second one to be next; it begins at either end.
      if (maximum === count) await leaves.get(names[0]!)!()
      const came = await glimpsed(stage, async () => (await stage.services(group)).find(one => isOnline(one) && isAnew(roll.before, one) && one.startedAt !== undefined))
      if (came !== undefined) {
        // Who is back in its own place has no successor: others that there are have made the group full.
        const least = names.includes(came.name) ? count - 1 : count
        const there = async (): Promise<number> => (await stage.services(group)).filter(isOnline).length
        await scene.die(came.name)
        const isDead = await glimpsed(stage, async () => (await stage.find(came.name))?.state !== 'ONLINE' || undefined)
        // What was decided before its death may need a moment to be seen.
        let isKept = isDead === true
        for (let looks = 0; looks < (leaveAtOnce ? 1 : 4) && isKept; looks++) {
          isKept = await there() >= least
          if (stage.subject.pause === undefined && !leaveAtOnce) await delay(LOOK_MS)
        }
        if (isKept) {
          for (const leave of leaves.values()) await leave()
          let looksAfter = 0
          await glimpsed(stage, async () => {
            const now = await stage.services(group)
            assert.ok(now.filter(isOnline).length >= least, `${came.name} was ONLINE, and has died while the players of the old service had time to leave: that one must go on until somebody is there in its place; ${statesOf(now)}`)
            return (await progress(stage, group) === undefined && ++looksAfter > 3) || undefined
          })
        }
      }
      for (const leave of leaves.values()) await leave()
      await areRestarted(scene, roll)
      scene.end()
    })
  }
}

/** Players are followed for so long, in milliseconds, and what they had less than that of is not judged. */
const [MOST_TIME_MS, LEAST_TIME_MS] = [240, 24]
/** A part of the time that players had once: what ends earlier than that was not decided before. */
const PART = 3

const times: RuntimeCases = async add => {
  await add('groups.restart brings the successor first, and keeps who has players for the time that they have, where that dies as soon as it is ONLINE', async stage => {
    const { scene, group } = await several(stage, 1)
    await scene.ask('groups.edit', group, { maxOnlineService: 2 })
    const clock = (): number => stage.subject.pause === undefined ? performance.now() : stage.now ?? 0
    /** Restarts the group, and answers for how long the old service went on beside its successor, and how it was when it had ended. */
    const lasts = async (run?: (successor: string) => Promise<unknown>): Promise<{ readonly time: number, readonly seen?: number, readonly states: string }> => {
      const old = (await soon(stage, `a service of ${group} is ONLINE`, async () => (await stage.services(group)).find(isOnline)))
      const leaves = await playersOn(stage, [old.name])
      const before = await stage.services(group)
      const isSuccessor = (one: RuntimeService): boolean => isOnline(one) && isAnew(before, one)
      await restart(stage, group)
      const came = await glimpsed(stage, async () => (await stage.services(group)).find(isSuccessor))
      const began = clock()
      if (came !== undefined) await run?.(came.name)
      let time = 0
      let states = ''
      let seen: number | undefined
      // A clock of the runtime's own need not move.
      const most = came === undefined ? 0 : MOST_TIME_MS
      for (let looks = 0; looks < most && time < MOST_TIME_MS; looks++) {
        const now = await stage.services(group)
        const isThere = now.some(one => isOnline(one) && one.name === old.name && !isAnew([old], one))
        states = statesOf(now)
        if (!isThere) seen = clock() - began
        // Where another has come in the place of who died, the old one may go.
        if (!isThere || (run !== undefined && now.some(isSuccessor))) break
        time = clock() - began
        await moment(stage)
      }
      for (const leave of leaves.values()) await leave()
      await soon(stage, `the restart of ${group} is over`, async () => await progress(stage, group) === undefined)
      return { time, states, ...seen !== undefined && { seen } }
    }
    const { time } = await lasts()
    await soon(stage, `one service of ${group} is left`, async () => (await stage.services(group)).filter(({ state }) => state !== 'OFFLINE').length === 1)
    if (time >= LEAST_TIME_MS && stage.isPlain) {
      const { seen, states } = await lasts(async successor => { await scene.die(successor) })
      assert.ok(seen === undefined || seen > time / PART, `the players of the old service had ${Math.floor(time)} ms to leave beside its successor, and when that died it was ended within ${Math.ceil(seen ?? 0)} ms; ${states}`)
    }
    scene.end()
  })
}

/** When a service dies that has not had its turn: as soon as another, or the successor of another, is so. */
const moments = ['STOPPING', 'OFFLINE', 'STARTING', 'ONLINE'] as const

const victims: RuntimeCases = async add => {
  for (const [where, maximum] of [['has its maximum', 3], ['may have more', 5]] as const) {
    for (const state of moments) {
      await add(`groups.restart restarts every service of the group, one that dies before its turn among them, when another is ${state}, where the group ${where}, and groups.progressOf counts it when it is back`, async stage => {
        const { scene, group, names } = await several(stage, 3)
        await scene.ask('groups.edit', group, { maxOnlineService: maximum })
        const roll = await rollOf(scene, group)
        const victim = names[1]!
        const watching = new AbortController()
        let hasDied = false
        stage.runtime.states?.watch(change => {
          if (hasDied || change.state !== state || change.serviceName === victim) return
          hasDied = true
          // In this very turn; where it has ended already, there is nothing to die.
          ;(async () => await stage.subject.crash?.(victim))().catch(() => {})
        }, watching)
        await restart(stage, group)
        // Whoever has had a turn already may die after it was counted.
        let isFirst = false
        await followed(stage, group, (services, now, after) => {
          if (!hasDied && !services.some(one => one.name === victim && isOfBefore(roll.before, one))) isFirst = true
          if (!isFirst) isDone(roll.before, after, now)
        })
        watching.abort()
        await areRestarted(scene, roll)
        for (const name of names) if (maximum > names.length) scene.oracle.wishes.delete(name)
        await scene.settle()
        await soon(stage, `three services of ${group} are ONLINE, as many as were restarted`, async () => (await stage.services(group)).filter(isOnline).length >= names.length)
        scene.end()
      })
    }
  }
}

const turns: RuntimeCases = async add => {
  for (const [where, maximum] of [['has its maximum', 2], ['may have more', 4]] as const) {
    await add(`groups.restart restarts every service of the group, and is over, where one dies while it is STARTING in its turn, where the group ${where}`, async stage => {
      const { scene, group } = await several(stage, 2)
      await scene.ask('groups.edit', group, { maxOnlineService: maximum })
      const roll = await rollOf(scene, group)
      const watching = new AbortController()
      let hasDied = false
      stage.runtime.states?.watch(({ serviceName, state }) => {
        if (hasDied || state !== 'STARTING') return
        hasDied = true
        // Where it is ONLINE already, it dies then.
        ;(async () => {
          await turn()
          await stage.subject.crash?.(serviceName)
        })().catch(() => {})
      }, watching)
      await restart(stage, group)
      await areRestarted(scene, roll)
      watching.abort()
      scene.end()
    })
  }
}

/** The contract of `GroupRestarts`, where services die. */
export const rollDeaths = (has: Has): RuntimeCases => async add => {
  if (has.crash && has.join) await successors(add)
  if (has.crash && has.join) await times(add)
  if (has.crash && has.states) await victims(add)
  if (has.crash && has.states) await turns(add)
}

/** What is told of a restart while players leave. */
export const rollProgress: RuntimeCases = async add => {
  for (const [where, count, maximum] of [['has one service and may have another', 1, 2], ['may have more', 2, 4], ['has its maximum', 2, 2]] as const) {
    await add(`groups.progressOf counts who is ONLINE in its next life, or whose successor is, while players still leave, where the group ${where}`, async stage => {
      const { scene, group, names } = await several(stage, count)
      await scene.ask('groups.edit', group, { maxOnlineService: maximum })
      const leaves = await playersOn(stage, names)
      const old = await stage.services(group)
      await restart(stage, group)
      if (maximum === count) await leaves.get(names[0]!)!()
      const last = { looks: 0, began: 0, services: old }
      const isSeen = await glimpsed(stage, async () => {
        const services = await stage.services(group)
        const now = await progress(stage, group)
        const after = await stage.services(group)
        if (now === undefined) return false
        const both = [services, after].map(list => list.filter(isOnline))
        const isDraining = both.every(list => list.some(one => isOfBefore(old, one)) && list.some(one => isAnew(old, one) && one.startedAt !== undefined))
        if (!isDraining) return last.looks > 0 ? false : undefined
        if (last.looks++ === 0) last.began = performance.now()
        last.services = services
        return now.done > 0 || undefined
      })
      const isLong = last.looks > 3 && (stage.subject.pause !== undefined || performance.now() - last.began > 20)
      assert.ok(isSeen === true || !isLong, `who is ONLINE in its next life, or whose successor is, is done, also while the players of the old one leave: at ${last.looks} looks groups.progressOf answered that none is; ${statesOf(last.services)}`)
      for (const leave of leaves.values()) await leave()
      await followed(stage, group, () => {})
      scene.end()
    })
  }
}
