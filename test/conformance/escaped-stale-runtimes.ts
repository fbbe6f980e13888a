/** Broken runtimes: what was so once and is believed to be so still, and what is altered or goes on where it should begin anew. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { Player } from '../../types/resources.js'
import type { RestartProgress, RuntimeService } from '../../types/runtime.js'
import { broken, groups, never, services, stateOf, type Changes } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

const options = { signal: never }

const progressOf = (runtime: SimulatedRuntime, group: string) => runtime.groups.restarts.progressOf(group, options) as RestartProgress | undefined
const playersOf = (runtime: SimulatedRuntime, service: string) => (runtime.players.list(options) as readonly Player[]).filter(({ currentServiceName }) => currentServiceName === service)

/** Follows the lives of a group that is restarted: tells who dies without having been asked to end, and who was there when it began. */
function following (runtime: SimulatedRuntime, died: (service: string, old: readonly string[], group: string) => void): Required<Pick<Changes, 'restarts'>> {
  const old = new Map<string, readonly string[]>()
  const last = new Map<string, string>()
  runtime.states.watch(({ serviceName, state }) => {
    const group = groups(runtime).find(({ name }) => serviceName.startsWith(`${name}-`))?.name ?? ''
    if (state === 'OFFLINE' && last.get(serviceName) === 'ONLINE' && progressOf(runtime, group) !== undefined) died(serviceName, old.get(group) ?? [], group)
    last.set(serviceName, state)
  }, options)
  return {
    restarts: {
      restart: (name, given) => {
        old.set(name, services(runtime).filter(({ groupName, state }) => groupName === name && state === 'ONLINE').map(one => one.name))
        return runtime.groups.restarts.restart(name, given)
      }
    }
  }
}

/** Ends somebody, as soon as nobody plays there, when somebody else has died who was there in the place of another. */
const believing = (flaw: string, isMeant: (service: string, old: readonly string[]) => boolean, end: (runtime: SimulatedRuntime, service: string) => unknown) => broken(flaw, runtime => {
  const going = new Set<string>()
  return {
    ...following(runtime, (service, old) => { if (isMeant(service, old)) for (const one of old) if (one !== service) going.add(one) }),
    services: items => {
      for (const name of going) {
        if (playersOf(runtime, name).length > 0 || stateOf(runtime, name) !== 'ONLINE') continue
        going.delete(name)
        end(runtime, name)
      }
      return items
    }
  }
})

/** Who is restarted when their group is deleted is shown otherwise than STOPPING. */
const returning = (flaw: string, change: (runtime: SimulatedRuntime, going: ReadonlySet<string>) => Changes) => broken(flaw, runtime => {
  const [restarted, going] = [new Set<string>(), new Set<string>()]
  const changes = change(runtime, going)
  return {
    ...changes,
    control: {
      restart: (name, given) => {
        restarted.add(name)
        return runtime.services.control.restart(name, given)
      }
    },
    groupControl: {
      delete: (name, given) => {
        for (const one of services(runtime)) if (one.groupName === name && restarted.has(one.name) && one.state === 'STOPPING') going.add(one.name)
        return runtime.groups.control.delete(name, given)
      }
    }
  }
})

const lines = (flaw: string, change: (lines: readonly string[]) => readonly string[]) => broken(flaw, () => ({
  services: items => items.map(item => item.lastExit === undefined ? item : { ...item, lastExit: { ...item.lastExit, lastLines: change(item.lastExit.lastLines) } })
}))

const progress = (flaw: string, change: (now: RestartProgress, runtime: SimulatedRuntime, group: string) => RestartProgress) => broken(flaw, runtime => ({
  restarts: {
    progressOf: name => {
      const now = progressOf(runtime, name)
      return now && change(now, runtime, name)
    }
  }
}))

/** Runtimes that believe what was so once. */
export const escapedStale: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  believing('a successor that was ONLINE once is there', (service, old) => !old.includes(service), (runtime, name) => runtime.services.control.stop(name, options)),
  believing('a successor that was ONLINE once is there, and the old one killed', (service, old) => !old.includes(service), (runtime, name) => runtime.services.force.kill(name, options)),
  believing('who was back once is there, and the last one goes', (service, old) => old.includes(service), (runtime, name) => runtime.services.control.restart(name, options)),
  broken('who dies before the turn counts as done, and stays so', runtime => following(runtime, (service, old) => {
    if (old.includes(service)) queueMicrotask(() => { runtime.services.control.stop(service, options) })
  })),
  broken('who dies before the turn is done at once', runtime => {
    const dead = new Map<string, number>()
    const { restarts } = following(runtime, (service, old, group) => { if (old.includes(service)) dead.set(group, (dead.get(group) ?? 0) + 1) })
    return {
      restarts: {
        ...restarts,
        progressOf: name => {
          const now = progressOf(runtime, name)
          return now && { ...now, done: Math.min(now.total, now.done + (dead.get(name) ?? 0)) }
        }
      }
    }
  }),
  progress('nothing is done while players leave', (now, runtime, group) => services(runtime).some(one => one.groupName === group && playersOf(runtime, one.name).length > 0) ? { ...now, done: 0 } : now),
  progress('nothing is done until all is', now => ({ ...now, done: now.done < now.total ? 0 : now.done })),
  progress('who has players is not done, nor who comes after', (now, runtime, group) => {
    const free = services(runtime).filter(one => one.groupName === group && one.state === 'ONLINE' && playersOf(runtime, one.name).length === 0).length
    return { ...now, done: free < 3 && services(runtime).some(one => playersOf(runtime, one.name).length > 0) ? Math.max(0, now.done - 1) : now.done }
  }),
  returning('who is STOPPING for a restart starts once more in a group that is deleted', (_, going) => {
    let looks = 0
    return { services: items => items.map((item): RuntimeService => going.has(item.name) && item.state === 'STOPPING' && ++looks > 3 ? { ...item, state: 'STARTING' } : item) }
  }),
  returning('who is STOPPING for a restart has a process once more when the group is deleted', (_, going) => ({ remains: group => [...going].filter(name => name.startsWith(`${group}-`)).length })),
  returning('who is STOPPING for a restart is told to start once more in a group that is deleted', (runtime, going) => ({
    states: {
      watch: (listener, given) => {
        runtime.states.watch(change => {
          if (change.state === 'OFFLINE' && going.has(change.serviceName)) listener({ ...change, state: 'STARTING' })
          listener(change)
        }, given)
      }
    }
  })),
  lines('empty lines are no last lines', all => all.filter(line => line !== '')),
  lines('blank lines are no last lines', all => all.filter(line => line.trim() !== '')),
  lines('last lines are trimmed', all => all.map(line => line.trim())),
  lines('of last lines that are alike there is one', all => all.filter((line, at) => line !== all[at - 1])),
  lines('last lines are cut early', all => all.map(line => line.slice(0, 80))),
  lines('last lines are of ASCII', all => all.map(line => line.replace(/[^\x20-\x7e]/gu, '?'))),
  broken('the uptime goes on over a new start', runtime => ({ reopen: () => runtime })),
  broken('the uptime of a new start begins where the last one was', runtime => {
    let before = 0
    return {
      sample: sample => {
        before = sample.uptime
        return sample
      },
      reopen: () => ({ ...runtime, metrics: { sample: async given => ({ ...await runtime.metrics.sample(given), uptime: before }) } })
    }
  })
]
