/** Broken runtimes: names of groups taken for those of services, what is too large, and properties that reach a service by some starts only. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { Group } from '../../types/resources.js'
import { broken, groups, services } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

/** More than this is too large. */
const MOST = 50_000
const isLarge = (group: object): boolean => JSON.stringify(group).length > MOST

export const escapedMixedUp: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a stop of the name of a group stops its first service', ({ services: { control } }) => ({
    control: { stop: (name, given) => control.stop(name, given) || control.stop(`${name}-1`, given) }
  })),
  broken('a kill leaves the group below its minimum', runtime => {
    const minimum = new Map<string, number>()
    return {
      groups: items => items.map(item => ({ ...item, minOnlineService: minimum.get(item.name) ?? item.minOnlineService })),
      kill: async (name, given) => {
        const group = groups(runtime).find(one => one.name === services(runtime).find(service => service.name === name)?.groupName)
        if (group !== undefined && group.minOnlineService > 0) {
          minimum.set(group.name, group.minOnlineService)
          await runtime.groups.control.edit(group.name, { minOnlineService: 0 }, given)
        }
        return await runtime.services.force.kill(name, given)
      }
    }
  }),
  broken('a template is renamed wherever a name begins with its own', ({ groups: { control, list }, templates }) => ({
    templates: {
      rename: async (name, newName, given) => {
        const answer = await templates.rename(name, newName, given)
        for (const group of answer === true ? list(given) as readonly Group[] : []) {
          const templates = group.templates.map(one => one.startsWith(name) ? newName + one.slice(name.length) : one)
          await control.edit(group.name, { templates }, given)
        }
        return answer
      }
    }
  })),
  broken('a group that is too large is made', ({ groups: { control } }) => ({
    groupControl: {
      create: async (group, given) => {
        const answer = await control.create(group, given)
        return answer === true && isLarge(group) ? 'too-large' : answer
      }
    }
  })),
  broken('an edit that is too large is kept', ({ groups: { control } }) => ({
    groupControl: {
      edit: async (name, changes, given) => {
        const answer = await control.edit(name, changes, given)
        return typeof answer === 'object' && isLarge(changes) ? 'too-large' : answer
      }
    }
  })),
  broken('properties that are taken away stay with a service', () => {
    const seen = new Map<string, Record<string, string>>()
    return {
      services: items => items.map(item => {
        const properties = { ...seen.get(item.name), ...item.properties }
        seen.set(item.name, properties)
        return { ...item, properties }
      })
    }
  }),
  broken('properties reach no service by a restart of its group', runtime => {
    const was = new Map<string, Record<string, string>>()
    return {
      services: items => items.map(item => {
        const old = was.get(item.name)
        return old === undefined || item.state === 'OFFLINE' ? item : { ...item, properties: old }
      }),
      restarts: {
        restart: (name, given) => {
          for (const one of services(runtime)) if (one.groupName === name && one.state !== 'OFFLINE') was.set(one.name, one.properties)
          return runtime.groups.restarts.restart(name, given)
        }
      }
    }
  })
]

/** Right ones: what they keep has a limit. */
export const rightMixedUp: Readonly<Record<string, () => RuntimeUnderTest>> = {
  'what is too large is refused': () => broken('', runtime => ({
    groupControl: {
      create: (group, given) => isLarge(group) && !groups(runtime).some(({ name }) => name.toLowerCase() === group.name.toLowerCase()) ? 'too-large' : runtime.groups.control.create(group, given),
      edit: (name, changes, given) => {
        const group: Group | undefined = groups(runtime).find(one => one.name === name)
        return group !== undefined && isLarge({ ...group, ...changes }) ? 'too-large' : runtime.groups.control.edit(name, changes, given)
      }
    }
  })).make()
}
