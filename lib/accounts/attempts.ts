/** Counts wrong passwords, or wrong keys, by where they come from, so that nobody goes on guessing, and nobody elsewhere is locked out. */
import { networksOf } from '../access/networks.js'
import { type Throttle, createThrottle } from './throttle.js'
import { type Failure, TooManyFailedLogins } from '../errors.js'
import type { Settings } from '../options.js'

/** A /48 holds 65,536 networks of one party each; together they may fail so many times as often as one of them. */
const siteFactor = 10

export interface Attempts {
  /** @throws Failure 429 where nobody may try that name from there now */
  check (address: string, nameKey: string): void
  fail (address: string, nameKey: string): void
  /** Notes that somebody from there was not heard for another reason. */
  turnAway (address: string): void
  /** Forgets the failures at a name, by whoever has just known its password. */
  forget (address: string, nameKey: string): void
}

/** One count: a throttle, the key in it, and whom it concerns. */
interface Count {
  readonly throttle: Throttle
  readonly key: string
  readonly network: string
  readonly ofName: boolean
}

/**
 * `onThrottled` is told of everybody who is turned away, with their address or network. What has no address, as on a Unix
 * socket, is counted by name only (that of a key is its id): everybody there would share one count otherwise, and one of them lock out all.
 */
export function createAttempts (
  { clock, loginThrottle: { perAddress, perAddressAndName, window } }: Settings, onThrottled: (network: string) => void,
  refusal: Failure = TooManyFailedLogins
): Attempts {
  const own = { any: createThrottle(clock, perAddress, window), name: createThrottle(clock, perAddressAndName, window) }
  const site = {
    any: createThrottle(clock, perAddress * siteFactor, window), name: createThrottle(clock, perAddressAndName * siteFactor, window)
  }

  function countsOf (address: string, nameKey: string): readonly Count[] {
    const networks = networksOf(address)
    const name = nameKey.slice(0, 256)
    if (networks === undefined) return [{ throttle: own.name, key: ` ${name}`, network: address, ofName: true }]
    const count = ({ any, name: named }: typeof own, network: string): readonly Count[] => [
      { throttle: any, key: network, network, ofName: false },
      { throttle: named, key: `${network} ${name}`, network, ofName: true }
    ]
    return networks.site === networks.own ? count(own, networks.own) : [...count(own, networks.own), ...count(site, networks.site)]
  }

  return {
    check: (address, nameKey) => {
      let longest = 0
      let network = ''
      for (const count of countsOf(address, nameKey)) {
        const wait = count.throttle.wait(count.key)
        if (wait > longest) [longest, network] = [wait, count.network]
      }
      if (longest === 0) return
      onThrottled(network)
      throw refusal.with({ 'retry-after': String(Math.ceil(longest / 1000)) })
    },

    turnAway: address => { onThrottled(networksOf(address)?.own ?? address) },

    fail: (address, nameKey) => {
      for (const { throttle, key } of countsOf(address, nameKey)) throttle.fail(key)
    },

    forget: (address, nameKey) => {
      for (const { throttle, key, ofName } of countsOf(address, nameKey)) if (ofName) throttle.clear(key)
    }
  }
}
