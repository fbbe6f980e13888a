/** What is asked where somebody else has saved, or deleted, what was edited here. */
import { useId, useLayoutEffect, useRef } from 'preact/hooks'
import type { Words } from '../files/words.js'
import { Action } from '../parts/action.js'
import { Dialog } from '../parts/dialog.js'
import { counted, number } from '../parts/text.js'

interface ConflictProps {
  readonly mine: string
  readonly theirs: Words | null
  readonly onClose: () => void
  readonly onWrite: () => Promise<void>
  readonly onTheirs: () => void
}

/** Their text, at the first line that is another one. */
function Theirs ({ mine, theirs }: { readonly mine: string, readonly theirs: string }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [own, others] = [mine.split('\n'), theirs.split('\n')]
  const line = others.findIndex((one, at) => one !== own[at])
  const first = line >= 0 ? line : others.length
  const id = useId()
  useLayoutEffect(() => {
    if (field.current !== null) field.current.scrollTop = Math.max(0, first - 2) * 18
  }, [])
  return (
    <div class='field wide'>
      <label for={id}>Their text</label>
      <textarea ref={field} id={id} class='editor theirs' wrap='off' readOnly value={theirs} />
      <span class='hint'>{mine === theirs ? 'It has the same words as yours; its lines end otherwise.' : line < 0 ? `It has the first ${counted(first, 'line')} of yours.` : `It differs from yours from line ${number(line + 1)} on.`}</span>
    </div>
  )
}

export const Conflict = ({ mine, theirs, onClose, onWrite, onTheirs }: ConflictProps) => (
  <Dialog title={theirs === null ? 'The file is gone' : 'The file was changed elsewhere'} onClose={onClose}>
    <p>{theirs === null ? 'Somebody has deleted it, or made something else of it, since you opened it.' : 'Somebody has saved another text since you opened it. Only one of the two can stay.'} Nothing is saved yet.</p>
    {theirs !== null && <Theirs mine={mine} theirs={theirs.text} />}
    <div class='buttons'>
      <Action kind='danger' onRun={onWrite}>Save mine over it</Action>
      <button type='button' onClick={onTheirs}>{theirs === null ? 'Let mine go' : 'Take theirs, let mine go'}</button>
      <button type='button' onClick={onClose}>Go on editing</button>
    </div>
  </Dialog>
)
