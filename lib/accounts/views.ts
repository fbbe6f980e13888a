/** Stored accounts as the interface shows them: field by field, so that nothing else can slip out. */
import type { Role, User } from '../../types/resources.js'
import type { StoredRole, StoredUser } from '../../types/storage.js'

export function showRole ({ id, label, hexColor, default: isDefault, permissions }: StoredRole): Role {
  return { id, label, hexColor, default: isDefault, permissions }
}

export function showUser ({ user, role }: { readonly user: StoredUser, readonly role: StoredRole }): User {
  const { uuid, username, hasChangedPassword, createdAt } = user
  return { uuid, username, role: showRole(role), hasChangedPassword, createdAt }
}
