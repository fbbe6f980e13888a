/** Where a server that listens somewhere is reached from its own machine. */
import { isIP } from 'node:net'

const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address of `/`, without it: who listens everywhere is reached on the loopback. */
export function originOf (host, port) {
  const at = loopback[host] ?? host
  return `http://${isIP(at) === 6 ? `[${at}]` : at}:${port}`
}
