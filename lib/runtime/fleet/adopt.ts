/** Going on where an earlier core has left off, however that ended. Nothing is started here. */
import type { Running, StopRequest } from '../../../types/engine.js'
import { textOf } from './faults.js'
import { isStatic } from './group-properties.js'
import type { GroupEntry } from './groups/group-entry.js'
import type { Groups } from './groups/groups.js'
import { endAlone, putAside, tried } from './services/alone.js'
import type { Owner } from './services/owner.js'
import type { Parts } from './services/parts.js'
import { definitionFrom } from './services/manner.js'
import { stopRequestOf } from './services/plan.js'
import { fixedPortOf } from './services/ports.js'
import { recipeFrom, textsOf } from './services/recipe.js'
import { pauseAfter } from './services/back-off.js'
import { readRecord, type Damage, type ServiceRecord } from './services/record.js'
import type { Services } from './services/services.js'
import type { Strays } from './strays.js'
import { all, attempt, run, wait, type Task } from './task.js'

/** What is known of one name. */
interface Found {
  readonly name: string
  /** What a core has written down, or what the engine has kept of it. */
  readonly record: ServiceRecord | undefined
  /** Whether the record is the core's own. */
  readonly written: boolean
  /** What runs, the one that is gone on with first. */
  readonly living: readonly Running[]
  /** The last that has ended. */
  readonly ended: Running | undefined
}

/** Puts everything on the list that is there, running or not. */
export function * adoptAll (parts: Parts, groups: Groups, services: Services, strays: Strays): Task<void> {
  const running = yield * wait(parts.engine.find())
  const { records, damaged } = yield * parts.records.readAll()
  const names = [...new Set([...records.keys(), ...running.map(({ name }) => name)])]
  const found = names.map(name => gather(name, records.get(name), running.filter(one => one.name === name)))
  found.sort((a, b) => groupOf(a).localeCompare(groupOf(b)) || indexOf(a) - indexOf(b))
  for (const [name, damage] of damaged) {
    const isKnown = found.some(one => one.name === name && (one.record !== undefined || one.living.length > 0))
    const entry = groups.get(groupOf({ name, record: undefined }))
    // Where the next one would begin with an empty world, or when the machine may let it be read in a moment, nothing comes in its place.
    const awaited = !isKnown && entry !== undefined && (damage.error !== undefined || isStatic(entry.group))
    const so = isKnown ? 'it is noted down anew, as far as the engine knows it' : `its name is not used again until the file is ${awaited ? 'mended or ' : ''}gone`
    parts.settings.log({ level: 'error', message: `What is known of ${name} ${whatIsWrong(damage)}: ${so}`, service: name })
    if (!isKnown) services.avoid(name)
    // No later group of that name is to find what that one has built.
    if (!isKnown && entry === undefined && damage.error === undefined) yield * tried(parts, name, 'has left files that cannot be put aside', () => run(putAside(parts, name)))
    if (awaited) awaitRecord(parts, groups, services, strays, { name, entry, damage })
  }
  // What runs has its port, whatever is noted of others; and nobody new gets one that is noted.
  for (const one of found) {
    const { name, living: [life] } = one
    if (life !== undefined && life.port > 0 && ownerOf(one, groups) !== undefined) parts.ports.keep(name, life.port)
  }
  for (const one of found) {
    const { name, record, living: [life] } = one
    if (life === undefined && record !== undefined && record.intent !== 'remove' && parts.ports.covers(record.port) && ownerOf(one, groups) !== undefined) parts.ports.keep(name, record.port)
  }
  yield * all(found.map(one => () => run(adopt(parts, groups, services, strays, one))))
}

/** Looks again and again whether what is known of it can be read, and goes on with it then. */
function awaitRecord (parts: Parts, groups: Groups, services: Services, strays: Strays, { name, entry, damage }: { readonly name: string, readonly entry: GroupEntry, readonly damage: Damage }): void {
  const { clock, closing, changes, records, settings: { log, timing } } = parts
  const group = entry.group.name
  let failures = 0

  function waitOn (why: string): void {
    entry.unread.set(name, why)
    const cancel = clock.after(pauseAfter(++failures, timing), () => {
      closing.removeEventListener('abort', cancel)
      attempt(() => run(look()), error => { waitOn(`cannot be read: ${textOf(error)}`) })
    })
    closing.addEventListener('abort', cancel, { once: true })
  }

  function * look (): Task<void> {
    const all = yield * records.readAll()
    const still = all.damaged.get(name)
    if (closing.aborted) return
    if (still !== undefined) return waitOn(whatIsWrong(still))
    const record = all.records.get(name)
    // A later group of that name has nothing of it.
    const isLater = groups.get(group) !== entry
    if (isLater && record === undefined) yield * putAside(parts, name)
    const done = record === undefined || (yield * adopt(parts, groups, services, strays, gather(name, isLater ? { ...record, groupGone: true } : record, [])))
    if (done && (record === undefined || !isLater)) services.avoid(name, false)
    entry.unread.delete(name)
    log({ level: 'info', message: `${name} is waited for no more: ${record === undefined ? 'nothing is known of it' : 'what is known of it was read'}`, service: name })
    changes.tell({ kind: 'group', group, edited: false })
  }

  waitOn(whatIsWrong(damage))
}

const whatIsWrong = ({ error }: Damage): string => error === undefined ? 'is damaged' : `cannot be read: ${textOf(error)}`

function gather (name: string, written: ServiceRecord | undefined, lives: readonly Running[]): Found {
  const record = written ?? lives.map(({ note }) => readRecord(name, note)).find(one => one !== undefined)
  const token = record?.life?.token
  const living = lives.filter(({ end }) => end === undefined).sort((a, b) => Number(b.token === token) - Number(a.token === token))
  return { name, record, written: written !== undefined, living, ended: lives.find(({ end }) => end !== undefined) }
}

function * adopt (parts: Parts, groups: Groups, services: Services, strays: Strays, found: Found): Task<boolean> {
  const done = yield * tried(parts, found.name, 'cannot be gone on with', () => run(adoptOne(parts, groups, services, strays, found)))
  if (!done) services.avoid(found.name)
  return done
}

function * adoptOne (parts: Parts, groups: Groups, services: Services, strays: Strays, found: Found): Task<void> {
  const { engine, ports, records } = parts
  const { name, record, written, living: [life, ...doubles], ended } = found
  const { log } = parts.settings
  for (const double of doubles) {
    log({ level: 'warn', message: `${name} is there twice: one of the two is ended`, service: name, ...double.details?.() })
    yield * strays.end({ name, what: 'cannot be ended', timeout: 0, end: () => double.stop({ timeout: 0 }) })
  }
  const entry = ownerOf(found, groups)
  if (entry === undefined) {
    services.avoid(name)
    const request = aloneRequest(parts, found)
    return yield * strays.end({
      name,
      what: 'cannot be ended, or what it has left removed',
      timeout: life === undefined ? 0 : request.timeout,
      // What the engine has kept is of the beginning of a life: its group may have become static since.
      end: () => run(endAlone(parts, { name, record: written || record === undefined ? record : { ...record, static: true }, life }, request)),
      ended: () => { services.avoid(name, false) }
    })
  }
  if (record === undefined && life === undefined) return services.avoid(name)
  const known = record ?? guess(found, entry, parts)
  if (life === undefined && known.intent === 'remove') {
    if (known.static) return services.leave(known)
    yield * wait(engine.discard(name, { keep: false }))
    return yield * wait(records.remove(name))
  }
  const { index, createdAt, intent } = known
  const isFixed = fixedPortOf(parts.content.platforms, entry.group, index) === known.port
  // Services listen elsewhere now: what was noted may be another cloud's port, that of which this one is a copy.
  const isFree = (life !== undefined || isFixed || ports.covers(known.port)) && ports.keep(name, known.port) === name
  const port = isFree || isFixed || life !== undefined ? known.port : ports.take(name) ?? known.port
  const recipe = recipeFrom(parts.content, known, entry.group)
  const service = services.put(entry, { index, port, createdAt, intent, record: known, recipe })
  // Its group may have become static while there was no core.
  yield * wait(service.keep())
  if (!written) yield * tried(parts, name, 'cannot be noted down', () => records.write(known, { durable: false }))
  if (life === undefined) return yield * wait(service.noteEnd(ended))
  service.adopt(life, recipe, known.life?.token === life.token ? known.life.onlineAt : undefined)
  if (intent === 'run') return
  attempt(() => service.stop(intent, 'was about to be stopped'), error => {
    log({ level: 'error', message: `${name} ${textOf(error)}`, service: name, error })
  })
}

/** How what runs of a group that is gone is asked to end. */
function aloneRequest ({ content }: Parts, { record }: Found): StopRequest {
  const definition = record === undefined ? undefined : definitionFrom(record) ?? content.platforms.get(record.platform.name)
  return definition === undefined ? { ask: { signal: 'SIGTERM' }, timeout: 5000 } : stopRequestOf(definition)
}

/** For something that runs and of which nothing is known but its name. */
function guess (found: Found, { group }: Owner & GroupEntry, { content, ports }: Parts): ServiceRecord {
  const { name, living: [life] } = found
  return {
    name,
    group: group.name,
    index: indexOf(found),
    port: life !== undefined && life.port > 0 ? life.port : ports.take(name) ?? 1,
    createdAt: life?.startedAt ?? 1,
    intent: 'run',
    static: isStatic(group),
    type: content.platforms.get(group.platform.name)?.type ?? 'SERVER',
    platform: group.platform,
    templates: group.templates,
    properties: textsOf(group.properties),
    minMemory: group.minMemory,
    maxMemory: group.maxMemory
  }
}

/** Undefined: there is no such group, or it is another one of the same name. */
const ownerOf = (found: Found, groups: Groups): GroupEntry | undefined => found.record?.groupGone === true ? undefined : groups.get(groupOf(found))
const groupOf = ({ name, record }: Pick<Found, 'name' | 'record'>): string => record?.group ?? name.replace(/-\d+$/, '')
const indexOf = ({ name, record }: Found): number => record?.index ?? Number(/-(\d+)$/.exec(name)?.[1] ?? 0)
