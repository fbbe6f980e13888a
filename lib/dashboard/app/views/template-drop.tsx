/** Where files are laid into a template, by dropping them or by a button. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../cloud.js'
import { type Dropped, chosenFiles, filesOf } from '../files/dropped.js'

/** Takes files that are dropped, or chosen by a button. */
export function Drop ({ isOn, onFiles, children }: { readonly isOn: boolean, readonly onFiles: (files: readonly Dropped[]) => void, readonly children: ComponentChildren }) {
  const [isOver, setIsOver] = useState(false)
  const [error, setError] = useState<string>()
  // Dropped a little beside it, a file would take the place of the page.
  useEffect(() => {
    const refuse = (event: DragEvent): void => {
      if (event.defaultPrevented || event.dataTransfer?.types.includes('Files') !== true) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'none'
    }
    for (const name of ['dragover', 'drop'] as const) window.addEventListener(name, refuse)
    return () => { for (const name of ['dragover', 'drop'] as const) window.removeEventListener(name, refuse) }
  }, [])
  if (!isOn) return <div class='sheet'>{children}</div>
  const onDragOver = (event: DragEvent): void => {
    if (event.dataTransfer?.types.includes('Files') !== true) return
    event.preventDefault()
    setIsOver(true)
  }
  const onDrop = (event: DragEvent): void => {
    setIsOver(false)
    if (event.dataTransfer === null) return
    event.preventDefault()
    setError(undefined)
    filesOf(event.dataTransfer).then(files => { if (files.length > 0) onFiles(files) }, failure => { setError(sentenceOf(failure)) })
  }
  const take = (chosen: readonly File[]): void => {
    setError(undefined)
    try {
      onFiles(chosenFiles(chosen))
    } catch (failure) {
      setError(sentenceOf(failure))
    }
  }
  return (
    <div class={isOver ? 'sheet over' : 'sheet'} onDragOver={onDragOver} onDragLeave={() => { setIsOver(false) }} onDrop={onDrop}>
      {children}
      <p class='drop'>
        <Choosing words='Upload files' label='Files to upload' onChosen={take} />
        {'webkitdirectory' in HTMLInputElement.prototype && <Choosing words='Upload a folder' label='Folder to upload' isFolder onChosen={take} />}
        <span class='soft roomy'>or drop them here</span>
        {error !== undefined && <span class='error' role='alert'>{error}</span>}
      </p>
    </div>
  )
}

interface ChoosingProps {
  /** On the button. */
  readonly words: string
  readonly label: string
  readonly isFolder?: boolean
  readonly onChosen: (files: readonly File[]) => void
}

/** For whoever has nothing to drop with: by the keyboard, and on phones. */
function Choosing ({ words, label, isFolder = false, onChosen }: ChoosingProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type='button' onClick={() => { input.current?.click() }}>{words}</button>
      <input
        ref={input} type='file' multiple {...(isFolder && { webkitdirectory: true })} hidden aria-label={label} onChange={event => {
          const files = [...event.currentTarget.files ?? []]
          event.currentTarget.value = ''
          if (files.length > 0) onChosen(files)
        }}
      />
    </>
  )
}
