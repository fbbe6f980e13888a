/** Broken runtimes: what an end leaves, what is given, a deletion that has failed, odd lines, reasons and damage. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { Group } from '../../types/resources.js'
import type { RuntimeService } from '../../types/runtime.js'
import { begunAnew, broken, groups, never, services, stateOf } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

const options = { signal: never }
const isRolled = (runtime: SimulatedRuntime, group: string): boolean => runtime.groups.restarts.progressOf(group, options) !== undefined

interface Hidden {
  readonly was: RuntimeService['lastExit']
  now?: number
}

/** Shows the exit before in place of the one that follows it. */
function hiding (item: RuntimeService, hidden: Hidden | undefined): RuntimeService {
  if (hidden === undefined || item.lastExit === undefined || item.lastExit.at === hidden.was?.at) return item
  hidden.now ??= item.lastExit.at
  const { lastExit, ...rest } = item
  if (lastExit.at !== hidden.now) return item
  return hidden.was === undefined ? rest : { ...rest, lastExit: hidden.was }
}

/** An end leaves the exit of the life before, where the service was in that state when it was asked for. */
const unexited = (flaw: string, verb: 'stop' | 'kill', state: RuntimeService['state'], after?: 'stop' | 'restart') => broken(flaw, runtime => {
  const asked = new Map<string, string>()
  const kept = new Map<string, Hidden>()
  const { stop, restart } = runtime.services.control
  const note = (name: string, own: string): void => {
    const isMeant = own === verb && stateOf(runtime, name) === state && (after === undefined || asked.get(name) === after)
    if (isMeant) kept.set(name, { was: services(runtime).find(one => one.name === name)?.lastExit })
    asked.set(name, own)
  }
  return {
    control: {
      stop: (name, given) => { note(name, 'stop'); return stop(name, given) },
      restart: (name, given) => { note(name, 'restart'); return restart(name, given) }
    },
    kill: (name, given) => { note(name, 'kill'); return runtime.services.force.kill(name, given) },
    services: items => items.map(item => hiding(item, kept.get(item.name)))
  }
})

/** A program that dies amid STOPPING leaves the exit of the life before. */
function diedStopping (): RuntimeUnderTest {
  const kept = new Map<string, Hidden>()
  let find: (name: string) => RuntimeService | undefined = () => undefined
  const subject = broken('', runtime => {
    find = name => services(runtime).find(one => one.name === name)
    return { services: items => items.map(item => hiding(item, kept.get(item.name))) }
  }).make()
  return {
    ...subject,
    crash: name => {
      const now = find(name)
      if (now?.state === 'STOPPING') kept.set(name, { was: now.lastExit })
      return subject.crash?.(name)
    }
  }
}

const figure = (flaw: string, field: 'memoryUsage' | 'cpuUsage' | 'playerCount', reason: string) => broken(flaw, () => {
  const before = new Map<string, number>()
  return {
    services: items => items.map(item => {
      if (item.state === 'ONLINE') before.set(item.name, Math.max(1, item[field]))
      return item.state === 'OFFLINE' && item.lastExit?.reason === reason ? { ...item, [field]: before.get(item.name) ?? 1 } : item
    })
  }
})

/** What was given is written into, later. */
const writing = (flaw: string, change: (kept: Record<string, unknown>, changes: object) => void, field?: keyof Group) => broken(flaw, ({ groups: { control } }) => {
  const kept = new Map<string, Record<string, unknown>>()
  return {
    groupControl: {
      create: (group, given) => {
        kept.set(group.name, (field === undefined ? group : group[field]) as unknown as Record<string, unknown>)
        return control.create(structuredClone(group), given)
      },
      edit: (name, changes, given) => {
        const answer = control.edit(name, changes, given)
        const one = kept.get(name)
        if (one !== undefined) queueMicrotask(() => { change(one, changes) })
        return answer
      }
    }
  }
})

/** One object is handed out again and again. */
const reused = <T extends object>(): ((value: T) => T) => {
  const one = {} as T
  return value => Object.assign(one, value)
}

/** A group whose deletion has failed once is listed after the one that has not. */
const back = (flaw: string, isShown: (looks: number, isReopened: boolean) => boolean): Broken<RuntimeUnderTest> => {
  return broken(flaw, runtime => {
    const [failed, gone] = [new Map<string, Group>(), new Map<string, Group>()]
    let looks = 0
    let isReopened = false
    const shown = (items: readonly Group[]): readonly Group[] => {
      looks++
      return gone.size > 0 && isShown(looks, isReopened) ? [...items, ...[...gone.values()].filter(one => items.every(({ name }) => name !== one.name))] : items
    }
    return {
      groups: shown,
      groupControl: {
        delete: async (name, given) => {
          const group = groups(runtime).find(one => one.name === name)
          try {
            const answer = await runtime.groups.control.delete(name, given)
            looks = 0
            if (failed.has(name)) gone.set(name, failed.get(name)!)
            return answer
          } catch (error) {
            if (group !== undefined) failed.set(name, group)
            throw error
          }
        }
      },
      reopen: () => {
        isReopened = true
        const now = begunAnew(runtime)
        return { ...now, groups: { ...now.groups, list: async given => shown(await runtime.groups.list(given)) } }
      }
    }
  })
}

const commands = (flaw: string, isOdd: (line: string) => boolean) => broken(flaw, ({ services: { control } }) => ({
  control: {
    command: (name, line, given) => {
      if (isOdd(line)) throw new Error('an odd line')
      return control.command(name, line, given)
    }
  }
}))

const terminals = (flaw: string, isOdd: (line: string) => boolean) => broken(flaw, () => ({
  terminal: {
    execute: line => {
      if (isOdd(line)) throw new Error('an odd line')
      return line === 'help' ? { accepted: true, output: ['help'] } : { accepted: false, output: ['Usage: help'] }
    }
  }
}))

/** A reason is of two lines, or empty, when something is so. */
const reason = (flaw: string, text: string, isSo: (of: readonly RuntimeService[], runtime: SimulatedRuntime, group: string, deleting: ReadonlySet<string>) => boolean) => broken(flaw, runtime => {
  const deleting = new Set<string>()
  return {
    groupControl: {
      delete: async (name, given) => {
        deleting.add(name)
        return await runtime.groups.control.delete(name, given)
      }
    },
    reasons: {
      of: name => {
        if (!groups(runtime).some(group => group.name === name)) return undefined
        return isSo(services(runtime).filter(({ groupName }) => groupName === name), runtime, name, deleting) ? text : 'as it should be'
      }
    }
  }
})

const damage = (flaw: string, isSo: (of: readonly RuntimeService[], runtime: SimulatedRuntime, group: string) => boolean) => broken(flaw, runtime => ({
  damage: { of: name => groups(runtime).some(group => group.name === name) && isSo(services(runtime).filter(({ groupName }) => groupName === name), runtime, name) }
}))

/** Runtimes that leave, keep or tell what they may not. */
export const escapedLeftovers: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  unexited('a kill amid STOPPING leaves the exit of the life before', 'kill', 'STOPPING'),
  unexited('a kill amid a restart leaves the exit of the life before', 'kill', 'STOPPING', 'restart'),
  unexited('a kill that follows a stop leaves the exit of the life before', 'kill', 'STOPPING', 'stop'),
  unexited('a stop amid a restart leaves the exit of the life before', 'stop', 'STOPPING', 'restart'),
  { flaw: 'a death amid STOPPING leaves the exit of the life before', make: diedStopping },
  ...(['memoryUsage', 'cpuUsage', 'playerCount'] as const).flatMap(field => (['crashed', 'killed'] as const).map(how => figure(`${field} stays where a life is ${how}`, field, how))),
  writing('an edit is written into what create was given', (kept, changes) => { Object.assign(kept, changes) }),
  writing('an edit is counted in what create was given', kept => { kept['edits'] = 1 + Number(kept['edits'] ?? 0) }),
  writing('an edit is written into the properties that create was given', kept => { kept['edited'] = true }, 'properties'),
  writing('an edit is written into the templates that create was given', kept => { (kept as unknown as string[]).push('edited') }, 'templates'),
  writing('what edit was given is emptied later', (_, changes) => { queueMicrotask(() => { for (const key of Object.keys(changes)) delete (changes as Record<string, unknown>)[key] }) }),
  broken('the changes of all states are one object', ({ states }) => {
    const one = reused()
    return { states: { watch: (listener, given) => { states.watch(change => { listener(one(change) as typeof change) }, given) } } }
  }),
  broken('the progress of a restart is one object', ({ groups: { restarts } }) => {
    const one = reused()
    return { restarts: { progressOf: async (name, given) => { const now = await restarts.progressOf(name, given); return now && one(now) as typeof now } } }
  }),
  broken('all samples are one object', () => {
    const one = reused()
    return { sample: sample => one(sample) as typeof sample }
  }),
  broken('all starts answer one object', ({ services: { control } }) => {
    const one = reused()
    return { control: { start: async (name, given) => { const answer = await control.start(name, given); return typeof answer === 'object' ? one(answer) as typeof answer : answer } } }
  }),
  broken('the lines of a console are one array', ({ consoles }) => ({
    consoles: {
      follow: (name, listener, given) => {
        const one: string[] = []
        return consoles.follow(name, lines => {
          one.splice(0, one.length, ...lines)
          listener(one)
        }, given)
      }
    }
  })),
  back('a group is back after a new start, where its deletion has failed once', (_, isReopened) => isReopened),
  back('a group is back a moment after its deletion, where that has failed once', looks => looks > 3),
  broken('a group whose deletion has failed goes by itself', runtime => {
    const failed = new Set<string>()
    let looks = 0
    return {
      groups: items => items.filter(({ name }) => !failed.has(name) || looks++ < 3),
      groupControl: {
        delete: async (name, given) => {
          try {
            return await runtime.groups.control.delete(name, given)
          } catch (error) {
            failed.add(name)
            throw error
          }
        }
      }
    }
  }),
  broken('of two groups that are created at once both are made where their names differ in case', runtime => {
    const { create } = runtime.groups.control
    let under = ''
    return {
      groupControl: {
        create (group, given) {
          const isTwin = under !== group.name && under.toLowerCase() === group.name.toLowerCase()
          const isMade = create(group, given)
          if (under === '') setImmediate(() => { under = '' })
          under ||= group.name
          return isMade === true || isTwin
        }
      }
    }
  }),
  broken('a sample tells the memory of services in bytes', () => ({ sample: sample => ({ ...sample, memory: { ...sample.memory, services: sample.memory.services * 1_048_576 } }) })),
  commands('a command of more than a thousand bytes throws', line => line.length > 1_000),
  commands('a command of more than two thousand bytes throws', line => Buffer.byteLength(line) > 2_000),
  commands('a command of 4,095 bytes throws', line => Buffer.byteLength(line) === 4_095),
  commands('a command with quotation marks throws', line => line.includes('"')),
  commands('a command with a dollar throws', line => line.includes('$')),
  commands('a command with a % throws', line => line.includes('%')),
  commands('a command with letters of other scripts throws', line => /[^\x20-\x7e]/u.test(line)),
  commands('a blank command throws', line => line.trim() === ''),
  commands('a command that begins with a slash throws', line => line.startsWith('/')),
  commands('a command that is the name of what every object has throws', line => line in {}),
  terminals('a line of the terminal that is the name of what every object has throws', line => line in {}),
  terminals('a line of the terminal with quotation marks throws', line => line.includes('"')),
  terminals('a long line of the terminal throws', line => line.length > 1_000),
  terminals('a line of the terminal with letters of other scripts throws', line => /[^\x20-\x7e]/u.test(line)),
  reason('a reason is of two lines where somebody has died', 'died\nstarts again', of => of.some(({ lastExit, state }) => lastExit?.reason === 'crashed' && state === 'OFFLINE')),
  reason('a reason is of two lines while somebody is STARTING', 'waits\r\nfor one', of => of.some(({ state }) => state === 'STARTING')),
  reason('a reason is of two lines while somebody is STOPPING', 'waits\nfor one', of => of.some(({ state }) => state === 'STOPPING')),
  reason('a reason is of two lines while a group is restarted', 'restarts\none after the other', (_, runtime, group) => isRolled(runtime, group)),
  reason('a reason is of two lines while a group is deleted', 'is deleted\nsoon', (_, __, group, deleting) => deleting.has(group)),
  reason('a reason is of two lines where somebody was stopped', 'was stopped\nby somebody', of => of.some(({ state, lastExit }) => state === 'OFFLINE' && lastExit?.reason === 'stopped')),
  reason('a reason is blank while a group is restarted', ' ', (_, runtime, group) => isRolled(runtime, group)),
  damage('a group is damaged while it is restarted', (_, runtime, group) => isRolled(runtime, group)),
  damage('a group is damaged while somebody is STARTING', of => of.some(({ state }) => state === 'STARTING')),
  damage('a group is damaged while somebody is STOPPING', of => of.some(({ state }) => state === 'STOPPING')),
  damage('a group is damaged where somebody has died', of => of.some(({ lastExit }) => lastExit?.reason === 'crashed')),
  damage('a group is damaged where somebody was stopped', of => of.some(({ lastExit, state }) => state === 'OFFLINE' && lastExit?.reason === 'stopped'))
]
