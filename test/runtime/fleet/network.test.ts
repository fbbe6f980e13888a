/** Proxies know their servers: what is told, when, and that a server is parked before it ends; on a virtual clock. */
import t from 'tap'
import { parse as parseToml } from 'smol-toml'
import { parse as parseYaml } from 'yaml'
import { readDefinition } from '../../../lib/runtime/fleet/content/platform-definition.js'
import { writers } from '../../../lib/runtime/fleet/network/writers/index.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { call, group, openWorld, platform } from './network-world.js'

const lobbies = (count: number, properties = {}) => group('lobby', 'game', { minOnlineService: count, properties: { fallback: true, ...properties } })
const proxies = group('proxy', 'proxy')

// On a virtual clock nothing may take a turn of the event loop.
await Promise.all([writers.velocity, writers.bungeecord].map(async writer => { await writer.load?.() }))

t.test('a proxy finds the servers that are ONLINE when it starts, and is told of each that comes within 500 ms', async t => {
  const world = openWorld({ groups: [lobbies(1), proxies], script: ({ name }) => ({ startMs: name === 'lobby-1' ? 100 : 1000 }) })
  t.strictSame(world.names('proxy-1'), [], 'laid before the program begins, and there is nobody yet')
  world.advance(460)
  t.equal(world.state('proxy-1'), 'STARTING')
  t.strictSame(world.names('proxy-1'), ['lobby-1'])
  t.strictSame(world.commands('proxy-1'), [], 'nothing is typed before it is ready')
  world.advance(600)
  t.strictSame(world.commands('proxy-1'), ['reload'], 'told again when it is ready')
  world.act(() => world.fleet.services.control.start('lobby', call))
  world.advance(999)
  t.strictSame(world.names('proxy-1'), ['lobby-1'], 'one that is STARTING is not told of')
  world.advance(1 + 500)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2'])
  t.strictSame(world.commands('proxy-1'), ['reload', 'reload'])
  const [one, two] = ['lobby-1', 'lobby-2'].map(name => world.service(name)?.port)
  t.strictSame(JSON.parse(world.file('proxy-1')), {
    version: 1,
    servers: [
      { name: 'lobby-1', group: 'lobby', host: '127.0.0.1', port: one, fallback: true, players: 0, slots: 20 },
      { name: 'lobby-2', group: 'lobby', host: '127.0.0.1', port: two, fallback: true, players: 0, slots: 20 }
    ],
    forcedHosts: {},
    proxyProtocol: false
  })
})

t.test('a thousand that come in one moment are told together', async t => {
  const world = openWorld({ groups: [{ ...lobbies(1000), maxOnlineService: 1000 }, proxies] })
  world.advance(1500)
  t.equal(world.names('proxy-1').length, 1000)
  t.ok(world.commands('proxy-1').length <= 2, `${world.commands('proxy-1').length} times`)
})

t.test('many changes are gathered: a proxy is told at most every 300 ms, and the last state always', async t => {
  const world = openWorld({ groups: [{ ...lobbies(30), maxOnlineService: 30 }, proxies], script: ({ name }) => ({ startMs: Number(/\d+$/.exec(name)?.[0]) * 100 }) })
  world.advance(1100)
  const before = world.commands('proxy-1').length
  world.advance(2400)
  t.equal(world.names('proxy-1').length, 30)
  t.ok(world.commands('proxy-1').length - before <= 9, `${world.commands('proxy-1').length - before} times`)
})

t.test('while others come all the time a proxy is told of each within 400 ms, and what its timers are late', async t => {
  const [step, late] = [5, 2]
  const world = openWorld({ late, groups: [{ ...lobbies(60), maxOnlineService: 60 }, proxies], script: ({ name }) => ({ startMs: Number(/\d+$/.exec(name)?.[0]) * 77 }) })
  world.advance(1000)
  const [online, told] = [new Map<string, number>(), new Map<string, number>()]
  for (let at = 0; at < 5000; at += step) {
    for (const { name, state } of world.fleet.services.list(call) as readonly RuntimeService[]) if (state === 'ONLINE' && !online.has(name)) online.set(name, at)
    for (const name of world.names('proxy-1')) if (!told.has(name)) told.set(name, at)
    world.advance(step)
  }
  t.equal(told.size, 60)
  const longest = Math.max(...[...told].map(([name, at]) => at - (online.get(name) ?? Infinity)))
  t.ok(longest <= 400 + late + step, `${longest} ms`)
})

t.test('a server is parked, and every proxy told so, before it is ended', async t => {
  const heard: string[] = []
  const world = openWorld({
    groups: [lobbies(2), { ...proxies, minOnlineService: 2 }],
    wrap: engine => ({
      ...engine,
      start: async (plan, options) => {
        const life = await engine.start(plan, options)
        return Object.assign(life, {
          stop: (stop => (request: Parameters<typeof stop>[0]) => {
            heard.push(`${plan.name} is asked to end; ${world.names('proxy-1').join()}; ${world.names('proxy-2').join()}`)
            return stop(request)
          })(life.stop)
        })
      }
    })
  })
  for (let turns = 0; turns < 50; turns++) {
    world.advance(100)
    await new Promise(resolve => setImmediate(resolve))
  }
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2'])
  world.act(() => world.fleet.services.control.stop('lobby-1', call))
  for (let turns = 0; turns < 50; turns++) {
    world.advance(100)
    await new Promise(resolve => setImmediate(resolve))
  }
  t.equal(heard[0], 'lobby-1 is asked to end; lobby-1 parked,lobby-2; lobby-1 parked,lobby-2')
  t.notOk(world.names('proxy-1').includes('lobby-1'), 'gone when it has ended')
})

t.test('a proxy that cannot be told holds up nobody for longer than two seconds; it is said, and tried again', async t => {
  let full = false
  const world = openWorld({
    groups: [lobbies(2), proxies],
    wrap: engine => ({
      ...engine,
      start: (plan, options) => {
        const life = engine.start(plan, options) as { files: { write: (path: string, text: string) => void } }
        const { write } = life.files
        life.files.write = (path, text) => {
          if (full) throw new Error('no space left on device')
          write(path, text)
        }
        return life as never
      }
    })
  })
  world.advance(3000)
  full = true
  world.act(() => world.fleet.services.control.stop('lobby-1', call))
  world.advance(2600)
  t.equal(world.state('lobby-1'), 'OFFLINE')
  t.match(world.reason('proxy'), /proxy-1 cannot be told of its servers: no space left on device$/)
  t.equal(world.log.filter(({ message }) => message.includes('cannot be told')).length, 1, 'said once')
  full = false
  world.advance(2000)
  t.match(world.names('proxy-1'), ['lobby-2', 'lobby-3'])
  t.match(world.reason('proxy'), /; proxy-1 was told lobby-2, lobby-3 at 2025-/)
})

t.test('a signal that comes while another may still be followed is sent once more, for the proxy may have lost it', t => {
  const signals: number[] = []
  const world = openWorld({
    groups: [lobbies(1), proxies],
    network: { writer: 'haproxy', reload: { signal: 'SIGUSR2' } },
    wrap: engine => ({
      ...engine,
      start: (plan, options) => Object.assign(engine.start(plan, options) as object, { signal: () => { signals.push(world.agenda.elapsed()) } }) as never
    })
  })
  const since = (at: number): number[] => signals.filter(one => one >= at).map(one => one - at)
  world.advance(30_000)
  const alone = world.agenda.elapsed()
  world.act(() => world.fleet.services.control.start('lobby', call))
  world.advance(30_000)
  t.equal(since(alone).length, 1, 'one signal is enough where nothing else comes')
  const twice = world.agenda.elapsed()
  world.act(() => world.fleet.services.control.start('lobby', call))
  world.advance(700)
  world.act(() => world.fleet.services.control.start('lobby', call))
  world.advance(30_000)
  const [first, second, last, ...more] = since(twice)
  t.ok(second! - first! < 1_500, `${since(twice).join()} ms`)
  t.ok(last! >= second! + 5_000 && last! < second! + 6_000, 'by then it has followed what came before')
  t.strictSame(more, [])
  t.end()
})

t.test('a haproxy is said to have been told of those that it is told of: the fallback servers, or the groups of its platform', t => {
  for (const groups of [undefined, ['arena', 'lobby']]) {
    const world = openWorld({
      groups: [lobbies(1), group('arena', 'game'), proxies],
      network: { writer: 'haproxy', reload: { signal: 'SIGUSR2' }, ...groups === undefined ? {} : { groups } },
      wrap: engine => ({ ...engine, start: (plan, options) => Object.assign(engine.start(plan, options) as object, { signal: () => {} }) as never })
    })
    world.advance(5000)
    t.match(world.reason('proxy'), groups === undefined ? /; proxy-1 was told lobby-1 at 2025-/ : /; proxy-1 was told arena-1, lobby-1 at 2025-/)
  }
  t.end()
})

t.test('one that is killed is not waited for', async t => {
  const world = openWorld({ groups: [lobbies(2), proxies] })
  world.advance(3000)
  world.act(() => world.fleet.services.force.kill('lobby-1', call))
  t.ok(world.log.some(({ message }) => message.startsWith('lobby-1 has ended (killed)')))
  world.advance(500)
  t.notOk(world.names('proxy-1').includes('lobby-1'))
})

t.test('one that dies is not listed any more, and comes back with its next life', async t => {
  const world = openWorld({ groups: [lobbies(2), proxies] })
  world.advance(3000)
  world.act(() => { world.engine.crash('lobby-1') })
  world.advance(400)
  t.strictSame(world.names('proxy-1'), ['lobby-2'])
  world.advance(3000)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2'])
})

t.test('a rolling restart parks each server when its players are to leave, once there is another for them', async t => {
  const world = openWorld({ groups: [lobbies(1, { drainSeconds: 60 }), proxies] })
  world.advance(3000)
  world.act(() => { world.engine.join('lobby-1', 'Steve') })
  world.act(() => world.fleet.groups.restarts.restart('lobby', call))
  world.advance(900)
  t.strictSame(world.names('proxy-1'), ['lobby-1'], 'its successor is not there yet')
  world.advance(700)
  t.strictSame(world.names('proxy-1'), ['lobby-1 parked', 'lobby-2'])
  t.equal(world.state('lobby-1'), 'ONLINE', 'who is on it may stay')
  world.advance(60_000)
  t.strictSame(world.names('proxy-1'), ['lobby-2'])
})

t.test('the only server takes players until it is ended, also while they are to leave', async t => {
  const world = openWorld({ groups: [{ ...lobbies(1, { drainSeconds: 60 }), maxOnlineService: 1 }, proxies] })
  world.advance(3000)
  world.act(() => { world.engine.join('lobby-1', 'Steve') })
  world.act(() => world.fleet.groups.restarts.restart('lobby', call))
  world.advance(59_000)
  t.strictSame(world.names('proxy-1'), ['lobby-1'])
})

t.test('a server whose players are to leave takes more while all others are full', async t => {
  const world = openWorld({ groups: [{ ...lobbies(2, { drainSeconds: 60 }), maxOnlineService: 2 }, proxies], script: () => ({ slots: 1 }) })
  world.advance(3000)
  for (const [at, name] of ['lobby-1', 'lobby-2'].entries()) world.act(() => { world.engine.join(name, `On${at}`) })
  world.act(() => world.fleet.groups.restarts.restart('lobby', call))
  world.advance(3000)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2'])
  world.act(() => { world.engine.leave('On1') })
  world.advance(3000)
  t.strictSame(world.names('proxy-1'), ['lobby-1 parked', 'lobby-2'])
})

t.test('above a lowered maximum the last servers are parked while others of the group have room, and take players again when they may stay', async t => {
  const world = openWorld({ groups: [lobbies(3), proxies], script: () => ({ slots: 2 }) })
  const edit = (maxOnlineService: number): void => {
    world.act(() => world.fleet.groups.control.edit('lobby', { minOnlineService: 1, maxOnlineService }, call))
    world.advance(3000)
  }
  world.advance(3000)
  for (const at of [1, 2, 3]) world.act(() => { world.engine.join(`lobby-${at}`, `On${at}`) })
  edit(2)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2', 'lobby-3 parked'])
  t.equal(world.state('lobby-3'), 'ONLINE', 'who is on it may stay')
  edit(3)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2', 'lobby-3'])
  edit(1)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2 parked', 'lobby-3 parked'])
  world.act(() => { world.engine.join('lobby-1', 'Full') })
  world.advance(3000)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2', 'lobby-3'], 'nobody is turned away while they have room')
  world.act(() => { world.engine.leave('On1') })
  world.advance(3000)
  world.act(() => { world.engine.leave('On3') })
  world.advance(3000)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2 parked'])
  world.act(() => { world.engine.leave('Full') })
  world.advance(3000)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2 parked'], 'the last one is waited for')
  world.advance(12_000)
  t.strictSame(world.names('proxy-1'), ['lobby-2'], 'it has players still; what is left takes more')
})

t.test('above a lowered maximum the server that is open stays when all of them become empty, whichever was empty first', async t => {
  for (const properties of [{}, { static: true }, { port: 40_000 }]) {
    const world = openWorld({ groups: [lobbies(3, properties), proxies] })
    world.advance(3000)
    for (const at of [1, 2, 3]) world.act(() => { world.engine.join(`lobby-${at}`, `On${at}`) })
    world.act(() => world.fleet.groups.control.edit('lobby', { minOnlineService: 1, maxOnlineService: 1 }, call))
    world.advance(3000)
    t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2 parked', 'lobby-3 parked'])
    for (const at of [1, 2, 3]) {
      world.act(() => { world.engine.leave(`On${at}`) })
      world.advance(2000)
    }
    world.advance(20_000)
    t.strictSame(world.names('proxy-1'), ['lobby-1'])
  }
})

t.test('of services that people know by their ports, or that have worlds of their own, the first one stays, whoever is on the others', async t => {
  for (const properties of [{ static: true }, { port: 40_000 }]) {
    for (const [min, max] of [[1, 1], [1, 2]] as const) {
      const world = openWorld({ groups: [lobbies(2, { ...properties, idleSeconds: 30 }), proxies] })
      world.advance(3000)
      world.act(() => { world.engine.join('lobby-2', 'Steve') })
      world.act(() => world.fleet.groups.control.edit('lobby', { minOnlineService: min, maxOnlineService: max }, call))
      world.advance(120_000)
      t.strictSame(world.names('proxy-1').map(name => name.replace(' parked', '')), ['lobby-1', 'lobby-2'])
      world.act(() => { world.engine.leave('Steve') })
      world.advance(60_000)
      t.strictSame(world.names('proxy-1'), ['lobby-1'])
    }
  }
})

t.test('above a lowered maximum nobody is moved by a proxy that could: only who comes goes elsewhere', async t => {
  const world = openWorld({ groups: [lobbies(2), proxies], network: { writer: 'velocity' } })
  world.advance(3000)
  for (const at of [1, 2]) world.act(() => { world.engine.join(`lobby-${at}`, `On${at}`) })
  const before = parseToml(world.file('proxy-1', 'velocity.toml')) as { servers: Record<string, unknown> }
  world.act(() => world.fleet.groups.control.edit('lobby', { minOnlineService: 1, maxOnlineService: 1 }, call))
  world.advance(3000)
  const { servers } = parseToml(world.file('proxy-1', 'velocity.toml')) as { servers: Record<string, unknown> }
  t.strictSame({ ...servers }, { ...before.servers, try: ['lobby-1', 'lobby-2'] }, 'the last one when no other takes them')
})

t.test('a drain that is called off takes players again', async t => {
  const world = openWorld({ groups: [lobbies(1, { drainSeconds: 60 }), proxies] })
  world.advance(3000)
  world.act(() => { world.engine.join('lobby-1', 'Steve') })
  world.act(() => world.fleet.groups.restarts.restart('lobby', call))
  world.advance(2000)
  t.strictSame(world.names('proxy-1'), ['lobby-1 parked', 'lobby-2'])
  world.act(() => world.fleet.groups.control.edit('lobby', { percentageToStartNewService: 50 }, call))
  world.advance(500)
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2'])
})

t.test('a proxy is told of the groups that its platform names; forced hosts and fallback follow the group at once', async t => {
  const world = openWorld({
    groups: [
      lobbies(1),
      group('arena', 'game', { properties: { forcedHosts: 'Arena.example.com, a.example.com.' } }),
      group('build', 'game'),
      proxies
    ],
    network: { writer: 'gate', groups: ['arena', 'lobby'] }
  })
  world.advance(3000)
  t.strictSame(world.names('proxy-1'), ['arena-1', 'lobby-1'])
  t.strictSame(JSON.parse(world.file('proxy-1')).forcedHosts, { 'arena.example.com': ['arena-1'], 'a.example.com': ['arena-1'] })
  world.act(() => world.fleet.groups.control.edit('arena', { properties: { fallback: true } }, call))
  world.advance(500)
  t.strictSame(JSON.parse(world.file('proxy-1')).forcedHosts, {})
  t.match(JSON.parse(world.file('proxy-1')).servers[0], { name: 'arena-1', fallback: true })
})

t.test('how many players there are is told once a second, where the writer tells it', async t => {
  const world = openWorld({ groups: [lobbies(1), proxies] })
  world.advance(3000)
  const before = world.commands('proxy-1').length
  for (let count = 0; count < 40; count++) {
    world.act(() => { world.engine.join('lobby-1', `Player${count % 15}`) })
    world.advance(100)
  }
  world.advance(1000)
  t.equal(world.list('proxy-1')[0]?.players, 15)
  t.ok(world.commands('proxy-1').length - before <= 5, `${world.commands('proxy-1').length - before} times`)
})

t.test('a proxy is told again after every start, and what an earlier life knew counts no more', async t => {
  const world = openWorld({ groups: [lobbies(2), proxies], network: { writer: 'velocity' } })
  world.advance(3000)
  world.act(() => world.fleet.services.control.stop('lobby-1', call))
  world.advance(3000)
  t.match(parseToml(world.file('proxy-1', 'velocity.toml'))['servers'], { 'lobby-1': /^127\.255\./ })
  const before = world.commands('proxy-1').length
  world.act(() => world.fleet.services.control.restart('proxy-1', call))
  world.advance(3000)
  t.strictSame(Object.keys(parseToml(world.file('proxy-1', 'velocity.toml'))['servers'] as object), ['lobby-2', 'lobby-3', 'try'])
  t.equal(world.commands('proxy-1').length, before + 1)
})

t.test('a proxy that moves players is given time to do it before their server is ended', async t => {
  const world = openWorld({ groups: [lobbies(2), proxies], network: { writer: 'velocity' } })
  world.advance(3000)
  world.act(() => { world.engine.join('lobby-1', 'Steve') })
  world.act(() => world.fleet.services.control.stop('lobby-1', call))
  world.advance(1500)
  t.equal(world.state('lobby-1'), 'STOPPING')
  t.ok(world.engine.running().includes('lobby-1'))
  world.act(() => { world.engine.join('lobby-2', 'Steve') })
  world.advance(500)
  t.equal(world.state('lobby-1'), 'OFFLINE', 'ended when the last one is elsewhere')
  world.act(() => { world.engine.join('lobby-2', 'Alex') })
  world.act(() => world.fleet.services.control.stop('lobby-2', call))
  world.advance(5000)
  t.equal(world.state('lobby-2'), 'OFFLINE', 'or after three seconds')
})

t.test('a proxy that puts other names into its file each time makes it grow no further than servers ever could', t => {
  let files: { read (path: string): string | undefined, write (path: string, text: string): void } | undefined
  const world = openWorld({
    groups: [lobbies(1), proxies],
    network: { writer: 'velocity' },
    wrap: engine => ({
      ...engine,
      start: (plan, options) => {
        const life = engine.start(plan, options) as { files: typeof files }
        if (plan.name === 'proxy-1') files = life.files
        return life as never
      }
    })
  })
  world.advance(3000)
  const longest = 64 * 1024 + 512 * (2 * 3 + 1_000)
  let most = 0
  for (let round = 0; round < 40; round++) {
    files!.write('velocity.toml', `[servers]\n${'n'.repeat(60_000)}${round} = "127.0.0.1:9"\n`)
    // Whatever is told has it look.
    world.act(() => { world.engine.join('lobby-1', `Player${round}`) })
    world.act(() => world.fleet.services.control.start('lobby', call))
    world.advance(1500)
    most = Math.max(most, files!.read('velocity.toml')!.length)
    for (const name of ['lobby-2', 'lobby-3']) world.act(() => world.fleet.services.control.stop(name, call))
    world.advance(1500)
    most = Math.max(most, files!.read('velocity.toml')!.length)
  }
  t.ok(most > 2 * 60_000, `names that were there stay: ${most}`)
  t.ok(most <= longest, `${most} characters`)
  t.match(world.reason('proxy'), /cannot be told of its servers: velocity\.toml cannot be used: it has \d+ characters, and may have \d+$/)
  t.end()
})

t.test('an engine that cannot write files starts proxies all the same, and it is said', async t => {
  const world = openWorld({
    groups: [lobbies(1), proxies],
    wrap: engine => ({
      ...engine,
      start: plan => {
        const life = engine.start(plan, {} as never) as { files?: unknown }
        delete life.files
        return life as never
      }
    })
  })
  world.advance(5000)
  t.equal(world.state('proxy-1'), 'ONLINE')
  t.match(world.reason('proxy'), /proxy-1 cannot be told of its servers: nobody else than itself can write into its directory/)
  t.equal(world.log.filter(({ message }) => message.includes('cannot be told')).length, 1)
})

t.test('a file of the operator that cannot be used is said at the start, and not written over', async t => {
  const world = openWorld({
    groups: [proxies],
    platforms: [platform('proxy', 'PROXY', { network: { writer: 'velocity' }, files: { 'velocity.toml': 'bind = "' } })]
  })
  world.advance(100)
  t.equal(world.state('proxy-1'), 'OFFLINE')
  t.match(world.log.find(({ level }) => level === 'error')?.message, /^cannot be started: velocity\.toml cannot be used|^proxy-1 cannot be started: velocity\.toml cannot be used/)
  t.equal(world.file('proxy-1', 'velocity.toml'), 'bind = "')
})

t.test('a file that is larger than any operator\'s is not read: to read it would keep everybody waiting', async t => {
  const world = openWorld({
    groups: [proxies],
    platforms: [platform('proxy', 'PROXY', { network: { writer: 'bungeecord' }, files: { 'config.yml': `# ${'x'.repeat(64 * 1024)}` } })]
  })
  world.advance(100)
  t.equal(world.state('proxy-1'), 'OFFLINE')
  t.match(world.log.find(({ level }) => level === 'error')?.message, /cannot be started: config\.yml cannot be used: it has 65538 characters, and may have 65536;/)
})

t.test('R23: a stats socket that says of any number of servers, or talks on and on, is not listened to', async t => {
  const columns = '1\n# srv_name srv_addr srv_port srv_admin_state srv_uweight\n'
  const talk = (answer: (line: string) => string) => {
    const asked: string[] = []
    const world = openWorld({
      groups: [lobbies(1), proxies],
      network: { writer: 'haproxy' },
      wrap: engine => ({
        ...engine,
        start: (plan, options) => Object.assign(engine.start(plan, options) as object, { ask: (_path: string, line: string) => { asked.push(line); return answer(line.trim()) } }) as never
      })
    })
    world.advance(5000)
    return { asked, problem: world.log.find(({ message }) => message.includes('cannot be told'))?.message }
  }
  const rows = (count: number): string => columns + Array.from({ length: count }, (_, n) => `s${n} 127.0.0.1 1 1 1\n`).join('')
  const many = talk(line => line.startsWith('show') ? rows(20_000) : '')
  t.match(many.problem, /cannot be told of its servers: haproxy says that it has more than 100\d servers/)
  t.ok(many.asked.every(line => line.startsWith('show')), 'nothing is said to it')
  const long = talk(line => line.startsWith('show') ? rows(900) : 'a'.repeat(400_000))
  t.match(long.problem, /cannot be told of its servers: its socket says more than \d+ characters/)
  t.ok(long.asked.length < 40, `asked ${long.asked.length} times`)
  t.match(talk(line => line.startsWith('show') ? columns : '').problem, /haproxy did not take lobby-1/)
})

t.test('an address that was another\'s is given to BungeeCord in two rounds', async t => {
  const world = openWorld({ groups: [lobbies(1), group('arena', 'game', { minOnlineService: 0 }), proxies], network: { writer: 'bungeecord' } })
  const servers = () => Object.fromEntries(Object.entries(parseYaml(world.file('proxy-1', 'config.yml')).servers as Record<string, { address: string }>).map(([name, { address }]) => [name, address]))
  world.advance(3000)
  const { port } = world.service('lobby-1') as { port: number }
  t.strictSame(servers(), { nowhere: '127.255.0.1:1', 'lobby-1': `127.0.0.1:${port}` })
  world.act(() => world.fleet.groups.control.delete('lobby', call))
  world.advance(1500)
  world.act(() => world.fleet.services.control.start('arena', call))
  world.advance(2000)
  t.equal(world.service('arena-1')?.port, port, 'it has the port of the one that is gone')
  t.strictSame(servers(), { nowhere: '127.255.0.1:1', 'lobby-1': '127.255.0.2:1', 'arena-1': `127.0.0.1:${port}` })
})

t.test('the forwarding secret reaches a service by its environment and its files, and nothing else', async t => {
  const plans: Array<{ env: object, values: Readonly<Record<string, string>> }> = []
  const world = openWorld({
    groups: [group('lobby', 'paper')],
    // eslint-disable-next-line no-template-curly-in-string -- a placeholder of platforms
    platforms: [platform('paper', 'SERVER', { env: { PAPER_VELOCITY_SECRET: '${secret:forwarding}' }, files: { 'forwarding.secret': '${secret:forwarding}' } })],
    wrap: engine => ({
      ...engine,
      start: (plan, options) => {
        plans.push(plan)
        return engine.start(plan, options)
      }
    })
  })
  world.advance(3000)
  t.equal(world.file('lobby-1', 'forwarding.secret'), 'the secret of this cloud')
  const [{ values, ...plan } = { values: {}, env: {} }] = plans
  t.equal(values['secret:forwarding'], 'the secret of this cloud')
  for (const [what, told] of Object.entries({ plan, log: world.log, services: world.fleet.services.list(call), platforms: world.fleet.platforms.list(call) })) {
    t.notMatch(JSON.stringify(told), 'the secret of this cloud', what)
  }
})

t.test('a definition of a network that is wrong is refused by field', async t => {
  const problemsOf = (changes: object) => {
    const read = readDefinition('p', JSON.stringify({ name: 'p', type: 'PROXY', versions: ['1'], command: 'p', ready: { tcp: true }, ...changes }))
    return Array.isArray(read) ? read.map(({ field, problem }) => `${field} ${problem}`) : (read as { network?: object }).network
  }
  t.strictSame(problemsOf({ network: { writer: 'velocity' } }), { writer: 'velocity', file: 'velocity.toml', proxyProtocol: false, reload: { stdin: 'velocity reload' } })
  t.strictSame(problemsOf({ network: { writer: 'json', file: 'a/b.json', reload: { signal: 'SIGHUP' }, groups: ['lobby'] } }),
    { writer: 'json', file: 'a/b.json', proxyProtocol: false, reload: { signal: 'SIGHUP' }, groups: ['lobby'] })
  t.strictSame(problemsOf({ network: { writer: 'waterfall' } }), ['network.writer must be velocity, bungeecord, gate, mc-router, haproxy or json'])
  t.strictSame(problemsOf({ network: { writer: 'gate', file: '../x', reload: { socket: 'x' }, groups: [], proxyProtocol: 1, more: 1 } }), [
    'network.more is unknown',
    'network.file must be a path inside the service\'s directory',
    'network.reload cannot be a socket with the writer gate',
    'network.groups must be a list of names of groups',
    'network.proxyProtocol must be true or false'
  ])
  t.strictSame(problemsOf({ network: { writer: 'velocity', proxyProtocol: true } }), ['network.proxyProtocol cannot be told with the writer velocity'])
  t.strictSame(problemsOf({ type: 'SERVER', network: { writer: 'gate' } }), ['network is for platforms of type PROXY'])
  t.strictSame(problemsOf({ network: [] }), ['network must be an object'])
  // eslint-disable-next-line no-template-curly-in-string -- placeholders of platforms
  t.strictSame(problemsOf({ args: ['${secret:forwarding}'], files: { a: '${secret:other}' } }), [
    'args has ${secret:forwarding}, which everybody on the machine would see there: it belongs into env or files', // eslint-disable-line no-template-curly-in-string -- as above
    'files has an unknown placeholder ${secret:other}' // eslint-disable-line no-template-curly-in-string -- as above
  ])
})
