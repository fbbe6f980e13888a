/** Ours: the plugin over SQLite and a runtime of plain lists. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import { built } from '../built.js'
import { listen } from './listen.js'
import { playersOf, servicesOf } from '../things.js'

const { fastifyCloud, userPermissions } = await built('lib/index.js')
const { openSqliteStorage } = await built('lib/storage/sqlite.js')

await listen(async ({ services = 100, players = 0, numbered = false, changing = false, live = {} }) => {
  const directory = mkdtempSync(join(tmpdir(), 'bench-'))
  process.on('exit', () => { rmSync(directory, { recursive: true, force: true }) })
  const app = Fastify()
  const storage = await openSqliteStorage({ file: join(directory, 'cloud.db'), defaultPermissions: userPermissions() })
  let revision = 1
  const number = numbered ? { get: () => revision } : { value: undefined }
  const numberedList = list => Object.defineProperty({ list }, 'revision', number)
  const all = { services: servicesOf(services), players: playersOf(players) }
  const followers = new Set()
  await app.register(fastifyCloud, {
    secret: 'a secret for measurements, longer than 32 bytes',
    storage,
    metrics: { interval: 0 },
    sessionsPerUser: 10_000,
    loginThrottle: { perAddress: 1_000_000, perAddressAndName: 1_000_000 },
    live: { sockets: 10_000, socketsPerUser: 10_000, ...live },
    runtime: {
      services: numberedList(() => [...all.services]),
      players: numberedList(() => all.players),
      groups: { list: () => [] },
      platforms: { list: () => [] },
      metrics: { sample: () => ({ cpu: { core: 0, services: 0 }, memory: { core: 0, services: 0 }, runtime: 'bench', uptime: 0 }) },
      consoles: {
        follow: (_name, listener, { signal }) => {
          followers.add(listener)
          signal.addEventListener('abort', () => { followers.delete(listener) }, { once: true })
          return true
        }
      }
    }
  })
  return {
    app,
    prefix: '/cloud/api/v3',
    /** Lets more players join. */
    grow: ({ players }) => {
      all.players = playersOf(players)
      revision++
      return {}
    },
    /** Each line is one of a console, or a change of a service. */
    print: lines => {
      if (!changing) {
        for (const listener of followers) listener(lines)
        return
      }
      for (const line of lines) {
        const at = Number.parseInt(line) % all.services.length
        all.services[at] = { ...all.services[at], motd: line }
      }
      revision++
    }
  }
})
