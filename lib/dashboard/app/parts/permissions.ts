/** The permissions of the interface, each with what it opens. */
import { place } from '../place.js'
import { isAdmin, session, userOf } from '../session.js'
import type { Choice } from './field.js'

/** Made of the OpenAPI document by the build: names below the namespace, and the summaries of what each opens. */
declare const permissionsOpened: ReadonlyArray<readonly [name: string, opens: readonly string[]]>

const opened = new Map(permissionsOpened)
const nameOf = (permission: string): string => permission.startsWith(`${place.namespace}.`) ? permission.slice(place.namespace.length + 1) : ''

/** What the commands of the terminal do stands in no summary (docs/interface.md, Terminal). */
const beyond = new Map([['terminal.command', 'Nearly everything, whatever else is held or not: the terminal lists services, groups and players, starts, stops, restarts and kills services, creates and deletes groups, and fetches platforms']])

/** Whether it opens more than it is called. */
export const isWide = (permission: string): boolean => beyond.has(nameOf(permission))

/** What a permission opens; empty for one that the interface does not know, a host's own for instance. */
export const opensOf = (permission: string): string => beyond.get(nameOf(permission)) ?? opened.get(nameOf(permission))?.join('; ') ?? ''

/** Those that the caller can hand on, and `others` that are held already; a host's own are among them where somebody holds them. */
export function choicesOfPermissions (others: readonly string[] = []): readonly Choice[] {
  const held = userOf(session.get())?.role.permissions ?? []
  const known = [...opened.keys()].map(name => `${place.namespace}.${name}`)
  const grantable = isAdmin() ? known : held
  return [...new Set([...grantable, ...others])].filter(one => one !== '*').sort().map(value => {
    const hint = opensOf(value)
    return { value, label: value, ...(hint !== '' && { hint }) }
  })
}
