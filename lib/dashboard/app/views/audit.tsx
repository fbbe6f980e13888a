/** What was done, and tried. */
import { useRef, useState } from 'preact/hooks'
import type { AuditEntry } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { Form, type Values } from '../parts/form.js'
import { untoldEveryMs, useAsked } from '../parts/pending.js'
import { Long } from '../parts/long.js'
import { Pager, Table } from '../parts/table.js'
import { shortDateOf, plain } from '../parts/text.js'
import { Empty, Failed, View, Waiting } from '../parts/view.js'
import { linkTo, route } from '../router.js'
import { useStore } from '../store.js'

const size = 50
const spans = [['', 'Any time', 0], ['hour', 'Last hour', 3_600_000], ['day', 'Last day', 86_400_000], ['week', 'Last week', 604_800_000]] as const

const names = ['user', 'action', 'span'] as const
const filterIn = (query: URLSearchParams): Values => Object.fromEntries(names.map(name => [name, query.get(name) ?? '']))
const queryOf = (values: Values): string =>
  new URLSearchParams(names.map(name => [name, String(values[name] ?? '').trim()]).filter(([, value]) => value !== '')).toString()

export function Audit () {
  const { query: given } = useStore(route)
  const filter = filterIn(given)
  const [page, setPage] = useState(0)
  const about = JSON.stringify([filter, page])
  // What stands in the address came from the form, or from somewhere else: a link, the way back, the page loaded again.
  const shown = useRef({ words: given.toString(), turn: 0 })
  if (shown.current.words !== given.toString()) {
    shown.current = { words: given.toString(), turn: shown.current.turn + 1 }
    setPage(0)
  }
  const { value, error, again } = useAsked(async () => {
    const { user = '', action = '', span = '' } = filter
    const ms = spans.find(([name]) => name === span)?.[2] ?? 0
    const query = {
      page: page + 1,
      size,
      ...(String(user).trim() !== '' && { user: String(user).trim() }),
      ...(String(action).trim() !== '' && { action: String(action).trim() }),
      ...(ms > 0 && { from: Date.now() - ms })
    }
    const { data } = await ask(cloud.GET('/audit', { params: { query } }))
    return { entries: data.entries as readonly AuditEntry[], total: data.total, last: Math.max(0, data.totalPages - 1) }
  }, about, page === 0 ? untoldEveryMs : undefined)
  return (
    <View title='Audit'>
      <div class='sheet'>
        <div class='row-form'>
          <Form
            key={shown.current.turn} initial={filter}
            fields={[
              { name: 'user', label: 'User', isThird: true },
              { name: 'action', label: 'Action', isThird: true },
              { name: 'span', label: 'When', type: 'choice', isThird: true, choices: spans.map(([name, label]) => ({ value: name, label })) }
            ]}
            submit='Show' onSubmit={async values => {
              const next = queryOf(values)
              shown.current = { ...shown.current, words: next }
              setPage(0)
              location.hash = `${linkTo('audit')}${next === '' ? '' : `?${next}`}`
            }}
          />
        </div>
        {error !== undefined
          ? <Failed error={error} onAgain={again} />
          : value === undefined
            ? <Waiting />
            : value.entries.length === 0
              ? <Empty>Nothing like that was done. Users and actions are matched whole: <span class='mono'>login.failed</span>, not <span class='mono'>login</span>.</Empty>
              : (
                <>
                  <Entries entries={value.entries} />
                  <Pager page={page} last={value.last} total={value.total} size={size} onPage={setPage} />
                </>
                )}
      </div>
    </View>
  )
}

/** A detail in words, as far as it has any. */
const told = (detail: unknown, name = ''): string =>
  typeof detail === 'number' && name.endsWith('At') ? shortDateOf(detail) : typeof detail === 'string' ? detail : Array.isArray(detail) ? `(${detail.map(one => told(one)).join(', ')})` : JSON.stringify(detail)

const Entries = ({ entries }: { readonly entries: readonly AuditEntry[] }) => (
  <Table<AuditEntry>
    caption='Audit' items={entries} size={size} keyOf={entry => `${entry.at} ${entries.indexOf(entry)}`}
    columns={[
      { title: 'When', show: ({ at }) => <time class='when' dateTime={new Date(at).toISOString()}>{shortDateOf(at)}</time> },
      { title: 'Who', show: ({ user, key, detail }) => <span class='foreign'>{user === null ? <span class='soft'>{plain(String(detail['by'] ?? 'nobody'))}</span> : plain(user.username)}{key !== null && <> <span class='tag'>key</span></>}</span> },
      { title: 'What', show: ({ action, target, outcome }) => <>{plain(action)} <span class='foreign'>{target !== null && <Long text={target} />}</span>{outcome !== 'done' && <span class='bad'> {outcome}</span>}</> },
      { title: 'From', kind: 'roomy', show: ({ address }) => <span class='mono'>{plain(address)}</span> },
      { title: 'Details', kind: 'roomy', show: ({ detail }) => Object.keys(detail).length > 0 && <span class='soft foreign'><Long text={Object.entries(detail).map(([name, one]) => `${name} ${told(one, name)}`).join(', ')} /></span> }
    ]}
  />
)
