/** What is on its way into a template, and what came of it. */
import { type Upload, again, stop, tidy, uploads } from '../files/uploads.js'
import { Table } from '../parts/table.js'
import { bytes, counted, plain } from '../parts/text.js'
import { Section } from '../parts/view.js'
import { useStore } from '../store.js'

export function Uploads ({ template }: { readonly template: string }) {
  const own = useStore(uploads).filter(one => one.template === template)
  if (own.length === 0) return null
  const open = own.filter(({ state }) => state === 'waiting' || state === 'sending')
  const [sent, all] = [own.reduce((sum, one) => sum + one.sent, 0), own.reduce((sum, { body }) => sum + body.size, 0)]
  return (
    <Section
      title='Uploads'
      aside={(
        <span class='tools'>
          <span class='soft'>{open.length === 0 ? counted(own.length, 'file') : `${counted(open.length, 'file')} to go, ${bytes(sent)} of ${bytes(all)}`}</span>
          {open.length > 0
            ? <button type='button' onClick={() => { for (const { id } of open) stop(id) }}>Stop all</button>
            : <button type='button' onClick={() => { tidy(template) }}>Close</button>}
        </span>
      )}
    >
      <Table<Upload>
        caption='Uploads' items={[...own].sort((one, other) => rank(one) - rank(other))} keyOf={({ id }) => String(id)} size={10}
        columns={[
          { title: 'Name', show: ({ path }) => <span class='foreign'>{plain(path)}</span> },
          { title: 'How far', kind: 'grow', show: upload => <Progress upload={upload} /> },
          {
            title: '',
            kind: 'actions',
            show: ({ id, path, state }) => state === 'waiting' || state === 'sending'
              ? <button type='button' aria-label={`Stop ${plain(path)}`} onClick={() => { stop(id) }}>Stop</button>
              : state !== 'done' && <button type='button' aria-label={`Send again: ${plain(path)}`} onClick={() => { again(id) }}>Send again</button>
          }
        ]}
      />
    </Section>
  )
}

/** What needs a look stands first. */
const ranks: ReadonlyArray<Upload['state']> = ['failed', 'sending', 'waiting', 'aborted', 'done']
const rank = ({ state }: Upload): number => ranks.indexOf(state)

function Progress ({ upload: { state, sent, body, said, path } }: { readonly upload: Upload }) {
  if (state === 'waiting') return <span class='soft'>waits</span>
  if (state === 'failed') return <span class='error' role='alert'>{plain(said ?? '')}</span>
  if (state === 'aborted') return <span class='soft'>{said}</span>
  if (state === 'done') return <span class='soft'>{said}</span>
  return (
    <span class='progress'>
      {/* All is sent: how long the server takes to lay it down is not known. */}
      <progress aria-label={`How much of ${plain(path)} is sent`} {...(sent < body.size && { value: sent, max: body.size })} />
      <span class='soft'>{sent < body.size ? `${Math.floor(sent * 100 / body.size)} % of ${bytes(body.size)}` : 'sent; the server takes it in'}</span>
    </span>
  )
}
