/** Pages of players, by name. */
import type { Player } from '../../types/resources.js'
import { inChunks, isLong } from './chunks.js'

export interface PageQuery {
  readonly page: number
  readonly size: number
}

export interface Page extends PageQuery {
  readonly total: number
  readonly totalPages: number
  readonly data: readonly Player[]
}

const compare = (a: string, b: string): number => a < b ? -1 : a > b ? 1 : 0

/** Ascending by name, then by uuid, so that pages of the same list never overlap. */
const byName = (a: Player, b: Player): number => compare(a.name, b.name) || compare(a.uuid, b.uuid)

/** All in the order of pages. */
export const inOrder = (players: readonly Player[]): readonly Player[] => [...players].sort(byName)

/** The same over many turns of the event loop, for a list that may be long. */
export async function orderInChunks (players: readonly Player[]): Promise<readonly Player[]> {
  let runs: Array<readonly Player[]> = []
  for await (const piece of inChunks(players)) runs.push(inOrder(piece))
  while (runs.length > 1) {
    const merged: Array<readonly Player[]> = []
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? []))
    runs = merged
  }
  return runs[0] ?? []
}

async function merge (left: readonly Player[], right: readonly Player[]): Promise<readonly Player[]> {
  if (right.length === 0) return left
  const merged: Player[] = []
  let taken = 0
  for await (const piece of inChunks(left)) {
    for (const one of piece) {
      for (let other = right[taken]; other !== undefined && byName(other, one) < 0; other = right[++taken]) merged.push(other)
      merged.push(one)
    }
  }
  for (; taken < right.length; taken++) merged.push(right[taken] as Player)
  return merged
}

/** The first of all in the order of pages, without sorting the rest. */
async function firstInOrder (players: readonly Player[], count: number): Promise<readonly Player[]> {
  let first: readonly Player[] = []
  for await (const piece of inChunks(players)) {
    const last = first.length < count ? undefined : first[count - 1]
    const before = last === undefined ? piece : piece.filter(one => byName(one, last) < 0)
    if (before.length > 0) first = inOrder([...first, ...before]).slice(0, count)
  }
  return first
}

/** One page of a list in order; empty beyond the end. */
export function pageOf (ordered: readonly Player[], query: PageQuery): Page {
  return cut(ordered, ordered.length, query)
}

/** One page of a list in any order. */
export async function pageOfUnordered (players: readonly Player[], query: PageQuery): Promise<Page> {
  const end = query.page * query.size
  // Deep in a long list it is cheaper to sort everything.
  const isNear = isLong(players) && end <= 1_000
  return cut(isNear ? await firstInOrder(players, end) : await orderInChunks(players), players.length, query)
}

function cut (ordered: readonly Player[], total: number, { page, size }: PageQuery): Page {
  const start = (page - 1) * size
  return { page, size, total, totalPages: Math.ceil(total / size), data: ordered.slice(start, start + size) }
}
