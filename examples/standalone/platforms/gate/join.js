/** A player's way to a server. */
import { connect } from 'node:net'
import { hangUp } from './hang-up.js'
import { log, warnRarely } from './log.js'
import { offlineUuid, shownName } from './names.js'
import { header } from './proxy-protocol.js'
import { firstId, loginRefusal } from './wire.js'

/** A client gives up after 30 s without an answer; before that it shall be told. */
const patienceMs = 25_000

/** The first packet of a server that has let somebody in without asking for an account: compression, or success. */
const admissions = new Set([0x02, 0x03])

/**
 * @param {object} gate
 * @param {ReturnType<typeof import('./settings.js').readSettings>} gate.settings
 * @param {ReturnType<typeof import('./servers.js').createServers>} gate.servers
 * @param {ReturnType<typeof import('./pipe.js').createPipes>} gate.pipes
 */
export function createJoin ({ settings, servers, pipes }) {
  /**
   * Brings a player to the first server that answers, trying one after the other. As long as no server has said
   * anything the player has seen nothing of it, so what it has sent can be sent to the next one.
   *
   * @param {import('./peer.js').Player} player
   */
  async function join (player) {
    const began = performance.now()
    const tried = new Set()
    while (performance.now() < began + patienceMs) {
      const place = servers.reserve({ name: shownName(player.name), host: player.host }, tried)
      if (place === undefined) {
        // One may be about to come, when the last one has just been restarted.
        if (!await servers.relisted(began + settings.waitMs - performance.now())) break
        tried.clear()
        continue
      }
      tried.add(place.server)
      const answer = await ask(place.server, player)
      if (answer !== undefined) return enter(player, place, answer)
      place.fail()
      warnRarely('no answer', `${place.server.name} (${place.server.host}:${place.server.port}) does not answer`)
    }
    warnRarely('no server', `${shownName(player.name)} (/${textOf(player.source)}) cannot join: no server is available`)
    hangUp(player.socket, loginRefusal('No server is available'))
  }

  /** Passes on what the player has sent. Answers the connection, paused, and its first bytes; undefined when none come in time. */
  function ask ({ host, port, proxyProtocol }, player) {
    return new Promise(resolve => {
      const socket = connect({ host, port, allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
      let timer = setTimeout(fail, settings.connectTimeoutMs)

      function settle (answer) {
        clearTimeout(timer)
        socket.off('data', succeed).off('end', fail).off('close', fail)
        resolve(answer)
      }
      function fail () {
        settle(undefined)
        socket.destroy()
      }
      function succeed (first) {
        socket.pause()
        settle({ socket, first })
      }

      socket.on('error', () => {}) // 'close' follows
      socket.once('close', fail).once('end', fail).once('data', succeed)
      socket.once('connect', () => {
        clearTimeout(timer)
        timer = setTimeout(fail, settings.answerTimeoutMs)
        if (proxyProtocol) socket.write(header(player.source, player.destination))
        socket.write(player.bytes)
      })
    })
  }

  function enter (player, place, { socket, first }) {
    const { server } = place
    const name = shownName(player.name)
    const from = `/${textOf(player.source)}`
    // Kept as long as the player is: only what is still needed.
    place.enter({ name, uuid: admissions.has(firstId(first)) ? offlineUuid(player.name) : undefined })
    player.bytes = undefined
    log(`[connected player] ${name} (${from}) has connected`)
    log(`[server connection] ${name} -> ${server.name} has connected`)
    player.socket.write(first)
    pipes.join(player.socket, socket, () => {
      place.leave()
      log(`[server connection] ${name} -> ${server.name} has disconnected`)
      log(`[connected player] ${name} (${from}) has disconnected`)
    })
    player.socket.resume()
    socket.resume()
  }

  return join
}

const textOf = ({ address, port }) => `${address.includes(':') ? `[${address}]` : address}:${port}`
