/** From the first import to a host that is ready; with the argument `ours` the plugin is registered. Prints its milliseconds of CPU. */
import Fastify from 'fastify'

const app = Fastify()
if (process.argv[2] === 'ours') {
  const { built } = await import('../built.js')
  const { fastifyCloud } = await built('lib/index.js')
  const empty = () => ({ list: () => [] })
  const { storage, runtime } = {
    // What a host takes for these loads libraries of its own.
    storage: { users: { list: async () => [] }, roles: {}, sessions: {}, keys: {}, audit: {}, metrics: {} },
    runtime: { services: empty(), groups: empty(), platforms: empty(), players: empty(), metrics: { sample: () => ({}) } }
  }
  await app.register(fastifyCloud, { storage, runtime, secret: 'x'.repeat(32), metrics: { interval: 0 } })
}
await app.ready()
const { user, system } = process.cpuUsage()
console.log((user + system) / 1000)
process.exit()
