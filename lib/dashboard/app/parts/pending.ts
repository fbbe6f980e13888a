/** What is asked of the server once, or again and again, while a view is open. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { isUnreachable, passed, sentenceOf } from '../cloud.js'
import { connection } from '../connection.js'

/** True when the wait has become long enough to be felt. */
export function usePending (): boolean {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => { setIsLong(true) }, 300)
    return () => { clearTimeout(timer) }
  }, [])
  return isLong
}

export interface Asked<T> {
  readonly value?: T
  readonly error?: string
  readonly again: () => void
}

/** Times as long as an answer took nothing is asked: what takes long is asked for seldom. */
const restsFor = 20
const longestRestMs = 60_000

/** How often that is asked for of which no event tells, and which others change: users, roles, keys, sessions, what was done. */
export const untoldEveryMs = 2_000

/** Whether what is shown stays as it is: nobody sees it, or it is said to be as it was. */
const isStill = (): boolean => document.visibilityState === 'hidden' || connection.get().isLost

/** Asks when the view opens, whenever `about` changes, and every `everyMs` where that takes no long time; an old answer stays until there is a new one. */
export function useAsked<T> (load: () => Promise<T>, about: string, everyMs?: number): Asked<T> {
  const [state, setState] = useState<{ readonly about: string, readonly value?: T, readonly error?: string }>({ about })
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    let isOver = false
    let isDue = false
    let timer: ReturnType<typeof setTimeout> | undefined
    async function round (isAgain: boolean): Promise<void> {
      // How long somebody took to log in again says nothing of the answer.
      await passed()
      const begunAt = performance.now()
      const isLate = (): boolean => isOver || (isAgain && isStill())
      try {
        const value = await latest.current()
        if (!isLate()) setState({ about, value })
      } catch (error) {
        // What only reads has nothing to say of what was done; it is asked again as soon as there is a connection.
        if (!isLate()) setState(before => ({ ...before, about, error: isUnreachable(error) ? 'The server cannot be reached' : sentenceOf(error) }))
        isDue = isUnreachable(error)
      }
      if (!isOver && everyMs !== undefined) timer = setTimeout(next, Math.max(everyMs, Math.min(longestRestMs, (performance.now() - begunAt) * restsFor)))
    }
    function next (): void {
      clearTimeout(timer)
      isDue = isStill()
      if (!isDue) round(true)
    }
    const look = (): void => { if (isDue) next() }
    const leave = connection.subscribe(look)
    document.addEventListener('visibilitychange', look)
    round(false)
    return () => {
      isOver = true
      clearTimeout(timer)
      leave()
      document.removeEventListener('visibilitychange', look)
    }
  }, [about, turn, everyMs])
  return { ...state, again: () => { setTurn(count => count + 1) } }
}

/** The time, as it goes; it stands still while what is shown does. */
export function useNow (everyMs = 1_000): number {
  const [now, setNow] = useState(() => connection.get().since ?? Date.now())
  useEffect(() => {
    const look = (): void => { setNow(connection.get().since ?? Date.now()) }
    const leave = connection.subscribe(look)
    const timer = setInterval(look, everyMs)
    return () => {
      leave()
      clearInterval(timer)
    }
  }, [everyMs])
  return now
}
