/** What the things that a runtime hands over must look like, and how their known fields are copied. */
import type { Exit, Group, Platform, Player, Service, Template, TemplateFile } from '../../types/resources.js'
import type { MetricSample, RestartProgress, RuntimeService, StateChange } from '../../types/runtime.js'
import * as schemas from '../schemas/resources.js'
import { type Static, type TObject, Type, type TypeCheck, checkOf } from '../typebox.js'

/** Items that a list inside an item may have, and lines that a terminal may answer. */
export const mostInside = 100_000
/** Items of lists, and properties, that all the items of one answer may have together. */
const mostInAll = 1_000_000
/** Characters that one answer may have in all. */
const mostCharacters = 67_108_864

/** What one answer may still take: what it holds itself may be small, and the same thing a thousand times. */
export interface Budget {
  inside: number
  characters: number
}

export const createBudget = (characters = mostCharacters): Budget => ({ inside: mostInAll, characters })

export const isSpent = ({ inside, characters }: Budget): boolean => inside < 0 || characters < 0

/** Milliseconds since the Unix epoch that a date can have (ECMAScript, Time Values). */
const latest = 8.64e15

/** What an item of a list must look like, an event, or an answer that is no list. */
export interface Shape<T> {
  readonly name: string
  /** The call that lists such things, where one does. */
  readonly call: string
  readonly check: () => TypeCheck<TObject>
  /** Takes what it copies from the budget. */
  copy (given: any, budget: Budget): T
}

const shape = <T>(name: string, schema: TObject, copy: Shape<T>['copy']): Shape<T> =>
  ({ name, call: `${name}s.list`, check: checkOf(schema), copy })

/** What should be a text, counted. */
function text<T> (given: T, budget: Budget): T {
  if (typeof given === 'string') budget.characters -= given.length
  return given
}

const copyTemplate = ({ name, size }: Template, budget: Budget): Template => ({ name: text(name, budget), size: text(size, budget) })

/**
 * The length that a list claims.
 * @throws Error saying what is wrong when it is no list, or claims more than `most`
 */
export function lengthOf (given: unknown, most: number): number {
  let length: number
  try {
    if (!Array.isArray(given)) throw new TypeError('not an array')
    length = given.length
  } catch {
    throw new TypeError('no list')
  }
  if (!Number.isSafeInteger(length) || length < 0) throw new RangeError('a length that is none')
  if (length > most) throw new RangeError(`more than ${most.toLocaleString('en')} items`)
  return length
}

/** An item of a list; undefined, which no right item is, where it cannot be read. */
export function itemAt (given: readonly unknown[], index: number): unknown {
  try {
    return given[index]
  } catch {
    return undefined
  }
}

/** A plain copy of a list: an array's own `map` would make another of its kind, with whatever methods it has. */
function copyList<T, U> (given: readonly T[], copy: (one: T, budget: Budget) => U, budget: Budget): U[] {
  const length = lengthOf(given, mostInside)
  budget.inside -= length
  if (budget.inside < 0) throw new RangeError('more than the budget')
  const copied: U[] = []
  for (let index = 0; index < length; index++) copied.push(copy(given[index] as T, budget))
  return copied
}

/** The copy of a record; what is no record stays what it is, so that the check finds it. */
const copyRecord = <T extends object>(given: T, budget: Budget): T => isRecord(given) ? counted({ ...given }, budget) : given

function counted<T extends object> (copied: T, budget: Budget): T {
  for (const key in copied) {
    budget.inside--
    budget.characters -= key.length
    text(copied[key], budget)
  }
  return copied
}

/** What is measured as a little more than the whole machine is the whole machine; anything beyond that is wrong. */
const percent = (given: number): number => typeof given === 'number' && given > 100 && given <= 110 ? 100 : given

export const isRecord = (given: unknown): boolean => typeof given === 'object' && given !== null && !Array.isArray(given)

const copyExit = ({ at, reason, code, signal, lastLines }: Exit, budget: Budget): Exit =>
  ({ at, reason: text(reason, budget), code, signal: text(signal, budget), lastLines: copyList(lastLines, text, budget) })

/** What not every runtime tells, and not of every service. */
const nothing = {}
function lifeOf ({ startedAt, lastExit }: Service, copy: (exit: Exit) => Exit): Pick<Service, 'startedAt' | 'lastExit'> {
  if (lastExit === undefined) return startedAt === undefined ? nothing : { startedAt }
  return startedAt === undefined ? { lastExit: copy(lastExit) } : { startedAt, lastExit: copy(lastExit) }
}

const knownOf = ({ playersKnown }: Service): Pick<Service, 'playersKnown'> => playersKnown === undefined ? nothing : { playersKnown }

export const serviceShape: Shape<RuntimeService> = shape('service',
  Type.Object({ ...schemas.Service.properties, createdAt: Type.Number({ minimum: 0, maximum: latest }) }),
  (given: RuntimeService, budget) => ({
    name: text(given.name, budget),
    state: text(given.state, budget),
    type: text(given.type, budget),
    groupName: text(given.groupName, budget),
    hostname: text(given.hostname, budget),
    port: given.port,
    templates: copyList(given.templates, copyTemplate, budget),
    properties: copyRecord(given.properties, budget),
    minMemory: given.minMemory,
    maxMemory: given.maxMemory,
    playerCount: given.playerCount,
    maxPlayerCount: given.maxPlayerCount,
    ...knownOf(given),
    memoryUsage: given.memoryUsage,
    cpuUsage: percent(given.cpuUsage),
    motd: text(given.motd, budget),
    createdAt: given.createdAt,
    ...lifeOf(given, exit => copyExit(exit, budget))
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
  ...knownOf(service),
  memoryUsage: service.memoryUsage,
  cpuUsage: service.cpuUsage,
  motd: service.motd,
  ...lifeOf(service, exit => exit)
})

/** The properties that the interface names are false when absent (docs/interface.md, Groups). */
export const withDefaults = (properties: Group['properties']): Group['properties'] => ({ fallback: false, static: false, ...properties })

export const groupShape: Shape<Group> = shape('group', schemas.Group, (given: Group, budget) => ({
  name: text(given.name, budget),
  minMemory: given.minMemory,
  maxMemory: given.maxMemory,
  minOnlineService: given.minOnlineService,
  maxOnlineService: given.maxOnlineService,
  platform: { name: text(given.platform.name, budget), version: text(given.platform.version, budget) },
  percentageToStartNewService: given.percentageToStartNewService,
  properties: isRecord(given.properties) ? counted(withDefaults(given.properties), budget) : given.properties,
  templates: copyList(given.templates, text, budget),
  createdAt: given.createdAt
}))

export const platformShape: Shape<Platform> = shape('platform', schemas.Platform, ({ name, type, versions }: Platform, budget) => ({
  name: text(name, budget),
  type: text(type, budget),
  versions: copyList(versions, ({ version }) => ({ version: text(version, budget) }), budget)
}))

export const playerShape: Shape<Player> = shape('player', schemas.Player, ({ name, uuid, currentServiceName }: Player, budget) =>
  ({ name: text(name, budget), uuid: text(uuid, budget), currentServiceName: text(currentServiceName, budget) }))

export const templateShape: Shape<Template> = shape('template', schemas.Template, copyTemplate)

export const templateFileShape: Shape<TemplateFile> = shape('template file', schemas.TemplateFile, ({ path, size, mode, modifiedAt }: TemplateFile, budget) =>
  ({ path: text(path, budget), size, mode: text(mode, budget), modifiedAt }))

const Usage = (maximum: number) =>
  Type.Object({ core: Type.Number({ minimum: 0, maximum }), services: Type.Number({ minimum: 0, maximum }) })

export const sampleShape: Shape<MetricSample> = shape('sample',
  Type.Object({
    cpu: Usage(100),
    memory: Usage(schemas.mostMegabytes),
    runtime: Type.String({ maxLength: 1_024 }),
    uptime: Type.Number({ minimum: 0, maximum: latest })
  }),
  ({ cpu, memory, runtime, uptime }: MetricSample) => ({
    cpu: { core: percent(cpu.core), services: percent(cpu.services) },
    memory: { core: memory.core, services: memory.services },
    runtime,
    uptime
  }))

export const stateShape: Shape<StateChange> = shape('state change',
  Type.Object({
    serviceName: Type.String({ minLength: 1, maxLength: 1_024 }),
    state: schemas.ServiceState,
    at: Type.Number({ minimum: 0, maximum: latest })
  }),
  ({ serviceName, state, at }: StateChange) => ({ serviceName, state, at }))

const Started = Type.Object({ name: Type.String({ minLength: 1, maxLength: 1_024 }) })

/** What the start of a service answers when there was one. */
export const startedShape: Shape<Static<typeof Started>> = shape('start', Started, ({ name }) => ({ name }))

/** How far the restart of a group has got. */
export const progressShape: Shape<RestartProgress> = shape('restart', schemas.RestartProgress, ({ done, total }: RestartProgress) => ({ done, total }))

const PropertyProblem = Type.Object({ name: Type.String({ maxLength: 1_024 }), problem: Type.String({ maxLength: 1_024 }) })

/** What is wrong with a property of a group. */
export const propertyProblemShape: Shape<Static<typeof PropertyProblem>> = shape('property problem', PropertyProblem,
  ({ name, problem }: Static<typeof PropertyProblem>) => ({ name, problem }))

const Output = Type.Object({ accepted: Type.Boolean(), output: Type.Array(Type.String({ maxLength: 1_048_576 })) })

/** What a terminal answers. */
export const outputShape: Shape<Static<typeof Output>> = shape('terminal answer', Output,
  ({ accepted, output }: Static<typeof Output>, budget) => ({ accepted, output: copyList(output, text, budget) }))
