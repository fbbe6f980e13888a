/** A secret that is shown this once: it does not go before it was copied, or somebody says so. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Copy } from './copy.js'
import { useLoss } from './dialog.js'

interface SecretProps {
  readonly text: string
  /** The words for the button that copies it. */
  readonly label: string
  readonly children: ComponentChildren
  readonly onDone: () => void
}

export function Secret ({ text, label, children, onDone }: SecretProps) {
  const [isCopied, setIsCopied] = useState(false)
  useLoss(isCopied ? undefined : 'It was not copied yet, and cannot be shown again.')
  return (
    <>
      <p>{children}</p>
      <Copy text={text} label={label} onCopied={() => { setIsCopied(true) }} />
      <div class='buttons'><button type='button' class='main' onClick={onDone}>Done</button></div>
    </>
  )
}
