/** What stands in `groups/<name>.json`, and how it is read. */
import type { Group, PropertyValue } from '../../../../types/resources.js'
import type { Content } from '../content/content.js'
import type { Problem } from '../content/platform-definition.js'
import { problemsOf, rightOf } from '../group-properties.js'
import { isName, isPlatformName, strangeIn } from '../names.js'
import { jsonProblem, LONGEST } from '../plain-file.js'

/** The text of a group's file, made to be read and changed by people; undefined where it would be longer than what is read. */
export function writeGroup (group: Group): string | undefined {
  const text = `${JSON.stringify(group, null, 2)}\n`
  return Buffer.byteLength(text) > LONGEST ? undefined : text
}

/** Milliseconds since 1970 of the last moment that is a date (ECMA-262, Time Values): beyond it nobody can show one. */
const LATEST = 8.64e15
/** The interface shows no list of more than 100,000, and that of a service has the system's templates as well. */
const MOST_TEMPLATES = 99_990

/** Reads a group's file; `name` is that of the file. Answers the group, or everything that is wrong with it: what it answers the interface can show. */
export function readGroup (name: string, text: string): Group | readonly Problem[] {
  let given: unknown
  try {
    given = JSON.parse(text)
  } catch (error) {
    return [{ field: '(file)', problem: jsonProblem(text, error) }]
  }
  return isObject(given) ? checkGroup(name, given) : [{ field: '(file)', problem: 'must contain an object' }]
}

function checkGroup (name: string, given: Readonly<Record<string, unknown>>): Group | readonly Problem[] {
  const problems: Problem[] = []
  const check = (field: string, right: boolean, problem: string): void => {
    if (!right) problems.push({ field, problem })
  }
  const { properties = {}, templates = [], percentageToStartNewService: percentage, createdAt } = given
  const platform: Record<string, unknown> = isObject(given.platform) ? given.platform : {}
  check('name', isName(given.name) && given.name === name, 'must be the name of the file without .json')
  const whole = (field: 'minMemory' | 'maxMemory' | 'minOnlineService' | 'maxOnlineService'): number => {
    const value = given[field]
    const isWhole = Number.isInteger(value) && (value as number) >= 0
    check(field, isWhole, 'must be a whole number, 0 or more')
    check(field, !isWhole || Number.isSafeInteger(value), `must be at most ${Number.MAX_SAFE_INTEGER}`)
    return isWhole ? value as number : NaN
  }
  const [minMemory, maxMemory, minOnlineService, maxOnlineService] = [whole('minMemory'), whole('maxMemory'), whole('minOnlineService'), whole('maxOnlineService')]
  check('minMemory', !(minMemory > maxMemory), 'must not be more than maxMemory')
  check('minOnlineService', !(minOnlineService > maxOnlineService), 'must not be more than maxOnlineService')
  check('percentageToStartNewService', typeof percentage === 'number' && percentage >= 0 && percentage <= 100, 'must be 0 to 100')
  check('platform.name', isPlatformName(platform.name), 'must be the name of a platform')
  check('platform.version', typeof platform.version === 'string' && platform.version !== '', 'must be a text')
  if (isProperties(properties)) problems.push(...problemsOf(properties).map(({ name, problem }) => ({ field: `${PROPERTY}${name}`, problem })))
  else check('properties', false, 'must be an object of texts, numbers, true and false')
  const areNames = Array.isArray(templates) && templates.every(isName)
  check('templates', areNames, `must be a list of template names${Array.isArray(templates) ? wrongNameIn(templates) : ''}`)
  check('templates', !areNames || templates.length <= MOST_TEMPLATES, `must be at most ${MOST_TEMPLATES} names`)
  const isTime = typeof createdAt === 'number' && createdAt > 0
  check('createdAt', isTime, 'must be milliseconds since 1970')
  check('createdAt', !isTime || (Number.isInteger(createdAt) && createdAt <= LATEST), `must be whole milliseconds since 1970, at most ${LATEST}`)
  if (problems.length > 0) return problems
  return {
    name,
    minMemory,
    maxMemory,
    minOnlineService,
    maxOnlineService,
    platform: { name: platform.name as string, version: platform.version as string },
    percentageToStartNewService: percentage as number,
    properties: properties as Group['properties'],
    templates: templates as string[],
    createdAt: createdAt as number
  }
}

/** What is wrong with a text that looks like a name; two that look alike may be of other characters (`é` is one, or two). */
function wrongNameIn (names: readonly unknown[]): string {
  const at = names.findIndex(name => !isName(name))
  const name = names[at]
  const strange = typeof name === 'string' ? strangeIn(name) : undefined
  return strange === undefined ? '' : `: entry ${at + 1} has the character U+${strange.toString(16).toUpperCase().padStart(4, '0')}, and a template's name has none but A-Z, a-z, 0-9, _ and -`
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of missing templates so many are told. */
const MOST_TOLD = 10

/** What a group that was another `before` names anew although it is not there, or is of another type: what the interface refuses as well. */
export function missingIn ({ platforms, templates }: Pick<Content, 'platforms' | 'templates'>, before: Group, { platform: { name, version }, ...group }: Group): readonly Problem[] {
  const problems: Problem[] = []
  const [was, definition] = [platforms.get(before.platform.name), platforms.get(name)]
  if (name !== before.platform.name) {
    if (definition === undefined) problems.push({ field: 'platform.name', problem: `must be a platform that exists: there is no ${name}` })
    else if (was !== undefined && definition.type !== was.type) problems.push({ field: 'platform.name', problem: `must be a ${was.type}: ${name} is a ${definition.type}` })
  }
  if ((name !== before.platform.name || version !== before.platform.version) && definition?.versions.includes(version) === false) {
    problems.push({ field: 'platform.version', problem: `must be a version of ${name}` })
  }
  const missing = group.templates.filter(one => !before.templates.includes(one) && !templates.has(one))
  if (missing.length > 0) problems.push({ field: 'templates', problem: `must exist: there is no ${missing.slice(0, MOST_TOLD).join(', ')}` })
  return problems
}

/** Stands before the name of a property that is wrong. */
const PROPERTY = 'properties.'

/** Whether nothing but properties is wrong: then those that are right are enough to start services. */
export const areBearable = (problems: readonly Problem[]): boolean => problems.every(({ field }) => field.startsWith(PROPERTY))

function isProperties (value: unknown): value is Record<string, PropertyValue> {
  return isObject(value) && Object.values(value).every(property => ['string', 'number', 'boolean'].includes(typeof property))
}

/** What of a damaged file can still be read, so that the group can be shown; its services are looked after with it. */
export function salvageGroup (name: string, text: string): Group {
  let given: Record<string, unknown> = {}
  try {
    const read: unknown = JSON.parse(text)
    if (isObject(read)) given = read
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
    const better = checkGroup(name, { ...group, [field]: value })
    return Array.isArray(better) ? group : better as Group
  }, standIn)
}
