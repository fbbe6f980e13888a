/** The rules about services. */
import type { CloudRuntime } from '../../types/runtime.js'
import {
  ServiceNotFound, ServiceNotReading, ServiceNotRunning, UnsupportedServiceControl, groupRule,
  invalid
} from '../errors.js'
import { checkWord, wrong } from './answers.js'
import type { Calls } from './calls.js'
import { isLine } from './names.js'

export interface Services {
  /** Writes one line to the console of a service. */
  command (name: string, line: string): Promise<void>
  /** Accepts a restart. */
  restart (name: string): Promise<void>
  /** Starts one more service of a group, or a stopped service; answers its name. */
  start (name: string): Promise<string>
  stop (name: string): Promise<void>
}

export function services ({ services: source }: CloudRuntime, call: Calls): Services {
  function control (): NonNullable<typeof source.control> {
    if (source.control === undefined) throw UnsupportedServiceControl
    return source.control
  }

  return {
    command: async (name, line) => {
      const verbs = control()
      if (!isLine(line)) throw invalid('Command')
      const answer = await call<unknown>(options => verbs.command(name, line, options))
      switch (checkWord(answer, [true, false, 'not-running', 'not-reading'])) {
        case false: throw ServiceNotFound
        case 'not-running': throw ServiceNotRunning
        case 'not-reading': throw ServiceNotReading
      }
    },

    restart: async name => {
      const verbs = control()
      if (!checkWord(await call<unknown>(options => verbs.restart(name, options)), [true, false])) throw ServiceNotFound
    },

    start: async name => {
      const verbs = control()
      const answer = await call(options => verbs.start(name, options))
      if (answer === false) throw ServiceNotFound
      if (answer === 'limit') throw groupRule(`Group ${name} already has its maximum of services`)
      if (answer === 'running') throw groupRule(`Service ${name} is already running`)
      if (typeof answer?.name !== 'string') throw wrong('The answer of `start` names no service')
      return answer.name
    },

    stop: async name => {
      const verbs = control()
      if (!checkWord(await call<unknown>(options => verbs.stop(name, options)), [true, false])) throw ServiceNotFound
    }
  }
}
