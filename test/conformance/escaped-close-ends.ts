/** Broken runtimes: ends and beginnings that are close to each other, and what is only so at one moment. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { RuntimeService } from '../../types/runtime.js'
import { broken, groups, lower, services } from './broken-runtimes.js'
import { withDownloads } from './broken-lives.js'
import type { Broken } from './broken-storages.js'

/** A platform whose files are there from the second time on that they are asked for. */
const forgetting = (): RuntimeUnderTest => {
  let isThere = false
  const subject = withDownloads()
  const { platforms } = subject.runtime
  const fetch = platforms.downloads!.fetch.bind(platforms.downloads)
  return {
    ...subject,
    pause: async () => {
      await subject.pause?.()
      isThere = true
    },
    runtime: {
      ...subject.runtime,
      platforms: {
        list: platforms.list.bind(platforms),
        downloads: {
          fetch: async (name, version, options) => {
            const lines = await fetch(name, version, options)
            return lines === false || !isThere ? lines : lines.slice(1)
          }
        }
      }
    }
  }
}

export const escapedCloseEnds: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a name that was given up half-way is never free again', ({ groups: { control } }) => {
    const half = new Set<string>()
    return {
      groupControl: {
        create: async (group, given) => {
          if (half.has(group.name)) return false
          if (!given.signal.aborted) return await control.create(group, given)
          half.add(group.name)
          throw new Error('given up')
        }
      }
    }
  }),
  broken('a program that has died while it was STARTING is ONLINE when it would have been', runtime => {
    const wasStarting = new Set<string>()
    const ghosts = new Map<string, number>()
    return {
      services: items => items.map((item: RuntimeService) => {
        if (item.state === 'STARTING') wasStarting.add(item.name)
        else if (item.state === 'OFFLINE' && item.lastExit?.reason === 'crashed' && wasStarting.delete(item.name)) ghosts.set(item.name, 4)
        else if (item.state !== 'OFFLINE') wasStarting.delete(item.name)
        const left = ghosts.get(item.name) ?? 0
        if (left === 0 || item.state !== 'OFFLINE') return item
        ghosts.set(item.name, left - 1)
        return { ...item, state: 'ONLINE' as const }
      })
    }
  }),
  broken('who was killed counts as one of the maximum', runtime => {
    const killed = new Set<string>()
    const { control, force } = runtime.services
    return {
      kill: (name, given) => {
        killed.add(name)
        return force.kill(name, given)
      },
      control: {
        start: (name, given) => {
          const group = groups(runtime).find(one => one.name === name)
          const own = services(runtime).filter(one => one.groupName === name && (one.state !== 'OFFLINE' || killed.has(one.name)))
          return group !== undefined && own.length >= group.maxOnlineService ? 'limit' : control.start(name, given)
        }
      }
    }
  }),
  broken('who is killed before its turn in a restart of its group is started again', runtime => {
    const killed = new Set<string>()
    const { services: { control, force }, groups: { restarts } } = runtime
    return {
      kill: (name, given) => {
        const service = services(runtime).find(one => one.name === name)
        if (service !== undefined && restarts.progressOf(service.groupName, given) !== undefined) killed.add(name)
        return force.kill(name, given)
      },
      services: items => {
        for (const { name, state } of items) if (state === 'OFFLINE' && killed.delete(name)) control.start(name, { signal: new AbortController().signal })
        return items
      }
    }
  }),
  broken('who is restarted with its group has died', runtime => {
    const before = new Map<string, number | undefined>()
    const { restarts } = runtime.groups
    return {
      restarts: {
        restart: (name, given) => {
          for (const one of services(runtime)) if (one.groupName === name) before.set(one.name, one.lastExit?.at)
          return restarts.restart(name, given)
        }
      },
      services: items => items.map(item => item.lastExit !== undefined && before.has(item.name) && before.get(item.name) !== item.lastExit.at ? { ...item, lastExit: { ...item.lastExit, reason: 'crashed' as const } } : item)
    }
  }),
  broken('lines are composed', ({ consoles }) => ({
    consoles: { follow: (name, listener, options) => consoles.follow(name, lines => { listener(lines.map(line => line.normalize('NFC'))) }, options) }
  })),
  broken('a name that differs in case is free while its group is being deleted', runtime => {
    const going = new Set<string>()
    const { control } = runtime.groups
    return {
      groupControl: {
        delete: async (name, given) => {
          going.add(name)
          return await control.delete(name, given)
        },
        create: async (group, given) => {
          const isOther = !going.has(group.name) && [...going].some(name => lower(name) === lower(group.name)) && groups(runtime).some(({ name }) => lower(name) === lower(group.name))
          return isOther || await control.create(group, given)
        }
      }
    }
  }),
  broken('a service that was OFFLINE is restarted without its wish', runtime => {
    const careless = new Set<string>()
    const { control } = runtime.services
    return {
      control: {
        restart: (name, given) => {
          if (services(runtime).some(one => one.name === name && one.state === 'OFFLINE')) careless.add(name)
          return control.restart(name, given)
        }
      },
      services: items => {
        for (const { name, state, lastExit } of items) {
          if (state === 'ONLINE') careless.delete(name)
          if (state === 'OFFLINE' && lastExit?.reason === 'crashed' && careless.delete(name)) control.stop(name, { signal: new AbortController().signal })
        }
        return items
      }
    }
  }),
  { flaw: 'a file that is there already has no line', make: forgetting }
]

/** Right ones: a service that takes the name of another one is new, and that it is STARTING need not be told. */
export const rightCloseEnds: Readonly<Record<string, () => RuntimeUnderTest>> = {
  'that a new service is STARTING is not told': () => broken('', runtime => {
    const known = new Map<string, number>()
    return {
      states: {
        watch: (listener, options) => {
          for (const { name, createdAt } of services(runtime)) known.set(name, createdAt)
          runtime.states.watch(change => {
            const createdAt = services(runtime).find(({ name }) => name === change.serviceName)?.createdAt
            const isNew = known.get(change.serviceName) !== createdAt && createdAt !== undefined
            if (isNew) known.set(change.serviceName, createdAt)
            if (!(isNew && change.state === 'STARTING')) listener(change)
          }, options)
        }
      }
    }
  }).make(),
  'others are there already, with players on them': () => {
    const subject = broken('', () => ({})).make()
    const group = { ...subject.group!, name: 'earlier', minOnlineService: 2, maxOnlineService: 2 }
    const never = { signal: new AbortController().signal }
    subject.runtime.groups.control!.create(group, never)
    for (let pauses = 0; pauses < 200; pauses++) subject.pause?.()
    subject.join?.('earlier-1')
    return subject
  }
}
