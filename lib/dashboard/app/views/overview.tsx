/** The whole cloud at a glance. */
import type { ComponentChildren } from 'preact'
import type { Group, Service } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { mayList, useItems } from '../live.js'
import { Cells, Meter } from '../parts/meter.js'
import { useAsked } from '../parts/pending.js'
import { Players, playersOf, slotsOf } from '../parts/players.js'
import { counted, memory, number, percent, plain, span } from '../parts/text.js'
import { Empty, Section, View, Waiting } from '../parts/view.js'
import { holds, session, userOf } from '../session.js'
import { useStore } from '../store.js'
import { menu } from '../menu.js'
import { linkTo } from '../router.js'
import { TroubleOf } from './group-status.js'
import { History } from './history.js'
import { Latest } from './latest.js'
import { newGroup } from './new-group.js'

export function Overview () {
  const services = useItems('services')
  const groups = useItems('groups')
  const isTelling = mayList('services') || mayList('groups') || holds('system.information') || holds('audit.list')
  if (!isTelling) return <View title='Overview'><Elsewhere /></View>
  return (
    <View title='Overview'>
      {(mayList('services') || holds('system.information')) && <Figures services={services} />}
      {mayList('groups') && (
        <Section title='Groups' aside={holds('group.create') && groups !== undefined && groups.length > 0 ? <a href={newGroup}>New group</a> : undefined}>
          {groups === undefined ? <Waiting /> : <Groups groups={groups} services={services} />}
        </Section>
      )}
      {holds('system.information') && <History />}
      <Latest services={services ?? []} />
    </View>
  )
}

/** For whoever may see nothing of this: what they may do, and who can change that. */
function Elsewhere () {
  const user = userOf(useStore(session))
  const open = Object.values(menu).filter(one => one.name !== '' && one.isOffered())
  const role = plain(user?.role.label ?? '')
  return (
    <div class='sheet'>
      <Empty>
        Your role, <b class='foreign'>{role}</b>, shows nothing of the cloud here. It opens{' '}
        {open.map(({ name, title }, at) => <span key={name}>{at > 0 && (at === open.length - 1 ? ' and ' : ', ')}<a href={linkTo(name)}>{name === 'account' ? 'your account' : title}</a></span>)}.
        {' '}If you need more, ask an admin of this cloud: they give roles in Users, and say in Roles what each may do.
      </Empty>
    </div>
  )
}

function Figures ({ services }: { readonly services: readonly Service[] | undefined }) {
  const isTold = holds('system.information')
  const { value, error } = useAsked(async () => isTold ? (await ask(cloud.GET('/system/information'))).data : undefined, String(isTold), 5_000)
  const known = error === undefined ? value : undefined
  const online = services?.filter(({ state }) => state === 'ONLINE')
  const slots = slotsOf(online ?? [])
  return (
    <dl class='figures'>
      {mayList('services') && <Figure name='Players' value={online && <Players of={online} />} about={slots > 0 ? `of ${counted(slots, 'slot')}` : ''} />}
      {mayList('services') && <Figure name='Services online' value={online === undefined ? undefined : number(online.length)} about={services === undefined ? '' : `of ${number(services.length)}`} />}
      {isTold && <Figure name='Processor' value={known && percent(known.cpuUsage.total)} about={known === undefined ? '' : `core ${percent(known.cpuUsage.polocloud)}`} />}
      {isTold && <Figure name='Memory' value={known && known.memoryUsage.total > 0 ? memory(known.memoryUsage.total) : undefined} about={known !== undefined && known.memoryUsage.polocloud > 0 ? `core ${memory(known.memoryUsage.polocloud)}` : ''} />}
      {isTold && <Figure name='Core is up' value={known && span(known.uptime)} about={known === undefined ? '' : plain(known.runtime)} />}
    </dl>
  )
}

const Figure = ({ name, value, about }: { readonly name: string, readonly value: ComponentChildren, readonly about: string }) => (
  <div><dt>{name}</dt><dd><b>{value ?? <span title='not known'>–</span>}</b> <span class='soft'>{about}</span></dd></div>
)

function Groups ({ groups, services }: { readonly groups: readonly Group[], readonly services: readonly Service[] | undefined }) {
  if (groups.length === 0) {
    return (
      <Empty>
        There is no group yet. A group is a recipe for services that are alike: a lobby, a game mode, a proxy.{' '}
        {holds('group.create') && <a class='button' href={newGroup}>Create the first group</a>}
      </Empty>
    )
  }
  return (
    <ul class='bars'>
      {groups.map(group => {
        const own = services?.filter(({ groupName }) => groupName === group.name) ?? []
        const online = own.filter(({ state }) => state === 'ONLINE')
        const [players, slots] = [playersOf(online), slotsOf(online)]
        return (
          <li key={group.name}>
            <a href={linkTo('groups', group.name)} class='foreign'>{plain(group.name)}</a>
            <Cells services={own} most={group.maxOnlineService} />
            {services !== undefined && <span class='figure'>{online.length} of {counted(group.maxOnlineService, 'service')}</span>}
            <Meter value={players} most={slots} />
            {services !== undefined && <span class='figure'>{slots === 0 ? <span class='soft'>no slots</span> : <><Players of={online} /> / {counted(slots, 'slot')}</>}</span>}
            <TroubleOf group={group} services={services && own} />
          </li>
        )
      })}
    </ul>
  )
}
