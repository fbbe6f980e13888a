/** How long a peer may take to read its last packet. */
const lingerMs = 2000

/** Ends a connection. What still comes is thrown away: left unread, it would reset the connection before the peer has read the last bytes. */
export function hangUp (socket, lastBytes) {
  socket.removeAllListeners('data')
  socket.end(lastBytes)
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
}
