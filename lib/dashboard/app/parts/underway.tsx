/** What is on its way into templates, and what was not taken: in view wherever somebody has scrolled, or gone, meanwhile. */
import { type Upload, uploads } from '../files/uploads.js'
import { linkTo } from '../router.js'
import { useStore } from '../store.js'
import { counted, plain, plainName } from './text.js'

export function Underway () {
  const all = useStore(uploads)
  const templates = [...new Set(all.map(({ template }) => template))].filter(name => all.some(one => one.template === name && isTold(one)))
  if (templates.length === 0) return null
  return <ul class='underway' aria-label='Uploads under way'>{templates.map(name => <Of key={name} template={name} all={all.filter(one => one.template === name)} />)}</ul>
}

const isOpen = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending'
const isTold = (one: Upload): boolean => isOpen(one) || one.state === 'failed'

function Of ({ template, all }: { readonly template: string, readonly all: readonly Upload[] }) {
  const [open, failed] = [all.filter(isOpen), all.filter(({ state }) => state === 'failed')]
  const [sent, size] = [all.reduce((sum, one) => sum + one.sent, 0), all.reduce((sum, { body }) => sum + body.size, 0)]
  return (
    <li>
      <a class='foreign' href={linkTo('templates', template)}>{plainName(template)}</a>
      {open.length > 0 && <span>{counted(open.length, 'file')} on {open.length === 1 ? 'its' : 'their'} way, {size === 0 ? 0 : Math.floor(sent * 100 / size)} % sent</span>}
      {failed.length > 0 && <span class='error'>{counted(failed.length, 'file')} not taken: <span class='foreign'>{plain(failed[0]?.said ?? '')}</span></span>}
    </li>
  )
}
