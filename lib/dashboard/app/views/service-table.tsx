/** Services in rows, with what they use and what can be done with each. */
import type { Service } from '../../../../types/resources.js'
import { samplesOf } from '../live.js'
import { Spark } from '../parts/meter.js'
import { Players } from '../parts/players.js'
import { State } from '../parts/state.js'
import { Table } from '../parts/table.js'
import { memory, number, percent, plain } from '../parts/text.js'
import { Unknown, isMeasured } from '../parts/usage.js'
import { Empty } from '../parts/view.js'
import { linkTo } from '../router.js'
import { ServiceActions } from './service-actions.js'

interface ServiceTableProps {
  readonly services: readonly Service[]
  readonly caption: string
  readonly empty: string
}

export function ServiceTable ({ services, caption, empty }: ServiceTableProps) {
  if (services.length === 0) return <Empty>{empty}</Empty>
  return (
    <Table<Service>
      caption={caption} items={services} keyOf={({ name }) => name}
      columns={[
        { title: 'Name', show: ({ name }) => <a class='foreign' href={linkTo('services', name)}>{plain(name)}</a> },
        { title: 'State', show: ({ state }) => <State state={state} /> },
        { title: 'Players', kind: 'figure', show: one => one.playerCount < 0 ? <span class='soft'>proxy</span> : <><Players of={[one]} /> <span class='soft'>/ {number(one.maxPlayerCount)}</span></> },
        { title: 'Processor', kind: 'figure roomy', show: one => isMeasured(one) ? <><Spark values={samplesOf(one.name).map(({ cpu }) => cpu)} top={1} /> <span class='fixed'>{percent(one.cpuUsage)}</span></> : <Unknown /> },
        { title: 'Memory', kind: 'figure roomy', show: one => isMeasured(one) ? <><Spark values={samplesOf(one.name).map(sample => sample.memory)} top={one.maxMemory} /> <span class='fixed'>{memory(one.memoryUsage)}</span></> : <Unknown /> },
        { title: 'Address', kind: 'roomy', show: ({ hostname, port }) => <span class='mono'>{plain(hostname)}:{port}</span> },
        { title: '', kind: 'actions', show: one => <ServiceActions service={one} isShort /> }
      ]}
    />
  )
}
