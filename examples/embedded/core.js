// The host's own core, seen through `CloudRuntime`: plain lists, and the verbs that this core has. What it cannot do
// (managing templates, adding groups) is left out, and the interface says so to its clients.
import { cpus, loadavg } from 'node:os'

const group = {
  name: 'lobby',
  minMemory: 256,
  maxMemory: 512,
  minOnlineService: 1,
  maxOnlineService: 1,
  platform: { name: 'mycore', version: '1.0' },
  percentageToStartNewService: 0,
  properties: { fallback: true, static: false },
  templates: [],
  createdAt: Date.now()
}

const service = {
  name: 'lobby-1',
  state: 'ONLINE',
  type: 'SERVER',
  groupName: 'lobby',
  hostname: '127.0.0.1',
  port: 25565,
  templates: [],
  properties: {},
  minMemory: 256,
  maxMemory: 512,
  playerCount: 1,
  maxPlayerCount: 20,
  memoryUsage: 0,
  cpuUsage: 0,
  motd: 'A service of mycore',
  createdAt: Date.now()
}

const player = { name: 'Steve', uuid: '8667ba71-b85a-4004-af54-457a9734eed7', currentServiceName: 'lobby-1' }

/** @type {import('fastify-cloud').CloudRuntime} */
export const core = {
  platforms: { list: () => [{ name: 'mycore', type: 'SERVER', versions: [{ version: '1.0' }] }] },
  groups: { list: () => [group] },
  players: { list: () => [player] },
  services: {
    list: () => [service],
    control: {
      // `false` says that there is no such service: no look-up before the act, no error classes.
      command: (name, line) => {
        if (name !== service.name) return false
        console.log(`[${name}] ${line}`)
        return true
      },
      restart: name => name === service.name,
      start: name => name === group.name ? 'limit' : name === service.name && 'running',
      stop: () => false
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
