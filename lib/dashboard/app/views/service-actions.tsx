/** What can be done with a service. Start, stop and kill are commands of the terminal: that is how the interface has them. */
import type { Service } from '../../../../types/resources.js'
import { ask, cloud } from '../cloud.js'
import { Action } from '../parts/action.js'
import { Confirm } from '../parts/confirm.js'
import { plain } from '../parts/text.js'
import { holds } from '../session.js'
import { thrownOut } from './thrown-out.js'

const command = (line: string) => ask(cloud.POST('/terminal/command', { body: { command: line } }))

export function ServiceActions ({ service, isShort = false }: { readonly service: Service, readonly isShort?: boolean }) {
  const { name, state } = service
  const [shown, mayCommand, isUp] = [plain(name), holds('terminal.command'), state === 'ONLINE' || state === 'STARTING']
  const lost = thrownOut([service])
  const asks = (word: string) => lost === undefined ? undefined : { title: `${word} ${shown}?`, question: lost, submit: `${word} it` }
  return (
    <>
      {mayCommand && state === 'OFFLINE' && <Action label={`Start ${shown}`} done={`${shown} starts`} onRun={() => command(`service start ${name}`)}>Start</Action>}
      {holds('service.restart') && state !== 'OFFLINE' && <Action label={`Restart ${shown}`} done={`${shown} restarts`} asks={asks('Restart')} onRun={() => ask(cloud.PATCH('/service/{serviceName}/restart', { params: { path: { serviceName: name } } }))}>Restart</Action>}
      {mayCommand && !isShort && isUp && <Action label={`Stop ${shown}`} done={`${shown} stops`} asks={asks('Stop')} onRun={() => command(`service stop ${name}`)}>Stop</Action>}
      {mayCommand && !isShort && state !== 'OFFLINE' && (
        <Confirm
          title={`Kill ${shown}`} label={`Kill ${shown}`} submit='Kill it' done={`${shown} was killed`}
          question={<>{lost !== undefined && <b>{lost} </b>}It ends at once, without saving anything. Stop it instead, unless it does not follow.</>}
          onRun={() => command(`service kill ${name}`)}
        >Kill
        </Confirm>
      )}
    </>
  )
}
