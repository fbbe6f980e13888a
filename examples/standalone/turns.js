/** Requests that one connection sends without waiting for answers: they take turns, so that nobody else waits for thousands of them. */

/** So many of them are taken up in one turn of the event loop. */
const most = 32

/** Answers a function that wraps what answers requests. */
export function createTurns () {
  /** Requests of a connection that were taken up and are not answered yet, or wait for their turn. */
  const open = new WeakMap()
  const behind = new WeakMap()
  const waiting = []

  function turn () {
    for (const { socket, take } of waiting.splice(0, most)) {
      const left = behind.get(socket) - 1
      behind.set(socket, left)
      if (left === 0) socket.resume()
      if (!socket.destroyed) take()
    }
    if (waiting.length > 0) setImmediate(turn)
  }

  return answer => (request, response) => {
    const { socket } = request
    const before = open.get(socket) ?? 0
    open.set(socket, before + 1)
    response.once('close', () => { open.set(socket, open.get(socket) - 1) })
    if (before === 0) return answer(request, response)
    // No more is read of it meanwhile; what was read already holds a thousand requests at most.
    if (!behind.get(socket)) socket.pause()
    behind.set(socket, (behind.get(socket) ?? 0) + 1)
    if (waiting.push({ socket, take: () => { answer(request, response) } }) === 1) setImmediate(turn)
  }
}
