/** Restarting a whole group, one service after the other, so that somebody is always there for the players. */
import type { RestartProgress } from '../../../../types/runtime.js'
import { faultOf, textOf } from '../faults.js'
import { drainOf } from '../group-properties.js'
import type { Parts } from '../services/parts.js'
import type { Service } from '../services/service.js'
import { fixedPortOf, isPinned } from '../services/ports.js'
import { isBusy, isLastUp, isUp, othersOf, type Services } from '../services/services.js'
import { recipeFor } from '../services/recipe.js'
import { all, attempt, run as perform, wait } from '../task.js'
import type { GroupEntry } from './group-entry.js'
import type { Groups } from './groups.js'
import { isDone, isOver, isPreparing, isThere, waitOf, type Step, type Turn } from './rolling-step.js'

/** Milliseconds after which a service that says it has nobody, and whose console names somebody, is asked again. */
const ASK_AGAIN = 1000

export interface Rolling {
  /** Begins one, or joins that which is under way. */
  begin (entry: GroupEntry): void
  progressOf (group: string): RestartProgress | undefined
  /** What it waits for now, for people; undefined where that is seen in the states of its services. */
  waitsFor (group: string): string | undefined
  /** Whether the players of a service are to leave. */
  isDraining (service: Service): boolean
  /** Whether it is still to go: who comes is better off elsewhere. */
  isDue (service: Service): boolean
}

interface Run {
  readonly entry: GroupEntry
  readonly total: number
  readonly pending: Turn[]
  /** Which of its lives has still to go, of each service that has not been asked to end. */
  readonly due: Map<Service, number>
  step?: Step | undefined
  /** It is looked at when everything that belongs to this moment has happened. */
  scheduled: boolean
  /** Takes back the look at the end of a drain. */
  cancel (): void
}

export function createRolling ({ clock, changes, closing, content, settings: { log } }: Parts, groups: Groups, services: Services): Rolling {
  const runs = new Map<string, Run>()

  const tell = (run: Run, message: string): void => { log({ level: 'info', message: `Group ${run.entry.group.name}: ${message}`, group: run.entry.group.name }) }
  const doneOf = ({ total, pending, step }: Run): number => total - [...pending, ...step === undefined ? [] : [step]].filter(turn => !isDone(turn)).length

  function end (run: Run, why: string): void {
    run.cancel()
    // What was asked for and has not begun is left as it is.
    run.step?.old.callOffRestart()
    runs.delete(run.entry.group.name)
    // Their players may stay.
    for (const { name } of new Set([...run.step?.until === undefined ? [] : [run.step.old], ...run.due.keys()])) changes.tell({ kind: 'service', service: name, group: run.entry.group.name })
    tell(run, `${why}, ${doneOf(run)} of ${run.total} services were restarted`)
  }

  /** Does what can be done now; whatever it waits for is told by a change, or by the clock. */
  function proceed (run: Run): void {
    run.cancel()
    if (run.entry.barred) return end(run, 'the restart ends with the deletion of the group')
    for (;;) {
      if (run.step === undefined) {
        const next = nextOf(run)
        if (next === undefined) return end(run, 'the restart is over')
        // Whether it goes anyway is being asked; its program is there in a moment; or there will be room for a successor.
        if (next.old.wish.retiring || (isThere(next) && isPreparing(next.old)) || isLeavingRoom(run.entry)) {
          run.pending.unshift(next)
          return
        }
        run.step = begin(run.entry, next)
        if (run.step === undefined) settle(run, next.old)
      } else if (isOver(run.step, services.find(run.step.old.name))) leave(run, run.step)
      else return advance(run, run.step)
    }
  }

  /** The next one has its turn. */
  function leave (run: Run, { old }: Step): void {
    run.step = undefined
    settle(run, old)
  }

  /** It goes, or stays as it is. */
  function settle (run: Run, old: Service): void {
    if (run.due.delete(old)) changes.tell({ kind: 'service', service: old.name, group: run.entry.group.name })
  }

  /** Who has the port that another one is to have goes before that. */
  function nextOf ({ entry, pending }: Run): Turn | undefined {
    const isFree = ({ old }: Turn): boolean => {
      const port = fixedPortOf(content.platforms, entry.group, old.index)
      return port === undefined || !pending.some(({ old: other }) => other !== old && other.course.port.now === port)
    }
    return pending.splice(Math.max(0, pending.findIndex(isFree)), 1)[0]
  }

  /** Whether the group is full only as long as some have not ended that are going. */
  function isLeavingRoom ({ group }: GroupEntry): boolean {
    const busy = services.of(group.name).filter(isBusy)
    return busy.length >= group.maxOnlineService && busy.filter(({ wish }) => wish.intent === 'run').length < group.maxOnlineService
  }

  function begin (entry: GroupEntry, { old, count }: Turn): Step | undefined {
    if (old.wish.intent !== 'run') return undefined
    // What has ended by itself starts, or has started, as the group is now anyway, and is done when it is ONLINE.
    if (!isThere({ old, count })) return { old, count, asked: true }
    // A successor under another number would leave the port that people know empty, or begin with an empty world.
    const hasRoom = !isPinned(content.platforms, entry.group) && services.of(entry.group.name).filter(isBusy).length < entry.group.maxOnlineService
    // Who was stopped, amid the restart perhaps, stays so.
    const successor = hasRoom ? services.add(entry, { isNew: true }) : undefined
    return { old, count, asked: false, ...(successor === undefined ? {} : { successor }) }
  }

  /** No port is left for the successor, and may never be: the old one, which has one, comes back itself. */
  function comeBack (step: Step): void {
    const { successor } = step
    delete step.successor
    if (successor !== undefined) stop(successor, 'is taken back: no port is left')
  }

  function stop (service: Service, what: string): void {
    attempt(() => service.stop('remove', what), error => {
      log({ level: 'error', message: `${service.name} ${textOf(error)}`, service: service.name, group: service.owner.group.name, error })
    })
  }

  function advance (run: Run, step: Step): void {
    const { entry: { group } } = run
    if (step.successor !== undefined && step.until !== undefined && !step.asked && !isUp(step.successor)) {
      // Nobody is there in its place any more: its players may stay until somebody is.
      delete step.until
      askAnew(step)
      changes.tell({ kind: 'service', service: step.old.name, group: group.name })
    }
    if (step.successor?.course.port.isOut === true && step.until === undefined) comeBack(step)
    const { old, successor } = step
    if (successor !== undefined && step.until === undefined && !isUp(successor)) {
      if (successor.wish.intent !== 'run') {
        // Somebody wants none: the old one stays as it is, and the next one has its turn.
        tell(run, `${successor.name} was stopped, and ${old.name} stays as it is`)
        leave(run, step)
        lookSoon(run)
      } else if (successor.course.backOff.until === Infinity) end(run, `the restart ends: ${successor.name} does not start`)
      return
    }
    if (successor === undefined && old.course.backOff.until === Infinity) return end(run, `the restart ends: ${old.name} does not start`)
    const all = services.of(group.name)
    if (isLastUp(old, all)) {
      // It waits for another, and is the only one for those who come.
      if (step.asked && old.wish.restart !== 'begun') old.release()
      const others = othersOf(old, all)
      if (others.length > 0 && others.every(({ course }) => course.backOff.until === Infinity)) {
        return end(run, `the restart ends: ${old.name} is the last that is ONLINE, and ${others.map(({ name }) => name).join(', ')} ${others.length === 1 ? 'does' : 'do'} not start`)
      }
      if (successor !== undefined) return
    }
    if (step.asked) return
    if (successor !== undefined && !isThere(step)) {
      // It has died, and somebody is there in its place.
      step.asked = true
      return stop(old, `is replaced by ${successor.name}`)
    }
    // What has ended by itself comes back when its pause is over, and a restart that is under way is not to be joined: the life that it begins has to go.
    if (successor === undefined && (!isThere(step) || old.wish.restart === 'begun')) return
    if (successor === undefined && !canFollow(run, step)) return
    if (step.until === undefined) {
      delete step.canFollow
      step.until = clock.elapsed() + drainOf(group)
      changes.tell({ kind: 'service', service: old.name, group: group.name })
    }
    const left = step.until - clock.elapsed()
    if (left > 0 && !isDeserted(run, step)) {
      run.cancel = clock.after(step.isEmpty === false ? Math.min(left, ASK_AGAIN) : left, () => {
        if (step.isEmpty === false) delete step.isEmpty
        proceed(run)
      })
      return
    }
    step.asked = true
    const what = successor === undefined ? 'comes back' : `is replaced by ${successor.name}`
    if (successor === undefined) old.askRestart({ gently: true })
    else stop(old, what)
  }

  /** Whether its next life can be made as its group is defined; where it cannot the restart ends, and this one goes on. */
  function canFollow (run: Run, step: Step): boolean {
    if (step.canFollow === undefined) {
      step.canFollow = false
      attempt(() => perform(function * () {
        yield * all([() => content.platforms.refresh(), () => content.templates.refresh()])
        recipeFor(content, run.entry.group)
        step.canFollow = true
        lookSoon(run)
      }()), error => {
        // What the machine refuses is waited for with the start.
        if (faultOf(error) !== 'definition') {
          step.canFollow = true
          lookSoon(run)
        } else if (run.step === step && runs.get(run.entry.group.name) === run) end(run, `the restart ends: ${step.old.name} could not start again: ${textOf(error)}`)
      })
    }
    return step.canFollow
  }

  /** Whether its players have left. Who may have come since it was looked at last is asked for. */
  function isDeserted (run: Run, step: Step): boolean {
    const { old } = step
    if (!old.course.mayHavePlayers) return true
    if (old.course.life?.occupancy.known.count !== 0) {
      if (step.isEmpty !== 'asked') askAnew(step)
      return false
    }
    if (step.isEmpty === undefined) {
      step.isEmpty = 'asked'
      const { until } = step
      // Its players may have been allowed to stay since.
      const isValid = (): boolean => step.isEmpty === 'asked' && step.until === until
      attempt(() => perform(function * () {
        const isEmpty = yield * wait(old.checkEmpty())
        if (isValid()) step.isEmpty = isEmpty
        lookSoon(run)
      }()), () => { if (isValid()) askAnew(step) })
    }
    return step.isEmpty === true
  }

  /** Whoever it was, somebody may come from now on. */
  function askAnew (step: Step): void {
    delete step.isEmpty
    step.old.release()
  }

  /** When everything that belongs to this moment has happened. */
  function lookSoon (run: Run): void {
    if (run.scheduled) return
    run.scheduled = true
    clock.soon(() => {
      run.scheduled = false
      if (runs.get(run.entry.group.name) === run && !closing.aborted) proceed(run)
    })
  }

  changes.watch(change => {
    if (change.kind === 'engine' || change.kind === 'usage') return
    const run = runs.get(change.group)
    if (run === undefined) return
    if (change.kind === 'group') {
      if (change.edited || run.entry.gone) end(run, 'the restart ends with the change of the group')
      return
    }
    lookSoon(run)
  }, { signal: closing })

  return {
    begin: entry => {
      const { name } = entry.group
      if (runs.has(name)) return
      const pending = [...services.of(name)].sort((a, b) => a.index - b.index)
        .flatMap(old => (old.wish.intent === 'run' || old.wish.retiring) && (old.course.life !== undefined || isPreparing(old)) ? [{ old, count: old.course.count }] : [])
      const due = new Map(pending.map(({ old, count }) => [old, count]))
      const run: Run = { entry, total: pending.length, pending, due, scheduled: false, cancel: () => {} }
      runs.set(name, run)
      tell(run, `its ${pending.length} services are restarted, one after the other`)
      for (const old of due.keys()) changes.tell({ kind: 'service', service: old.name, group: name })
      proceed(run)
    },
    progressOf: group => {
      const run = runs.get(group)
      // A deletion ends it from its first moment.
      return run === undefined || groups.get(group)?.barred !== false ? undefined : { done: doneOf(run), total: run.total }
    },
    waitsFor: group => {
      const run = runs.get(group)
      return run?.step === undefined ? undefined : waitOf(run.step)
    },
    isDraining: service => {
      const step = runs.get(service.owner.group.name)?.step
      return step?.old === service && step.until !== undefined && isThere(step)
    },
    isDue: service => {
      const count = runs.get(service.owner.group.name)?.due.get(service)
      return count !== undefined && isThere({ old: service, count })
    }
  }
}
