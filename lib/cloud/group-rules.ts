/** What a group must satisfy, when it is made and after every edit. */
import type { Group, GroupChanges, Platform, Template } from '../../types/resources.js'
import {
  PlatformNotFound, PlatformVersionNotFound, TemplateNotFound, groupRule, invalid
} from '../errors.js'
import { isName } from './names.js'

/** Words that are routes below `/group/`. */
const reserved = new Set(['list', 'count', 'create'])
const day = 24 * 60 * 60 * 1000

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

/** @throws Failure 404 for the first thing that the group names and that does not exist */
export function checkReferences (
  { platform, templates }: Group, platforms: readonly Platform[], known: readonly Template[]
): void {
  const found = platforms.find(({ name }) => name === platform.name)
  if (found === undefined) throw PlatformNotFound
  if (!found.versions.some(({ version }) => version === platform.version)) throw PlatformVersionNotFound
  for (const name of templates) {
    if (!known.some(template => template.name === name)) throw TemplateNotFound
  }
}
