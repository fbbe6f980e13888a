/** Turns of what must not run beside each other. Parties take turns; what one of them asks for has its turn in the order in which it was asked for. */
import { RuntimeTimeout } from '../errors.js'
import { type WhenGone, Unheard } from './deadline.js'

/** Who waits for an answer, and for how long. */
export interface Waiting {
  /** A user, for instance; those who do not say so are one. */
  readonly party?: string
  readonly gone?: WhenGone
}

/** The same, with the moment from which on nobody waits any more, as `performance.now` tells it. */
export interface WaitingUntil extends Waiting {
  readonly end: number
}

/** Makes the one of the other for whoever asks now. */
export const waitingFor = (timeout: number) => (who: Waiting = {}): WaitingUntil => ({ ...who, end: performance.now() + timeout })

/** Milliseconds that are left of the time of whoever waits. */
export const leftOf = ({ end }: WaitingUntil): number => Math.max(1, end - performance.now())

/**
 * What has not had its turn when nobody waits for it any more is not done, and holds up nobody.
 * Each throws 504 where that takes too long, and 499, which nobody hears, where whoever asked has gone.
 */
export interface Turns {
  /** Runs beside others of its kind, and beside nothing that runs alone. */
  together<T> (who: WaitingUntil, action: () => Promise<T>): Promise<T>
  alone<T> (who: WaitingUntil, action: () => Promise<T>): Promise<T>
  /** Whether nothing runs, and nothing waits. */
  readonly isIdle: boolean
}

/** One that waits. */
interface Entry {
  readonly party: string
  readonly isAlone: boolean
  begin (): void
}

/** `mostOfParty`: so many of one party run at the same time. */
export function createTurns (mostOfParty = Infinity): Turns {
  /** Those who wait, by their parties: the one that was served last is the last. */
  const parties = new Map<string, Set<Entry>>()
  const running = new Map<string, number>()
  let count = 0
  let isAlone = false
  /** Whose turn is next, as soon as those that run are done. */
  let next: Entry | undefined

  function pick (): Entry | undefined {
    for (const [party, entries] of parties) if ((running.get(party) ?? 0) < mostOfParty) return entries.values().next().value
    return undefined
  }

  function remove (entry: Entry): void {
    if (next === entry) next = undefined
    const entries = parties.get(entry.party)
    entries?.delete(entry)
    if (entries?.size === 0) parties.delete(entry.party)
  }

  /** All others come before it is the turn of that party again. */
  function putBehind (party: string): void {
    const entries = parties.get(party)
    if (entries === undefined) return
    parties.delete(party)
    parties.set(party, entries)
  }

  /** Begins what can begin now. Whoever is to be alone is not overtaken once it is their turn. */
  function proceed (): void {
    while (!isAlone) {
      next ??= pick()
      if (next === undefined || (next.isAlone && count > 0)) return
      const entry = next
      remove(entry)
      putBehind(entry.party)
      isAlone = entry.isAlone
      count++
      running.set(entry.party, (running.get(entry.party) ?? 0) + 1)
      entry.begin()
    }
  }

  function over ({ party }: Entry): void {
    count--
    isAlone = false
    const left = running.get(party) as number - 1
    if (left === 0) running.delete(party)
    else running.set(party, left)
    proceed()
  }

  async function turn<T> (who: WaitingUntil, isAlone: boolean, action: () => Promise<T>): Promise<T> {
    const entry = await new Promise<Entry>((resolve, reject) => {
      const stay: { now?: () => void } = {}
      const giveUp = (failure: Error): void => {
        leave()
        remove(one)
        reject(failure)
        proceed()
      }
      const timer = setTimeout(() => { giveUp(RuntimeTimeout.because(new Error('It was not its turn in time'))) }, leftOf(who))
      const leave = (): void => {
        clearTimeout(timer)
        stay.now?.()
      }
      const one: Entry = {
        party: who.party ?? '',
        isAlone,
        begin: () => {
          leave()
          resolve(one)
        }
      }
      const entries = parties.get(one.party)
      if (entries === undefined) parties.set(one.party, new Set([one]))
      else entries.add(one)
      const stop = who.gone?.(() => { giveUp(Unheard) })
      if (stop !== undefined) stay.now = stop
      proceed()
    })
    try {
      return await action()
    } finally {
      over(entry)
    }
  }

  return {
    together: async (who, action) => await turn(who, false, action),
    alone: async (who, action) => await turn(who, true, action),
    get isIdle () { return count === 0 && parties.size === 0 }
  }
}
