/** One player's connection to limbo, from the handshake to the end. */
import { log, printable } from './log.js'
import { offlineUuid } from './players.js'
import { statusAnswer } from './status.js'
import { findVersion, loginRefusal, supported } from './versions.js'
import { BadPacket, Reader, Splitter, long, packet, string } from './wire.js'

// The largest packet a client may send in each phase. Mods announce their channels with up to 32 KiB.
const limits = { handshake: 1024, status: 16, login: 128, configuration: 40_000, play: 40_000, closed: 0 }

// A peer that does not read what it is sent is not kept: this much may wait for it.
const backlogLimit = 256 * 1024

// How long a peer may take to read its last packet.
const lingerMs = 2000

let lastEntityId = 0

/** One peer, from its first byte to the end: server list ping, or login and play. */
export class Connection {
  /** Set by the login; before it a connection has neither. */
  name
  uuid

  #socket
  #players
  #settings
  #phase = 'handshake'
  #protocol
  #version
  #splitter = new Splitter()
  #answered = false // the status request
  #acknowledged = false // the login, which then goes on to the configuration
  #login
  #keepAlive
  #sent = 0
  #echoed = 0
  #spam = { level: 0, at: 0 }

  /**
   * @param {import('node:net').Socket} socket
   * @param {import('./players.js').Players} players
   * @param {ReturnType<typeof import('./settings.js').readSettings>} settings
   */
  constructor (socket, players, settings) {
    this.#socket = socket
    this.#players = players
    this.#settings = settings
    this.address = `${socket.remoteAddress}:${socket.remotePort}`
    this.#login = setTimeout(() => this.kick('Took too long to log in'), settings.loginTimeoutMs)
    socket.setNoDelay(true)
    socket.on('data', bytes => this.#receive(bytes))
    socket.on('error', () => {}) // 'close' follows and says all there is to say
    socket.on('close', () => this.#closed('Disconnected'))
  }

  get isPlaying () {
    return this.#phase === 'play'
  }

  /** Ends the connection at once. */
  drop () {
    this.#socket.destroy()
  }

  /** Ends the connection and shows the peer why, if its phase has words for it. */
  kick (reason) {
    if (this.#phase === 'closed') return
    const farewell = this.#farewell(reason)
    this.#closed(reason)
    this.#hangUp(farewell)
  }

  /** Shows a line of text to a player. */
  tell (text) {
    this.#write(this.#version.chat(text))
  }

  #farewell (reason) {
    if (this.#phase === 'login') return loginRefusal(reason)
    if (this.#phase === 'configuration') return this.#version.configuration.kick(reason)
    return this.#phase === 'play' ? this.#version.kick(reason) : Buffer.alloc(0)
  }

  #hangUp (lastBytes) {
    this.#phase = 'closed'
    this.#socket.end(lastBytes)
    setTimeout(() => this.#socket.destroy(), lingerMs).unref()
  }

  #closed (reason) {
    clearTimeout(this.#login)
    clearInterval(this.#keepAlive)
    this.#phase = 'closed'
    this.#players.remove(this, reason)
  }

  #write (bytes) {
    this.#socket.write(bytes)
    if (this.#socket.writableLength > backlogLimit) this.#socket.destroy()
  }

  #receive (bytes) {
    if (this.#phase === 'closed') return
    try {
      for (const body of this.#splitter.push(bytes, () => limits[this.#phase])) {
        this.#handle(new Reader(body))
        if (this.#phase === 'closed') return
      }
    } catch (error) {
      // Garbage is not worth a line each: whoever sends it could fill the disk with them.
      if (!(error instanceof BadPacket)) log(error.stack, { level: 'ERROR' })
      this.#socket.destroy()
    }
  }

  #handle (reader) {
    const id = reader.varint()
    switch (this.#phase) {
      case 'handshake': return this.#handshake(id, reader)
      case 'status': return this.#status(id, reader)
      case 'login': return this.#logIn(id, reader)
      case 'configuration': return this.#configure(id)
      case 'play': return this.#play(id, reader)
    }
  }

  #handshake (id, reader) {
    if (id !== 0) throw new BadPacket('not a handshake')
    this.#protocol = reader.varint()
    reader.string(255)
    reader.ushort()
    const next = reader.varint()
    if (next < 1 || next > 3) throw new BadPacket('unknown next state')
    this.#phase = next === 1 ? 'status' : 'login' // 3 is a login after a transfer
    if (this.#phase === 'status') return
    this.#version = findVersion(this.#protocol)
    if (!this.#version) this.kick(`This limbo can be joined with Minecraft ${supported}`)
  }

  #status (id, reader) {
    if (id === 1) return this.#hangUp(packet(0x01, long(reader.long())))
    if (id !== 0 || this.#answered) throw new BadPacket('not a status request')
    this.#answered = true
    this.#write(packet(0x00, string(JSON.stringify(statusAnswer(this.#protocol, this.#players, this.#settings)))))
  }

  #logIn (id, reader) {
    if (id !== 0) throw new BadPacket('not a login start')
    const name = reader.string(16)
    if (!/^[A-Za-z0-9_]{1,16}$/.test(name)) return this.kick('Invalid name')
    if (!this.#players.hasRoomFor(name)) return this.kick('The server is full!')
    this.name = name
    this.uuid = offlineUuid(name)
    log(`UUID of player ${name} is ${this.uuid}`, { thread: 'User Authenticator #1' })
    this.#write(this.#version.loginSuccess(this))
    if (this.#version.configuration) this.#phase = 'configuration'
    else this.#enter()
  }

  #configure (id) {
    const { acknowledged, finished, packets } = this.#version.configuration
    if (this.#acknowledged) return id === finished && this.#enter()
    if (id !== acknowledged) throw new BadPacket('not a login acknowledgement')
    this.#acknowledged = true
    this.#write(packets())
  }

  #enter () {
    this.#phase = 'play'
    // Asked again: others may have come in while this one was being configured.
    if (!this.#players.hasRoomFor(this.name)) return this.kick('The server is full!')
    clearTimeout(this.#login)
    this.entityId = ++lastEntityId
    this.#players.add(this)
    this.#write(this.#version.enter({ entityId: this.entityId, maxPlayers: this.#players.max }))
    this.#keepAlive = setInterval(() => this.#keepAliveRound(), this.#settings.keepAliveMs)
  }

  #keepAliveRound () {
    if (this.#sent - this.#echoed >= 3) return this.kick('Timed out')
    this.#write(this.#version.keepAlive(++this.#sent))
  }

  #play (id, reader) {
    const { listen } = this.#version
    if (id === listen.keepAlive) return this.#echo(this.#version.readKeepAlive(reader))
    if (id === listen.chat) this.#chat(reader.string(listen.chatLimit))
  }

  #echo (id) {
    if (id > this.#echoed && id <= this.#sent) this.#echoed = id
  }

  #chat (text) {
    if (this.#isSpam()) return this.kick('Kicked for spamming')
    if (text.startsWith('/')) return this.tell('Unknown command.')
    this.#players.say(`<${this.name}> ${printable(text)}`)
  }

  /** Vanilla's measure: a message weighs 20, a tick (50 ms) takes 1 away, more than 200 is too much. */
  #isSpam () {
    const now = performance.now()
    this.#spam.level = Math.max(0, this.#spam.level - (now - this.#spam.at) / 50) + 20
    this.#spam.at = now
    return this.#spam.level > 200
  }
}
