/** The verbs on services. */
import type { ServiceControl, ServiceForce } from '../../../../types/runtime.js'
import { textOf } from '../faults.js'
import type { Log } from '../options.js'
import type { Service } from '../services/service.js'
import { isBusy, type Services } from '../services/services.js'
import { attempt, promised } from '../task.js'
import type { GroupEntry } from './group-entry.js'
import type { Groups } from './groups.js'
import { resume } from './resume.js'

export function createServiceControl (groups: Groups, services: Services, log: Log): { readonly control: ServiceControl, readonly force: ServiceForce } {
  const ownerOf = (service: Service | undefined): GroupEntry | undefined => service === undefined ? undefined : groups.get(service.owner.group.name)

  /** Goes on with something already answered; a failure can only be told to the log. */
  function later (service: Service, action: () => unknown): void {
    const group = service.owner.group.name
    attempt(action as () => PromiseLike<unknown>, error => {
      log({ level: 'error', message: `${service.name} ${textOf(error)}`, service: service.name, group, error })
    })
  }

  /** Why nothing of a group may start. */
  function refusalOf ({ barred, damaged, deleting, gone }: GroupEntry): false | 'damaged' | undefined {
    if (damaged && deleting === undefined && !gone) return 'damaged'
    return barred ? false : undefined
  }

  const control: ServiceControl = {
    command: (name, line) => promised(services.find(name)?.command(line) ?? false),
    restart: name => {
      const service = services.find(name)
      const owner = ownerOf(service)
      if (service === undefined || owner === undefined) return false
      const refusal = refusalOf(owner)
      if (refusal !== undefined) return refusal
      resume(owner, services)
      service.askRestart()
      return true
    },
    start: name => {
      const group = groups.get(name)
      const service = group === undefined ? services.find(name) : undefined
      const owner = group ?? ownerOf(service)
      if (owner === undefined) return false
      const refusal = refusalOf(owner)
      if (refusal !== undefined) return refusal
      if (service !== undefined && service.course.state.now !== 'OFFLINE') return 'running'
      // One that rests after a death has its place already.
      const others = services.of(owner.group.name).filter(other => other !== service && isBusy(other)).length
      if (others >= owner.group.maxOnlineService) return 'limit'
      const started = service ?? services.add(owner)
      if (started === undefined) return 'no-port'
      resume(owner, services)
      started.want()
      return { name: started.name }
    },
    stop: name => {
      const service = services.find(name)
      if (service === undefined) return false
      if (ownerOf(service)?.deleting === undefined) later(service, () => service.stop('stop', 'is stopped by name'))
      return true
    }
  }

  return {
    control,
    force: {
      kill: name => {
        const service = services.find(name)
        if (service === undefined) return false
        // While its group is being deleted it goes for good.
        later(service, () => service.kill(ownerOf(service)?.deleting === undefined ? 'stop' : 'remove'))
        return true
      }
    }
  }
}
