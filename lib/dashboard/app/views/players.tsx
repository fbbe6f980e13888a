/** Who is connected, and where. */
import { useState } from 'preact/hooks'
import type { Player } from '../../../../types/resources.js'
import { useFollowedPlayers, useItems } from '../live.js'
import { Table } from '../parts/table.js'
import { counted, plain } from '../parts/text.js'
import { Empty, View, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { linkTo } from '../router.js'

export function Players () {
  useFollowedPlayers()
  const players = useItems('players')
  const [words, setWords] = useState('')
  const wanted = words.trim().toLowerCase()
  const shown = players?.filter(({ name, uuid, currentServiceName }) => wanted === '' || [name, uuid, currentServiceName].some(one => one.toLowerCase().includes(wanted)))
  return (
    <View title='Players' mark={players !== undefined && <span class='soft'>{counted(players.length, 'player')} connected</span>}>
      <div class='sheet'>
        <div class='filter'>
          <input type='search' aria-label='Search by name, id or service' placeholder='Name, id or service' value={words} onInput={event => { setWords(event.currentTarget.value) }} />
        </div>
        {shown === undefined
          ? <Waiting />
          : shown.length === 0
            ? <Empty>{players?.length === 0 ? 'Nobody is connected now. Who joins is seen here at once.' : 'Nobody who is connected is like that.'}</Empty>
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
      </div>
    </View>
  )
}
