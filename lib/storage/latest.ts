/** Notes of use, each of a row by its id: as a statement can take them, which takes any one of several of one row. */
import { canBeStored } from './dialect.js'

// SQLite takes 32,766 parameters in a statement and PostgreSQL 65,535; a note needs two.
const atOnce = 1_000

/** The latest note of each id that there can be, so many at a time as one statement takes. */
export function latestOfEach<T extends { readonly id: string }> (notes: readonly T[], at: (note: T) => number): T[][] {
  const latest = [...new Map(notes.filter(({ id }) => canBeStored(id)).toSorted((a, b) => at(a) - at(b)).map(note => [note.id, note])).values()]
  return Array.from({ length: Math.ceil(latest.length / atOnce) }, (_, index) => latest.slice(index * atOnce, (index + 1) * atOnce))
}
