/** What is asked of the server once, or again and again, while a view is open. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { sentenceOf } from '../cloud.js'

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

/** Asks when the view opens, whenever `about` changes, and every `everyMs`; an old answer stays until there is a new one. */
export function useAsked<T> (load: () => Promise<T>, about: string, everyMs?: number): Asked<T> {
  const [state, setState] = useState<{ readonly about: string, readonly value?: T, readonly error?: string }>({ about })
  const [turn, setTurn] = useState(0)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    async function round (): Promise<void> {
      try {
        const value = await latest.current()
        if (!isOver) setState({ about, value })
      } catch (error) {
        if (!isOver) setState(before => ({ ...before, about, error: sentenceOf(error) }))
      }
      if (!isOver && everyMs !== undefined) timer = setTimeout(() => { round() }, everyMs)
    }
    round()
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [about, turn, everyMs])
  return { ...state, again: () => { setTurn(count => count + 1) } }
}

/** The time, as it goes. */
export function useNow (everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => { setNow(Date.now()) }, everyMs)
    return () => { clearInterval(timer) }
  }, [everyMs])
  return now
}
