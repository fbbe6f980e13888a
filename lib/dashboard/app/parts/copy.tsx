/** A text to take along, with a button that copies it. */
import { useState } from 'preact/hooks'
import { announce } from './announce.js'

/** Also where the page came without TLS, and the browser has no clipboard for it. */
export async function copy (text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

interface CopyProps {
  readonly text: string
  readonly label: string
  readonly onCopied?: () => void
}

export function Copy ({ text, label, onCopied }: CopyProps) {
  const [said, setSaid] = useState('')
  async function run (): Promise<void> {
    const isDone = await copy(text)
    setSaid(isDone ? 'Copied' : 'The browser does not let this page copy; select the text instead.')
    if (!isDone) return
    announce('Copied')
    onCopied?.()
  }
  return (
    <p class='copy'>
      <code class='mono'>{text}</code> <button type='button' aria-label={label} onClick={() => { run() }}>Copy</button> <span class='soft'>{said}</span>
    </p>
  )
}
