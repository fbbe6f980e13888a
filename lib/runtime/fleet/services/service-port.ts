/** The port of one service, which is given up only for a reason. */
import { DefinitionError } from '../faults.js'
import type { Ports } from './ports.js'

export interface ServicePort {
  readonly now: number
  /** It has to be this one; `undefined`: whichever it has. Throws when it cannot have it. */
  demand (port: number | undefined): void
  /** Somebody else listens there. Answers another port to be tried at once, now its own, or undefined: it is to come back. */
  moveOn (): number | undefined
  /** It runs there; the engine may have given it another one. */
  settle (port: number): void
  /** Others know it by now. */
  publish (): void
  release (): void
}

/** How often a service comes back to a port that somebody else has taken, once others may know it. */
const PATIENCE = 3

export function createServicePort (ports: Ports, name: string, port: number, known: boolean): ServicePort {
  let refusals = 0
  let isFixed = false

  function use (next: number): void {
    if (next !== holder.now) ports.release(name, holder.now)
    holder.now = next
  }

  const holder = {
    now: port,
    demand: (wanted: number | undefined): void => {
      isFixed = wanted !== undefined
      if (wanted === undefined) return
      if (wanted > 65_535) throw new DefinitionError(`there is no port ${wanted}`)
      const owner = ports.keep(name, wanted)
      if (owner !== name) throw new Error(`port ${wanted} belongs to ${owner}`)
      use(wanted)
    },
    moveOn: (): number | undefined => {
      if (isFixed) return undefined
      if (known && ++refusals <= PATIENCE) return undefined
      const next = ports.take(name, holder.now) ?? ports.take(name)
      if (next === undefined) return undefined
      known = false
      use(next)
      return next
    },
    settle: (given: number): void => {
      refusals = 0
      if (given === 0 || given === holder.now) return
      ports.keep(name, given)
      use(given)
    },
    publish: (): void => { known = true },
    release: (): void => { ports.release(name, holder.now) }
  }
  return holder
}
