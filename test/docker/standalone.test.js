/** The standalone server over containers, with a real Minecraft client: it joins through the bundled proxy, and nothing that becomes of the core throws it out. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { docker, here, skip } from './given.js'

const hasClient = await import('minecraft-protocol').then(() => true, async () => await import('../e2e/player.js').then(() => true, () => false))
const { join } = hasClient ? await import('../e2e/player.js') : {}
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

  const [written, refused] = [new Set(), []]
  let number = 0
  for (let kill = 1; kill <= kills; kill++) {
    const writes = { over: false }
    const writing = (async () => {
      while (!writes.over) {
        const name = `written-${++number}`
        const answer = await call('POST', '/template/', { name }).catch(() => undefined)
        if (answer?.status === 202) written.add(name)
        else if (answer !== undefined && !writes.over) refused.push(`${name} is answered ${answer.status} ${JSON.stringify(answer.body)}`)
      }
    })()
    if (kill % 2 === 0) await call('POST', '/service/lobby-2/restart').catch(() => {})
    await new Promise(resolve => setTimeout(resolve, Math.random() * 1500))
    writes.over = true
    await cloud.kill()
    await writing
    assert.deepEqual(refused, [])
    await cloud.open()
    await cloud.online('gate-1')
    await cloud.online('lobby-1')
  }
  await cloud.online('lobby-2')
  const templates = new Set()
  for (let page = 1, total = 1; page <= total; page++) {
    const { body } = await call('GET', `/templates/list?size=100&page=${page}`)
    total = body.totalPages
    for (const { name } of body.data) templates.add(name)
  }
  assert.ok(written.size > 0, 'something was written')
  assert.deepEqual([...written].filter(name => !templates.has(name)), [], 'what was acknowledged is there')
  const after = await listed()
  assert.deepEqual(after.map(({ name }) => name), ['gate-1', 'lobby-1', 'lobby-2'], 'each service is there once')
  assert.deepEqual(after.filter(({ name }) => name !== 'lobby-2'), containers.filter(({ name }) => name !== 'lobby-2'), 'those that nobody restarted are the same containers')
  assert.ok(!events.some(({ event }) => event === 'ended'), `the player is still there: ${JSON.stringify(events.slice(-3))}`)
  await until('the player is listed by the last core', async () => (await cloud.players()).has('Notch'))
  t.diagnostic(`${kills} kills, ${written.size} templates acknowledged, ${events.filter(({ event }) => event === 'keepAlive').length} keep-alives`)
  player.leave()
})

async function enter (t, events) {
  for (;;) {
    const tried = []
    const player = join({ host: '127.0.0.1', port: 25_565, name: 'Notch' }, event => tried.push(event))
    t.after(() => player.leave())
    await until('the player has joined, or not', () => tried.length > 0)
    if (tried[0].event !== 'joined') continue
    events.push(...tried)
    const forward = setInterval(() => { events.splice(0, events.length, ...tried) }, 100)
    t.after(() => { clearInterval(forward) })
    return player
  }
}

/** The containers of the cloud that run, by name. */
async function listed () {
  const lines = (await docker('ps', '--no-trunc', '--filter', `label=fastify-cloud.cloud=${cloudName}`, '--format', '{{.Label "fastify-cloud.service"}} {{.ID}}')).split('\n').filter(line => line !== '')
  return lines.sort().map(line => ({ name: line.split(' ')[0], id: line.split(' ')[1] }))
}
