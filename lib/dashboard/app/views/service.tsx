/** One service: how it is, its console, how its last life ended. */
import type { Exit, Service } from '../../../../types/resources.js'
import { samplesOf, useItems } from '../live.js'
import { Long } from '../parts/long.js'
import { Spark } from '../parts/meter.js'
import { useNow } from '../parts/pending.js'
import { Players } from '../parts/players.js'
import { State } from '../parts/state.js'
import { ago, counted, dateOf, memory, number, percent, plain, span } from '../parts/text.js'
import { Unknown, isMeasured } from '../parts/usage.js'
import { Empty, Section, View, Waiting } from '../parts/view.js'
import { holds } from '../session.js'
import { linkTo } from '../router.js'
import { Console } from './console.js'
import { reasonOf } from './exit.js'
import { ServiceActions } from './service-actions.js'

const within = <a href={linkTo('services')}>Services</a>

export function ServiceView ({ name }: { readonly name: string }) {
  const services = useItems('services')
  const service = services?.find(one => one.name === name)
  if (services === undefined) return <View title={plain(name)} within={within}><Waiting /></View>
  if (service === undefined) return <View title={plain(name)} within={within}><Empty>There is no such service any more. <a href={linkTo('services')}>All services</a></Empty></View>
  return (
    <View title={plain(name)} within={within} mark={<State state={service.state} />} actions={<ServiceActions service={service} />}>
      <Facts service={service} />
      {holds('service.screen') && <Console key={name} service={service} />}
      {service.lastExit !== undefined && <LastExit exit={service.lastExit} />}
    </View>
  )
}

function Facts ({ service }: { readonly service: Service }) {
  const now = useNow(5_000)
  const samples = samplesOf(service.name)
  const isAlive = service.state !== 'OFFLINE'
  return (
    <section aria-label='How the service is'>
      <dl class='facts'>
        <div><dt>Group</dt><dd>{holds('group.list') ? <a class='foreign' href={linkTo('groups', service.groupName)}>{plain(service.groupName)}</a> : plain(service.groupName)}</dd></div>
        <div><dt>Address</dt><dd class='mono'>{plain(service.hostname)}:{service.port}</dd></div>
        <div><dt>Players</dt><dd>{service.playerCount < 0 ? 'a proxy' : <><Players of={[service]} /> of {number(service.maxPlayerCount)}</>}</dd></div>
        <div><dt>Processor</dt><dd>{isMeasured(service) ? <>{percent(service.cpuUsage)} <Spark values={samples.map(({ cpu }) => cpu)} top={1} /></> : <Unknown />}</dd></div>
        <div><dt>Memory</dt><dd>{isMeasured(service) ? <>{memory(service.memoryUsage)} <span class='soft'>of {memory(service.maxMemory)}</span></> : <Unknown />}</dd></div>
        <div><dt>{isAlive ? 'Runs for' : 'Last started'}</dt><dd>{service.startedAt === undefined ? '–' : isAlive ? span(now - service.startedAt) : dateOf(service.startedAt)}</dd></div>
        {service.motd !== '' && <div class='wide'><dt>Message</dt><dd class='foreign'><Long text={service.motd} /></dd></div>}
        {service.templates.length > 0 && <div class='wide'><dt>Templates</dt><dd class='foreign'>{service.templates.map(({ name }) => plain(name)).join(', ')}</dd></div>}
      </dl>
    </section>
  )
}

function LastExit ({ exit }: { readonly exit: Exit }) {
  const now = useNow(10_000)
  return (
    <Section title='Last exit' aside={<span class='soft' title={dateOf(exit.at)}>{ago(exit.at, now)}</span>}>
      <p>It {reasonOf(exit)}{exit.lastLines.length > 0 && `; its last ${counted(exit.lastLines.length, 'line')}:`}</p>
      {exit.lastLines.length > 0 && <pre class='said' tabIndex={0}>{exit.lastLines.map(plain).join('\n')}</pre>}
    </Section>
  )
}
