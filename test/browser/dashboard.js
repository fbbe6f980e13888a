/** For tests of the dashboard: the real standalone server, and people in front of a real Chromium. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Fastify from 'fastify'
import dashboard from '../../dist/lib/dashboard/index.js'
import { fastifyCloud } from '../../dist/lib/index.js'
import { openSqliteStorage } from '../../dist/lib/storage/sqlite.js'

const program = fileURLToPath(new URL('../../examples/standalone/server.js', import.meta.url))

export const password = 'correct horse battery'
export const lobby = {
  name: 'lobby',
  minMemory: 64,
  maxMemory: 128,
  minOnlineService: 1,
  maxOnlineService: 3,
  platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 80,
  properties: { fallback: true },
  templates: []
}

/** Starts the standalone in a directory of its own, or again in one that was there; ends with the test. */
export async function startCloud (t, { directory, port = 0, env = {} } = {}) {
  const place = directory ?? await mkdtemp(join(tmpdir(), 'cloud-page-'))
  if (directory === undefined) t.after(() => rm(place, { recursive: true, force: true, maxRetries: 5 }))
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, PORT: String(port), CLOUD_DIRECTORY: place, SERVICE_PORTS: '27100-27400', ...env }, stdio: ['ignore', 'pipe', 'pipe']
  })
  let output = ''
  const ended = once(child, 'exit')
  const listening = new Promise((resolve, reject) => {
    const read = chunk => {
      output += chunk
      const [, found] = /listening on (http:\/\/[^/\s]+)/.exec(output) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    ended.then(() => { reject(new Error(`The server ended:\n${output}`)) })
  })
  const stop = async (signal = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }
  t.after(() => stop())
  const url = await listening
  return { url, api: `${url}/cloud/api/v3`, directory: place, port: Number(new URL(url).port), stop, output: () => output }
}

/** A host with the cloud below a prefix of its own, and the dashboard below another. */
export async function startHost (t, runtime) {
  const directory = await mkdtemp(join(tmpdir(), 'cloud-strangers-'))
  const storage = await openSqliteStorage({ file: join(directory, 'cloud.db') })
  const app = Fastify()
  await app.register(fastifyCloud, { secret: 'a secret for tests, longer than 32 bytes', passwordCost: 4, metrics: { interval: 0 }, prefix: '/deep/api', storage, runtime })
  await app.register(dashboard, { prefix: '/panel', api: '/deep/api' })
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(async () => {
    await app.close()
    await storage.close()
    await rm(directory, { recursive: true, force: true })
  })
  return { url: `${url}/panel/`, api: `${url}/deep/api` }
}

/** Calls the interface with a cookie of its own: what somebody does elsewhere. */
export function callerOf (api) {
  let cookie = ''
  return async (method, path, body) => {
    const answer = await fetch(`${api}${path}`, {
      method, headers: { cookie, ...(body !== undefined && { 'content-type': 'application/json' }) }, ...(body !== undefined && { body: JSON.stringify(body) })
    })
    for (const line of answer.headers.getSetCookie()) cookie = line.split(';')[0]
    const text = await answer.text()
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) }
  }
}

/** An admin made over the interface. */
export async function adminOf (cloud) {
  const call = callerOf(cloud.api)
  assert.equal((await call('POST', '/user/self', { username: 'admin', password })).status, 201)
  return call
}

/** A user with a role of those permissions, who has chosen the usual password. */
export async function userOf (cloud, admin, username, permissions) {
  const { body: { data: role } } = await admin('POST', '/role/', { label: `Role of ${username}`, hexColor: '#336699', permissions })
  const { body: { data: made } } = await admin('POST', '/user/', { username, roleId: role.id })
  const call = callerOf(cloud.api)
  assert.equal((await call('POST', '/auth/login', { username, password: made.password })).status, 200)
  assert.equal((await call('PATCH', '/user/self/change-password', { password })).status, 200)
  return { call, role }
}

/** A tab of a person with nothing in their browser; whatever the page complains of fails the test. */
export async function openTab (t, browser, cloud, { path = '/', width = 1280, height = 800, colorScheme = 'light', ...options } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, ...options })
  t.after(() => context.close())
  const tab = await context.newPage()
  tab.setDefaultTimeout(15_000)
  const complaints = []
  tab.on('pageerror', error => { complaints.push(String(error)) })
  tab.on('console', message => { if (message.type() === 'error' && !/Failed to load resource|WebSocket connection|net::ERR/.test(message.text())) complaints.push(message.text()) })
  t.after(() => { assert.deepEqual(complaints, [], 'the page complains of nothing') })
  await tab.goto(`${cloud.url}${path}`)
  return tab
}

export async function logIn (tab, username = 'admin', word = password) {
  // The page of a session that has ended is behind it.
  const door = tab.locator('.door')
  await door.getByLabel('Username').fill(username)
  await door.getByLabel('Password').fill(word)
  await door.getByRole('button', { name: 'Log in', exact: true }).click()
  await door.waitFor({ state: 'detached' })
  await tab.locator('#menu').waitFor({ state: 'attached' })
}

/** Goes to a view of the page, as its links do. */
export async function visit (tab, path, heading) {
  await tab.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`)
  await tab.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
}

/** A network between the browser and the core, which can be cut, die without a word, or for the events alone. */
export async function networkOf (t, cloud) {
  let [isDead, isCut, isDeaf] = [false, false, false]
  const pipes = new Set()
  const eventPipes = new Set()
  const cut = () => { for (const pipe of pipes) pipe.destroy() }
  const between = createServer(near => {
    if (isCut) {
      near.destroy()
      return
    }
    const far = connect(cloud.port, '127.0.0.1')
    for (const [from, to] of [[near, far], [far, near]]) {
      pipes.add(from)
      from.on('data', bytes => {
        if (from === near && bytes.includes('GET /cloud/api/v3/events')) {
          eventPipes.add(near)
          if (isDeaf) near.destroy()
        }
        if (!isDead) to.write(bytes)
      })
      from.on('error', () => {})
      from.on('close', () => {
        pipes.delete(from)
        eventPipes.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise(resolve => { between.listen(0, '127.0.0.1', resolve) })
  t.after(() => {
    cut()
    between.close()
  })
  return {
    url: `http://127.0.0.1:${between.address().port}`,
    die: () => { isDead = true },
    cut: () => {
      isCut = true
      cut()
    },
    /** Nothing is heard of events, while all else is answered. */
    deafen: () => {
      isDeaf = true
      for (const pipe of eventPipes) pipe.destroy()
    },
    /** Closes what is open; what comes next gets through. */
    drop: cut,
    mend: () => { [isDead, isCut, isDeaf] = [false, false, false] }
  }
}

/** Waits for a condition outside of the page. */
export async function until (condition, what, ms = 20_000) {
  const deadline = Date.now() + ms
  for (;;) {
    const value = await condition()
    if (value) return value
    if (Date.now() > deadline) throw new Error(`Not within ${ms} ms: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}
