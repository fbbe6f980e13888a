/** The groups that exist, each with a file that people can read and change. */
import type { Awaitable } from '../../../../types/engine.js'
import type { Group } from '../../../../types/resources.js'
import type { Changes } from '../changes.js'
import type { Content } from '../content/content.js'
import type { TextStore } from '../content/text-store.js'
import type { Problem } from '../content/platform-definition.js'
import { checkedName, folded } from '../names.js'
import type { Log } from '../options.js'
import { createQueue, type Queue } from '../queue.js'
import type { Owner } from '../services/owner.js'
import { all, wait, type Task } from '../task.js'
import { problemsOf } from '../group-properties.js'
import { areBearable, missingIn, readGroup, salvageGroup, writeGroup } from './group-definition.js'

/** So often a change is made again because its file was changed by hand meanwhile. */
const MOST_TRIES = 20

export interface GroupEntry extends Owner {
  group: Group
  /** What is wrong with its file, when something is; in force is what was right last. */
  fault?: string
  /** Its file was wrong at the start: in force is what was right of it, with defaults for the rest. */
  partial: boolean
  /** What stands in its file, when all that is wrong with it is that something is not there; and what of that is told already. */
  waiting?: { readonly text: string, readonly told?: string | undefined }
  /** Nothing of its file was ever right: it is shown, and what runs of it can be controlled, but nothing is started. */
  damaged: boolean
  /** It is damaged, and its file is gone: it is there for the sake of its services only. */
  fileless: boolean
  /** Its file was taken away: what is in force is written again with the next change, and a later core knows nothing of it. */
  unfiled: boolean
  /** Why nothing of it is started, when that is so for another reason. */
  halted?: string
  /** Why the last decision was what it was. */
  decision?: string
  /** What its platform has not downloaded yet, told anew with each call; while that keeps it from starting something. */
  lacks?: () => string
  /** Services of it of which is known that they are there, and no more: why, by name. Nothing comes in their place. */
  readonly unread: Map<string, string>
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
  // What somebody has written by hand for a group whose name is not free yet.
  const next = new Map<string, string | Error>()
  let revision = 1

  function changed (group: string, edited: boolean): void {
    revision++
    changes.tell({ kind: 'group', group, edited })
  }

  function put (group: Group, { fault, damaged = false }: { readonly fault?: string, readonly damaged?: boolean } = {}): GroupEntry {
    const entry: GroupEntry = {
      group,
      damaged,
      fileless: false,
      unfiled: false,
      partial: fault !== undefined,
      gone: false,
      unread: new Map(),
      queue: createQueue(),
      get barred () { return this.gone || this.damaged || this.deleting !== undefined },
      ...(fault === undefined ? {} : { fault })
    }
    entries.set(folded(group.name), entry)
    changed(group.name, false)
    return entry
  }

  /** Takes in one file; the answer is the group, when it is another one now. `looked`: what there is besides it was looked at just now. */
  function take (name: string, text: string | Error | undefined, looked = false): GroupEntry | undefined {
    const entry = entries.get(folded(name))
    if (entry !== undefined && entry.group.name !== name) {
      if (text !== undefined) complain(name, [`name is that of ${entry.group.name} already, ignoring case`], 'name')
      return undefined
    }
    if (entry?.gone === true) {
      if (text === undefined) next.delete(name)
      else next.set(name, text)
      return undefined
    }
    if (text === undefined) {
      if (entry !== undefined) miss(entry)
      return undefined
    }
    const read = typeof text === 'string' ? readGroup(name, text) : [{ field: '(file)', problem: `cannot be read: ${text.message}` }]
    if (Array.isArray(read)) {
      const fault = faultIn(read)
      if (entry !== undefined) entry.fileless = entry.unfiled = false
      if (entry?.fault === fault && entry.waiting === undefined) return undefined
      for (const { field, problem } of read) complain(name, [`${field} ${problem}`], field)
      if (entry === undefined) return put(salvageGroup(name, typeof text === 'string' ? text : ''), { fault, damaged: !areBearable(read) })
      entry.fault = fault
      delete entry.waiting
      changed(name, false)
      return undefined
    }
    const group = read as Group
    if (entry === undefined) return put(group)
    const missing = entry.damaged ? [] : missingIn(content, entry.group, group)
    if (missing.length > 0) {
      refuse(entry, text as string, missing, looked)
      return undefined
    }
    const same = !entry.damaged && JSON.stringify(entry.group) === JSON.stringify(group)
    set(entry, group, !same)
    return same ? undefined : entry
  }

  /** Nothing is told before it was looked whether that is there by now. */
  function refuse (entry: GroupEntry, text: string, problems: readonly Problem[], looked: boolean): void {
    const { group: { name }, waiting } = entry
    const before = entry.fault
    const fault = entry.fault = faultIn(problems)
    entry.unfiled = false
    entry.waiting = { text, told: looked ? fault : waiting?.told }
    if (looked && waiting?.told !== fault) for (const { field, problem } of problems) complain(name, [`${field} ${problem}`], field)
    if (before !== fault) changed(name, false)
  }

  function set (entry: GroupEntry, group: Group, edited: boolean): void {
    entry.group = group
    entry.damaged = entry.fileless = entry.unfiled = entry.partial = false
    delete entry.fault
    delete entry.waiting
    changed(group.name, edited)
  }

  function complain (name: string, problems: readonly string[], field: string): void {
    for (const problem of problems) {
      log({ level: 'error', message: `Group file ${name}.json: ${problem}`, file: store.pathOf(name), field, group: name })
    }
  }

  function miss (entry: GroupEntry): void {
    const { damaged, deleting, fault, group: { name } } = entry
    if (deleting !== undefined) return
    if (damaged) return loseFile(entry)
    // What is in force is right, and what was wrong, or to come, is not there any more.
    if (fault !== undefined) set(entry, entry.group, false)
    entry.unfiled = true
    log({ level: 'warn', message: `Group ${name}: its file is gone; it is written again with the next change`, group: name, file: store.pathOf(name) })
    changed(name, false)
  }

  /** Nobody knows what it should be: it stays as long as it has services, which are not ended for a file that is moved. */
  function loseFile (entry: GroupEntry): void {
    const { name } = entry.group
    entry.fileless = true
    if (drop(entry)) return
    entry.fault = GONE
    log({ level: 'warn', message: `Group ${name}: its file is gone, of which nothing was right; nothing of it is started until it is there again`, group: name, file: store.pathOf(name) })
    changed(name, false)
  }

  /** Takes one away of which neither a file is there nor a service; answers whether it was. */
  function drop (entry: GroupEntry): boolean {
    const { deleting, fileless, unread, group: { name } } = entry
    if (!fileless || deleting !== undefined || unread.size > 0 || hasServices(name)) return false
    entry.gone = true
    entries.delete(folded(name))
    log({ level: 'warn', message: `Group ${name} is gone with its file, of which nothing was right`, group: name, file: store.pathOf(name) })
    changed(name, false)
    return true
  }

  function * readChanged (only?: string): Task<void> {
    const read = yield * wait(store.readChanged(only))
    for (const [name, text] of read) tell(take(name, text))
    yield * judgeAgain(only)
  }

  function tell (entry: GroupEntry | undefined): void {
    const name = entry?.group.name
    if (name !== undefined) log({ level: 'info', message: `Group ${name}: its file was changed by hand`, group: name, file: store.pathOf(name) })
  }

  /** What was not there may be there by now. */
  function * judgeAgain (only?: string): Task<void> {
    const areWaiting = (): GroupEntry[] => [...entries.values()].filter(({ waiting, group }) => waiting !== undefined && (only === undefined || group.name === only))
    if (areWaiting().length === 0) return
    yield * look()
    for (const { group, waiting } of areWaiting()) tell(take(group.name, waiting?.text, true))
  }

  /** Looks what templates and platforms there are; where that cannot be done, there are those of the last look. */
  function * look (): Task<void> {
    try {
      yield * all([() => content.platforms.refresh(), () => content.templates.refresh()])
    } catch {
      // The next second it is tried again.
    }
  }

  return {
    get entries () { return [...entries.values()] },
    get revision () { return revision },
    get: name => {
      const entry = entries.get(folded(name))
      return entry?.group.name === name ? entry : undefined
    },
    * load (owners) {
      const files = [...yield * wait(store.readAll())]
      const isAmbiguous = new Set(files.map(([name]) => folded(name))).size < files.length
      const first = isAmbiguous ? yield * owners() : new Set<string>()
      for (const isFirst of [true, false]) {
        for (const [name, text] of files) if (first.has(name) === isFirst) take(name, text)
      }
    },
    * refresh () {
      for (const entry of [...entries.values()]) drop(entry)
      if (store.mayHaveChanged()) {
        yield * look()
        yield * readChanged()
      } else yield * judgeAgain()
    },
    * reread ({ group }) {
      yield * readChanged(group.name)
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
          yield * readChanged(group.name)
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
        yield * readChanged(entry.group.name)
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
        const text = next.get(name)
        if (next.delete(name)) take(name, text)
      }
    }
  }
}

const GONE = '(file) is gone, and has to be there again for anything of it to be started'
const faultIn = (problems: readonly Problem[]): string => problems.map(({ field, problem }) => `${field} ${problem}`).join('; ')

/** Whoever asks over the interface has been told before; anybody else has a fault. */
function checkProperties ({ name, properties }: Group): void {
  const [wrong] = problemsOf(properties)
  if (wrong !== undefined) throw new TypeError(`Group ${name}: properties.${wrong.name} ${wrong.problem}`)
}
