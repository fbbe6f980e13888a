/** Services: all of them, filtered, and one of them with its console. */
import { useState } from 'preact/hooks'
import type { Service, ServiceState } from '../../../../types/resources.js'
import { useItems } from '../live.js'
import { states, wordOf } from '../parts/state.js'
import { counted } from '../parts/text.js'
import { View, Waiting } from '../parts/view.js'
import { ServiceTable } from './service-table.js'
import { ServiceView } from './service.js'

export const Services = ({ parts: [name] }: { readonly parts: readonly string[] }) => name === undefined ? <List /> : <ServiceView name={name} />

function List () {
  const services = useItems('services')
  const [words, setWords] = useState('')
  const [state, setState] = useState<ServiceState>()
  const isShown = (one: Service): boolean => (state === undefined || one.state === state) &&
    words.toLowerCase().split(' ').every(word => `${one.name} ${one.motd} ${one.hostname}:${one.port}`.toLowerCase().includes(word))
  const shown = services?.filter(isShown)
  const countOf = (one: ServiceState): number => services?.filter(service => service.state === one).length ?? 0
  return (
    <View title='Services' mark={services !== undefined && <span class='soft'>{counted(services.length, 'service')}</span>}>
      <div class='sheet'>
        <div class='filter'>
          <input type='search' aria-label='Filter by name, address or message' placeholder='Filter' value={words} onInput={event => { setWords(event.currentTarget.value) }} />
          <select aria-label='State' value={state ?? ''} onChange={event => { setState(states.find(one => one === event.currentTarget.value)) }}>
            <option value=''>All states</option>
            {states.map(one => <option key={one} value={one}>{wordOf(one)} ({countOf(one)})</option>)}
          </select>
        </div>
        {shown === undefined
          ? <Waiting />
          : <ServiceTable services={shown} caption='Services' empty={services?.length === 0 ? 'No service is there. A group starts its services by itself: create one, or raise what it runs at least.' : 'No service is like that.'} />}
      </div>
    </View>
  )
}
