/** Whether a server is there, whatever it thinks of a player. */
import { connect } from 'node:net'
import { plainAddress } from './address.js'
import { after } from './after.js'
import { header } from './proxy-protocol.js'
import { packet, string } from './wire.js'

/** A protocol that every server reads, from 1.8 on. */
const protocol = Buffer.from([47])
const forStatus = Buffer.from([1])

/**
 * Asks it as the server list of a client does. Anything that it answers in time is enough.
 *
 * @param {{ host: string, port: number, proxyProtocol: boolean }} server
 * @param {number} ms
 * @returns {Promise<boolean>}
 */
export function answersPing ({ host, port, proxyProtocol }, ms) {
  return new Promise(resolve => {
    const socket = connect({ host, port })
    const cancel = after(ms, () => { settle(false) })

    function settle (answers) {
      cancel()
      socket.destroy()
      resolve(answers)
    }

    socket.on('error', () => {}) // 'close' follows
    socket.once('data', () => { settle(true) }).once('end', () => { settle(false) }).once('close', () => { settle(false) })
    socket.once('connect', () => {
      // On nobody's behalf: a player whom the server does not answer says nothing of it.
      const { localAddress, localPort, remoteAddress, remotePort } = socket
      // It has been closed by now.
      if (localAddress === undefined || remoteAddress === undefined) return settle(false)
      if (proxyProtocol) socket.write(header({ address: plainAddress(localAddress), port: localPort }, { address: plainAddress(remoteAddress), port: remotePort }))
      const place = Buffer.from([port >> 8, port & 0xff])
      socket.write(Buffer.concat([packet(0x00, protocol, string(host), place, forStatus), packet(0x00)]))
    })
  })
}
