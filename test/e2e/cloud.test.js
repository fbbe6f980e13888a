/** The whole way: the standalone server, a group made over the interface, and a real Minecraft client on its service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { join } from './player.js'
import { startCloud } from './standalone.js'
import { until } from './waiting.js'

test('a Minecraft client that joins a service shows up in the player list and leaves it again', { timeout: 120_000 }, async t => {
  const cloud = startCloud(t)
  const { call } = cloud
  await cloud.open()
  await cloud.create('lobby', 'limbo', { properties: {} })
  const service = await cloud.online('lobby-1')

  const events = []
  const player = join({ host: service.hostname, port: service.port, name: 'Notch', version: '1.21.4' }, event => events.push(event))
  t.after(() => player.leave())
  await until('the client has joined', () => events.some(({ event }) => event === 'joined'))

  const listed = await until('the player is listed', async () => {
    const { body } = await call('GET', '/players/list')
    return body.total === 1 && body
  })
  // The uuid of a name in offline mode, as the client computed it too.
  const uuid = 'b50ad385-829d-3141-a216-7e7d7539ba7f'
  assert.deepEqual(listed, {
    page: 1, size: 20, total: 1, totalPages: 1, data: [{ name: 'Notch', uuid, currentServiceName: 'lobby-1' }]
  })
  assert.deepEqual((await call('GET', '/player/notch')).body, {
    status: 200, data: { name: 'Notch', uniqueId: uuid, currentServiceName: 'lobby-1' }
  })
  await until('the service counts the player', async () => (await call('GET', '/services/list')).body.data[0].playerCount === 1)

  assert.equal((await call('POST', '/service/lobby-1/command', { command: 'say good evening' })).status, 200)
  await until('the command reaches the player', () => events.some(({ event, text }) => event === 'chat' && text.includes('good evening')))

  player.leave()
  await until('the player is gone', async () => (await call('GET', '/players/list')).body.total === 0)
})
