/** A player's way to a server. */
import { connect } from 'node:net'
import { partyOf } from './address.js'
import { after } from './after.js'
import { answersPing } from './answers-ping.js'
import { hangUp } from './hang-up.js'
import { log, warnRarely } from './log.js'
import { offlineUuid, shownName } from './names.js'
import { once } from './once.js'
import { header } from './proxy-protocol.js'
import { BadPacket, Reader, firstId, loginRefusal, readFrame } from './wire.js'

/** A client gives up after 30 s without an answer; before that it shall be told. */
const patienceMs = 25_000

/** So many servers say no to one player before that is passed on: whoever is banned everywhere must not cost a visit to each. */
const mostRefusals = 8

/** So much more may come from somebody whom no server has answered yet: a client waits for that. */
const mostAhead = 64 * 1024

/** What comes in more pieces than this becomes one: a small one costs much more than its bytes. */
const mostPieces = 32

/** How long what a server refuses somebody with may be, to be kept until others have been asked. */
const longestRefusal = 32 * 1024

/** The first packet of a server that has let somebody in without asking for an account: compression, or success. */
const admissions = new Set([0x02, 0x03])

/**
 * @param {object} gate
 * @param {ReturnType<typeof import('./settings.js').readSettings>} gate.settings
 * @param {ReturnType<typeof import('./servers.js').createServers>} gate.servers
 * @param {ReturnType<typeof import('./pipe.js').createPipes>} gate.pipes
 * @param {() => Promise<void> | undefined} gate.refresh looks whether there is another list, where that is overdue
 */
export function createJoin ({ settings, servers, pipes, refresh }) {
  /**
   * Brings a player to the first server that lets it in, trying one after the other. As long as the player has been sent
   * nothing, what it has sent can be sent to the next one. The first refusal is passed on when no other has room.
   *
   * @param {import('./peer.js').Player} player
   * @param {() => void} entered called when a server has let the player in
   */
  async function join (player, entered) {
    const arrived = servers.arrive()
    try {
      await bring(player, entered)
    } finally {
      arrived()
    }
  }

  async function bring (player, entered) {
    const began = performance.now()
    const name = shownName(player.name)
    const { address } = player.source
    const party = settings.maxPerAddress === 0 || settings.isTrusted(address) ? undefined : partyOf(address)
    const tried = new Set()
    const refusals = []
    const deadline = began + patienceMs
    // How long a server may keep silent, and how long another list is waited for.
    let { answerTimeoutMs: silenceMs, waitMs } = settings
    // Of somebody who has gone nothing is kept, and nobody waits for that one.
    const gone = new Promise(resolve => {
      player.socket.once('close', () => {
        player.bytes = undefined
        resolve(false)
      })
    })
    const takeAhead = readAhead(player.socket)
    await refresh()
    while (!isGone(player) && performance.now() < deadline && refusals.length < mostRefusals) {
      const place = servers.reserve({ name, host: player.host, party }, tried, { wasRefused: refusals.length > 0, mayWait: waitMs > 0 })
      if (place === 'later' || place === undefined) {
        if (place === undefined && refusals.length > 0) break
        // One may be about to come, when the last one has just been restarted, or it may turn out what becomes of one that is held.
        const from = performance.now()
        const isRelisted = await Promise.race([servers.relisted(Math.min(waitMs, deadline - from)), gone])
        waitMs -= performance.now() - from
        if (!isRelisted && place === undefined) break
        if (refusals.length === 0) tried.clear()
        continue
      }
      const { server, endpoint } = place
      tried.add(endpoint)
      const answer = await ask(endpoint, player, { silenceMs, deadline })
      if (isGone(player)) {
        answer?.socket?.destroy()
        return place.refuse()
      }
      if (answer?.socket !== undefined) {
        entered()
        return enter(player, place, answer, takeAhead())
      }
      if (answer?.refusal === undefined) {
        // Who hangs up on one player, perhaps for what that one has sent, may let in the next; who had no time to answer as well.
        const isThere = () => answersPing(endpoint, settings.connectTimeoutMs)
        let isHome = false
        if (performance.now() >= deadline) isHome = place.refuse()
        else if (answer === undefined) place.isAway()
        else if (answer.hasHungUp === true) isHome = await place.hasHungUp(isThere)
        else place.isSilent(isThere)
        // Where several are silent at once, a client's patience has to do for those behind them as well.
        if (answer?.isSilent === true) silenceMs = settings.answerTimeoutMs / 2
        warnRarely('no answer', `${server.name} (${endpoint.host}:${endpoint.port}) ${answer?.hasHungUp === true ? 'hangs up on a player' : 'does not answer'}`)
        // Elsewhere this player would be on two servers.
        if (isHome) return hangUp(player.socket, loginRefusal('The server that you are on has hung up, try again in a moment'))
      } else {
        log(`[server connection] ${name} -> ${server.name} was refused`)
        if (place.refuse()) return hangUp(player.socket, answer.refusal)
        refusals.push(answer.refusal)
      }
    }
    if (isGone(player)) return
    if (refusals.length > 0) return hangUp(player.socket, refusals[0])
    warnRarely('no server', `${name} (/${textOf(player.source)}) cannot join: no server is available`)
    hangUp(player.socket, loginRefusal('No server is available'))
  }

  /**
   * Passes on what the player has sent. Answers the connection, paused, and its first bytes, or a refusal, or that the server
   * hung up or kept silent; undefined when it cannot be reached, or the player has gone: its place at the server goes with it.
   */
  function ask ({ host, port, proxyProtocol }, player, { silenceMs, deadline }) {
    const atMost = ms => Math.max(0, Math.min(ms, deadline - performance.now()))
    return new Promise(resolve => {
      const socket = connect({ host, port, allowHalfOpen: true, noDelay: true, keepAlive: true, keepAliveInitialDelay: 30_000 })
      let cancel = after(atMost(settings.connectTimeoutMs), fail)
      let first = Buffer.alloc(0)
      let hasConnected = false

      function settle (answer) {
        cancel()
        socket.off('data', take).off('end', end).off('close', end)
        player.socket.off('close', leave)
        resolve(answer)
      }
      function fail (answer) {
        settle(answer)
        socket.destroy()
      }
      const leave = () => fail()
      function end () {
        settle(hasConnected ? { hasHungUp: true } : undefined)
        socket.destroy()
      }
      function take (chunk) {
        first = first.length === 0 ? chunk : Buffer.concat([first, chunk])
        const refusal = refusalIn(first)
        if (refusal === 'unfinished') return
        if (refusal === undefined) {
          socket.pause()
          return settle({ socket, first })
        }
        settle({ refusal })
        socket.destroy()
      }

      socket.on('error', () => {}) // 'close' follows
      socket.once('close', end).once('end', end).on('data', take)
      player.socket.once('close', leave)
      socket.once('connect', () => {
        hasConnected = true
        cancel()
        cancel = after(atMost(silenceMs), () => fail({ isSilent: true }))
        if (proxyProtocol) socket.write(header(player.source, player.destination))
        socket.write(player.bytes)
      })
    })
  }

  function enter (player, place, { socket, first }, ahead) {
    const { server } = place
    const name = shownName(player.name)
    const from = `/${textOf(player.source)}`
    // Kept as long as the player is: only what is still needed.
    place.enter(admissions.has(firstId(first)) ? offlineUuid(player.name) : undefined)
    player.bytes = undefined
    log(`[connected player] ${name} (${from}) has connected`)
    log(`[server connection] ${name} -> ${server.name} has connected`)
    player.socket.write(first)
    for (const chunk of ahead) socket.write(chunk)
    // A server that has closed its end has nobody there, however long the client keeps its own.
    const leave = once(() => {
      place.leave()
      log(`[server connection] ${name} -> ${server.name} has disconnected`)
    })
    socket.once('end', leave).once('close', leave)
    pipes.join(player.socket, socket, () => {
      leave()
      log(`[connected player] ${name} (${from}) has disconnected`)
    })
    player.socket.resume()
    socket.resume()
  }

  return join
}

/**
 * Reads on, since nobody sees that a connection is gone who reads nothing of it: a client that ends its half before a server has
 * answered has left. Answers a function that ends this, and answers what has come; whoever sends too much is hung up on.
 */
function readAhead (socket) {
  let ahead = []
  let length = 0
  function take (chunk) {
    length += chunk.length
    if (length > mostAhead) return socket.destroy()
    ahead.push(chunk)
    if (ahead.length > mostPieces) ahead = [Buffer.concat(ahead)]
  }
  const leave = () => { socket.destroy() }
  socket.on('data', take).once('end', leave).once('close', () => { ahead = [] }).resume()
  return () => {
    socket.off('data', take).off('end', leave).pause()
    return ahead
  }
}

/** Whether nobody is there any more, or all is said. */
const isGone = ({ socket }) => socket.destroyed || socket.writableEnded

/** The packet that a login is refused with, if that is what comes; 'unfinished': more has to come to know, or to have all of it. */
function refusalIn (bytes) {
  const id = firstId(bytes)
  if (id === undefined ? bytes.length > 3 : id !== 0x00) return undefined
  try {
    const frame = readFrame(bytes, 0, longestRefusal)
    if (frame === undefined) return 'unfinished'
    // A text and nothing else.
    const reader = new Reader(frame.body)
    return reader.varint() === 0 && reader.take(reader.varint()).length > 0 && reader.isAtEnd ? bytes.subarray(0, frame.end) : undefined
  } catch (error) {
    if (error instanceof BadPacket) return undefined
    throw error
  }
}

const textOf = ({ address, port }) => `${address.includes(':') ? `[${address}]` : address}:${port}`
