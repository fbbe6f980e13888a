/** The frame of all views: where one can go, whether what is shown is true now, and the view itself. */
import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { User } from '../../../types/resources.js'
import { connection, useHealed } from './connection.js'
import { Mark } from './entry.js'
import { followAll, forgetAll } from './live.js'
import { Action } from './parts/action.js'
import { Boundary } from './parts/boundary.js'
import { Underway } from './parts/underway.js'
import { Empty, View, Waiting } from './parts/view.js'
import { plain, span } from './parts/text.js'
import { beforeLeaving, leave } from './session.js'
import { linkTo, route } from './router.js'
import { useStore } from './store.js'
import { type Destination, destinations } from './views.js'

export function Shell ({ user, isWaiting }: { readonly user: User, readonly isWaiting: boolean }) {
  const { view, parts } = useStore(route)
  const [isOpen, setIsOpen] = useState(false)
  const rights = user.role.permissions.join()
  useEffect(followAll, [rights])
  useEffect(() => forgetAll, [])
  useEffect(() => { setIsOpen(false) }, [view, parts.join('/')])
  const offered = destinations.filter(one => one.isOffered())
  const here = offered.find(one => one.name === view)
  return (
    <div class={isWaiting ? 'shell waiting' : 'shell'}>
      <a class='skip' href='#content' onClick={focusContent}>Go to the content</a>
      <header class='bar'>
        <a class='home' href={linkTo()}><Mark /> <span>Cloud</span></a>
        <button type='button' class='quiet menu' aria-expanded={isOpen} aria-controls='menu' onClick={() => { setIsOpen(!isOpen) }}>Menu</button>
      </header>
      <nav id='menu' class={isOpen ? 'open' : ''} aria-label='Views'>
        {(['cloud', 'people', 'own'] as const).filter(kind => offered.some(one => one.kind === kind)).map(kind => (
          <ul key={kind}>
            {offered.filter(one => one.kind === kind).map(({ name, title }) => (
              <li key={name}><a href={linkTo(...(name === '' ? [] : [name]))} aria-current={name === view ? 'page' : undefined}>{name === 'account' ? plain(user.username) : title}</a></li>
            ))}
            {kind === 'own' && <li><Action kind='link' asks={beforeLeaving} onRun={leave}>Log out</Action></li>}
          </ul>
        ))}
      </nav>
      <main id='content' tabIndex={-1}>
        {here === undefined ? <Nowhere /> : <Shown key={here.name} here={here} parts={parts} />}
        <div class='foot'>
          <Underway />
          <Lost />
        </div>
      </main>
    </div>
  )
}

function focusContent (event: Event): void {
  event.preventDefault()
  document.querySelector<HTMLElement>('#content')?.focus()
}

/** Says that nothing on this page is new any more, until it is again. */
function Lost () {
  const { isLost, since } = useStore(connection)
  return <div role='alert' class='truth'>{isLost && <p class='lost'>The connection is lost. What you see is as it was <Since at={since ?? Date.now()} />; it is tried again.</p>}</div>
}

/** Read out once, not every second. */
function Since ({ at }: { readonly at: number }) {
  const [now, setNow] = useState(Date.now())
  useEffect(() => {
    const timer = setInterval(() => { setNow(Date.now()) }, 1_000)
    return () => { clearInterval(timer) }
  }, [])
  return <><span class='unseen'>then</span><span aria-hidden='true'>{span(Math.max(1_000, now - at))} ago</span></>
}

const loaded = new Map<string, ComponentType<{ parts: readonly string[] }>>()

function Shown ({ here, parts }: { readonly here: Destination, readonly parts: readonly string[] }) {
  const [, redraw] = useState(0)
  const [isMissing, setIsMissing] = useState(false)
  const [tries, setTries] = useState(0)
  useHealed(() => {
    if (!isMissing) return
    setIsMissing(false)
    setTries(tries + 1)
  })
  const isFirst = useRef(true)
  const place = [here.name, ...parts].join('/')
  const Component = loaded.get(here.name)
  useEffect(() => {
    let isOver = false
    here.load().then(component => {
      loaded.set(here.name, component)
      if (!isOver) redraw(count => count + 1)
    }, () => { if (!isOver) setIsMissing(true) })
    return () => { isOver = true }
  }, [here, tries])
  // Whoever does not see that the view has changed is led to its title.
  useEffect(() => {
    if (isFirst.current && document.activeElement === document.body) return
    if (Component !== undefined) document.querySelector<HTMLElement>('#content h1')?.focus()
  }, [place, Component])
  useEffect(() => { isFirst.current = false }, [])
  if (isMissing) {
    return <Empty>This part of the page could not be loaded: the server was updated, or cannot be reached. <button type='button' onClick={() => { location.reload() }}>Load the page again</button></Empty>
  }
  return Component === undefined ? <Waiting /> : <Boundary key={place}><Component parts={parts} /></Boundary>
}

const Nowhere = () => (
  <View title='Not here'>
    <Empty>There is no such view, or your role does not open it. <a href={linkTo()}>Go to the overview</a></Empty>
  </View>
)
