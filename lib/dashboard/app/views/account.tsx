/** The own account: name and password, where one is logged in, and keys for machines. */
import type { Token } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { Action } from '../parts/action.js'
import { agentOf } from '../parts/agent.js'
import { allowedForPeople } from '../parts/allowed.js'
import { Confirm } from '../parts/confirm.js'
import { Form } from '../parts/form.js'
import { untoldEveryMs, useAsked } from '../parts/pending.js'
import { Table } from '../parts/table.js'
import { ago, plain } from '../parts/text.js'
import { Failed, Section, View, Waiting } from '../parts/view.js'
import { beforeLeaving, entered, left, look, session, userOf } from '../session.js'
import { useStore } from '../store.js'
import { Keys } from './keys.js'

export function Account () {
  const user = userOf(useStore(session))
  if (user === undefined) return null
  return (
    <View title='Account' mark={<span class='soft'>{plain(user.role.label)}</span>}>
      <div class='columns'>
        <Section title='Name'>
          <Form
            fields={[{ name: 'username', label: 'Username', autocomplete: 'username', allowed: allowedForPeople, isWide: true }]} initial={{ username: user.username }} submit='Rename' done='Renamed'
            onSubmit={async values => {
              await ask(cloud.PATCH('/user/self/edit', { body: { username: String(values['username']) } }))
              await look()
            }}
          />
        </Section>
        <Section title='Password'>
          <Form
            key={String(user.hasChangedPassword)} done='Password changed' submit='Change password'
            fields={[{ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', isWide: true, hint: 'Your other sessions end.' }]}
            onSubmit={async values => {
              await ask(cloud.PATCH('/user/self/change-password', { body: { password: String(values['password']) } }))
              await entered()
            }}
          />
        </Section>
      </div>
      <Sessions />
      <Keys />
      <Section title='Leave for good'>
        <p class='soft'>Your account, its sessions and its keys are deleted. What you did stays in the audit.</p>
        <div class='buttons'>
          <Confirm
            title='Delete your account' question='You are logged out everywhere, and your keys stop to work. What is not saved yet is lost.' submit='Delete my account' typed={user.username}
            onRun={async () => {
              await ask(cloud.DELETE('/user/self'))
              left()
            }}
          >Delete my account
          </Confirm>
        </div>
      </Section>
    </View>
  )
}

/** A session without its token, of which the page has no need. */
type Session = Pick<Token, 'id' | 'current' | 'data'>

function Sessions () {
  const { value, error, again } = useAsked(async () => (await ask(cloud.GET('/user/tokens'))).data.map(({ id, current, data }): Session => ({ id, current, data })), 'sessions', untoldEveryMs)
  const end = async ({ id, current }: Session): Promise<void> => {
    await ask(cloud.DELETE('/user/token/{token}', { params: { path: { token: id } } }))
    if (current) left()
    else again()
  }
  return (
    <Section
      title='Sessions'
      aside={(
        <Action
          label='Log out everywhere' asks={beforeLeaving} onRun={async () => {
            await ask(cloud.DELETE('/user/tokens'))
            left()
          }}
        >Log out everywhere
        </Action>
      )}
    >
      {value === undefined
        ? error === undefined ? <Waiting /> : <Failed error={error} onAgain={again} />
        : (
          <Table<Session>
            caption='Where you are logged in' items={[...value].sort((one, other) => other.data.lastActivity - one.data.lastActivity)} keyOf={({ id }) => id}
            columns={[
              { title: 'Address', show: ({ data, current }) => <><span class='mono'>{plain(data.ip)}</span>{current && <> <span class='tag'>this one</span></>}</> },
              { title: 'With', kind: 'grow', show: ({ data }) => <span class='soft foreign' title={plain(data.userAgent)}>{plain(agentOf(data.userAgent)) || 'no user agent'}</span> },
              { title: 'Last used', kind: 'roomy', show: ({ data }) => ago(data.lastActivity) },
              { title: '', kind: 'actions', show: one => <Action label={`${one.current ? 'Log out' : 'End'}: session of ${plain(one.data.ip)}`} {...(one.current && { asks: beforeLeaving })} onRun={() => end(one)}>{one.current ? 'Log out' : 'End'}</Action> }
            ]}
          />
          )}
    </Section>
  )
}
