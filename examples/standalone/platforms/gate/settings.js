/** The settings of gate, read from its environment and checked. */
import { createMatcher } from './address.js'

/** What a wrong environment is told with; `server.js` prints the message and exits 1. */
export class WrongSetting extends Error {}

/**
 * Reads the settings of one gate from its environment. An empty variable counts as absent.
 *
 * | variable | default | meaning |
 * | --- | --- | --- |
 * | SERVICE_PORT | none, required | the port to listen on |
 * | SERVICE_HOST | 127.0.0.1 | the address to listen on |
 * | SERVICE_NAME | gate | the name of the service |
 * | SERVICE_MOTD | the name | what the server list shows |
 * | SERVICE_SERVERS | servers.json | the file that lists the servers (`list.js`) |
 * | SERVICE_FAVICON | server-icon.png | the picture beside the motd, a PNG of 64 by 64, if there is such a file |
 * | SERVICE_SAMPLE_SIZE | 12, as vanilla | how many names the status answer gives away |
 * | SERVICE_MAX_CONNECTIONS | 4096 | how many connections of clients there may be, players included |
 * | SERVICE_MAX_PER_ADDRESS | 128 | how many of these from one IPv4 address or IPv6 /64, and half as many logins under way; 0: as many as they like |
 * | SERVICE_TRUSTED_PROXIES | none | addresses and CIDR blocks, separated by commas, whose PROXY headers are believed, and to which the limit per address does not apply |
 * | SERVICE_LOGIN_TIMEOUT_MS | 10000 | how long a connection may take to say that it joins, or to have its status; for as long again its login counts as under way |
 * | SERVICE_CONNECT_TIMEOUT_MS | 3000 | how long a server may take to accept a connection before the next one is tried |
 * | SERVICE_ANSWER_TIMEOUT_MS | 10000 | the same for its first byte |
 * | SERVICE_WAIT_MS | 5000 | how long a player waits for another list when no server of this one takes joins |
 * | SERVICE_STALL_TIMEOUT_MS | 60000 | how long one end may read nothing while the other sends, and how long one half of a connection may go on without traffic when the other half has ended |
 *
 * @param {Record<string, string | undefined>} env
 * @throws {WrongSetting} naming the variable, what was given and what is allowed
 */
export function readSettings (env) {
  const name = env.SERVICE_NAME || 'gate'
  return {
    name,
    host: env.SERVICE_HOST || '127.0.0.1',
    port: integer(env, 'SERVICE_PORT', undefined, 1, 65535),
    motd: env.SERVICE_MOTD || name,
    servers: env.SERVICE_SERVERS || 'servers.json',
    favicon: env.SERVICE_FAVICON || 'server-icon.png',
    sampleSize: integer(env, 'SERVICE_SAMPLE_SIZE', 12, 0, 100),
    maxConnections: integer(env, 'SERVICE_MAX_CONNECTIONS', 4096, 1, 1_000_000),
    maxPerAddress: integer(env, 'SERVICE_MAX_PER_ADDRESS', 128, 0, 1_000_000),
    isTrusted: matcher(env, 'SERVICE_TRUSTED_PROXIES'),
    loginTimeoutMs: integer(env, 'SERVICE_LOGIN_TIMEOUT_MS', 10_000, 50, 600_000),
    connectTimeoutMs: integer(env, 'SERVICE_CONNECT_TIMEOUT_MS', 3000, 50, 600_000),
    answerTimeoutMs: integer(env, 'SERVICE_ANSWER_TIMEOUT_MS', 10_000, 50, 600_000),
    waitMs: integer(env, 'SERVICE_WAIT_MS', 5000, 0, 20_000),
    stallTimeoutMs: integer(env, 'SERVICE_STALL_TIMEOUT_MS', 60_000, 50, 600_000)
  }
}

function integer (env, variable, fallback, min, max) {
  const text = env[variable]
  if (!text && fallback !== undefined) return fallback
  const value = Number(text)
  if (text && /^\d+$/.test(text) && value >= min && value <= max) return value
  const given = text ? `not ${JSON.stringify(text)}` : 'and is not set'
  throw new WrongSetting(`${variable} has to be a whole number from ${min} to ${max}, ${given}`)
}

function matcher (env, variable) {
  try {
    return createMatcher((env[variable] ?? '').split(',').map(block => block.trim()).filter(block => block !== ''))
  } catch (error) {
    throw new WrongSetting(`${variable}: ${error.message}`)
  }
}
