/** One field of a form. */
import { useId } from 'preact/hooks'
import { Several, type Choice } from './several.js'
import { plain } from './text.js'

export type FieldValue = string | boolean | readonly string[]

export interface FieldForm {
  readonly name: string
  readonly label: string
  readonly type?: 'text' | 'password' | 'number' | 'color' | 'choice' | 'check' | 'several' | 'lines'
  readonly choices?: readonly Choice[]
  readonly hint?: string
  /** Words of the server's that mean this field, besides its name. */
  readonly says?: readonly string[]
  /** What it may be, told where the server only says that it is invalid. */
  readonly allowed?: string
  readonly unit?: string
  readonly autocomplete?: 'username' | 'current-password' | 'new-password'
  readonly isFocused?: boolean
  readonly isWide?: boolean
  /** Three stand beside each other, not two. */
  readonly isThird?: boolean
}

interface FieldProps {
  readonly field: FieldForm
  readonly value: FieldValue
  readonly error: string | undefined
  readonly onChange: (value: FieldValue) => void
}

export function Field ({ field, value, error, onChange }: FieldProps) {
  const { name, label, type = 'text', choices = [], hint, unit, autocomplete, isFocused, isWide, isThird } = field
  const id = useId()
  const common = {
    id,
    name,
    'aria-invalid': error !== undefined,
    'aria-describedby': [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`].filter(Boolean).join(' ') || undefined
  }
  const below = (
    <>
      {hint !== undefined && <span class='hint' id={`${id}-hint`}>{hint}</span>}
      {error !== undefined && <span class='error' role='alert' id={`${id}-error`}>{error}</span>}
    </>
  )
  const typed = (event: { currentTarget: { value: string } }): void => { onChange(event.currentTarget.value) }

  if (type === 'several') {
    return (
      <fieldset class='field wide' aria-describedby={common['aria-describedby']}>
        <legend>{label}</legend>
        <Several name={name} choices={choices} chosen={value as readonly string[]} onChange={onChange} />
        {below}
      </fieldset>
    )
  }
  if (type === 'check') {
    return (
      <div class='field wide'>
        <label class='check'>
          <input type='checkbox' {...common} checked={value === true} onChange={event => { onChange(event.currentTarget.checked) }} />
          <span>{label}</span>
        </label>
        {below}
      </div>
    )
  }
  return (
    <div class={`field ${isWide === true || type === 'lines' ? 'wide' : isThird === true ? 'third' : ''}`}>
      <label for={id}>{label}</label>
      <span class='control'>
        {type === 'choice'
          ? <select {...common} value={value as string} onChange={typed}>{choices.map(one => <option key={one.value} value={one.value}>{one.label}</option>)}</select>
          : type === 'lines'
            ? <textarea {...common} rows={3} spellcheck={false} value={value as string} onInput={typed} />
            : (
              <input
                {...common} {...{ type: type === 'number' ? 'text' : type } as { type: 'text' }} inputMode={type === 'number' ? 'numeric' : 'text'}
                autocomplete={autocomplete ?? 'off'} autocapitalize='none' spellcheck={false} autofocus={isFocused} value={value as string} onInput={typed}
              />
              )}
        {unit !== undefined && <span class='unit'>{unit}</span>}
      </span>
      {below}
    </div>
  )
}

const isNumber = (text: string): boolean => /^-?\d+(\.\d+)?$/.test(text) && Number.isFinite(Number(text))

/** What is wrong with a number, in a sentence; nothing at all is for the server to refuse. */
export function wrongNumber (value: FieldValue | undefined): string | undefined {
  const text = String(value ?? '').trim()
  if (text === '' || isNumber(text)) return undefined
  return text.length > 20 ? 'This is no number' : `"${plain(text)}" is no number`
}

/** The number that was typed; nothing at all goes to the server as that, which then says that it is required. */
export const numberIn = (value: FieldValue | undefined): number => {
  const text = String(value ?? '').trim()
  return (isNumber(text) ? Number(text) : text) as number
}
