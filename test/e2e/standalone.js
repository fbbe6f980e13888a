/** The standalone server as an operator starts it, and what the tests of a whole cloud need besides. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from './waiting.js'

const repository = fileURLToPath(new URL('../../', import.meta.url))
const { resolve } = createRequire(import.meta.url)

/** For `skip`: the first of these packages and programs that is not there, in words, or false. */
export function missing (...names) {
  const absent = names.find(name => !(name === 'haproxy' ? hasHaproxy() : hasPackage(name)))
  return absent !== undefined && `${absent} is not installed`
}

function hasPackage (name) {
  try {
    resolve(name)
    return true
  } catch {
    return false
  }
}

function hasHaproxy () {
  try {
    execFileSync('haproxy', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** A cloud in a directory of its own, which goes with the test. */
export function startCloud (t, env = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-e2e-'))
  let child
  let exited
  let url
  let cookie
  t.after(async () => {
    child?.kill('SIGTERM')
    await exited
    rmSync(directory, { recursive: true, force: true })
  })

  async function call (method, path, body) {
    const response = await fetch(`${url}${path}`, {
      method, headers: { ...(cookie && { cookie }), ...(body && { 'content-type': 'application/json' }) }, ...(body && { body: JSON.stringify(body) })
    })
    const set = response.headers.getSetCookie().find(one => one.startsWith('token='))
    if (set) cookie = set.split(';')[0]
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) }
  }

  return {
    directory,
    call,
    /** Starts it, and the first time makes the account that `call` uses. */
    open: async () => {
      let output = ''
      child = spawn(process.execPath, ['examples/standalone/server.js'], {
        cwd: repository, env: { PATH: process.env.PATH, CLOUD_DIRECTORY: directory, PORT: '0', SERVICE_PORTS: freeRange(), ...env }, stdio: ['ignore', 'pipe', 'inherit']
      })
      child.stdout.on('data', piece => { output += piece })
      exited = once(child, 'exit')
      url = await until('the server listens', () => /listening on (http\S+)/.exec(output)?.[1])
      if (cookie === undefined) assert.equal((await call('POST', '/user/self', { username: 'admin', password: 'correct horse battery' })).status, 201)
    },
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    addPlatform: platform => writeFileSync(join(directory, `platforms/${platform.name}.json`), JSON.stringify(platform)),
    /** A group of one service, unless `changes` say more; the platform as `<name>` or `<name> <version>`. */
    create: async (name, platform, changes) => {
      const [platformName, version = 'latest'] = platform.split(' ')
      const { status, body } = await call('POST', '/group/create', {
        name, minMemory: 64, maxMemory: 256, minOnlineService: 1, maxOnlineService: 1, platform: { name: platformName, version }, percentageToStartNewService: 0, templates: [], ...changes
      })
      assert.equal(status, 201, JSON.stringify(body))
    },
    /** The service, once it is ONLINE. */
    online: async name => await until(`${name} is ONLINE`, async () => (await call('GET', '/services/list')).body.data.find(one => one.name === name && one.state === 'ONLINE')),
    reasonOf: async group => (await call('GET', `/group/${group}/status`)).body.data.reason,
    /** Who is where, by name. */
    players: async () => new Map((await call('GET', '/players/list?size=100')).body.data.map(({ name, currentServiceName }) => [name, currentServiceName])),
    /** The program that runs in the directory of a service. */
    pidOf: service => pidOf(join(directory, 'services', service, 'files'))
  }
}

/** The platform that docs/platforms.md shows for haproxy, told of these groups. */
export function haproxyPlatform (groups) {
  const page = readFileSync(join(repository, 'docs/platforms.md'), 'utf8')
  const platform = JSON.parse(/```json\n(\{\n {2}"name": "haproxy"[\s\S]*?\n\})\n```/.exec(page)[1])
  return { ...platform, network: { ...platform.network, ...(groups && { groups }) } }
}

function pidOf (files) {
  const found = readdirSync('/proc').filter(name => /^\d+$/.test(name)).filter(pid => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === files && /(?:server|squid)\.js/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    } catch {
      return false
    }
  })
  assert.equal(found.length, 1, `one program in ${files}`)
  return Number(found[0])
}

let range
/** One range for all starts of a cloud, away from where the system takes ports for connections. */
function freeRange () {
  range ??= 20_000 + Math.floor(Math.random() * 10_000)
  return `${range}-${range + 99}`
}
