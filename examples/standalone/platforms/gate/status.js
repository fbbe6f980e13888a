/** What the server list shows (https://minecraft.wiki/w/Java_Edition_protocol/Server_List_Ping). */
import { readFileSync } from 'node:fs'
import { log } from './log.js'
import { legacyText, packet, string } from './wire.js'

const name = 'gate 1.7 and later'

/** A client of 1.6 or older cannot join, and shows that when it reads a number that no such version has. */
const noOldProtocol = 127

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
// With the names of a hundred players it has to fit into the 32,767 characters that a client takes.
const largestFavicon = 15 * 1024

/**
 * @param {ReturnType<typeof import('./settings.js').readSettings>} settings
 * @param {ReturnType<typeof import('./servers.js').createServers>} servers
 */
export function createStatus ({ motd, favicon: file, sampleSize }, servers) {
  const favicon = readFavicon(file)
  // Everything but the protocol number, as it was written last.
  let rest
  servers.onChange(() => { rest = undefined })

  function write () {
    const text = JSON.stringify({
      players: { max: servers.slots, online: servers.online, sample: sample(servers, sampleSize) },
      // For the cloud, which has to know whether somebody is on this gate: `players` tells of the whole network.
      playersHere: servers.here,
      description: { text: motd },
      ...(favicon !== undefined && { favicon })
    })
    return text.slice(1)
  }

  return {
    /** The packet for a client, which reads its own number: whether it can join is up to the server it comes to. */
    answer: protocol => {
      rest ??= write()
      return packet(0x00, string(`{"version":${JSON.stringify({ name, protocol })},${rest}`))
    },
    legacyAnswer: form => {
      const { online, slots } = servers
      const line = motd.replace(/[\0\n]/g, ' ')
      if (form === 'oldest') return legacyText(`${line.replace(/§.?/gu, '')}§${online}§${slots}`)
      return legacyText(['§1', noOldProtocol, name, line, online, slots].join('\0'))
    }
  }
}

/** The names of the list, if it has some; else those that this gate has let in itself. */
function sample (servers, size) {
  if (servers.sample.length > 0) return servers.sample.slice(0, size)
  const players = []
  for (const { visitors } of servers.all) {
    for (const { name, uuid } of visitors.here) {
      if (players.length >= size) return players
      if (uuid !== undefined) players.push({ name, id: uuid })
    }
  }
  return players
}

function readFavicon (file) {
  try {
    const bytes = readFileSync(file)
    if (bytes.length <= largestFavicon && bytes.subarray(0, 8).equals(signature)) return `data:image/png;base64,${bytes.toString('base64')}`
    log(`${file} is no PNG of at most ${largestFavicon} bytes`, 'WARN')
  } catch (error) {
    if (error.code !== 'ENOENT') log(`${file} cannot be read: ${error.message}`, 'WARN')
  }
  return undefined
}
