/** Checks the options at registration and fills in the defaults. */
import { performance } from 'node:perf_hooks'
import { SetupError } from '../types/errors.js'
import type { Clock, CloudOptions, MetricRegistry } from '../types/options.js'
import type { CloudRuntime } from '../types/runtime.js'
import type { CloudStorage } from '../types/storage.js'
import { Errors, type Static, Type } from './typebox.js'
import { version } from './version.js'

const Flag = (preset: boolean) => Type.Boolean({ default: preset, description: 'true or false' })
const From1 = (preset: number, unit: string) =>
  Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, default: preset, description: `${unit} from 1` })
const Bytes = (preset: number) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, default: preset, description: 'bytes from 1' })
const anObject = { description: 'an object' }
const origins = { description: 'a list of origins such as https://panel.example, without wildcards' }

const Plain = Type.Object({
  prefix: Type.String({ pattern: '^(/(?!\\.{1,2}(?:/|$))[A-Za-z0-9._~-]+)+$', default: '/cloud/api/v3', description: 'a path that begins with / and does not end with it, without . and .. in it' }),
  namespace: Type.String({ pattern: '^[a-z0-9-]+$', default: 'cloud', description: 'lower-case letters, digits and dashes' }),
  decorator: Type.String({ pattern: '^[A-Za-z_$][A-Za-z0-9_$]*$', default: 'cloud', description: 'a JavaScript name' }),
  version: Type.String({ minLength: 1, description: 'a text that is not empty' }),
  tokenBinding: Type.Object({
    ip: Flag(true),
    userAgent: Flag(true)
  }, anObject),
  cookie: Type.Object({
    name: Type.String({ pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$", default: 'token', description: 'a cookie name of at most 64 characters' }),
    domain: Type.Optional(Type.String({ pattern: '^\\.?[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)*$', maxLength: 253, description: 'a domain name' })),
    sameSite: Type.Union([Type.Literal('strict'), Type.Literal('lax'), Type.Literal('none')], { default: 'strict', description: "'strict', 'lax' or 'none'" }),
    secure: Flag(true)
  }, anObject),
  allowedOrigins: Type.Array(Type.String(origins), { default: [], ...origins }),
  requirePasswordChange: Flag(true),
  requireCurrentPassword: Flag(false),
  minPasswordLength: Type.Integer({ minimum: 1, maximum: 72, default: 8, description: 'a whole number from 1 to 72' }),
  passwordCost: Type.Integer({ minimum: 4, maximum: 15, default: 10, description: 'a whole number from 4 to 15' }),
  sessionsPerUser: Type.Integer({ minimum: 1, maximum: 10_000, default: 50, description: 'a whole number from 1 to 10,000' }),
  keysPerUser: Type.Integer({ minimum: 1, maximum: 10_000, default: 100, description: 'a whole number from 1 to 10,000' }),
  auditDays: From1(90, 'days'),
  loginThrottle: Type.Object({
    perAddress: From1(10, 'a whole number'),
    perAddressAndName: From1(10, 'a whole number'),
    window: From1(300_000, 'milliseconds')
  }, anObject),
  runtimeTimeout: From1(10_000, 'milliseconds'),
  deleteTimeout: From1(120_000, 'milliseconds'),
  maxTemplateFile: Bytes(536_870_912),
  maxTemplateArchive: Bytes(4_294_967_296),
  live: Type.Object({
    queryToken: Flag(false),
    binding: Flag(true),
    socketsPerUser: From1(30, 'a whole number'),
    sockets: From1(1_000, 'a whole number'),
    message: From1(16_384, 'bytes'),
    backlog: From1(1_048_576, 'bytes'),
    history: From1(65_536, 'bytes')
  }, anObject),
  metrics: Type.Object({
    registry: Type.Optional(Type.Unsafe<MetricRegistry>(Type.Any({ description: 'a Registry of prom-client' }))),
    interval: Type.Integer({ minimum: 0, maximum: 60_000, default: 5_000, description: 'milliseconds from 0 to 60,000' }),
    keepMinutes: From1(7, 'days'),
    keepHours: From1(90, 'days'),
    keepDays: From1(1_825, 'days')
  }, anObject)
})

/** The options with every default filled in. */
export interface Settings extends Static<typeof Plain> {
  readonly runtime: CloudRuntime
  readonly storage: CloudStorage
  readonly secret: string
  readonly clock: Clock
}

const parts = ['runtime', 'storage', 'secret', 'clock']
/** What Fastify itself understands in the options of a plugin. */
const ofFastify = ['prefix', 'logLevel', 'logSerializers']

/**
 * Answers the options with defaults.
 * @throws SetupError `CLOUD_ERR_OPTION`, naming the option and what was given; never the secret's value.
 */
export function readOptions (given: CloudOptions): Settings {
  if (typeof given !== 'object' || given === null) throw wrong('options', 'an object', given)
  for (const name of Object.keys(given)) {
    if (!parts.includes(name) && !ofFastify.includes(name) && !Object.hasOwn(Plain.properties, name)) {
      throw new SetupError('CLOUD_ERR_OPTION', `Option \`${name}\` is unknown`)
    }
  }
  const plain = fillDefaults(Plain, { version, ...defined(given) })
  const error = Errors(Plain, plain).First()
  if (error !== undefined) {
    throw wrong(error.path.slice(1).replaceAll('/', '.'), error.schema.description ?? 'of another form', error.value)
  }
  const settings = plain as Static<typeof Plain>
  checkParts(given)
  checkCookie(settings.cookie)
  checkMetrics(settings.metrics)
  settings.allowedOrigins.forEach(checkOrigin)
  const { runtime, storage, secret, clock = systemClock } = given
  return { ...settings, allowedOrigins: [...settings.allowedOrigins], runtime, storage, secret, clock }
}

const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }

function wrong (name: string, wanted: string, value: unknown): SetupError {
  return new SetupError('CLOUD_ERR_OPTION', `Option \`${name}\` must be ${wanted}; given: ${show(value)}`)
}

function show (value: unknown): string {
  if (typeof value === 'function') return 'a function'
  // JSON writes NaN and Infinity as null, and knows no bigint.
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  try {
    return (JSON.stringify(value) ?? String(value)).slice(0, 100)
  } catch {
    return typeof value
  }
}

/** A part that somebody made, without its values: a connection string may be among them. */
function wrongPart (name: string, wanted: string, part: unknown): SetupError {
  const given = isFields(part) ? `an object with ${Object.keys(part).join(', ').slice(0, 100) || 'nothing'}` : part === null ? 'null' : typeof part
  return new SetupError('CLOUD_ERR_OPTION', `Option \`${name}\` must be ${wanted}; given: ${given}`)
}

type Fields = Record<string, unknown>

const isFields = (value: unknown): value is object => typeof value === 'object' && value !== null && !Array.isArray(value)

const defined = (fields: object): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

/** Copies what the schema knows, nested objects as well, and never touches the caller's object. */
function fillDefaults (schema: typeof Plain, given: Fields): Fields {
  const filled: Fields = {}
  for (const [name, property] of Object.entries(schema.properties)) {
    const value = given[name]
    const nested = property as unknown as typeof Plain
    if (nested.properties !== undefined && (value === undefined || isFields(value))) {
      const fields = defined(value ?? {})
      const unknown = Object.keys(fields).find(key => !Object.hasOwn(nested.properties, key))
      if (unknown !== undefined) throw new SetupError('CLOUD_ERR_OPTION', `Option \`${name}.${unknown}\` is unknown`)
      filled[name] = fillDefaults(nested, fields)
    } else if (value !== undefined || property.default !== undefined) {
      filled[name] = value === undefined ? property.default : value
    }
  }
  return filled
}

function checkParts ({ runtime, storage, secret, clock }: CloudOptions): void {
  if (typeof secret !== 'string' || Buffer.byteLength(secret) < 32) {
    const given = typeof secret === 'string' ? `${Buffer.byteLength(secret)} bytes` : typeof secret
    throw new SetupError('CLOUD_ERR_OPTION', `Option \`secret\` must be a string of at least 32 bytes; given: ${given}`)
  }
  for (const part of ['services', 'groups', 'platforms', 'players'] as const) {
    if (typeof runtime?.[part]?.list !== 'function') throw wrongPart('runtime', `a CloudRuntime with \`${part}.list()\``, runtime)
  }
  if (typeof runtime.metrics?.sample !== 'function') throw wrongPart('runtime', 'a CloudRuntime with `metrics.sample()`', runtime)
  for (const part of ['users', 'roles', 'sessions', 'keys', 'audit', 'metrics'] as const) {
    if (!isFields(storage?.[part])) throw wrongPart('storage', `a CloudStorage with \`${part}\``, storage)
  }
  if (clock !== undefined && (typeof clock?.now !== 'function' || typeof clock.elapsed !== 'function')) {
    throw wrongPart('clock', 'a Clock with `now()` and `elapsed()`', clock)
  }
}

/** Browsers drop cookies that break what their names promise (RFC 6265bis, Cookie Name Prefixes). */
function checkCookie ({ name, domain, sameSite, secure }: Settings['cookie']): void {
  const prefix = /^__(?:host|secure)-/i.exec(name)?.[0].toLowerCase()
  if (prefix !== undefined && !secure) throw wrong('cookie.name', `without ${prefix === '__host-' ? '__Host-' : '__Secure-'} where \`cookie.secure\` is false`, name)
  if (prefix === '__host-' && domain !== undefined) throw wrong('cookie.name', 'without __Host- where `cookie.domain` is set', name)
  if (sameSite === 'none' && !secure) {
    throw wrong('cookie.sameSite', "'strict' or 'lax' where `cookie.secure` is false", sameSite)
  }
}

function checkMetrics ({ registry, keepMinutes, keepHours, keepDays }: Settings['metrics']): void {
  if (registry !== undefined && (!isFields(registry) || typeof registry.registerMetric !== 'function' || typeof registry.metrics !== 'function')) {
    throw wrongPart('metrics.registry', 'a Registry of prom-client', registry)
  }
  if (keepHours < keepMinutes) throw wrong('metrics.keepHours', 'at least `metrics.keepMinutes`', keepHours)
  if (keepDays < keepHours) throw wrong('metrics.keepDays', 'at least `metrics.keepHours`', keepDays)
}

/** The origin of a page as a browser sends it. What else has one, `ws:` for instance, has no pages. */
const origin = /^https?:\/\/(?:[a-z0-9._-]+|\[[0-9a-f:]+\])(?::\d+)?$/

function checkOrigin (given: string): void {
  if (!origin.test(given) || !URL.canParse(given) || new URL(given).origin !== given) throw wrong('allowedOrigins', origins.description, given)
}
