/** The rules about roles: what they may hold, and who may give it to them. */
import type { CountedRole, Role } from '../../types/resources.js'
import type { Asked, CloudStorage, StoredRole } from '../../types/storage.js'
import { type Caller, type Permit, adminRoleId } from '../access/caller.js'
import {
  AdminRoleIsFixed, CannotAssignEverything, CannotAssignUnheld, DefaultRoleStays, RoleDeletionFailed,
  RoleIsHeld, RoleNotFound, RoleTaken, RoleTooLarge
} from '../errors.js'
import { checkName, foldName } from '../schemas/account-names.js'
import { checkColour, checkPermissions, everything } from '../schemas/role-form.js'
import { act } from './act.js'
import { showRole } from './views.js'

export interface RoleFields {
  readonly label: string
  readonly hexColor: string
  readonly permissions?: readonly string[]
}

/** Every change throws what `permit` throws, where the caller may not make it any more by the time it is stored. */
export interface Roles {
  list (): Promise<readonly CountedRole[]>
  get (id: number): Promise<Role>
  create (permit: Permit, fields: RoleFields): Promise<Role>
  edit (permit: Permit, id: number, fields: RoleFields): Promise<Role>
  delete (permit: Permit, id: number): Promise<void>
}

/** `fits` says whether a token that carries these permissions still fits into a cookie. */
export function createRoles ({ roles: store }: CloudStorage, fits: (permissions: readonly string[]) => boolean): Roles {
  /** The fields in the form in which they are kept. */
  function check ({ label, hexColor, permissions }: RoleFields): RoleFields & { readonly labelKey: string } {
    const checked = { label: checkName(label, 'Role label'), labelKey: foldName(label), hexColor: checkColour(hexColor) }
    if (permissions === undefined) return checked
    const distinct = checkPermissions(permissions)
    if (!fits(distinct)) throw RoleTooLarge
    if (distinct.includes(everything)) throw CannotAssignEverything
    return { ...checked, permissions: distinct }
  }

  /** Nobody grants what they do not hold; what the role has already is not granted anew. */
  function checkGrant (caller: Caller, permissions: readonly string[], present: readonly string[]): void {
    if (!permissions.every(one => present.includes(one) || caller.holds(one))) throw CannotAssignUnheld
  }

  async function tryEdit (caller: Caller, id: number, fields: ReturnType<typeof check>, asked: Asked): Promise<StoredRole | 'stale' | 'stale-actor'> {
    const role = await store.find(id)
    if (role === undefined) throw RoleNotFound
    const { permissions = role.permissions } = fields
    if (role.id === adminRoleId && fields.permissions !== undefined) throw AdminRoleIsFixed
    checkGrant(caller, permissions, role.permissions)
    const edited = await store.update({ ...role, ...fields, permissions }, asked)
    if (edited === 'missing') throw RoleNotFound
    if (edited === 'taken') throw RoleTaken
    return edited
  }

  return {
    list: async () => (await store.list()).map(({ role, userCount }) => ({ ...showRole(role), userCount })),

    get: async id => {
      const role = await store.find(id)
      if (role === undefined) throw RoleNotFound
      return showRole(role)
    },

    create: async (permit, given) => {
      const { label, labelKey, hexColor, permissions = [] } = check(given)
      const role = await act(permit, async (caller, asked) => {
        checkGrant(caller, permissions, [])
        return await store.insert({ label, labelKey, hexColor, permissions }, asked)
      })
      if (role === 'taken') throw RoleTaken
      return showRole(role)
    },

    edit: async (permit, id, given) => {
      const fields = check(given)
      // What counts as added depends on the role as it is when the edit lands, so a lost race begins anew.
      for (;;) {
        const edited = await act(permit, (caller, asked) => tryEdit(caller, id, fields, asked))
        if (edited !== 'stale') return showRole(edited)
      }
    },

    delete: async (permit, id) => {
      const attempt = (asked: Asked) => store.delete(id, asked)
        .catch((error: Error) => { throw RoleDeletionFailed.because(error.cause ?? error) })
      switch (await act(permit, (_caller, asked) => attempt(asked))) {
        case 'missing': throw RoleNotFound
        case 'default': throw DefaultRoleStays
        case 'held': throw RoleIsHeld
      }
    }
  }
}
