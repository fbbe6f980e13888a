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

let isAsked = true
window.addEventListener('beforeunload', event => {
  if (isAsked && [...holders].some(({ isHeld }) => isHeld())) event.preventDefault()
})

/** Begins anew, with nothing that this page remembers. */
export function begin ({ isAsking }: { readonly isAsking: boolean }): void {
  isAsked = isAsking
  location.reload()
}
