/** Broken runtimes and storages: what was there before under the same name, and who does not wait. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import { createMemoryStorage } from '../../lib/storage/memory.js'
import type { Group } from '../../types/resources.js'
import type { RestartProgress } from '../../types/runtime.js'
import type { NewTemplateFile } from '../../types/template-files.js'
import type { CloudStorage, StoredAuditEntry } from '../../types/storage.js'
import { broken, groups, never } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'
import { call } from './escaped-rows.js'
import { filed } from './escaped-second-times.js'

const options = { signal: never }

/** Runtimes that remember too much, or give up too much. */
export const escapedFormerNames: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('a group that is made anew has the properties of the one before', runtime => {
    const before = new Map<string, Group['properties']>()
    return {
      groupControl: {
        create: (group, given) => runtime.groups.control.create({ ...group, properties: { ...before.get(group.name), ...group.properties } }, given),
        delete: (name, given) => {
          const group = groups(runtime).find(one => one.name === name)
          if (group !== undefined) before.set(name, group.properties)
          return runtime.groups.control.delete(name, given)
        }
      }
    }
  }),
  broken('a second edit changes what the first one has answered', runtime => {
    const answered = new Map<string, Group>()
    return {
      groupControl: {
        edit: async (name, changes, given) => {
          const group = await runtime.groups.control.edit(name, changes, given)
          if (typeof group !== 'object') return group
          const first = answered.get(name)
          if (first !== undefined) return Object.assign(first, group)
          const copy = { ...group }
          answered.set(name, copy)
          return copy
        }
      }
    }
  }),
  broken('a lowered maximum ends nothing where there are players, nor when they have left', runtime => {
    const lowered = new Map<string, number>()
    return {
      groupControl: {
        async edit (name, changes, given) {
          const { maxOnlineService, ...others } = changes
          const isEmpty = !(await runtime.players.list(given)).some(({ currentServiceName }) => currentServiceName.startsWith(`${name}-`))
          if (isEmpty || maxOnlineService === undefined) return await runtime.groups.control.edit(name, changes, given)
          lowered.set(name, maxOnlineService)
          const edited = await runtime.groups.control.edit(name, others, given)
          return typeof edited === 'object' ? { ...edited, maxOnlineService } : edited
        }
      },
      groups: items => items.map(item => lowered.has(item.name) ? { ...item, maxOnlineService: lowered.get(item.name)! } : item)
    }
  }),
  broken('the restart of a group ends with whoever asked for it', runtime => ({
    restarts: {
      restart: (name, given) => {
        const answer = runtime.groups.restarts.restart(name, given)
        given.signal.addEventListener('abort', () => { runtime.groups.control.edit(name, { percentageToStartNewService: 9 }, options) })
        return answer
      }
    }
  })),
  broken('who is stopped before their turn counts no more in a restart, where others come after', runtime => {
    const stopped = new Map<string, number>()
    return {
      control: {
        stop: (name, given) => {
          const group = groups(runtime).find(one => name.startsWith(`${one.name}-`))?.name
          const now = group === undefined ? undefined : runtime.groups.restarts.progressOf(group, given) as RestartProgress | undefined
          if (group !== undefined && now !== undefined && !name.endsWith(`-${now.total}`)) stopped.set(group, (stopped.get(group) ?? 0) + 1)
          return runtime.services.control.stop(name, given)
        }
      },
      restarts: {
        progressOf: (name, given) => {
          const now = runtime.groups.restarts.progressOf(name, given) as RestartProgress | undefined
          if (now === undefined) stopped.delete(name)
          return now && { ...now, total: now.total - (stopped.get(name) ?? 0) }
        }
      }
    }
  }),
  filed('a put with replace leaves what is deeper than two names', files => ({
    async put (name, given, asked) {
      const kept: NewTemplateFile[] = []
      if (asked.replace) {
        const all = await files.readAll(name, asked)
        if (all !== false) {
          for await (const { path, mode, content } of all) {
            const bytes: Uint8Array[] = []
            for await (const piece of content) bytes.push(piece)
            if (path.split('/').length > 2) kept.push({ path, mode, content: (async function * () { yield * bytes })() })
          }
        }
      }
      const answer = await files.put(name, given, asked)
      if (typeof answer === 'object' && 'added' in answer && kept.length > 0) await files.put(name, (async function * () { yield * kept })(), { ...options, replace: false })
      return answer
    }
  })),
  filed('a put gives the rights that a file had when it began', files => ({
    async put (name, given, asked) {
      const listed = await files.list(name, asked)
      const modes = new Map<string, string>()
      if (listed !== false) for await (const { path, mode } of listed) modes.set(path, mode)
      return await files.put(name, (async function * () {
        for await (const file of given) yield { ...file, ...file.mode === undefined && modes.has(file.path) && { mode: modes.get(file.path)! } }
      })(), asked)
    }
  })),
  filed('a put of a template that was deleted meanwhile throws', files => ({
    async put (name, given, asked) {
      const was = await files.list(name, asked)
      const answer = await files.put(name, given, asked)
      if (was !== false && answer === false) throw new Error('The template was deleted')
      return answer
    }
  }))
]

/** Storages that do so. */
export const escapedOften: ReadonlyArray<Broken<CloudStorage>> = [
  {
    flaw: 'a second first user is added as long as nobody is admin',
    make () {
      const storage = createMemoryStorage()
      return {
        ...storage,
        users: {
          ...storage.users,
          async insertFirst (user, asked) {
            const outcome = await storage.users.insertFirst(user, asked)
            const all = await storage.users.list()
            if (outcome !== 'not-first' || all.some(({ role }) => role.id === -1)) return outcome
            return await storage.users.insert(user, { by: { kind: 'operator' } }) === 'done' ? 'done' : outcome
          }
        }
      }
    }
  },
  call('audit.insert leaves out whose id was purged', 'audit', 'insert', (insert, storage) => {
    const ever = new Set<string>()
    return async (entries: readonly StoredAuditEntry[]) => {
      const { entries: there } = await storage.audit.list({ from: 0, to: Number.MAX_SAFE_INTEGER, offset: 0, limit: 1_000 })
      const kept = entries.filter(({ id }) => !ever.has(id) || there.some(one => one.id === id))
      for (const { id } of entries) ever.add(id)
      await insert(kept)
    }
  })
]
