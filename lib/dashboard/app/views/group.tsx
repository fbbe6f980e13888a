/** One group: why it is as it is, its services, what can be done with it. */
import { useState } from 'preact/hooks'
import type { Group, PropertyValue, Service } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { useItems } from '../live.js'
import { Action } from '../parts/action.js'
import { announce } from '../parts/announce.js'
import { Confirm } from '../parts/confirm.js'
import { Dialog } from '../parts/dialog.js'
import { Downloads } from '../parts/downloads.js'
import { Long } from '../parts/long.js'
import { Players, slotsOf } from '../parts/players.js'
import { counted, dateOf, memory, plain, plainReason } from '../parts/text.js'
import { Empty, Section, View, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { go, linkTo } from '../router.js'
import { EditGroup } from './group-form.js'
import { TroubleOf, cutShort, forgetRestart, useStatus } from './group-status.js'
import { ServiceTable } from './service-table.js'
import { drainOf, thrownOut } from './thrown-out.js'

const within = <a href={linkTo('groups')}>Groups</a>

export function GroupView ({ name }: { readonly name: string }) {
  const groups = useItems('groups')
  const group = groups?.find(one => one.name === name)
  if (groups === undefined) return <View title={plain(name)} within={within}><Waiting /></View>
  return group === undefined
    ? <View title={plain(name)} within={within}><Empty>There is no such group any more. <a href={linkTo('groups')}>All groups</a></Empty></View>
    : <Known group={group} />
}

/** More properties than that are folded, so that the services stay in view. */
const mostShown = 12
/** What is longer has a line of its own. */
const longest = 60

const Properties = ({ of: properties }: { readonly of: ReadonlyArray<readonly [key: string, value: PropertyValue]> }) => (
  <>{properties.map(([key, value]) => <div key={key} class={`${key}${String(value)}`.length > longest ? 'wide' : ''}><dt class='foreign'>{plain(key)}</dt><dd class='foreign'><Long text={String(value)} /></dd></div>)}</>
)

function Known ({ group }: { readonly group: Group }) {
  const { name } = group
  const properties = Object.entries(group.properties)
  const [isEditing, setIsEditing] = useState(false)
  const services = useItems('services')
  const own = (services ?? []).filter(({ groupName }) => groupName === name)
  const seen = holds('service.list') && services !== undefined ? own : undefined
  const [lost, lostInTime] = [thrownOut(seen), thrownOut(seen, drainOf(group))]
  return (
    <View
      title={plain(name)} within={within} mark={<TroubleOf group={group} services={services && own} />}
      actions={(
        <>
          {holds('group.restart') && <Action done='The group restarts' asks={lostInTime === undefined ? undefined : { title: `Restart ${plain(name)}?`, question: `Its services are restarted one after the other. ${lostInTime}`, submit: 'Restart them' }} onRun={() => ask(cloud.PATCH('/group/{name}/restart', { params: { path: { name } } }))}>Rolling restart</Action>}
          {holds('group.edit') && <button type='button' onClick={() => { setIsEditing(true) }}>Edit</button>}
          {holds('group.delete') && <Delete name={name} services={own} lost={lost} />}
        </>
      )}
    >
      {holds('group.get') && <Why name={name} states={own} />}
      <section aria-label='What the group is'>
        <dl class='facts'>
          <div><dt>Platform</dt><dd>{plain(group.platform.name)} <span class='soft'>{plain(group.platform.version)}</span></dd></div>
          <div><dt>Services</dt><dd>{group.minOnlineService} to {group.maxOnlineService}</dd></div>
          <div><dt>One more starts at</dt><dd>{group.percentageToStartNewService === 0 ? 'never by itself' : `${group.percentageToStartNewService} % full`}</dd></div>
          <div><dt>Memory of each</dt><dd>{memory(group.minMemory)} to {memory(group.maxMemory)}</dd></div>
          {holds('service.list') && <div><dt>Players</dt><dd><Players of={own} /> of {counted(slotsOf(own), 'slot')}</dd></div>}
          <div><dt>Templates</dt><dd>{group.templates.length === 0 ? <span class='soft'>none of its own</span> : group.templates.map(plain).join(', ')}</dd></div>
          <div><dt>Made</dt><dd>{dateOf(group.createdAt)}</dd></div>
          {properties.length <= mostShown && <Properties of={properties} />}
        </dl>
        {properties.length > mostShown && <details class='more'><summary>{counted(properties.length, 'property', 'properties')}</summary><dl class='facts'><Properties of={properties} /></dl></details>}
      </section>
      {holds('service.list') && (
        <Section title='Services'>
          {services === undefined ? <Waiting /> : <ServiceTable services={own} caption={`Services of ${plain(name)}`} empty='No service of this group is there now.' />}
        </Section>
      )}
      {isEditing && (
        <Dialog title={`Edit ${plain(name)}`} onClose={() => { setIsEditing(false) }}>
          <EditGroup
            group={group} onDone={() => {
              setIsEditing(false)
              announce('Group edited')
            }}
          />
        </Dialog>
      )}
    </View>
  )
}

function Why ({ name, states }: { readonly name: string, readonly states: Parameters<typeof useStatus>[1] }) {
  const { value, again } = useStatus(name, states, 2_000)
  if (value === undefined) return <p class='why'>&nbsp;</p>
  const { reason, restart } = value
  const short = cutShort(name, value, states)
  return (
    <div class='why'>
      <p class='foreign'>{reason === undefined ? <span class='soft'>The runtime tells no reasons.</span> : plainReason(reason)}</p>
      {reason !== undefined && <Downloads words={reason} />}
      {restart !== undefined && (
        <p class='progress'><label for='restart'>Rolling restart: {restart.done} of {restart.total}</label> <progress id='restart' value={restart.done} max={restart.total} /></p>
      )}
      {short !== undefined && (
        <p class='progress' role='status'>
          <span class='bad'>The rolling restart ended before all was done: {short.done} of {counted(short.total, 'service')} {short.done === 1 ? 'was' : 'were'} restarted. It does not go on by itself.</span>
          <button
            type='button' onClick={() => {
              forgetRestart(name)
              again()
            }}
          >Close
          </button>
        </p>
      )}
    </div>
  )
}

/** Its services are stopped before: how far that is told beside the question. */
function Delete ({ name, services, lost }: { readonly name: string, readonly services: readonly Service[], readonly lost: string | undefined }) {
  const left = services.filter(({ state }) => state !== 'OFFLINE').length
  const [total, setTotal] = useState(0)
  const running = services.length
  return (
    <Confirm
      title={`Delete ${plain(name)}`} submit='Delete the group' typed={name} done={`Group ${name} deleted`}
      question={total > 0
        ? <span class='progress'><progress aria-label='How many services are stopped' value={Math.max(0, total - left)} max={total} /> {Math.max(0, total - left)} of {counted(total, 'service')} stopped</span>
        : <>{running === 0 ? 'The group is removed.' : `${counted(running, 'service')} of it ${running === 1 ? 'is' : 'are'} stopped.${lost === undefined ? '' : ` ${lost}`} Then the group is removed.`} This cannot be taken back.</>}
      onRun={async () => {
        setTotal(left)
        await ask(cloud.DELETE('/group/{name}', { params: { path: { name } } })).finally(() => { setTotal(0) })
        go('groups')
      }}
    >Delete
    </Confirm>
  )
}
