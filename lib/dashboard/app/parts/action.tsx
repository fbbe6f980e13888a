/** A button that does something on the server, and says beside itself what came of it. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { isUnreachable } from '../cloud.js'
import { useHealed } from '../connection.js'
import { announce } from './announce.js'
import { Asking, type Question } from './confirm.js'
import { Refused } from './refused.js'

interface ActionProps {
  readonly children: ComponentChildren
  /** What was done, for those who do not see it. */
  readonly done?: string
  readonly kind?: 'main' | 'danger' | 'link'
  /** Says what it is done to, where the words of the button do not. */
  readonly label?: string
  /** There is nothing to do now. */
  readonly isOff?: boolean
  /** What is asked first, where something is lost by it as things are. */
  readonly asks?: Question | (() => Promise<Question | undefined>) | undefined
  readonly onRun: () => Promise<unknown>
}

export function Action ({ children, done, kind, label, isOff = false, asks, onRun }: ActionProps) {
  const [state, setState] = useState<{ readonly isRunning?: boolean, readonly error?: unknown }>({})
  /** What is asked stays open, whatever changes meanwhile. */
  const [asked, setAsked] = useState<Question>()
  const isThere = useRef(true)
  useEffect(() => {
    isThere.current = true
    return () => { isThere.current = false }
  }, [])
  useHealed(() => { if (isUnreachable(state.error)) setState({}) })

  async function run (): Promise<void> {
    if (state.isRunning === true || isOff) return
    setState({ isRunning: true })
    try {
      await onRun()
      if (isThere.current) setState({})
      if (done !== undefined) announce(done)
    } catch (error) {
      if (isThere.current) setState({ error })
    }
  }

  function press (): void {
    if (asks === undefined || isOff) run()
    else if (typeof asks === 'function') asks().then(question => { if (question === undefined) run(); else setAsked(question) })
    else setAsked(asks)
  }

  return (
    <span class='action'>
      <button type='button' class={kind} aria-label={label} aria-disabled={state.isRunning === true || isOff} onClick={press}>
        {children}{state.isRunning === true && <span class='turning' aria-hidden='true' />}
      </button>
      {state.error !== undefined && <Refused error={state.error} onClose={() => { setState({}) }} />}
      {asked !== undefined && <Asking {...typeof asks === 'object' ? asks : asked} onRun={onRun} onClose={() => { setAsked(undefined) }} {...(done !== undefined && { done })} />}
    </span>
  )
}
