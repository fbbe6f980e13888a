/** What the fields of an API key must satisfy. */
import { plainBlock } from '../addresses.js'
import { invalid } from '../errors.js'
import { checkName } from './account-names.js'
import { lastTime } from './field.js'
import { checkPermissions } from './role-form.js'

const mostPermissions = 1_000
const longestPermission = 256
const mostAddresses = 100

/** @throws Failure 400 */
export const checkKeyLabel = (given: string): string => checkName(given, 'Key label')

/**
 * Each permission once.
 * @throws Failure 400 when one of them is none
 */
export function checkKeyPermissions (given: readonly string[]): readonly string[] {
  if (given.length > mostPermissions || given.some(one => one.length > longestPermission)) throw invalid('Key permissions')
  return checkPermissions(given, 'Key permissions')
}

/**
 * When it ends: a time to come that is a date.
 * @throws Failure 400
 */
export function checkKeyEnd (given: number, now: number): number {
  if (!Number.isInteger(given) || given <= now || given > lastTime) throw invalid('Key expiresAt')
  return given
}

/**
 * Each address or network once, in its one form.
 * @throws Failure 400 when one of them is neither
 */
export function checkKeyAddresses (given: readonly string[]): readonly string[] {
  if (given.length > mostAddresses) throw invalid('Key addresses')
  return [...new Set(given.map(one => {
    const block = plainBlock(one)
    if (block === undefined) throw invalid('Key addresses')
    return block
  }))]
}
