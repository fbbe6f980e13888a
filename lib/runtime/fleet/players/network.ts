/** What can be found out about a service by going to its address, as a client would. */
import { connect } from 'node:net'
import type { Awaitable } from '../../../../types/engine.js'
import { createGate } from '../queue.js'
import { ping, type Status } from './status-ping.js'

export interface Address {
  readonly host: string
  readonly port: number
}

export interface Network {
  /** The status of a game server, or undefined when there is none to be had within so many milliseconds. Never rejects. */
  ping (address: Address, timeout: number): Awaitable<Status | undefined>
  /** Whether something takes a connection there. Never rejects. */
  connects (address: Address, timeout: number): Awaitable<boolean>
  /** A number from 0 to 1, so that a thousand services are not asked in the same moment. */
  random (): number
}

/** The network of this machine, with so many status pings under way at the same time. */
export function createNetwork (pings: number): Network {
  const turn = createGate(pings)
  return {
    ping: async ({ host, port }, timeout) => await turn(async () => await ping(host, port, timeout)),
    connects: ({ host, port }, timeout) => new Promise(resolve => {
      const socket = connect({ host, port, timeout })
      const settle = (up: boolean): void => {
        socket.destroy()
        resolve(up)
      }
      socket.on('connect', () => { settle(true) })
      socket.on('timeout', () => { settle(false) })
      socket.on('error', () => { settle(false) })
    }),
    random: Math.random
  }
}
