/** What stands in `groups/<name>.json`, and how it is read. */
import type { Group, PropertyValue } from '../../../../types/resources.js'
import type { Problem } from '../content/platform-definition.js'
import { problemsOf, rightOf } from '../group-properties.js'
import { isName, isPlatformName } from '../names.js'
import { jsonProblem } from '../plain-file.js'

/** The text of a group's file, made to be read and changed by people. */
export function writeGroup (group: Group): string {
  return `${JSON.stringify(group, null, 2)}\n`
}

/** Reads a group's file; `name` is that of the file. Answers the group, or everything that is wrong with it. */
export function readGroup (name: string, text: string): Group | readonly Problem[] {
  const problems: Problem[] = []
  const check = (field: string, right: boolean, problem: string): void => {
    if (!right) problems.push({ field, problem })
  }
  let given: Record<string, unknown>
  try {
    given = JSON.parse(text)
  } catch (error) {
    return [{ field: '(file)', problem: jsonProblem(error) }]
  }
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return [{ field: '(file)', problem: 'must contain an object' }]
  }
  const { properties = {}, templates = [] } = given
  const platform = given.platform as Partial<Group['platform']> | undefined | null
  check('name', isName(given.name) && given.name === name, 'must be the name of the file without .json')
  for (const field of ['minMemory', 'maxMemory', 'minOnlineService', 'maxOnlineService']) {
    check(field, Number.isInteger(given[field]) && (given[field] as number) >= 0, 'must be a whole number, 0 or more')
  }
  check('minMemory', !(Number(given.minMemory) > Number(given.maxMemory)), 'must not be more than maxMemory')
  check('minOnlineService', !(Number(given.minOnlineService) > Number(given.maxOnlineService)), 'must not be more than maxOnlineService')
  const percentage = given.percentageToStartNewService
  check('percentageToStartNewService', typeof percentage === 'number' && percentage >= 0 && percentage <= 100, 'must be 0 to 100')
  check('platform.name', isPlatformName(platform?.name), 'must be the name of a platform')
  check('platform.version', typeof platform?.version === 'string' && platform.version !== '', 'must be a text')
  if (isProperties(properties)) problems.push(...problemsOf(properties).map(({ name, problem }) => ({ field: `${PROPERTY}${name}`, problem })))
  else check('properties', false, 'must be an object of texts, numbers, true and false')
  check('templates', Array.isArray(templates) && templates.every(isName), 'must be a list of template names')
  check('createdAt', typeof given.createdAt === 'number' && given.createdAt > 0, 'must be milliseconds since 1970')
  if (problems.length > 0) return problems
  return {
    name,
    minMemory: given.minMemory as number,
    maxMemory: given.maxMemory as number,
    minOnlineService: given.minOnlineService as number,
    maxOnlineService: given.maxOnlineService as number,
    platform: { name: platform?.name as string, version: platform?.version as string },
    percentageToStartNewService: percentage as number,
    properties: properties as Group['properties'],
    templates: templates as string[],
    createdAt: given.createdAt as number
  }
}

/** Stands before the name of a property that is wrong. */
const PROPERTY = 'properties.'

/** Whether nothing but properties is wrong: then those that are right are enough to start services. */
export const areBearable = (problems: readonly Problem[]): boolean => problems.every(({ field }) => field.startsWith(PROPERTY))

function isProperties (value: unknown): value is Record<string, PropertyValue> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) &&
    Object.values(value).every(property => ['string', 'number', 'boolean'].includes(typeof property))
}

/** What of a damaged file can still be read, so that the group can be shown; its services are looked after with it. */
export function salvageGroup (name: string, text: string): Group {
  let given: Partial<Group> = {}
  try {
    const read: unknown = JSON.parse(text)
    if (typeof read === 'object' && read !== null) given = read
  } catch {
    // Nothing of it can be read.
  }
  const standIn: Group = {
    name,
    minMemory: 0,
    maxMemory: 0,
    minOnlineService: 0,
    maxOnlineService: 0,
    platform: { name: 'unknown', version: 'unknown' },
    percentageToStartNewService: 0,
    properties: {},
    templates: [],
    createdAt: 1
  }
  if (isProperties(given.properties)) given = { ...given, properties: rightOf(given.properties) }
  // Twice, because a minimum is right only when its maximum is there.
  return [...Object.entries(given), ...Object.entries(given)].reduce<Group>((group, [field, value]) => {
    if (!Object.hasOwn(standIn, field)) return group
    const better = { ...group, [field]: value } as Group
    return Array.isArray(readGroup(name, JSON.stringify(better))) ? group : better
  }, standIn)
}
