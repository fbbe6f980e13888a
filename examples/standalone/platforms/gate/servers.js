/** The servers as they were listed last, who is on them through this gate, and which of them a player goes to. */
import { once } from './once.js'

/** A server that did not answer is asked last for so long. */
const shunnedMs = 10_000

/** So long after a login nobody knows whether it goes on: servers give it up by then. */
const unsureMs = 30_000

/** Whoever has been on a server for so long is in its count, also where that has not changed. */
const countedMs = 5_000

/** So many of one address count wherever they go. */
const fewest = 4

/**
 * @typedef {object} Server
 * @property {string} name
 * @property {string} host
 * @property {number} port
 * @property {boolean} proxyProtocol
 * @property {boolean} isListed a server that is listed no more is known as long as somebody is on it
 * @property {number} players as listed
 * @property {number} slots
 * @property {Promise<void> | undefined} asked whether it is there, as long as it has not answered
 * @property {boolean} due it is about to be restarted: who comes is better off elsewhere
 * @property {Map<string, number>} unsure how many of an address may still turn out not to play
 * @property {Set<object>} coming the players whom it has not answered yet
 * @property {Set<object>} here the players that are on it through this gate
 */
export function createServers () {
  /** @type {Map<string, Server>} */
  const known = new Map()
  let fallbacks = []
  let lastResort = []
  let forcedHosts = new Map()
  let sample = []
  let changed = () => {}
  let parked = { changed: () => {}, left: () => {} }
  // Who has begun to join, and is on no server yet.
  let coming = 0
  // Who waits for another list.
  const waiting = new Set()

  const named = names => names.map(name => known.get(name)).filter(server => server?.isListed)

  function replace (list) {
    for (const server of known.values()) server.isListed = false
    for (const listed of list.servers) update(listed)
    for (const server of known.values()) drop(server)
    fallbacks = [...known.values()].filter(server => server.isListed && server.fallback)
    lastResort = named(list.lastResort)
    forcedHosts = new Map([...list.forcedHosts].map(([host, names]) => [host, named(names)]))
    sample = list.sample
    parked.changed()
    changed()
    for (const goOn of waiting) goOn(true)
  }

  /** Whether another list comes within this time. */
  function relisted (ms) {
    return new Promise(resolve => {
      const timer = setTimeout(goOn, Math.max(0, ms), false)
      function goOn (isThere) {
        clearTimeout(timer)
        waiting.delete(goOn)
        resolve(isThere)
      }
      waiting.add(goOn)
    })
  }

  function update (listed) {
    const server = known.get(listed.name)
    if (server === undefined) {
      known.set(listed.name, { ...listed, isListed: true, here: new Set(), coming: new Set(), counted: 0, unsure: new Map(), hereWhenTold: 0, shunnedUntil: 0 })
      return
    }
    if (server.players !== listed.players) server.hereWhenTold = server.here.size
    // At another address, or taking joins again, it is not what failed.
    if (server.host !== listed.host || server.port !== listed.port || server.parked !== listed.parked) server.shunnedUntil = 0
    Object.assign(server, listed, { isListed: true })
  }

  function shun (server) {
    server.shunnedUntil = performance.now() + shunnedMs
  }

  async function ask (server, isThere) {
    const { host, port } = server
    const is = await isThere()
    server.asked = undefined
    if (!is && server.host === host && server.port === port) shun(server)
  }

  /** One connection less leads there. */
  function forget (server) {
    if (isClosed(server)) parked.left()
    drop(server)
  }

  function drop (server) {
    if (!server.isListed && server.here.size === 0 && server.coming.size === 0) known.delete(server.name)
  }

  /** The emptiest of these; those that are about to be restarted come after them, then full ones, and those that failed lately last. */
  function emptiest (servers) {
    const now = performance.now()
    let [best, bestRank] = []
    for (const server of servers) {
      const rank = rankOf(server, now)
      if (best === undefined || isLess(rank, bestRank)) [best, bestRank] = [server, rank]
    }
    return best
  }

  /**
   * Where somebody of this name is. Who comes again before the old connection is gone must not be on two servers; but a name
   * that somebody else has just said, at another address, decides nothing.
   */
  function homeOf (name, party) {
    for (const server of known.values()) {
      for (const player of server.here) if (player.name === name && (player.isSure || player.party === party)) return [server]
      for (const player of server.coming) if (player.name === name && player.party === party) return [server]
    }
    return []
  }

  /** Counts one of this address who may still turn out not to play; answers what counts one less, once. */
  function enterUnsure ({ unsure }, party) {
    if (party === undefined) return () => {}
    unsure.set(party, (unsure.get(party) ?? 0) + 1)
    return once(() => {
      const left = unsure.get(party) - 1
      if (left === 0) unsure.delete(party)
      else unsure.set(party, left)
    })
  }

  /**
   * Reserves a place for a player who asked for this host, on a server that is not among those tried: where the player
   * is already, else the emptiest of the host, else the emptiest fallback server, else the first of the last resort; those
   * that are full come in the same order after all that have room. Whoever was refused once goes on to those only that
   * have room, and answered lately. `party` is whom the address stands for, where that is known.
   *
   * @param {{ name: string, host: string, party?: string }} player
   * @returns {undefined | { server: Server, enter: (player: { name: string }) => void, refuse: () => void, fail: (isThere?: () => Promise<boolean>) => void, leave: () => void }}
   */
  function reserve ({ name, host, party }, tried, wasRefused = false) {
    const now = performance.now()
    const mayTry = server => server.isListed && !tried.has(server) && !(wasRefused && server.shunnedUntil > now)
    const isOpen = server => mayTry(server) && !server.parked
    const isSpare = server => mayTry(server) && server.parked && server.keeps && !isFull(server)
    const choose = isMeant => emptiest((forcedHosts.get(host) ?? []).filter(isMeant)) ?? emptiest(fallbacks.filter(isMeant)) ?? lastResort.find(isMeant)
    const server = homeOf(name, party).find(isOpen) ?? choose(server => isOpen(server) && !isFull(server)) ?? choose(isSpare) ?? (wasRefused ? undefined : choose(isOpen))
    if (server === undefined) return undefined
    const visitor = { name, party }
    server.coming.add(visitor)
    const sure = enterUnsure(server, party)
    let player
    const timers = []
    return {
      server,
      enter: entered => {
        player = Object.assign(entered, { party, isCounted: false, isSure: false })
        server.coming.delete(visitor)
        server.here.add(player)
        timers.push(setTimeout(() => {
          player.isCounted = true
          server.counted++
        }, countedMs).unref(), setTimeout(() => {
          player.isSure = true
          sure()
          changed()
        }, unsureMs).unref())
        changed()
      },
      /** The server would not have this player; others may come. */
      refuse: () => {
        server.coming.delete(visitor)
        sure()
        forget(server)
      },
      /** It is asked last for a while; where `isThere` can be asked, once for all who ask, only if that says no: else it has failed for this player alone. */
      fail: isThere => {
        server.coming.delete(visitor)
        sure()
        if (isThere === undefined) shun(server)
        else server.asked ??= ask(server, isThere)
        forget(server)
      },
      leave: () => {
        timers.forEach(clearTimeout)
        if (player.isCounted) server.counted--
        sure()
        server.here.delete(player)
        forget(server)
        changed()
      }
    }
  }

  return {
    replace,
    relisted,
    reserve,
    /** Calls this whenever something changes that the status shows. */
    onChange: action => { changed = action },
    /** Calls `changed` when `parked` may have become another list, before anybody is sent anywhere, and `left` when a number of it has. */
    onParked: actions => { parked = actions },
    /** Somebody has begun to join, until the answer is called. */
    arrive: () => {
      coming++
      changed()
      return () => {
        coming--
        changed()
      }
    },
    /** @returns {Server[]} */
    get all () { return [...known.values()] },
    get sample () { return sample },
    /** Those that are listed here and on other ways count once. */
    get online () { return sum(known.values(), server => Math.max(server.here.size - doubtfulOf(server), server.isListed ? server.players : 0)) },
    /** Those that are connected through this gate, or about to be. */
    get here () { return coming + sum(known.values(), ({ here }) => here.size) },
    /** The servers to which nobody is sent any more, and how many connections lead there; whose login is under way has one. */
    get parked () { return [...known.values()].filter(isClosed).map(({ name, here, coming }) => [name, here.size + coming.size]) },
    get slots () { return sum(known.values(), ({ isListed, slots }) => isListed ? slots : 0) }
  }
}

/** How many are on a server, or on their way to it: whoever came after it was counted last is in no count yet. */
function loadOf ({ players, here, coming, counted, hereWhenTold }) {
  const own = here.size + coming.size
  return Math.max(own, players + Math.max(0, own - Math.max(hereWhenTold, counted)))
}

function rankOf (server, now) {
  return [server.shunnedUntil > now ? 1 : 0, isFull(server) ? 1 : 0, server.due ? 1 : 0, loadOf(server)]
}

/** Of one address so many who may not play count, at most, that the server is half full: nobody fills it with logins that do not go on. */
function doubtfulOf ({ unsure, slots }) {
  const most = Math.max(fewest, Math.floor(slots / 2))
  return sum(unsure.values(), count => Math.max(0, count - most))
}

const isClosed = server => server.isListed && server.parked && !server.keeps

const isFull = server => server.slots > 0 && loadOf(server) - doubtfulOf(server) >= server.slots

function isLess (rank, other) {
  const at = rank.findIndex((value, index) => value !== other[index])
  return at !== -1 && rank[at] < other[at]
}

function sum (values, of) {
  let total = 0
  for (const value of values) total += of(value)
  return total
}
