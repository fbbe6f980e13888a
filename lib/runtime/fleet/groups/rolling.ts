/** Restarting a whole group, one service after the other, so that somebody is always there for the players. */
import type { RestartProgress } from '../../../../types/runtime.js'
import { textOf } from '../faults.js'
import { drainOf } from '../group-properties.js'
import type { Parts } from '../services/parts.js'
import type { Service } from '../services/service.js'
import { fixedPortOf } from '../services/ports.js'
import { isBusy, isLastUp, othersOf, type Services } from '../services/services.js'
import { attempt } from '../task.js'
import type { GroupEntry, Groups } from './groups.js'

export interface Rolling {
  /** Begins one, or joins that which is under way. */
  begin (entry: GroupEntry): void
  progressOf (group: string): RestartProgress | undefined
}

/** What is at hand. */
interface Step {
  readonly old: Service
  /** Comes in its place; absent: the old one comes back itself. */
  readonly successor?: Service
  /** The life that has to go. */
  readonly token: string
  /** When it is ended whoever is on it; not set while the successor is not there. */
  until?: number
  /** It was asked to end. */
  asked: boolean
}

interface Run {
  readonly entry: GroupEntry
  readonly total: number
  readonly pending: Array<Pick<Step, 'old' | 'token'>>
  step?: Step | undefined
  /** It is looked at when everything that belongs to this moment has happened. */
  scheduled: boolean
  /** Takes back the look at the end of a drain. */
  cancel (): void
}

export function createRolling ({ clock, changes, closing, content, settings: { log } }: Parts, groups: Groups, services: Services): Rolling {
  const runs = new Map<string, Run>()

  const tell = (run: Run, message: string): void => { log({ level: 'info', message: `Group ${run.entry.group.name}: ${message}`, group: run.entry.group.name }) }
  const doneOf = ({ total, pending, step }: Run): number => total - pending.length - (step === undefined ? 0 : 1)

  function end (run: Run, why: string): void {
    run.cancel()
    // What was asked for and has not begun is left as it is.
    run.step?.old.callOffRestart()
    runs.delete(run.entry.group.name)
    tell(run, `${why}, ${doneOf(run)} of ${run.total} services were restarted`)
  }

  /** Does what can be done now; whatever it waits for is told by a change, or by the clock. */
  function proceed (run: Run): void {
    run.cancel()
    if (run.entry.barred) return end(run, 'the restart ends with the deletion of the group')
    for (;;) {
      if (run.step === undefined) {
        const next = run.pending.shift()
        if (next === undefined) return end(run, 'the restart is over')
        run.step = begin(run.entry, next)
      } else if (isOver(run.step)) run.step = undefined
      else return advance(run, run.step)
    }
  }

  function begin (entry: GroupEntry, { old, token }: Run['pending'][number]): Step | undefined {
    // What has ended meanwhile starts, or has started, as the group is now anyway.
    if (old.course.life?.running.token !== token || old.wish.intent !== 'run') return undefined
    // Where ports are asked for, the successor under another number would leave the port that people know empty.
    const hasRoom = fixedPortOf(content.platforms, entry.group, 1) === undefined && services.of(entry.group.name).filter(isBusy).length < entry.group.maxOnlineService
    const successor = hasRoom ? services.add(entry) : undefined
    return { old, token, asked: false, ...(successor === undefined ? {} : { successor }) }
  }

  function isOver ({ old, successor, token }: Step): boolean {
    const its = services.find(old.name)
    if (successor !== undefined) return its !== old || old.course.life?.running.token !== token
    return its !== old || (old.course.life?.running.token !== token && old.course.state.now === 'ONLINE') || old.wish.intent !== 'run'
  }

  function advance (run: Run, step: Step): void {
    const { entry: { group } } = run
    const { old, successor } = step
    if (successor !== undefined && step.until === undefined && successor.course.state.now !== 'ONLINE') {
      if (successor.wish.intent !== 'run') end(run, `the restart ends: ${successor.name} was stopped`)
      else if (successor.course.backOff.until === Infinity) end(run, `the restart ends: ${successor.name} does not start`)
      return
    }
    if (successor === undefined && old.course.backOff.until === Infinity) return end(run, `the restart ends: ${old.name} does not start`)
    const all = services.of(group.name)
    if (isLastUp(old, all)) {
      const others = othersOf(old, all)
      if (others.length > 0 && others.every(({ course }) => course.backOff.until === Infinity)) {
        return end(run, `the restart ends: ${old.name} is the last that is ONLINE, and ${others.map(({ name }) => name).join(', ')} ${others.length === 1 ? 'does' : 'do'} not start`)
      }
      if (successor !== undefined) return
    }
    if (step.asked) return
    // What has ended by itself comes back when its pause is over, and a restart that is under way is not to be joined: the life that it begins has to go.
    if (successor === undefined && (old.course.life?.running.token !== step.token || old.wish.restart === 'begun')) return
    step.until ??= clock.elapsed() + drainOf(group)
    const players = old.course.mayHavePlayers ? old.course.life?.occupancy.count() : 0
    const left = step.until - clock.elapsed()
    if (players !== 0 && left > 0) {
      run.cancel = clock.after(left, () => { proceed(run) })
      return
    }
    step.asked = true
    const what = successor === undefined ? 'comes back' : `is replaced by ${successor.name}`
    if (successor === undefined) old.askRestart({ gently: true })
    else attempt(() => old.stop('remove', what), error => { log({ level: 'error', message: `${old.name} ${textOf(error)}`, service: old.name, group: group.name, error }) })
  }

  changes.watch(change => {
    if (change.kind === 'engine' || change.kind === 'usage') return
    const run = runs.get(change.group)
    if (run === undefined) return
    if (change.kind === 'group') {
      if (change.edited || run.entry.gone) end(run, 'the restart ends with the change of the group')
      return
    }
    if (run.scheduled) return
    run.scheduled = true
    clock.soon(() => {
      run.scheduled = false
      if (runs.get(change.group) === run && !closing.aborted) proceed(run)
    })
  }, { signal: closing })

  return {
    begin: entry => {
      const { name } = entry.group
      if (runs.has(name)) return
      const pending = [...services.of(name)].sort((a, b) => a.index - b.index)
        .flatMap(old => old.wish.intent === 'run' && old.course.life !== undefined ? [{ old, token: old.course.life.running.token }] : [])
      const run: Run = { entry, total: pending.length, pending, scheduled: false, cancel: () => {} }
      runs.set(name, run)
      tell(run, `its ${pending.length} services are restarted, one after the other`)
      proceed(run)
    },
    progressOf: group => {
      const run = runs.get(group)
      return run === undefined || groups.get(group) === undefined ? undefined : { done: doneOf(run), total: run.total }
    }
  }
}
