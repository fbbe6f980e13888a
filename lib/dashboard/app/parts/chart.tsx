/** A figure over time. Where there is no figure there is no line. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type uPlot from 'uplot'

export interface Series {
  /** Seconds since the Unix epoch, ascending. */
  readonly times: readonly number[]
  /** Null where nothing is known. */
  readonly values: ReadonlyArray<number | null>
}

interface ChartProps {
  readonly title: string
  readonly series: Series
  readonly show: (value: number) => string
  readonly top?: number
}

const height = 132
const dark = matchMedia('(prefers-color-scheme: dark)')

/** A colour of the sheet of styles, as a canvas can take it. */
function colourOf (name: string, within: HTMLElement): string {
  const probe = document.createElement('i')
  probe.style.color = `var(--${name})`
  within.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

function options (box: HTMLElement, { show, top }: ChartProps, onPoint: (at: number | undefined) => void): uPlot.Options {
  const [ink, soft, line] = [colourOf('second', box), colourOf('soft', box), colourOf('line', box)]
  const axis = { stroke: soft, font: '12px Plex', grid: { stroke: line, width: 1 }, ticks: { show: false } }
  return {
    width: box.clientWidth,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
    padding: [6, 22, 0, 0],
    scales: { y: { range: (_self, _low, high) => [0, Math.max(top ?? 0, Number.isFinite(high) ? high * 1.15 : 1, 1)] } },
    axes: [
      { ...axis, grid: { show: false }, size: 26, space: 70, values: [[31536000, '{YYYY}', null, null, null, null, null, null, 1], [86400, '{MMM} {D}', null, null, null, null, null, null, 1], [3600, '{HH}:{mm}', '\n{MMM} {D}', null, '\n{MMM} {D}', null, null, null, 1], [60, '{HH}:{mm}', null, null, null, null, null, null, 1], [1, '{HH}:{mm}:{ss}', null, null, null, null, null, null, 1]] },
      { ...axis, size: 62, space: 34, values: (_self, ticks) => ticks.map(show) }
    ],
    series: [{}, { stroke: ink, width: 1.5, points: { size: 4, fill: ink, show: ({ data: [, values] }) => (values ?? []).filter(value => value !== null).length < 20 } }],
    hooks: { setCursor: [({ cursor: { idx } }) => { onPoint(idx ?? undefined) }] }
  }
}

export function Chart (props: ChartProps) {
  const { title, series, show } = props
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [point, setPoint] = useState<number>()
  const data = useRef(series)
  data.current = series
  const filled = (): uPlot.AlignedData => [[...data.current.times], [...data.current.values]]

  useEffect(() => {
    let isOver = false
    let observer: ResizeObserver | undefined
    let Plot: typeof uPlot | undefined
    const draw = (): void => {
      if (Plot === undefined || box.current === null || isOver) return
      plot.current?.destroy()
      plot.current = new Plot(options(box.current, props, setPoint), filled(), box.current)
    }
    import('uplot').then(({ default: loaded }) => {
      if (isOver || box.current === null) return
      Plot = loaded
      draw()
      observer = new ResizeObserver(([entry]) => {
        if (entry !== undefined && plot.current !== undefined && plot.current.width !== entry.contentRect.width) plot.current.setSize({ width: entry.contentRect.width, height })
      })
      observer.observe(box.current)
    })
    dark.addEventListener('change', draw)
    return () => {
      isOver = true
      dark.removeEventListener('change', draw)
      observer?.disconnect()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [])
  useEffect(() => { plot.current?.setData(filled()) }, [series])

  const known = series.values.filter(value => value !== null)
  const at = point === undefined ? undefined : series.values[point]
  const said = at === undefined || at === null
    ? known.length === 0 ? '' : `at most ${show(Math.max(...known))}`
    : `${new Date((series.times[point ?? 0] ?? 0) * 1_000).toLocaleString(undefined, { dateStyle: 'short', timeStyle: 'short' })}: ${show(at)}`
  return (
    <figure class='chart'>
      <figcaption><b>{title}</b> <span class='soft'>{said}</span></figcaption>
      <div ref={box} role='img' aria-label={known.length === 0 ? `${title}: nothing is known of this time` : `${title}: ${show(known.at(-1) ?? 0)} at the end, at most ${show(Math.max(...known))}`} />
    </figure>
  )
}
