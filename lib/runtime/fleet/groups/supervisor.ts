/** Reconciles groups: looks at a group when something of it has changed, and starts, stops and restarts what it needs. */
import type { Awaitable } from '../../../../types/engine.js'
import { attempt, run, wait, type Task } from '../task.js'
import { textOf } from '../faults.js'
import { drainOf, idleOf } from '../group-properties.js'
import type { PlatformDefinition } from '../content/platform-definition.js'
import type { Parts } from '../services/parts.js'
import type { Service } from '../services/service.js'
import { isPinned } from '../services/ports.js'
import { isLastUp, isUp, othersOf, type Services } from '../services/services.js'
import { decide, placesOf, type Decision, type ScalingInput, type ScalingService } from './decide.js'
import type { GroupEntry } from './group-entry.js'
import type { Groups } from './groups.js'
import { resume } from './resume.js'
import type { Rolling } from './rolling.js'

/** In so many ticks every group is looked at once, whether somebody spoke of it or not. */
const ROUND = 30

export interface Supervisor {
  start (): void
  /** Answers when it is not at anything any more. */
  stop (): Awaitable<void>
}

export function createSupervisor (parts: Parts, groups: Groups, services: Services, rolling: Rolling): Supervisor {
  const { clock, changes, content, downloads, engine, settings: { limits, timing, log } } = parts
  const watching = new AbortController()
  /** Groups that have to be looked at. */
  const dirty = new Set<string>()
  /** Groups that would do more if more services might be STARTING. */
  const waiting = new Set<string>()
  /** Services that have one of the places among those that are STARTING. */
  const placed = new Set<string>()
  /** When a group is to be looked at again although nothing has happened. */
  const alarms = new Map<string, () => void>()
  // Since when groups have been above their maximum, and none of those that stay has been ONLINE meanwhile.
  const [surplusSince, awaySince] = [new Map<string, number>(), new Map<string, number>()]
  // Groups of which it has been told already that there is no port for them.
  const portless = new Set<string>()
  let running = false
  let scheduled = false
  let first = 0
  let cancelTick = (): void => {}

  const report = (error: unknown, service?: Service): void => {
    log({ level: 'error', message: `${service?.name ?? 'Supervision'}: ${textOf(error)}`, error, ...(service === undefined ? {} : { service: service.name }) })
  }

  function schedule (): void {
    if (!running || scheduled) return
    scheduled = true
    clock.soon(() => {
      scheduled = false
      if (running) attempt(look, report)
    })
  }

  function mark (group: string): void {
    dirty.add(group)
    schedule()
  }

  changes.watch(change => {
    if (change.kind === 'usage' || change.kind === 'players') return
    if (change.kind === 'engine') {
      for (const { group } of groups.entries) dirty.add(group.name)
      return schedule()
    }
    if (change.kind === 'group') {
      const entry = change.edited ? groups.get(change.group) : undefined
      if (entry !== undefined) resume(entry, services)
    } else {
      const had = placed.size
      if (services.find(change.service)?.holdsPlace() === true) placed.add(change.service)
      else placed.delete(change.service)
      // Another may take its turn.
      if (placed.size < had) for (const group of waiting) dirty.add(group)
    }
    mark(change.group)
  }, watching)

  // What a group waits for may be there, or may be tried again.
  downloads.watch(() => { for (const { group, lacks } of groups.entries) if (lacks !== undefined) mark(group.name) })

  function look (): void {
    const entries = groups.entries
    const startsLeft = { now: limits.starting - placed.size }
    // Another group is the first each time: one that always wants something must not starve the others.
    first = entries.length === 0 ? 0 : (first + 1) % entries.length
    const due = [...entries.slice(first), ...entries.slice(0, first)].filter(({ group }) => dirty.has(group.name))
    dirty.clear()
    for (const entry of due) attempt(() => { tend(entry, startsLeft) }, report)
  }

  function tend (entry: GroupEntry, startsLeft: { now: number }): void {
    const { name } = entry.group
    alarms.get(name)?.()
    alarms.delete(name)
    waiting.delete(name)
    delete entry.lacks
    if (entry.deleting !== undefined || entry.gone) return
    if (entry.damaged) return explain(entry, `damaged: ${entry.fault}`)
    if (engine.away !== undefined) return explain(entry, `waits: its machines are away since ${new Date(engine.away.since).toISOString()}: ${engine.away.why}`)
    const decision = decideWithDownloads(entry, inputOf(entry, Math.max(0, startsLeft.now)))
    const wanted = Math.max(0, decision.add - entry.unread.size)
    const added = add(entry, wanted)
    startsLeft.now -= added.length + decision.start.length + decision.restart.length
    if (decision.waits) waiting.add(name)
    if (decision.again !== undefined) alarms.set(name, clock.after(decision.again - clock.elapsed(), () => { mark(name) }))
    const holds = entry.partial ? 'its file was wrong at the start, and where it was the default holds' : 'its file is wrong, and what was right before holds'
    const fault = entry.fault === undefined ? '' : `; ${holds}: ${entry.fault}`
    const unfiled = entry.unfiled ? '; its file is gone: unless it is edited before, nothing of it is left after the next start of the server' : ''
    const restart = rolling.progressOf(name)
    const all = services.of(name)
    const held = restart === undefined ? '' : all.filter(isHeld).map(service => `; ${service.name} waits until another is ONLINE`).join('')
    const awaited = rolling.waitsFor(name)
    const progress = restart === undefined ? '' : `; restarted one after the other: ${restart.done} of ${restart.total} are done${held}${awaited === undefined ? '' : `; ${awaited}`}`
    const lack = added.length < wanted ? ', but no port is left' : ''
    const unread = [...entry.unread].map(([service, why]) => `; waits for ${service}: what is known of it ${why}`).join('')
    const busy = all.find(({ course }) => course.busyWith !== undefined)
    const task = busy === undefined ? '' : `; ${busy.name} ${busy.course.busyWith}`
    explain(entry, `${decision.reason}${lack}${progress}${task}${unread}${fault}${unfiled}`, { ...decision, add: added.length })
    act(entry, decision, added)
  }

  /** As many more services as there are ports for, at most `count`. */
  function add (entry: GroupEntry, count: number): readonly Service[] {
    const { name } = entry.group
    const added: Service[] = []
    while (added.length < count) {
      const service = services.add(entry)
      if (service === undefined) {
        if (!portless.has(name)) log({ level: 'error', message: `Group ${name} cannot grow: no port is left`, group: name })
        portless.add(name)
        return added
      }
      added.push(service)
    }
    if (count > 0) portless.delete(name)
    return added
  }

  /** Where something has to be downloaded first nothing is started, and nothing is ended for a restart. */
  function decideWithDownloads (entry: GroupEntry, input: ScalingInput): Decision {
    const decision = decide(input)
    if (decision.add + decision.start.length + decision.restart.length === 0 && !decision.waits) return decision
    const { name, version } = entry.group.platform
    const definition = content.platforms.get(name)
    const lacks = definition === undefined ? undefined : downloads.lackOf(definition, version)
    if (lacks === undefined) return decision
    entry.lacks = lacks
    return decide({ ...input, group: { ...input.group, halted: 'waits for its downloads' } })
  }

  /** With its group a service is not restarted while it is the last one for the players. */
  function isHeld (service: Service): boolean {
    const { wish: { restart, gently }, owner: { group } } = service
    return restart === 'asked' && gently && isLastUp(service, services.of(group.name))
  }

  function inputOf (entry: GroupEntry, startsLeft: number): ScalingInput {
    const { group, halted } = entry
    const [now, max, pinned] = [clock.elapsed(), group.maxOnlineService, isPinned(content.platforms, group)]
    const scaled = services.of(group.name).map(scaledOf)
    const { stays, goes } = placesOf({ max, pinned }, scaled.filter(({ wanted }) => wanted))
    const surplus = sinceOf(surplusSince, group.name, goes.length > 0)
    const away = sinceOf(awaySince, group.name, goes.length > 0 && stays.every(({ state }) => state !== 'ONLINE'))
    return {
      now,
      startsLeft,
      group: {
        min: group.minOnlineService,
        max,
        percentage: group.percentageToStartNewService,
        scalesByPlayers: content.platforms.get(group.platform.name)?.type !== 'PROXY',
        pinned,
        patience: 2 * timing.ping,
        idle: rolling.progressOf(group.name) === undefined ? idleOf(group) : Infinity,
        drain: drainOf(group),
        vacant: services.vacant(entry, group.minOnlineService),
        ...(surplus === undefined ? {} : { surplusSince: surplus }),
        ...(away === undefined ? {} : { awaySince: away }),
        ...(halted === undefined ? {} : { halted })
      },
      services: scaled
    }
  }

  /** Since when something has been so. */
  function sinceOf (known: Map<string, number>, group: string, isSo: boolean): number | undefined {
    if (!isSo) known.delete(group)
    else if (!known.has(group)) known.set(group, clock.elapsed())
    return known.get(group)
  }

  function scaledOf (service: Service): ScalingService {
    const { name, index, wish, course: { state, backOff, life } } = service
    const known = life?.occupancy.known
    return {
      name,
      index,
      // For the sake of one that has ended the others are not to go.
      state: state.now === 'ONLINE' && !isUp(service) ? 'STOPPING' : state.now,
      wanted: wish.intent === 'run',
      retiring: wish.retiring,
      restart: wish.restart === 'asked' && !isHeld(service),
      placed: service.holdsPlace(),
      players: known?.count,
      assumed: known?.assumed,
      slots: known?.slots ?? 0,
      emptySince: known?.emptySince,
      retryAt: backOff.until,
      restReason: backOff.why
    }
  }

  function act (entry: GroupEntry, { start, stop, restart }: Decision, added: readonly Service[]): void {
    const named = (names: readonly string[]): Service[] => names.flatMap(one => services.find(one) ?? [])
    for (const service of [...named(start), ...added]) attempt(() => service.start(), error => { report(error, service) })
    for (const service of named(restart)) attempt(() => service.restart(), error => { report(error, service) })
    for (const service of named(stop)) {
      const why = 'is not needed any more'
      // Somebody may have come since it was asked last.
      const isEmpty = service.course.life?.occupancy.known.count === 0
      attempt(() => isEmpty ? service.retire(why, () => isSpare(entry, service)) : service.stop('remove', why), error => { report(error, service) })
    }
  }

  /** Whether its group can do without it, as it is now. */
  function isSpare ({ group: { name, minOnlineService, maxOnlineService } }: GroupEntry, service: Service): boolean {
    const others = othersOf(service, services.of(name))
    return others.length >= maxOnlineService || others.filter(other => isUp(other) && other.wish.restart === 'no').length >= minOnlineService
  }

  /** Tells a new reason once, not every second. */
  function explain (entry: GroupEntry, reason: string, what: Partial<Decision> = {}): void {
    if (entry.decision === reason) return
    entry.decision = reason
    const { name } = entry.group
    const { start = [], add = 0, stop = [], restart = [] } = what
    log({ level: 'info', message: `Group ${name}: ${reason}`, group: name, start, add, stop, restart, reason })
  }

  /** Whoever waits for its end is told nothing of what went wrong: that is in the log. */
  function * refresh (): Task<void> {
    for (const look of [lookAtPlatforms, () => groups.refresh()]) {
      try {
        yield * look()
      } catch (error) {
        report(error)
      }
    }
  }

  let known: readonly PlatformDefinition[] = content.platforms.all
  /** What is wrong in their files is to be told, and who waits for a download may have another address now. */
  function * lookAtPlatforms (): Task<void> {
    try {
      yield * wait(content.platforms.refresh())
    } catch {
      // Whoever needs them is told; the next second it is tried again.
      return
    }
    const { all } = content.platforms
    if (all.length === known.length && all.every((one, at) => one === known[at])) return
    known = all
    for (const { group } of groups.entries) mark(group.name)
  }

  let at = 0
  let refreshing: Awaitable<void>
  function tick (): void {
    cancelTick = clock.after(timing.tick, tick)
    refreshing = run(refresh())
    const { entries } = groups
    // Whatever nobody spoke of is looked at now and then all the same.
    for (let count = Math.ceil(entries.length / ROUND); count > 0 && entries.length > 0; count--) mark((entries[at++ % entries.length] as GroupEntry).group.name)
  }

  return {
    start: () => {
      running = true
      for (const { group } of groups.entries) mark(group.name)
      cancelTick = clock.after(timing.tick, tick)
    },
    stop: () => {
      running = false
      watching.abort()
      cancelTick()
      for (const cancel of alarms.values()) cancel()
      return refreshing
    }
  }
}
