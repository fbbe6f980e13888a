/** A question in front of the page. The browser keeps the keyboard inside; Escape leaves it, and asks first where something would be lost by that. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { holdUnsaved } from '../unsaved.js'

const Losing = createContext<((words: string | undefined) => void) | undefined>(undefined)

/** Says what would be lost if the dialog around it were left now, in a sentence; undefined: nothing. */
export function useLoss (words: string | undefined): void {
  const tell = useContext(Losing)
  useLayoutEffect(() => {
    tell?.(words)
    return () => { tell?.(undefined) }
  }, [words])
}

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

export function Dialog ({ title, children, onClose }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const loss = useRef<string | undefined>(undefined)
  /** What is asked now. */
  const [asked, setAsked] = useState<string>()
  const { current: tell } = useRef((words: string | undefined): void => {
    loss.current = words
    if (words === undefined) setAsked(undefined)
  })
  const ask = (): void => { setAsked(loss.current) }
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    const release = holdUnsaved({ isHeld: () => loss.current !== undefined, ask })
    return () => {
      release()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])

  function leave (): void {
    if (loss.current === undefined) onClose()
    else ask()
  }

  // A browser asks only once whether it may close a dialog, and closes it whatever is said when Escape is pressed again.
  function onKeyDown (event: KeyboardEvent): void {
    if (event.key !== 'Escape' || loss.current === undefined) return
    event.preventDefault()
    setAsked(asked === undefined ? loss.current : undefined)
  }

  return (
    <dialog
      ref={dialog} aria-labelledby={id} onKeyDown={onKeyDown}
      onCancel={event => {
        // A choice of files that is called off bubbles up to here.
        if (event.target !== event.currentTarget) return
        event.preventDefault()
        leave()
      }}
      onClose={() => {
        if (loss.current !== undefined) dialog.current?.showModal()
        leave()
      }}
    >
      <header>
        <h2 id={id}>{title}</h2>
        <button type='button' class='quiet' aria-label='Close' onClick={leave}>✕</button>
      </header>
      {asked !== undefined && <Leaving words={asked} onLeave={onClose} onStay={() => { setAsked(undefined) }} />}
      <Losing.Provider value={tell}>{children}</Losing.Provider>
    </dialog>
  )
}

function Leaving ({ words, onLeave, onStay }: { readonly words: string, readonly onLeave: () => void, readonly onStay: () => void }) {
  const id = useId()
  const stay = useRef<HTMLButtonElement>(null)
  // At once: afterwards somebody may have gone on typing.
  useLayoutEffect(() => {
    const before = document.activeElement
    stay.current?.focus()
    return () => { if (before instanceof HTMLElement && before.isConnected) before.focus() }
  }, [])
  return (
    <div class='leaving' role='group' aria-labelledby={id}>
      <p id={id}>{words}</p>
      <button ref={stay} type='button' aria-describedby={id} onClick={onStay}>Stay</button>
      <button type='button' class='danger' onClick={onLeave}>Let it go</button>
    </div>
  )
}
