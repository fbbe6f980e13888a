/** What is counted as it happens, cheaply, whether anybody asks or not. */

export interface Counts {
  /** A request was answered; the route as the catalogue has it, never an address. */
  answered (route: string, status: number): void
  loggedIn (outcome: string): void
  /** Set while somebody wants to know how long calls of the runtime take. */
  onCall?: (call: string, seconds: number) => void
  readonly requests: ReadonlyMap<string, ReadonlyMap<number, number>>
  readonly logins: ReadonlyMap<string, number>
}

export function createCounts (): Counts {
  const requests = new Map<string, Map<number, number>>()
  const logins = new Map<string, number>()
  return {
    requests,
    logins,
    answered: (route, status) => {
      let statuses = requests.get(route)
      if (statuses === undefined) requests.set(route, statuses = new Map())
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    },
    loggedIn: outcome => { logins.set(outcome, (logins.get(outcome) ?? 0) + 1) }
  }
}
