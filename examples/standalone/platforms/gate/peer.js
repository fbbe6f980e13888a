/** One client, from its first byte until it has its status or has said who wants to join. */
import { plainAddress } from './address.js'
import { after } from './after.js'
import { legacyLogin, readHandshake, readLegacyPing, readName } from './greeting.js'
import { hangUp } from './hang-up.js'
import { log } from './log.js'
import { readHeader } from './proxy-protocol.js'
import { BadPacket, Reader, firstId, legacyText, loginRefusal, packet, readFrame } from './wire.js'

/** How long a packet may be that comes before a client is with a server; Forge and BungeeCord have the longest handshakes. */
const limit = 8 * 1024

/** How long a client of 1.5 or older, which says no more than one or two bytes, is given to turn out to be another. */
const legacyPauseMs = 200

/**
 * Listens to a client that has just connected.
 *
 * @param {import('node:net').Socket} socket
 * @param {object} gate
 * @param {ReturnType<typeof import('./settings.js').readSettings>} gate.settings
 * @param {ReturnType<typeof import('./status.js').createStatus>} gate.status
 * @param {Address} gate.source where it comes from
 * @param {(source: Address) => boolean} gate.admit whether one that a trusted proxy brings from there may come in
 * @param {(player: Player) => void} gate.join is given whoever wants to join, with nothing listening to the socket any more
 * @returns {(text: string) => void} ends it, with this text if there is a way to show it
 *
 * @typedef {import('./proxy-protocol.js').Address} Address
 * @typedef {object} Player
 * @property {import('node:net').Socket} socket
 * @property {string} name
 * @property {string} host the name that the client was told to connect to
 * @property {Buffer | undefined} bytes all that it has sent so far, for the server
 * @property {Address} source
 * @property {Address} destination
 */
export function receive (socket, { settings, status, source, admit, join }) {
  let bytes = Buffer.alloc(0)
  // Where the packet begins that comes next.
  let at = 0
  let destination = { address: plainAddress(socket.localAddress ?? ''), port: socket.localPort ?? 0 }
  // Nothing more comes, or nothing more is waited for.
  let isSilent = false
  let logsIn = false
  let legacyPause
  const cancelDeadline = after(settings.loginTimeoutMs, () => socket.destroy())
  const conversation = converse()

  /** Goes through what the client says, and yields whenever it has to say more. */
  function * converse () {
    if (settings.isTrusted(source.address)) yield * takeHeader()
    const start = at
    while (bytes.length === start) yield
    const form = yield * takeLegacyPing(start)
    if (form !== undefined) return hangUp(socket, status.legacyAnswer(form))
    if (bytes[start] === legacyLogin) return hangUp(socket, legacyText('This server needs Minecraft 1.7 or later'))
    const { protocol, host, wants } = readHandshake(yield * takePacket())
    if (wants === 'status') return yield * tellStatus(protocol)
    logsIn = true
    const name = readName(yield * takePacket())
    detach()
    socket.pause()
    join({ socket, name, host, bytes: bytes.subarray(start), source, destination })
  }

  function * takePacket () {
    for (;;) {
      // Known before the packet is whole: a browser, say, is not waited for.
      if (firstId(bytes.subarray(at)) > 1) throw new BadPacket('no packet of a greeting')
      const frame = readFrame(bytes, at, limit)
      if (frame !== undefined) {
        at = frame.end
        return frame.body
      }
      yield
    }
  }

  function * takeHeader () {
    let header
    while ((header = readHeader(bytes)) === undefined) yield
    at = header.end
    source = header.source ?? source
    destination = header.destination ?? destination
    if (header.source !== undefined && !admit(source)) throw new BadPacket('too many of that address')
  }

  function * takeLegacyPing (start) {
    for (;;) {
      const ping = readLegacyPing(bytes.subarray(start))
      if (ping === undefined || ping.isComplete || isSilent) return ping?.form
      if (bytes.length - start > limit) throw new BadPacket('a ping that is too long')
      legacyPause ??= setTimeout(fallSilent, legacyPauseMs)
      yield
    }
  }

  function * tellStatus (protocol) {
    for (let answered = false; ;) {
      const reader = new Reader(yield * takePacket())
      const id = reader.varint()
      if (id === 1) return hangUp(socket, packet(0x01, reader.take(8)))
      if (id !== 0 || answered) throw new BadPacket('not a status request')
      answered = true
      socket.write(status.answer(protocol))
    }
  }

  function goOn () {
    try {
      if (conversation.next().done) detach()
    } catch (error) {
      // Garbage is not worth a line each: whoever sends it could fill the disk with them.
      if (!(error instanceof BadPacket)) log(error.stack, 'ERROR')
      detach()
      socket.destroy()
    }
  }

  function onData (chunk) {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk])
    goOn()
  }

  function fallSilent () {
    isSilent = true
    goOn()
  }

  function onEnd () {
    fallSilent()
    socket.end()
  }

  function detach () {
    cancelDeadline()
    clearTimeout(legacyPause)
    socket.off('data', onData).off('end', onEnd).off('close', detach)
  }

  socket.on('data', onData).on('end', onEnd).on('close', detach)
  goOn()
  return text => {
    detach()
    if (logsIn) hangUp(socket, loginRefusal(text))
    else socket.destroy()
  }
}
