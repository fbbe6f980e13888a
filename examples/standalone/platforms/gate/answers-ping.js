/** Whether a server is there, whatever it thinks of a player. */
import { connect } from 'node:net'
import { header } from './proxy-protocol.js'
import { packet, string } from './wire.js'

/** A protocol that every server reads, from 1.8 on. */
const protocol = Buffer.from([47])
const forStatus = Buffer.from([1])

/**
 * Asks it as the server list of a client does. Anything that it answers in time is enough.
 *
 * @param {{ host: string, port: number, proxyProtocol: boolean }} server
 * @param {{ source: import('./proxy-protocol.js').Address, destination: import('./proxy-protocol.js').Address }} player on whose behalf
 * @param {number} ms
 * @returns {Promise<boolean>}
 */
export function answersPing ({ host, port, proxyProtocol }, { source, destination }, ms) {
  return new Promise(resolve => {
    const socket = connect({ host, port })
    const timer = setTimeout(() => { settle(false) }, ms)

    function settle (answers) {
      clearTimeout(timer)
      socket.destroy()
      resolve(answers)
    }

    socket.on('error', () => {}) // 'close' follows
    socket.once('data', () => { settle(true) }).once('end', () => { settle(false) }).once('close', () => { settle(false) })
    socket.once('connect', () => {
      if (proxyProtocol) socket.write(header(source, destination))
      const place = Buffer.from([port >> 8, port & 0xff])
      socket.write(Buffer.concat([packet(0x00, protocol, string(host), place, forStatus), packet(0x00)]))
    })
  })
}
