/** The cases of what a verb on some leaves of others: of another group, of what was stopped before, and of who waits for an answer. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import type { RuntimeService } from '../../../types/runtime.js'
import { same } from '../suite.js'
import { more, several, soon } from './furnished.js'
import { progress, restart } from './rolls-beside.js'
import type { RuntimeCases, Stage } from './stage.js'

/** Looks that see whether something goes on. */
const LOOKS = 5

/** So often each is tried: what one answer shows may be chance. */
const ROUNDS = 5
/** So many of them show it: a machine that is busy has little time to look. */
const SHOWN = 2

/** So many looks, and so many times what a stop takes, whoever starts something may be on the way. */
const LOOKS_ON_THE_WAY = 10
/** And so many where a stop is answered in no time. */
const LOOKS_AT_ONCE = 2
const TIMES = 4

/** What of a life does not change by itself. */
const lifeOf = ({ name, state, startedAt, lastExit }: RuntimeService) => ({ name, state, startedAt, lastExit: lastExit?.at })

/** The contract of those whom nobody named. */
export const untouched: RuntimeCases = async add => {
  for (const what of ['begins with its name', 'begins as its services do', 'ends as it does'] as const) {
    await add(`groups.delete leaves another group, the name of which ${what}, and its services as they are, whatever they do`, async stage => {
      const { scene, group } = await several(stage, 2)
      const other = { 'begins with its name': `${group}s`, 'begins as its services do': `${group}-1`, 'ends as it does': `s${group}` }[what]
      const { names: [stopped, , starting] } = await more(scene, { name: other }, 3)
      for (const name of [stopped!, starting!]) {
        await scene.ask('services.stop', name)
        await stage.becomes(name, 'OFFLINE')
      }
      await stage.pause()
      await scene.ask('services.start', starting!)
      const before = await stage.services(other)
      await scene.ask('groups.delete', group)
      for (let looks = 0; looks < LOOKS; looks++) {
        const now = await stage.services(other)
        for (const one of before) {
          const there = now.find(({ name }) => name === one.name)
          assert.ok(there !== undefined, `${one.name} is of ${other}, and has gone with the deletion of ${group}`)
          const { state, lastExit } = lifeOf(there)
          // What was started a moment ago may not have begun yet, and gets on.
          const isOnTheWay = one.name === starting && (state === one.state || state === 'STARTING' || state === 'ONLINE')
          same(isOnTheWay ? { lastExit } : lifeOf(there), isOnTheWay ? { lastExit: one.lastExit?.at } : lifeOf(one), `${one.name}, which is of ${other} and was ${one.state}, after the deletion of ${group}`)
        }
        await stage.pause()
      }
      await stage.becomes(starting!, 'ONLINE')
      scene.end()
    })
  }

  for (const what of ['the service', 'the group'] as const) {
    await add(`services.start answers when the start is accepted, and not when the service is ONLINE, by the name of ${what}`, async stage => {
      const { scene, group } = await several(stage, 1)
      const late: number[] = []
      let stops = 0
      for (let round = 0; round < ROUNDS; round++) {
        const { name: running } = (await stage.services(group)).find(({ state }) => state === 'ONLINE')!
        stops = Math.max(stops, (await waitsFor(stage, group, async () => await stage.control.stop(running, stage.options))).looks)
        await stage.becomes(running, 'OFFLINE')
        const { starting, isOnline } = await waitsFor(stage, group, async () => await stage.control.start(what === 'the group' ? group : running, stage.options))
        if (isOnline) late.push(starting)
        await stage.until(`a service of ${group} is ONLINE`, async () => (await stage.services(group)).some(({ state }) => state === 'ONLINE'))
      }
      const most = stops === 0 ? LOOKS_AT_ONCE : LOOKS_ON_THE_WAY + TIMES * stops
      const isLate = late.length === ROUNDS && late.filter(looks => looks > most).length >= SHOWN
      assert.ok(!isLate, `services.start answers when the start is accepted: a service of ${group} was listed as STARTING at ${late.join(', ')} looks before the answer came, and was ONLINE by then, each of ${ROUNDS} times; a stop has answered after ${stops}`)
      scene.end()
    })
  }
}

/** The same of restarts of a group. */
export const untouchedByRestarts: RuntimeCases = async add => {
  await add('groups.restart leaves a service that was stopped before as it is, and does not start it afterwards', async stage => {
    const { scene } = await several(stage, 1)
    // There is room for all of them at once.
    const { group, names: [stopped] } = await more(scene, { name: `other-${stage.group().name}`, maxOnlineService: 8 }, 4)
    await scene.ask('services.stop', stopped!)
    await stage.becomes(stopped!, 'OFFLINE')
    await stage.pause()
    const from = scene.told.get(stopped!)?.length ?? 0
    await restart(stage, group)
    await soon(stage, `the restart of ${group} is over`, async () => await progress(stage, group) === undefined)
    for (let looks = 0; looks < LOOKS; looks++) {
      const now = await stage.find(stopped!)
      // A successor may have got its name where it has gone.
      if (now !== undefined) same({ state: now.state, told: scene.told.get(stopped!)?.slice(from) ?? [] }, { state: 'OFFLINE', told: [] }, `${stopped!} was stopped before its group was restarted, and stays as it is`)
      await stage.pause()
    }
    scene.end()
  })
}

/** How many looks an answer takes, at how many of them a service of the group is listed as STARTING, and whether one is ONLINE when the answer comes. */
async function waitsFor (stage: Stage, group: string, call: () => Promise<unknown>): Promise<{ readonly looks: number, readonly starting: number, readonly isOnline: boolean }> {
  const answer = { isThere: false }
  const asked = call().finally(() => { answer.isThere = true })
  // Awaited below; a failure there must not count as one that nobody hears of.
  asked.catch(() => {})
  let [looks, starting] = [0, 0]
  await turn()
  await soon(stage, 'the answer is there', async () => {
    if (answer.isThere) return true
    looks++
    if ((await stage.services(group)).some(({ state }) => state === 'STARTING')) starting++
    return false
  })
  await asked
  return { looks, starting, isOnline: (await stage.services(group)).some(({ state }) => state === 'ONLINE') }
}
