/** Whether the server can be reached, told at once and never guessed. */
import { useEffect, useRef } from 'preact/hooks'
import { createStore } from './store.js'

export interface Connection {
  readonly isLost: boolean
  /** When the last word came, so that what is shown is as it was then; in milliseconds since the Unix epoch. */
  readonly since?: number
}

export const connection = createStore<Connection>({ isLost: false })

let heardAt: number | undefined

/** At that time there was a word of what keeps true what is shown. */
export function heard (at = Date.now()): void {
  heardAt = Math.max(at, heardAt ?? 0)
}

export function lost (): void {
  if (!connection.get().isLost) connection.set({ isLost: true, since: heardAt ?? Date.now() })
}

export function healed (): void {
  if (connection.get().isLost) connection.set({ isLost: false })
}

/** Calls when the connection is back: what was said because it was lost is old then. */
export function useHealed (then: () => void): void {
  const latest = useRef(then)
  latest.current = then
  useEffect(() => connection.subscribe(() => { if (!connection.get().isLost) latest.current() }), [])
}

/** Calls once the connection has been lost for that long from now on, until the answered function is called. */
export function whenLostFor (ms: number, then: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const look = (): void => {
    clearTimeout(timer)
    if (connection.get().isLost) timer = setTimeout(then, ms)
  }
  const leave = connection.subscribe(look)
  look()
  return () => {
    leave()
    clearTimeout(timer)
  }
}
