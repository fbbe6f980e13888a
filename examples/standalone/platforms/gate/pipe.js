/** Two connections made one: what comes from one end goes to the other, no faster than that takes it. */

const sweepMs = 1000

/**
 * Makes pipes. An end that takes nothing for `stallTimeoutMs` while the other one sends is cut off, and so is a half
 * that goes on without traffic for as long when the other half has ended: neither may keep a connection for ever.
 *
 * @param {{ stallTimeoutMs: number }} settings
 */
export function createPipes ({ stallTimeoutMs }) {
  const pipes = new Set()

  // One timer for all of them instead of one at each pause: there may be thousands of pauses a second.
  setInterval(() => {
    const limit = performance.now() - stallTimeoutMs
    for (const { flows, cut } of pipes) {
      if (flows.some(flow => flow.stalledAt < limit)) cut()
    }
  }, Math.min(sweepMs, stallTimeoutMs / 2)).unref()

  /** Calls `ended` once, when both are closed; either may have come to its end already. */
  function join (one, other, ended) {
    const cut = () => {
      one.destroy()
      other.destroy()
    }
    const pipe = { flows: [flow(one, other), flow(other, one)], cut }
    pipes.add(pipe)
    let open = 2
    for (const [socket, partner] of [[one, other], [other, one]]) {
      const limitPartner = () => partner.setTimeout(stallTimeoutMs, cut)
      when(socket.readableEnded, socket, 'end', () => {
        partner.end()
        limitPartner()
      })
      when(socket.closed, socket, 'close', () => {
        // Whatever it was closed by, its partner is given the rest of what it was sent.
        partner.destroySoon()
        limitPartner()
        if (--open > 0) return
        pipes.delete(pipe)
        ended()
      })
    }
  }

  return { join }
}

/** Does it now if the event has been, else when it comes. */
function when (hasBeen, socket, event, action) {
  if (hasBeen) action()
  else socket.once(event, action)
}

function flow (from, to) {
  const state = { stalledAt: Infinity }
  from.on('data', chunk => {
    if (to.write(chunk)) return
    from.pause()
    state.stalledAt = performance.now()
  })
  to.on('drain', () => {
    state.stalledAt = Infinity
    from.resume()
  })
  return state
}
