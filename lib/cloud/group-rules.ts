/** What a group must satisfy, when it is made and after every edit. */
import type { Group, GroupChanges, Platform, Template } from '../../types/resources.js'
import { PlatformNameFixed, PlatformNotFound, PlatformVersionNotFound, TemplateNotFound } from '../errors.js'
import { checkGroupName, checkNumbers, checkProperties } from '../schemas/group-form.js'

const day = 24 * 60 * 60 * 1000

/** What an edit asks for; a platform stays, its version may be another. */
export type GroupEdit = Omit<GroupChanges, 'platform'> & { readonly platform?: { readonly name?: string, readonly version: string } }

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

/**
 * What is to change of a group, whole.
 * @throws Failure 400 for the first rule that the group would break then
 */
export function changesOf (group: Group, { platform, templates, ...edit }: GroupEdit): GroupChanges {
  checkNumbers({ ...group, ...edit })
  if (edit.properties !== undefined) checkProperties(edit.properties)
  if (platform?.name !== undefined && platform.name !== group.platform.name) throw PlatformNameFixed
  return {
    ...edit,
    ...(templates === undefined ? {} : { templates: [...new Set(templates)] }),
    ...(platform === undefined ? {} : { platform: { name: group.platform.name, version: platform.version } })
  }
}

/** @throws Failure 404 where there is no such platform or version */
export function checkPlatform ({ name, version }: Group['platform'], platforms: readonly Platform[]): void {
  const found = platforms.find(platform => platform.name === name)
  if (found === undefined) throw PlatformNotFound
  if (!found.versions.some(one => one.version === version)) throw PlatformVersionNotFound
}

/**
 * Whether a group of that name has to get a template of its own made, which it names.
 * @throws Failure 404 for any other template that does not exist
 */
export function needsOwnTemplate (group: string, templates: readonly string[], existing: readonly Template[]): boolean {
  const missing = templates.filter(name => !existing.some(template => template.name === name))
  if (missing.some(name => name !== group)) throw TemplateNotFound
  return missing.length > 0
}
