/** API keys of the own account. */
import { useState } from 'preact/hooks'
import type { Key, NewKey } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { allowedForPeople } from '../parts/allowed.js'
import { Confirm } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { FieldError, Form } from '../parts/form.js'
import { Permissions } from '../parts/may.js'
import { untoldEveryMs, useAsked } from '../parts/pending.js'
import { choicesOfPermissions } from '../parts/permissions.js'
import { Secret } from '../parts/secret.js'
import { Table } from '../parts/table.js'
import { ago, dateOf, plain } from '../parts/text.js'
import { Empty, Failed, Section, Waiting } from '../parts/view.js'

const day = 86_400_000
const lives = [['never', 'Never'], ['30', 'In 30 days'], ['90', 'In 90 days'], ['365', 'In a year']] as const

export function Keys () {
  const { value, error, again } = useAsked(async () => (await ask(cloud.GET('/user/keys'))).data, 'keys', untoldEveryMs)
  const [isOpen, setIsOpen] = useState(false)
  const [made, setMade] = useState<NewKey>()
  const close = (): void => {
    setIsOpen(false)
    setMade(undefined)
  }
  return (
    <Section title='API keys' aside={<button type='button' onClick={() => { setIsOpen(true) }}>New key</button>}>
      {value === undefined
        ? error === undefined ? <Waiting /> : <Failed error={error} onAgain={again} />
        : value.length === 0 ? <Empty>No keys. Make one for each script, bot or monitor, with no more than it needs.</Empty> : <Listed keys={value} again={again} />}
      {isOpen && (
        <Dialog title={made === undefined ? 'New API key' : 'Your new key'} onClose={close}>
          {made === undefined
            ? (
              <NewKeyForm onMade={key => {
                setMade(key)
                again()
              }}
              />
              )
            : <Secret text={made.key} label='Copy the key' onDone={close}>Copy it now: it is shown this once. It is sent as <span class='mono'>Authorization: Bearer …</span></Secret>}
        </Dialog>
      )}
    </Section>
  )
}

/** The interface makes one, which is refused whatever it calls. */
const mayNothing = 'Choose at least one: a key that may do nothing is of no use'

function NewKeyForm ({ onMade }: { readonly onMade: (key: NewKey) => void }) {
  const choices = choicesOfPermissions()
  return (
    <Form
      fields={[
        { name: 'label', label: 'What it is for', allowed: allowedForPeople, isFocused: true },
        { name: 'expiresAt', label: 'Ends', type: 'choice', choices: lives.map(([value, label]) => ({ value, label })) },
        { name: 'permissions', label: 'It may', type: 'several', choices, ...(choices.length === 0 && { hint: 'Your role holds none that a key could have.' }) },
        { name: 'addresses', label: 'Only from', type: 'lines', hint: 'Addresses or networks, one a line; none: from anywhere', allowed: 'one a line, such as 192.0.2.7 or 192.0.2.0/24' }
      ]}
      initial={{ expiresAt: '90' }} submit='Make the key'
      onSubmit={async values => {
        const { label, expiresAt, permissions, addresses } = values
        if ((permissions as readonly string[]).length === 0) throw new FieldError('permissions', mayNothing)
        const { data } = await ask(cloud.POST('/user/keys', {
          body: {
            label: String(label),
            permissions: [...permissions as readonly string[]],
            addresses: String(addresses).split('\n').map(one => one.trim()).filter(one => one !== ''),
            ...(expiresAt !== 'never' && { expiresAt: Date.now() + Number(expiresAt) * day })
          }
        }))
        onMade(data)
      }}
    />
  )
}

const Listed = ({ keys, again }: { readonly keys: readonly Key[], readonly again: () => void }) => (
  <Table
    caption='API keys' items={keys} keyOf={({ id }) => id}
    columns={[
      { title: 'For', show: ({ label }) => <span class='foreign'>{plain(label)}</span> },
      { title: 'May', show: ({ permissions }) => <Permissions of={permissions} /> },
      { title: 'From', kind: 'roomy', show: ({ addresses }) => addresses.length === 0 ? 'anywhere' : <span class='mono'>{addresses.map(plain).join(', ')}</span> },
      { title: 'Ends', kind: 'roomy', show: ({ expiresAt }) => expiresAt === null ? 'never' : dateOf(expiresAt) },
      { title: 'Last used', kind: 'roomy', show: ({ lastUsedAt }) => lastUsedAt === null ? 'not yet' : ago(lastUsedAt) },
      {
        title: '',
        kind: 'actions',
        show: ({ id, label }) => (
          <Confirm
            title='End this key' label={`End the key ${plain(label)}`} submit='End the key' question={<>Whatever calls with <b class='foreign'>{plain(label)}</b> is refused from now on.</>}
            onRun={async () => {
              await ask(cloud.DELETE('/user/key/{id}', { params: { path: { id } } }))
              again()
            }}
          >End
          </Confirm>
        )
      }
    ]}
  />
)
