/** The page: who is looking decides what it shows. */
import { type ComponentChildren, render } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { Away, FirstAdmin, Login, NewPassword } from './entry.js'
import { Shell } from './shell.js'
import { type Session, look, session, userOf } from './session.js'
import { useStore } from './store.js'

function Page () {
  const now = useStore(session)
  useEffect(() => {
    look()
    const onVisible = (): void => { if (document.visibilityState === 'visible') look() }
    document.addEventListener('visibilitychange', onVisible)
    return () => { document.removeEventListener('visibilitychange', onVisible) }
  }, [])
  /** Whether somebody's page is there, seen or not. */
  const isThere = useRef(false)
  isThere.current = now.phase === 'inside' || (isThere.current && userOf(now) !== undefined)
  const user = isThere.current ? userOf(now) : undefined
  const door = doorOf(now)
  return (
    <>
      {user !== undefined && <Shell user={user} isWaiting={door !== undefined} />}
      {door !== undefined && (user === undefined ? door : <Cover>{door}</Cover>)}
    </>
  )
}

function doorOf (now: Session) {
  switch (now.phase) {
    case 'away': return <Away />
    case 'first': return <FirstAdmin />
    case 'login': return <Login note={now.note} isAgain={now.user !== undefined} />
    case 'password': return <NewPassword user={now.user} />
    case 'unknown': case 'inside': return undefined
  }
}

/** In front of a page that waits for whose it is, with what they typed and what was shown them once: nothing of it is seen, or reached. */
function Cover ({ children }: { readonly children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    // A browser may close several dialogs at once, and one behind this one may come back in front of it.
    const raise = (): void => {
      dialog.current?.close()
      dialog.current?.showModal()
    }
    const onClose = ({ target }: Event): void => { if (target !== dialog.current || !dialog.current?.open) setTimeout(raise) }
    document.addEventListener('close', onClose, true)
    return () => {
      document.removeEventListener('close', onClose, true)
      setTimeout(() => { if (before instanceof HTMLElement && before.isConnected) before.focus() })
    }
  }, [])
  return (
    <dialog
      ref={dialog} class='cover' aria-label='Log in again' onCancel={event => { event.preventDefault() }}
      onKeyDown={event => { if (event.key === 'Escape') event.preventDefault() }}
    >
      {children}
    </dialog>
  )
}

const root = document.createElement('div')
root.id = 'page'
document.body.prepend(root)
render(<Page />, root)
