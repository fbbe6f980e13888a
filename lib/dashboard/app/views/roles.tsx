/** Roles, and what each opens. */
import { useState } from 'preact/hooks'
import type { CountedRole } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { Confirm } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { Permissions } from '../parts/may.js'
import { untoldEveryMs, useAsked } from '../parts/pending.js'
import { RoleMark } from '../parts/role.js'
import { Table } from '../parts/table.js'
import { counted, number, plain } from '../parts/text.js'
import { Failed, View, Waiting } from '../parts/view.js'
import { holds, look } from '../session.js'
import { RoleForm } from './role-form.js'

export function Roles () {
  const { value, error, again } = useAsked(async () => (await ask(cloud.GET('/roles/'))).data as readonly CountedRole[], '', untoldEveryMs)
  const [open, setOpen] = useState<CountedRole | 'new'>()
  const done = (): void => {
    setOpen(undefined)
    again()
    // It may have been the own one.
    look()
  }
  return (
    <View title='Roles' actions={holds('role.create') && <button type='button' class='main' onClick={() => { setOpen('new') }}>New role</button>}>
      <div class='sheet'>
        {value === undefined
          ? error === undefined ? <Waiting /> : <Failed error={error} onAgain={again} />
          : (
            <Table<CountedRole>
              caption='Roles' items={value} keyOf={({ id }) => String(id)}
              columns={[
                { title: 'Name', show: role => <RoleMark role={role} /> },
                { title: 'Users', kind: 'figure', show: ({ userCount }) => number(userCount) },
                { title: 'Kind', kind: 'roomy', show: role => (role.id === 0 || role.default) && <span class='soft'>{role.id === 0 ? 'of new users' : 'comes with the cloud'}</span> },
                { title: 'May', kind: 'roomy', show: ({ permissions }) => permissions.includes('*') ? 'everything' : <Permissions of={permissions} /> },
                {
                  title: '',
                  kind: 'actions',
                  show: role => (
                    <>
                      {holds('role.edit') && <button type='button' aria-label={`Edit ${plain(role.label)}`} onClick={() => { setOpen(role) }}>Edit</button>}
                      {holds('role.delete') && !role.default && (
                        <Confirm
                          title={`Delete ${plain(role.label)}`} label={`Delete ${plain(role.label)}`} submit='Delete the role' done='Role deleted'
                          question={role.userCount === 0 ? 'Nobody holds it.' : `${counted(role.userCount, 'user')} still ${role.userCount === 1 ? 'holds' : 'hold'} it: give them another role first.`}
                          onRun={async () => {
                            await ask(cloud.DELETE('/role/{id}', { params: { path: { id: role.id } } }))
                            again()
                          }}
                        >Delete
                        </Confirm>
                      )}
                    </>
                  )
                }
              ]}
            />
            )}
      </div>
      {open !== undefined && (
        <Dialog title={open === 'new' ? 'New role' : `Edit ${plain(open.label)}`} onClose={() => { setOpen(undefined) }}>
          <RoleForm role={open === 'new' ? undefined : open} onDone={done} />
        </Dialog>
      )}
    </View>
  )
}
