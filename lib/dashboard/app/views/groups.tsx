/** Groups: all of them, one of them, a new one. */
import type { Group, Service } from '../../../../types/resources.js'
import { useItems } from '../live.js'
import { Cells } from '../parts/meter.js'
import { Players, slotsOf } from '../parts/players.js'
import { Table } from '../parts/table.js'
import { memory, number, plain } from '../parts/text.js'
import { Empty, View, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { linkTo } from '../router.js'
import { GroupView } from './group.js'
import { NewGroup } from './group-form.js'
import { Reason, TroubleOf } from './group-status.js'
import { newGroup, wordOfNew } from './new-group.js'

export function Groups ({ parts: [name] }: { readonly parts: readonly string[] }) {
  const groups = useItems('groups')
  if (name === undefined) return <List groups={groups} />
  if (name === wordOfNew && holds('group.create')) return <NewGroup />
  return <GroupView name={name} />
}

function List ({ groups }: { readonly groups: readonly Group[] | undefined }) {
  const services = useItems('services') ?? []
  const own = (name: string): readonly Service[] => services.filter(({ groupName }) => groupName === name)
  return (
    <View title='Groups' actions={holds('group.create') && groups !== undefined && <a class='button' href={newGroup}>New group</a>}>
      <div class='sheet'>
        {groups === undefined
          ? <Waiting />
          : groups.length === 0
            ? <Empty>There is no group yet. {holds('group.create') ? 'Create one, and its first service starts by itself.' : 'Your role does not create any.'}</Empty>
            : (
              <Table<Group>
                caption='Groups' items={groups} keyOf={({ name }) => name}
                columns={[
                  { title: 'Name', show: group => <><a class='foreign' href={linkTo('groups', group.name)}>{plain(group.name)}</a> <TroubleOf group={group} services={holds('service.list') ? own(group.name) : undefined} /></> },
                  { title: 'Services', show: ({ name, maxOnlineService }) => holds('service.list') ? <Cells services={own(name)} most={maxOnlineService} /> : '' },
                  { title: 'Online', kind: 'figure', show: ({ name, minOnlineService, maxOnlineService }) => <>{holds('service.list') && <b>{own(name).filter(({ state }) => state === 'ONLINE').length}</b>} <span class='soft'>of {minOnlineService}–{maxOnlineService}</span></> },
                  { title: 'Players', kind: 'figure roomy', show: ({ name }) => holds('service.list') && slotsOf(own(name)) > 0 ? <><Players of={own(name)} /> / {number(slotsOf(own(name)))}</> : <span class='soft'>–</span> },
                  { title: 'Platform', kind: 'roomy', show: ({ platform }) => <>{plain(platform.name)} <span class='soft'>{plain(platform.version)}</span></> },
                  { title: 'Memory', kind: 'figure roomy', show: ({ maxMemory }) => memory(maxMemory) },
                  { title: 'Last decision', kind: 'roomy', show: ({ name }) => holds('group.get') && <Reason name={name} services={own(name)} /> }
                ]}
              />
              )}
      </div>
    </View>
  )
}
