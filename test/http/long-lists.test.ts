/** Lists that are worked on in pieces, and go out in pieces. */
import { once } from 'node:events'
import { type IncomingMessage, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import t, { type Test } from 'tap'
import { type TestCloud, build } from '../fixtures/cloud.js'
import { aService } from '../fixtures/runtime.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const permissions = ['cloud.service.list']

const wrong = { ...aService, port: -1 }

t.test('a long list is whole, numbered or not, wherever its wrong items are', async t => {
  const right = Array.from({ length: 5_000 }, (_, index) => ({ ...aService, name: `lobby-ü-${index}` }))
  const areWrong: Record<string, (index: number) => boolean> = {
    none: () => false,
    'one of the second piece': index => index === 1_500,
    'the first piece': index => index < 1_000,
    'one in the middle': index => index >= 2_000 && index < 3_000,
    'the last piece': index => index >= 4_000,
    'all but one': index => index !== 3_210,
    all: () => true
  }
  for (const revision of [undefined, 1]) {
    const cloud = await build(t)
    if (revision !== undefined) Object.assign(cloud.runtime.services, { revision })
    const user = await cloud.login(permissions)
    for (const [which, isWrong] of Object.entries(areWrong)) {
      cloud.runtime.given.services = right.map((service, index) => isWrong(index) ? wrong : service)
      if (revision !== undefined) Object.assign(cloud.runtime.services, { revision: Math.random() })
      const { body, headers } = await user('GET', '/services/list')
      t.ok(isDeepStrictEqual(body, { status: 200, data: right.filter((_, index) => !isWrong(index)).map(({ createdAt: _, ...shown }) => shown) }), which)
      t.equal(headers['cache-control'], revision === undefined ? 'no-store' : 'private, no-cache')
      const head = await user('HEAD', '/services/list')
      t.strictSame([head.status, head.body], [200, ''])
    }
  }
})

/** Begins to ask for a list of 200,000 services, and tells how many of them have been looked at. */
async function begin (t: Test, cloud: TestCloud): Promise<{ response: IncomingMessage, lookedAt: () => number }> {
  let lookedAt = 0
  const watched = Object.defineProperty({ ...aService }, 'name', { get: () => `lobby-${++lookedAt}` })
  cloud.runtime.given.services = Array.from({ length: 200_000 }, () => watched)
  const user = await cloud.login(permissions)
  await cloud.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = cloud.app.server.address() as AddressInfo
  const request = get({ port, host: '127.0.0.1', path: '/cloud/api/v3/services/list', headers: { cookie: `token=${user.token}`, 'user-agent': 'lightMyRequest' } })
  t.teardown(() => { request.destroy() })
  const [response] = await once(request, 'response') as [IncomingMessage]
  t.equal(response.statusCode, 200)
  return { response, lookedAt: () => lookedAt }
}

/** As many turns of the event loop as the whole list would need, twice. */
async function whileOthersTakeTurns (): Promise<void> {
  for (let turns = 0; turns < 400; turns++) await turn()
}

t.test('of a long list no more is made than its reader takes, and in the end it is whole', async t => {
  const { response, lookedAt } = await begin(t, await build(t))
  await whileOthersTakeTurns()
  t.ok(lookedAt() < 100_000, `${lookedAt()} of 200,000 were looked at for somebody who does not read`)
  const { data } = JSON.parse(await text(response))
  t.equal(data.length, 200_000)
  t.equal(data.at(-1).name, 'lobby-200000')
})

t.test('nothing more is made of a long list when its reader has gone', async t => {
  const cloud = await build(t)
  const { response, lookedAt } = await begin(t, cloud)
  await once(response, 'data')
  response.destroy()
  const connections = (): Promise<number> => new Promise(resolve => { cloud.app.server.getConnections((_, count) => { resolve(count) }) })
  await until(async () => await connections() === 0, 'the cloud notices')
  // One piece may be under way at that moment.
  await whileOthersTakeTurns()
  const then = lookedAt()
  await whileOthersTakeTurns()
  t.ok(then < 200_000, `it had come to ${then}`)
  t.equal(lookedAt(), then)
})

t.test('a reader who stalls does not keep the host from closing', async t => {
  const cloud = await build(t)
  const { response } = await begin(t, cloud)
  const cut = once(response, 'error')
  await cloud.app.close()
  response.resume()
  t.match(await cut, [{ code: 'ECONNRESET' }], 'and notices that the rest is missing')
})

t.test('HEAD of a long list looks at none of its items', async t => {
  const cloud = await build(t)
  const user = await cloud.login(permissions)
  let lookedAt = 0
  const watched = Object.defineProperty({ ...aService }, 'name', { get: () => `lobby-${++lookedAt}` })
  cloud.runtime.given.services = Array.from({ length: 5_000 }, () => watched)
  const { status, body, headers } = await user('HEAD', '/services/list')
  t.strictSame({ status, body, type: headers['content-type'] }, { status: 200, body: '', type: 'application/json; charset=utf-8' })
  await whileOthersTakeTurns()
  t.equal(lookedAt, 0)
  cloud.runtime.services.list = () => 'no list' as never
  t.equal((await user('HEAD', '/services/list')).status, 502, 'but the runtime is asked')
})

t.test('a host that closes while a hook of its own holds a long answer back does not fall', async t => {
  let goOn = (): void => {}
  const gate = new Promise<void>(resolve => { goOn = resolve })
  let isHeld = false
  const cloud = await build(t, {
    before: app => app.addHook('onSend', async request => {
      if (!request.url.endsWith('/services/list')) return
      isHeld = true
      await gate
    })
  })
  cloud.runtime.given.services = Array.from({ length: 5_000 }, () => aService)
  const user = await cloud.login(permissions)
  const uncaught: unknown[] = []
  const note = (error: unknown): void => { uncaught.push(error) }
  process.on('uncaughtException', note)
  t.teardown(() => { process.off('uncaughtException', note) })
  const answer = user('GET', '/services/list')
  await until(() => isHeld, 'the answer is held back')
  const closed = cloud.app.close()
  await whileOthersTakeTurns()
  goOn()
  t.equal((await answer).status, 500)
  await closed
  t.strictSame(uncaught, [])
})
