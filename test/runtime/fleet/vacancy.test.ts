/** People whose login is under way count: no service that is to go is ended while somebody is on the way to it; on a virtual clock. */
import t from 'tap'
import { readParked } from '../../../lib/runtime/fleet/network/vacancy.js'
import { writers } from '../../../lib/runtime/fleet/network/writers/index.js'
import { call, group, openWorld, platform, type WorldOptions } from './network-world.js'

const lobbies = (count: number, properties = {}, changes = {}) => group('lobby', 'game', { minOnlineService: count, properties: { fallback: true, drainSeconds: 60, ...properties }, ...changes })
const proxies = group('proxy', 'proxy', { maxOnlineService: 1 })
/** What a login takes where nobody can say who is on the way, and what telling takes. */
const [login, telling] = [5000, 1000]

// On a virtual clock nothing may take a turn of the event loop.
await Promise.all([writers.velocity, writers.bungeecord].map(async writer => { await writer.load?.() }))

function open (options: WorldOptions) {
  const world = openWorld(options)
  world.advance(3000)
  const ended = (name: string): boolean => world.log.some(({ message }) => message.startsWith(`${name} has ended`))
  return {
    ...world,
    /** Whether it was asked to end. */
    ended,
    /** Milliseconds until it was, at most so many. */
    endsWithin: (name: string, most: number): number => {
      const began = world.agenda.elapsed()
      while (!ended(name) && world.agenda.elapsed() < began + most) world.advance(100)
      return ended(name) ? world.agenda.elapsed() - began : Infinity
    },
    roll: () => world.act(() => world.fleet.groups.restarts.restart('lobby', call)),
    edit: (minOnlineService: number, maxOnlineService: number) => world.act(() => world.fleet.groups.control.edit('lobby', { minOnlineService, maxOnlineService }, call))
  }
}

/** There is one more than is needed, and somebody is on the other. */
function grow (world: ReturnType<typeof open>): void {
  world.act(() => { world.engine.join('lobby-1', 'Steve') })
  world.act(() => world.fleet.services.control.start('lobby', call))
  world.advance(3000)
}

t.test('a service that is restarted with its group is not ended while a connection of gate leads to it, and is when none does', t => {
  const world = open({ groups: [lobbies(1), proxies] })
  world.gates.lead('proxy-1', 'lobby-1', 1)
  world.roll()
  t.equal(world.endsWithin('lobby-1', 40_000), Infinity, 'nobody is on it, and somebody is on the way')
  t.match(world.reason('lobby'), /waits for the players of lobby-1 to leave, 60 s at most/)
  t.strictSame(world.names('proxy-1'), ['lobby-1 parked', 'lobby-2'])
  world.gates.lead('proxy-1', 'lobby-1', 0)
  t.ok(world.endsWithin('lobby-1', 20_000) <= 7000, 'it is looked at again after five seconds')
  t.end()
})

t.test('a service that nobody is on the way to is restarted with its group at once, as far as gate says so', t => {
  const world = open({ groups: [lobbies(1), proxies] })
  world.roll()
  t.ok(world.endsWithin('lobby-1', 20_000) <= 1000 + 500 + telling, 'when its successor is ONLINE')
  t.end()
})

t.test('who is on the way to a service at its deadline is not waited for any longer', t => {
  const world = open({ groups: [lobbies(1, { drainSeconds: 20 }), proxies] })
  world.gates.lead('proxy-1', 'lobby-1', 1)
  world.roll()
  const ms = world.endsWithin('lobby-1', 60_000)
  t.ok(ms >= 20_000 && ms <= 23_000, `${ms} ms`)
  t.end()
})

t.test('an idle service to which somebody is on the way is kept, and takes players again', t => {
  const world = open({ groups: [lobbies(1, { idleSeconds: 10 }), proxies] })
  grow(world)
  world.gates.lead('proxy-1', 'lobby-2', 1)
  t.equal(world.endsWithin('lobby-2', 60_000), Infinity)
  t.equal(world.state('lobby-2'), 'ONLINE')
  t.strictSame(world.names('proxy-1'), ['lobby-1', 'lobby-2'])
  world.gates.lead('proxy-1', 'lobby-2', 0)
  t.ok(world.endsWithin('lobby-2', 60_000) <= 20_000, 'it goes when it has been empty for so long again')
  t.end()
})

t.test('above a lowered maximum a service to which somebody is on the way stays until nobody is', t => {
  const world = open({ groups: [lobbies(2), proxies] })
  world.gates.lead('proxy-1', 'lobby-2', 1)
  world.edit(1, 1)
  t.equal(world.endsWithin('lobby-2', 60_000), Infinity)
  world.gates.lead('proxy-1', 'lobby-2', 0)
  t.ok(world.endsWithin('lobby-2', 20_000) <= 10_000)
  t.end()
})

t.test('how often a service is told to be parked and not to be does not follow from who is on the way', t => {
  const world = open({ groups: [lobbies(2, {}, { maxOnlineService: 2 }), proxies] })
  world.gates.lead('proxy-1', 'lobby-2', 1)
  const before = world.commands('proxy-1').length
  world.edit(1, 1)
  world.advance(60_000)
  t.ok(world.commands('proxy-1').length - before <= 30, `${world.commands('proxy-1').length - before} times in a minute`)
  t.end()
})

t.test('every gate is asked, and one that has died leads nobody anywhere', t => {
  const world = open({ groups: [lobbies(1), group('proxy', 'proxy', { minOnlineService: 2, maxOnlineService: 2 })] })
  world.gates.lead('proxy-2', 'lobby-1', 1)
  world.roll()
  t.equal(world.endsWithin('lobby-1', 20_000), Infinity)
  world.act(() => { world.engine.crash('proxy-2') })
  t.ok(world.endsWithin('lobby-1', 20_000) <= 10_000)
  t.end()
})

t.test('a gate that hangs holds up a restart for no longer than the players of a service may stay', t => {
  const world = open({ groups: [lobbies(1, { drainSeconds: 30 }), proxies] })
  world.gates.hang('proxy-1', true)
  world.roll()
  const ms = world.endsWithin('lobby-1', 60_000)
  t.ok(ms >= 30_000 && ms <= 33_000, `${ms} ms`)
  t.end()
})

t.test('a gate that hangs for a moment leads nobody to a service that has ended', t => {
  const world = open({ groups: [lobbies(1), proxies] })
  world.gates.lead('proxy-1', 'lobby-1', 1)
  world.gates.hang('proxy-1', true)
  world.roll()
  t.equal(world.endsWithin('lobby-1', 10_000), Infinity)
  world.gates.hang('proxy-1', false)
  t.equal(world.endsWithin('lobby-1', 20_000), Infinity, 'it says now that somebody is on the way')
  world.gates.lead('proxy-1', 'lobby-1', 0)
  t.ok(world.endsWithin('lobby-1', 20_000) <= 7000)
  t.end()
})

t.test('a gate that hangs for ever does not keep an idle service for ever', t => {
  const world = open({ groups: [lobbies(1, { idleSeconds: 5, drainSeconds: 30 }), proxies] })
  grow(world)
  world.gates.hang('proxy-1', true)
  const ms = world.endsWithin('lobby-2', 120_000)
  t.ok(ms >= 30_000 && ms <= 70_000, `${ms} ms`)
  t.end()
})

for (const [title, options] of [
  ['velocity', { network: { writer: 'velocity' } }],
  ['bungeecord', { network: { writer: 'bungeecord' } }],
  ['mc-router', { network: { writer: 'mc-router' } }],
  ['json', { network: { writer: 'json' } }],
  ['gate of an older cloud', { says: false }]
] as const) {
  t.test(`behind ${title}, which cannot say who is on the way, a service that is to go has to be empty for as long as a login takes`, t => {
    const world = open({ ...options, groups: [lobbies(1), proxies] })
    world.roll()
    while (world.state('lobby-2') !== 'ONLINE') world.advance(50)
    t.equal(world.endsWithin('lobby-1', login), Infinity)
    t.ok(world.endsWithin('lobby-1', 10_000) <= 500 + 2 * telling, 'and no longer')
    t.end()
  })

  t.test(`behind ${title} somebody who counts only after a while keeps a service that is to go`, t => {
    const world = open({ ...options, groups: [lobbies(1), proxies] })
    world.roll()
    while (world.state('lobby-2') !== 'ONLINE') world.advance(50)
    world.advance(telling + 2500)
    world.act(() => { world.engine.join('lobby-1', 'Slow') })
    t.equal(world.endsWithin('lobby-1', 40_000), Infinity)
    world.act(() => { world.engine.leave('Slow') })
    t.ok(world.endsWithin('lobby-1', 20_000) <= login + 500 + 2 * telling)
    t.end()
  })

  t.test(`behind ${title} an idle service has to be empty for as long as a login takes, and is kept for who comes meanwhile`, t => {
    const world = open({ ...options, groups: [lobbies(1, { idleSeconds: 10 }), proxies] })
    grow(world)
    while (!world.log.some(({ message }) => message.includes('lobby-2 has been empty for 10 s'))) world.advance(50)
    world.advance(telling + 2500)
    t.notOk(world.ended('lobby-2'))
    world.act(() => { world.engine.join('lobby-2', 'Slow') })
    t.equal(world.endsWithin('lobby-2', 40_000), Infinity)
    world.act(() => { world.engine.leave('Slow') })
    const ms = world.endsWithin('lobby-2', 60_000)
    t.ok(ms >= 10_000 + login && ms <= 10_000 + login + 3000, `${ms} ms`)
    t.end()
  })
}

t.test('without a proxy that may send players there, what is to go goes as soon as it is empty', t => {
  for (const groups of [[lobbies(1, { idleSeconds: 10 })], [lobbies(1, { idleSeconds: 10 }), group('arena', 'game'), proxies]]) {
    const world = open({ groups, network: { writer: 'velocity', groups: ['arena'] } })
    world.act(() => world.fleet.services.control.start('lobby', call))
    world.advance(2000)
    t.ok(world.endsWithin('lobby-2', 20_000) <= 11_000)
    world.roll()
    t.ok(world.endsWithin('lobby-1', 20_000) <= 2000)
  }
  t.end()
})

t.test('an end that somebody asked for waits for nobody who is on the way', t => {
  for (const ask of [
    (world: ReturnType<typeof open>) => world.fleet.services.control.stop('lobby-1', call),
    (world: ReturnType<typeof open>) => world.fleet.services.control.restart('lobby-1', call),
    (world: ReturnType<typeof open>) => world.fleet.services.force.kill('lobby-1', call),
    (world: ReturnType<typeof open>) => world.fleet.groups.control.delete('lobby', call)
  ]) {
    for (const options of [{}, { says: false }]) {
      const world = open({ ...options, groups: [lobbies(2), proxies] })
      world.gates.lead('proxy-1', 'lobby-1', 1)
      world.act(() => ask(world))
      t.ok(world.endsWithin('lobby-1', 10_000) <= 2000)
    }
  }
  t.end()
})

t.test('the only server is left by nobody who is on the way either: it is parked for as long as gate is asked, and takes players when it stays', t => {
  const world = open({ groups: [lobbies(1, {}, { maxOnlineService: 1 }), proxies] })
  world.gates.lead('proxy-1', 'lobby-1', 1)
  world.roll()
  t.equal(world.endsWithin('lobby-1', 40_000), Infinity)
  world.gates.lead('proxy-1', 'lobby-1', 0)
  const told: string[] = []
  while (!world.ended('lobby-1') && told.length < 1000) {
    world.advance(50)
    told.push(world.names('proxy-1').join())
  }
  t.equal(told.findLast(names => names !== ''), 'lobby-1 parked', 'nobody is sent there between the question and its end')
  t.ok(told.includes('lobby-1'), 'before that it took players')
  t.end()
})

t.test('the only server is not parked where nobody can say who is on the way: it takes players until its end', t => {
  for (const options of [{ network: { writer: 'velocity' } }, { says: false }]) {
    const world = open({ ...options, groups: [lobbies(1, {}, { maxOnlineService: 1 }), proxies] })
    world.roll()
    t.ok(world.endsWithin('lobby-1', 20_000) <= 500 + 3 * telling, 'nor is it waited for what a login takes')
  }
  t.end()
})

t.test('the only server takes players again when the restart of its group ends before its turn', t => {
  const world = open({ groups: [lobbies(1, {}, { maxOnlineService: 1 }), proxies] })
  world.gates.lead('proxy-1', 'lobby-1', 1)
  world.roll()
  world.advance(300)
  world.act(() => world.fleet.groups.control.edit('lobby', { percentageToStartNewService: 50 }, call))
  world.advance(1000)
  t.strictSame(world.names('proxy-1'), ['lobby-1'])
  t.equal(world.state('lobby-1'), 'ONLINE')
  t.end()
})

t.test('whatever moment a core dies in, a service that it has not asked to end is listed as one that takes players, or may again', t => {
  for (const [title, count, change] of [
    ['only', 1, undefined], ['at the maximum', 3, undefined], ['replaced', 1, undefined],
    ['idle', 2, { properties: { fallback: true, idleSeconds: 1, forcedHosts: 'lobby.example.com' } }], ['lowered', 2, { maxOnlineService: 1, minOnlineService: 1 }]
  ] as const) {
    const world = open({ groups: [lobbies(count, { idleSeconds: 600, forcedHosts: 'lobby.example.com' }, title === 'replaced' ? {} : { maxOnlineService: count }), proxies] })
    world.gates.lead('proxy-1', `lobby-${change === undefined ? 1 : count}`, 1)
    if (change === undefined) world.roll()
    else world.act(() => world.fleet.groups.control.edit('lobby', { minOnlineService: 1, ...change }, call))
    let [held, lost] = [0, 0]
    // By name and port: a life that runs and is listed as parked for good.
    const gone = new Set<string>()
    for (let ms = 0; ms < 40_000; ms += 50) {
      if (ms === 20_000) world.gates.lead('proxy-1', `lobby-${change === undefined ? 1 : count}`, 0)
      world.advance(50)
      for (const { name, port, parked, keeps, held: isHeld } of world.list('proxy-1')) {
        if (parked === true && isHeld === true) {
          held++
          const { forcedHosts } = JSON.parse(world.file('proxy-1'))
          if (forcedHosts['lobby.example.com']?.includes(name) !== true) lost++
        }
        if (parked === true && keeps !== true && isHeld !== true) gone.add(`${name} ${port}`)
        else if (gone.has(`${name} ${port}`) && world.state(name) === 'ONLINE' && !world.ended(name)) lost++
      }
    }
    t.equal(lost, 0, `${title}: what is parked without being held ends, and what is held can be asked for`)
    t.ok(held > 0, title)
  }
  t.end()
})

t.test('the list is another one from the moment on in which it is asked who is on the way to a server that is held already', t => {
  const world = open({ groups: [lobbies(1), proxies] })
  world.act(() => { world.engine.join('lobby-1', 'Steve') })
  world.roll()
  world.advance(20_000)
  const entry = () => world.list('proxy-1').find(({ name }) => name === 'lobby-1')
  t.match(entry(), { parked: true, held: true, asked: undefined }, 'its players are to leave')
  let seen: ReturnType<typeof entry>
  world.act(() => { world.engine.leave('Steve') })
  for (let ms = 0; ms < 20_000 && entry() !== undefined && entry()?.held === true; ms += 10) {
    seen = entry()
    world.advance(10)
  }
  t.match(seen, { parked: true, held: true, asked: true }, 'before it is asked to end')
  t.ok(world.endsWithin('lobby-1', 1000) <= 1000)
  t.end()
})

t.test('a core that ends, and lets its services run on, parks none of them for a restart that it gives up', t => {
  for (const count of [1, 3]) {
    const world = open({ groups: [lobbies(count, {}, { maxOnlineService: count }), proxies] })
    world.act(() => { world.engine.join('lobby-1', 'Steve') })
    world.gates.lead('proxy-1', 'lobby-1', 1)
    world.roll()
    if (count === 1) world.act(() => { world.engine.leave('Steve') })
    for (let ms = 0; ms < 60_000 && !world.names('proxy-1').includes('lobby-1 parked'); ms += 100) world.advance(100)
    t.ok(world.names('proxy-1').includes('lobby-1 parked'), `${count}: it is parked while its players are to leave, or gate is asked`)
    world.act(() => world.fleet.close({ services: 'keep' }))
    world.advance(1000)
    t.strictSame(world.list('proxy-1').filter(({ parked, due }) => parked === true || due === true), [], `${count}: all take players`)
    t.equal(world.list('proxy-1').length, count)
    t.notOk(world.ended('lobby-1'))
  }
  t.end()
})

t.test('while a group is restarted, a gate is told which of its services are still to go', t => {
  const dueIn = (world: ReturnType<typeof open>): string[] => (JSON.parse(world.file('proxy-1')).servers as Array<{ name: string, due?: boolean, parked?: boolean }>)
    .map(({ name, due, parked }) => `${name}${parked === true ? ' parked' : due === true ? ' due' : ''}`)
  const world = open({ groups: [lobbies(3, {}, { maxOnlineService: 3 }), group('other', 'game', { properties: { fallback: true } }), proxies] })
  for (const at of [1, 2, 3]) world.act(() => { world.engine.join(`lobby-${at}`, `On${at}`) })
  world.roll()
  world.advance(1000)
  t.strictSame(dueIn(world), ['lobby-1 parked', 'lobby-2 due', 'lobby-3 due', 'other-1'])
  world.act(() => { world.engine.leave('On1') })
  world.advance(4000)
  t.strictSame(dueIn(world), ['lobby-1', 'lobby-2 parked', 'lobby-3 due', 'other-1'])
  world.act(() => world.fleet.groups.control.edit('lobby', { percentageToStartNewService: 50 }, call))
  world.advance(1000)
  t.strictSame(dueIn(world), ['lobby-1', 'lobby-2', 'lobby-3', 'other-1'], 'when the restart has ended they are as any other')
  t.end()
})

t.test('what a gate says of its connections counts in one form only', t => {
  t.strictSame([...readParked('{"version":1,"parked":{"lobby-1":0,"lobby-2":3}}') ?? []], [['lobby-1', 0], ['lobby-2', 3]])
  t.strictSame([...readParked('{"version":1,"parked":{"a":-1,"b":1.5,"c":"0","d":null,"e":1e999,"__proto__":0}}') ?? []], [['__proto__', 0]])
  for (const text of ['', 'null', '[]', '{}', '{"version":2,"parked":{}}', '{"version":1}', '{"version":1,"parked":[]}', '{"version":1,"parked":null}', '{"version":1,"parked":{"lobby-1":0}']) t.equal(readParked(text), undefined, text)
  t.end()
})

t.test('a file of a proxy that is none of that kind, or is far too long, says nothing', t => {
  for (const text of ['{', `{"version":1,"parked":{"lobby-1":1,"x":"${'x'.repeat(100_000)}"}}`]) {
    const world = open({
      groups: [lobbies(1), proxies],
      platforms: [platform('game', 'SERVER'), platform('proxy', 'PROXY', { network: { writer: 'gate', file: 'lists/servers.json' }, files: { 'lists/parked.json': text } })]
    })
    world.roll()
    while (world.state('lobby-2') !== 'ONLINE') world.advance(50)
    t.equal(world.endsWithin('lobby-1', login), Infinity)
    t.ok(world.endsWithin('lobby-1', 10_000) <= 500 + 2 * telling)
  }
  t.end()
})
