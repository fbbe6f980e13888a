/** Every state that a service can be in, and how it is brought there. */
import type { RuntimeService } from '../../../types/runtime.js'
import type { Scene } from './scene.js'

/** A service among others: one of its own group, and one of another. */
export interface Cast {
  readonly scene: Scene
  /** The service that is acted on. */
  readonly target: RuntimeService
  /** Services that nothing is asked of. */
  readonly others: readonly RuntimeService[]
}

/** A state, and how the target gets there from ONLINE. */
export interface Way {
  readonly state: string
  /** What else the author has to give for it. */
  readonly needs?: 'crash'
  /** Whether the group of the target is being deleted then. */
  readonly isGoing?: true
  /** Whether the others of its group are led there as well. */
  readonly isOfAll?: true
  /** Whether a program of the target may run then. */
  readonly runs?: true
  lead (cast: Cast): Promise<void>
}

const stop = async ({ scene, target }: Cast): Promise<void> => {
  await scene.ask('services.stop', target.name)
  await scene.stage.becomes(target.name, 'OFFLINE')
}
const begin = async ({ scene, target }: Cast): Promise<void> => { await scene.begin(target.groupName) }

/** All of them. What a runtime is never seen in is led to all the same: what it is in then is as good. */
export const ways: readonly Way[] = [
  { state: 'ONLINE', runs: true, lead: async () => {} },
  { state: 'STOPPING', runs: true, lead: async ({ scene, target }) => { await scene.ask('services.stop', target.name) } },
  { state: 'OFFLINE, as somebody asked', lead: stop },
  {
    state: 'STARTING',
    runs: true,
    async lead (cast) {
      await stop(cast)
      await cast.scene.ask('services.start', cast.target.name)
    }
  },
  {
    state: 'STARTING by a restart, and was OFFLINE, as somebody asked',
    runs: true,
    async lead (cast) {
      await stop(cast)
      await cast.scene.ask('services.restart', cast.target.name)
    }
  },
  { state: 'restarting', runs: true, lead: async ({ scene, target }) => { await scene.ask('services.restart', target.name) } },
  {
    state: 'OFFLINE by its death',
    needs: 'crash',
    async lead ({ scene, target }) { await scene.crash(target.name) }
  },
  {
    state: 'OFFLINE by its death, and the others are as many as there may be',
    needs: 'crash',
    async lead (cast) {
      await cast.scene.crash(cast.target.name)
      await cast.scene.ask('groups.edit', cast.target.groupName, { maxOnlineService: 1 })
    }
  },
  {
    state: 'OFFLINE by its death, as all of its group',
    needs: 'crash',
    isOfAll: true,
    async lead ({ scene, target, others }) {
      await scene.ask('groups.edit', target.groupName, { maxOnlineService: 2 })
      for (const { name, groupName } of [target, ...others]) if (groupName === target.groupName) await scene.crash(name)
    }
  },
  {
    state: 'OFFLINE in a group that has its maximum',
    async lead (cast) {
      await stop(cast)
      // The other one of the group is as many as there may be.
      await cast.scene.ask('groups.edit', cast.target.groupName, { maxOnlineService: 1 })
    }
  },
  { state: 'ONLINE, its group being deleted', isGoing: true, runs: true, lead: begin },
  {
    state: 'OFFLINE, its group being deleted',
    isGoing: true,
    async lead (cast) {
      await stop(cast)
      await begin(cast)
    }
  },
  {
    state: 'STARTING, its group being deleted',
    isGoing: true,
    runs: true,
    async lead (cast) {
      await stop(cast)
      await cast.scene.ask('services.start', cast.target.name)
      await begin(cast)
    }
  },
  {
    state: 'gone with its group',
    isGoing: true,
    async lead ({ scene, target }) { await scene.ask('groups.delete', target.groupName) }
  }
]
