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
  // How many of an address may still turn out not to play.
  const unsure = new Map()
  let counted = 0
  let hereWhenTold = 0

  /** Counts one of this address who may still turn out not to play; answers what counts one less, once. */
  function doubt (party) {
    if (party === undefined) return () => {}
    unsure.set(party, (unsure.get(party) ?? 0) + 1)
    return once(() => {
      const left = unsure.get(party) - 1
      if (left === 0) unsure.delete(party)
      else unsure.set(party, left)
    })
  }

  /** How many may not play and do not count, where of each address only so many do. */
  const doubtful = most => sum(unsure.values(), ofOne => Math.max(0, ofOne - most))

  /** Somebody is on the way there. */
  function come ({ name, party }) {
    const visitor = { name, party }
    const believe = doubt(party)
    const timers = []
    coming.add(visitor)
    return {
      /** The server has answered. */
      enter: uuid => {
        coming.delete(visitor)
        here.add(Object.assign(visitor, { uuid, isSure: false, isCounted: false }))
        timers.push(setTimeout(() => {
          visitor.isCounted = true
          counted++
        }, countedMs).unref(), setTimeout(() => {
          visitor.isSure = true
          believe()
          changed()
        }, unsureMs).unref())
        changed()
      },
      /** The connection leads there no more. */
      leave: () => {
        timers.forEach(clearTimeout)
        if (visitor.isCounted) counted--
        believe()
        coming.delete(visitor)
        if (here.delete(visitor)) changed()
      }
    }
  }

  /** How many players are on the server, which told of `players`, or on their way to it: whoever came after it was counted is in no count yet. */
  function load (players, doubted = 0) {
    const own = here.size + coming.size
    const newcomers = own - Math.max(hereWhenTold, counted)
    return Math.max(own - doubted, players + Math.max(0, newcomers - doubted))
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
    told: () => { hereWhenTold = here.size },
    load: ({ players }) => load(players),
    /** Of each address one counts who may turn out not to play: nobody fills a server with logins that do not go on. */
    isFull: ({ players, slots }) => slots > 0 && load(players, doubtful(1)) >= slots,
    /** How many the server list shows. */
    online: ({ isListed, players }) => Math.max(here.size - doubtful(mostShown), isListed ? players : 0),
    /** Whether somebody of this name and address is there already, or about to be. */
    has: (name, party) => has(visitor => visitor.name === name && visitor.party === party),
    /** Whether somebody of this name is there who plays, from wherever: a name that somebody has just said is none yet. */
    hasPlayer: name => has(visitor => visitor.name === name && visitor.isSure === true)
  }
}
