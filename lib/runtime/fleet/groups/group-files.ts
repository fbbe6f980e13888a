/** Takes in what people write into the files of groups: what is right, what is wrong, and what is gone. */
import type { Group } from '../../../../types/resources.js'
import type { Content } from '../content/content.js'
import type { Problem } from '../content/platform-definition.js'
import type { TextStore } from '../content/text-store.js'
import { folded } from '../names.js'
import type { Log } from '../options.js'
import { all, wait, type Task } from '../task.js'
import { areBearable, missingIn, readGroup, salvageGroup } from './group-definition.js'
import type { GroupEntry } from './group-entry.js'

export interface GroupFiles {
  /** Takes in one file. */
  take (name: string, text: string | Error | undefined): void
  /** Takes in what has changed since it was read last, of all or of one. */
  readChanged (only?: string): Task<void>
  /** The same, as far as the system has told that by now; and takes those away of which nothing is there any more. */
  refresh (): Task<void>
  /** Takes in what was written for a group while another one of its name was being removed, which is gone now. */
  takeNext (name: string): void
}

interface GroupFilesParts {
  readonly store: TextStore
  readonly content: Pick<Content, 'platforms' | 'templates'>
  readonly log: Log
  /** By folded name. */
  readonly entries: Map<string, GroupEntry>
  put (group: Group, options?: { readonly fault?: string, readonly damaged?: boolean }): GroupEntry
  set (entry: GroupEntry, group: Group, edited: boolean): void
  changed (group: string): void
  /** Whether a group has services, or files of some. */
  hasServices (group: string): boolean
}

export function createGroupFiles ({ store, content, log, entries, put, set, changed, hasServices }: GroupFilesParts): GroupFiles {
  // What somebody has written by hand for a group whose name is not free yet.
  const next = new Map<string, string | Error>()

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
      changed(name)
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
    if (before !== fault) changed(name)
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
    changed(name)
  }

  /** Nobody knows what it should be: it stays as long as it has services, which are not ended for a file that is moved. */
  function loseFile (entry: GroupEntry): void {
    const { name } = entry.group
    entry.fileless = true
    if (drop(entry)) return
    entry.fault = GONE
    log({ level: 'warn', message: `Group ${name}: its file is gone, of which nothing was right; nothing of it is started until it is there again`, group: name, file: store.pathOf(name) })
    changed(name)
  }

  /** Takes one away of which neither a file is there nor a service; answers whether it was. */
  function drop (entry: GroupEntry): boolean {
    const { deleting, fileless, unread, group: { name } } = entry
    if (!fileless || deleting !== undefined || unread.size > 0 || hasServices(name)) return false
    entry.gone = true
    entries.delete(folded(name))
    log({ level: 'warn', message: `Group ${name} is gone with its file, of which nothing was right`, group: name, file: store.pathOf(name) })
    changed(name)
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
    take: (name, text) => { take(name, text) },
    readChanged,
    * refresh () {
      for (const entry of [...entries.values()]) drop(entry)
      if (store.mayHaveChanged()) {
        yield * look()
        yield * readChanged()
      } else yield * judgeAgain()
    },
    takeNext: name => {
      const text = next.get(name)
      if (next.delete(name)) take(name, text)
    }
  }
}

const GONE = '(file) is gone, and has to be there again for anything of it to be started'
const faultIn = (problems: readonly Problem[]): string => problems.map(({ field, problem }) => `${field} ${problem}`).join('; ')
