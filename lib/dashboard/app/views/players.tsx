/** Who is connected, and where. */
import { useState } from 'preact/hooks'
import type { Player } from '../../../../types/resources.js'
import { mayList, useFollowedPlayers, useItems } from '../live.js'
import { type Named, namedOn } from '../parts/players.js'
import { Table } from '../parts/table.js'
import { counted, number, plain } from '../parts/text.js'
import { Empty, View, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { linkTo } from '../router.js'

export function Players () {
  useFollowedPlayers()
  const players = useItems('players')
  const services = useItems('services')
  const named = services === undefined || players === undefined ? undefined : namedOn(services, players)
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const shown = players?.filter(({ name, uuid, currentServiceName }) => wanted === '' || [name, uuid, currentServiceName].some(one => one.toLowerCase().includes(wanted)))
  return (
    <View title='Players' mark={players !== undefined && <span class='soft'>{inWords(players.length, named)}</span>}>
      <div class='sheet'>
        <div class='filter'>
          <input type='search' aria-label='Search by name, id or service' placeholder='Name, id or service' value={words} onInput={event => { setWords(event.currentTarget.value) }} />
        </div>
        {shown === undefined
          ? <Waiting />
          : shown.length === 0
            ? <Empty>{players?.length === 0 ? nobody(named) : `Nobody who is ${named !== undefined && isWhole(named) ? 'connected' : 'known by name'} is like that.`}</Empty>
            : (
              <Table<Player>
                key={wanted} caption='Players' items={shown} keyOf={({ uuid }) => uuid}
                columns={[
                  { title: 'Name', show: ({ name }) => <span class='foreign'>{plain(name)}</span> },
                  { title: 'Where', show: ({ currentServiceName }) => holds('service.list') ? <a class='foreign' href={linkTo('services', currentServiceName)}>{plain(currentServiceName)}</a> : plain(currentServiceName) },
                  { title: 'Id', kind: 'roomy', show: ({ uuid }) => <span class='mono soft foreign'>{plain(uuid)}</span> }
                ]}
              />
              )}
        {named !== undefined && !isWhole(named) && <p class='said-of soft foreign'>{besides(named)}</p>}
      </div>
    </View>
  )
}

/** Whether everybody who is connected is known by name. */
const isWhole = ({ nameless, unknown }: Named): boolean => nameless.length === 0 && unknown.length === 0

/** How many there are, as far as anybody knows. */
function inWords (listed: number, named: Named | undefined): string {
  if (named === undefined) return `${counted(listed, 'player')} known by name`
  const { players, nameless, unknown } = named
  if (unknown.length > 0 && players === 0) return 'how many players are connected is not known'
  const all = `${unknown.length > 0 ? 'at least ' : ''}${counted(players, 'player')} connected`
  return nameless.length === 0 ? all : `${all}, ${listed === 0 ? 'none' : number(listed)} of them known by name`
}

function nobody (named: Named | undefined): string {
  if (named === undefined) return `Nobody is known by name.${mayList('services') ? '' : ' Your role does not see how many players the services count.'}`
  return isWhole(named) ? 'Nobody is connected now. Who joins is seen here at once.' : 'Nobody is known by name.'
}

const mostTold = 10
const told = (names: readonly string[]): string => [...names.slice(0, mostTold), ...(names.length > mostTold ? [`${number(names.length - mostTold)} more services`] : [])].join(', ')

/** Who is missing in the list. */
const besides = ({ nameless, unknown }: Named): string => [
  ...(nameless.length > 0 ? [`Besides these: ${told(nameless.map(([name, count]) => `${number(count)} on ${plain(name)}`))}, without a name. Services need not name everybody.`] : []),
  ...(unknown.length > 0 ? [`Nobody knows how many are on ${told(unknown.map(plain))}.`] : [])
].join(' ')
