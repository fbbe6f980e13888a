/** The rules about groups. */
import type { Group, GroupChanges } from '../../types/resources.js'
import type { CloudRuntime } from '../../types/runtime.js'
import type { Clock } from '../../types/options.js'
import { GroupNotFound, GroupTaken, UnsupportedGroupControl } from '../errors.js'
import { checkGroup, checkWord } from './answers.js'
import type { Permit, WhenGone, WithDeadline } from './deadline.js'
import { touch } from './faults.js'
import { type GroupFields, checkReferences, newGroup } from './group-rules.js'
import type { Lists } from './lists.js'
import { withDefaults } from './shapes.js'
import { checkNumbers } from '../schemas/group-form.js'
import { isName, isSameName } from '../schemas/names.js'

/** Each verb throws what `permit` throws, where whoever asks may not have it done any more. */
export interface Groups {
  get (name: string, gone?: WhenGone): Promise<Group>
  create (permit: Permit, fields: GroupFields): Promise<Group>
  edit (permit: Permit, name: string, changes: GroupChanges): Promise<Group>
  /** Resolves when no service of the group is left and the group is gone. */
  delete (permit: Permit, name: string): Promise<void>
}

export function createGroups (
  { groups: source }: CloudRuntime, lists: Lists, withDeadline: WithDeadline, clock: Clock, deleteTimeout: number
): Groups {
  function control (): NonNullable<typeof source.control> {
    const verbs = touch(() => source.control)
    if (verbs === undefined) throw UnsupportedGroupControl
    return verbs
  }

  async function get (name: string, gone?: WhenGone): Promise<Group> {
    const group = (await lists.groups(gone)).find(one => one.name === name)
    if (group === undefined) throw GroupNotFound
    return group
  }

  const edits = new Map<string, Promise<unknown>>()
  /** Edits of one group run one after the other, so that each is judged on what the one before it left. */
  function inTurn<T> (name: string, edit: () => Promise<T>): Promise<T> {
    const turn = (edits.get(name) ?? Promise.resolve()).then(edit)
    const settled = turn.catch(() => {}).finally(() => { if (edits.get(name) === settled) edits.delete(name) })
    edits.set(name, settled)
    return turn
  }

  return {
    get,

    create: async (permit, fields) => {
      const verbs = control()
      const group = newGroup(fields, clock.now())
      checkReferences(group, await lists.platforms(), await lists.templates())
      if ((await lists.groups()).some(({ name }) => isSameName(name, group.name))) throw GroupTaken
      const made = await withDeadline.act<unknown>(permit, options => verbs.create(group, options))
      if (!checkWord(made, [true, false])) throw GroupTaken
      return { ...group, properties: withDefaults(group.properties) }
    },

    edit: async (permit, name, changes) => {
      const verbs = control()
      return await inTurn(name, async () => {
        checkNumbers({ ...await get(name), ...changes })
        const edited = await withDeadline.act<unknown>(permit, options => verbs.edit(name, changes, options))
        if (edited === false) throw GroupNotFound
        return checkGroup(edited)
      })
    },

    delete: async (permit, name) => {
      const verbs = control()
      // The runtime may take names for paths; one that no group can have does not get there.
      if (!isName(name)) throw GroupNotFound
      const limit = { timeout: deleteTimeout, goOn: true }
      const deleted = await withDeadline.act<unknown>(permit, options => verbs.delete(name, options), limit)
      if (!checkWord(deleted, [true, false])) throw GroupNotFound
    }
  }
}
