/** The port of one service, which is given up only for a reason. */
import { DefinitionError } from '../faults.js'
import type { Ports } from './ports.js'

export interface ServicePort {
  readonly now: number
  /** The service that has the port which this one has to have. */
  readonly waitsFor: string | undefined
  /** Whether it needed another port when its start was tried last, and none was left. */
  readonly isOut: boolean
  /** A start begins. It has to be on this port; `undefined`: on whichever it has. Throws when it cannot have it, and has none until it can. */
  demand (port: number | undefined): void
  /** Somebody else listens there. Answers another port to be tried at once, now its own, or undefined: it is to come back. */
  moveOn (): number | undefined
  /** It runs there; the engine may have given it another one. */
  settle (port: number): void
  /** Others know it by now. */
  publish (): void
  release (): void
}

export interface ServicePortParts {
  readonly ports: Ports
  readonly name: string
  readonly port: number
  /** Whether others know it already. */
  readonly known: boolean
  /** Whether it needs its port now. */
  isUsed (): boolean
  /** It has another one. */
  moved (): void
}

/** How often a service comes back to a port that somebody else has taken, once others may know it. */
const PATIENCE = 3

export function createServicePort ({ ports, name, port, known, isUsed, moved }: ServicePortParts): ServicePort {
  let refusals = 0
  let isFixed = false
  /** In the start that is under way. */
  const tried = new Set<number>()

  function use (next: number): void {
    if (next === holder.now) return
    ports.release(name, holder.now)
    holder.now = next
    moved()
  }

  /** What it has waited for while its group asked for that very port may be another's. */
  function demandAny (): void {
    if (ports.keep(name, holder.now) === name) return
    const next = ports.take(name)
    holder.isOut = next === undefined
    if (next === undefined) throw new Error('no port is left')
    use(next)
  }

  const holder = {
    now: port,
    waitsFor: undefined as string | undefined,
    isOut: false,
    demand: (wanted: number | undefined): void => {
      tried.clear()
      isFixed = wanted !== undefined
      holder.waitsFor = undefined
      if (wanted === undefined) return demandAny()
      if (wanted > 65_535) throw new DefinitionError(`there is no port ${wanted}`)
      const owner = ports.demand(name, wanted)
      use(wanted)
      if (owner === name) return
      holder.waitsFor = owner
      throw new Error(`port ${wanted} belongs to ${owner}`)
    },
    moveOn: (): number | undefined => {
      if (isFixed) return undefined
      if (known && ++refusals <= PATIENCE) return undefined
      tried.add(holder.now)
      const next = ports.take(name, holder.now) ?? ports.take(name)
      // Once around is enough: whoever has them all may take a while.
      if (next === undefined || tried.has(next)) {
        if (next !== undefined) ports.release(name, next)
        holder.isOut = true
        return undefined
      }
      known = false
      use(next)
      return next
    },
    settle: (given: number): void => {
      refusals = 0
      holder.isOut = false
      if (given === 0 || given === holder.now) return
      ports.keep(name, given)
      use(given)
    },
    publish: (): void => { known = true },
    release: (): void => {
      ports.release(name, holder.now)
      ports.forget(name)
    }
  }

  ports.onDemand(name, () => {
    if (isUsed()) return false
    known = false
    const next = ports.take(name)
    // Where none is left its next start looks for one.
    if (next === undefined) ports.release(name, holder.now)
    else use(next)
    return true
  })
  return holder
}
