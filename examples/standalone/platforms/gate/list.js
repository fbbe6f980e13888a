/**
 * The list of servers, as somebody else writes it. Everything but name, host and port may be left out; unknown fields
 * are ignored.
 *
 *     {
 *       "version": 1,
 *       "servers": [{
 *         "name": "lobby-1", "group": "lobby", "host": "127.0.0.1", "port": 25566,
 *         "fallback": true, "players": 3, "slots": 20, "parked": false, "keeps": false, "held": false, "due": false,
 *         "proxyProtocol": false
 *       }],
 *       "try": ["limbo-1"],
 *       "forcedHosts": { "play.example.com": ["lobby-1"] },
 *       "proxyProtocol": false,
 *       "sample": [{ "name": "Steve", "id": "5627dd98-e6be-3c21-b8a8-e92344183641" }]
 *     }
 */
import { plainHost } from './greeting.js'

/** What a list that cannot be used is refused with. */
export class DamagedList extends Error {}

const most = 1000

/**
 * @param {string} text
 * @returns {{ servers: Listed[], lastResort: string[], forcedHosts: Map<string, string[]>, sample: object[], faults: string[] }}
 *   `faults` tells what was left out because it was wrong
 * @throws {DamagedList}
 *
 * @typedef {{ name: string, host: string, port: number, fallback: boolean, players: number, slots: number,
 *   parked: boolean, keeps: boolean, held: boolean, due: boolean, proxyProtocol: boolean }} Listed
 */
export function readList (text) {
  const given = parse(text)
  if (!isRecord(given) || !Array.isArray(given.servers)) throw new DamagedList('it has no "servers"')
  if (given.version !== undefined && given.version !== 1) throw new DamagedList(`its version is ${JSON.stringify(given.version)}, and only 1 is known`)
  const faults = []
  const servers = new Map()
  given.servers.forEach((server, index) => {
    const fault = faultOf(server) ?? (servers.has(server.name) ? 'has the name of another' : undefined)
    if (fault === undefined) servers.set(server.name, listed(server, given.proxyProtocol === true))
    else faults.push(`servers[${index}] ${fault}`)
  })
  if (servers.size === 0 && faults.length > 0) throw new DamagedList(`not one of its servers is right: ${faults[0]}`)
  return {
    servers: [...servers.values()],
    lastResort: texts(given.try),
    forcedHosts: new Map(Object.entries(isRecord(given.forcedHosts) ? given.forcedHosts : {}).map(([host, names]) => [plainHost(host), texts(names)])),
    sample: Array.isArray(given.sample) ? given.sample.slice(0, most).filter(isPlayer).map(({ name, id }) => ({ name, id })) : [],
    faults
  }
}

function parse (text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new DamagedList(`it is no JSON: ${error.message}`)
  }
}

function faultOf (server) {
  if (!isRecord(server)) return 'is no object'
  const { name, host, port } = server
  if (!isText(name)) return 'has no name'
  if (!isText(host) || !/^[\w.:%-]+$/.test(host)) return 'has no host'
  return Number.isInteger(port) && port >= 1 && port <= 65_535 ? undefined : 'has no port'
}

const listed = ({ name, host, port, fallback, players, slots, parked, keeps, held, due, proxyProtocol }, byDefault) => ({
  name,
  host,
  port,
  fallback: fallback === true,
  players: count(players),
  slots: count(slots),
  parked: parked === true,
  keeps: keeps === true,
  held: held === true,
  due: due === true,
  proxyProtocol: typeof proxyProtocol === 'boolean' ? proxyProtocol : byDefault
})

const isRecord = value => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = value => typeof value === 'string' && value !== '' && value.length <= 255
const isPlayer = value => isRecord(value) && isText(value.name) && value.name.length <= 32 && isText(value.id) && value.id.length <= 36
const texts = value => Array.isArray(value) ? value.filter(isText) : []
const count = value => Number.isSafeInteger(value) && value > 0 ? value : 0
