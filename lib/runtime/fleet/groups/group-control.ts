/** The verbs on groups, and why they are as they are. */
import type { Group } from '../../../../types/resources.js'
import type { GroupControl, GroupDamage, GroupReasons, GroupRestarts } from '../../../../types/runtime.js'
import { textOf } from '../faults.js'
import type { Proxies } from '../network/proxies.js'
import { endAlone, putAside } from '../services/alone.js'
import type { Parts } from '../services/parts.js'
import type { Services } from '../services/services.js'
import type { Strays } from '../strays.js'
import { all, attempt, createLater, promised, run, wait, type Task } from '../task.js'
import type { GroupEntry } from './group-entry.js'
import type { Groups } from './groups.js'
import { resume } from './resume.js'
import type { Rolling } from './rolling.js'

export function createGroupControl (parts: Parts, groups: Groups, services: Services, strays: Strays): GroupControl {
  function * remove (entry: GroupEntry): Task<boolean> {
    const { name } = entry.group
    let begun = false
    try {
      // What cannot be done is refused while everything of it runs.
      groups.checkRemoval()
      begun = true
      yield * all(services.of(name).map(service => () => service.stop('remove', 'is stopped: its group is deleted')))
      // As long as its file is there it can be started again, with all that its services have kept.
      yield * wait(entry.queue.add(() => groups.remove(entry, () => clear(entry))))
      return true
    } catch (error) {
      // Half of it is stopped: starting that again now would be the opposite of what was asked for.
      if (begun) entry.halted = `halted: its deletion failed (${textOf(error)})`
      throw error
    } finally {
      delete entry.deleting
    }
  }

  /** What static services have left must not be found by a later group of that name; one that is killed here leaves it to the next core. */
  function * clear ({ group: { name: group }, unread }: GroupEntry): Task<void> {
    // What is known of these cannot be read: their names stay taken until that is gone.
    for (const name of unread.keys()) {
      yield * strays.end({ name, what: 'has left files that cannot be put aside', timeout: 0, end: () => run(putAside(parts, name)) })
    }
    for (const record of services.leftBy(group)) {
      const { name } = record
      services.avoid(name)
      services.clearLeft(group, name)
      yield * strays.end({
        name,
        what: 'has left files that cannot be put aside',
        timeout: 0,
        end: () => run(endAlone(parts, { name, record }, { timeout: 0 })),
        ended: () => { services.avoid(name, false) }
      })
    }
  }

  return {
    create: group => promised(run(groups.make(group))),
    edit: (name, changes) => {
      const entry = groups.get(name)
      if (entry === undefined) return false
      const copy = editable(changes)
      return promised(entry.queue.add(function * () {
        if (entry.deleting !== undefined || entry.gone) return false
        const changed = yield * groups.change(entry, group => ({ ...group, ...copy }))
        // From the answer on nothing is lost of what a group that has become static has.
        yield * all(services.of(name).map(service => () => service.keep()))
        return changed
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

export function createGroupDamage (groups: Groups): GroupDamage {
  return {
    of: name => {
      const entry = groups.get(name)
      if (entry?.fault === undefined) return false
      return promised(run(function * () {
        // It may have been mended since it was looked at.
        yield * groups.reread(entry)
        return entry.fault !== undefined && !entry.gone && entry.deleting === undefined
      }()))
    }
  }
}

export function createGroupReasons (groups: Groups, proxies: Pick<Proxies, 'describe'>): GroupReasons {
  return {
    of: name => {
      const entry = groups.get(name)
      if (entry?.deleting !== undefined) return 'is being deleted'
      if (entry?.decision === undefined) return undefined
      const why = entry.lacks === undefined ? entry.decision : `${entry.decision}: ${entry.lacks()}`
      const told = proxies.describe(name)
      return told === undefined ? why : `${why}; ${told}`
    }
  }
}

export function createGroupRestarts (groups: Groups, services: Services, rolling: Rolling): GroupRestarts {
  function begin (entry: GroupEntry): true {
    resume(entry, services)
    rolling.begin(entry)
    return true
  }

  return {
    restart: name => {
      const entry = groups.get(name)
      if (entry === undefined || entry.gone || entry.deleting !== undefined) return false
      if (entry.fault === undefined) return begin(entry)
      return promised(run(function * () {
        // It may have been mended since it was looked at.
        yield * groups.reread(entry)
        if (entry.gone || entry.deleting !== undefined) return false
        // As for an edit: whoever is at its file does not mean what was right before.
        return entry.fault === undefined ? begin(entry) : 'damaged' as const
      }()))
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
