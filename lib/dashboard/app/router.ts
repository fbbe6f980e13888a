/** Which view is open stands behind the `#` of the address: the server has one page, wherever it stands. */
import { createStore } from './store.js'
import { mayLeave } from './unsaved.js'

export interface Route {
  /** The first word of the path; empty for the overview. */
  readonly view: string
  /** The rest of it. */
  readonly parts: readonly string[]
  readonly query: URLSearchParams
}

function read (): Route {
  const [path = '', query] = location.hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...parts] = path.split('/').map(part => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return { view, parts: parts.filter(part => part !== ''), query: new URLSearchParams(query) }
}

export const route = createStore<Route>(read())
let here = location.hash
window.addEventListener('hashchange', () => {
  if (location.hash === here) return
  if (!mayLeave()) {
    history.pushState(null, '', here === '' ? '#/' : here)
    return
  }
  here = location.hash
  route.set(read())
})

export const linkTo = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`

export function go (...parts: readonly string[]): void {
  location.hash = linkTo(...parts)
}
