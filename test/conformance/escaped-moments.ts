/** Broken runtimes: most have verbs that are promised, and are wrong at one moment only. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { Exit } from '../../types/resources.js'
import type { CallOptions } from '../../types/runtime.js'
import { begunAnew, never, services } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'
import { changed } from './escaped-later-turns.js'

const options = { signal: never }
const isRolled = (runtime: SimulatedRuntime, group: string): boolean => runtime.groups.restarts.progressOf(group, options) !== undefined
const groupOf = (runtime: SimulatedRuntime, name: string): string => services(runtime).find(one => one.name === name)?.groupName ?? ''

/** An old service ends with its successor, which dies in that state. */
const endsWith = (state: 'STARTING' | 'ONLINE') => changed(`an old service ends with its successor that dies while it is ${state}`, runtime => {
  const old = new Map<string, ReadonlySet<string>>()
  const last = new Map<string, string>()
  runtime.states.watch(change => {
    const group = groupOf(runtime, change.serviceName)
    const hasDied = change.state === 'OFFLINE' && last.get(change.serviceName) === state
    last.set(change.serviceName, change.state)
    if (!hasDied || !isRolled(runtime, group) || old.get(group)?.has(change.serviceName) !== false) return
    const first = services(runtime).find(one => one.state === 'ONLINE' && old.get(group)?.has(one.name) === true)
    if (first !== undefined) runtime.services.force.kill(first.name, options)
  }, options)
  return {
    groups: {
      restarts: {
        ...runtime.groups.restarts,
        restart: async (name: string, given: CallOptions) => {
          if (!isRolled(runtime, name)) old.set(name, new Set(services(runtime).filter(one => one.groupName === name).map(one => one.name)))
          return runtime.groups.restarts.restart(name, given)
        }
      }
    }
  }
})

export const escapedMoments: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  {
    flaw: 'a deletion leaves processes of the core before',
    make () {
      const subject = changed('', () => ({})).make()
      const left = new Map<string, number>()
      return {
        ...subject,
        reopen () {
          for (const { groupName, state } of services(subject.runtime as unknown as SimulatedRuntime)) if (state === 'ONLINE') left.set(groupName, (left.get(groupName) ?? 0) + 1)
          return begunAnew(subject.runtime, (subject.runtime as unknown as SimulatedRuntime).clock)
        },
        remains: group => left.get(group) ?? 0
      }
    }
  },
  endsWith('STARTING'),
  endsWith('ONLINE'),
  changed('lastExit is told while the life that it is of is STOPPING', runtime => {
    const exits = new Map<string, Exit>()
    return {
      services: {
        list: () => services(runtime).map(item => {
          if (item.state !== 'STOPPING') exits.delete(item.name)
          else if (!exits.has(item.name)) exits.set(item.name, { at: runtime.clock.now(), reason: 'stopped', code: 0, signal: null, lastLines: [] })
          return { ...item, ...item.state === 'STOPPING' && { lastExit: exits.get(item.name)! } }
        }),
        control: Object.fromEntries(Object.entries(runtime.services.control).map(([verb, act]) => [verb, async (...given: unknown[]) => await (act as (...given: unknown[]) => unknown)(...given)]))
      }
    }
  }),
  changed('a second restart comes after the first, where verbs are promised', runtime => {
    const under = new Set<string>()
    const twice = new Set<string>()
    const { control } = runtime.services
    runtime.states.watch(({ serviceName, state }) => {
      if (state === 'ONLINE' && under.delete(serviceName) && twice.delete(serviceName)) control.restart(serviceName, options)
    }, options)
    return {
      services: {
        control: {
          ...control,
          restart: async (name: string, given: CallOptions) => {
            if (under.has(name)) twice.add(name)
            under.add(name)
            return await control.restart(name, given)
          },
          stop: async (name: string, given: CallOptions) => {
            under.delete(name)
            twice.delete(name)
            return await control.stop(name, given)
          }
        }
      }
    }
  }),
  changed('who has died is none of the maximum, where verbs are promised', runtime => {
    const { control } = runtime.services
    return {
      services: {
        control: {
          ...control,
          start: async (name: string, given: CallOptions) => {
            const answer = await control.start(name, given)
            const dead = services(runtime).find(one => one.groupName === name && one.state === 'OFFLINE' && one.lastExit?.reason === 'crashed')
            return answer === 'limit' && dead !== undefined ? await control.start(dead.name, given) : answer
          }
        }
      }
    }
  }),
  changed('a restart of a group is never over where a service dies in its turn', runtime => {
    const last = new Map<string, string>()
    const hangs = new Set<string>()
    const { restarts, control } = runtime.groups
    runtime.states.watch(({ serviceName, state }) => {
      const group = groupOf(runtime, serviceName)
      if (state === 'OFFLINE' && last.get(serviceName) === 'STARTING' && isRolled(runtime, group)) hangs.add(group)
      last.set(serviceName, state)
    }, options)
    return {
      groups: {
        control: {
          ...control,
          delete: async (name: string, given: CallOptions) => {
            hangs.delete(name)
            return await control.delete(name, given)
          }
        },
        restarts: {
          ...restarts,
          progressOf: (name: string, given: CallOptions) => restarts.progressOf(name, given) ?? (hangs.has(name) ? { done: 1, total: 2 } : undefined)
        }
      }
    }
  }),
  changed('a group is not restarted again where an edit has ended a restart of it', runtime => {
    const ended = new Set<string>()
    const { restarts, control } = runtime.groups
    return {
      groups: {
        control: {
          ...control,
          edit: async (name: string, changes: Parameters<typeof control.edit>[1], given: CallOptions) => {
            if (isRolled(runtime, name)) ended.add(name)
            return await control.edit(name, changes, given)
          }
        },
        restarts: { ...restarts, restart: async (name: string, given: CallOptions) => ended.has(name) || await restarts.restart(name, given) }
      }
    }
  }),
  changed('the players of the life before are counted', runtime => {
    const before = new Map<string, { readonly startedAt: number | undefined, readonly count: number }>()
    const { control } = runtime.services
    return {
      services: {
        list: () => services(runtime).map(item => {
          const stale = before.get(item.name)
          return stale === undefined || item.state !== 'ONLINE' || item.playerCount < 0 || item.startedAt === stale.startedAt ? item : { ...item, playerCount: item.playerCount + stale.count }
        }),
        control: {
          ...control,
          restart: async (name: string, given: CallOptions) => {
            const service = services(runtime).find(one => one.name === name)
            if (service !== undefined && service.playerCount > 0) before.set(name, { startedAt: service.startedAt, count: service.playerCount })
            return await control.restart(name, given)
          }
        }
      }
    }
  })
]
