/** The standalone server over containers, with a real Minecraft client: it joins through the bundled proxy, and nothing that becomes of the core throws it out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docker, here, skip } from './given.js'

const hasClient = await import('minecraft-protocol').then(() => true, async () => await import('../e2e/player.js').then(() => true, () => false))
const { enter, killUnderWrites } = hasClient ? await import('./kills.js') : {}
const { startCloud } = await import('../e2e/standalone.js')
const { until } = await import('../e2e/waiting.js')
const why = skip || (!hasClient && 'minecraft-protocol is not installed: npm ci in test/e2e')

/** How often the core is killed. */
const kills = Number(process.env.TEST_KILLS ?? 8)
const cloudName = 'docker-standalone'

test('from nothing to a player on a service, and the core killed at random under writes: nothing is lost, doubled or dropped', { skip: why, timeout: 300_000 }, async t => {
  const cloud = startCloud(t, { CLOUD_RUNTIME: 'docker', DOCKER_SOCKET: here.socket, DOCKER_CLOUD: cloudName, CLOUD_ON_EXIT: 'stop' })
  t.after(async () => {
    const left = (await docker('ps', '--all', '--quiet', '--filter', `label=fastify-cloud.cloud=${cloudName}`)).split('\n').filter(id => id !== '')
    if (left.length > 0) await docker('rm', '--force', '--volumes', ...left)
  })
  const { call } = cloud
  await cloud.open()
  await cloud.create('lobby', 'limbo', { properties: { fallback: true }, maxOnlineService: 3, minOnlineService: 2 })
  await cloud.create('gate', 'gate', { properties: { host: '127.0.0.1', port: 25_565 } })
  await cloud.online('lobby-1')
  await cloud.online('lobby-2')
  await cloud.online('gate-1')

  const events = []
  const player = await enter(t, events)
  await until('the player is listed', async () => (await cloud.players()).has('Notch'))
  const containers = await listed()
  assert.deepEqual(containers.map(({ name }) => name), ['gate-1', 'lobby-1', 'lobby-2'])

  const written = await killUnderWrites(cloud, kills, {
    disturb: async () => { await call('PATCH', '/service/lobby-2/restart').catch(() => {}) },
    settle: async () => {
      await cloud.online('gate-1')
      await cloud.online('lobby-1')
    }
  })
  await cloud.online('lobby-2')
  const after = await listed()
  assert.deepEqual(after.map(({ name }) => name), ['gate-1', 'lobby-1', 'lobby-2'], 'each service is there once')
  assert.deepEqual(after.filter(({ name }) => name !== 'lobby-2'), containers.filter(({ name }) => name !== 'lobby-2'), 'those that nobody restarted are the same containers')
  assert.ok(!events.some(({ event }) => event === 'ended'), `the player is still there: ${JSON.stringify(events.slice(-3))}`)
  await until('the player is listed by the last core', async () => (await cloud.players()).has('Notch'))
  t.diagnostic(`${kills} kills, ${written} templates acknowledged, ${events.filter(({ event }) => event === 'keepAlive').length} keep-alives`)
  player.leave()
})

/** The containers of the cloud that run, by name. */
async function listed () {
  const lines = (await docker('ps', '--no-trunc', '--filter', `label=fastify-cloud.cloud=${cloudName}`, '--format', '{{.Label "fastify-cloud.service"}} {{.ID}}')).split('\n').filter(line => line !== '')
  return lines.sort().map(line => ({ name: line.split(' ')[0], id: line.split(' ')[1] }))
}
