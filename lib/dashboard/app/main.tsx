/** The page: who is looking decides what it shows. */
import { render } from 'preact'
import { useEffect } from 'preact/hooks'
import { Away, FirstAdmin, Login, NewPassword } from './entry.js'
import { Shell } from './shell.js'
import { look, session } from './session.js'
import { useStore } from './store.js'

function Page () {
  const now = useStore(session)
  useEffect(() => {
    look()
    const onVisible = (): void => { if (document.visibilityState === 'visible') look() }
    document.addEventListener('visibilitychange', onVisible)
    return () => { document.removeEventListener('visibilitychange', onVisible) }
  }, [])
  switch (now.phase) {
    case 'unknown': return null
    case 'away': return <Away />
    case 'first': return <FirstAdmin />
    case 'login': return <Login note={now.note} />
    case 'password': return <NewPassword user={now.user} />
    case 'inside': return <Shell user={now.user} />
  }
}

const root = document.createElement('div')
root.id = 'page'
document.body.prepend(root)
render(<Page />, root)
