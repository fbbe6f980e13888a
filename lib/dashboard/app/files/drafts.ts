/** Texts that were changed and not saved. They wait in this page while other views are open, and nowhere else. */
import { createStore } from '../store.js'
import { holdUnsaved } from '../unsaved.js'
import type { Words } from './words.js'

export interface Draft {
  readonly text: string
  /** What was changed, as the server had it. */
  readonly base: Words
}

const keyOf = (template: string, path: string): string => `${template}/${path}`

export const drafts = createStore<ReadonlyMap<string, Draft>>(new Map())
holdUnsaved({ isHeld: () => drafts.get().size > 0 })

export const draftOf = (template: string, path: string): Draft | undefined => drafts.get().get(keyOf(template, path))

/** Without a draft: there is nothing to be saved any more. */
export function keep (template: string, path: string, draft: Draft | undefined): void {
  const next = new Map(drafts.get())
  if (draft === undefined || draft.text === draft.base.text) next.delete(keyOf(template, path))
  else next.set(keyOf(template, path), draft)
  drafts.set(next)
}
