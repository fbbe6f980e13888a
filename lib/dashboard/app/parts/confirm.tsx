/** A button for what cannot be taken back: it asks first, and for a name where that is worth the while. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.js'
import { Form } from './form.js'
import { plain } from './text.js'

export interface Question {
  readonly title: string
  /** What will be. */
  readonly question: ComponentChildren
  /** The words on the button that does it. */
  readonly submit: string
  /** Has to be typed first. */
  readonly typed?: string
}

interface AskingProps extends Question {
  readonly done?: string
  readonly onRun: () => Promise<unknown>
  readonly onClose: () => void
}

export const Asking = ({ title, question, submit, typed, done, onRun, onClose }: AskingProps) => (
  <Dialog title={title} onClose={onClose}>
    <p>{question}</p>
    <Form
      fields={typed === undefined ? [] : [{ name: 'typed', label: `Type ${plain(typed)} to confirm`, isFocused: true, isWide: true }]}
      submit={submit} kind='danger' isAnswer isReady={values => typed === undefined || values['typed'] === typed} {...(done !== undefined && { done })}
      onSubmit={async () => {
        await onRun()
        onClose()
      }}
    >
      <button type='button' onClick={onClose}>Cancel</button>
    </Form>
  </Dialog>
)

interface ConfirmProps extends Question {
  /** The words on the button. */
  readonly children: ComponentChildren
  readonly label?: string
  readonly done?: string
  readonly onRun: () => Promise<unknown>
}

export function Confirm ({ children, label, ...asking }: ConfirmProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type='button' class='danger' aria-label={label} onClick={() => { setIsOpen(true) }}>{children}</button>
      {isOpen && <Asking {...asking} onClose={() => { setIsOpen(false) }} />}
    </>
  )
}
