/** The cases of a deletion that has failed, whatever happens until it is tried again: the group stays listed, and is gone for good afterwards. */
import assert from 'node:assert/strict'
import { same, show } from '../suite.js'
import { Scene } from './scene.js'
import { statesOf, type RuntimeCases, type Stage } from './stage.js'

interface Has {
  readonly services: boolean
  readonly reopen: boolean
}

/** Looks at which a group stays, or stays away. */
const LOOKS = 6

interface Between {
  readonly what: string
  readonly needs?: 'services'
  /** How many services it has; one of them cannot be stopped. */
  readonly services?: number
  run (stage: Stage, group: string, service: string): Promise<unknown>
}

/** What happens between the deletion that fails and the next one; until then the group may be as before or count as one that is being deleted. */
const betweens: readonly Between[] = [
  { what: 'nothing happens meanwhile', run: async () => {} },
  { what: 'it has several services', services: 3, run: async () => {} },
  { what: 'it is edited meanwhile', run: async (stage, group) => await stage.call('groups.edit', group, { percentageToStartNewService: 8 }) },
  {
    what: 'its service is asked for meanwhile',
    needs: 'services',
    async run (stage, group, service) {
      await stage.call('services.start', group)
      for (const verb of ['services.restart', 'services.stop'] as const) await stage.call(verb, service)
      await stage.call('services.command', service, 'list')
    }
  },
  {
    what: 'another group is deleted meanwhile',
    async run (stage, group) {
      const other = stage.group({ name: `other-${group}` })
      await stage.says(true, 'groups.create', other)
      await stage.says(true, 'groups.delete', other.name)
    }
  },
  { what: 'it fails a second time', run: async (stage, group) => { await fails(stage, group) } }
]

async function fails (stage: Stage, group: string): Promise<void> {
  const outcome = await stage.call('groups.delete', group).then(answer => `answered ${show(answer)}`, (error: unknown) => {
    // That it never answers is no throw.
    if (error instanceof assert.AssertionError) throw error
    return 'threw'
  })
  same(outcome, 'threw', `groups.delete(${show(group)}) must throw while a service of it cannot be stopped`)
}

async function isGone (stage: Stage, group: string, when: string): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks++) {
    assert.ok(await stage.findGroup(group) === undefined, `groups.delete(${show(group)}) has answered true, after one that has failed: groups.list may not have it ${when}`)
    const services = await stage.services(group)
    assert.ok(services.length === 0, `groups.delete(${show(group)}) has answered true, after one that has failed: services.list may have no service of it ${when}; ${statesOf(services)}`)
    await stage.pause()
  }
}

/** The contract of a deletion that fails, and of the next one. */
export const failedDeletions = (has: Has): RuntimeCases => async add => {
  for (const { what, needs, services = 1, run } of betweens) {
    if (needs !== undefined && !has[needs]) continue
    await add(`groups.delete throws when a stop fails, the group stays listed, and is gone for good when it has been deleted, where ${what}`, async stage => {
      const group = stage.group({ minOnlineService: services, maxOnlineService: services })
      await stage.says(true, 'groups.create', group)
      const online = await stage.until('its services are ONLINE', async () => {
        const online = (await stage.services(group.name)).filter(({ state }) => state === 'ONLINE')
        return online.length === services && online
      })
      const { name } = online.at(-1)!
      const heal = await stage.subject.stuck?.(name)
      await fails(stage, group.name)
      if (what.includes('second')) await run(stage, group.name, name)
      await heal?.()
      for (let looks = 0; looks < LOOKS; looks++) {
        assert.ok(await stage.findGroup(group.name), `the deletion of ${group.name} has failed, and was not asked for again: groups.list must still have it`)
        await stage.pause()
      }
      if (!what.includes('second')) await run(stage, group.name, name)
      await stage.says(true, 'groups.delete', group.name)
      await isGone(stage, group.name, 'any more')
      await stage.says(false, 'groups.delete', group.name)
      if (has.reopen) {
        await stage.reopen()
        await isGone(stage, group.name, 'after a new start')
      }
      const scene = await Scene.of(stage)
      await scene.ask('groups.create', stage.group({ minOnlineService: 1, maxOnlineService: 1 }))
      await scene.settle()
      await scene.ask('groups.delete', group.name)
      scene.end()
    })
  }
}
