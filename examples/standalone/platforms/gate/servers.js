/** The servers as they were listed last, who is on them through this gate, and which of them a player goes to. */
import { createEndpoint } from './endpoint.js'
import { once } from './once.js'
import { sum } from './sum.js'
import { createVisitors } from './visitors.js'

/** A list that has stood for so long is nobody's who is about to replace it. */
const staleMs = 5000

/**
 * @typedef {object} Server
 * @property {string} name
 * @property {string} host
 * @property {number} port
 * @property {boolean} proxyProtocol
 * @property {boolean} isListed a server that is listed no more is known as long as somebody is on it
 * @property {number} players as listed
 * @property {number} slots
 * @property {import('./endpoint.js').Endpoint} endpoint
 * @property {boolean} due it is about to be restarted: who comes is better off elsewhere
 * @property {ReturnType<typeof createVisitors>} visitors who is on it through this gate
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
  let listedAt = -Infinity

  const named = names => names.map(name => known.get(name)).filter(server => server?.isListed)

  function replace (list) {
    listedAt = performance.now()
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
      known.set(listed.name, { ...listed, isListed: true, visitors: createVisitors(() => { changed() }), endpoint: createEndpoint(listed) })
      return
    }
    if (server.players !== listed.players) server.visitors.told()
    if (['host', 'port', 'proxyProtocol', 'parked'].some(field => server[field] !== listed[field])) server.endpoint = createEndpoint(listed)
    Object.assign(server, listed, { isListed: true })
  }

  /** One connection less leads there. */
  function forget (server) {
    if (isClosed(server)) parked.left()
    drop(server)
  }

  function drop (server) {
    if (!server.isListed && server.visitors.size === 0) known.delete(server.name)
  }

  /** Whether somebody of this name and address is on this server, or about to be, who must not be on two. */
  const isHome = (server, { name, party }) => server.visitors.has(name, party)

  /**
   * Reserves a place for a player who asked for this host, on a server whose endpoint is not among those tried: where the player
   * is already, if that has answered lately, else the emptiest of the host, else the emptiest fallback server, else the first of the last resort; those
   * that are full come in the same order after all that have room, and those that failed lately after these. Whoever was refused
   * once goes on to those only that have room, or may have. `party` is whom the address stands for, where that is known.
   *
   * Where nothing has room but a server that is held, the answer is 'later' as long as another list may come and say what becomes of it;
   * without `mayWait` it is passed over until then.
   *
   * @param {{ name: string, host: string, party?: string }} player
   * @param {Set<import('./endpoint.js').Endpoint>} tried
   * @param {{ wasRefused?: boolean, mayWait?: boolean }} [options]
   * @returns {undefined | 'later' | { server: Server, endpoint: import('./endpoint.js').Endpoint, enter: (uuid?: string) => void, refuse: () => boolean, isAway: () => void, isSilent: (isThere: () => Promise<boolean>) => void, hasHungUp: (isThere: () => Promise<boolean>) => Promise<boolean>, leave: () => void }}
   */
  function reserve (player, tried, { wasRefused = false, mayWait = false } = {}) {
    const now = performance.now()
    const mayTry = server => server.isListed && !tried.has(server.endpoint)
    const isOpen = server => mayTry(server) && !server.parked
    const isSpare = server => mayTry(server) && server.parked && server.keeps
    const isHeld = server => mayTry(server) && server.parked && server.held
    const answers = ({ endpoint }) => endpoint.answers(player.party)
    const choose = isMeant => best((forcedHosts.get(player.host) ?? []).filter(isMeant), player) ?? best(fallbacks.filter(isMeant), player) ?? lastResort.find(isMeant)
    const withRoom = isMeant => choose(server => isMeant(server) && answers(server) && !isFull(server))
    const withoutRoom = () => wasRefused ? choose(server => isOpen(server) && fullness(server) < 2) : choose(server => isOpen(server) && answers(server)) ?? choose(isOpen)
    let server = [...known.values()].find(server => isOpen(server) && answers(server) && isHome(server, player)) ?? withRoom(isOpen) ?? withRoom(isSpare)
    if (server === undefined) {
      const held = withRoom(isHeld)
      if (held !== undefined && now < listedAt + staleMs && mayWait) return 'later'
      server = held !== undefined && now >= listedAt + staleMs ? held : withoutRoom()
    }
    if (server === undefined) return undefined
    const { endpoint } = server
    const { enter, leave } = server.visitors.come(player)
    // Before anything goes there.
    if (isClosed(server)) parked.changed()
    const end = once(() => {
      leave()
      forget(server)
    })
    return {
      server,
      endpoint,
      enter: uuid => {
        endpoint.entered()
        enter(uuid)
      },
      leave: end,
      /** The server would not have this player; others may come. Answers whether this one is there by another connection. */
      refuse: () => {
        end()
        return isHome(server, player)
      },
      /** It cannot be reached. */
      isAway: () => {
        end()
        endpoint.isAway()
      },
      /** It said nothing; `isThere` asks whether it is there. */
      isSilent: isThere => {
        end()
        endpoint.isSilent(isThere, player.party, now)
      },
      /** It has hung up. Answers whether this player is there by another connection, and the server as well. */
      hasHungUp: async isThere => {
        end()
        const is = endpoint.hasHungUp(isThere)
        return isHome(server, player) && await is && isHome(server, player)
      }
    }
  }

  return {
    replace,
    relisted,
    reserve,
    /** Calls this whenever something changes that the status shows. */
    onChange: action => { changed = action },
    /** Calls `changed` when `parked` may have become another list, or one of its numbers larger, before anybody is sent anywhere, and `left` when a number of it has. */
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
    get online () { return sum(known.values(), server => server.visitors.online(server)) },
    /** Those that are connected through this gate, or about to be. */
    get here () { return coming + sum(known.values(), ({ visitors }) => visitors.here.size) },
    /** The servers to which nobody is sent any more, and how many connections lead there; whose login is under way has one. */
    get parked () { return [...known.values()].filter(isClosed).map(({ name, visitors }) => [name, visitors.size]) },
    get slots () { return sum(known.values(), ({ isListed, slots }) => isListed ? slots : 0) }
  }
}

const isClosed = server => server.isListed && server.parked && !server.keeps

const isFull = server => server.visitors.isFull(server)

/** 0: it has room; 1: it may have; 2: it is full, as far as is known. */
const fullness = server => !isFull(server) ? 0 : server.visitors.mayHaveRoom(server) ? 1 : 2

/**
 * The best of these for a player: full ones come last, and before them those that are about to be restarted; of what is left that on
 * which somebody of this name plays, from wherever, and else the emptiest.
 */
function best (servers, { name }) {
  let [best, bestRank] = []
  for (const server of servers) {
    const { due, visitors } = server
    const rank = [fullness(server), due ? 1 : 0, visitors.hasPlayer(name) ? 0 : 1, visitors.load(server)]
    if (best === undefined || isLess(rank, bestRank)) [best, bestRank] = [server, rank]
  }
  return best
}

function isLess (rank, other) {
  const at = rank.findIndex((value, index) => value !== other[index])
  return at !== -1 && rank[at] < other[at]
}
