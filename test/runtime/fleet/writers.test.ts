/** What each kind of proxy reads, and what of an operator's own file stays. */
import t from 'tap'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import type { Server } from '../../../lib/runtime/fleet/network/server.js'
import { writers } from '../../../lib/runtime/fleet/network/writers/index.js'
import { createBungeecord } from '../../fixtures/proxies/bungeecord.js'
import { createVelocity } from '../../fixtures/proxies/velocity.js'

const options = { proxyProtocol: false }

const server = (name: string, changes: Partial<Server> = {}): Server => ({
  name,
  group: name.replace(/-\d+$/, ''),
  index: Number(/\d+$/.exec(name)?.[0]),
  host: '127.0.0.1',
  port: 30_000 + Number(/\d+$/.exec(name)?.[0]),
  fallback: name.startsWith('lobby'),
  hosts: name.startsWith('arena') ? ['arena.example.com'] : [],
  players: 0,
  slots: 20,
  parked: false,
  ...changes
})

const operators = `# My network
config-version = "2.7"
bind = "0.0.0.0:25565"
motd = """
[servers]
is not a table here"""
player-info-forwarding-mode = "modern"
ports = [
  # [servers]
  ["1", "["],
]

[servers]
# what stood here goes
lobby = "127.0.0.1:30066"
try = [
  "lobby"
]

# Hosts, as I like them
[forced-hosts]
"lobby.example.com" = ["lobby"]

[advanced]
compression-threshold = 256 # mine
`

await Promise.all([writers.velocity, writers.bungeecord].map(async writer => { await writer.load?.() }))

t.test('velocity.toml: servers, try and forced hosts are the cloud\'s; not a character beside them is another one', async t => {
  const { text } = writers.velocity.render([server('arena-1'), server('lobby-1', { players: 20 }), server('lobby-2'), server('lobby-3', { parked: true })], options, { text: operators, isNew: true })
  t.equal(text, operators
    .replace('# what stood here goes\nlobby = "127.0.0.1:30066"\ntry = [\n  "lobby"\n]', [
      '# Written by the cloud; what is changed here does not last. 127.255.…: servers that take nobody.',
      'arena-1 = "127.0.0.1:30001"',
      'lobby-1 = "127.0.0.1:30001"',
      'lobby-2 = "127.0.0.1:30002"',
      'try = ["lobby-2", "lobby-1"]'
    ].join('\n'))
    .replace('"lobby.example.com" = ["lobby"]', '"arena.example.com" = ["arena-1"]'))
  const proxy = createVelocity(text)
  t.strictSame(proxy.ways('arena.example.com'), ['arena-1'])
  t.strictSame(proxy.ways(), ['lobby-2', 'lobby-1'], 'a full one is tried last')
})

t.test('a parked server that runs on comes after all that have room, for those whom nobody else takes', async t => {
  const all = [server('lobby-1', { players: 20 }), server('lobby-2', { players: 9 }), server('lobby-3', { parked: true, keeps: true }), server('lobby-4', { parked: true, keeps: true, players: 20 }), server('lobby-5', { parked: true })]
  const fresh = { isNew: true }
  t.match(writers.velocity.render(all, options, fresh).text, 'try = ["lobby-2", "lobby-3", "lobby-1"]')
  const only = [...all.slice(0, 1), ...all.slice(2)]
  t.equal(JSON.parse(writers['mc-router'].render(all, options, fresh).text)['default-server'], '127.0.0.1:30002')
  t.equal(JSON.parse(writers['mc-router'].render(only, options, fresh).text)['default-server'], '127.0.0.1:30003')
  const { servers } = JSON.parse(writers.gate.render(all, options, fresh).text) as { servers: Array<Record<string, unknown>> }
  t.strictSame(servers.map(({ name, parked, keeps }) => ({ name, parked, keeps })).slice(1), [
    { name: 'lobby-2', parked: undefined, keeps: undefined }, { name: 'lobby-3', parked: true, keeps: true }, { name: 'lobby-4', parked: true, keeps: true }, { name: 'lobby-5', parked: true, keeps: undefined }
  ])
  const arenas = [server('arena-1', { players: 20 }), server('arena-2', { parked: true, keeps: true })]
  t.match(JSON.parse(writers.gate.render(arenas, options, fresh).text), { forcedHosts: { 'arena.example.com': ['arena-2', 'arena-1'] } })
})

t.test('velocity.toml: written again with the same servers it is the same', async t => {
  const all = [server('arena-1'), server('lobby-1')]
  for (const before of [operators, '', operators.replaceAll('\n', '\r\n'), 'bind = "0.0.0.0:25565"', '[servers]\n[forced-hosts]\n', '[advanced]\n[servers]', '["servers"]\ntry = []\n[ forced-hosts ] # mine']) {
    const once = writers.velocity.render(all, options, { text: before, isNew: true }).text
    t.equal(writers.velocity.render(all, options, { text: once, isNew: false }).text, once, JSON.stringify(before.slice(0, 20)))
    createVelocity(once)
  }
})

t.test('velocity.toml: without servers both tables are there, and empty', async t => {
  const { text } = writers.velocity.render([], options, { text: undefined, isNew: true })
  t.match(parseToml(text), { servers: { try: [] }, 'forced-hosts': {} })
  t.strictSame(createVelocity(text).ways(), [])
})

t.test('velocity.toml: names stay, at addresses of their own where nobody listens, and are not tried', async t => {
  const all = [server('lobby-1'), server('lobby-2')]
  const first = writers.velocity.render(all, options, { text: operators, isNew: true }).text
  const proxy = createVelocity(first)
  const second = writers.velocity.render([server('lobby-1', { parked: true })], options, { text: first, isNew: false }).text
  proxy.reload(second)
  t.strictSame([...proxy.servers], [['lobby-1', '127.255.0.1:1'], ['lobby-2', '127.255.0.2:1']])
  t.strictSame(proxy.ways(), [])
  const third = writers.velocity.render([server('lobby-2')], options, { text: second, isNew: false }).text
  proxy.reload(third)
  t.strictSame([...proxy.servers], [['lobby-1', '127.255.0.1:1'], ['lobby-2', '127.0.0.1:30002']])
})

t.test('velocity.toml: servers and hosts may be said in dotted keys and inline, too; what stands around them stays', async t => {
  const all = [server('arena-1'), server('lobby-1')]
  const tables = [
    '[servers]',
    '# Written by the cloud; what is changed here does not last. 127.255.…: servers that take nobody.',
    'arena-1 = "127.0.0.1:30001"', 'lobby-1 = "127.0.0.1:30001"', 'try = ["lobby-1"]', '',
    '[forced-hosts]', '"arena.example.com" = ["arena-1"]', ''
  ]
  const rest = ['# Mine', 'motd = "m"', '# what is said of it stays', '', 'ports = [', '  ["servers = {}"]', ']', '[advanced]', 'servers = "mine"', 'forced-hosts.lobby = "mine"', '']
  const ways: readonly string[][] = [
    ['servers.lobby = "127.0.0.1:1"', '"servers" . \'try\' = [ # the first', '  "lobby",', '  # a = "["', ']', 'servers."a.b" = "127.0.0.1:2"', 'forced-hosts."a.example.com" = ["lobby"]'],
    ['servers = { lobby = "127.0.0.1:1", try = ["lobby"] } # all', 'forced-hosts = {"a.example.com" = [', '"lobby" ]}'],
    ['  servers={}', "'forced-hosts' = {}"],
    ['servers.lobby = \'\'\'', 'motd = 1', '[servers]', '\'\'\'']
  ]
  for (const way of ways) {
    for (const end of ['\n', '\r\n']) {
      const text = [...rest.slice(0, 2), ...way, ...rest.slice(2)].join(end)
      const before = way.join().includes('127.0.0.1:1"') ? writers.velocity.render(all, options, { text, isNew: false }).names : undefined
      if (before !== undefined) t.ok(before.has('lobby'), 'its names are known')
      const made = writers.velocity.render(all, options, { text, isNew: true }).text
      t.equal(made, [...rest, ...tables].join(end), way.join('; '))
      t.equal(writers.velocity.render(all, options, { text: made, isNew: false }).text, made, 'and once more')
      createVelocity(made)
    }
  }
})

t.test('velocity.toml: what looks like a table in a text is none, wherever that ends', async t => {
  for (const own of ["x = ['''x'''' , '[servers]']", 'x = """a\\"""\n[servers]\nb"""', "x = '''\n[servers]'''''", 'x = "a\\\\" # "', "x = ['\\', '[']"]) {
    const { text } = writers.velocity.render([server('lobby-1')], options, { text: `${own}\ny = 1\n`, isNew: true })
    t.ok(text.startsWith(`${own}\ny = 1\n\n[servers]\n`), own)
  }
})

t.test('velocity.toml: a file that cannot be used is not written over', async t => {
  for (const text of ['bind = ', '[servers]\n[servers]', 'servers = { lobby = "127.0.0.1:1"', 'servers.lobby = "127.0.0.1:1"\n[servers]', 'servers = {}\nservers.lobby = "a"']) {
    t.throws(() => writers.velocity.render([server('lobby-1')], options, { text, isNew: true }), /^velocity\.toml cannot be used: /, text)
  }
})

const config = `# Mine
ip_forward: true
listeners:
- host: 0.0.0.0:25577 # everybody
  motd: '&1Welcome'
  priorities:
  - lobby
  forced_hosts:
    pvp.md-5.net: pvp
  query_enabled: false
servers:
  lobby:
    address: localhost:25565
groups:
  md_5: [admin]
`

t.test('config.yml of BungeeCord: servers, priorities and forced_hosts are the cloud\'s, the rest stays', async t => {
  const { text } = writers.bungeecord.render([server('arena-1'), server('lobby-1'), server('lobby-2')], options, { text: config, isNew: true })
  t.strictSame(parseYaml(text), {
    ip_forward: true,
    listeners: [{ host: '0.0.0.0:25577', motd: '&1Welcome', priorities: ['lobby-1', 'lobby-2'], forced_hosts: { 'arena.example.com': 'arena-1' }, query_enabled: false }],
    servers: {
      nowhere: { address: '127.255.0.1:1', motd: 'nowhere', restricted: false },
      'arena-1': { address: '127.0.0.1:30001', motd: 'arena-1', restricted: false },
      'lobby-2': { address: '127.0.0.1:30002', motd: 'lobby-2', restricted: false },
      'lobby-1': { address: '127.0.0.1:30001', motd: 'lobby-1', restricted: false }
    },
    groups: { md_5: ['admin'] }
  })
  t.match(text, '# Mine\nip_forward: true\n')
  t.match(text, 'host: 0.0.0.0:25577 # everybody')
  t.strictSame(writers.bungeecord.render([server('lobby-2')], options, { text: undefined, isNew: true }).text.includes('listeners:'), true)
  for (const wrong of ['a: [', '- a', 'text', 'servers: {}\nservers: {}', 'servers: { a: {}, a: {} }', 'listeners: [{ host: x, host: y }]']) {
    t.throws(() => writers.bungeecord.render([], options, { text: wrong, isNew: true }), /^config\.yml cannot be used: /, wrong)
  }
  t.throws(() => writers.bungeecord.render([], options, { text: 'a: 1\nb: [', isNew: true }), /at line 2$/)
})

t.test('config.yml of BungeeCord: it takes as long as it is long, whatever is in it', t => {
  const took = (count: number): number => {
    const text = Array.from({ length: count }, (_, n) => `key-${n}: 1\n`).join('')
    const times = [1, 2, 3].map(() => {
      const began = performance.now()
      writers.bungeecord.render([], options, { text, isNew: true })
      return performance.now() - began
    })
    return Math.min(...times)
  }
  took(500)
  const [some, many] = [took(1_000), took(8_000)]
  t.ok(many < 24 * some, `8 times as many keys took ${Math.round(many / some)} times as long`)
  t.end()
})

t.test('R22: a config.yml with a name that is no text is refused before it has a text, which would double with each level', t => {
  const render = (text: string): string => writers.bungeecord.render([server('lobby-1')], options, { text, isNew: true }).text
  for (const text of [`${'? '.repeat(25)}a\n`, `servers:\n  ? ${'? '.repeat(25)}a\n`, 'servers:\n  ? [a]\n  : x\n', 'a: &a b\n*a : c\n', 'listeners:\n- ? {a: b}\n  : c\n', `x: [{${'? {'.repeat(12)}a: b${'}'.repeat(12)}}]\n`]) {
    const began = performance.now()
    t.throws(() => render(text), /^config\.yml cannot be used: /, text)
    t.ok(performance.now() - began < 500, text)
  }
  t.match(render('servers:\n  lobby-1:\n    address: {a: b}\n'), 'lobby-1')
  t.end()
})

t.test('R22: a config.yml that is nested deeper than any operator\'s is refused before it is read, and so are more listeners than are told', async t => {
  const nested: ReadonlyArray<(depth: number) => string> = [
    depth => `a: ${'['.repeat(depth)}${']'.repeat(depth)}\n`,
    depth => `a: ${'{ a: '.repeat(depth)}1${' }'.repeat(depth)}\n`,
    depth => `a:\n${'- '.repeat(depth)}1\n`,
    depth => `a:\n  ${'? '.repeat(depth)}1\n`,
    depth => Array.from({ length: depth }, (_, n) => `${' '.repeat(n)}a:\n`).join('')
  ]
  const render = (text: string): string => writers.bungeecord.render([server('lobby-1')], options, { text, isNew: true }).text
  for (const write of nested) {
    // A name that is a list of settings is refused at any depth.
    if (write(2).includes('? ')) t.throws(() => render(write(12)), /a name in it is no text/)
    else t.match(render(write(12)), 'lobby-1')
    for (const depth of [40, 500]) t.throws(() => render(write(depth)), /^config\.yml cannot be used: it is nested deeper than 32 levels$/, write(2))
  }
  t.match(render(`motd: "${'['.repeat(1_000)}" # ${'['.repeat(1_000)}\n`), 'lobby-1', 'in a text they are nothing')
  t.match(render(`listeners:\n${'- {}\n'.repeat(32)}`), 'lobby-1')
  t.throws(() => render(`listeners:\n${'- {}\n'.repeat(33)}`), /^config\.yml cannot be used: it has 33 listeners, and may have 32$/)
  t.throws(() => render('listeners: [a]'), /^config\.yml cannot be used: a listener is no list of settings$/)
})

t.test('config.yml of BungeeCord: what an operator says of a server stays with it, and none is ever gone', async t => {
  const first = writers.bungeecord.render([server('lobby-2')], options, { text: config, isNew: true }).text.replace('motd: lobby-2', 'motd: The lobby')
  const proxy = createBungeecord(first)
  const second = writers.bungeecord.render([], options, { text: first, isNew: false })
  proxy.reload(second.text)
  t.strictSame(Object.fromEntries(proxy.servers), { nowhere: '127.255.0.1:1', 'lobby-2': '127.255.0.2:1' })
  t.strictSame(proxy.ways(), ['nowhere'])
  t.match(second.text, 'motd: The lobby')
})

t.test('config.yml of BungeeCord: an address that was another\'s comes to a name in two rounds', async t => {
  const first = writers.bungeecord.render([server('lobby-1')], options, { text: config, isNew: true }).text
  const proxy = createBungeecord(first)
  const now = [server('arena-1', { port: 30_001 }), server('lobby-2')]
  const second = writers.bungeecord.render(now, options, { text: first, isNew: false })
  t.equal(second.unfinished, true)
  proxy.reload(second.text)
  const third = writers.bungeecord.render(now, options, { text: second.text, isNew: false })
  t.equal(third.unfinished, false)
  proxy.reload(third.text)
  t.match(Object.fromEntries(proxy.servers), { 'arena-1': '127.0.0.1:30001', 'lobby-1': /^127\.255\./, 'lobby-2': '127.0.0.1:30002' })
})

t.test('routes.json of mc-router: each host leads to the server with most room, everybody else to the emptiest fallback', async t => {
  const all = [server('arena-1', { players: 5 }), server('arena-2', { port: 1, players: 2 }), server('lobby-1', { players: 3 }), server('lobby-2', { players: 1 }), server('lobby-3', { parked: true })]
  t.strictSame(JSON.parse(writers['mc-router'].render(all, options, { isNew: true }).text), {
    'default-server': '127.0.0.1:30002', mappings: { 'arena.example.com': '127.0.0.1:1' }
  })
  t.strictSame(JSON.parse(writers['mc-router'].render([], options, { isNew: true }).text), { 'default-server': '', mappings: {} })
})

t.test('servers.cfg of haproxy: one backend with all that it is told of', async t => {
  const all = [server('arena-1', { host: '::1' }), server('lobby-1'), server('lobby-2', { parked: true })]
  const lines = (given: object) => writers.haproxy.render(all, { ...options, ...given }, { isNew: true }).text.split('\n').slice(1)
  t.strictSame(lines({}), ['backend cloud', '  mode tcp', '  balance leastconn', '  server arena-1 [::1]:30001', '  server lobby-1 127.0.0.1:30001', '  server lobby-2 127.0.0.1:30002 weight 0', ''])
  t.strictSame(lines({ proxyProtocol: true }).slice(3), [
    '  server arena-1 [::1]:30001 send-proxy-v2', '  server lobby-1 127.0.0.1:30001 send-proxy-v2', '  server lobby-2 127.0.0.1:30002 send-proxy-v2 weight 0', ''
  ])
})
