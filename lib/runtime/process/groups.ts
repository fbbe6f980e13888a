/** The groups: one file each, and what is known of them besides. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Group } from '../../../types/resources.js'
import type { GroupControl, GroupReasons, Groups as GroupList } from '../../../types/runtime.js'
import { textOf } from './errors.js'
import { clearTemporaries, unlinkDurably, writeDurably } from './files.js'
import { readGroup, writeGroup } from './group-definition.js'
import { checkedName, folded } from './names.js'
import type { Log } from './options.js'
import { Queue } from './queue.js'
import type { TemplateUsers } from './templates.js'

export interface GroupEntry {
  group: Group
  /** Why nothing of it is started, when that is so. */
  halted?: string
  /** Why the last decision was what it was. */
  decision?: string
  deleting?: Promise<boolean>
  /** Changes of its file come one after the other. */
  readonly queue: Queue
}

export interface GroupsOptions {
  readonly directory: string
  readonly log: Log
  /** Ends everything of a group and takes it off the list; throws when something cannot be ended. */
  end (group: string): Promise<void>
  /** Lets a group that gave up try again. */
  resume (group: string): void
  /** Called when a group may need something now. */
  hurry (): void
}

export class Groups implements GroupList, TemplateUsers {
  readonly #options: GroupsOptions
  readonly #entries = new Map<string, GroupEntry>()
  // Names whose file is being written for the first time.
  readonly #making = new Set<string>()
  readonly #damaged = new Set<string>()
  #revision = 1

  constructor (options: GroupsOptions) {
    this.#options = options
  }

  get revision (): number {
    return this.#revision
  }

  list (): readonly Group[] {
    return this.entries.map(({ group }) => group)
  }

  get entries (): GroupEntry[] {
    return [...this.#entries.values()]
  }

  get (name: string): GroupEntry | undefined {
    const entry = this.#entries.get(folded(name))
    return entry?.group.name === name ? entry : undefined
  }

  /** Whether there is a file for the group that could not be read. */
  isDamaged (name: string): boolean {
    return this.#damaged.has(name)
  }

  /** Reads all files; what is wrong with one is reported and the others are there. */
  async load (): Promise<void> {
    const { directory } = this.#options
    await clearTemporaries(directory)
    for (const file of (await readdir(directory)).filter((name) => name.endsWith('.json')).sort()) {
      const name = file.slice(0, -'.json'.length)
      const path = join(directory, file)
      const text = await readFile(path, 'utf8').catch((error) => error as Error)
      const read = typeof text === 'string' ? readGroup(name, text) : [{ field: '(file)', problem: `cannot be read: ${text.message}` }]
      const twin = this.#entries.get(folded(name))
      const problems = Array.isArray(read) ? read : twin === undefined ? [] : [{ field: 'name', problem: `is that of ${twin.group.name} already, ignoring case` }]
      for (const { field, problem } of problems) {
        this.#damaged.add(name)
        this.#options.log({ level: 'error', message: `Group file ${file}: ${field} ${problem}`, file: path, field, group: name })
      }
      if (problems.length === 0) this.#entries.set(folded(name), { group: read as Group, queue: new Queue() })
    }
  }

  uses (template: string): boolean {
    return this.entries.some(({ group }) => group.templates.includes(template))
  }

  async renameTemplate (template: string, newName: string): Promise<void> {
    for (const entry of this.entries.filter(({ group }) => group.templates.includes(template))) {
      await entry.queue.add(async () => await this.#write(entry, {
        templates: entry.group.templates.map((name) => name === template ? newName : name)
      }))
    }
  }

  readonly control: GroupControl = {
    create: async (group) => {
      const key = folded(checkedName(group.name))
      // A damaged file is somebody's group: it is not written over.
      const taken = this.#entries.has(key) || this.#making.has(key) || [...this.#damaged].some((name) => folded(name) === key)
      if (taken) return false
      this.#making.add(key)
      try {
        const copy = structuredClone(group)
        await writeDurably(this.#pathOf(group.name), writeGroup(copy))
        this.#entries.set(key, { group: copy, queue: new Queue() })
        this.#revision++
      } finally {
        this.#making.delete(key)
      }
      this.#options.hurry()
      return true
    },
    edit: async (name, changes) => {
      const entry = this.get(name)
      if (entry === undefined) return false
      return await entry.queue.add(async () => {
        if (entry.deleting !== undefined || this.get(name) !== entry) return false
        const { minMemory, maxMemory, minOnlineService, maxOnlineService, percentageToStartNewService } = changes
        await this.#write(entry, dropUndefined({ minMemory, maxMemory, minOnlineService, maxOnlineService, percentageToStartNewService }))
        this.#options.resume(name)
        this.#options.hurry()
        return entry.group
      })
    },
    delete: async (name) => {
      const entry = this.get(name)
      if (entry === undefined) return false
      entry.deleting ??= this.#delete(entry).finally(() => delete entry.deleting)
      return await entry.deleting
    }
  }

  readonly reasons = {
    of: (name: string) => {
      const entry = this.get(name)
      return entry?.deleting === undefined ? entry?.decision : 'is being deleted'
    }
  } satisfies GroupReasons

  async #delete (entry: GroupEntry): Promise<boolean> {
    const { name } = entry.group
    try {
      await this.#options.end(name)
      await entry.queue.add(async () => await unlinkDurably(this.#pathOf(name)))
    } catch (error) {
      // Half of it is stopped: starting that again now would be the opposite of what was asked for.
      entry.halted = `halted: its deletion failed (${textOf(error)})`
      throw error
    }
    this.#entries.delete(folded(name))
    this.#revision++
    return true
  }

  async #write (entry: GroupEntry, changes: Partial<Group>): Promise<void> {
    const group = { ...entry.group, ...changes }
    await writeDurably(this.#pathOf(group.name), writeGroup(group))
    entry.group = group
    this.#revision++
  }

  #pathOf (name: string): string {
    return join(this.#options.directory, `${checkedName(name)}.json`)
  }
}

function dropUndefined (changes: { readonly [field: string]: number | undefined }): Partial<Group> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}
