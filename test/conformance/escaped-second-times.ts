/** Broken runtimes and storages: the second time, the far end of a range, what is of another. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { SimulatedRuntime } from '../../lib/runtime/simulated/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { CloudRuntime, RestartProgress, RuntimeService } from '../../types/runtime.js'
import type { PackedFile, TemplateFiles } from '../../types/template-files.js'
import type { CloudStorage, StorageChange, StoredKey, StoredRole } from '../../types/storage.js'
import { rightFiles } from './broken-files.js'
import { withDownloads } from './broken-lives.js'
import { broken, groups, never, services, simulated } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'
import { call, operatorFor } from './escaped-rows.js'

const changed = (flaw: string, change: (storage: CloudStorage) => Partial<CloudStorage>): Broken<CloudStorage> => ({
  flaw,
  make () {
    const storage = createMemoryStorage()
    return { ...storage, ...change(storage) }
  }
})

/** Storages that are right the first time, or nearby, or of their own process. */
export const escapedFar: ReadonlyArray<Broken<CloudStorage>> = [
  changed('setPassword ends the logins of others that came from nowhere', storage => ({
    users: {
      ...storage.users,
      async setPassword (uuid, hash, asked) {
        const outcome = await storage.users.setPassword(uuid, hash, asked)
        if (outcome !== 'done' || asked.keepSession !== undefined) return outcome
        for (const { user } of await storage.users.list()) {
          for (const { id, ip } of await storage.sessions.list(user.uuid, 0)) if (ip === '') await storage.sessions.delete(user.uuid, id, operatorFor(asked))
        }
        return outcome
      }
    }
  })),
  call('roles.update takes a version that is two older', 'roles', 'update', (update, storage) => async (role: StoredRole, asked) => {
    const now = (await storage.roles.find(role.id))?.version ?? 0
    return await update(role.version < now - 1 ? { ...role, version: now } : role, asked)
  }),
  call('keys.delete of nobody deletes the key of anybody', 'keys', 'delete', run => async (id: string, asked) => await run(id, asked.userUuid === '' ? { ...asked, userUuid: undefined } : asked)),
  changed('keys.purge takes keys that never expire where a user has many', storage => ({
    keys: {
      ...storage.keys,
      async purge (now) {
        await storage.keys.purge(now)
        const all: readonly StoredKey[] = (await storage.keys.listAll(0)).map(({ key }) => key)
        for (const key of all) {
          const isOld = key.expiresAt === null && key.createdAt <= now && key.lastUsedAt === null
          if (isOld && all.filter(({ userUuid }) => userUuid === key.userUuid).length > 3) await storage.keys.delete(key.id, { by: { kind: 'operator' } })
        }
      }
    }
  })),
  call('audit.list answers a hundred entries at most', 'audit', 'list', list => async filter => await list({ ...filter, limit: Math.min(filter.limit, 100) })),
  changed('a listener that has thrown is told nothing more', storage => ({
    subscribe (listener, options) {
      let hasThrown = false
      storage.subscribe?.((change: StorageChange) => {
        if (hasThrown) return
        try {
          listener(change)
        } catch {
          hasThrown = true
        }
      }, options)
    }
  })),
  changed('users.find finds a user by the name', storage => ({ users: { ...storage.users, find: async uuid => await storage.users.find(uuid) ?? await storage.users.findByNameKey(uuid) } }))
]

/** The same data, opened by a second process that knows less than the first, or by the next one. */
export const brokenProcesses: ReadonlyArray<Broken<{ readonly storage: CloudStorage, another (): Promise<CloudStorage>, reopen (): CloudStorage, close (): void }>> = [
  {
    flaw: 'a second process gives the id of a role again',
    make () {
      const storage = createMemoryStorage()
      const other: CloudStorage = {
        ...storage,
        roles: {
          ...storage.roles,
          async insert (role, asked) {
            const highest = Math.max(0, ...(await storage.roles.list()).map(({ role }) => role.id))
            const stored = await storage.roles.insert(role, asked)
            if (typeof stored === 'string') return stored
            return { ...stored, id: highest + 1 }
          }
        }
      }
      return { storage, another: async () => other, reopen: () => storage, close () {} }
    }
  },
  {
    flaw: 'the versions of roles begin anew with each process',
    make () {
      const storage = createMemoryStorage()
      const old = (role: StoredRole): StoredRole => ({ ...role, version: Math.min(role.version, 1) })
      const find = async (id: number) => {
        const found = await storage.roles.find(id)
        return found && old(found)
      }
      return { storage, another: async () => storage, reopen: () => ({ ...storage, roles: { ...storage.roles, find } }), close () {} }
    }
  }
]

const options = { signal: never }
const progressOf = (runtime: SimulatedRuntime, name: string) => runtime.groups.restarts.progressOf(name, options) as RestartProgress | undefined
const groupOf = (runtime: SimulatedRuntime, service: string) => services(runtime).find(({ name }) => name === service)?.groupName

/** Ends the restart of the group of a service, as an edit would. */
function endRestart (runtime: SimulatedRuntime, group: string | undefined): void {
  if (group !== undefined && progressOf(runtime, group) !== undefined) runtime.groups.control.edit(group, { percentageToStartNewService: groups(runtime).find(({ name }) => name === group)?.percentageToStartNewService ?? 0 }, options)
}

const rolls: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a group without services cannot be restarted', runtime => ({
    restarts: { restart: (name, options) => services(runtime).some(one => one.groupName === name && one.state !== 'OFFLINE') ? runtime.groups.restarts.restart(name, options) : false }
  })),
  broken('an edit of the maximum alone does not end a restart', runtime => ({
    groupControl: {
      edit (name, changes, options) {
        const wasUnderWay = progressOf(runtime, name) !== undefined
        const answer = runtime.groups.control.edit(name, changes, options)
        if (wasUnderWay && Object.keys(changes).join() === 'maxOnlineService') runtime.groups.restarts.restart(name, options)
        return answer
      }
    }
  })),
  broken('a second restart of a group counts more services', runtime => {
    const more = new Map<string, number>()
    return {
      restarts: {
        restart (name, options) {
          more.set(name, progressOf(runtime, name) === undefined ? 0 : services(runtime).filter(one => one.groupName === name && one.state === 'STARTING').length)
          return runtime.groups.restarts.restart(name, options)
        },
        progressOf (name) {
          const now = progressOf(runtime, name)
          return now && { done: now.done, total: now.total + (more.get(name) ?? 0) }
        }
      }
    }
  }),
  broken('a service that was stopped before its turn is not counted', runtime => ({
    restarts: {
      progressOf (name) {
        const now = progressOf(runtime, name)
        const stopped = services(runtime).filter(one => one.groupName === name && one.state === 'OFFLINE').length
        return now && { done: Math.max(0, now.done - stopped), total: now.total - stopped }
      }
    }
  })),
  broken('the restart of a service ends that of its group', runtime => ({
    control: {
      restart (name, options) {
        endRestart(runtime, groupOf(runtime, name))
        return runtime.services.control.restart(name, options)
      }
    }
  })),
  broken('the stop of a service ends the restart of its group', runtime => ({
    control: {
      stop (name, options) {
        endRestart(runtime, groupOf(runtime, name))
        return runtime.services.control.stop(name, options)
      }
    }
  })),
  broken('a start in a group ends its restart', runtime => ({
    control: {
      start (name, options) {
        const answer = runtime.services.control.start(name, options)
        endRestart(runtime, name)
        return answer
      }
    }
  })),
  {
    flaw: 'a death ends the restart of its group',
    make () {
      const subject = simulated()
      const runtime = subject.runtime as SimulatedRuntime
      return {
        ...subject,
        crash (name) {
          endRestart(runtime, groupOf(runtime, name))
          runtime.crash(name)
        }
      }
    }
  }
]

/** What is told of consoles goes through something else, for each who follows. */
const told = (flaw: string, change: (runtime: SimulatedRuntime, name: string, bytes: number) => (lines: readonly string[]) => readonly string[]): Broken<RuntimeUnderTest> =>
  broken(flaw, runtime => ({
    consoles: {
      follow (name, listener, options) {
        const through = change(runtime, name, options.bytes)
        return runtime.consoles.follow(name, lines => {
          const left = through(lines)
          if (left.length > 0) listener(left)
        }, options)
      }
    }
  }))

const consoles: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  told('lines are cut at 3,500 characters', () => lines => lines.map(line => line.slice(0, 3_500))),
  told('of many lines in one turn fifty are told', () => {
    let count = 0
    return lines => {
      if (count === 0) queueMicrotask(() => { count = 0 })
      count += lines.length
      return count > 50 ? [] : lines
    }
  }),
  told('who follows a console is forgotten with the second restart', (runtime, name) => {
    let lives = 0
    runtime.states.watch(({ serviceName, state }) => { if (serviceName === name && state === 'STARTING') lives++ }, options)
    return lines => lives > 1 ? [] : lines
  }),
  told('who follows a console is forgotten with a death in STARTING', (runtime, name) => {
    const states: string[] = []
    runtime.states.watch(({ serviceName, state }) => { if (serviceName === name) states.push(state) }, options)
    return lines => states.some((state, n) => state === 'STARTING' && states[n + 1] === 'OFFLINE') ? [] : lines
  }),
  {
    flaw: 'a console is that of whatever had the name before',
    make () {
      const subject = simulated()
      const runtime = subject.runtime as SimulatedRuntime
      const first = new Map<string, string>()
      return {
        ...subject,
        print (name, line) {
          if (!first.has(name)) first.set(name, line)
          runtime.print(name, line)
        },
        runtime: {
          ...runtime,
          consoles: {
            follow (name, listener, options) {
              const line = first.get(name)
              if (line !== undefined && options.bytes > 10_000 && !options.signal.aborted) listener([line])
              return runtime.consoles.follow(name, listener, options)
            }
          }
        }
      }
    }
  }
]

const changes: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('that a service of a group that is deleted is OFFLINE is not told', runtime => {
    const going = new Set<string>()
    return {
      groupControl: {
        delete (name, options) {
          going.add(name)
          return runtime.groups.control.delete(name, options)
        }
      },
      states: {
        watch: (listener, options) => runtime.states.watch(change => {
          if (change.state !== 'OFFLINE' || !going.has(change.serviceName.replace(/-\d+$/, ''))) listener(change)
        }, options)
      }
    }
  }),
  broken('the log is told to whoever came first', runtime => {
    let first: AbortSignal | undefined
    return {
      log: {
        watch (listener, options) {
          if (first === undefined || first.aborted) first = options.signal
          if (first === options.signal) runtime.log.watch(listener, options)
        }
      }
    }
  }),
  broken('the reason of a group that is being deleted is empty', runtime => {
    const going = new Set<string>()
    return {
      groupControl: {
        delete (name, options) {
          going.add(name)
          return runtime.groups.control.delete(name, options)
        }
      },
      reasons: { of: (name: string) => groups(runtime).some(group => group.name === name) ? going.has(name) ? '' : 'as it should be' : undefined }
    }
  }),
  broken('the uptime counts from the first sample', () => {
    let first: number | undefined
    return { sample: sample => ({ ...sample, uptime: sample.uptime - (first ??= sample.uptime) }) }
  })
]

const seen = (flaw: string, change: (item: RuntimeService) => RuntimeService): Broken<RuntimeUnderTest> => broken(flaw, () => ({ services: items => items.map(change) }))

const lives: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  seen('startedAt moves when a life is ending', item => item.state === 'STOPPING' && item.startedAt !== undefined ? { ...item, startedAt: item.startedAt + 1 } : item),
  seen('lastExit tells of the life that is STOPPING', item => item.state === 'STOPPING' && item.startedAt !== undefined
    ? { ...item, lastExit: { at: item.startedAt + 1, reason: 'stopped', code: 0, signal: null, lastLines: [] } }
    : item),
  seen('the last lines are nine', item => item.lastExit === undefined ? item : { ...item, lastExit: { ...item.lastExit, lastLines: item.lastExit.lastLines.slice(-9) } }),
  seen('players stay counted after a death', item => item.state === 'OFFLINE' && item.lastExit?.reason === 'crashed' ? { ...item, playerCount: 1 } : item),
  seen('the first of several templates is left out', item => item.templates.length > 1 ? { ...item, templates: item.templates.slice(1) } : item),
  broken('the second restart of a service moves its port', runtime => {
    const restarts = new Map<string, number>()
    return {
      control: {
        restart (name, options) {
          restarts.set(name, (restarts.get(name) ?? 0) + 1)
          return runtime.services.control.restart(name, options)
        }
      },
      services: items => items.map(item => (restarts.get(item.name) ?? 0) > 1 ? { ...item, port: item.port + 7 } : item)
    }
  })
]

/** The files of templates go through something else. */
export const filed = (flaw: string, change: (files: TemplateFiles) => Partial<TemplateFiles>): Broken<RuntimeUnderTest> => ({
  flaw,
  make () {
    const subject = rightFiles()
    const files = subject.runtime.templates!.files!
    const { list, readAll, read, put, delete: remove } = files
    const own: TemplateFiles = { list: list.bind(files), readAll: readAll.bind(files), read: read.bind(files), put: put.bind(files), delete: remove.bind(files) }
    const templates = Object.create(subject.runtime.templates!, { files: { value: { ...own, ...change(own) } } }) as NonNullable<CloudRuntime['templates']>
    return { ...subject, runtime: { ...subject.runtime, templates } }
  }
})

const read = (change: (file: PackedFile) => PackedFile | undefined) => (files: TemplateFiles): Partial<TemplateFiles> => ({
  async readAll (name, options) {
    const all = await files.readAll(name, options)
    return all && (async function * () {
      for await (const file of all) {
        const given = change(file)
        if (given !== undefined) yield given
      }
    })()
  }
})

const templates: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  filed('readAll skips empty files', read(file => file.size === 0 ? undefined : file)),
  filed('readAll tells the rights of every file as 0644', read(file => ({ ...file, mode: '0644' }))),
  filed('permit is asked before the files are given', files => ({
    async put (name, given, { permit, ...rest }) {
      await permit?.()
      return await files.put(name, given, rest)
    }
  })),
  broken('a template is in use by the first group only', runtime => ({
    templates: {
      delete (name, options) {
        const [first] = groups(runtime)
        if (first === undefined || first.templates.includes(name)) return runtime.templates.delete(name, options)
        for (const group of groups(runtime)) if (group.templates.includes(name)) runtime.groups.control.edit(group.name, { templates: group.templates.filter(one => one !== name) }, options)
        return runtime.templates.delete(name, options)
      }
    }
  })),
  {
    flaw: 'what is missing for all platforms is what the first one lacks',
    make () {
      const subject = withDownloads()
      const { platforms } = subject.runtime
      const fetch = platforms.downloads!.fetch
      return {
        ...subject,
        runtime: { ...subject.runtime, platforms: { ...platforms, downloads: { fetch: (name, version, options) => fetch(name ?? 'game', version, options) } } } as CloudRuntime
      }
    }
  }
]

/** Runtimes that are right the first time, or for one, or at a distance. */
export const escapedSecond: ReadonlyArray<Broken<RuntimeUnderTest>> = [...rolls, ...consoles, ...changes, ...lives, ...templates]
