/** The list of the bundled `gate` (docs/gate.md, The file it reads), which programs of other people can read as well. */
import { hostsOf, type Server } from '../server.js'
import type { Writer } from './writer.js'

/** For a program that looks by itself. */
export const json: Writer = {
  file: 'servers.json',
  merges: false,
  counts: true,
  ownPlayers: 'here',
  says: 'parked.json',
  moves: false,
  retries: false,
  proxyProtocol: true,
  render: (servers, { proxyProtocol }) => ({
    text: [
      '{',
      '  "version": 1,',
      `  "servers": [${servers.map(server => `\n    ${show(server)}`).join(',')}${servers.length > 0 ? '\n  ' : ''}],`,
      `  "forcedHosts": ${JSON.stringify(Object.fromEntries([...hostsOf(servers, { held: true })].map(([host, its]) => [host, its.map(({ name }) => name)])))},`,
      `  "proxyProtocol": ${proxyProtocol}`,
      '}\n'
    ].join('\n')
  })
}

export const gate: Writer = { ...json, retries: true, reload: { stdin: 'reload' } }

/** A server that is as it was is the same object. */
const shown = new WeakMap<Server, string>()

function show (server: Server): string {
  let text = shown.get(server)
  if (text === undefined) {
    const { name, group, host, port, fallback, players, slots, parked, keeps, held, asked, due } = server
    text = JSON.stringify({ name, group, host, port, fallback, players, slots, ...(parked ? { parked } : {}), ...(keeps === true ? { keeps } : {}), ...(held === true ? { held } : {}), ...(asked === true ? { asked } : {}), ...(due === true ? { due } : {}) })
    shown.set(server, text)
  }
  return text
}
