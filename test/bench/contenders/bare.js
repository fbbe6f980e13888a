/** The floor: Fastify with the response schema, and no checks at all. */
import Fastify from 'fastify'
import { listen } from './listen.js'
import { servicesOf } from '../things.js'

const string = { type: 'string' }
const number = { type: 'number' }
const integer = { type: 'integer' }
const object = properties => ({ type: 'object', properties })
const enveloped = data => ({ schema: { response: { 200: object({ status: integer, data }) } } })

const service = object({
  name: string,
  state: string,
  type: string,
  groupName: string,
  hostname: string,
  port: integer,
  templates: { type: 'array', items: object({ name: string, size: string }) },
  properties: { type: 'object', additionalProperties: string },
  minMemory: number,
  maxMemory: number,
  playerCount: integer,
  maxPlayerCount: integer,
  memoryUsage: number,
  cpuUsage: number,
  motd: string
})
const user = object({
  uuid: string,
  username: string,
  role: object({ id: integer, label: string, hexColor: string, default: { type: 'boolean' }, permissions: { type: 'array', items: string } }),
  hasChangedPassword: { type: 'boolean' },
  createdAt: integer
})

await listen(async ({ self, services = 100 }) => {
  const app = Fastify()
  const all = servicesOf(services)
  app.get('/services/list', enveloped({ type: 'array', items: service }), async () => ({ status: 200, data: [...all] }))
  app.get('/user/self', enveloped(user), async () => ({ status: 200, data: self }))
  return { app }
})
