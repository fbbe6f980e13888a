/** All servers of the cloud, as proxies are told of them, kept up to date one by one. */
import type { ServiceType } from '../../../../types/resources.js'
import { byName, type Server } from './server.js'

/** What became different: nothing, or only how many players there are, or more. */
export type Difference = 'nothing' | 'players' | 'more'

export interface Servers {
  /** Takes in how a server is now; `undefined`: it is none any more. */
  put (name: string, now: Known | undefined): Difference
  /** Those of these groups, or of all groups of servers, by name. */
  list (groups: readonly string[] | undefined): readonly Server[]
  readonly names: readonly string[]
  /** Whether a proxy may have been told of it. */
  has (name: string): boolean
  /** Whether nobody is to be sent there. */
  isParked (name: string): boolean
  /** Changes with the list. */
  readonly revision: number
}

export interface Known extends Server {
  readonly type: ServiceType
  /** Its players are to leave. It is parked only while they have somewhere to go with room: else who comes would find nothing. */
  readonly leaving: boolean
  /** So many its group may have. The last ones beyond that are parked while others have room; else they would never be empty. */
  readonly most: number
}

export function createServers (): Servers {
  const known = new Map<string, Known>()
  let sorted: readonly Known[] | undefined
  let revision = 1

  function sort (): readonly Known[] {
    const all = [...known.values()].sort(byName)
    const surplus = surplusOf(all)
    const open = all.filter(server => !server.parked && !server.leaving && !surplus.has(server) && hasRoom(server))
    const isReplaced = ({ group, fallback, most, leaving }: Known): boolean =>
      open.some(other => other.group === group || (other.fallback && (leaving || fallback || most === 0)))
    return all.map(server => {
      if (server.parked || !(server.leaving || surplus.has(server)) || !isReplaced(server)) return server
      return { ...server, parked: true, ...(server.leaving ? { held: true } : { keeps: true }) }
    })
  }

  return {
    put: (name, now) => {
      const before = known.get(name)
      const difference = compare(before, now)
      if (difference === 'nothing') return difference
      if (now === undefined) known.delete(name)
      else known.set(name, now)
      sorted = undefined
      revision++
      return difference
    },
    list: groups => (sorted ??= sort()).filter(({ group, type }) => groups === undefined ? type === 'SERVER' : groups.includes(group)),
    get names () { return [...known.keys()] },
    has: name => known.has(name),
    // Many go together, and to sort all anew for each of them would take long.
    isParked: name => known.get(name)?.parked === true || (sorted ??= sort()).some(server => server.name === name && server.parked && server.keeps !== true),
    get revision () { return revision }
  }
}

/** The last ones of each group beyond what it may have. By number, not by players: which they are must not change with who comes and goes. */
function surplusOf (sorted: readonly Known[]): ReadonlySet<Known> {
  const counts = new Map<string, number>()
  return new Set(sorted.filter(({ group, parked, most }) => {
    if (parked) return false
    const count = (counts.get(group) ?? 0) + 1
    counts.set(group, count)
    return count > most
  }))
}

const hasRoom = ({ players, slots }: Known): boolean => slots === 0 || players < slots

function compare (a: Known | undefined, b: Known | undefined): Difference {
  if (a === undefined || b === undefined) return a === b ? 'nothing' : 'more'
  const same = a.host === b.host && a.port === b.port && a.fallback === b.fallback && a.parked === b.parked && a.held === b.held && a.asked === b.asked && a.leaving === b.leaving && a.due === b.due && a.most === b.most &&
    a.type === b.type && a.hosts.join() === b.hosts.join()
  if (!same || (a.players >= a.slots) !== (b.players >= b.slots)) return 'more'
  return a.players === b.players && a.slots === b.slots ? 'nothing' : 'players'
}
