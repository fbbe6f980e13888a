/** Spans of time, and counts within them. */
import { InvalidRange } from '../errors.js'

export interface RangeQuery {
  readonly from?: number
  readonly to?: number
}

export interface Range {
  readonly from: number
  readonly to: number
}

/**
 * The range that a query means: a missing end is 0 or now.
 * @throws Failure 400 `Invalid range` when it is reversed
 */
export function readRange ({ from = 0, to }: RangeQuery, now: number): Range {
  const range = { from, to: to ?? now }
  if (range.from > range.to) throw InvalidRange
  return range
}

export interface Count {
  readonly count: number
  /** Undefined where no range was asked for. */
  readonly percentage: number | undefined
}

/**
 * How many there are; with a range, how many were made within it, and that as a percentage of those made before it
 * (100 for each when there were none).
 */
export function countMade (items: ReadonlyArray<{ readonly createdAt: number }>, query: RangeQuery, now: number): Count {
  if (query.from === undefined && query.to === undefined) return { count: items.length, percentage: undefined }
  const { from, to } = readRange(query, now)
  let before = 0
  let within = 0
  for (const { createdAt } of items) {
    if (createdAt < from) before++
    else if (createdAt <= to) within++
  }
  return { count: within, percentage: 100 * within / Math.max(before, 1) }
}
