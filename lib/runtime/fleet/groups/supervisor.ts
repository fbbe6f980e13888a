/** Reconciles groups: looks at a group when something of it has changed, and starts, stops and restarts what it needs. */
import type { Awaitable } from '../../../../types/engine.js'
import { attempt, run } from '../task.js'
import { textOf } from '../faults.js'
import { drainOf, idleOf } from '../group-properties.js'
import type { Parts } from '../services/parts.js'
import type { Service } from '../services/service.js'
import type { Services } from '../services/services.js'
import { decide, type Decision, type ScalingInput } from './decide.js'
import type { GroupEntry, Groups } from './groups.js'
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
  const { clock, changes, content, engine, settings: { limits, timing, log } } = parts
  const watching = new AbortController()
  /** Groups that have to be looked at. */
  const dirty = new Set<string>()
  /** Groups that would do more if more services might be STARTING. */
  const waiting = new Set<string>()
  /** Services that have one of the places among those that are STARTING. */
  const placed = new Set<string>()
  /** When a group is to be looked at again although nothing has happened. */
  const alarms = new Map<string, () => void>()
  const surplusSince = new Map<string, number>()
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
    if (entry.deleting !== undefined || entry.gone) return
    if (entry.damaged) return explain(entry, `damaged: ${entry.fault}`)
    if (engine.away !== undefined) return explain(entry, `waits: its machines are away since ${new Date(engine.away.since).toISOString()}: ${engine.away.why}`)
    const decision = decide(inputOf(entry, Math.max(0, startsLeft.now)))
    startsLeft.now -= decision.add + decision.start.length + decision.restart.length
    if (decision.waits) waiting.add(name)
    if (decision.again !== undefined) alarms.set(name, clock.after(decision.again - clock.elapsed(), () => { mark(name) }))
    const fault = entry.fault === undefined ? '' : `; its file is wrong, and what was right before holds: ${entry.fault}`
    const restart = rolling.progressOf(name)
    const progress = restart === undefined ? '' : `; restarted one after the other: ${restart.done} of ${restart.total} are done`
    explain(entry, `${decision.reason}${progress}${fault}`, decision)
    act(entry, decision)
  }

  function inputOf (entry: GroupEntry, startsLeft: number): ScalingInput {
    const { group, halted } = entry
    const [all, now] = [services.of(group.name), clock.elapsed()]
    const above = all.filter(({ wish }) => wish.intent === 'run').length > group.maxOnlineService
    const since = above ? surplusSince.get(group.name) ?? now : undefined
    if (since === undefined) surplusSince.delete(group.name)
    else surplusSince.set(group.name, since)
    return {
      now,
      startsLeft,
      group: {
        min: group.minOnlineService,
        max: group.maxOnlineService,
        percentage: group.percentageToStartNewService,
        scalesByPlayers: content.platforms.get(group.platform.name)?.type !== 'PROXY',
        idle: rolling.progressOf(group.name) === undefined ? idleOf(group) : Infinity,
        drain: drainOf(group),
        ...(since === undefined ? {} : { surplusSince: since }),
        ...(halted === undefined ? {} : { halted })
      },
      services: all.map(({ name, index, wish, holdsPlace, course: { state, backOff, life } }) => ({
        name,
        index,
        // What has ended is ONLINE until that is noted; the others are not to go for its sake.
        state: state.now === 'ONLINE' && (life === undefined || life.running.end !== undefined) ? 'STOPPING' : state.now,
        wanted: wish.intent === 'run',
        restart: wish.restart === 'asked',
        placed: holdsPlace(),
        players: life?.occupancy.count(),
        assumed: life?.occupancy.assumed(),
        slots: life?.occupancy.shown().max ?? 0,
        emptySince: life?.occupancy.emptySince(),
        retryAt: backOff.until,
        rests: backOff.why
      }))
    }
  }

  function act (entry: GroupEntry, { start, add, stop, restart }: Decision): void {
    const { name } = entry.group
    const named = (names: readonly string[]): Service[] => names.flatMap(one => services.find(one) ?? [])
    const started = named(start)
    for (let count = 0; count < add; count++) {
      const service = services.add(entry)
      if (service === undefined) {
        if (!portless.has(name)) log({ level: 'error', message: `Group ${name} cannot grow: no port is left`, group: name })
        portless.add(name)
        break
      }
      portless.delete(name)
      started.push(service)
    }
    for (const service of started) attempt(() => service.start(), error => { report(error, service) })
    for (const service of named(restart)) attempt(() => service.restart(), error => { report(error, service) })
    for (const service of named(stop)) attempt(() => service.stop('remove', 'is not needed any more'), error => { report(error, service) })
  }

  /** Tells a new reason once, not every second. */
  function explain (entry: GroupEntry, reason: string, what: Partial<Decision> = {}): void {
    if (entry.decision === reason) return
    entry.decision = reason
    const { name } = entry.group
    const { start = [], add = 0, stop = [], restart = [] } = what
    log({ level: 'info', message: `Group ${name}: ${reason}`, group: name, start, add, stop, restart, reason })
  }

  let at = 0
  let refreshing: Awaitable<void>
  function tick (): void {
    cancelTick = clock.after(timing.tick, tick)
    attempt(() => (refreshing = run(groups.refresh())), report)
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
