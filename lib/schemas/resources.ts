/** The resources of the interface as schemas; each is proved equal to its interface in `types/resources.ts`. */
import type * as wire from '../../types/resources.js'
import { type ObjectOptions, type Static, type TSchema, Type } from '../typebox.js'

/** Of memory in use, more than any machine has. */
export const mostMegabytes = 1e9

const most = Number.MAX_SAFE_INTEGER
const Milliseconds = Type.Integer({ minimum: 0, maximum: most, description: 'Milliseconds since the Unix epoch' })
const Megabytes = Type.Number({ minimum: 0, maximum: most, description: 'MB' })
const Players = Type.Integer({ minimum: -1, maximum: most })

/** Marks a schema that the OpenAPI document has by name, among its components. */
export const resource: unique symbol = Symbol('resource')

const Named = <T extends TSchema>(name: string, schema: T): T => ({ ...schema, [resource]: name })

export const Role = Named('Role', Type.Object({
  id: Type.Integer(),
  label: Type.String(),
  hexColor: Type.String(),
  default: Type.Boolean(),
  permissions: Type.Array(Type.String())
}))

export const CountedRole = Named('CountedRole', Type.Object({ ...Role.properties, userCount: Type.Integer() }))

export const User = Named('User', Type.Object({
  uuid: Type.String(),
  username: Type.String(),
  role: Role,
  hasChangedPassword: Type.Boolean(),
  createdAt: Milliseconds
}))

export const Token = Named('Token', Type.Object({
  id: Type.String({ description: 'Can be given to `DELETE /user/token/{token}` in place of the token' }),
  current: Type.Boolean({ description: 'Whether it is the one in use' }),
  value: Type.String({ description: 'The JSON Web Token' }),
  data: Type.Object({
    userUUID: Type.String(),
    ip: Type.String(),
    userAgent: Type.String(),
    lastActivity: Milliseconds
  })
}))

/**
 * An object of free keys. `Type.Record` tests each key with a regular expression, which costs more than all other checks
 * of a service together, and leaves the values of keys with a line end unchecked.
 */
export const FreeKeys = <T extends TSchema>(value: T, options: ObjectOptions = {}) =>
  Type.Unsafe<Record<string, Static<T>>>(Type.Object({}, { ...options, additionalProperties: value }))

const Somebody = Type.Object({ uuid: Type.String(), username: Type.String() })

export const AuditEntry = Named('AuditEntry', Type.Object({
  at: Milliseconds,
  action: Type.String(),
  user: Type.Union([Somebody, Type.Null()]),
  key: Type.Union([Type.String(), Type.Null()]),
  address: Type.String(),
  target: Type.Union([Type.String(), Type.Null()]),
  outcome: Type.Union([Type.Literal('done'), Type.Literal('refused'), Type.Literal('failed')]),
  detail: FreeKeys(Type.Unknown())
}))

const keyFields = {
  id: Type.String(),
  label: Type.String(),
  permissions: Type.Array(Type.String()),
  addresses: Type.Array(Type.String(), { description: 'From where it is accepted; none: from anywhere' }),
  expiresAt: Type.Union([Milliseconds, Type.Null()], { description: 'Null: never' }),
  createdAt: Milliseconds
}

export const NewKey = Named('NewKey', Type.Object({ ...keyFields, key: Type.String({ description: 'The key itself, which is never shown again' }) }))

export const Key = Named('Key', Type.Object({
  ...keyFields,
  lastUsedAt: Type.Union([Milliseconds, Type.Null()], { description: 'Written down now and then, not at each use; null: not yet' })
}))

export const OwnedKey = Named('OwnedKey', Type.Object({ ...Key.properties, user: Somebody }))

export const TemplateFile = Named('TemplateFile', Type.Object({
  path: Type.String({ minLength: 1 }), size: Type.Integer({ minimum: 0 }), mode: Type.String({ pattern: '^0[0-7]{3}$' }), modifiedAt: Type.Number()
}))
export const Template = Named('Template', Type.Object({ name: Type.String({ minLength: 1 }), size: Type.String() }))

export const ServiceState = Named('ServiceState', Type.Union([
  Type.Literal('ONLINE'), Type.Literal('OFFLINE'), Type.Literal('STARTING'), Type.Literal('STOPPING')
]))
export const ServiceType = Named('ServiceType', Type.Union([Type.Literal('SERVER'), Type.Literal('PROXY')]))

export const Exit = Named('Exit', Type.Object({
  at: Milliseconds,
  reason: Type.Union([
    Type.Literal('stopped'), Type.Literal('crashed'), Type.Literal('killed'), Type.Literal('timeout'), Type.Literal('unresponsive'),
    Type.Literal('unknown')
  ]),
  code: Type.Union([Type.Integer(), Type.Null()]),
  signal: Type.Union([Type.String({ maxLength: 64 }), Type.Null()]),
  lastLines: Type.Array(Type.String({ maxLength: 4_096 }), { maxItems: 100 })
}))

export const Service = Named('Service', Type.Object({
  name: Type.String({ minLength: 1 }),
  state: ServiceState,
  type: ServiceType,
  groupName: Type.String(),
  hostname: Type.String(),
  port: Type.Integer({ minimum: 0, maximum: 65535 }),
  templates: Type.Array(Template),
  properties: FreeKeys(Type.String()),
  minMemory: Megabytes,
  maxMemory: Megabytes,
  playerCount: Players,
  maxPlayerCount: Players,
  playersKnown: Type.Optional(Type.Boolean()),
  memoryUsage: Type.Number({ minimum: 0, maximum: mostMegabytes, description: 'MB' }),
  cpuUsage: Type.Number({ minimum: 0, maximum: 100, description: 'Percent of the whole machine' }),
  motd: Type.String(),
  startedAt: Type.Optional(Milliseconds),
  lastExit: Type.Optional(Exit)
}))

export const Player = Named('Player', Type.Object({
  name: Type.String({ minLength: 1 }),
  uuid: Type.String(),
  currentServiceName: Type.String()
}))

export const PropertyValue = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

export const Group = Named('Group', Type.Object({
  name: Type.String({ minLength: 1 }),
  minMemory: Megabytes,
  maxMemory: Megabytes,
  minOnlineService: Type.Integer({ minimum: 0, maximum: most }),
  maxOnlineService: Type.Integer({ minimum: 0, maximum: most }),
  platform: Type.Object({ name: Type.String(), version: Type.String() }),
  percentageToStartNewService: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'How full the group is when one more service starts; 0 switches this off'
  }),
  properties: FreeKeys(PropertyValue),
  templates: Type.Array(Type.String()),
  createdAt: Milliseconds
}))

const Count = Type.Integer({ minimum: 0, maximum: most })

export const RestartProgress = Named('RestartProgress', Type.Object({ done: Count, total: Count }))

export const GroupStatus = Named('GroupStatus', Type.Object({
  reason: Type.Optional(Type.String({ description: 'Why the group is as it is, for people' })),
  services: Type.Object({ ONLINE: Count, STARTING: Count, STOPPING: Count, OFFLINE: Count }),
  restart: Type.Optional(RestartProgress)
}))

export const Platform = Named('Platform', Type.Object({
  name: Type.String({ minLength: 1 }),
  type: ServiceType,
  versions: Type.Array(Type.Object({ version: Type.String() }))
}))

export const Usage = Named('Usage', Type.Object({ polocloud: Type.Number(), services: Type.Number(), total: Type.Number() }))

export const SystemInformation = Named('SystemInformation', Type.Object({
  cpuUsage: Usage,
  memoryUsage: Usage,
  runtime: Type.String(),
  uptime: Type.Number({ minimum: 0 })
}))

export const HistoryPoint = Named('HistoryPoint', Type.Object({ timestamp: Milliseconds, avgCpu: Type.Number(), avgRam: Type.Number() }))

export const AverageUsage = Named('AverageUsage', Type.Object({ avgCpu: Usage, avgRam: Usage, from: Milliseconds, to: Milliseconds }))

/** A type of which no part can be changed. */
export type DeepReadonly<T> = T extends (infer U)[] ? ReadonlyArray<DeepReadonly<U>>
  : T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T
type Same<A, B> = [A] extends [B] ? [B] extends [A] ? true : never : never
type Proof<S extends TSchema, W> = Same<DeepReadonly<Static<S>>, W>

/** Fails to compile when a schema and its interface part ways. */
export const proofs: [
  Proof<typeof Role, wire.Role>, Proof<typeof CountedRole, wire.CountedRole>, Proof<typeof User, wire.User>,
  Proof<typeof Token, wire.Token>, Proof<typeof Template, wire.Template>, Proof<typeof TemplateFile, wire.TemplateFile>, Proof<typeof Service, wire.Service>,
  Proof<typeof Player, wire.Player>, Proof<typeof Group, wire.Group>, Proof<typeof Platform, wire.Platform>,
  Proof<typeof SystemInformation, wire.SystemInformation>, Proof<typeof HistoryPoint, wire.HistoryPoint>,
  Proof<typeof AverageUsage, wire.AverageUsage>, Proof<typeof Key, wire.Key>, Proof<typeof NewKey, wire.NewKey>,
  Proof<typeof OwnedKey, wire.OwnedKey>, Proof<typeof AuditEntry, wire.AuditEntry>
] = [true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true, true]
