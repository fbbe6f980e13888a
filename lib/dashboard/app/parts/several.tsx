/** Choices of which several can be made: by what they are about where that is told, and with a filter where they are many. */
import { useId, useState } from 'preact/hooks'

export interface Choice {
  readonly value: string
  readonly label: string
  /** What it means, beside it. */
  readonly hint?: string
  /** What it is about: those of a kind stand together. */
  readonly kind?: string
  /** Other choices without which it is of no use. */
  readonly needs?: readonly string[]
}

interface SeveralProps {
  /** The first has it, so that it can be found. */
  readonly name: string
  readonly choices: readonly Choice[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** More are looked through by their words. */
const mostSeen = 12

export function Several ({ name, choices, chosen, onChange }: SeveralProps) {
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const shown = choices.filter(({ label, hint = '', kind = '' }) => `${label} ${hint} ${kind}`.toLowerCase().includes(wanted))
  const kinds = [...new Set(shown.map(({ kind }) => kind))]
  return (
    <>
      {choices.length > mostSeen && (
        <div class='filter'>
          <input
            type='search' aria-label='Filter' placeholder='Filter' value={words} onInput={event => { setWords(event.currentTarget.value) }}
            onKeyDown={event => { if (event.key === 'Enter') event.preventDefault() }}
          />
          <span class='soft' role='status'>{chosen.length} of {choices.length} chosen{wanted !== '' && `, ${shown.length === 0 ? 'none' : shown.length} like that`}</span>
        </div>
      )}
      <div class='choices'>
        {kinds.map(kind => (
          <OfKind key={kind} kind={kind}>
            {shown.filter(one => one.kind === kind).map(choice => <One key={choice.value} name={choice === shown[0] ? name : undefined} choice={choice} chosen={chosen} onChange={onChange} />)}
          </OfKind>
        ))}
      </div>
    </>
  )
}

function OfKind ({ kind, children }: { readonly kind: string | undefined, readonly children: preact.ComponentChildren }) {
  const id = useId()
  return kind === undefined ? <>{children}</> : <div class='of-kind' role='group' aria-labelledby={id}><p class='kind' id={id}>{kind}</p>{children}</div>
}

interface OneProps extends Pick<SeveralProps, 'chosen' | 'onChange'> {
  readonly name: string | undefined
  readonly choice: Choice
}

function One ({ name, choice: { value, label, hint, needs = [] }, chosen, onChange }: OneProps) {
  const isChosen = chosen.includes(value)
  const isVain = isChosen && !needs.every(one => chosen.includes(one))
  return (
    <label class='check'>
      <input
        type='checkbox' name={name} checked={isChosen}
        onChange={event => { onChange(event.currentTarget.checked ? [...chosen, value] : chosen.filter(one => one !== value)) }}
      />
      <span>
        {label}{hint !== undefined && <span class='hint'>{hint}</span>}
        {needs.length > 0 && <span class={isVain ? 'hint vain' : 'hint'}>Opens nothing here without {needs.join(' and ')}</span>}
      </span>
    </label>
  )
}
