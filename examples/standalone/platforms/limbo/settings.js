/** What a wrong environment is told with; `server.js` prints the message and exits 1. */
export class WrongSetting extends Error {}

/**
 * Reads the settings of one limbo from its environment. An empty variable counts as absent.
 *
 * | variable | default | meaning |
 * | --- | --- | --- |
 * | SERVICE_PORT | none, required | the port to listen on |
 * | SERVICE_HOST | 127.0.0.1 | the address to listen on |
 * | SERVICE_NAME | limbo | the name of the service |
 * | SERVICE_MOTD | the name | what the server list shows |
 * | SERVICE_MAX_PLAYERS | 20 | how many may be online |
 * | SERVICE_SAMPLE_SIZE | 12, as vanilla | how many names the status answer gives away |
 * | SERVICE_KEEP_ALIVE_MS | 10000 | the pause between keep-alives; three without an answer end a connection |
 * | SERVICE_LOGIN_TIMEOUT_MS | 15000 | how long a connection may take from its first byte to playing |
 *
 * @param {Record<string, string | undefined>} env
 * @throws {WrongSetting} naming the variable, what was given and what is allowed
 */
export function readSettings (env) {
  const name = env.SERVICE_NAME || 'limbo'
  return {
    name,
    host: env.SERVICE_HOST || '127.0.0.1',
    port: integer(env, 'SERVICE_PORT', undefined, 1, 65535),
    motd: env.SERVICE_MOTD || name,
    maxPlayers: integer(env, 'SERVICE_MAX_PLAYERS', 20, 0, 1_000_000),
    sampleSize: integer(env, 'SERVICE_SAMPLE_SIZE', 12, 0, 100),
    keepAliveMs: integer(env, 'SERVICE_KEEP_ALIVE_MS', 10_000, 50, 10_000),
    loginTimeoutMs: integer(env, 'SERVICE_LOGIN_TIMEOUT_MS', 15_000, 50, 600_000)
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
