/** One step of a group's restart: one service goes, and another comes in its place, or itself. */
import { drainOf } from '../group-properties.js'
import type { Service } from '../services/service.js'
import { isUp } from '../services/services.js'

export interface Step {
  readonly old: Service
  /** Comes in its place; absent: the old one comes back itself. */
  successor?: Service
  /** Which of its lives has to go. */
  readonly count: number
  /** When it is ended whoever is on it; not set while the successor is not there. */
  until?: number
  /** Whether nobody is on it, which it is asked when nobody else is sent there any more. */
  isEmpty?: boolean | 'asked'
  /** Whether the life after it can be made, which is looked up before its players are to leave and before it ends. */
  canFollow?: boolean
  /** It was asked to end. */
  asked: boolean
}

/** What has to go: a service, in that of its lives. */
export type Turn = Pick<Step, 'old' | 'count'>

/** Whether it is STARTING, and its program is not there yet. */
export const isPreparing = ({ course: { state, life } }: Service): boolean => state.now === 'STARTING' && life === undefined
/** Whether that life has still to go. */
export const isThere = ({ old: { course }, count }: Turn): boolean => course.count === count && (course.life !== undefined || course.state.now === 'STARTING')

/** Whether it counts as done: it, or its successor, is ONLINE in its next life, or somebody has stopped it before its turn. */
export function isDone (turn: Turn & Pick<Step, 'successor'>): boolean {
  const { old, successor } = turn
  if (successor !== undefined) return isUp(successor)
  return (old.wish.intent !== 'run' && !old.wish.retiring) || (!isThere(turn) && isUp(old))
}

/** Whether the next one can begin; `its` is who has the name of the old one now. */
export function isOver (step: Step, its: Service | undefined): boolean {
  const { old, successor } = step
  // While it is STOPPING it has its place still, and the next one's successor would find none. One that has died has its successor on the way.
  const isLeft = step.asked || old.wish.intent !== 'run' || old.course.state.now === 'ONLINE'
  if (successor !== undefined) return its !== old || (!isThere(step) && old.course.state.now !== 'STOPPING' && isLeft)
  return its !== old || (!isThere(step) && old.course.state.now === 'ONLINE') || old.wish.intent !== 'run'
}

/** What it waits for, for people; undefined where that is seen in the states of its services. */
export function waitOf ({ old, successor, until, isEmpty, asked }: Step): string | undefined {
  if (asked) return undefined
  if (until === undefined) return successor === undefined ? undefined : `waits for ${successor.name} to be ONLINE`
  const players = old.course.life?.occupancy.known.count
  const seconds = Math.round(drainOf(old.owner.group) / 1000)
  if (players === undefined) return `waits ${seconds} s for ${old.name}: nobody knows how many players it has`
  return players > 0 || isEmpty === false ? `waits for the players of ${old.name} to leave, ${seconds} s at most` : undefined
}
