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

/** @throws Failure 400 for the first rule that the fields of a new group break */
export function newGroup (given: GroupFields, now: number): Group {
  const { name, platform, properties, templates = [], createdAt } = given
  if (!isName(name) || reserved.has(name.toLowerCase())) throw invalid('Group name')
  checkNumbers(given)
  for (const [key, value] of Object.entries(properties)) {
    if ((key === 'fallback' || key === 'static') && typeof value !== 'boolean') throw invalid(`Group properties.${key}`)
  }
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

const counts = ['minMemory', 'maxMemory', 'minOnlineService', 'maxOnlineService'] as const

/** JSON can say -0, which no runtime expects. */
const isNegative = (value: number): boolean => value < 0 || Object.is(value, -0)

function checkCount (field: string, value: number): void {
  if (!Number.isSafeInteger(value)) throw groupRule(`Group ${field} must be an integer`)
  if (isNegative(value)) throw groupRule(`Group ${field} must not be negative`)
}

function checkPercentage (value: number): void {
  if (isNegative(value) || !(value <= 100)) throw groupRule('Group percentageToStartNewService must be between 0 and 100')
}

/** @throws Failure 400 saying which number is wrong by itself, whatever the group that it is meant for */
export function checkChanges (changes: GroupChanges): void {
  for (const field of counts) {
    if (changes[field] !== undefined) checkCount(field, changes[field])
  }
  if (changes.percentageToStartNewService !== undefined) checkPercentage(changes.percentageToStartNewService)
}

/** @throws Failure 400 saying which pair or number is wrong */
export function checkNumbers (group: Required<GroupChanges>): void {
  for (const field of counts) checkCount(field, group[field])
  if (group.minMemory > group.maxMemory) throw groupRule('Group minMemory must not be greater than maxMemory')
  if (group.minOnlineService > group.maxOnlineService) {
    throw groupRule('Group minOnlineService must not be greater than maxOnlineService')
  }
  checkPercentage(group.percentageToStartNewService)
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
