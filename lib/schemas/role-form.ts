/** What the fields of a role must satisfy. */
import { isPermission } from '../../types/permission-form.js'
import { invalid } from '../errors.js'

/** The permission of the admin role, which no other role can be given. */
export const everything = '*'
const colour = /^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$/

/**
 * The colour as it is kept.
 * @throws Failure 400
 */
export function checkColour (given: string): string {
  const hexColor = given.trim()
  if (!colour.test(hexColor)) throw invalid('Role hexColor')
  return hexColor
}

/**
 * Each permission once.
 * @throws Failure 400 when one of them is none
 */
export function checkPermissions (given: readonly string[], title = 'Role permissions'): readonly string[] {
  const distinct = [...new Set(given)]
  if (!distinct.every(one => one === everything || isPermission(one))) throw invalid(title)
  return distinct
}
