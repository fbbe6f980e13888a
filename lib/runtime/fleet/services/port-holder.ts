/** The port of one service, which is given up only for a reason. */
import type { Ports } from './ports.js'

export interface PortHolder {
  readonly now: number
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

export function createPortHolder (ports: Ports, name: string, port: number, known: boolean): PortHolder {
  let refusals = 0

  function use (next: number): void {
    if (next !== holder.now) ports.release(name, holder.now)
    holder.now = next
  }

  const holder = {
    now: port,
    moveOn: (): number | undefined => {
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
