/** Turns of what must not run beside each other, in the order in which it was asked for. */

export interface Turns {
  /** Runs beside others of its kind, and beside nothing that runs alone. */
  together<T> (action: () => Promise<T>): Promise<T>
  alone<T> (action: () => Promise<T>): Promise<T>
}

export function createTurns (): Turns {
  let lastAlone: Promise<unknown> = Promise.resolve()
  const beside = new Set<Promise<unknown>>()

  return {
    together: action => {
      const turn = lastAlone.then(action)
      const over = turn.catch(() => {}).finally(() => { beside.delete(over) })
      beside.add(over)
      return turn
    },
    alone: action => {
      const turn = Promise.all([lastAlone, ...beside]).then(action)
      lastAlone = turn.catch(() => {})
      return turn
    }
  }
}
