/** Who is on a server through this gate, or on the way to it, and for how many players that stands. */
import { once } from './once.js'
import { sum } from './sum.js'

/** So long after a login nobody knows whether it goes on: servers give it up by then, after 600 ticks, which take a slow one longer than 30 s. */
const unsureMs = 40_000

/** Whoever has been on a server for so long is in its count, also where that has not changed. */
const countedMs = 5_000

/** So many of one address who may turn out not to play are shown. */
const mostShown = 4

/** @param {() => void} changed called when it may stand for another number of players */
export function createVisitors (changed) {
  // Whom the server has not answered yet, and whom it has.
  const coming = new Set()
  const here = new Set()
  // Who came after the server was counted.
  const fresh = new Set()
  // Who was there when it was counted, and has left since.
  const gone = new Set()
  // Who may still turn out not to play: of all, of those who are here, of those who are fresh.
  const unsure = createDoubts()
  const unsureHere = createDoubts()
  const unsureFresh = createDoubts()

  /** Somebody is on the way there. */
  function come ({ name, party }) {
    const visitor = { name, party, isSure: false }
    const timers = []
    const after = (ms, action) => timers.push(setTimeout(action, ms).unref())
    const believe = unsure.add(party)
    let believeHere = () => {}
    const believeFresh = unsureFresh.add(party)
    visitor.count = () => {
      fresh.delete(visitor)
      believeFresh()
    }
    coming.add(visitor)
    fresh.add(visitor)
    return {
      /** The server has answered. */
      enter: uuid => {
        coming.delete(visitor)
        here.add(Object.assign(visitor, { uuid }))
        believeHere = unsureHere.add(party)
        after(countedMs, visitor.count)
        after(unsureMs, () => {
          visitor.isSure = true
          believe()
          believeHere()
          changed()
        })
        changed()
      },
      /** The connection leads there no more. */
      leave: () => {
        timers.forEach(clearTimeout)
        if (!fresh.has(visitor)) {
          gone.add(visitor)
          setTimeout(() => { gone.delete(visitor) }, countedMs).unref()
        }
        visitor.count()
        believe()
        believeHere()
        coming.delete(visitor)
        if (here.delete(visitor)) changed()
      }
    }
  }

  /**
   * How many players are on the server, which told of `players`, or on their way to it: who is fresh is in no count yet, and who has played
   * and left since is in it still. Where `most` is given only so many of an address count who may not play.
   */
  function load (players, most = Infinity) {
    const own = here.size + coming.size - unsure.beyond(most)
    const newcomers = fresh.size - unsureFresh.beyond(most) - sum(gone, ({ isSure }) => isSure ? 1 : 0)
    return Math.max(own, players + Math.max(0, newcomers))
  }

  function has (isMeant) {
    for (const visitors of [coming, here]) {
      for (const visitor of visitors) if (isMeant(visitor)) return true
    }
    return false
  }

  return {
    come,
    /** Those whom the server has answered. @type {Set<{ name: string, uuid?: string }>} */
    here,
    /** How many connections lead there. */
    get size () { return here.size + coming.size },
    /** The server has told of another number of players. */
    told: () => {
      for (const visitor of here) visitor.count()
      gone.clear()
    },
    load: ({ players }) => load(players),
    /** Of each address one counts who may turn out not to play: nobody fills a server with logins that do not go on. */
    isFull: ({ players, slots }) => slots > 0 && load(players, 1) >= slots,
    /** It may have room though it is counted as full: somebody has left since. */
    mayHaveRoom: ({ players, slots }) => load(Math.max(0, players - gone.size), 1) < slots,
    /** How many the server list shows. */
    online: ({ isListed, players }) => Math.max(here.size - unsureHere.beyond(mostShown), isListed ? players : 0),
    /** Whether somebody of this name and address is there already, or about to be. */
    has: (name, party) => has(visitor => visitor.name === name && visitor.party === party),
    /** Whether somebody of this name is there who plays, from wherever: a name that somebody has just said is none yet. */
    hasPlayer: name => has(visitor => visitor.name === name && visitor.isSure)
  }
}

/** How many of each address may still turn out not to play. */
function createDoubts () {
  const counts = new Map()
  return {
    /** One more of this address; answers what makes it one less, once. Where no address is known nobody is doubted. */
    add: party => {
      if (party === undefined) return () => {}
      counts.set(party, (counts.get(party) ?? 0) + 1)
      return once(() => {
        const remaining = counts.get(party) - 1
        if (remaining === 0) counts.delete(party)
        else counts.set(party, remaining)
      })
    },
    /** How many there are beyond so many of each address. */
    beyond: most => most === Infinity ? 0 : sum(counts.values(), ofOne => Math.max(0, ofOne - most))
  }
}
