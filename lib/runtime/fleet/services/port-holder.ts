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
    if (next !== port) ports.release(name, port)
    port = next
  }

  return {
    get now () { return port },
    moveOn: () => {
      if (known && ++refusals <= PATIENCE) return undefined
      const next = ports.take(name, port) ?? ports.take(name)
      if (next === undefined) return undefined
      known = false
      use(next)
      return next
    },
    settle: given => {
      refusals = 0
      if (given === 0 || given === port) return
      ports.keep(name, given)
      use(given)
    },
    publish: () => { known = true },
    release: () => { ports.release(name, port) }
  }
}
