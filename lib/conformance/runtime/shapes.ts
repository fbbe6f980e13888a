/** What an item of each list looks like: the fields, their kinds and their ranges. */
import assert from 'node:assert/strict'

type Check = (value: unknown, path: string) => void
type Fields = Readonly<Record<string, Check>>

const is = (kind: string, holds: (value: unknown) => boolean): Check => (value, path) => {
  if (!holds(value)) assert.fail(`${path} must be ${kind}, not ${JSON.stringify(value) ?? String(value)}`)
}

const text = is('a string', value => typeof value === 'string')
const name = is('a string that is not empty', value => typeof value === 'string' && value !== '')
const whole = (least: number, most = Infinity): Check => is(`a whole number from ${least} to ${most}`,
  value => Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
const figure = (least: number, most = Infinity): Check => is(`a number from ${least} to ${most}`,
  value => typeof value === 'number' && Number.isFinite(value) && value >= least && value <= most)
const oneOf = (...words: readonly unknown[]): Check => is(`one of ${words.join(', ')}`, value => words.includes(value))

const list = (item: Check): Check => (value, path) => {
  assert.ok(Array.isArray(value), `${path} must be an array`)
  for (const [index, each] of value.entries()) item(each, `${path}[${index}]`)
}
const record = (value: Check): Check => (given, path) => {
  assert.ok(typeof given === 'object' && given !== null, `${path} must be an object`)
  for (const [key, each] of Object.entries(given)) value(each, `${path}.${key}`)
}
const object = (fields: Fields): Check => (given, path) => {
  assert.ok(typeof given === 'object' && given !== null, `${path} must be an object`)
  for (const [key, check] of Object.entries(fields)) check((given as Record<string, unknown>)[key], `${path}.${key}`)
}

export const template = object({ name, size: text })

export const templateFile = object({
  path: is('names with / between them', value => typeof value === 'string' && value.split('/').every(part => part !== '' && part !== '.' && part !== '..')),
  size: whole(0),
  mode: is('four octal digits, the first one 0', value => typeof value === 'string' && /^0[0-7]{3}$/.test(value)),
  modifiedAt: figure(0)
})

const state = oneOf('ONLINE', 'OFFLINE', 'STARTING', 'STOPPING')

/** More MB than anything in a test uses: a figure beyond it is in bytes. */
const MEGABYTES = 1_000_000

const usage = (most: number): Check => object({ core: figure(0, most), services: figure(0, most) })

const serviceFields = object({
  name,
  state,
  type: oneOf('SERVER', 'PROXY'),
  groupName: name,
  hostname: text,
  port: whole(0, 65_535),
  templates: list(template),
  properties: record(text),
  minMemory: figure(0),
  maxMemory: figure(0),
  playerCount: whole(-1),
  maxPlayerCount: whole(-1),
  memoryUsage: figure(0, MEGABYTES),
  // Nobody measures exactly.
  cpuUsage: figure(0, 110),
  motd: text,
  createdAt: figure(1)
})

const optional = (check: Check): Check => (value, path) => { if (value !== undefined) check(value, path) }

/** What a service was started or ended at may be this much before its first start: clocks are read one after the other. */
const READ_APART_MS = 1_000

const exit = object({
  at: figure(1),
  reason: oneOf('stopped', 'crashed', 'killed', 'timeout', 'unresponsive', 'unknown'),
  code: is('a whole number or null', value => value === null || Number.isInteger(value)),
  signal: is('a name as SIGKILL, or null', value => value === null || (typeof value === 'string' && /^SIG[A-Z0-9+-]+$/.test(value))),
  lastLines: list(text)
})

const lives = object({ playersKnown: optional(is('true or false', value => typeof value === 'boolean')), startedAt: optional(figure(1)), lastExit: optional(exit) })

export const service: Check = (given, path) => {
  serviceFields(given, path)
  lives(given, path)
  const { createdAt, startedAt, lastExit, state, name: named, groupName } = given as { readonly state: string, readonly createdAt: number, readonly startedAt?: number, readonly lastExit?: { readonly at: number, readonly lastLines: readonly string[] }, readonly name: string, readonly groupName: string }
  for (const at of [startedAt, lastExit?.at]) assert.ok(at === undefined || at >= createdAt - READ_APART_MS, `${path}: startedAt and lastExit.at are milliseconds, and none is before createdAt, ${createdAt}, as ${at} is`)
  // By a clock of whole seconds a life may have begun before the one that ended in the same second.
  const hasEnded = state === 'ONLINE' && startedAt !== undefined && startedAt % 1_000 !== 0 && lastExit !== undefined && lastExit.at > startedAt + READ_APART_MS
  assert.ok(!hasEnded, `${path} is ONLINE, and its lastExit is that of the life before: it ended at ${lastExit?.at}, and this one began at ${startedAt}`)
  assert.ok((lastExit?.lastLines.length ?? 0) <= 10, `${path}.lastExit.lastLines has at most 10 lines`)
  assert.ok(named.startsWith(`${groupName}-`) && /^\d+$/.test(named.slice(groupName.length + 1)), `${path}.name must be the name of its group, a - and a number, as ${groupName}-1, not ${JSON.stringify(named)}`)
  const { type, playerCount, maxPlayerCount, memoryUsage, cpuUsage } = given as Record<string, unknown>
  for (const count of [playerCount, maxPlayerCount]) {
    assert.equal(count === -1, type === 'PROXY', `${path}: the player counts are -1 for a PROXY, and only then`)
  }
  const left = state === 'OFFLINE' ? Object.entries({ memoryUsage, cpuUsage, ...type !== 'PROXY' && { playerCount } }).find(([, figure]) => figure !== 0) : undefined
  assert.ok(left === undefined, `${path} is OFFLINE, where its ${left?.[0]} is 0, and not ${String(left?.[1])}`)
}

export const group = object({
  name,
  minMemory: whole(0),
  maxMemory: whole(0),
  minOnlineService: whole(0),
  maxOnlineService: whole(0),
  platform: object({ name, version: name }),
  percentageToStartNewService: figure(0, 100),
  properties: record(is('a string, a number or a boolean', value => ['string', 'number', 'boolean'].includes(typeof value))),
  templates: list(name),
  createdAt: figure(1)
})

const listed = object({ list: is('a function', value => typeof value === 'function') })

/** What no runtime leaves out. */
export const parts = object({
  services: listed,
  groups: listed,
  platforms: listed,
  players: listed,
  metrics: object({ sample: is('a function', value => typeof value === 'function') })
})

export const platform = object({ name, type: oneOf('SERVER', 'PROXY'), versions: list(object({ version: name })) })

export const player = object({ name, uuid: name, currentServiceName: name })

/** Nothing has run for thirty years: what is more is a time of day. */
const LONGEST_MS = 30 * 365 * 24 * 3_600_000

export const sample = object({ cpu: usage(110), memory: usage(MEGABYTES), runtime: name, uptime: figure(0, LONGEST_MS) })

export const line = is('one line', value => typeof value === 'string' && !/[\r\n]/.test(value))

export const answer = object({ accepted: oneOf(true, false), output: list(line) })

export const stateChange = object({ serviceName: name, state, at: figure(1) })

/** A line for people. */
export const sentence = is('one line that is not empty', value => typeof value === 'string' && value.trim() !== '' && !/[\r\n\u2028\u2029]/.test(value))

/** What is wrong with one of those properties. */
export const problem = (names: readonly string[]): Check => object({ name: oneOf(...names), problem: is('one line', value => typeof value === 'string' && value !== '' && !/[\r\n]/.test(value)) })

/** Checks every item of a list. */
export const every = (items: unknown, item: Check, path: string): void => list(item)(items, path)
