// The host's own core, seen through `CloudRuntime`: plain lists, and the verbs that this core has. What it cannot do
// (managing templates, adding groups) is left out, and the interface says so to its clients. Its one service runs in this
// process, so that it is started and stopped at once.
import { cpus, loadavg } from 'node:os'

const madeAt = Date.now()

const group = {
  name: 'lobby',
  minMemory: 256,
  maxMemory: 512,
  minOnlineService: 0,
  maxOnlineService: 1,
  platform: { name: 'mycore', version: '1.0' },
  percentageToStartNewService: 0,
  properties: { fallback: true, static: false },
  templates: [],
  createdAt: madeAt
}

const lobby = {
  name: 'lobby-1',
  type: 'SERVER',
  groupName: 'lobby',
  hostname: '127.0.0.1',
  port: 25565,
  templates: [],
  properties: { fallback: 'true', static: 'false' },
  minMemory: 256,
  maxMemory: 512,
  maxPlayerCount: 20,
  memoryUsage: 0,
  cpuUsage: 0,
  motd: 'A service of mycore',
  createdAt: madeAt
}

const steve = { name: 'Steve', uuid: '8667ba71-b85a-4004-af54-457a9734eed7', currentServiceName: 'lobby-1' }

/**
 * A core with one service, which is ONLINE.
 * @returns {import('fastify-cloud').CloudRuntime}
 */
export function createCore () {
  let isOnline = true
  // Moves whenever one of the lists would answer differently, and once more for a restart, which takes no time here.
  let revision = 1
  const players = () => isOnline ? [steve] : []
  const turn = to => {
    isOnline = to
    revision++
    return true
  }

  return {
    platforms: { list: () => [{ name: 'mycore', type: 'SERVER', versions: [{ version: '1.0' }] }] },
    groups: { list: () => [group] },
    players: { get revision () { return revision }, list: players },
    services: {
      get revision () { return revision },
      list: () => [{ ...lobby, state: isOnline ? 'ONLINE' : 'OFFLINE', playerCount: players().length }],
      control: {
        // `false` says that there is no such service: no look-up before the act, no error classes.
        command (name, line) {
          if (name !== lobby.name) return false
          if (!isOnline) return 'not-running'
          console.log(`[${name}] ${line}`)
          return true
        },
        restart: name => name === lobby.name && turn(true),
        start (name) {
          if (name !== group.name && name !== lobby.name) return false
          if (isOnline) return name === group.name ? 'limit' : 'running'
          turn(true)
          return { name: lobby.name }
        },
        stop: name => name === lobby.name && turn(false)
      }
    },
    metrics: {
      sample: () => ({
        cpu: { core: Math.min(100, 100 * (loadavg()[0] ?? 0) / cpus().length), services: 0 },
        memory: { core: process.memoryUsage.rss() / 2 ** 20, services: 0 },
        runtime: `Node.js ${process.version}`,
        uptime: process.uptime() * 1000
      })
    }
  }
}
