/** What a group must satisfy, when it is made and after every edit. */
import type { Group, Platform, Template } from '../../types/resources.js'
import { PlatformNotFound, PlatformVersionNotFound, TemplateNotFound } from '../errors.js'
import { checkGroupName, checkNumbers, checkProperties } from '../schemas/group-form.js'

const day = 24 * 60 * 60 * 1000

export type GroupFields = Omit<Group, 'createdAt' | 'templates'> & Partial<Pick<Group, 'createdAt' | 'templates'>>

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
