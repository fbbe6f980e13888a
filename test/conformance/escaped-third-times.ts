/** Broken runtimes: what comes a third time, what only looks like a name, and the turn of a service in a restart. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import { broken, groups, services, stateOf } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

/** Runtimes that go wrong at the turn, or the next time. */
export const escapedThirdTimes: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a restart that follows a stop that follows a restart is forgotten', ({ services: { control } }) => {
    const calls = new Map<string, string[]>()
    const noted = (name: string, verb: string): string => {
      const all = [...calls.get(name) ?? [], verb].slice(-3)
      calls.set(name, all)
      return all.join()
    }
    return {
      control: {
        restart: (name, given) => noted(name, 'restart') === 'restart,stop,restart' ? true : control.restart(name, given),
        stop: (name, given) => {
          noted(name, 'stop')
          return control.stop(name, given)
        }
      }
    }
  }),
  broken('a template counts as used where its name is a part of one that is', runtime => ({
    templates: {
      delete: (name, given) => groups(runtime).some(({ templates }) => templates.join().includes(name)) ? 'in-use' : runtime.templates.delete(name, given)
    }
  })),
  broken('a template that was renamed counts as not used', runtime => {
    const renamed = new Set<string>()
    return {
      templates: {
        rename: async (name, newName, given) => {
          const answer = await runtime.templates.rename(name, newName, given)
          if (answer === true) renamed.add(newName)
          return answer
        },
        delete: (name, given) => renamed.has(name) ? true : runtime.templates.delete(name, given)
      }
    }
  }),
  broken('who is STARTING cannot be followed', runtime => ({
    consoles: {
      follow: (name, listener, given) => stateOf(runtime, name) === 'STARTING' ? false : runtime.consoles.follow(name, listener, given)
    }
  })),
  broken('who watches when nobody has for a while is told nothing', ({ states }) => {
    let [watching, isOver] = [0, false]
    return {
      states: {
        watch: (listener, given) => {
          if (isOver) return
          watching++
          given.signal.addEventListener('abort', () => { isOver = --watching === 0 })
          states.watch(listener, given)
        }
      }
    }
  }),
  broken('the restart of a group ends where one of its services is stopped', runtime => ({
    control: {
      stop: (name, given) => {
        const answer = runtime.services.control.stop(name, given)
        const group = groups(runtime).find(one => name.startsWith(`${one.name}-`))
        if (group !== undefined && runtime.groups.restarts.progressOf(group.name, given) !== undefined) {
          runtime.groups.control.edit(group.name, { percentageToStartNewService: group.percentageToStartNewService }, given)
        }
        return answer
      }
    }
  })),
  broken('the restart of a group restarts the services of one whose name begins so', runtime => ({
    restarts: {
      restart: (name, given) => {
        for (const one of services(runtime)) {
          if (one.groupName !== name && one.name.startsWith(name) && one.state === 'ONLINE') runtime.services.control.restart(one.name, given)
        }
        return runtime.groups.restarts.restart(name, given)
      }
    }
  })),
  broken('of two templates that are renamed to one name at once one is lost', runtime => {
    let isBusy = false
    return {
      templates: {
        rename: async (name, newName, given) => {
          if (isBusy) return await runtime.templates.delete(name, given) === true
          isBusy = true
          try {
            return await runtime.templates.rename(name, newName, given)
          } finally {
            isBusy = false
          }
        }
      }
    }
  })
]
