/** Broken runtimes and storages: two at once, what comes late, what is left of what is gone. */
import { setImmediate as turn } from 'node:timers/promises'
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { RestartProgress } from '../../types/runtime.js'
import type { CloudStorage, StoredAuditEntry } from '../../types/storage.js'
import { broken, groups, never, services, simulated, stateOf, type Changes } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'
import { call } from './escaped-rows.js'

type Part = 'sessions' | 'keys' | 'audit' | 'metrics'
type Call = (...given: any[]) => Promise<any>

/** What comes while something is purged is answered as done, and forgotten. */
const duringPurge = (flaw: string, purged: Part, part: Part, verb: string, turns = 1): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage() as unknown as Record<string, Record<string, Call>>
    let underWay = 0
    const purge = storage[purged]!['purge']!
    const write = storage[part]![verb]!
    const changed: Record<string, Record<string, Call>> = { ...storage }
    changed[purged] = {
      ...changed[purged],
      async purge (...given) {
        underWay++
        for (let n = 0; n < turns; n++) await turn()
        underWay--
        await purge(...given)
      }
    }
    changed[part] = { ...changed[part], [verb]: async (...given) => underWay > 0 ? 'done' : await write(...given) }
    return changed as unknown as CloudStorage
  }
})

/** Storages that lose something, or have it twice, where two come at once. */
export const escapedAtOnce: ReadonlyArray<Broken<CloudStorage>> = [
  call('of two inserts of entries at once the earlier is lost', 'audit', 'insert', insert => {
    let last = 0
    return async (entries: readonly StoredAuditEntry[]) => {
      const own = ++last
      await turn()
      if (own === last) await insert(entries)
    }
  }),
  {
    flaw: 'of two inserts of one id at once both are stored',
    make () {
      const storage = createMemoryStorage()
      const { insert, list } = storage.audit
      const again: StoredAuditEntry[] = []
      const coming: string[] = []
      return {
        ...storage,
        audit: {
          ...storage.audit,
          async insert (entries) {
            again.push(...entries.filter(({ id }) => coming.includes(id)))
            coming.push(...entries.map(({ id }) => id))
            await turn()
            for (const { id } of entries) coming.splice(coming.indexOf(id), 1)
            await insert(entries)
          },
          async list (filter) {
            const { total, entries } = await list(filter)
            return { total: total + again.length, entries: [...entries, ...again] }
          }
        }
      }
    }
  },
  duringPurge('a login during sessions.purge is lost', 'sessions', 'sessions', 'insert'),
  duringPurge('activity that is noted during sessions.purge is lost', 'sessions', 'sessions', 'touch'),
  duringPurge('a key that is made during keys.purge is lost', 'keys', 'keys', 'insert'),
  duringPurge('the use of a key that is noted during sessions.purge is lost', 'sessions', 'keys', 'touch', 2),
  duringPurge('an entry during audit.purge is lost', 'audit', 'audit', 'insert'),
  duringPurge('a bucket during metrics.purge is lost', 'metrics', 'metrics', 'add', 2)
]

const options = { signal: never }
const progressOf = (runtime: SimulatedRuntime, name: string) => runtime.groups.restarts.progressOf(name, options) as RestartProgress | undefined

/** Ends the restarts of all groups but one, as an edit of each would. */
function endOthers (runtime: SimulatedRuntime, name: string): void {
  for (const { name: other, percentageToStartNewService } of groups(runtime)) {
    if (other !== name && progressOf(runtime, other) !== undefined) runtime.groups.control.edit(other, { percentageToStartNewService }, options)
  }
}

const rolls: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('the restart of a second group ends that of the first', runtime => ({
    restarts: {
      restart (name, options) {
        endOthers(runtime, name)
        return runtime.groups.restarts.restart(name, options)
      }
    }
  })),
  broken('the restart of a second group is forgotten', runtime => ({
    restarts: {
      restart: (name, options) => groups(runtime).some(group => group.name === name) && groups(runtime).some(group => group.name !== name && progressOf(runtime, group.name) !== undefined)
        ? true
        : runtime.groups.restarts.restart(name, options)
    }
  })),
  broken('an edit of another group ends a restart', runtime => ({
    groupControl: {
      edit (name, changes, options) {
        endOthers(runtime, name)
        return runtime.groups.control.edit(name, changes, options)
      }
    }
  })),
  broken('a new group ends a restart', runtime => ({
    groupControl: {
      create (group, options) {
        endOthers(runtime, group.name)
        return runtime.groups.control.create(group, options)
      }
    }
  })),
  broken('the deletion of another group ends a restart', runtime => ({
    groupControl: {
      delete (name, options) {
        endOthers(runtime, name)
        return runtime.groups.control.delete(name, options)
      }
    }
  })),
  broken('the restart of a group leaves out what is STARTING', runtime => {
    // Where there is something to leave out the others are restarted by name.
    const left = new Map<string, string[]>()
    const next = (name: string): void => {
      const all = left.get(name)
      if (all === undefined || services(runtime).some(({ groupName, state }) => groupName === name && state !== 'ONLINE')) return
      const service = all.shift()
      if (service === undefined) left.delete(name)
      else runtime.services.control.restart(service, options)
    }
    return {
      restarts: {
        restart (name, options) {
          const own = services(runtime).filter(({ groupName }) => groupName === name)
          if (!own.some(({ state }) => state === 'STARTING')) return runtime.groups.restarts.restart(name, options)
          left.set(name, own.filter(({ state }) => state === 'ONLINE').map(one => one.name))
          return true
        },
        progressOf (name) {
          next(name)
          return left.has(name) ? { done: 0, total: left.get(name)!.length + 1 } : progressOf(runtime, name)
        }
      }
    }
  }),
  broken('a service that is stopped before its turn is started with its group', runtime => {
    const stopped = new Set<string>()
    return {
      control: {
        stop (name, options) {
          const group = services(runtime).find(one => one.name === name)?.groupName
          if (group !== undefined && stateOf(runtime, name) === 'ONLINE' && progressOf(runtime, group) !== undefined) stopped.add(name)
          return runtime.services.control.stop(name, options)
        }
      },
      restarts: {
        progressOf (name) {
          const now = progressOf(runtime, name)
          for (const service of now === undefined ? [...stopped] : []) {
            stopped.delete(service)
            runtime.services.control.restart(service, options)
          }
          return now
        }
      }
    }
  }),
  broken('the progress of a restart is never told', () => ({ restarts: { progressOf: () => undefined } })),
  broken('the progress of a restart is told until its last service has its turn', runtime => ({
    restarts: {
      progressOf (name) {
        const now = progressOf(runtime, name)
        return now === undefined || now.done >= now.total - 1 ? undefined : now
      }
    }
  }))
]

/** Milliseconds after which a start of a second is late. */
const LATE_MS = 500

const starts: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  {
    flaw: 'a service that dies late while it is STARTING is ONLINE afterwards',
    make () {
      const subject = simulated()
      const runtime = subject.runtime as SimulatedRuntime
      const began = new Map<string, number>()
      runtime.states.watch(({ serviceName, state, at }) => { if (state === 'STARTING') began.set(serviceName, at) }, options)
      return {
        ...subject,
        crash (name) {
          if (stateOf(runtime, name) !== 'STARTING' || runtime.clock.now() - (began.get(name) ?? 0) < LATE_MS) runtime.crash(name)
        }
      }
    }
  },
  broken('a life begins when the service is ONLINE', runtime => {
    const online = new Map<string, number>()
    runtime.states.watch(({ serviceName, state, at }) => { if (state === 'ONLINE') online.set(serviceName, at) }, options)
    return {
      services: items => items.map(({ startedAt, ...item }) => ({ ...item, ...online.has(item.name) && { startedAt: online.get(item.name)! } }))
    }
  }),
  broken('a service that has died has no place of its own in a full group', runtime => ({
    control: {
      start (name, options) {
        const service = services(runtime).find(one => one.name === name)
        const group = groups(runtime).find(one => one.name === service?.groupName)
        const busy = services(runtime).filter(one => one.groupName === group?.name && (one.state !== 'OFFLINE' || one.lastExit?.reason === 'crashed')).length
        return service?.state === 'OFFLINE' && busy >= (group?.maxOnlineService ?? Infinity) ? 'limit' : runtime.services.control.start(name, options)
      }
    }
  }))
]

/** The reasons of the simulated runtime, with those of groups that are gone. */
function remembering (flaw: string, tell: (name: string, now: string | undefined, kept: string | undefined) => string | undefined): Broken<RuntimeUnderTest> {
  return broken(flaw, (runtime): Changes => {
    const last = new Map<string, string>()
    const gone = new Map<string, string>()
    return {
      groupControl: {
        async delete (name, options) {
          const reason = last.get(name)
          const isDeleted = await runtime.groups.control.delete(name, options)
          if (reason !== undefined) gone.set(name, reason)
          return isDeleted
        }
      },
      reasons: {
        async of (name, options) {
          const now = await runtime.groups.reasons?.of(name, options)
          if (now !== undefined && !gone.has(name)) last.set(name, now)
          return tell(name, now, gone.get(name))
        }
      }
    }
  })
}

const left: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  remembering('the reason of a deleted group is still told', (_, now, kept) => now ?? kept),
  remembering('the reason of a deleted group is told for a new one of its name', (_, now, kept) => now === undefined ? undefined : kept ?? now),
  broken('who follows a console with a signal that is aborted is handed the past', ({ consoles }) => ({
    consoles: {
      follow (name, listener, options) {
        if (!options.signal.aborted) return consoles.follow(name, listener, options)
        const past = new AbortController()
        const answer = consoles.follow(name, listener, { ...options, signal: past.signal })
        past.abort()
        return answer
      }
    }
  })),
  broken('who follows a console with a signal that is aborted is told that there is none', ({ consoles }) => ({
    consoles: { follow: (name, listener, options) => options.signal.aborted ? false : consoles.follow(name, listener, options) }
  })),
  broken('a group is listed with a field of the runtime', () => ({ groups: items => items.map(item => ({ ...item, edits: 0 })) }))
]

/** Runtimes that are wrong with two at once, late, or with what is gone. */
export const escapedLate: ReadonlyArray<Broken<RuntimeUnderTest>> = [...rolls, ...starts, ...left]
