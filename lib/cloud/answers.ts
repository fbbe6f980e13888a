/**
 * Checks what a runtime answers. Known fields are copied first and the copy is checked, so that what was checked is
 * what is sent, whatever the runtime does with its object afterwards.
 */
import type { FastifyBaseLogger } from 'fastify'
import type { Group, Platform, Player, Service, Template } from '../../types/resources.js'
import type { MetricSample, RuntimeService } from '../../types/runtime.js'
import { type Failure, RuntimeAnswerInvalid } from '../errors.js'
import * as schemas from '../schemas/resources.js'
import { type Static, type TSchema, Type, type TypeCheck, checkOf } from '../typebox.js'
import { type Pieces, inPieces, isLong } from './pieces.js'

/** What an item of a list must look like. */
export interface Shape<T> {
  readonly name: string
  readonly check: () => TypeCheck<TSchema>
  copy (given: any): T
}

const shape = <T>(name: string, schema: TSchema, copy: (given: any) => T): Shape<T> =>
  ({ name, check: checkOf(schema), copy })

const copyTemplate = ({ name, size }: Template): Template => ({ name, size })

/** A plain copy of a list: an array's own `map` would make another of its kind, with whatever methods it has. */
function copyList<T, U> (given: readonly T[], copy: (one: T) => U): U[] {
  if (!Array.isArray(given)) throw new TypeError('Not a list')
  const copied: U[] = []
  for (let index = 0; index < given.length; index++) copied.push(copy(given[index]))
  return copied
}

/** The copy of a record; what is no record stays what it is, so that the check finds it. */
const copyRecord = <T extends object>(given: T): T => isRecord(given) ? { ...given } : given

const isRecord = (given: unknown): boolean => typeof given === 'object' && given !== null && !Array.isArray(given)

export const serviceShape: Shape<RuntimeService> = shape('service',
  Type.Object({ ...schemas.Service.properties, createdAt: Type.Number({ minimum: 0 }) }),
  (given: RuntimeService) => ({
    name: given.name,
    state: given.state,
    type: given.type,
    groupName: given.groupName,
    hostname: given.hostname,
    port: given.port,
    templates: copyList(given.templates, copyTemplate),
    properties: copyRecord(given.properties),
    minMemory: given.minMemory,
    maxMemory: given.maxMemory,
    playerCount: given.playerCount,
    maxPlayerCount: given.maxPlayerCount,
    memoryUsage: given.memoryUsage,
    cpuUsage: given.cpuUsage,
    motd: given.motd,
    createdAt: given.createdAt
  }))

/** A service as the interface shows it; field by field, because leaving one out of a copy is much slower. */
export const showService = (service: RuntimeService): Service => ({
  name: service.name,
  state: service.state,
  type: service.type,
  groupName: service.groupName,
  hostname: service.hostname,
  port: service.port,
  templates: service.templates,
  properties: service.properties,
  minMemory: service.minMemory,
  maxMemory: service.maxMemory,
  playerCount: service.playerCount,
  maxPlayerCount: service.maxPlayerCount,
  memoryUsage: service.memoryUsage,
  cpuUsage: service.cpuUsage,
  motd: service.motd
})

export const groupShape: Shape<Group> = shape('group', schemas.Group, (given: Group) => ({
  name: given.name,
  minMemory: given.minMemory,
  maxMemory: given.maxMemory,
  minOnlineService: given.minOnlineService,
  maxOnlineService: given.maxOnlineService,
  platform: { name: given.platform.name, version: given.platform.version },
  percentageToStartNewService: given.percentageToStartNewService,
  // Each property that is not specified defaults to false (specification, Group).
  properties: isRecord(given.properties) ? { fallback: false, static: false, ...given.properties } : given.properties,
  templates: copyList(given.templates, name => name),
  createdAt: given.createdAt
}))

export const platformShape: Shape<Platform> = shape('platform', schemas.Platform, ({ name, type, versions }: Platform) =>
  ({ name, type, versions: copyList(versions, ({ version }) => ({ version })) }))

export const playerShape: Shape<Player> = shape('player', schemas.Player, ({ name, uuid, currentServiceName }: Player) =>
  ({ name, uuid, currentServiceName }))

export const templateShape: Shape<Template> = shape('template', schemas.Template, copyTemplate)

const Usage = Type.Object({ core: Type.Number({ minimum: 0 }), services: Type.Number({ minimum: 0 }) })

const sampleShape: Shape<MetricSample> = shape('sample',
  Type.Object({ cpu: Usage, memory: Usage, runtime: Type.String(), uptime: Type.Number({ minimum: 0 }) }),
  ({ cpu, memory, runtime, uptime }: MetricSample) => ({
    cpu: { core: cpu.core, services: cpu.services },
    memory: { core: memory.core, services: memory.services },
    runtime,
    uptime
  }))

/**
 * The items of a list that are right; a wrong one is left out and logged with its field. Each piece of a long list is
 * checked in the turn of the event loop in which it is handed over.
 */
export function checkList<T> (given: unknown, shape: Shape<T>, log: FastifyBaseLogger): Pieces<T> {
  if (!Array.isArray(given)) throw wrong(`The list of ${shape.name}s is ${kindOf(given)}`)
  return isLong(given) ? checkLong([...given], shape, log) : checkPiece(given, shape, log)
}

async function * checkLong<T> (given: readonly unknown[], shape: Shape<T>, log: FastifyBaseLogger): AsyncGenerator<readonly T[]> {
  let from = 0
  for await (const piece of inPieces(given)) {
    yield checkPiece(piece, shape, log, from)
    from += piece.length
  }
}

function checkPiece<T> (given: readonly unknown[], { name, check: ready, copy }: Shape<T>, log: FastifyBaseLogger, from = 0): readonly T[] {
  const check = ready()
  const items: T[] = []
  for (let index = 0; index < given.length; index++) {
    const copied = tryCopy(given[index], copy)
    if (copied !== undefined && check.Check(copied)) items.push(copied)
    else log.warn({ list: name, index: from + index, field: fieldOf(check, copied) }, 'The runtime listed a wrong item; it is left out')
  }
  return items
}

/** @throws Failure 502 when the sample is wrong */
export function checkSample (given: unknown): MetricSample {
  return checkOne(given, sampleShape)
}

/** @throws Failure 502 when the group is wrong */
export function checkGroup (given: unknown): Group {
  return checkOne(given, groupShape)
}

function checkOne<T> (given: unknown, { name, check, copy }: Shape<T>): T {
  const copied = tryCopy(given, copy)
  if (copied === undefined || !check().Check(copied)) throw wrong(`The ${name} is wrong at ${fieldOf(check(), copied)}`)
  return copied
}

/** The answer of a verb, which must be one of the words that the contract names. */
export function checkWord<const T> (given: unknown, words: readonly T[]): T {
  if (!words.includes(given as T)) throw wrong(`The answer is ${kindOf(given)} and none of ${words.join(', ')}`)
  return given as T
}

const Words = Type.Object({ accepted: Type.Boolean(), output: Type.Array(Type.String()) })
const words = checkOf(Words)

/** The answer of a terminal. */
export function checkOutput (given: unknown): Static<typeof Words> {
  const copied = tryCopy(given, ({ accepted, output }: Static<typeof Words>) => ({ accepted, output: copyList(output, line => line) }))
  if (!words().Check(copied)) throw wrong(`The answer of the terminal is wrong at ${fieldOf(words(), copied)}`)
  return copied
}

/** The refusal for the client, and for the log and a host's hooks what was wrong; never what was given. */
export const wrong = (sentence: string): Failure => RuntimeAnswerInvalid.because(new Error(sentence))

const kindOf = (given: unknown): string => given === null ? 'null' : given === undefined ? 'undefined' : `a ${typeof given}`

function tryCopy<T> (given: unknown, copy: (given: any) => T): T | undefined {
  try {
    return copy(given)
  } catch {
    return undefined
  }
}

function fieldOf (check: TypeCheck<TSchema>, copied: unknown): string {
  return copied === undefined ? '(not an object of that kind)' : check.Errors(copied).First()?.path ?? '?'
}
