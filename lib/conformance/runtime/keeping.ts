/** How a group is kept between its minimum and its maximum, whatever happens to its services. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { RuntimeService } from '../../../types/runtime.js'
import { kept, soon } from './furnished.js'
import { Scene } from './scene.js'
import { statesOf, type Stage, type RuntimeCases } from './stage.js'

interface Step {
  readonly title: string
  readonly minimum: number
  readonly maximum: number
  readonly needs?: 'crash' | 'services' | 'force'
  run (scene: Scene, group: string, stage: Stage): Promise<unknown>
}

const first = async (stage: Stage, group: string): Promise<string> => {
  const service = await stage.until('a service is ONLINE', async () => (await stage.services(group)).find(({ state }) => state === 'ONLINE'))
  return service.name
}

/** However a service ends. */
const ends: ReadonlyArray<readonly [what: string, needs: NonNullable<Step['needs']>, end: (scene: Scene, name: string) => Promise<unknown>]> = [
  ['services.stop', 'services', async (scene, name) => await scene.ask('services.stop', name)],
  ['services.kill', 'force', async (scene, name) => await scene.ask('services.kill', name)],
  ['a death', 'crash', async (scene, name) => { await scene.die(name) }]
]

/** Ends of all services of a group, with and without room for others in their place. */
const endings: readonly Step[] = ends.flatMap(([what, needs, end]) => [[1, 1], [2, 2], [2, 4]].map(([minimum = 0, maximum = 0]): Step => ({
  title: `${what} of each of ${minimum} services, of ${maximum} that there may be: the group has its minimum again afterwards`,
  minimum,
  maximum,
  needs,
  async run (scene, group, stage) {
    for (const { name } of await stage.services(group)) await end(scene, name)
  }
})))

const steps: readonly Step[] = [
  ...endings,
  { title: 'groups.create starts what the minimum asks for, and no more', minimum: 2, maximum: 3, run: async () => {} },
  {
    title: 'groups.edit: a higher minimum starts services',
    minimum: 0,
    maximum: 3,
    run: async (scene, group) => await scene.ask('groups.edit', group, { minOnlineService: 2 })
  },
  {
    title: 'groups.edit: a higher minimum and maximum together start services',
    minimum: 1,
    maximum: 1,
    run: async (scene, group) => await scene.ask('groups.edit', group, { minOnlineService: 3, maxOnlineService: 3 })
  },
  {
    title: 'groups.edit: a lowered maximum ends what is above it',
    minimum: 3,
    maximum: 3,
    run: async (scene, group) => await scene.ask('groups.edit', group, { minOnlineService: 0, maxOnlineService: 1 })
  },
  {
    title: 'groups.edit: a higher minimum starts services, where one has just died as well',
    minimum: 1,
    maximum: 2,
    needs: 'crash',
    async run (scene, group, stage) {
      await scene.crash(await first(stage, group))
      await scene.ask('groups.edit', group, { minOnlineService: 2, maxOnlineService: 3 })
    }
  },
  {
    title: 'groups.edit: a lowered maximum ends what is above it, what is STARTING as well',
    minimum: 0,
    maximum: 3,
    needs: 'services',
    async run (scene, group) {
      for (let n = 0; n < 3; n++) await scene.ask('services.start', group)
      await scene.ask('groups.edit', group, { maxOnlineService: 1 })
    }
  },
  {
    title: 'groups.edit: a maximum of none ends all',
    minimum: 2,
    maximum: 2,
    run: async (scene, group) => await scene.ask('groups.edit', group, { minOnlineService: 0, maxOnlineService: 0 })
  },
  {
    title: 'services.stop: the group has its minimum again afterwards',
    minimum: 1,
    maximum: 3,
    needs: 'services',
    run: async (scene, group, stage) => await scene.ask('services.stop', await first(stage, group))
  },
  {
    title: 'groups.edit: a higher minimum is kept, where a service is stopped afterwards',
    minimum: 0,
    maximum: 3,
    needs: 'services',
    async run (scene, group, stage) {
      await scene.ask('groups.edit', group, { minOnlineService: 2 })
      await scene.settle()
      await scene.ask('services.stop', await first(stage, group))
    }
  },
  {
    title: 'groups.edit: a lower minimum is all that is kept, where a service is stopped afterwards',
    minimum: 2,
    maximum: 3,
    needs: 'services',
    async run (scene, group, stage) {
      await scene.ask('groups.edit', group, { minOnlineService: 0 })
      await scene.ask('services.stop', await first(stage, group))
    }
  },
  {
    title: 'services.restart of one of two: the group has its minimum again afterwards',
    minimum: 2,
    maximum: 2,
    needs: 'services',
    run: async (scene, group, stage) => await scene.ask('services.restart', await first(stage, group))
  },
  {
    title: 'a service that dies: the group has its minimum again afterwards',
    minimum: 1,
    maximum: 2,
    needs: 'crash',
    run: async (scene, group, stage) => { await scene.crash(await first(stage, group)) }
  },
  {
    title: 'services.start in a group that has its minimum: it has one more, and keeps it',
    minimum: 1,
    maximum: 2,
    needs: 'services',
    async run (scene, group, stage) {
      await first(stage, group)
      await scene.ask('services.start', group)
    }
  }
]

/** The contract of how groups are kept. */
export const keeping = (has: { readonly services: boolean, readonly force: boolean, readonly crash: boolean, readonly join: boolean }): RuntimeCases => async add => {
  for (const { title, minimum, maximum, needs, run } of steps) {
    if (needs !== undefined && !(has.services && has[needs])) continue
    await add(title, async stage => {
      const scene = await Scene.of(stage)
      const group = stage.group({ minOnlineService: minimum, maxOnlineService: maximum })
      // Another group, which nothing of this may change.
      const other = stage.group({ name: `${group.name}-other`, minOnlineService: 1, maxOnlineService: 1 })
      for (const one of [group, other]) await scene.ask('groups.create', one)
      await scene.settle()
      await run(scene, group.name, stage)
      await scene.settle()
      scene.end()
    })
  }

  await add('groups.edit: a lowered maximum ends what is above it, and nothing of that comes back', async stage => {
    const { scene, group } = await kept(stage, 3, 3)
    await scene.ask('groups.edit', group, { minOnlineService: 0, maxOnlineService: 1 })
    const above = async () => (await stage.services(group)).filter(({ state }) => state !== 'OFFLINE').length > 1
    await stage.until(`${group} has its maximum`, async () => !await above())
    for (let pauses = 0; pauses < STAYS; pauses++) {
      for (let looks = 0; looks < 5; looks++) {
        assert.ok(!await above(), `what was above the maximum of ${group} has ended, and comes back; ${statesOf(await stage.services(group))}`)
        if (stage.subject.pause === undefined) await delay(1)
      }
      await stage.pause()
    }
    scene.end()
  })

  if (has.services) {
    await add('services.stop in a group that has its minimum and its maximum: never more than that are there', async stage => {
      const { scene, group, services } = await kept(stage, 2, 2)
      await scene.ask('services.stop', services[0]!.name)
      let most: readonly RuntimeService[] = []
      await soon(stage, `${group} has its minimum again`, async () => {
        const now = (await stage.services(group)).filter(({ state }) => state !== 'OFFLINE')
        if (now.length > most.length) most = now
        return now.length === 2 && now.every(({ state }) => state === 'ONLINE')
      })
      assert.ok(most.length <= 2, `${group} has at most 2 services that are not OFFLINE; ${statesOf(most)}`)
      scene.end()
    })
  }

  if (has.join) {
    await add('groups.edit: a lowered maximum ends what is above it, when the players on it have left at the latest', async stage => {
      const { scene, group, services } = await kept(stage, 2, 2)
      const players = []
      for (const { name } of services) players.push(await stage.join(name))
      await stage.until('both players are listed', async () => {
        const listed = await stage.settled(stage.runtime.players.list(stage.options), 'players.list')
        return services.every(({ name }) => listed.some(({ currentServiceName }) => currentServiceName === name))
      })
      await scene.ask('groups.edit', group, { minOnlineService: 0, maxOnlineService: 1 })
      await stage.pause()
      for (const { leave } of players) await leave()
      await stage.until(`${group} has its maximum, now that nobody is there`, async () => (await stage.services(group)).filter(({ state }) => state !== 'OFFLINE').length <= 1)
      scene.end()
    })
  }
}

/** Pauses in which something that has ended might come back. */
const STAYS = 6
