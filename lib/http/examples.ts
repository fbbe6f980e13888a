/** Examples of what is sent and answered, for those who read the OpenAPI document. */
import { resource } from '../schemas/resources.js'
import { Kind, type TSchema } from '../typebox.js'

const at = 1_767_225_600_000
const uuid = '0f8fad5b-d9cb-469f-a165-70867728950e'
const role = { id: 1, label: 'Builder', hexColor: '#3366FF', default: false, permissions: ['cloud.service.list', 'cloud.templates.edit'] }
const user = { uuid, username: 'alice', role, hasChangedPassword: true, createdAt: at }
const key = {
  id: 'q2d7nlvbkm5x', label: 'haproxy', permissions: ['cloud.service.list'], addresses: ['192.0.2.0/24'], expiresAt: null, createdAt: at
}
const template = { name: 'lobby', size: 'unknown' }
const usage = { polocloud: 1.5, services: 20.5, total: 22 }
const lastExit = { at, reason: 'crashed', code: 1, signal: null, lastLines: ['java.lang.OutOfMemoryError: Java heap space'] }

/** One of each resource, by its name. */
const resources: Readonly<Record<string, unknown>> = {
  Role: role,
  CountedRole: { ...role, userCount: 2 },
  User: user,
  Token: { id: '8f14e45fceea', current: true, value: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl', data: { userUUID: uuid, ip: '192.0.2.7', userAgent: 'curl/8.5.0', lastActivity: at } },
  AuditEntry: { at, action: 'group.created', user: { uuid, username: 'alice' }, key: null, address: '192.0.2.7', target: 'lobby', outcome: 'done', detail: {} },
  Key: { ...key, lastUsedAt: at },
  NewKey: { ...key, key: 'fc_q2d7nlvbkm5x_0000000000000000000000000000000000000000' },
  OwnedKey: { ...key, lastUsedAt: null, user: { uuid, username: 'alice' } },
  Template: template,
  TemplateFile: { path: 'plugins/motd/config.yml', size: 120, mode: '0644', modifiedAt: at },
  ServiceState: 'ONLINE',
  ServiceType: 'SERVER',
  Exit: lastExit,
  Service: {
    name: 'lobby-1',
    state: 'ONLINE',
    type: 'SERVER',
    groupName: 'lobby',
    hostname: '127.0.0.1',
    port: 25566,
    templates: [template],
    properties: { fallback: 'true' },
    minMemory: 512,
    maxMemory: 1024,
    playerCount: 3,
    maxPlayerCount: 20,
    memoryUsage: 410,
    cpuUsage: 12.5,
    motd: 'Welcome',
    startedAt: at,
    lastExit
  },
  Player: { name: 'Notch', uuid: '069a79f4-44e9-4726-a5be-fca90e38aaf5', currentServiceName: 'lobby-1' },
  Group: {
    name: 'lobby',
    minMemory: 512,
    maxMemory: 1024,
    minOnlineService: 1,
    maxOnlineService: 4,
    platform: { name: 'limbo', version: 'latest' },
    percentageToStartNewService: 80,
    properties: { fallback: true, static: false },
    templates: ['lobby'],
    createdAt: at
  },
  GroupStatus: { reason: 'starting one more', services: { ONLINE: 2, STARTING: 1, STOPPING: 0, OFFLINE: 0 }, restart: { done: 1, total: 3 } },
  RestartProgress: { done: 1, total: 3 },
  Platform: { name: 'limbo', type: 'SERVER', versions: [{ version: 'latest' }] },
  Usage: usage,
  SystemInformation: { cpuUsage: usage, memoryUsage: usage, runtime: 'Node.js v20.20.2', uptime: 86_400_000 },
  HistoryPoint: { timestamp: at, avgCpu: 22, avgRam: 2048 },
  AverageUsage: { avgCpu: usage, avgRam: usage, from: 0, to: at }
}

/** Of fields that are no resource's, by their name. */
const fields: Readonly<Record<string, unknown>> = {
  username: 'alice',
  password: 'correct horse battery staple',
  currentPassword: 'not so good a password',
  roleId: 0,
  uuid,
  uniqueId: '069a79f4-44e9-4726-a5be-fca90e38aaf5',
  label: 'Builder',
  hexColor: '#3366FF',
  permissions: ['cloud.service.list'],
  addresses: ['192.0.2.0/24'],
  expiresAt: at,
  createdAt: at,
  name: 'lobby',
  platform: { name: 'limbo', version: 'latest' },
  command: 'service list',
  currentServiceName: 'lobby-1',
  version: 'latest',
  token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl',
  output: ['lobby-1 ONLINE 127.0.0.1:25566 3/20 players'],
  minMemory: 512,
  maxMemory: 1024,
  minOnlineService: 1,
  maxOnlineService: 4,
  percentageToStartNewService: 80,
  properties: { fallback: true },
  templates: ['lobby'],
  storage: 'ok',
  runtime: 'ok',
  size: 20
}

/** An example of what fits a schema; `status` is that of the answer that it is in. */
export function exampleOf (schema: TSchema, status?: number, name?: string): unknown {
  const { [resource as never]: known } = schema as TSchema & { [resource]?: string }
  if (known !== undefined) return resources[known]
  if (name === 'status' && status !== undefined) return status
  if (schema[Kind] === 'Literal') return schema['const']
  if (name !== undefined && name in fields) return fields[name]
  if (schema['anyOf'] !== undefined) return exampleOf((schema['anyOf'] as TSchema[])[0] as TSchema, status)
  switch (schema['type']) {
    case 'array': return [exampleOf(schema['items'] as TSchema, status)]
    case 'object': return Object.fromEntries(Object.entries<TSchema>(schema['properties'] ?? {})
      // The texts of answers are each route's own.
      .filter(([field]) => field !== 'message')
      .map(([field, inner]) => [field, exampleOf(inner, status, field)]))
    case 'string': return 'text'
    case 'boolean': return true
    default: return 1
  }
}
