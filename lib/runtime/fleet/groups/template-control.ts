/** The verbs on templates, which groups have a say in: a rename carries over to them, and what they use stays. */
import type { Group } from '../../../../types/resources.js'
import type { Templates as TemplateVerbs } from '../../../../types/runtime.js'
import { SYSTEM_TEMPLATES, type Templates } from '../content/templates.js'
import { checkedName, folded } from '../names.js'
import { createQueue } from '../queue.js'
import { promised, run, wait, type Task } from '../task.js'
import type { Groups } from './groups.js'

export interface TemplateControl extends TemplateVerbs {
  /** Finishes a rename that a crash cut short. */
  recover (): Task<void>
}

export function createTemplateControl (templates: Templates, groups: Groups): TemplateControl {
  // Verbs come one after the other: what one has checked, another cannot change before it acts.
  const queue = createQueue()
  const find = (name: string): string | undefined => templates.names.find(known => folded(known) === folded(name))

  function * renameInGroups (name: string, newName: string): Task<void> {
    const renamed = (group: Group): Group => ({ ...group, templates: group.templates.map(one => one === name ? newName : one) })
    for (const entry of groups.entries.filter(({ group }) => group.templates.includes(name))) {
      yield * wait(entry.queue.add(() => groups.change(entry, renamed)))
    }
  }

  function * rename (name: string, newName: string): Task<boolean | 'taken'> {
    yield * wait(templates.refresh())
    if (isSystem(name) || isSystem(newName)) return isSystem(name) ? false : 'taken'
    if (!templates.names.includes(name)) return false
    const taken = find(newName)
    if (taken !== undefined && taken !== name) return 'taken'
    if (name === newName) return true
    // Directory and groups change one after the other; the note lets the next start finish what a crash cut short.
    yield * wait(templates.note({ name, newName }))
    try {
      yield * wait(templates.rename(name, newName))
      yield * renameInGroups(name, newName)
    } catch (error) {
      try {
        yield * wait(templates.rename(newName, name))
      } catch {
        // It did not get that far.
      }
      yield * renameInGroups(newName, name)
      throw error
    }
    yield * wait(templates.note(undefined))
    return true
  }

  return {
    get revision () { return templates.revision },
    list: () => promised(run(function * () {
      yield * wait(templates.refresh())
      // Nobody measures templates: walking all files for a list would cost more than it tells.
      return templates.names.map(name => ({ name, size: 'unknown' }))
    }())),
    create: name => {
      checkedName(name)
      return promised(queue.add(function * () {
        yield * wait(templates.refresh())
        if (find(name) !== undefined) return false
        yield * wait(templates.make(name))
        return true
      }))
    },
    rename: (name, newName) => {
      for (const one of [name, newName]) checkedName(one)
      return promised(queue.add(() => rename(name, newName)))
    },
    delete: name => {
      checkedName(name)
      return promised(queue.add(function * () {
        yield * wait(templates.refresh())
        if (isSystem(name) || !templates.names.includes(name)) return false
        if (groups.entries.some(({ group }) => group.templates.includes(name))) return 'in-use' as const
        yield * wait(templates.remove(name))
        return true
      }))
    },
    * recover () {
      const noted = yield * wait(templates.noted())
      if (noted === undefined) return
      const { name, newName } = noted
      if (templates.names.includes(name) && !templates.names.includes(newName)) yield * wait(templates.rename(name, newName))
      if (templates.names.includes(newName)) yield * renameInGroups(name, newName)
      yield * wait(templates.note(undefined))
    }
  }
}

function isSystem (name: string): boolean {
  return SYSTEM_TEMPLATES.some(system => folded(system) === folded(name))
}
