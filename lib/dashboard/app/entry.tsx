/** What stands before the cloud: the first admin, the login, a password that has to be changed. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { User } from '../../../types/resources.js'
import { Refusal, ask, cloud } from './cloud.js'
import { allowedForPeople } from './parts/allowed.js'
import { Form } from './parts/form.js'
import { plain } from './parts/text.js'
import { entered, leave, toFirst, toLogin } from './session.js'

function Door ({ title, children }: { readonly title: string, readonly children: ComponentChildren }) {
  useEffect(() => {
    const before = document.title
    document.title = `${title} · Cloud`
    return () => { document.title = before }
  }, [title])
  return (
    <main class='door'>
      <div>
        <Mark />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  )
}

export const Mark = () => (
  <svg class='mark' viewBox='0 0 16 16' aria-hidden='true'><path d='M1 2h6v3H1zM9 2h6v3H9zM1 6.5h14v3H1zM1 11h4v3H1zM7 11h8v3H7z' /></svg>
)

export const Away = () => (
  <Door title='The server does not answer'>
    <p role='status'>It is tried again every second. This page goes on as soon as there is an answer.</p>
  </Door>
)

const username = { name: 'username', label: 'Username', autocomplete: 'username', allowed: allowedForPeople, isFocused: true, isWide: true } as const

export function FirstAdmin () {
  async function create (values: Record<string, unknown>): Promise<void> {
    try {
      await ask(cloud.POST('/user/self', { body: { username: String(values['username']), password: String(values['password']) } }))
    } catch (error) {
      if (!(error instanceof Refusal) || error.code !== 'user_exists') throw error
      toLogin('There is a first admin already. Log in.')
      return
    }
    await entered()
  }
  return (
    <Door title='Create the first admin'>
      <p>Nobody can log in yet. Whoever is created here may do everything, and can invite others later.</p>
      <Form
        fields={[username, { name: 'password', label: 'Password', type: 'password', autocomplete: 'new-password', isWide: true, hint: 'At least 8 characters' }]}
        submit='Create and log in' onSubmit={create}
      >
        <button type='button' class='link' onClick={() => { toLogin() }}>Log in instead</button>
      </Form>
    </Door>
  )
}

/** `isAgain`: a page waits behind it for whose it is. */
export function Login ({ note, isAgain }: { readonly note?: string | undefined, readonly isAgain: boolean }) {
  return (
    <Door title='Log in'>
      {note !== undefined && <p class='note' role='status'>{note}</p>}
      <Form
        fields={[username, { name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', isWide: true, says: ['logins'] }]}
        submit='Log in'
        onSubmit={async values => {
          await ask(cloud.POST('/auth/login', { body: { username: String(values['username']), password: String(values['password']) } }))
          await entered()
        }}
      >
        {!isAgain && <button type='button' class='link' onClick={toFirst}>First start?</button>}
      </Form>
    </Door>
  )
}

export function NewPassword ({ user }: { readonly user: User }) {
  return (
    <Door title='Choose a password'>
      <p>The password of {plain(user.username)} was generated. Choose one that only you know.</p>
      <Form
        fields={[{ name: 'password', label: 'New password', type: 'password', autocomplete: 'new-password', isFocused: true, isWide: true, hint: 'At least 8 characters' }]}
        submit='Save'
        onSubmit={async values => {
          await ask(cloud.PATCH('/user/self/change-password', { body: { password: String(values['password']) } }))
          await entered()
        }}
      >
        <button type='button' class='link' onClick={() => { leave().catch(() => {}) }}>Log out</button>
      </Form>
    </Door>
  )
}
