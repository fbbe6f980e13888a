/**
 * Gate: a small proxy in front of game servers. It answers the Minecraft server list for all of them, and pipes each
 * player to the emptiest server that takes joins. Which servers there are stands in a file that somebody else keeps
 * (`list.js`). It touches no byte of the game: every version from 1.7 on, with mods and without, passes.
 * Node only, no dependencies.
 *
 *     SERVICE_PORT=25565 node server.js
 *
 * The other variables are in `settings.js`. It ends with 0 after `end`, SIGTERM or SIGINT, and with 1 when a variable is
 * wrong or it cannot listen.
 */
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'
import { plainAddress } from './address.js'
import { execute } from './commands.js'
import { createDoor, roomFor } from './door.js'
import { followList } from './follow.js'
import { hangUp } from './hang-up.js'
import { createJoin } from './join.js'
import { log, warnRarely } from './log.js'
import { tellParked } from './parked.js'
import { receive } from './peer.js'
import { once } from './once.js'
import { createPipes } from './pipe.js'
import { createServers } from './servers.js'
import { WrongSetting, readSettings } from './settings.js'
import { createStatus } from './status.js'
import { loginRefusal } from './wire.js'

/** How long those who are connected may take to read the rest at the end. */
const lingerMs = 2000

async function start (settings) {
  // From the first moment on: unheard it ends a process.
  let list = { look: () => {}, refresh: () => {} }
  process.on('SIGHUP', () => list.look())
  const servers = createServers()
  const status = createStatus(settings, servers)
  const join = createJoin({ settings, servers, pipes: createPipes(settings), refresh: () => list.refresh() })
  tellParked(settings, servers)
  list = await followList(settings.servers, servers.replace)
  const room = roomFor(settings)
  const door = createDoor(room, settings)
  // Every connection, and what ends it.
  const connections = new Map()

  const server = createServer({ allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 }, socket => {
    socket.on('error', () => {}) // 'close' follows and says all there is to say
    const source = { address: plainAddress(socket.remoteAddress ?? ''), port: socket.remotePort ?? 0 }
    // Who has reset the connection by now has no address any more, and is nobody whom others should be counted with.
    if (source.address === '' || !door.admit(socket, source)) return socket.destroy()
    door.wait(socket, source)
    socket.once('close', () => connections.delete(socket))
    connections.set(socket, receive(socket, {
      settings,
      status,
      source,
      admit: real => {
        if (!door.admit(socket, real)) return false
        door.wait(socket, real)
        return true
      },
      join: player => {
        door.waited(socket)
        if (!door.login(socket, player.source)) return hangUp(socket, loginRefusal('Too many have just logged in from your address, try again in a moment'))
        connections.set(socket, text => hangUp(socket, loginRefusal(text)))
        // Nothing can be said to somebody who is in the game.
        join(player, () => connections.set(socket, () => socket.end())).catch(error => {
          log(error.stack, 'ERROR')
          socket.destroy()
        })
      }
    }))
  })
  server.maxConnections = room
  server.on('drop', () => warnRarely('full', `${room} connections are open: nobody else is let in`))
  server.on('error', error => {
    // Once it listens, an error is a connection that could not be accepted; the others go on.
    if (server.listening) return warnRarely('accept', `A connection failed: ${error.message}`)
    fail(`Cannot listen on ${settings.host}:${settings.port}: ${error.code === 'EADDRINUSE' ? 'the port is in use' : error.message}`)
  })

  const drain = once(() => {
    log(`Nobody is let in any more; ${connections.size} connections are open`)
    server.close(() => process.exit(0))
  })
  const end = once(() => {
    log('Closing all connections')
    drain()
    for (const close of connections.values()) close('The proxy was closed')
    setTimeout(() => process.exit(0), lingerMs).unref()
  })

  server.listen(settings.port, settings.host, () => {
    log(`Listening on /${settings.host}:${settings.port}`)
    log(`Done (${(performance.now() / 1000).toFixed(3)}s)! For help, type "help"`)
    readCommands({ servers, reload: list.look, drain, end })
  })
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, end)
}

/** The end of standard input ends nothing: a service may be run without a console. */
function readCommands (gate) {
  process.stdin.on('error', () => {})
  createInterface({ input: process.stdin, terminal: false }).on('line', line => execute(line, gate))
}

function fail (text) {
  log(text, 'ERROR')
  process.exit(1)
}

// A full disk or a reader that went away must not take the players with it.
process.stdout.on('error', () => {})

try {
  await start(readSettings(process.env))
} catch (error) {
  if (!(error instanceof WrongSetting)) throw error
  fail(error.message)
}
