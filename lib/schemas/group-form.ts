/** What the fields of a group must satisfy, each by itself and with those before it. */
import type { Group, GroupChanges } from '../../types/resources.js'
import { type Failure, groupNumberInvalid, groupNumbersCrossed, groupPropertyInvalid, invalid } from '../errors.js'
import { isName } from './names.js'

/** Words that are routes below `/group/`. */
const reserved = new Set(['list', 'count', 'create'])

/** @throws Failure 400 where no group can be called that */
export function checkGroupName (name: string): void {
  if (!isName(name) || reserved.has(name.toLowerCase())) throw invalid('Group name')
}

/** @throws Failure 400 for a property that the specification names and that is no boolean */
export function checkProperties (properties: Group['properties']): void {
  for (const [key, value] of Object.entries(properties)) {
    if ((key === 'fallback' || key === 'static') && typeof value !== 'boolean') throw groupPropertyInvalid(key, 'is invalid')
  }
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

/** What a number of a group can be refused for. */
export function numberFailures (field: GroupNumber): readonly Failure[] {
  if (field === 'percentageToStartNewService') return [groupNumberInvalid(field, 'must be between 0 and 100')]
  const crossed = [numbers[field]].filter(lower => lower !== undefined).map(lower => groupNumbersCrossed(lower, field))
  return [groupNumberInvalid(field, 'must be an integer'), groupNumberInvalid(field, 'must not be negative'), ...crossed]
}

/** What the properties of a group can be refused for, besides what a platform says of those it reads. */
export const propertyFailures: readonly Failure[] = ['fallback', 'static'].map(name => groupPropertyInvalid(name, 'is invalid'))

/** @throws Failure 400 saying what is wrong with that number, or with it and the one that it goes with */
export function checkNumber (field: GroupNumber, group: GroupChanges): void {
  const value = group[field]
  if (value === undefined) return
  if (field === 'percentageToStartNewService') {
    if (isNegative(value) || !(value <= 100)) throw groupNumberInvalid(field, 'must be between 0 and 100')
    return
  }
  if (!Number.isSafeInteger(value)) throw groupNumberInvalid(field, 'must be an integer')
  if (isNegative(value)) throw groupNumberInvalid(field, 'must not be negative')
  const lower = numbers[field]
  if (lower !== undefined && (group[lower] ?? 0) > value) throw groupNumbersCrossed(lower, field)
}

/** @throws Failure 400 saying which number is wrong, of those that are given */
export function checkNumbers (group: GroupChanges): void {
  for (const field of Object.keys(numbers) as GroupNumber[]) checkNumber(field, group)
}
