/**
 * `examples/docker`: its Dockerfile is built by the lab's engine, and its compose file and its stack file are run there. Of the images that they
 * name only stand-ins can be had here (`images.js`), and `docker compose` is not Debian's: `compose.js` does what the file says.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { healthy, up } from './compose.js'
import { directory as scratch, docker, here, skip } from './given.js'
import { build, buildNode, buildPostgres, example, packExample } from './images.js'
import { until } from './until.js'

const hasClient = await import('minecraft-protocol').then(() => true, async () => await import('../e2e/player.js').then(() => true, () => false))
const { join: enter } = hasClient ? await import('../e2e/player.js') : {}
const run = promisify(execFile)
const url = 'http://127.0.0.1:8080/cloud/api/v3'
const account = { username: 'admin', password: 'correct horse battery' }
const files = {
  env: { POSTGRES_PASSWORD: 'letters0and1digits', DOCKER_CLOUD: 'boxed', DOCKER_SOCKET: here?.socket, DOCKER_GID: here && String(statSync(here.socket).gid), CORE_IMAGE: 'fastify-cloud' }
}

/** A user of the core, from outside. */
function createUser () {
  let cookie
  async function call (method, path, body) {
    const response = await fetch(`${url}${path}`, {
      method, signal: AbortSignal.timeout(20_000), headers: { ...(cookie && { cookie }), ...(body && { 'content-type': 'application/json' }) }, ...(body && { body: JSON.stringify(body) })
    })
    cookie = response.headers.getSetCookie().find(one => one.startsWith('token='))?.split(';')[0] ?? cookie
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
  return {
    call,
    create: async (name, platform, more) => {
      const { status, body } = await call('POST', '/group/create', {
        name, minMemory: 64, maxMemory: 256, minOnlineService: 1, maxOnlineService: 1, platform: { name: platform, version: 'latest' }, percentageToStartNewService: 0, templates: [], ...more
      })
      assert.equal(status, 201, JSON.stringify(body))
    },
    online: async name => await until(`${name} is ONLINE`, async () => {
      const { body } = await call('GET', '/services/list').catch(() => ({}))
      return body?.data?.find(one => one.name === name && one.state === 'ONLINE')
    }, 90_000),
    templates: async () => {
      const names = new Set()
      for (let page = 1, total = 1; page <= total; page++) {
        const { body } = await call('GET', `/templates/list?size=100&page=${page}`)
        total = body.totalPages
        for (const { name } of body.data) names.add(name)
      }
      return names
    }
  }
}

async function services () {
  const lines = (await docker('ps', '--no-trunc', '--filter', 'label=fastify-cloud.cloud=boxed', '--format', '{{.Label "fastify-cloud.service"}} {{.ID}}')).split('\n').filter(line => line !== '')
  return lines.sort()
}

async function clear () {
  for (const [list, remove] of [[['ps', '--all'], ['rm', '--force', '--volumes']], [['volume', 'ls'], ['volume', 'rm']]]) {
    const left = (await docker(...list, '--quiet', '--filter', 'label=fastify-cloud.cloud=boxed')).split('\n').filter(id => id !== '')
    if (left.length > 0) await docker(...remove, ...left)
  }
}

const inspect = async (...names) => JSON.parse(await docker('inspect', ...names))

test('the core in a container', { skip: skip || (!hasClient && 'minecraft-protocol is not installed: npm ci in test/e2e') }, async t => {
  const [packed, node, postgres] = ['packed', 'node', 'postgres'].map(name => join(scratch, `core-${name}`))
  for (const directory of [packed, node, postgres]) mkdirSync(directory)
  await packExample(packed)
  const lacks = await buildNode(packed, node, 'lab-node') ?? await buildPostgres(postgres, 'postgres:18')
  if (lacks !== undefined) return t.skip(lacks)
  t.after(clear)

  await t.test('is built by the Dockerfile: not as root, with a health check, and ended by SIGTERM', async () => {
    await build(packed, 'fastify-cloud', '--build-arg', 'BASE=lab-node')
    const [{ Config: config }] = await inspect('fastify-cloud')
    assert.deepEqual([config.User, config.StopSignal, Object.keys(config.Volumes), Object.keys(config.ExposedPorts)], ['1000:1000', 'SIGTERM', ['/cloud'], ['8080/tcp']])
    assert.equal(config.Healthcheck.Test[0], 'CMD')
  })

  await t.test('by the compose file: from nothing to a player, killed under writes, and nothing is lost', async t => {
    const { containerOf, down } = await up(join(example, 'compose.yaml'), files.env)
    t.after(async () => {
      await docker('rm', '--force', containerOf('core')).catch(() => {})
      await clear()
      await down()
    })
    const core = containerOf('core')
    await healthy(core)
    const user = createUser()
    assert.equal((await user.call('POST', '/user/self', account)).status, 201)
    await user.create('lobby', 'limbo', { maxOnlineService: 2, minOnlineService: 2, properties: { fallback: true } })
    await user.create('gate', 'gate', { properties: { host: '127.0.0.1' } })
    for (const name of ['lobby-1', 'lobby-2', 'gate-1']) await user.online(name)
    const player = await join25565(t)
    const before = await services()
    assert.deepEqual(before.map(line => line.split(' ')[0]), ['gate-1', 'lobby-1', 'lobby-2'])

    const told = await inspect(core, containerOf('database'))
    for (const { HostConfig: host } of told) assert.deepEqual([host.Privileged, host.CapDrop, host.SecurityOpt, host.ReadonlyRootfs], [false, ['ALL'], ['no-new-privileges:true'], true])
    assert.match(await docker('exec', core, 'id'), /^uid=1000 /)
    for (const container of await inspect(...before.map(line => line.split(' ')[1]))) {
      assert.ok(!JSON.stringify([container.Mounts, container.HostConfig.Binds]).includes('docker.sock'), 'no service has the socket')
      assert.deepEqual(Object.keys(container.NetworkSettings.Networks), ['boxed'])
    }
    const address = told[1].NetworkSettings.Networks['fastify-cloud_database'].IPAddress
    const reach = `require('node:net').connect({ host: '${address}', port: 5432 }).on('connect', () => process.exit(0)).on('error', () => process.exit(3)).setTimeout(2000, () => process.exit(4))`
    await docker('exec', core, 'node', '--eval', reach)
    await assert.rejects(docker('exec', 'boxed.lobby-1', 'node', '--eval', reach), { code: 4 })

    const written = new Set()
    for (let kill = 1; kill <= 3; kill++) {
      const writes = { over: false }
      const writing = (async () => {
        for (let number = 1; !writes.over; number++) {
          const name = `written-${kill}-${number}`
          const answer = await user.call('POST', '/template/', { name }).catch(() => undefined)
          if (answer?.status === 202) written.add(name)
        }
      })()
      await until('something is written', () => [...written].some(name => name.startsWith(`written-${kill}-`)))
      const [{ State: { StartedAt: began } }] = await inspect(core)
      // From inside, so that it is an end that nobody asked for: its restart policy starts it again.
      await docker('exec', core, 'sh', '-c', 'kill -9 $(pidof node)').catch(() => {})
      await until('it is started again', async () => {
        const [{ State: state }] = await inspect(core)
        return state.Running && state.StartedAt !== began
      })
      writes.over = true
      await writing
      await healthy(core)
      await user.online('gate-1')
    }
    const names = await user.templates()
    assert.deepEqual([...written].filter(name => !names.has(name)), [], 'what was acknowledged is there')
    assert.deepEqual(await services(), before, 'the same containers')
    await until('the player is listed', async () => (await user.call('GET', '/players/list?size=100')).body.data.some(({ name }) => name === 'Notch'))
    assert.deepEqual(player.ended, [])
    t.diagnostic(`3 kills, ${written.size} templates acknowledged`)

    await docker('stop', core)
    const [{ State: stopped }] = await inspect(core)
    assert.deepEqual([stopped.Status, stopped.ExitCode], ['exited', 0], 'it ends by itself within its time')
    assert.deepEqual(await services(), before, 'and the services run on')
    await docker('start', core)
    await healthy(core)
    await user.online('gate-1')
    assert.deepEqual(player.ended, [])
    assert.match(await docker('exec', core, 'node', '/opt/fastify-cloud/node_modules/.bin/fastify-cloud', 'admin', 'status'), /^2 groups, 3 services, 3 of them online/)
  })

  await t.test('by the stack file, in a Swarm of one: from nothing to a service, and the core comes back', async t => {
    await docker('swarm', 'init', '--advertise-addr', here.address)
    t.after(async () => {
      await docker('stack', 'rm', 'stacked').catch(() => {})
      await until('the core is gone', async () => await docker('ps', '--quiet', '--filter', 'label=com.docker.stack.namespace=stacked') === '', 120_000)
      await clear()
      await docker('swarm', 'leave', '--force')
      const left = await docker('ps', '--all', '--quiet', '--filter', 'label=com.docker.stack.namespace=stacked')
      if (left !== '') await docker('rm', '--force', ...left.split('\n'))
      for (const name of ['stacked_cloud', 'stacked_database']) await docker('volume', 'rm', name).catch(() => {})
    })
    await docker('node', 'update', '--label-add', 'fastify-cloud=core', await docker('node', 'ls', '--quiet'))
    await run('docker', ['--host', `unix://${here.socket}`, 'stack', 'deploy', '--compose-file', join(example, 'stack.yaml'), '--resolve-image', 'never', 'stacked'], { env: { ...process.env, ...files.env } })
    const running = async () => await docker('ps', '--quiet', '--filter', 'label=com.docker.swarm.service.name=stacked_core', '--filter', 'health=healthy')
    const first = await until('the core is healthy', running, 180_000)
    const user = createUser()
    assert.equal((await user.call('POST', '/user/self', account)).status, 201)
    await user.create('lobby', 'limbo', { properties: {} })
    await user.online('lobby-1')
    const before = await services()
    const [{ Config: config, HostConfig: host, Mounts: mounts }] = await inspect(first)
    assert.deepEqual([config.User.split(':')[0], host.Privileged, host.ReadonlyRootfs, host.Init, mounts.map(({ Destination }) => Destination).sort()], ['1000', false, true, true, ['/cloud', '/tmp', '/var/run/docker.sock']])
    await docker('kill', first)
    const second = await until('another container of it is healthy', async () => await running().then(id => id !== '' && id !== first && id), 180_000)
    assert.notEqual(second, first)
    await user.online('lobby-1')
    assert.deepEqual(await services(), before, 'the same container')
    assert.equal((await user.call('GET', '/groups/list')).body.data[0].name, 'lobby')
  })
})

/** A player on port 25565, and how it has ended. */
async function join25565 (t) {
  for (;;) {
    const told = []
    const player = enter({ host: '127.0.0.1', port: 25_565, name: 'Notch' }, event => told.push(event))
    t.after(() => player.leave())
    await until('the player has joined, or not', () => told.length > 0, 90_000)
    if (told[0].event === 'joined') return { get ended () { return told.filter(({ event }) => event === 'ended') } }
  }
}
