/** A new cloud at the lab's engine, for the suite for engines. */
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openClient } from '../../dist/lib/runtime/docker/client.js'
import { createDockerEngine } from '../../dist/lib/runtime/docker/engine.js'
import { openEndpoints } from '../../dist/lib/runtime/docker/open.js'
import { settle } from '../../dist/lib/runtime/docker/options.js'
import { createSwarmEngine } from '../../dist/lib/runtime/docker/swarm/engine.js'
import { lockDirectory } from 'fastify-cloud/runtime/fleet'
import { directory as scratch, docker, here } from './given.js'

const programs = fileURLToPath(new URL('../fixtures/programs/', import.meta.url))
let count = 0

/** A program that does as it is told, and the hooks that tell it. */
export async function createCloud (more = {}) {
  const directory = mkdtempSync(join(scratch, 'cloud-'))
  const platform = join(directory, 'platforms/game')
  mkdirSync(platform, { recursive: true })
  cpSync(join(programs, 'told.mjs'), join(platform, 'told.mjs'))
  const cloud = more.cloud ?? `test-${process.pid}-${++count}`
  const settings = settle({
    directory, cloud, image: here.image, engine: { socketPath: here.socket }, timing: { sample: 500, kill: 500, look: 1000, lease: 1000 }, log: ({ level, message }) => { if (level !== 'info') console.log(`# ${message}`) }, ...more
  })
  const open = async () => {
    const lock = await lockDirectory(directory)
    const client = await openClient(settings.connection, settings.timing.call)
    const parts = { client, cloud, owner: directory, settings, release: async () => { await lock.release() } }
    if (settings.swarm === undefined) return createDockerEngine(parts)
    return createSwarmEngine({ ...parts, registry: settings.swarm.registry, endpoints: await openEndpoints(settings.swarm, settings.timing.call) })
  }
  let engine = await open()
  const nameOf = service => `${cloud}.${service}`
  const isThere = async service => await docker('ps', '--all', '--quiet', '--filter', `name=^/${nameOf(service)}$`) !== ''
  const subject = {
    engine,
    cloud,
    directory,
    nameOf,
    start: async changes => await engine.start({ ...subject.plan, token: randomBytes(16).toString('hex'), ...changes }, { signal: new AbortController().signal, progress: () => {}, ...changes?.options }),
    plan: {
      name: 'told-1',
      token: '',
      note: {},
      command: 'node',
      args: ['${platformDirectory}/told.mjs'], // eslint-disable-line no-template-curly-in-string -- a placeholder of platforms
      env: {},
      files: {},
      values: { group: 'told', version: 'latest', minMemory: '64', maxMemory: '128', maxPlayers: '20' },
      layers: [],
      platform: { name: 'game', version: 'latest', directory: platform },
      keep: false,
      port: 25_565,
      memory: { min: 64, max: 128 },
      stop: { ask: { stdin: 'stop' }, timeout: 20_000 }
    },
    within: 60_000,
    ready: async life => {
      const end = new AbortController()
      await new Promise(resolve => {
        let text = ''
        life.follow(({ bytes }) => {
          text += Buffer.from(bytes).toString()
          if (text.includes('ready')) resolve()
        }, { from: 'start', whole: () => true, signal: end.signal }).catch(() => {})
      })
      end.abort()
    },
    print: async (life, line) => await life.write(`print ${line}`),
    crash: async life => await life.write('crash'),
    deafen: async life => {
      await life.write('deafen')
      while (await life.files.read('deaf') === undefined);
    },
    remains: async service => (await docker('ps', '--quiet', '--filter', `name=^/${nameOf(service)}$`)).split('\n').filter(line => line !== '').length,
    read: async (service, path) => {
      if (!await isThere(service)) return undefined
      return await docker('exec', nameOf(service), 'cat', path).then(async text => await docker('exec', nameOf(service), 'stat', '-c', '%s', path) === String(Buffer.byteLength(text)) ? text : `${text}\n`, () => undefined)
    },
    write: async (service, path, text) => { await docker('exec', nameOf(service), 'sh', '-c', 'printf %s "$1" > "$2"', '--', text, path) },
    async reopen () {
      await engine.close()
      engine = await open()
      return engine
    },
    async close () {
      await engine.close()
      if (settings.swarm === undefined) {
        const left = (await docker('ps', '--all', '--quiet', '--filter', `label=fastify-cloud.cloud=${cloud}`)).split('\n').filter(id => id !== '')
        if (left.length > 0) await docker('rm', '--force', '--volumes', ...left)
        await docker('network', 'rm', cloud).catch(() => {})
      }
      rmSync(directory, { recursive: true, force: true })
    }
  }
  return subject
}
