/** The verbs on groups, and why they are as they are. */
import type { Engine } from '../../../../types/engine.js'
import type { Group } from '../../../../types/resources.js'
import type { GroupControl, GroupReasons, GroupRestarts } from '../../../../types/runtime.js'
import { textOf } from '../faults.js'
import type { Log } from '../options.js'
import type { Records } from '../services/record.js'
import type { Services } from '../services/services.js'
import { all, attempt, createLater, promised, run, wait, type Task } from '../task.js'
import type { GroupEntry, Groups } from './groups.js'
import { resume } from './resume.js'
import type { Rolling } from './rolling.js'

export interface GroupControlParts {
  readonly groups: Groups
  readonly services: Services
  readonly engine: Engine
  readonly records: Records
  readonly log: Log
}

export function createGroupControl ({ groups, services, engine, records, log }: GroupControlParts): GroupControl {
  function * remove (entry: GroupEntry): Task<boolean> {
    const { name } = entry.group
    try {
      yield * all(services.of(name).map(service => () => service.stop('remove', 'is stopped: its group is deleted')))
      for (const left of services.leftBy(name)) yield * putAside(name, left)
      yield * wait(entry.queue.add(() => groups.remove(entry)))
      return true
    } catch (error) {
      // Half of it is stopped: starting that again now would be the opposite of what was asked for.
      entry.halted = `halted: its deletion failed (${textOf(error)})`
      throw error
    } finally {
      delete entry.deleting
    }
  }

  /** What a static service has left must not be found by a later group of that name. */
  function * putAside (group: string, name: string): Task<void> {
    const aside = yield * wait(engine.discard(name, { keep: true }))
    yield * wait(records.remove(name))
    services.setLeft(group, name, false)
    if (aside !== undefined) log({ level: 'info', message: `The files of ${name} are kept in ${aside}`, group, directory: aside })
  }

  return {
    create: group => promised(run(groups.make(group))),
    edit: (name, changes) => {
      const entry = groups.get(name)
      if (entry === undefined) return false
      const copy = editable(changes)
      return promised(entry.queue.add(function * () {
        if (entry.deleting !== undefined || entry.gone) return false
        return yield * groups.change(entry, group => ({ ...group, ...copy }))
      }))
    },
    delete: name => {
      const entry = groups.get(name)
      if (entry === undefined) return false
      if (entry.deleting !== undefined) return promised(entry.deleting)
      const deletion = createLater<boolean>()
      // From here on nothing of it starts.
      entry.deleting = deletion
      attempt(() => run(function * () { deletion.resolve(yield * remove(entry)) }()), deletion.reject)
      const answer = Promise.resolve(deletion)
      // Whoever waits for it hears of a failure; nobody has to wait.
      answer.catch(() => {})
      return answer
    }
  }
}

export function createGroupReasons (groups: Groups): GroupReasons {
  return {
    of: name => {
      const entry = groups.get(name)
      return entry?.deleting === undefined ? entry?.decision : 'is being deleted'
    }
  }
}

export function createGroupRestarts (groups: Groups, services: Services, rolling: Rolling): GroupRestarts {
  return {
    restart: name => {
      const entry = groups.get(name)
      if (entry === undefined || entry.gone || entry.deleting !== undefined) return false
      if (entry.damaged) throw new Error(`The file of group ${name} has to be mended first: ${entry.fault}`)
      resume(entry, services)
      rolling.begin(entry)
      return true
    },
    progressOf: name => rolling.progressOf(name)
  }
}

/** The fields of a group that may be another after it was made. */
const EDITABLE: ReadonlySet<string> = new Set<keyof Group>([
  'minMemory', 'maxMemory', 'minOnlineService', 'maxOnlineService', 'percentageToStartNewService', 'templates', 'properties', 'platform'
])

function editable (changes: object): Partial<Group> {
  return structuredClone(Object.fromEntries(Object.entries(changes).filter(([field, value]) => EDITABLE.has(field) && value !== undefined)))
}
