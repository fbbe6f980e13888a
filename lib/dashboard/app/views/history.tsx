/** Processor and memory over time. */
import { useState } from 'preact/hooks'
import type { HistoryPoint } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { Chart, type Series } from '../parts/chart.js'
import { useAsked } from '../parts/pending.js'
import { memory, percent } from '../parts/text.js'
import { Empty, Failed, Section, Waiting } from '../parts/view.js'

const minute = 60_000
const spans = [
  { name: 'Hour', step: minute, ms: 60 * minute, path: '/system/information/minutes' },
  { name: 'Day', step: minute, ms: 1_440 * minute, path: '/system/information/minutes' },
  { name: 'Week', step: 60 * minute, ms: 7 * 1_440 * minute, path: '/system/information/hours' },
  { name: 'Quarter', step: 60 * minute, ms: 90 * 1_440 * minute, path: '/system/information/hours' },
  { name: 'Years', step: 1_440 * minute, ms: 3 * 365 * 1_440 * minute, path: '/system/information/days' }
] as const

/** Every step of the time, with what is known of it. */
function seriesOf (points: readonly HistoryPoint[], from: number, to: number, step: number, pick: (point: HistoryPoint) => number): Series {
  const known = new Map(points.map(point => [point.timestamp, pick(point)]))
  const times: number[] = []
  const values: Array<number | null> = []
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) {
    times.push(at / 1_000)
    values.push(known.get(at) ?? null)
  }
  return { times, values }
}

export function History () {
  const [name, setName] = useState<string>('Hour')
  const { step, ms, path } = spans.find(one => one.name === name) ?? spans[0]
  const { value, error, again } = useAsked(async () => {
    const to = Date.now()
    const from = to - ms
    const { data } = await ask(cloud.GET(path, { params: { query: { from, to } } }))
    return {
      isEmpty: data.length === 0,
      cpu: seriesOf(data, from, to, step, ({ avgCpu }) => avgCpu),
      memory: seriesOf(data, from, to, step, ({ avgRam }) => avgRam)
    }
  }, name, 30_000)
  return (
    <Section
      title='Over time'
      aside={(
        <span class='group' role='group' aria-label='How far back'>
          {spans.map(one => <button key={one.name} type='button' aria-pressed={one.name === name} onClick={() => { setName(one.name) }}>{one.name}</button>)}
        </span>
      )}
    >
      {value === undefined
        ? error === undefined ? <Waiting /> : <Failed error={error} onAgain={again} />
        : value.isEmpty
          ? <Empty>Nothing was measured in this time. The first figures come a minute after the start.</Empty>
          : (
            <div class='columns'>
              <Chart title='Processor' series={value.cpu} show={percent} />
              <Chart title='Memory' series={value.memory} show={memory} />
            </div>
            )}
    </Section>
  )
}
