/** The rules about services. */
import type { CloudRuntime } from '../../types/runtime.js'
import {
  GroupDamaged, ServiceNotFound, ServiceNotReading, ServiceNotRunning, UnsupportedServiceControl, groupAtMaximum, invalid, noPortLeft,
  serviceRunning
} from '../errors.js'
import { checkStarted, checkWord } from './answers.js'
import type { WithDeadline, Permit } from './deadline.js'
import { touch } from './faults.js'
import { isLine } from '../schemas/names.js'

/** Each throws what `permit` throws, where whoever asks may not have it done any more. */
export interface Services {
  /** Writes one line to the console of a service. */
  command (permit: Permit, name: string, line: string): Promise<void>
  /** Accepts a restart. */
  restart (permit: Permit, name: string): Promise<void>
  /** Starts one more service of a group, or a stopped service; answers its name. */
  start (permit: Permit, name: string): Promise<string>
  stop (permit: Permit, name: string): Promise<void>
  /** Stops a service at once, without asking it. */
  kill (permit: Permit, name: string): Promise<void>
}

export function createServices ({ services: source }: CloudRuntime, withDeadline: WithDeadline): Services {
  function control (): NonNullable<typeof source.control> {
    const verbs = touch(() => source.control)
    if (verbs === undefined) throw UnsupportedServiceControl
    return verbs
  }

  return {
    command: async (permit, name, line) => {
      const verbs = control()
      if (!isLine(line)) throw invalid('Command')
      const answer = await withDeadline.act<unknown>(permit, options => verbs.command(name, line, options), { name: 'services.command' })
      switch (checkWord(answer, [true, false, 'not-running', 'not-reading'])) {
        case false: throw ServiceNotFound
        case 'not-running': throw ServiceNotRunning
        case 'not-reading': throw ServiceNotReading
      }
    },

    restart: async (permit, name) => {
      const verbs = control()
      const answer = checkWord(await withDeadline.act<unknown>(permit, options => verbs.restart(name, options), { name: 'services.restart' }), [true, false, 'damaged'])
      if (answer === false) throw ServiceNotFound
      if (answer === 'damaged') throw GroupDamaged
    },

    start: async (permit, name) => {
      const verbs = control()
      const answer = checkStarted(await withDeadline.act<unknown>(permit, options => verbs.start(name, options), { name: 'services.start' }))
      if (answer === false) throw ServiceNotFound
      if (answer === 'limit') throw groupAtMaximum(name)
      if (answer === 'running') throw serviceRunning(name)
      if (answer === 'no-port') throw noPortLeft(name)
      if (answer === 'damaged') throw GroupDamaged
      return answer.name
    },

    stop: async (permit, name) => {
      const verbs = control()
      if (!checkWord(await withDeadline.act<unknown>(permit, options => verbs.stop(name, options), { name: 'services.stop' }), [true, false])) throw ServiceNotFound
    },

    kill: async (permit, name) => {
      const force = touch(() => source.force)
      if (force === undefined) throw UnsupportedServiceControl
      if (!checkWord(await withDeadline.act<unknown>(permit, options => force.kill(name, options), { name: 'services.kill' }), [true, false])) throw ServiceNotFound
    }
  }
}
