/** Small pictures of figures, each beside the figure itself. */
import type { Service } from '../../../../types/resources.js'
import { wordOf } from './state.js'
import { plain } from './text.js'

/** How much of something is taken. */
export function Meter ({ value, most }: { readonly value: number, readonly most: number }) {
  const share = most > 0 ? Math.min(1, value / most) : 0
  return <svg class='meter' viewBox='0 0 100 6' preserveAspectRatio='none' aria-hidden='true'><rect class='rest' width='100' height='6' /><rect class={share > 0.9 ? 'full' : ''} width={share * 100} height='6' /></svg>
}

const mostCells = 60

/** A group as a bar: a cell for each service, and an empty one for each that it may still start. */
export function Cells ({ services, most }: { readonly services: readonly Service[], readonly most: number }) {
  const shown = services.slice(0, mostCells)
  const free = Math.max(0, Math.min(most, mostCells) - shown.length)
  return (
    <span class='cells' aria-hidden='true'>
      {shown.map(({ name, state }) => <i key={name} class={wordOf(state)} title={`${plain(name)}: ${wordOf(state)}`} />)}
      {Array.from({ length: free }, (_, at) => <i key={at} />)}
      {services.length > mostCells && <span class='soft'>+{services.length - mostCells}</span>}
    </span>
  )
}

/** What was seen of a figure while this page was open, the newest right. */
export function Spark ({ values, top }: { readonly values: readonly number[], readonly top: number }) {
  const most = Math.max(top, ...values, 1e-9)
  const points = values.map((value, at) => `${(60 - values.length + at + 0.5).toFixed(1)},${(17 - value / most * 15).toFixed(1)}`)
  return (
    <svg class='spark' viewBox='0 0 60 18' preserveAspectRatio='none' aria-hidden='true'>
      {points.length > 3 && <polyline points={points.join(' ')} />}
    </svg>
  )
}
