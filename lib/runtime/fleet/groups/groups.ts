/** The groups that exist, each with a file that people can read and change. */
import type { Awaitable } from '../../../../types/engine.js'
import type { Group } from '../../../../types/resources.js'
import type { Changes } from '../changes.js'
import type { TextStore } from '../content/text-store.js'
import { checkedName, folded } from '../names.js'
import type { Log } from '../options.js'
import { createQueue, type Queue } from '../queue.js'
import type { Owner } from '../services/owner.js'
import { wait, type Task } from '../task.js'
import { problemsOf } from '../group-properties.js'
import { areBearable, readGroup, salvageGroup, writeGroup } from './group-definition.js'

export interface GroupEntry extends Owner {
  group: Group
  /** What is wrong with its file, when something is; in force is what was right last. */
  fault?: string
  /** Nothing of its file was ever right: it is shown, and what runs of it can be controlled, but nothing is started. */
  damaged: boolean
  /** Why nothing of it is started, when that is so for another reason. */
  halted?: string
  /** Why the last decision was what it was. */
  decision?: string
  /** While it is being deleted. */
  deleting?: Awaitable<boolean>
  gone: boolean
  /** Changes of its file come one after the other. */
  readonly queue: Queue
}

export interface Groups {
  readonly entries: readonly GroupEntry[]
  readonly revision: number
  get (name: string): GroupEntry | undefined
  /** Reads all files; what is wrong with one is told and the others are there. */
  load (): Task<void>
  /** Takes in what was changed by hand. */
  refresh (): Task<void>
  /** False: the name is taken, ignoring case. */
  make (group: Group): Task<boolean>
  /** Changes a group and its file; what was changed by hand meanwhile is read before. */
  change (entry: GroupEntry, change: (group: Group) => Group): Task<Group>
  remove (entry: GroupEntry): Task<void>
}

export function createGroups ({ store, changes, log }: { readonly store: TextStore, readonly changes: Changes, readonly log: Log }): Groups {
  const entries = new Map<string, GroupEntry>()
  // Names whose file is being written for the first time.
  const making = new Set<string>()
  let revision = 1

  function changed (group: string, edited: boolean): void {
    revision++
    changes.tell({ kind: 'group', group, edited })
  }

  function put (group: Group, { fault, damaged = false }: { readonly fault?: string, readonly damaged?: boolean } = {}): GroupEntry {
    const entry: GroupEntry = {
      group,
      damaged,
      gone: false,
      queue: createQueue(),
      get barred () { return this.gone || this.damaged || this.deleting !== undefined },
      ...(fault === undefined ? {} : { fault })
    }
    entries.set(folded(group.name), entry)
    changed(group.name, false)
    return entry
  }

  /** Takes in one file; the answer is the group, when it is another one now. */
  function take (name: string, text: string | Error | undefined): GroupEntry | undefined {
    const entry = entries.get(folded(name))
    if (entry !== undefined && entry.group.name !== name) {
      if (text !== undefined) complain(name, [`name is that of ${entry.group.name} already, ignoring case`], 'name')
      return undefined
    }
    if (text === undefined) {
      if (entry !== undefined) miss(entry)
      return undefined
    }
    const read = typeof text === 'string' ? readGroup(name, text) : [{ field: '(file)', problem: `cannot be read: ${text.message}` }]
    if (Array.isArray(read)) {
      const fault = read.map(({ field, problem }) => `${field} ${problem}`).join('; ')
      if (entry?.fault === fault) return undefined
      for (const { field, problem } of read) complain(name, [`${field} ${problem}`], field)
      if (entry === undefined) return put(salvageGroup(name, typeof text === 'string' ? text : ''), { fault, damaged: !areBearable(read) })
      entry.fault = fault
      changed(name, false)
      return undefined
    }
    const group = read as Group
    if (entry === undefined) return put(group)
    const same = !entry.damaged && JSON.stringify(entry.group) === JSON.stringify(group)
    set(entry, group, !same)
    return same ? undefined : entry
  }

  function set (entry: GroupEntry, group: Group, edited: boolean): void {
    entry.group = group
    entry.damaged = false
    delete entry.fault
    changed(group.name, edited)
  }

  function complain (name: string, problems: readonly string[], field: string): void {
    for (const problem of problems) {
      log({ level: 'error', message: `Group file ${name}.json: ${problem}`, file: store.pathOf(name), field, group: name })
    }
  }

  function miss ({ deleting, group: { name } }: GroupEntry): void {
    if (deleting !== undefined) return
    log({ level: 'warn', message: `Group ${name}: its file is gone; it is written again with the next change`, group: name, file: store.pathOf(name) })
  }

  function * readChanged (only?: string): Task<void> {
    const read = yield * wait(store.readChanged(only))
    for (const [name, text] of read) {
      if (take(name, text) !== undefined) log({ level: 'info', message: `Group ${name}: its file was changed by hand`, group: name, file: store.pathOf(name) })
    }
  }

  return {
    get entries () { return [...entries.values()] },
    get revision () { return revision },
    get: name => {
      const entry = entries.get(folded(name))
      return entry?.group.name === name ? entry : undefined
    },
    * load () {
      for (const [name, text] of yield * wait(store.readAll())) take(name, text)
    },
    * refresh () {
      if (store.mayHaveChanged()) yield * readChanged()
    },
    * make (group) {
      const key = folded(checkedName(group.name))
      checkProperties(group)
      // A damaged file is somebody's group: it is not written over.
      if (entries.has(key) || making.has(key)) return false
      making.add(key)
      try {
        const copy = structuredClone(group)
        yield * wait(store.write(group.name, writeGroup(copy)))
        put(copy)
      } finally {
        making.delete(key)
      }
      return true
    },
    * change (entry, change) {
      // Whatever the system has told until now: what stands there is looked at.
      yield * readChanged(entry.group.name)
      // What somebody is writing there is not written over.
      if (entry.fault !== undefined) throw new Error(`The file of group ${entry.group.name} has to be mended first: ${entry.fault}`)
      const group = change(entry.group)
      checkProperties(group)
      yield * wait(store.write(group.name, writeGroup(group)))
      set(entry, group, true)
      return group
    },
    * remove (entry) {
      const { name } = entry.group
      yield * wait(store.remove(name))
      entry.gone = true
      entries.delete(folded(name))
      changed(name, false)
    }
  }
}

/** Whoever asks over the interface has been told before; anybody else has a fault. */
function checkProperties ({ name, properties }: Group): void {
  const [wrong] = problemsOf(properties)
  if (wrong !== undefined) throw new TypeError(`Group ${name}: properties.${wrong.name} ${wrong.problem}`)
}
