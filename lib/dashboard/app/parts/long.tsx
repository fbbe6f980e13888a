/** Somebody else's text, folded where it would take the place of what stands below it. */
import { useState } from 'preact/hooks'
import { counted, cut, plain, writtenOut } from './text.js'

/** About two lines of a wide screen. */
const mostShown = 200

export function Long ({ text }: { readonly text: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const [shown, left] = text.length <= mostShown ? [text, 0] : cut(text, mostShown)
  if (left === 0) return <>{plain(text)}</>
  return (
    <>
      {isOpen ? plain(text) : `${writtenOut(shown)}…`}{' '}
      <button type='button' class='link fold' aria-expanded={isOpen} onClick={() => { setIsOpen(!isOpen) }}>{isOpen ? 'Fold' : counted(left, 'more character')}</button>
    </>
  )
}
