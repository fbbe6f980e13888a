/** A line to send, with what was sent before on the arrow keys. Both are kept while the page is open, and nowhere else. */
import { useRef, useState } from 'preact/hooks'
import { isUnreachable, sentenceOf } from '../cloud.js'
import { useHealed } from '../connection.js'
import { holdUnsaved } from '../unsaved.js'

const histories = new Map<string, string[]>()
const kept = 100
/** What was typed and not sent. */
const lines = new Map<string, string>()
holdUnsaved({ isHeld: () => [...lines.values()].some(line => line.trim() !== '') })

interface PromptProps {
  /** Whose history it is. */
  readonly about: string
  readonly label: string
  readonly onSend: (line: string) => Promise<unknown>
}

export function Prompt ({ about, label, onSend }: PromptProps) {
  const [line, show] = useState(lines.get(about) ?? '')
  function setLine (next: string): void {
    lines.set(about, next)
    show(next)
  }
  const [failure, setFailure] = useState<unknown>()
  useHealed(() => { if (isUnreachable(failure)) setFailure(undefined) })
  const error = failure === undefined ? undefined : sentenceOf(failure)
  const history = histories.get(about) ?? []
  const place = useRef(history.length)
  const draft = useRef('')
  const [isSending, setIsSending] = useState(false)

  async function send (event: Event): Promise<void> {
    event.preventDefault()
    if (line.trim() === '' || isSending) return
    setIsSending(true)
    try {
      await onSend(line)
      histories.set(about, [...history.filter(one => one !== line), line].slice(-kept))
      place.current = histories.get(about)?.length ?? 0
      // Somebody may have gone on typing.
      if (lines.get(about) === line) setLine('')
      setFailure(undefined)
    } catch (thrown) {
      setFailure(thrown)
    } finally {
      setIsSending(false)
    }
  }

  /** Whether there is something that way. */
  function recall (step: number): boolean {
    const next = place.current + step
    if (step === 0 || next < 0 || next > history.length) return false
    if (place.current === history.length) draft.current = line
    place.current = next
    setLine(history[next] ?? draft.current)
    return true
  }

  return (
    <form class='prompt' onSubmit={event => { send(event) }}>
      <span aria-hidden='true'>›</span>
      <input
        aria-label={label} aria-invalid={error !== undefined} aria-describedby={error === undefined ? undefined : 'prompt-error'} value={line} placeholder={label}
        autocomplete='off' autocapitalize='none' spellcheck={false} onInput={event => { setLine(event.currentTarget.value) }} onKeyDown={event => { if (recall(event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0)) event.preventDefault() }}
      />
      {/* For whoever has no arrow keys. */}
      <span class='recall group'>
        <button type='button' aria-label='Earlier line' onClick={() => { recall(-1) }}>↑</button>
        <button type='button' aria-label='Later line' onClick={() => { recall(1) }}>↓</button>
      </span>
      <button type='submit' aria-disabled={isSending}>Send{isSending && <span class='turning' aria-hidden='true' />}</button>
      {error !== undefined && <p class='error' role='alert' id='prompt-error'>{error}</p>}
    </form>
  )
}
