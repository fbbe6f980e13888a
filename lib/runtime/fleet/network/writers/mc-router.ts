/** The routes of mc-router, which looks at them by itself (`-routes-config-watch`). */
import { addressOf, emptiestOf, fallbacksOf, hostsOf } from '../server.js'
import type { Writer } from './writer.js'

/** A host has one server there: the one with most room. */
export const mcRouter: Writer = {
  file: 'routes.json',
  merges: false,
  counts: true,
  ownPlayers: 'nothing',
  moves: false,
  retries: false,
  proxyProtocol: false,
  render: servers => {
    const fallback = emptiestOf(fallbacksOf(servers))
    const mappings = [...hostsOf(servers)].flatMap(([host, its]) => {
      const server = emptiestOf(its)
      return server === undefined ? [] : [[host, addressOf(server)]]
    })
    return { text: `${JSON.stringify({ 'default-server': fallback === undefined ? '' : addressOf(fallback), mappings: Object.fromEntries(mappings) }, null, 2)}\n` }
  }
}
