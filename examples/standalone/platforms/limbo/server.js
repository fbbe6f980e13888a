/**
 * Limbo: a small game server for trying things out. It answers the Minecraft server list, lets real clients in
 * (1.8.x, 1.12.2 and 1.21.4, without authentication: `versions.js`) and keeps them in an empty world.
 * It reads commands from standard input and prints what a vanilla server prints. Node only, no dependencies.
 *
 *     SERVICE_PORT=25565 node server.js
 *
 * The other variables are in `settings.js`. It ends with 0 after `stop`, SIGTERM or SIGINT, and with 1 when a
 * variable is wrong or it cannot listen.
 */
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { execute } from './commands.js'
import { Connection } from './connection.js'
import { log } from './log.js'
import { Players } from './players.js'
import { WrongSetting, readSettings } from './settings.js'
import { supported } from './versions.js'

// Besides the players: pings, logins under way, and last words being read.
const spareConnections = 64

function start (settings) {
  const address = `${settings.host}:${settings.port}`
  const players = new Players(settings.maxPlayers)
  const connections = new Set()
  const most = settings.maxPlayers + spareConnections
  const server = createServer(socket => {
    // Reset before it was accepted: nobody knows any more who that was.
    if (socket.remoteAddress === undefined) return socket.destroy()
    // Who plays keeps the place; of the others the one that came first has to go, which had the most time to log in.
    if (connections.size >= most) first(connections, connection => !connection.isPlaying)?.drop()
    const connection = new Connection(socket, players, settings)
    connections.add(connection)
    socket.on('close', () => connections.delete(connection))
  })

  server.on('error', error => {
    // Once it listens, an error is a connection that could not be accepted; the others go on.
    if (server.listening) return log(`A connection failed: ${error.message}`, { level: 'WARN' })
    fail(`Cannot listen on ${address}: ${error.code === 'EADDRINUSE' ? 'the port is in use' : error.message}`)
  })

  const stop = once(() => {
    log('Stopping the server')
    server.close(() => process.exit(0))
    for (const connection of connections) connection.kick('Server closed')
  })

  log(`Starting limbo for Minecraft ${supported} on ${address}`)
  server.listen(settings.port, settings.host, () => {
    const seconds = (performance.now() / 1000).toFixed(3)
    log(`Done (${seconds}s)! For help, type "help"`)
    readCommands({ players, stop })
  })
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, stop)
}

/** The end of standard input ends nothing: a service may be run without a console. */
function readCommands (server) {
  process.stdin.on('error', () => {})
  createInterface({ input: process.stdin, terminal: false }).on('line', line => execute(line, server))
}

function first (values, isWanted) {
  for (const value of values) if (isWanted(value)) return value
}

function once (action) {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}

function fail (text) {
  log(text, { level: 'ERROR' })
  process.exit(1)
}

// A full disk or a reader that went away must not take the players with it.
process.stdout.on('error', () => {})

try {
  start(readSettings(process.env))
} catch (error) {
  if (!(error instanceof WrongSetting)) throw error
  fail(error.message)
}
