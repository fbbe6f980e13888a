/** What an operator may type on the console of gate. */
import { log } from './log.js'

const help = {
  help: 'help - shows this list',
  list: 'list - names the players on each server',
  servers: 'servers - shows the servers that are listed',
  reload: 'reload - reads the list of servers at once',
  drain: 'drain - lets nobody in any more, and ends when the last player has left',
  end: 'end (or stop) - closes all connections and ends'
}

// A line is for people.
const mostNames = 100

/**
 * Runs one line from the console.
 *
 * @param {string} line
 * @param {{ servers: ReturnType<typeof import('./servers.js').createServers>, reload: () => void, drain: () => void, end: () => void }} gate
 */
export function execute (line, { servers, reload, drain, end }) {
  switch (line.trim().replace(/^\//, '')) {
    case '': return
    case 'help': return Object.values(help).forEach(text => log(text))
    case 'list': return list(servers)
    case 'servers': return show(servers)
    case 'reload': return reload()
    case 'drain': return drain()
    case 'end':
    case 'stop': return end()
    default: log('Unknown command. Type "help" for help.')
  }
}

function list (servers) {
  let total = 0
  for (const { name, visitors: { here } } of servers.all) {
    if (here.size === 0) continue
    total += here.size
    const names = [...here].slice(0, mostNames).map(player => player.name).join(', ')
    log(`[${name}] (${here.size}): ${names}${here.size > mostNames ? ', …' : ''}`)
  }
  log(`Total players online: ${total}`)
}

function show (servers) {
  for (const { name, host, port, players, slots, visitors: { here }, fallback, parked, due, isListed } of servers.all) {
    const words = [fallback && 'fallback', parked && 'parked', due && 'about to be restarted', !isListed && 'no longer listed'].filter(Boolean)
    log(`${name} ${host}:${port}, ${players} of ${slots} players, ${here.size} through this gate${words.map(word => `, ${word}`).join('')}`)
  }
  log(`${servers.all.length} servers`)
}
