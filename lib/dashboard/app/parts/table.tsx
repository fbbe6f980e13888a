/** Tables: a caption for those who do not see where it stands, and pages where there is much. */
import { type ComponentChildren, Fragment } from 'preact'
import { useState } from 'preact/hooks'
import { useNarrow } from './narrow.js'
import { number } from './text.js'

export interface Column<T> {
  readonly title: string
  readonly show: (item: T) => ComponentChildren
  /** `figure` is set right; `roomy` stands in a line below its row where there is little room; `grow` takes what is left. */
  readonly kind?: 'figure' | 'roomy' | 'figure roomy' | 'grow' | 'actions'
}

interface TableProps<T> {
  readonly caption: string
  readonly items: readonly T[]
  readonly keyOf: (item: T) => string
  readonly columns: ReadonlyArray<Column<T>>
  readonly size?: number
}

export function Table<T> ({ caption, items, keyOf, columns, size = 50 }: TableProps<T>) {
  const [page, setPage] = useState(0)
  const isNarrow = useNarrow()
  const [beside, below] = [columns.filter(one => !isNarrow || !isRoomy(one)), columns.filter(one => isNarrow && isRoomy(one))]
  const last = Math.max(0, Math.ceil(items.length / size) - 1)
  const shown = Math.min(page, last)
  return (
    <>
      <table>
        <caption class='unseen'>{caption}</caption>
        <thead>
          <tr>{beside.map(({ title, kind }) => <th key={title} scope='col' class={kind}>{title === '' || kind === 'actions' ? <span class='unseen'>{title || 'Actions'}</span> : title}</th>)}</tr>
        </thead>
        <tbody>
          {items.slice(shown * size, (shown + 1) * size).map(item => (
            <Fragment key={keyOf(item)}>
              <tr>
                {beside.map(({ title, kind, show }, at) => at === 0 ? <th key={title} scope='row' class={kind}>{show(item)}</th> : <td key={title} class={kind}>{show(item)}</td>)}
              </tr>
              {below.length > 0 && <tr class='below'><td colSpan={beside.length}><Below item={item} columns={below} /></td></tr>}
            </Fragment>
          ))}
        </tbody>
      </table>
      <Pager page={shown} last={last} total={items.length} size={size} onPage={setPage} />
    </>
  )
}

const isRoomy = ({ kind }: { readonly kind?: string | undefined }): boolean => kind?.includes('roomy') === true

/** What has no column where there is little room, each with its title. */
function Below<T> ({ item, columns }: { readonly item: T, readonly columns: ReadonlyArray<Column<T>> }) {
  return (
    <dl>
      {columns.map(({ title, show }) => {
        const shown = show(item)
        return shown !== '' && shown !== false && shown !== null && shown !== undefined && <div key={title}><dt>{title}</dt> <dd>{shown}</dd></div>
      })}
    </dl>
  )
}

interface PagerProps {
  readonly page: number
  readonly last: number
  readonly total: number
  readonly size: number
  readonly onPage: (page: number) => void
}

export function Pager ({ page, last, total, size, onPage }: PagerProps) {
  if (last === 0) return null
  return (
    <nav class='pager' aria-label='Pages'>
      <button type='button' aria-disabled={page === 0} onClick={() => { if (page > 0) onPage(page - 1) }}>Previous</button>
      <span>{number(page * size + 1)}–{number(Math.min(total, (page + 1) * size))} of {number(total)}</span>
      <button type='button' aria-disabled={page === last} onClick={() => { if (page < last) onPage(page + 1) }}>Next</button>
    </nav>
  )
}
