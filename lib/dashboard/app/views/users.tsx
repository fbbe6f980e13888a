/** Users: who there is, with which role; new ones, whose password is shown once. */
import { useState } from 'preact/hooks'
import type { OwnedKey, Role, User } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { allowedForPeople } from '../parts/allowed.js'
import { Confirm } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { Form } from '../parts/form.js'
import { untoldEveryMs, useAsked } from '../parts/pending.js'
import { Permissions } from '../parts/may.js'
import { RoleMark } from '../parts/role.js'
import { Secret } from '../parts/secret.js'
import { Table } from '../parts/table.js'
import { ago, dateOf, plain } from '../parts/text.js'
import { Empty, Failed, Section, View, Waiting } from '../parts/view.js'
import { look, session, userOf } from '../session.js'
import { useStore } from '../store.js'

type Open = { readonly kind: 'new' } | { readonly kind: 'made', readonly username: string, readonly password: string } | { readonly kind: 'role', readonly user: User }

export function Users () {
  const users = useAsked(async () => (await ask(cloud.GET('/users/'))).data as readonly User[], '', untoldEveryMs)
  const roles = useAsked(async () => (await ask(cloud.GET('/roles/'))).data as readonly Role[], '', untoldEveryMs)
  const keys = useAsked(async () => (await ask(cloud.GET('/keys/'))).data as readonly OwnedKey[], '', untoldEveryMs)
  const [open, setOpen] = useState<Open>()
  const own = userOf(useStore(session))?.uuid
  const close = (): void => { setOpen(undefined) }
  return (
    <View title='Users' actions={<button type='button' class='main' onClick={() => { setOpen({ kind: 'new' }) }}>New user</button>}>
      <div class='sheet'>
        {users.value === undefined
          ? users.error === undefined ? <Waiting /> : <Failed error={users.error} onAgain={users.again} />
          : (
            <Table<User>
              caption='Users' items={users.value} keyOf={({ uuid }) => uuid}
              columns={[
                { title: 'Name', show: ({ username, uuid }) => <><span class='foreign'>{plain(username)}</span>{uuid === own && <> <span class='tag'>you</span></>}</> },
                { title: 'Role', show: ({ role }) => <RoleMark role={role} /> },
                { title: 'Password', kind: 'roomy', show: ({ hasChangedPassword }) => hasChangedPassword ? 'chosen' : <span class='soft'>generated, not changed yet</span> },
                { title: 'Since', kind: 'roomy', show: ({ createdAt }) => dateOf(createdAt) },
                {
                  title: '',
                  kind: 'actions',
                  show: user => (
                    <>
                      {user.role.id !== -1 && <button type='button' aria-label={`Give ${plain(user.username)} another role`} onClick={() => { setOpen({ kind: 'role', user }) }}>Role</button>}
                      {user.uuid !== own && (
                        <Confirm
                          title={`Delete ${plain(user.username)}`} label={`Delete ${plain(user.username)}`} submit='Delete the user' typed={user.username} done='User deleted' question='Their sessions and keys end now. What they did stays in the audit.'
                          onRun={async () => {
                            await ask(cloud.DELETE('/user/{uuid}', { params: { path: { uuid: user.uuid } } }))
                            users.again()
                            keys.again()
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
      <AllKeys keys={keys.value} again={keys.again} />
      {open?.kind === 'new' && (
        <Dialog title='New user' onClose={close}>
          <NewUser
            roles={roles.value ?? []} onMade={(username, password) => {
              setOpen({ kind: 'made', username, password })
              users.again()
            }}
          />
        </Dialog>
      )}
      {open?.kind === 'made' && (
        <Dialog title={`${plain(open.username)} can log in`} onClose={close}>
          <Secret text={open.password} label='Copy the password' onDone={close}>This password is shown this once. It has to be changed at the first login.</Secret>
        </Dialog>
      )}
      {open?.kind === 'role' && (
        <Dialog title={`Role of ${plain(open.user.username)}`} onClose={close}>
          <Form
            fields={[{ name: 'roleId', label: 'Role', type: 'choice', isWide: true, says: ['role'], choices: (roles.value ?? []).filter(({ id }) => id !== -1).map(({ id, label }) => ({ value: String(id), label: plain(label) })) }]}
            initial={{ roleId: String(open.user.role.id) }} submit='Save' done='Role given'
            onSubmit={async ({ roleId }) => {
              await ask(cloud.PATCH('/user/edit', { body: { uuid: open.user.uuid, roleId: Number(roleId) } }))
              users.again()
              if (open.user.uuid === own) await look()
              close()
            }}
          />
        </Dialog>
      )}
    </View>
  )
}

function NewUser ({ roles, onMade }: { readonly roles: readonly Role[], readonly onMade: (username: string, password: string) => void }) {
  return (
    <Form
      fields={[
        { name: 'username', label: 'Username', allowed: allowedForPeople, isFocused: true },
        { name: 'roleId', label: 'Role', type: 'choice', says: ['role'], choices: [...roles].sort((one, other) => one.id === 0 ? -1 : other.id === 0 ? 1 : 0).map(({ id, label }) => ({ value: String(id), label: plain(label) })) }
      ]}
      initial={{ roleId: '0' }} submit='Create user'
      onSubmit={async ({ username, roleId }) => {
        const { data } = await ask(cloud.POST('/user/', { body: { username: String(username), roleId: Number(roleId) } }))
        onMade(String(username).trim(), data.password)
      }}
    />
  )
}

const AllKeys = ({ keys, again }: { readonly keys: readonly OwnedKey[] | undefined, readonly again: () => void }) => (
  <Section title='API keys of all users'>
    {keys === undefined
      ? <Waiting />
      : keys.length === 0
        ? <Empty>Nobody has made a key.</Empty>
        : (
          <Table
            caption='API keys of all users' items={keys} keyOf={({ id }) => id}
            columns={[
              { title: 'For', show: ({ label }) => <span class='foreign'>{plain(label)}</span> },
              { title: 'Of', show: ({ user }) => <span class='foreign'>{plain(user.username)}</span> },
              { title: 'May', kind: 'roomy', show: ({ permissions }) => <Permissions of={permissions} /> },
              { title: 'Last used', kind: 'roomy', show: ({ lastUsedAt }) => lastUsedAt === null ? 'not yet' : ago(lastUsedAt) },
              {
                title: '',
                kind: 'actions',
                show: ({ id, label }) => (
                  <Confirm
                    title='End this key' label={`End the key ${plain(label)}`} submit='End the key' question='Whatever calls with it is refused from now on.'
                    onRun={async () => {
                      await ask(cloud.DELETE('/key/{id}', { params: { path: { id } } }))
                      again()
                    }}
                  >End
                  </Confirm>
                )
              }
            ]}
          />
          )}
  </Section>
)
