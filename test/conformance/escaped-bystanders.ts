/** Broken runtimes: what a verb does to those whom nobody named, and what is told of a kind of service or of a state that few try. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { RuntimeService } from '../../types/runtime.js'
import { broken, never, services, stateOf } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

const options = { signal: never }

/** The deletion of a group ends services of another one. */
const endsOthers = (flaw: string, isMeant: (service: RuntimeService, group: string) => boolean) => broken(flaw, (runtime: SimulatedRuntime) => ({
  groupControl: {
    delete: async (name, given) => {
      const others = services(runtime).filter(one => one.groupName !== name && isMeant(one, name))
      const answer = await runtime.groups.control.delete(name, given)
      for (const { name } of others) runtime.crash(name)
      return answer
    }
  }
}))

export const escapedBystanders: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  endsOthers('a deletion ends services the names of which begin as its group', ({ name, state }, group) => name.startsWith(group) && state !== 'OFFLINE'),
  endsOthers('a deletion ends what is STARTING in another group', ({ state }) => state === 'STARTING'),
  broken('a restart of a group starts what was stopped', runtime => ({
    restarts: {
      restart: (name, given) => {
        const stopped = services(runtime).filter(one => one.groupName === name && one.state === 'OFFLINE')
        const answer = runtime.groups.restarts.restart(name, given)
        if (answer === true) for (const one of stopped) runtime.services.control.start(one.name, options)
        return answer
      }
    }
  })),
  broken('a PROXY is listed as a SERVER', () => ({
    services: items => items.map(item => item.type === 'PROXY' ? { ...item, type: 'SERVER', playerCount: 0, maxPlayerCount: 100 } : item)
  })),
  broken('the end of a life that was never ONLINE is not told', runtime => {
    const [ended, last] = [new Map<string, number | undefined>(), new Map<string, string>()]
    runtime.states.watch(({ serviceName, state }) => {
      if (last.get(serviceName) === 'STARTING' && state !== 'ONLINE') ended.set(serviceName, services(runtime).find(({ name }) => name === serviceName)?.startedAt)
      last.set(serviceName, state)
    }, options)
    return {
      services: items => items.map(item => {
        const { lastExit, ...rest } = item
        return item.state === 'OFFLINE' && item.startedAt !== undefined && ended.get(item.name) === item.startedAt ? rest : item
      })
    }
  }),
  broken('a start answers when the service is ONLINE', runtime => ({
    control: {
      start: async (name, given) => {
        const answer = await runtime.services.control.start(name, given)
        if (typeof answer === 'object') while (stateOf(runtime, answer.name) === 'STARTING') await turn()
        return answer
      }
    }
  }))
]
