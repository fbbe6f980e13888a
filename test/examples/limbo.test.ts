/** The bundled limbo, spoken to over raw connections. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { dial, logIn, packet, ping, platforms, spawnLimbo, startLimbo, text } from './limbo-peer.js'
import { freePort } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const uuidOfSteve = '5627dd98-e6be-3c21-b8a8-e92344183641'

t.test('limbo.json names a program that is there and variables that it reads', async t => {
  const platform = JSON.parse(readFileSync(join(platforms, 'limbo.json'), 'utf8'))
  const settings = readFileSync(join(platforms, 'limbo/settings.js'), 'utf8')
  for (const variable of Object.keys(platform.env)) t.ok(settings.includes(`'${variable}'`) || settings.includes(`env.${variable}`), variable)
  t.strictSame(platform.args, ['$' + '{platformDirectory}/server.js'])
  t.strictSame({ name: platform.name, type: platform.type, ready: platform.ready, stop: platform.stop }, {
    name: 'limbo', type: 'SERVER', ready: { status: true }, stop: { stdin: 'stop' }
  })
})

t.test('limbo prints what a vanilla server prints and answers its console', async t => {
  const limbo = await startLimbo(t)
  t.match(limbo.log(), /^\[\d\d:\d\d:\d\d\] \[Server thread\/INFO\]: Done \(\d+\.\d{3}s\)! For help, type "help"$/m)
  for (const line of ['help', 'list', 'fly', '/say  to  all ', 'say', 'kick Nobody', '', 'say \u001b[31mred\u202e']) limbo.tell(line)
  await limbo.sees('[Server thread/INFO]: [Server] ?[31mred?')
  t.strictSame(limbo.lines().slice(2, -1), [
    'help - shows this list',
    'list - names the players online',
    'say <text> - tells everybody something',
    'kick <player> [reason] - ends the connection of a player',
    'stop - disconnects everybody and ends the server',
    'There are 0 of a max of 20 players online: ',
    'Unknown command. Type "help" for help.',
    '[Server] to  all',
    'Usage: say <text> - tells everybody something',
    'No player was found',
    '[Server] ?[31mred?'
  ].map(line => `[Server thread/INFO]: ${line}`))
})

t.test('limbo answers the status ping with version, players and motd', async t => {
  const large = await startLimbo(t, { SERVICE_MAX_PLAYERS: '1000000' })
  t.equal((await ping(t, large.port)).status.players.max, 1_000_000, 'as many as a group may say')
  const limbo = await startLimbo(t, { SERVICE_NAME: 'lobby-1', SERVICE_MAX_PLAYERS: '7' })
  const answer = (protocol: number) => ({
    status: {
      version: { name: 'Limbo 1.8.x, 1.12.2 and 1.21.4', protocol },
      players: { max: 7, online: 0, sample: [] },
      description: { text: 'lobby-1' }
    },
    pong: true
  })
  t.strictSame(await ping(t, limbo.port, 47), answer(47))
  t.strictSame(await ping(t, limbo.port, 5), answer(769), 'a version that cannot join sees the newest that can')
})

t.test('a 1.8 player joins, stays while he answers keep-alives, and leaves', async t => {
  const limbo = await startLimbo(t, { SERVICE_KEEP_ALIVE_MS: '120', SERVICE_MOTD: 'Hello' })
  const steve = await logIn(t, limbo.port, 'Steve')
  t.equal(text(await steve.next(0x02)).replace(/.Steve$/, ''), uuidOfSteve)
  for (const id of [0x01, 0x05, 0x39, 0x08]) await steve.next(id)
  await limbo.sees(`[User Authenticator #1/INFO]: UUID of player Steve is ${uuidOfSteve}`)
  await limbo.sees('[Server thread/INFO]: Steve joined the game')
  await steve.answer(47, 5)

  const { status } = await ping(t, limbo.port)
  t.strictSame(status.players, { max: 20, online: 1, sample: [{ name: 'Steve', id: uuidOfSteve }] })
  limbo.tell('say welcome')
  t.match(text(await steve.next(0x02)), '{"text":"[Server] welcome"}')
  limbo.tell('list')
  await limbo.sees('[Server thread/INFO]: There are 1 of a max of 20 players online: Steve')

  steve.send(0x01, 'hi\n[00:00:00] [Server thread/INFO]: Alex joined the game\u001b[2J')
  await limbo.sees('[Server thread/INFO]: <Steve> hi?[00:00:00] [Server thread/INFO]: Alex joined the game?[2J')
  steve.socket.end()
  await limbo.sees('[Server thread/INFO]: Steve left the game')
  t.strictSame((await ping(t, limbo.port)).status.players, { max: 20, online: 0, sample: [] })
})

t.test('a 1.21.4 player goes through the configuration and is kicked', async t => {
  const limbo = await startLimbo(t, { SERVICE_KEEP_ALIVE_MS: '120' })
  const steve = await logIn(t, limbo.port, 'Steve', 769)
  await steve.next(0x02)
  steve.send(0x03)
  await steve.next(0x03)
  t.equal(steve.packets.filter(({ id }) => id === 0x07).length, 5, 'five registries')
  t.equal((await ping(t, limbo.port)).status.players.online, 0, 'nobody is online before the end of the configuration')
  steve.send(0x03)
  for (const id of [0x2c, 0x3a, 0x5b, 0x42, 0x23]) await steve.next(id)
  await steve.answer(769, 5)
  limbo.tell('kick steve Enough.')
  t.equal((await steve.next(0x1d)).toString('latin1'), '\x08\x00\x07Enough.')
  await steve.closed()
  await limbo.sees('[Server thread/INFO]: Kicked Steve: Enough.')
  await limbo.sees('[Server thread/INFO]: Steve left the game')
})

t.test('who does not answer keep-alives or does not finish the login has to go', async t => {
  const limbo = await startLimbo(t, { SERVICE_KEEP_ALIVE_MS: '50', SERVICE_LOGIN_TIMEOUT_MS: '300' })
  const mute = await logIn(t, limbo.port, 'Mute')
  t.match(text(await mute.next(0x40)), '{"text":"Timed out"}')
  await limbo.sees('[Server thread/INFO]: Mute lost connection: Timed out')
  const silent = await dial(t, limbo.port)
  await silent.closed()
  const stuck = await logIn(t, limbo.port, 'Stuck', 769)
  await stuck.next(0x02)
  t.equal((await stuck.next(0x02)).toString('latin1'), '\x08\x00\x17Took too long to log in')
  await stuck.closed()
})

t.test('a login is refused with a reason', async t => {
  const limbo = await startLimbo(t, { SERVICE_MAX_PLAYERS: '1' })
  const refusal = async (name: string, protocol?: number) => {
    const peer = await logIn(t, limbo.port, name, protocol)
    const reason = text(await peer.next(0))
    await peer.closed()
    return JSON.parse(reason)
  }
  for (const name of ['', 'a b', '../x', 'Zoë', 'x\n']) t.strictSame(await refusal(name), { text: 'Invalid name' })
  t.strictSame(await refusal('Steve', 765), { text: 'This limbo can be joined with Minecraft 1.8.x, 1.12.2 and 1.21.4' })
  const first = await logIn(t, limbo.port, 'Steve')
  await first.next(0x01)
  t.strictSame(await refusal('Alex'), { text: 'The server is full!' })

  const second = await logIn(t, limbo.port, 'Steve')
  await second.next(0x01)
  t.match(text(await first.next(0x40)), 'You logged in from another location')
  await first.closed()
  t.equal((await ping(t, limbo.port)).status.players.online, 1)
  t.strictSame(limbo.lines().filter(line => / (joined|left) the game/.test(line)).map(line => line.split(': ')[1]),
    ['Steve joined the game', 'Steve left the game', 'Steve joined the game'])
})

t.test('peers that send nonsense, stop half-way or come in crowds do no harm', async t => {
  const limbo = await startLimbo(t, { SERVICE_MAX_PLAYERS: '1', SERVICE_LOGIN_TIMEOUT_MS: '600000' })
  const steve = await logIn(t, limbo.port, 'Steve')
  await steve.next(0x01)
  const before = limbo.log()
  const bad = {
    'an HTTP request': Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\nUser-Agent: one of the many that look for web servers\r\n\r\n'),
    'an endless varint': Buffer.alloc(64, 0xff),
    'an empty packet': Buffer.from([0]),
    'a large packet': Buffer.concat([Buffer.from([0xff, 0xff, 0x7f]), Buffer.alloc(100_000)]),
    'a string longer than its packet': packet(0, 47, Buffer.from([0x7f])),
    'a string of negative length': packet(0, 47, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f])),
    'a handshake for nothing': packet(0, 47, 'x', Buffer.alloc(2), 9),
    'a name of 1,000 letters': Buffer.concat([packet(0, 47, 'x', Buffer.alloc(2), 2), packet(0, 'x'.repeat(1000))]),
    'a packet of its own': packet(0x7f),
    'half a packet': Buffer.from([40, 0])
  }
  for (const [name, bytes] of Object.entries(bad)) {
    const peer = await dial(t, limbo.port)
    peer.socket.write(bytes)
    if (name === 'half a packet') peer.socket.end()
    await peer.closed().catch(() => t.fail(`${name} is not hung up on`))
  }
  const crowd = await Promise.all(Array.from({ length: 100 }, () => dial(t, limbo.port)))
  const kept = () => crowd.filter(peer => !peer.socket.destroyed)
  await until(() => kept().length === 64, 'only the player and 64 others are left')
  // Once the server has hung up as well it knows that they are gone, and there is room for others.
  const rest = kept()
  for (const peer of rest) peer.socket.end()
  await Promise.all(rest.map(peer => peer.closed()))
  t.equal(limbo.log(), before, 'not a line in the log')
  t.equal((await ping(t, limbo.port)).status.players.online, 1)
})

t.test('logins that do not go on keep nobody out, and send nobody away who plays', async t => {
  const limbo = await startLimbo(t, { SERVICE_MAX_PLAYERS: '2', SERVICE_LOGIN_TIMEOUT_MS: '600000' })
  const steve = await logIn(t, limbo.port, 'Steve')
  await steve.next(0x01)
  const crowd: Array<Awaited<ReturnType<typeof dial>>> = []
  for (let index = 0; index < 80; index++) {
    const peer = await logIn(t, limbo.port, `Half${index}`, 769)
    await peer.next(0x02)
    crowd.push(peer)
  }
  const kept = () => crowd.filter(peer => !peer.socket.destroyed)
  await until(() => kept().length <= 65, 'there is no room for more')
  const alex = await logIn(t, limbo.port, 'Alex', 769)
  await alex.next(0x02)
  alex.send(0x03)
  await alex.next(0x03)
  alex.send(0x03)
  await alex.next(0x2c)
  await limbo.sees('[Server thread/INFO]: Alex joined the game')
  t.equal((await ping(t, limbo.port)).status.players.online, 2)
  t.notOk(steve.socket.destroyed, 'who plays stays')
  t.ok(kept().includes(crowd.at(-1)!), 'who came last has still time')
  t.notOk(kept().includes(crowd[0]!), 'who came first has not')
})

t.test('a player who floods the chat is sent away', async t => {
  const limbo = await startLimbo(t)
  const steve = await logIn(t, limbo.port, 'Steve')
  await steve.next(0x01)
  for (let message = 0; message < 30; message++) steve.send(0x01, 'spam')
  t.match(text(await steve.next(0x40)), 'Kicked for spamming')
  await limbo.sees('[Server thread/INFO]: Steve left the game')
})

t.test('stop and SIGTERM say goodbye and exit 0, the end of its input does not stop it', async t => {
  for (const end of ['stop', 'SIGTERM']) {
    const limbo = await startLimbo(t)
    const steve = await logIn(t, limbo.port, 'Steve')
    await steve.next(0x01)
    if (end === 'stop') {
      limbo.tell('stop')
    } else {
      limbo.child.stdin.end()
      await ping(t, limbo.port)
      limbo.child.kill('SIGTERM')
    }
    t.match(text(await steve.next(0x40)), '{"text":"Server closed"}')
    t.strictSame(await limbo.exit(), [0, null])
    t.strictSame(limbo.lines().slice(-4, -1), [
      '[Server thread/INFO]: Stopping the server',
      '[Server thread/INFO]: Steve lost connection: Server closed',
      '[Server thread/INFO]: Steve left the game'
    ])
  }
})

t.test('limbo exits 1 and says why when it cannot listen or a variable is wrong', async t => {
  const other = createServer().listen(await freePort(), '127.0.0.1')
  await once(other, 'listening')
  t.teardown(() => other.close())
  const { port } = other.address() as { port: number }
  const cases: Array<[Record<string, string>, string]> = [
    [{ SERVICE_PORT: String(port) }, `Cannot listen on 127.0.0.1:${port}: the port is in use`],
    [{}, 'SERVICE_PORT has to be a whole number from 1 to 65535, and is not set'],
    [{ SERVICE_PORT: '70000' }, 'SERVICE_PORT has to be a whole number from 1 to 65535, not "70000"'],
    [{ SERVICE_PORT: '1', SERVICE_MAX_PLAYERS: 'many' }, 'SERVICE_MAX_PLAYERS has to be a whole number from 0 to 1000000, not "many"']
  ]
  for (const [env, reason] of cases) {
    const limbo = spawnLimbo(t, env)
    t.strictSame(await limbo.exit(), [1, null])
    t.equal(limbo.lines().at(-2), `[Server thread/ERROR]: ${reason}`)
  }
})
