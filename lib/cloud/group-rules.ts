/** What a group must satisfy, when it is made and after every edit. */
import type { Group, GroupChanges, Platform, Template } from '../../types/resources.js'
import {
  PlatformNotFound, PlatformVersionNotFound, TemplateNotFound, groupRule, invalid
} from '../errors.js'
import { isName } from './names.js'

/** Words that are routes below `/group/`. */
const reserved = new Set(['list', 'count', 'create'])
const day = 24 * 60 * 60 * 1000

/** What an edit asks for; a platform stays, its version may be another. */
export type GroupEdit = Omit<GroupChanges, 'platform'> & { readonly platform?: { readonly name?: string, readonly version: string } }

export type GroupFields = Omit<Group, 'createdAt' | 'templates'> & Partial<Pick<Group, 'createdAt' | 'templates'>>

/** @throws Failure 400 where no group can be called that */
export function checkGroupName (name: string): void {
  if (!isName(name) || reserved.has(name.toLowerCase())) throw invalid('Group name')
}

/** @throws Failure 400 for a property that the specification names and that is no boolean */
export function checkProperties (properties: Group['properties']): void {
  for (const [key, value] of Object.entries(properties)) {
    if ((key === 'fallback' || key === 'static') && typeof value !== 'boolean') throw invalid(`Group properties.${key}`)
  }
}

/** @throws Failure 400 for the first rule that the fields of a new group break */
export function newGroup (given: GroupFields, now: number): Group {
  const { name, platform, properties, templates = [], createdAt } = given
  checkGroupName(name)
  checkNumbers(given)
  checkProperties(properties)
  return {
    name,
    minMemory: given.minMemory,
    maxMemory: given.maxMemory,
    minOnlineService: given.minOnlineService,
    maxOnlineService: given.maxOnlineService,
    platform: { name: platform.name, version: platform.version },
    percentageToStartNewService: given.percentageToStartNewService,
    properties: { ...properties },
    templates: [...new Set(templates)],
    createdAt: isPlausible(createdAt, now) ? createdAt : now
  }
}

/** A client's own time is kept when it can be one: after 1970, and not further ahead than clocks differ. */
function isPlausible (createdAt: number | undefined, now: number): createdAt is number {
  return createdAt !== undefined && Number.isInteger(createdAt) && createdAt > 0 && createdAt <= now + day
}

/** JSON can say -0, which no runtime expects. */
const isNegative = (value: number): boolean => value < 0 || Object.is(value, -0)

/** The numbers in the order of the specification, and which other one each must not be less than. */
const numbers = {
  minMemory: undefined,
  maxMemory: 'minMemory',
  minOnlineService: undefined,
  maxOnlineService: 'minOnlineService',
  percentageToStartNewService: undefined
} as const

export type GroupNumber = keyof typeof numbers

/** @throws Failure 400 saying what is wrong with that number, or with it and the one that it goes with */
export function checkNumber (field: GroupNumber, group: GroupChanges): void {
  const value = group[field]
  if (value === undefined) return
  if (field === 'percentageToStartNewService') {
    if (isNegative(value) || !(value <= 100)) throw groupRule(`Group ${field} must be between 0 and 100`)
    return
  }
  if (!Number.isSafeInteger(value)) throw groupRule(`Group ${field} must be an integer`)
  if (isNegative(value)) throw groupRule(`Group ${field} must not be negative`)
  const lower = numbers[field]
  if (lower !== undefined && (group[lower] ?? 0) > value) throw groupRule(`Group ${lower} must not be greater than ${field}`)
}

/** @throws Failure 400 saying which number is wrong, of those that are given */
export function checkNumbers (group: GroupChanges): void {
  for (const field of Object.keys(numbers) as GroupNumber[]) checkNumber(field, group)
}

/**
 * What is to change of a group, whole.
 * @throws Failure 400 for the first rule that the group would break then
 */
export function changesOf (group: Group, { platform, templates, ...edit }: GroupEdit): GroupChanges {
  checkNumbers({ ...group, ...edit })
  if (edit.properties !== undefined) checkProperties(edit.properties)
  if (platform?.name !== undefined && platform.name !== group.platform.name) throw groupRule('Group platform.name cannot be changed')
  return {
    ...edit,
    ...(templates === undefined ? {} : { templates: [...new Set(templates)] }),
    ...(platform === undefined ? {} : { platform: { name: group.platform.name, version: platform.version } })
  }
}

/** @throws Failure 404 where there is no such platform or version */
export function checkPlatform ({ name, version }: Group['platform'], known: readonly Platform[]): void {
  const found = known.find(platform => platform.name === name)
  if (found === undefined) throw PlatformNotFound
  if (!found.versions.some(one => one.version === version)) throw PlatformVersionNotFound
}

/**
 * Whether a group of that name has to get a template of its own made, which it names.
 * @throws Failure 404 for any other template that does not exist
 */
export function needsOwnTemplate (group: string, templates: readonly string[], known: readonly Template[]): boolean {
  const missing = templates.filter(name => !known.some(template => template.name === name))
  if (missing.some(name => name !== group)) throw TemplateNotFound
  return missing.length > 0
}
