/** Makes a role, or changes one. */
import type { Role } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { allowedForPeople } from '../parts/allowed.js'
import type { FieldForm } from '../parts/field.js'
import { Form } from '../parts/form.js'
import { choicesOfPermissions } from '../parts/permissions.js'

/** Browsers know colours of six digits only. */
const long = (colour: string): string => colour.length === 4 ? `#${[...colour.slice(1)].map(digit => digit + digit).join('')}` : colour

export function RoleForm ({ role, onDone }: { readonly role: Role | undefined, readonly onDone: () => void }) {
  const isAdminRole = role?.id === -1
  const fields: readonly FieldForm[] = [
    { name: 'label', label: 'Name', allowed: allowedForPeople, isFocused: true },
    { name: 'hexColor', label: 'Colour', type: 'color' },
    ...(isAdminRole
      ? []
      : [
          { name: 'permissions', label: 'It may', type: 'several', choices: choicesOfPermissions(role?.permissions, true), says: ['permission'] },
          { name: 'more', label: 'Permissions of the host', type: 'lines', hint: 'For routes that the host guards itself; one a line, for instance mycore.backup' }
        ] as const)
  ]
  return (
    <Form
      fields={fields} initial={{ label: role?.label ?? '', hexColor: long(role?.hexColor ?? '#5a5e63'), permissions: role?.permissions ?? [] }} submit={role === undefined ? 'Create role' : 'Save'} done='Role saved'
      onSubmit={async values => {
        const more = String(values['more'] ?? '').split('\n').map(line => line.trim()).filter(line => line !== '')
        const permissions = [...new Set([...values['permissions'] as readonly string[] ?? [], ...more])]
        const body = { label: String(values['label']), hexColor: String(values['hexColor']), ...(!isAdminRole && { permissions }) }
        if (role === undefined) await ask(cloud.POST('/role/', { body }))
        else await ask(cloud.PATCH('/role/{id}', { params: { path: { id: role.id } }, body }))
        onDone()
      }}
    />
  )
}
