/** The rules about groups. */
import type { Group, ServiceState } from '../../types/resources.js'
import type { CloudRuntime, RestartProgress } from '../../types/runtime.js'
import type { Clock } from '../../types/options.js'
import { GroupDamaged, GroupNotFound, GroupTaken, GroupTooLarge, TemplateNotFound, TemplatesFull, UnsupportedGroupControl, groupPropertyInvalid } from '../errors.js'
import { checkGroup, checkProgress, checkPropertyProblem, checkWord } from './answers.js'
import type { Permit, WhenGone, WithDeadline } from './deadline.js'
import { touch } from './faults.js'
import { type GroupEdit, type GroupFields, changesOf, checkPlatform, needsOwnTemplate, newGroup } from './group-rules.js'
import type { Lists } from './lists.js'
import { withDefaults } from './shapes.js'
import { type Turns, type Waiting, type WaitingUntil, createTurns, leftOf, waitingFor } from './turns.js'
import { isName, isSameName } from '../schemas/names.js'

export interface GroupStatus {
  /** One line. Absent: the runtime does not explain what it does. */
  readonly reason?: string
  /** How many services are in each state. */
  readonly services: Readonly<Record<ServiceState, number>>
  /** While the group is being restarted. */
  readonly restart?: RestartProgress
}

/** Each verb throws what `permit` throws, where whoever asks may not have it done any more. */
export interface Groups {
  get (name: string, gone?: WhenGone): Promise<Group>
  create (permit: Permit, fields: GroupFields, who?: Waiting): Promise<Group>
  edit (permit: Permit, name: string, edit: GroupEdit, who?: Waiting): Promise<Group>
  /** Accepts the restart of all services of a group, one after the other. */
  restart (permit: Permit, name: string): Promise<void>
  /** Why a group is as it is, and how its services are. */
  status (name: string, gone?: WhenGone): Promise<GroupStatus>
  /** Resolves when no service of the group is left and the group is gone. */
  delete (permit: Permit, name: string): Promise<void>
}

export interface GroupParts {
  readonly lists: Lists
  readonly withDeadline: WithDeadline
  readonly clock: Clock
  /** How long an answer may take, and how long that of a deletion, in milliseconds. */
  readonly runtimeTimeout: number
  readonly deleteTimeout: number
  /** Whoever names templates shares them; who renames or deletes one is alone. */
  readonly templateTurns: Turns
}

export function createGroups ({ groups: source, templates }: CloudRuntime, { lists, withDeadline, clock, runtimeTimeout, deleteTimeout, templateTurns }: GroupParts): Groups {
  function control (): NonNullable<typeof source.control> {
    const verbs = touch(() => source.control)
    if (verbs === undefined) throw UnsupportedGroupControl
    return verbs
  }

  const waiting = waitingFor(runtimeTimeout)

  async function get (name: string, gone?: WhenGone): Promise<Group> {
    const group = (await lists.groups(gone)).find(one => one.name === name)
    if (group === undefined) throw GroupNotFound
    return group
  }

  /** A template that a group names as its own is made with it. */
  async function makeTemplate (permit: Permit, name: string, who: WaitingUntil): Promise<void> {
    if (templates === undefined) throw TemplateNotFound
    const made = await withDeadline.act<unknown>(permit, options => templates.create(name, options), { name: 'templates.create', timeout: leftOf(who) })
    if (checkWord(made, [true, false, 'full']) === 'full') throw TemplatesFull
  }

  /** @throws Failure 400 for a property that the runtime knows by name and that is wrong */
  async function checkKnownProperties (given: Group['properties']): Promise<void> {
    const properties = touch(() => source.properties)
    if (properties === undefined) return
    const wrong = checkPropertyProblem(await withDeadline<unknown>(options => properties.check(given, options)))
    if (wrong !== undefined) throw groupPropertyInvalid(oneLine(wrong.name), oneLine(wrong.problem))
  }

  /** @throws Failure 409 for a group of which what is listed may be less than what it is meant to be */
  async function checkDamage (name: string): Promise<void> {
    const damage = touch(() => source.damage)
    if (damage !== undefined && checkWord(await withDeadline<unknown>(options => damage.of(name, options), { name: 'groups.damage' }), [true, false])) throw GroupDamaged
  }

  const edits = new Map<string, Turns>()
  /** Edits of one group run one after the other, so that each is judged on what the one before it left. */
  async function inTurn<T> (name: string, who: WaitingUntil, edit: () => Promise<T>): Promise<T> {
    const turns = edits.get(name) ?? createTurns()
    edits.set(name, turns)
    try {
      return await turns.alone(who, edit)
    } finally {
      if (turns.isIdle) edits.delete(name)
    }
  }

  /** Until a group has them, none of the templates that it is given can be renamed or deleted. */
  const naming = <T>(given: readonly string[] | undefined, who: WaitingUntil, action: () => Promise<T>): Promise<T> =>
    given === undefined || given.length === 0 ? action() : templateTurns.together(who, action)

  return {
    get,

    create: async (permit, fields, given) => {
      const verbs = control()
      const group = newGroup(fields, clock.now())
      await checkKnownProperties(group.properties)
      checkPlatform(group.platform, await lists.platforms())
      const who = waiting(given)
      return await naming(group.templates, who, async () => {
        const isOwnMissing = needsOwnTemplate(group.name, group.templates, await lists.templates())
        if ((await lists.groups()).some(({ name }) => isSameName(name, group.name))) throw GroupTaken
        if (isOwnMissing) await makeTemplate(permit, group.name, who)
        const made = await withDeadline.act<unknown>(permit, options => verbs.create(group, options), { name: 'groups.create', timeout: leftOf(who) })
        const answer = checkWord(made, [true, false, 'too-large'])
        if (answer === 'too-large') throw GroupTooLarge
        if (!answer) throw GroupTaken
        return { ...group, properties: withDefaults(group.properties) }
      })
    },

    edit: async (permit, name, edit, given) => {
      const [verbs, who] = [control(), waiting(given)]
      return await inTurn(name, who, async () => {
        const group = await get(name)
        await checkDamage(name)
        const changes = changesOf(group, edit)
        if (changes.properties !== undefined) await checkKnownProperties(changes.properties)
        if (changes.platform !== undefined) checkPlatform(changes.platform, await lists.platforms())
        return await naming(changes.templates, who, async () => {
          if (changes.templates !== undefined && needsOwnTemplate(name, changes.templates, await lists.templates())) await makeTemplate(permit, name, who)
          const edited = await withDeadline.act<unknown>(permit, options => verbs.edit(name, changes, options), { name: 'groups.edit', timeout: leftOf(who) })
          if (edited === false) throw GroupNotFound
          if (edited === 'damaged') throw GroupDamaged
          if (edited === 'too-large') throw GroupTooLarge
          return checkGroup(edited)
        })
      })
    },

    restart: async (permit, name) => {
      const restarts = touch(() => source.restarts)
      if (restarts === undefined) throw UnsupportedGroupControl
      const answer = checkWord(await withDeadline.act<unknown>(permit, options => restarts.restart(name, options), { name: 'groups.restart' }), [true, false, 'damaged'])
      if (answer === false) throw GroupNotFound
      if (answer === 'damaged') throw GroupDamaged
    },

    status: async (name, gone) => {
      await get(name, gone)
      const { reasons, restarts } = touch(() => ({ reasons: source.reasons, restarts: source.restarts }))
      const reason = reasons && await withDeadline<unknown>(options => reasons.of(name, options), { name: 'groups.reason' })
      const restart = restarts && checkProgress(await withDeadline<unknown>(options => restarts.progressOf(name, options), { name: 'groups.progress' }))
      const services = { ONLINE: 0, STARTING: 0, STOPPING: 0, OFFLINE: 0 }
      for (const { groupName, state } of await lists.services(gone)) if (groupName === name) services[state]++
      return { ...(typeof reason === 'string' && { reason: oneLine(reason) }), services, ...(restart && { restart }) }
    },

    delete: async (permit, name) => {
      const verbs = control()
      // The runtime may take names for paths; one that no group can have does not get there.
      if (!isName(name)) throw GroupNotFound
      const limit = { name: 'groups.delete', timeout: deleteTimeout, goOn: true }
      const deleted = await withDeadline.act<unknown>(permit, options => verbs.delete(name, options), limit)
      if (!checkWord(deleted, [true, false])) throw GroupNotFound
    }
  }
}

/** One line, and not a long one, whatever a runtime says. */
export const oneLine = (reason: string): string => reason.slice(0, 1_000).replaceAll(/[\s\p{Cc}]+/gu, ' ')
