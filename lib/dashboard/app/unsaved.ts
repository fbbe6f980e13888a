/** What would be lost with the page, or with what is open on it: one is asked before it goes. */

export interface Holder {
  /** Says that something would be lost. */
  readonly isHeld: () => boolean
  /** Asks before another view comes; absent: it stays in the page meanwhile. */
  readonly ask?: () => void
}

const holders = new Set<Holder>()

/** Asks as long as it says that something would be lost, and until the answered function is called. */
export function holdUnsaved (holder: Holder): () => void {
  holders.add(holder)
  return () => { holders.delete(holder) }
}

/** Whether another view may take the place of this one; where something would be lost by that, it is asked about. */
export function mayLeave (): boolean {
  const asking = [...holders].find(({ isHeld, ask }) => ask !== undefined && isHeld())
  asking?.ask?.()
  return asking === undefined
}

/** Whether anything would be lost with this page. */
export const isUnsaved = (): boolean => [...holders].some(({ isHeld }) => isHeld())

let isAsked = true
window.addEventListener('beforeunload', event => {
  if (isAsked && isUnsaved()) event.preventDefault()
})

/** Begins anew, with nothing that this page remembers; what would be lost was asked about before, or is of somebody who is here no more. */
export function begin (): void {
  isAsked = false
  location.reload()
}
