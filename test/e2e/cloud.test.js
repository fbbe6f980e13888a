/** The whole way: the standalone server, a group made over the interface, and a real Minecraft client on its service. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { spawn } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { join as joinGame } from './player.js'

const repository = fileURLToPath(new URL('../../', import.meta.url))

async function until (condition, what, ms = 30_000) {
  const deadline = Date.now() + ms
  for (;;) {
    const answer = await condition()
    if (answer) return answer
    if (Date.now() > deadline) throw new Error(`Waited ${ms} ms in vain: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

async function startServer (t) {
  const directory = await mkdtemp(join(tmpdir(), 'cloud-e2e-'))
  const child = spawn(process.execPath, ['examples/standalone/server.js'], {
    cwd: repository, env: { PATH: process.env.PATH, CLOUD_DIRECTORY: directory, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit']
  })
  let output = ''
  child.stdout.on('data', chunk => { output += chunk })
  const exited = new Promise(resolve => child.on('close', resolve))
  t.after(async () => {
    child.kill('SIGTERM')
    await exited
    await rm(directory, { recursive: true, force: true })
  })
  return await until(() => /listening on (http\S+)/.exec(output)?.[1], 'the server listens')
}

function clientOf (url) {
  let cookie
  return async (method, path, body) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...(cookie && { cookie }), ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) })
    })
    const set = response.headers.getSetCookie().find(one => one.startsWith('token='))
    if (set) cookie = set.split(';')[0]
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

test('a Minecraft client that joins a service shows up in the player list and leaves it again', { timeout: 120_000 }, async t => {
  const call = clientOf(await startServer(t))
  assert.equal((await call('POST', '/user/self', { username: 'admin', password: 'correct horse battery' })).status, 201)
  assert.equal((await call('POST', '/group/create', {
    name: 'lobby',
    minMemory: 256,
    maxMemory: 512,
    minOnlineService: 1,
    maxOnlineService: 1,
    platform: { name: 'limbo', version: 'latest' },
    percentageToStartNewService: 0,
    properties: {}
  })).status, 201)
  const service = await until(async () => (await call('GET', '/services/list')).body.data.find(one => one.state === 'ONLINE'), 'a service is ONLINE')

  const events = []
  const player = joinGame({ host: service.hostname, port: service.port, name: 'Notch', version: '1.21.4' }, event => events.push(event))
  t.after(() => player.leave())
  await until(() => events.some(({ event }) => event === 'joined'), 'the client has joined')

  const listed = await until(async () => {
    const { body } = await call('GET', '/players/list')
    return body.total === 1 && body
  }, 'the player is listed')
  // The uuid of a name in offline mode, as the client computed it too.
  const uuid = 'b50ad385-829d-3141-a216-7e7d7539ba7f'
  assert.deepEqual(listed, {
    page: 1, size: 20, total: 1, totalPages: 1, data: [{ name: 'Notch', uuid, currentServiceName: 'lobby-1' }]
  })
  assert.deepEqual((await call('GET', '/player/notch')).body, {
    status: 200, data: { name: 'Notch', uniqueId: uuid, currentServiceName: 'lobby-1' }
  })
  await until(async () => (await call('GET', '/services/list')).body.data[0].playerCount === 1, 'the service counts the player')

  assert.equal((await call('POST', '/service/lobby-1/command', { command: 'say good evening' })).status, 200)
  await until(() => events.some(({ event, text }) => event === 'chat' && text.includes('good evening')), 'the command reaches the player')

  player.leave()
  await until(async () => (await call('GET', '/players/list')).body.total === 0, 'the player is gone')
})
