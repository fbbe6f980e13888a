/** Where a server is, and whether it has answered there lately. */

/** A server that did not answer is asked last for so long. */
const shunnedMs = 10_000

/**
 * For each place of a server another one, also when it takes joins again: nothing has failed there yet.
 *
 * @param {{ host: string, port: number, proxyProtocol: boolean }} place
 * @typedef {ReturnType<typeof createEndpoint>} Endpoint
 */
export function createEndpoint ({ host, port, proxyProtocol }) {
  let shunnedUntil = 0
  // To whom it kept silent last though it was there, having let in nobody since.
  let silent = { until: 0, party: undefined }
  let enteredAt = -Infinity
  // Whether it is there, as long as it has not answered.
  let asked

  function shun () {
    shunnedUntil = performance.now() + shunnedMs
    return shunnedUntil
  }

  /** Asks whether it is there, once for all who want to know. */
  function ask (isThere) {
    asked ??= isThere().then(is => {
      asked = undefined
      if (!is) shun()
      return is
    })
    return asked
  }

  return {
    host,
    port,
    proxyProtocol,
    /** Whether nothing speaks against asking it first for somebody of this address. */
    answers: party => {
      const now = performance.now()
      return shunnedUntil <= now && (silent.until <= now || silent.party !== party)
    },
    /** It has let somebody in. */
    entered: () => {
      [shunnedUntil, silent.until, enteredAt] = [0, 0, performance.now()]
    },
    /** It cannot be reached. */
    isAway: () => { shun() },
    /** It has hung up on somebody, on that one alone perhaps: it is asked last only when it is not there, which is the answer. */
    hasHungUp: ask,
    /**
     * It kept silent to somebody since that time: asked last by all until it is known to be there, and after that by this address alone,
     * unless it has been silent to another a moment ago as well. That it has let in somebody meanwhile speaks for it.
     */
    isSilent: (isThere, party, since) => {
      const until = shun()
      ask(isThere).then(is => {
        if (!is || shunnedUntil !== until) return
        const now = performance.now()
        const isToBlame = enteredAt < since
        if (isToBlame && silent.until > now && (party === undefined || silent.party !== party)) return
        shunnedUntil = 0
        if (isToBlame) silent = { until: now + shunnedMs, party }
      })
    }
  }
}
