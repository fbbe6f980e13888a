/** The groups that exist, each with a file that people can read and change. */
import type { Group } from '../../../../types/resources.js'
import type { Changes } from '../changes.js'
import type { Content } from '../content/content.js'
import type { TextStore } from '../content/text-store.js'
import { checkedName, folded } from '../names.js'
import type { Log } from '../options.js'
import { wait, type Task } from '../task.js'
import { problemsOf } from '../group-properties.js'
import { writeGroup } from './group-definition.js'
import { createEntry, setGroup, type GroupEntry } from './group-entry.js'
import { createGroupFiles } from './group-files.js'

/** So often a change is made again because its file was changed by hand meanwhile. */
const MOST_TRIES = 20

export interface Groups {
  readonly entries: readonly GroupEntry[]
  readonly revision: number
  get (name: string): GroupEntry | undefined
  /**
   * Reads all files; what is wrong with one is told and the others are there. Where names differ only in case, that is the group which `owners`
   * answers: groups that have had services.
   */
  load (owners: () => Task<ReadonlySet<string>>): Task<void>
  /** Takes in what was changed by hand, as far as the system has told that by now. */
  refresh (): Task<void>
  /** Takes in what stands in the file of one. */
  reread (entry: GroupEntry): Task<void>
  /** False: the name is taken, ignoring case. `'too-large'`: its file would not be read again. */
  make (group: Group): Task<boolean | 'too-large'>
  /** Changes a group and its file; what was changed by hand meanwhile is read before, and not written over where it is wrong (`'damaged'`). Not `edited`: it stays what it was, under another name of what it uses. */
  change (entry: GroupEntry, change: (group: Group) => Group, options?: { readonly edited: boolean }): Task<Group | 'damaged' | 'too-large'>
  /** Throws when no group's file can be removed. */
  checkRemoval (): void
  /** Removes its file, and then, before anybody else may have its name, what `clear` clears. */
  remove (entry: GroupEntry, clear: () => Task<void>): Task<void>
}

export interface GroupsParts {
  readonly store: TextStore
  readonly changes: Changes
  readonly content: Pick<Content, 'platforms' | 'templates'>
  readonly log: Log
  /** Whether a group has services, or files of some. */
  hasServices (group: string): boolean
}

export function createGroups ({ store, changes, content, log, hasServices }: GroupsParts): Groups {
  const entries = new Map<string, GroupEntry>()
  // Names whose file is being written for the first time.
  const making = new Set<string>()
  let revision = 1

  function changed (group: string, edited: boolean): void {
    revision++
    changes.tell({ kind: 'group', group, edited })
  }

  function put (group: Group, options?: Parameters<typeof createEntry>[1]): GroupEntry {
    const entry = createEntry(group, options)
    entries.set(folded(group.name), entry)
    changed(group.name, false)
    return entry
  }

  function set (entry: GroupEntry, group: Group, edited: boolean): void {
    setGroup(entry, group)
    changed(group.name, edited)
  }

  const files = createGroupFiles({ store, content, log, entries, put, set, changed: group => { changed(group, false) }, hasServices })

  return {
    get entries () { return [...entries.values()] },
    get revision () { return revision },
    get: name => {
      const entry = entries.get(folded(name))
      return entry?.group.name === name ? entry : undefined
    },
    * load (owners) {
      const texts = [...yield * wait(store.readAll())]
      const isAmbiguous = new Set(texts.map(([name]) => folded(name))).size < texts.length
      const first = isAmbiguous ? yield * owners() : new Set<string>()
      for (const isFirst of [true, false]) {
        for (const [name, text] of texts) if (first.has(name) === isFirst) files.take(name, text)
      }
    },
    refresh: files.refresh,
    * reread ({ group }) {
      yield * files.readChanged(group.name)
    },
    * make (group) {
      const key = folded(checkedName(group.name))
      checkProperties(group)
      // A damaged file is somebody's group: it is not written over.
      if (entries.has(key) || making.has(key)) return false
      const copy = structuredClone(group)
      const text = writeGroup(copy)
      if (text === undefined) return 'too-large'
      making.add(key)
      try {
        if (!(yield * wait(store.write(group.name, text)))) {
          // Somebody has just made it by hand.
          yield * files.readChanged(group.name)
          return false
        }
        put(copy)
      } finally {
        making.delete(key)
      }
      return true
    },
    * change (entry, change, { edited } = { edited: true }) {
      for (let tries = 0; tries < MOST_TRIES; tries++) {
        // Whatever the system has told until now: what stands there is looked at.
        yield * files.readChanged(entry.group.name)
        // What somebody is writing there is not written over.
        if (entry.fault !== undefined) return 'damaged'
        const group = change(entry.group)
        checkProperties(group)
        const text = writeGroup(group)
        if (text === undefined) return 'too-large'
        if (yield * wait(store.write(group.name, text))) {
          set(entry, group, edited)
          return group
        }
      }
      throw new Error(`The file of group ${entry.group.name} is written by somebody else all the time`)
    },
    checkRemoval: () => { store.checkRemoval() },
    * remove (entry, clear) {
      const { name } = entry.group
      yield * wait(store.remove(name))
      entry.gone = true
      try {
        yield * clear()
      } finally {
        entries.delete(folded(name))
        changed(name, false)
        files.takeNext(name)
      }
    }
  }
}

/** Whoever asks over the interface has been told before; anybody else has a fault. */
function checkProperties ({ name, properties }: Group): void {
  const [wrong] = problemsOf(properties)
  if (wrong !== undefined) throw new TypeError(`Group ${name}: properties.${wrong.name} ${wrong.problem}`)
}
