/** What views have in common: a head with their name and actions, sections, and words for what is not there. */
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef } from 'preact/hooks'
import { usePending } from './pending.js'

interface ViewProps {
  readonly title: string
  /** Where it belongs, above it. */
  readonly within?: ComponentChildren
  /** Beside the title. */
  readonly mark?: ComponentChildren
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}

/** The title that has just gone had the focus: whatever takes its place has it then. */
let isFocusLeft = false

/** Keeps the focus at the title while what is loaded takes the place of what was waited with. */
function useKeptFocus () {
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    if (isFocusLeft && document.activeElement === document.body) heading.current?.focus()
    isFocusLeft = false
    return () => { isFocusLeft = heading.current !== null && document.activeElement === heading.current }
  }, [])
  return heading
}

export function View ({ title, within, mark, actions, children }: ViewProps) {
  const heading = useKeptFocus()
  useEffect(() => { document.title = `${title} · Cloud` }, [title])
  return (
    <>
      <header class='head'>
        <div>
          {within !== undefined && <p class='within'>{within}</p>}
          <h1 ref={heading} tabIndex={-1}>{title}</h1>{mark}
        </div>
        {actions !== undefined && <div class='actions'>{actions}</div>}
      </header>
      {children}
    </>
  )
}

export function Section ({ title, aside, children }: { readonly title: string, readonly aside?: ComponentChildren, readonly children: ComponentChildren }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <header><h2 id={id}>{title}</h2>{aside}</header>
      {children}
    </section>
  )
}

/** Nothing is there, and what to do about it. */
export const Empty = ({ children }: { readonly children: ComponentChildren }) => <p class='empty'>{children}</p>

/** Said only where the wait can be felt. */
export function Waiting () {
  return usePending() ? <p class='empty' role='status'>Loading…</p> : null
}

export const Failed = ({ error, onAgain }: { readonly error: string, readonly onAgain: () => void }) => (
  <p class='empty'><span class='error' role='alert'>{error}</span> <button type='button' onClick={onAgain}>Try again</button></p>
)
