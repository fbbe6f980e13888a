/** The permissions of the interface, each with what it opens. */
import { place } from '../place.js'
import { isAdmin, session, userOf } from '../session.js'
import type { Choice } from './several.js'
import { permissionWords } from './permission-words.js'

/** Made of the OpenAPI document by the build: names below the namespace, and the summaries of what each opens. */
declare const permissionsOpened: ReadonlyArray<readonly [name: string, opens: readonly string[]]>

const opened = new Map(permissionsOpened)
const nameOf = (permission: string): string => permission.startsWith(`${place.namespace}.`) ? permission.slice(place.namespace.length + 1) : ''
const permissionOf = (name: string): string => `${place.namespace}.${name}`

/** Whether it opens more than it is called. */
export const isWide = (permission: string): boolean => nameOf(permission) === 'terminal.command'

/** What a permission opens; empty for one that the interface does not know, a host's own for instance. */
export const opensOf = (permission: string): string => permissionWords.get(nameOf(permission))?.opens ?? opened.get(nameOf(permission))?.join('; ') ?? ''

const order = [...permissionWords.keys()]
const rankOf = (permission: string): number => {
  const at = order.indexOf(nameOf(permission))
  return at < 0 ? order.length : at
}

/**
 * Those that the caller can hand on, and `others` that are held already; a host's own are among them where somebody holds them. `isForPage`: they
 * are for somebody who uses this page, which needs some of them together; a script may call whatever it is allowed to.
 */
export function choicesOfPermissions (others: readonly string[] = [], isForPage = false): readonly Choice[] {
  const held = userOf(session.get())?.role.permissions ?? []
  const known = [...opened.keys()].map(permissionOf)
  const grantable = isAdmin() ? known : held
  return [...new Set([...grantable, ...others])].filter(one => one !== '*').sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1)).map(value => {
    const [words, hint] = [permissionWords.get(nameOf(value)), opensOf(value)]
    return { value, label: value, kind: words?.kind ?? 'Others', ...(hint !== '' && { hint }), ...(isForPage && words !== undefined && { needs: words.needs.map(permissionOf) }) }
  })
}
