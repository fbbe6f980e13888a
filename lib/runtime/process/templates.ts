/** The templates: directories of files that are laid into services. */
import { statSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Group, ServiceType, Template } from '../../../types/resources.js'
import type { Templates as TemplateVerbs } from '../../../types/runtime.js'
import { clearTemporaries, syncDirectory, unlinkDurably, writeDurably } from './files.js'
import { says } from './group-definition.js'
import { checkedName, folded, isName } from './names.js'
import { Queue } from './queue.js'

/** Always there; laid by the cloud itself. */
export const SYSTEM_TEMPLATES = ['EVERY', 'EVERY_SERVER', 'EVERY_PROXY', 'EVERY_FALLBACK'] as const

const RENAMING = '.renaming.json'

/** The groups' side of renaming and removing. */
export interface TemplateUsers {
  /** Whether any group lays this template. */
  uses (template: string): boolean
  /** Writes the new name into every group that uses the old one. */
  renameTemplate (template: string, newName: string): Promise<void>
}

export class Templates implements TemplateVerbs {
  readonly #directory: string
  readonly #users: TemplateUsers
  // Verbs come one after the other: what one has checked, another cannot change before it acts.
  readonly #queue = new Queue()
  #names: readonly string[] = []
  #revision = 1
  #seen = 0n

  constructor (directory: string, users: TemplateUsers) {
    this.#directory = directory
    this.#users = users
  }

  async open (): Promise<void> {
    for (const name of SYSTEM_TEMPLATES) await mkdir(join(this.#directory, name), { recursive: true })
    await clearTemporaries(this.#directory)
    await this.#finishRename()
    await this.refresh()
  }

  /** Also changes when somebody adds or removes a directory by hand: the time on the directory above tells. */
  get revision (): number {
    const { mtimeNs } = statSync(this.#directory, { bigint: true })
    if (mtimeNs !== this.#seen) this.#revision++
    this.#seen = mtimeNs
    return this.#revision
  }

  async list (): Promise<readonly Template[]> {
    await this.refresh()
    return this.#names.map(describe)
  }

  /** Looks what is there now. */
  async refresh (): Promise<void> {
    const entries = await readdir(this.#directory, { withFileTypes: true })
    const names = entries.filter((entry) => entry.isDirectory() && isName(entry.name)).map(({ name }) => name).sort()
    if (names.join() === this.#names.join()) return
    this.#names = names
    this.#revision++
  }

  create (name: string): Promise<boolean> {
    return this.#queue.add(async () => {
      const path = join(this.#directory, checkedName(name))
      await this.refresh()
      if (this.#find(name) !== undefined) return false
      await mkdir(path)
      await this.#changed()
      return true
    })
  }

  rename (name: string, newName: string): Promise<boolean | 'taken'> {
    return this.#queue.add(async () => {
      const [from, to] = [join(this.#directory, checkedName(name)), join(this.#directory, checkedName(newName))]
      await this.refresh()
      if (isSystem(name) || isSystem(newName)) return isSystem(name) ? false : 'taken'
      if (!this.#names.includes(name)) return false
      const taken = this.#find(newName)
      if (taken !== undefined && taken !== name) return 'taken'
      if (name === newName) return true
      // Directory and groups change one after the other; the note lets the next start finish what a crash cut short.
      await writeDurably(join(this.#directory, RENAMING), JSON.stringify({ name, newName }))
      try {
        await rename(from, to)
        await this.#users.renameTemplate(name, newName)
      } catch (error) {
        await rename(to, from).catch(() => {})
        await this.#users.renameTemplate(newName, name)
        throw error
      } finally {
        await this.#changed()
      }
      await unlinkDurably(join(this.#directory, RENAMING))
      return true
    })
  }

  delete (name: string): Promise<boolean | 'in-use'> {
    return this.#queue.add(async () => {
      const path = join(this.#directory, checkedName(name))
      await this.refresh()
      if (isSystem(name) || !this.#names.includes(name)) return false
      if (this.#users.uses(name)) return 'in-use'
      // Out of the list in one step; taking the files away may be long.
      const away = join(this.#directory, `.${name}.${Date.now()}.tmp`)
      await rename(path, away)
      await this.#changed()
      await rm(away, { recursive: true, force: true })
      return true
    })
  }

  /** The templates of a group's services, in the order in which they are laid; those that are missing are not there. */
  forGroup (group: Group, type: ServiceType): readonly Template[] {
    const names = ['EVERY', `EVERY_${type}`, ...(says(group, 'fallback') ? ['EVERY_FALLBACK'] : []), ...group.templates]
    return names.filter((name) => this.#names.includes(name)).map(describe)
  }

  pathOf (name: string): string {
    return join(this.#directory, checkedName(name))
  }

  async #finishRename (): Promise<void> {
    const note = await readFile(join(this.#directory, RENAMING), 'utf8').catch(() => undefined)
    if (note === undefined) return
    const { name, newName } = JSON.parse(note) as { name: string, newName: string }
    const [from, to] = [this.pathOf(name), this.pathOf(newName)]
    const exists = (path: string) => stat(path).then(() => true, () => false)
    if (await exists(from) && !await exists(to)) await rename(from, to)
    if (await exists(to)) await this.#users.renameTemplate(name, newName)
    await unlinkDurably(join(this.#directory, RENAMING))
  }

  #find (name: string): string | undefined {
    return this.#names.find((known) => folded(known) === folded(name))
  }

  async #changed (): Promise<void> {
    await syncDirectory(this.#directory)
    await this.refresh()
  }
}

function isSystem (name: string): boolean {
  return SYSTEM_TEMPLATES.some((system) => folded(system) === folded(name))
}

/** Nobody measures templates: walking all files for a list would cost more than it tells. */
function describe (name: string): Template {
  return { name, size: 'unknown' }
}
