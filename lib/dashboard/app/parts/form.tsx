/** Forms: fields with their labels, what the server refuses beside the field that it names, one button. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { isUnreachable, sentenceOf } from '../cloud.js'
import { useHealed } from '../connection.js'
import { announce } from './announce.js'
import { useLoss } from './dialog.js'
import { Field, type FieldForm, type FieldValue, wrongNumber } from './field.js'

export type Values = Record<string, FieldValue>

interface FormProps {
  readonly fields: readonly FieldForm[]
  readonly initial?: Values
  readonly submit: string
  readonly kind?: 'main' | 'danger'
  readonly done?: string
  /** What is typed is no more than a yes: nothing is lost with it. */
  readonly isAnswer?: boolean
  /** Whether it can be sent as it is. */
  readonly isReady?: (values: Values) => boolean
  /** What the fields become when one was changed: a choice may bring others along. */
  readonly onChange?: (values: Values, name: string) => Values
  /** Told what was typed. */
  readonly onTyped?: (values: Values) => void
  readonly onSubmit: (values: Values) => Promise<unknown>
  /** Beside the button. */
  readonly children?: ComponentChildren
}

/** What is wrong with a field, before the server is asked. */
export class FieldError extends Error {
  readonly field: string

  constructor (field: string, sentence: string) {
    super(sentence)
    this.field = field
  }
}

/** The field that a refusal names: the server says `Group minMemory is invalid`, `Username is required`. */
function namedIn (sentence: string, fields: readonly FieldForm[]): string | undefined {
  const words = sentence.toLowerCase().split(/[^a-z]+/)
  return fields.find(({ name, says }) => [name, ...says ?? []].some(one => words.includes(one.toLowerCase())))?.name
}

/** Throws what is wrong with fields whatever the server would say: it tells a number that is none from nothing at all no more. */
function check (fields: readonly FieldForm[], values: Values): void {
  for (const { name, type } of fields) {
    const wrong = type === 'number' ? wrongNumber(values[name]) : undefined
    if (wrong !== undefined) throw new FieldError(name, wrong)
  }
}

/** What the server says, and what is allowed where it only says that it is not this. */
function sentenceFor (field: string | undefined, sentence: string, fields: readonly FieldForm[]): string {
  const allowed = fields.find(({ name }) => name === field)?.allowed
  return allowed !== undefined && sentence.endsWith(' is invalid') ? `${sentence}: ${allowed}` : sentence
}

export function Form ({ fields, initial = {}, submit, kind = 'main', done, isAnswer = false, isReady, onChange, onTyped, onSubmit, children }: FormProps) {
  const [values, setValues] = useState<Values>(() => Object.fromEntries(fields.map(({ name, type }) =>
    [name, initial[name] ?? (type === 'check' ? false : type === 'several' ? [] : '')])))
  const [state, setState] = useState<{ readonly isRunning?: boolean, readonly error?: string, readonly field?: string | undefined, readonly isOver?: boolean }>({})
  useHealed(() => { if (state.isOver === true) setState({}) })
  const form = useRef<HTMLFormElement>(null)
  const id = useId()

  const { current: begun } = useRef(JSON.stringify(values))
  useLoss(isAnswer || JSON.stringify(values) === begun ? undefined : 'What you filled in is not sent yet, and would be lost.')

  const isTyped = useRef(false)
  // Before anything else can happen: the next thing may be the way back.
  useLayoutEffect(() => { if (isTyped.current) onTyped?.(values) }, [values])

  useLayoutEffect(() => {
    if (state.field !== undefined) form.current?.querySelector<HTMLElement>(`[name="${CSS.escape(state.field)}"]`)?.focus()
  }, [state])

  async function send (event: Event): Promise<void> {
    event.preventDefault()
    if (state.isRunning === true || isReady?.(values) === false) return
    setState({ isRunning: true })
    try {
      check(fields, values)
      await onSubmit(values)
      setState({})
      if (done !== undefined) announce(done)
    } catch (error) {
      const sentence = sentenceOf(error)
      const field = error instanceof FieldError ? error.field : namedIn(sentence, fields)
      setState({ error: sentenceFor(field, sentence, fields), field, isOver: isUnreachable(error) })
    }
  }

  const change = (name: string) => (value: FieldValue): void => {
    isTyped.current = true
    setValues(before => {
      const next = { ...before, [name]: value }
      return onChange?.(next, name) ?? next
    })
    if (state.field === name) setState({})
  }

  return (
    <form ref={form} noValidate onSubmit={event => { send(event) }} aria-describedby={state.error === undefined ? undefined : `${id}-error`}>
      <div class='fields'>
        {fields.map(field => (
          <Field
            key={field.name} field={field} value={values[field.name] ?? ''} onChange={change(field.name)}
            error={state.field === field.name ? state.error : undefined}
          />
        ))}
      </div>
      {state.error !== undefined && state.field === undefined && <p id={`${id}-error`} class='error' role='alert'>{state.error}</p>}
      <div class='buttons'>
        <button type='submit' class={kind} aria-disabled={state.isRunning === true || isReady?.(values) === false}>
          {submit}{state.isRunning === true && <span class='turning' aria-hidden='true' />}
        </button>
        {children}
      </div>
    </form>
  )
}
