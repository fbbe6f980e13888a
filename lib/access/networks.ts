/** The networks around an address. */
import { isIP } from 'node:net'
import { groupsOf } from '../addresses.js'

/** The networks around an address. */
export interface Networks {
  /** What one party has to itself: an IPv4 address, or the /64 of an IPv6 one, of which anybody holds as many addresses as they like. */
  readonly own: string
  /** What one customer may have: the same IPv4 address, or the /48. */
  readonly site: string
}

/** The networks around an address in its one form; undefined for what is none: a Unix socket, or a name that a proxy made up. */
export function networksOf (address: string): Networks | undefined {
  switch (isIP(address)) {
    case 4: return { own: address, site: address }
    case 6: return { own: `${groupsOf(address).slice(0, 4).join(':')}::/64`, site: `${groupsOf(address).slice(0, 3).join(':')}::/48` }
    default: return undefined
  }
}

/** Who shares a place in a queue: a customer with a network, or everybody without an address. */
export const siteOf = (address: string): string => networksOf(address)?.site ?? ''
