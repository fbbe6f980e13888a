/** Addresses at which nobody listens, for names that have to stay where there is no server any more. */

const DEAD = /^127\.255\.\d{1,3}\.\d{1,3}:1$/

export const isDead = (address: string): boolean => DEAD.test(address)

/** Hands out addresses that are not among those taken: each refuses a connection at once, and no two names share one. */
export function createDeadAddresses (taken: Iterable<string>): () => string {
  const used = new Set(taken)
  let next = 0
  return () => {
    for (;;) {
      next++
      const address = `127.255.${(next >> 8) & 255}.${next & 255}:1`
      if (!used.has(address)) return address
      if (next > 65_535) throw new Error('too many servers that are gone: restart the proxy')
    }
  }
}

/**
 * Where every name of a proxy is to lead: those of the servers that take players to these, all others that were ever there,
 * by where they led last, to nowhere. A server that was never told of and takes nobody is left out.
 */
export function addressesOf (live: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>): Map<string, string> {
  const dead = createDeadAddresses(before.values())
  const all = new Map<string, string>()
  for (const [name, address] of before) all.set(name, live.get(name) ?? (isDead(address) ? address : dead()))
  for (const [name, address] of live) all.set(name, address)
  return all
}
