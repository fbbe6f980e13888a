/** What an operator may type on the console of limbo. */
import { log, printable } from './log.js'

const help = {
  help: 'help - shows this list',
  list: 'list - names the players online',
  say: 'say <text> - tells everybody something',
  kick: 'kick <player> [reason] - ends the connection of a player',
  stop: 'stop - disconnects everybody and ends the server'
}

/**
 * Runs one line from the console, as vanilla understands it; a leading slash is allowed.
 *
 * @param {string} line
 * @param {{ players: import('./players.js').Players, stop: () => void }} server
 */
export function execute (line, { players, stop }) {
  const [name, rest] = firstWord(line.trim().replace(/^\//, ''))
  switch (name) {
    case '': return
    case 'help': return Object.values(help).forEach(text => log(text))
    case 'list': return list(players)
    case 'say': return rest ? players.say(`[Server] ${printable(rest)}`) : usage('say')
    case 'kick': return rest ? kick(players, rest) : usage('kick')
    case 'stop': return stop()
    default: log('Unknown command. Type "help" for help.')
  }
}

/** The first word of a text, and what stands behind the blanks after it. */
function firstWord (text) {
  const end = text.search(/\s/)
  return end === -1 ? [text, ''] : [text.slice(0, end), text.slice(end).trim()]
}

function list (players) {
  const names = players.all.map(player => player.name).join(', ')
  log(`There are ${players.count} of a max of ${players.max} players online: ${names}`)
}

function kick (players, rest) {
  const [name, reason] = firstWord(rest)
  const player = players.find(name)
  if (!player) return log('No player was found')
  const why = printable(reason) || 'Kicked by an operator'
  player.kick(why)
  log(`Kicked ${player.name}: ${why}`)
}

const usage = name => log(`Usage: ${help[name]}`)
