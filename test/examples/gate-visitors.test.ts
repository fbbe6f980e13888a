/** For how many players the connections of gate stand, and where the next one is sent for that; on a clock of the test's own. */
import { join } from 'node:path'
import { mock } from 'node:test'
import t from 'tap'
import { repository } from '../fixtures/repository.js'

interface Reservation { readonly server: { readonly name: string }, enter (): void, leave (): void }
interface Servers {
  replace (list: object): void
  reserve (player: { name: string, host: string, party?: string }, tried: Set<object>, options?: { wasRefused?: boolean }): Reservation | undefined
  readonly online: number
}
const { createServers } = await import(join(repository, 'examples/standalone/platforms/gate/servers.js')) as { createServers (): Servers }

interface Listed { readonly name: string, readonly players?: number, readonly slots?: number, readonly fallback?: boolean, readonly due?: boolean }

mock.timers.enable({ apis: ['setTimeout'] })
const second = 1000

function open (...first: Listed[]) {
  const servers = createServers()
  const list = (...listed: Listed[]): void => {
    servers.replace({
      servers: listed.map((one, index) => ({ host: '127.0.0.1', port: 1000 + index, proxyProtocol: false, players: 0, slots: 0, fallback: true, ...one })),
      lastResort: [],
      forcedHosts: new Map([['arena.example.com', ['arena']]]),
      sample: []
    })
  }
  list(...first)
  /** A player who is answered, or waits for that. */
  const come = (name: string, party: string, { host = '', waits = false } = {}): Reservation => {
    const place = servers.reserve({ name, host, party }, new Set())
    if (place === undefined) throw new Error('no server')
    if (!waits) place.enter()
    return place
  }
  let number = 0
  const places = (count: number, options = {}): string[] => Array.from({ length: count }, () => come(`P${++number}`, `10.0.0.${number}`, options).server.name)
  return { servers, list, come, places, crowd: (count: number, options = {}) => Array.from({ length: count }, (_, index) => come(`ghost${index}`, '127.0.0.9', options)) }
}
const host = { host: 'arena.example.com' }
const arena = (players: number): Listed[] => [{ name: 'arena', players, slots: 20, fallback: false }, { name: 'lobby' }]

t.test('logins of one address hide nobody who comes from elsewhere, however old they are', async t => {
  for (const age of [0, 1, 6, 30]) {
    for (const isTold of [false, true]) {
      const { list, crowd, places } = open(...arena(17))
      crowd(60, host)
      mock.timers.tick(age * second)
      list(...arena(isTold ? 18 : 17))
      const room = isTold ? 2 : age > 5 ? 3 : 2
      t.strictSame(places(5, host), [...new Array<string>(room).fill('arena'), ...new Array<string>(5 - room).fill('lobby')], `${age} s old${isTold ? ', and its number of players was told since' : ''}`)
    }
  }
})

t.test('logins of one address that have ended hide nobody either', async t => {
  const { list, crowd, places } = open(...arena(17))
  const ghosts = crowd(60, host)
  list(...arena(18))
  for (const { leave } of ghosts) leave()
  t.strictSame(places(4, host), ['arena', 'arena', 'lobby', 'lobby'])
})

t.test('whoever has left is in the count until the server tells another, or for five seconds', async t => {
  const { list, come, places } = open(...arena(0))
  const players = Array.from({ length: 8 }, (_, index) => come(`on${index}`, `10.1.0.${index}`, host))
  mock.timers.tick(41 * second)
  list(...arena(18))
  for (const { leave } of players.slice(0, 3)) leave()
  t.strictSame(places(6, host), [...new Array<string>(5).fill('arena'), 'lobby'], 'three come for those, and two more')
  mock.timers.tick(6 * second)
  t.strictSame(places(3, host), ['arena', 'arena', 'lobby'], 'that it tells of 18 is no wonder any more')
})

t.test('a full server that somebody has left since it was counted is asked before others that are full, and after a refusal as well', async t => {
  const list = [{ name: 'a', players: 3, slots: 3 }, { name: 'b', players: 3, slots: 3 }]
  for (const leaves of ['a', 'b']) {
    const { servers, list: relist, come } = open({ name: 'a', slots: 3 }, { name: 'b', slots: 3 })
    const players = Array.from({ length: 6 }, (_, index) => come(`on${index}`, `10.1.0.${index}`))
    relist(...list)
    players.find(({ server }) => server.name === leaves)?.leave()
    const tried = new Set<object>()
    const first = servers.reserve({ name: 'Steve', host: '', party: '10.0.0.1' }, tried)
    t.equal(first?.server.name, leaves)
    first?.leave()
    tried.add((first as unknown as { endpoint: object }).endpoint)
    t.equal(servers.reserve({ name: 'Steve', host: '', party: '10.0.0.1' }, tried, { wasRefused: true }), undefined, 'the other one is full')
    mock.timers.tick(6 * second)
    t.equal(come('Alex', '10.0.0.2').server.name, 'a', 'by then it is in the count')
  }
})

t.test('logins of one address that no server has answered take nobody out of the server list', async t => {
  const { servers, come, crowd } = open({ name: 'lobby' })
  for (let index = 0; index < 30; index++) come(`on${index}`, `10.1.0.${index}`)
  t.equal(servers.online, 30)
  crowd(40, { waits: true })
  t.equal(servers.online, 30)
  crowd(40)
  t.equal(servers.online, 34, 'four of those that were answered are shown')
})

t.test('somebody else of the name draws nobody to a server that is about to be restarted', async t => {
  const { list, come } = open({ name: 'a' })
  come('Steve', '127.0.0.9')
  mock.timers.tick(41 * second)
  list({ name: 'a' }, { name: 'b' })
  come('Other', '10.0.0.1')
  t.equal(come('Steve', '10.0.0.2').server.name, 'a', 'it decides between those that are as good')
  list({ name: 'a', due: true }, { name: 'b' })
  t.equal(come('Steve', '10.0.0.3').server.name, 'b')
})
