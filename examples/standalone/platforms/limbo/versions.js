/**
 * The Minecraft versions that limbo speaks, one object each: the packets it sends and the ids it listens for.
 * Packet numbers and layouts: https://minecraft.wiki/w/Java_Edition_protocol
 *
 * Only three, so that each is known to work: two whose login leads straight into the world (1.8.x and 1.12.2)
 * and one with today's configuration phase (1.21.4). Everybody is a spectator who floats in an empty world; no chunk
 * is ever sent. The spawn is above the world's build height, where a client does not wait for chunks.
 */
import { nbt } from './nbt.js'
import { registryData } from './registries.js'
import { bool, byte, double, float, int, long, packet, string, uuid, varint } from './wire.js'

const spectator = byte(3)
const height = 400

// Invulnerable, flying, may fly: without it an old client falls for ever.
const abilities = Buffer.concat([byte(0b0111), float(0.05), float(0.1)])

const json = text => string(JSON.stringify({ text }))

/** 1.8.x and 1.12.2, which differ in numbers and in a few widths. */
function classic ({ name, protocol, ids, listen, wide }) {
  return {
    name,
    protocol,
    listen,
    configuration: undefined,
    loginSuccess: player => packet(0x02, string(player.uuid), string(player.name)),
    enter: ({ entityId, maxPlayers }) => Buffer.concat([
      packet(ids.joinGame, int(entityId), spectator, wide ? int(0) : byte(0), byte(0),
        byte(Math.min(maxPlayers, 255)), string('flat'), bool(false)),
      packet(ids.spawnPosition, long(BigInt(height) << 26n)),
      packet(ids.abilities, abilities),
      packet(ids.position, double(0), double(height), double(0), float(0), float(0), byte(0),
        ...(wide ? [varint(1)] : []))
    ]),
    keepAlive: id => packet(ids.keepAlive, wide ? long(BigInt(id)) : varint(id)),
    readKeepAlive: reader => wide ? Number(reader.long()) : reader.varint(),
    chat: text => packet(ids.chat, json(text), byte(1)),
    kick: text => packet(ids.kick, json(text))
  }
}

const release8 = classic({
  name: '1.8.x',
  protocol: 47,
  wide: false,
  ids: { joinGame: 0x01, spawnPosition: 0x05, abilities: 0x39, position: 0x08, keepAlive: 0x00, chat: 0x02, kick: 0x40 },
  listen: { keepAlive: 0x00, chat: 0x01, chatLimit: 100 }
})

const release12 = classic({
  name: '1.12.2',
  protocol: 340,
  wide: true,
  ids: { joinGame: 0x23, spawnPosition: 0x46, abilities: 0x2c, position: 0x2f, keepAlive: 0x1f, chat: 0x0f, kick: 0x1a },
  listen: { keepAlive: 0x0b, chat: 0x02, chatLimit: 256 }
})

const release21 = {
  name: '1.21.4',
  protocol: 769,
  listen: { keepAlive: 0x1a, chat: 0x07, chatLimit: 256 },
  configuration: {
    acknowledged: 0x03,
    finished: 0x03,
    packets: () => Buffer.concat([...registryData.map(body => packet(0x07, body)), packet(0x03)]),
    kick: text => packet(0x02, nbt(text))
  },
  loginSuccess: player => packet(0x02, uuid(player.uuid), string(player.name), varint(0)),
  enter: ({ entityId, maxPlayers }) => Buffer.concat([
    packet(0x2c, int(entityId), bool(false), varint(1), string('minecraft:overworld'), varint(maxPlayers),
      varint(2), varint(2), bool(false), bool(false), bool(false), varint(0), string('minecraft:overworld'),
      long(0n), spectator, byte(-1), bool(false), bool(true), bool(false), varint(0), varint(63), bool(false)),
    packet(0x3a, abilities),
    packet(0x5b, long(BigInt(height)), float(0)),
    packet(0x42, varint(1), double(0), double(height), double(0), double(0), double(0), double(0),
      float(0), float(0), int(0)),
    // "Start waiting for level chunks": the client leaves its loading screen only after it (since 1.20.3).
    packet(0x23, byte(13), float(0))
  ]),
  keepAlive: id => packet(0x27, long(BigInt(id))),
  readKeepAlive: reader => Number(reader.long()),
  chat: text => packet(0x73, nbt(text), bool(false)),
  kick: text => packet(0x1d, nbt(text))
}

const all = [release8, release12, release21]

/** The version a client announced in its handshake, or undefined when limbo does not speak it. */
export const findVersion = protocol => all.find(version => version.protocol === protocol)

/** What a status answer shows to clients that cannot join, and the newest protocol number for them to compare with. */
export const newest = release21

/** For people: `1.8.x, 1.12.2 and 1.21.4`. */
export const supported = new Intl.ListFormat('en-GB').format(all.map(version => version.name))

/** A refusal before the login is through; the same bytes in every version. */
export const loginRefusal = text => packet(0x00, json(text))
