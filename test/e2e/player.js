/**
 * A real Minecraft client, as a module and as a program.
 *
 *     node player.js <host> <port> <name> [version]
 *
 * The program prints one line of JSON an event, reads `say <text>` and `leave` from standard input, leaves on
 * SIGTERM or at the end of its input, and exits 0, or 1 when it never joined:
 *
 *     {"event":"joined","name":"Alice","uuid":"…"}
 *     {"event":"keepAlive","round":1}
 *     {"event":"chat","text":"[Server] hello"}
 *     {"event":"ended","reason":"Server closed"}
 */
import { realpathSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import minecraft from 'minecraft-protocol'

/**
 * Joins a server without authentication and stays until told to leave or sent away.
 *
 * @param {{ host: string, port: number, name: string, version?: string }} where
 * @param {(event: { event: 'joined' | 'keepAlive' | 'chat' | 'ended', [field: string]: unknown }) => void} tell
 *   is given each event; `ended` comes exactly once, and last
 * @returns {{ say: (text: string) => void, leave: () => void }}
 */
export function join ({ host, port, name, version = '1.21.4' }, tell) {
  const client = minecraft.createClient({ host, port, username: name, version, auth: 'offline', hideErrors: true })
  let reason
  let rounds = 0
  let ended = false
  // Its first position is what lets a player out of the loading screen.
  client.once('position', () => tell({ event: 'joined', name, uuid: client.uuid }))
  client.on('keep_alive', () => tell({ event: 'keepAlive', round: ++rounds }))
  for (const chat of ['systemChat', 'playerChat']) {
    client.on(chat, ({ formattedMessage }) => tell({ event: 'chat', text: plain(formattedMessage) }))
  }
  for (const farewell of ['disconnect', 'kick_disconnect']) {
    client.on(farewell, packet => { reason = plain(packet.reason) })
  }
  client.on('error', error => { reason ??= error.message })
  client.once('end', why => {
    ended = true
    tell({ event: 'ended', reason: reason ?? why })
  })
  return {
    say: text => client.chat(text),
    // Ended twice, a client holds the process for the 30 s of its close timer.
    leave: () => { if (!ended) client.end('left') }
  }
}

/** The text of a component without its format, whether it came as JSON or as NBT. */
function plain (component) {
  if (typeof component === 'string') return plainString(component)
  if (component === null || typeof component !== 'object') return ''
  if (Array.isArray(component)) return component.map(plain).join('')
  if ('type' in component && 'value' in component) return plain(component.value)
  return plain(component.text ?? component.translate ?? component['']) + plain(component.extra)
}

function plainString (text) {
  try {
    const parsed = JSON.parse(text)
    return typeof parsed === 'object' ? plain(parsed) : String(parsed)
  } catch {
    return text
  }
}

function main ([host, port, name, version]) {
  if (!name) {
    console.error('usage: node player.js <host> <port> <name> [version]')
    process.exit(2)
  }
  process.exitCode = 1
  const player = join({ host, port: Number(port), name, version }, event => {
    console.log(JSON.stringify(event))
    if (event.event === 'joined') process.exitCode = 0
    if (event.event === 'ended') process.exit()
  })
  const input = createInterface({ input: process.stdin })
  input.on('line', line => {
    if (line === 'leave') player.leave()
    else if (line.startsWith('say ')) player.say(line.slice(4))
  })
  input.on('close', () => player.leave())
  process.on('SIGTERM', () => player.leave())
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) main(process.argv.slice(2))
