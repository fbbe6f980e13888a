/** The cases of deletions of groups amid what would start a service once more: nothing of the group begins another life. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { same, show } from '../suite.js'
import { several } from './furnished.js'
import { restart } from './rolls-beside.js'
import type { Scene } from './scene.js'
import { statesOf, type RuntimeCases } from './stage.js'

interface Has {
  readonly crash: boolean
  readonly force: boolean
  readonly restarts: boolean
}

/** What is under way with a service that would begin another life when that is over. */
const amid: ReadonlyArray<readonly [what: string, needs: keyof Has | undefined, run: (scene: Scene, name: string, group: string) => Promise<unknown>]> = [
  ['is restarted', undefined, async ({ stage }, name) => await stage.call('services.restart', name)],
  ['is stopped and restarted', undefined, async ({ stage }, name) => {
    await stage.call('services.stop', name)
    await stage.call('services.restart', name)
  }],
  ['is killed and restarted', 'force', async ({ stage }, name) => {
    await stage.call('services.kill', name)
    await stage.call('services.restart', name)
  }],
  ['is restarted with its group', 'restarts', async ({ stage }, _, group) => await restart(stage, group)],
  ['is stopped below the minimum of its group', undefined, async (scene, name, group) => {
    await scene.ask('groups.edit', group, { minOnlineService: 2 })
    await scene.stage.call('services.stop', name)
  }],
  ['is restarted, and dies', 'crash', async (scene, name) => {
    await scene.stage.call('services.restart', name)
    await scene.die(name)
  }]
]

/** The contract of deleting groups amid restarts. */
export const deletionAmid = (has: Has): RuntimeCases => async add => {
  for (const [what, needs, run] of amid) {
    if (needs !== undefined && !has[needs]) continue
    await add(`groups.delete: no service of the group starts from the first moment, where one ${what}`, async stage => {
      const { scene, group, names } = await several(stage, 2)
      await run(scene, names[0]!, group)
      // What has begun before is told by now, also by who tells it a moment later.
      const latest = (name: string): unknown => scene.told.get(name)?.at(-1)?.state
      if (stage.runtime.states !== undefined) await stage.until('states.watch has told what services.list has', async () => (await stage.services(group)).every(({ name, state }) => (latest(name) ?? 'ONLINE') === state))
      const call = { isOver: false }
      const { now: began } = stage
      const deleting = (async () => await stage.groupControl.delete(group, stage.options))().finally(() => { call.isOver = true })
      // Awaited below; a failure there must not count as one that nobody hears of.
      deleting.catch(() => {})
      const early = stage.control.start(group, stage.options)
      same(await stage.settled(early, 'services.start'), false, 'services.start must answer false from the first moment of the deletion')
      // By now it has begun, also where calls act a moment later.
      const told = new Map([...scene.told].map(([name, changes]) => [name, changes.length]))
      const ended = new Set<string>()
      const look = async (): Promise<void> => {
        const now = (await stage.services(group))
        for (const { name, state } of now) {
          if (state === 'STOPPING' || state === 'OFFLINE') ended.add(name)
          else assert.ok(!ended.has(name), `${name} was on its way to its end when the deletion of its group had begun, and is ${state}: nothing of it may start; ${statesOf(now)}`)
        }
      }
      await stage.until('groups.delete answers', async () => {
        for (let looks = 0; looks < 12 && !call.isOver; looks++) {
          await look()
          if (stage.subject.pause !== undefined) break
          await turn()
        }
        return call.isOver
      })
      same(await deleting, true, `groups.delete(${show(group)}) must answer true`)
      for (let looks = 0; looks < 8; looks++) {
        await stage.pause()
        same(await stage.services(group), [], `${group} was deleted, and none of its services is listed any more`)
        const left = await stage.subject.remains?.(group) ?? 0
        assert.ok(left === 0, `${group} was deleted, and ${left} of its processes are left or have come, as remains(${show(group)}) counts`)
      }
      for (const name of ended) {
        const changes = (scene.told.get(name) ?? []).slice(told.get(name) ?? 0)
        // What is told late was so before, by what it says.
        assert.ok(changes.every(({ state, at }) => state !== 'STARTING' || (began !== undefined && at <= began)), `${name} was on its way to its end when the deletion of its group had begun, and states.watch told ${show(changes)}`)
      }
      scene.end()
    })
  }
}
