/**
 * What an operator was promised, in short: of groups, services and their lives. It is told what was asked for, and everything
 * that happens, and says what is against a promise.
 */
import type { Group, ServiceState } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'

/** A program that runs, as the machine sees it. */
export interface Life {
  readonly name: string
  readonly group: string
  readonly token: string
  readonly bornAt: number
  readonly ready: boolean
  readonly players: readonly string[]
  readonly playersAt: number
  /** Nobody may have known of those who were on it last. */
  readonly unseen?: boolean
}

export interface Sight {
  readonly groups: readonly Group[]
  readonly services: readonly RuntimeService[]
  readonly running: readonly Life[]
}

interface Order {
  /** What was answered; `undefined`: there is no such group. */
  sure: Group | undefined
  /** What was asked for and not answered: it may be so, or may become so. */
  maybe: Array<Group | undefined>
  deleting: boolean
  /** Its deletion has failed: nothing of it starts until somebody has looked at it. */
  halted: boolean
  /** Its file is damaged: nothing can be said of what is in it. */
  spoilt: boolean
  /** It was so when this core began, which knows nothing of it. */
  damaged: boolean
  /** Its file was taken away: the next core may know nothing of it. */
  lost: boolean
  /** When its restart was over: a successor that nobody needs any more may still start. */
  rolledAt: number
  /** When somebody changed it last. */
  changedAt: number
  roll?: { readonly at: number, readonly online: number, readonly drop: number, readonly tokens: Set<string>, readonly preparing: Set<string>, readonly names: ReadonlySet<string>, readonly ended: Set<string>, calm: boolean } | undefined
}

interface Deaths { count: number, quick: number }
interface Known {
  state: ServiceState
  /** At least and at most so many deaths in a row: whether somebody's word has come before one of them is not always known. */
  low: Deaths
  high: Deaths
  failures: number
  onlineAt: number | undefined
  notBefore: number
  /** The life of it that was asked to end last, by whichever core. */
  toEnd?: string | undefined
  begun: string
  askedAt: number
  /** It was stopped, or taken away, and nobody has asked for it since. */
  down: boolean
  /** It was down before the start that is under way: a core that ends before its engine has begun leaves it so, or not. */
  wasDown?: boolean
  /** A core has ended then. */
  unsure?: boolean
  /** Taken over by this core. */
  adopted: boolean
  /** Somebody has asked for its end. */
  leaves?: boolean
  /** There were enough others when it began to stop, which its machine hears a moment later. */
  surplus?: boolean
  /** The disk was full when that was to be written down. */
  unnoted?: boolean
  /** A restart of it was asked for, or of its group; what is asked for until it is ready joins that. */
  restarting?: boolean
  /** The life that ran when its restart was accepted. */
  outgoing?: string | undefined
}

export const [second, idleSeconds, drainSeconds] = [1000, 20, 5]
const steps: Readonly<Record<ServiceState, readonly ServiceState[]>> = {
  OFFLINE: ['STARTING', 'ONLINE'], STARTING: ['ONLINE', 'STOPPING', 'OFFLINE'], ONLINE: ['STOPPING', 'OFFLINE'], STOPPING: ['OFFLINE']
}
const none = (): Deaths => ({ count: 0, quick: 0 })
const pauseOf = (count: number): number => Math.min(1000 * 2 ** (count - 1), 60_000)
const same = (a: Group | undefined, b: Group | undefined): boolean => a === b || (a?.platform.name === b?.platform.name && a?.minOnlineService === b?.minOnlineService &&
  a?.maxOnlineService === b?.maxOnlineService && a?.percentageToStartNewService === b?.percentageToStartNewService && a?.properties['static'] === b?.properties['static'] && a?.properties['port'] === b?.properties['port'])
/** Whether a group may be so. */
const holds = ({ sure, maybe, spoilt }: Order, is: Group | undefined): boolean =>
  [sure, ...maybe].some(one => same(one, is) || (spoilt && one !== undefined && is !== undefined))
/** Whether its services have worlds, or ports, of their own. */
const isPinned = (group: Group | undefined): boolean => group?.properties['static'] === true || group?.properties['port'] !== undefined
const numberOf = (service: string): number => Number(service.slice(service.lastIndexOf('-') + 1))
export const groupOf = (service: string): string => service.replace(/-\d+$/, '')

export function createPromises ({ now, startingMost, startTimeoutMs, stopTimeoutMs, running, broken }: {
  now (): number
  readonly startingMost: number
  readonly startTimeoutMs: number
  readonly stopTimeoutMs: number
  running (): readonly Life[]
  broken (what: string): void
}) {
  const orders = new Map<string, Order>()
  const services = new Map<string, Known>()
  /** Lives that were rightly ended once: until they do end, that is tried again and again, also by the next core. */
  const condemned = new Set<string>()
  /** Lives whose group was gone when this core, or one before it, has found them. */
  const strays = new Set<string>()
  let closing = false
  let openedAt = 0
  const orderOf = (name: string): Order => {
    const order = orders.get(name) ?? { sure: undefined, maybe: [], deleting: false, halted: false, spoilt: false, damaged: false, lost: false, rolledAt: -Infinity, changedAt: -Infinity }
    orders.set(name, order)
    return order
  }
  const knownOf = (name: string): Known => {
    const known = services.get(name) ?? { state: 'OFFLINE', low: none(), high: none(), failures: 0, onlineAt: undefined, notBefore: 0, begun: 'no', askedAt: -Infinity, down: true, adopted: false }
    services.set(name, known)
    return known
  }
  /** Services that have begun to start while their group was being deleted, as far as anybody had heard. */
  const early = new Map<string, { readonly group: string, readonly at: number }>()
  const likely = ({ sure, maybe }: Order): Group[] => [sure, ...maybe].filter(one => one !== undefined)
  const most = (order: Order, of: (group: Group) => number): number => Math.max(0, ...likely(order).map(of))
  const least = (order: Order, of: (group: Group) => number): number => Math.min(...likely(order).map(of))
  const of = (group: string): Life[] => running().filter(life => life.group === group && !strays.has(life.token))
  const onlineOf = (group: string): number => [...services].filter(([name, { state }]) => groupOf(name) === group && state === 'ONLINE').length
  const unrest = (group: string): void => { if (orders.get(group)?.roll !== undefined) (orders.get(group) as Required<Order>).roll!.calm = false }

  /** Somebody may have looked at a group: what of it has given up may try again, and what rests may be ended and begun anew. */
  function look (group: string): void {
    orderOf(group).changedAt = now()
    unrest(group)
    for (const [name, known] of services) if (groupOf(name) === group) Object.assign(known, { low: none(), notBefore: 0, failures: 0 })
  }
  /** Who has ended amid the restart of its group goes when its successor is there, also in the life that it has begun by then; one that comes again under its number is new. */
  function isReplaced (name: string): boolean {
    const { roll } = orderOf(groupOf(name))
    return roll?.ended.has(name) === true && of(groupOf(name)).some(life => life.ready && !roll.names.has(life.name))
  }
  /** Whether a group has its minimum without a service, and nothing else lets it have one more. */
  function isEnough (name: string): boolean {
    const [group, order] = [groupOf(name), orderOf(groupOf(name))]
    // Where one service cannot stand for another, those with higher numbers do not make up for it.
    const counts = (other: string): boolean => !isPinned(order.sure) || numberOf(other) < numberOf(name)
    const others = of(group).filter(life => life.name !== name && counts(life.name) && knownOf(life.name).state !== 'STOPPING' && knownOf(life.name).leaves !== true)
    const isEmpty = of(group).every(({ players, playersAt }) => players.length === 0 && playersAt < now() - 15_000)
    const isAsked = knownOf(group).askedAt > now() - 60_000 || order.roll !== undefined || order.rolledAt > now() - 120_000 || order.maybe.length > 0 || order.spoilt
    return isEmpty && !isAsked && others.length >= most(order, ({ minOnlineService }) => minOnlineService)
  }
  function judge (deaths: Deaths, onlineFor: number | undefined): Deaths {
    const { count, quick } = onlineFor !== undefined && onlineFor >= 600_000 ? none() : deaths
    return { count: count + 1, quick: onlineFor === undefined || onlineFor <= 10_000 ? quick + 1 : 0 }
  }

  /**
   * Where one service cannot stand for another: the minimum is made up of the first ones, and up to the maximum who has died comes
   * back, whoever else has players. Of ports all are known, of worlds those that are listed.
   */
  function first ({ name, minOnlineService: min, maxOnlineService: max, properties }: Group, own: readonly RuntimeService[], mayPause: boolean): void {
    const rests = ({ name, state }: RuntimeService): boolean => state === 'OFFLINE' && mayPause && knownOf(name).high.quick >= 5
    const here = own.filter(one => one.state === 'ONLINE' || rests(one)).map(one => numberOf(one.name))
    const before = (number: number): number => here.filter(other => other < number).length
    const highest = Math.max(0, ...here)
    const known = properties['port'] === undefined ? own.map(one => numberOf(one.name)) : Array.from({ length: highest }, (_, at) => at + 1)
    for (const number of known) {
      if (here.includes(number)) continue
      if (number < highest && before(number) < min) broken(`${name}-${number} is not there, and ${name}-${highest} is`)
      const { state, down, leaves, unsure } = knownOf(`${name}-${number}`)
      if (own.some(one => numberOf(one.name) === number) && state === 'OFFLINE' && !down && unsure !== true && leaves !== true && before(number) < max) broken(`${name}-${number} does not come back`)
    }
  }

  return {
    orders,
    /** A verb on a group was asked for, which makes it `next`. Answers what to say when it is answered. */
    order: (name: string, next: Group | undefined): ((done: boolean) => void) => {
      const order = orderOf(name)
      order.maybe.push(next)
      look(name)
      if (next === undefined && order.sure !== undefined) order.deleting = true
      // What has begun to go may go, whatever becomes of the rest.
      if (next === undefined) for (const life of of(name)) Object.assign(knownOf(life.name), { askedAt: now(), leaves: true })
      return done => {
        order.maybe.splice(order.maybe.indexOf(next), 1)
        // It is in force now, and not since it was asked for.
        look(name)
        if (done) Object.assign(order, { sure: next, spoilt: false, damaged: false, lost: false })
        if (done) order.halted = false
        if (next === undefined) Object.assign(order, { deleting: false, halted: !done && order.sure !== undefined })
        if (!done) for (const [service, { group }] of early) if (group === name) early.delete(service)
        if (done && next === undefined && of(name).length > 0) broken(`${name} is deleted, and ${of(name).map(one => one.name).join()} runs`)
      }
    },
    /** Somebody asked something of a service. Answers what to say when its restart is accepted, or joined. */
    ask: (name: string, verb: 'start' | 'stop' | 'kill' | 'restart'): (() => void) => {
      const known = knownOf(name)
      const joins = known.state === 'STARTING' && known.restarting === true
      const token = of(groupOf(name)).find(life => life.name === name)?.token
      if (verb === 'restart') known.restarting = true
      Object.assign(known, { askedAt: now(), notBefore: 0 })
      if (verb === 'stop' || verb === 'kill') known.leaves = true
      else known.down = false
      if (verb === 'start' || verb === 'restart') look(groupOf(name))
      unrest(groupOf(name))
      return () => { if (!joins) known.outgoing = token }
    },
    look,
    /** What became of it could not be written down: the next core may know nothing of it. */
    unnoted: (name: string): void => { knownOf(name).unnoted = true },
    /** A group is asked to go on, and may do so before that is answered. Answers what to say when it was refused. */
    resume: (name: string): (() => void) => {
      const order = orderOf(name)
      const { halted } = order
      order.halted = false
      return () => { order.halted = halted }
    },
    unrest: (): void => { for (const name of orders.keys()) unrest(name) },
    /** Answers what to say when it was refused: one that was under way goes on. */
    roll: (name: string, calm: boolean): (() => void) => {
      const order = orderOf(name)
      const [before, lives] = [order.roll, of(name)]
      look(name)
      // What rests after a death keeps its place.
      const own = [...services].filter(([one]) => groupOf(one) === name)
      for (const [, known] of own) known.restarting = true
      const busy = own.length
      const isQuiet = calm && before === undefined && order.maybe.length === 0 && onlineOf(name) === busy && own.every(([, { askedAt }]) => askedAt < now() - 60_000)
      const room = order.sure !== undefined && order.sure.properties['port'] === undefined && order.sure.properties['static'] !== true && order.maybe.length === 0 && busy < order.sure.maxOnlineService && order.sure.percentageToStartNewService === 0
      // A second one joins the first.
      // What is above the maximum may go meanwhile.
      // So may what is not needed.
      const idle = lives.filter(({ ready, players, bornAt, playersAt }) => ready && players.length === 0 && now() - Math.max(bornAt, playersAt) >= idleSeconds * second).length
      const spare = Math.max(0, onlineOf(name) - least(order, ({ minOnlineService }) => minOnlineService))
      const online = Math.min(onlineOf(name), order.sure?.maxOnlineService ?? Infinity) - Math.min(idle, spare)
      // What is being made ready goes as soon as it is there.
      const preparing = new Set(own.filter(([one, { state }]) => state === 'STARTING' && !lives.some(life => life.name === one)).map(([one]) => one))
      order.roll = { at: before?.at ?? now(), online, drop: room ? 0 : 1, tokens: new Set(lives.map(({ token }) => token)), preparing, names: before?.names ?? new Set(own.map(([one]) => one)), ended: new Set(before?.ended), calm: isQuiet }
      return () => { order.roll = before }
    },
    rolled: (name: string): void => {
      const { roll } = orderOf(name)
      // The machine of who is replaced hears of that a moment later.
      for (const life of of(name)) if (isReplaced(life.name)) condemned.add(life.token)
      Object.assign(orderOf(name), { roll: undefined, rolledAt: now() })
      if (roll?.calm !== true) return
      // Who was not needed when it began was going already, which shows a moment later.
      const isSurplus = onlineOf(name) > least(orderOf(name), ({ minOnlineService }) => minOnlineService)
      const isIdle = ({ players, bornAt, playersAt }: Life): boolean => players.length === 0 && roll.at - Math.max(bornAt, playersAt) >= idleSeconds * second
      // Somebody may have come when it had been asked already.
      const wasGoing = (life: Life): boolean => (isSurplus || knownOf(life.name).state === 'STOPPING') && (isIdle(life) || life.playersAt > roll.at - second)
      // An earlier core may have asked for its end.
      if (of(name).some(life => roll.tokens.has(life.token) && knownOf(life.name).toEnd !== life.token && !wasGoing(life))) broken(`the restart of ${name} is over, and an old life runs`)
    },
    /** The core is asked to stop everything. */
    close: (): void => {
      closing = true
      // It is noted before the engine is asked.
      for (const { name, token } of running()) knownOf(name).toEnd = token
    },
    /** Another core has begun; what it lists is what there is. */
    reopened: (groups: readonly Group[], listed: readonly RuntimeService[]): void => {
      closing = false
      // What a core has found without its group is nobody's, whoever makes a group of that name, unless that could not be noted down.
      for (const { name, token } of running()) {
        if (!strays.has(token) || !listed.some(service => service.name === name)) continue
        if (knownOf(name).unnoted !== true) broken(`${name} is listed, and its group was gone`)
        strays.delete(token)
      }
      for (const [name, order] of orders) {
        const is = groups.find(one => one.name === name)
        if (!holds(order, is) && !(order.lost && is === undefined)) broken(`${name} was ${JSON.stringify(order.sure)}, and is ${JSON.stringify(is)} for the next core`)
        if (order.lost && is === undefined) {
          for (const { token } of of(name)) {
            strays.add(token)
            condemned.add(token)
          }
        }
        // A damaged file shows nothing of what was right in it; one that somebody has mended since does.
        const spoilt = order.spoilt && is !== undefined && !order.maybe.some(one => same(one, is))
        Object.assign(order, { sure: spoilt ? order.sure : is, spoilt, damaged: spoilt, lost: false, maybe: [], deleting: false, halted: false, changedAt: now(), roll: undefined })
      }
    },
    /** Another core begins: what was no state of a running program is forgotten. */
    reopening: (): void => {
      early.clear()
      openedAt = now()
      for (const order of orders.values()) Object.assign(order, { deleting: false, halted: false, changedAt: now(), roll: undefined })
      for (const known of services.values()) Object.assign(known, { unsure: known.wasDown === true || known.unsure === true, wasDown: false, state: 'OFFLINE', low: none(), high: none(), failures: 0, notBefore: 0, onlineAt: undefined, adopted: false, restarting: false, outgoing: undefined })
    },
    /** `adopted`: it was found running. */
    moved: (name: string, from: ServiceState, to: ServiceState, adopted = false): void => {
      const known = knownOf(name)
      const group = groupOf(name)
      if (known.state !== from || !steps[from].includes(to)) broken(`${name} goes from ${from} to ${to}, and was ${known.state}`)
      known.state = to
      known.adopted ||= adopted
      if (to === 'STARTING') {
        known.begun = known.adopted ? 'began' : 'no'
        known.surplus = false
        if (isReplaced(name)) known.low = none()
        if (now() < known.notBefore && !adopted) broken(`${name} starts ${known.notBefore - now()} ms too early`)
        const starting = [...services.values()].filter(({ state, adopted }) => state === 'STARTING' && !adopted).length
        if (starting > startingMost && !adopted) broken(`${starting} services are STARTING`)
        if (known.down && !adopted && isEnough(name)) broken(`${name} starts, and nobody needs it`)
        const { roll, sure } = orderOf(group)
        if (roll?.calm === true && sure?.properties['static'] === true && sure.percentageToStartNewService === 0 && !roll.names.has(name)) broken(`${name} starts with the restart of ${group}, whose services have worlds of their own`)
        known.wasDown = known.down
        known.down = known.unnoted = known.unsure = false
        // What another core was ending is ended by this one.
        if (!adopted) known.leaves = false
      }
      if (to === 'ONLINE') {
        // One whose restart has not begun, because its machines are away, is still to be restarted.
        const waits = known.outgoing !== undefined && of(group).some(life => life.name === name && life.token === known.outgoing)
        Object.assign(known, { onlineAt: now(), restarting: waits && known.restarting === true })
        if (!of(group).some(life => life.name === name && life.ready) && of(group).some(life => life.name === name)) broken(`${name} is ONLINE before it is ready`)
      }
      if (to === 'STOPPING') {
        known.low = none()
        known.toEnd = of(group).find(life => life.name === name)?.token ?? known.toEnd
        known.surplus = onlineOf(group) >= least(orderOf(group), ({ minOnlineService }) => minOnlineService)
        const life = of(group).find(life => life.name === name)
        const [{ roll, maybe, sure, deleting }, byName] = [orderOf(group), life === undefined || known.askedAt >= life.bornAt]
        // Who waits for the very port of the last one cannot come before it goes.
        const alone = onlineOf(group) === 0 && (sure?.minOnlineService ?? 0) > 1 && sure?.properties['port'] === undefined
        if (from === 'ONLINE' && roll !== undefined && maybe.length === 0 && !deleting && !closing && !byName && alone) broken(`${name} is the last of ${group} that is ONLINE, and is ended while that is restarted`)
      }
      if (to === 'OFFLINE' && from === 'STOPPING' && known.restarting !== true && known.unnoted !== true && !closing) known.down = true
      if (to === 'OFFLINE' && from !== 'STOPPING') {
        // A start that is called off for the sake of a restart is part of that.
        if (known.begun !== 'aborted') known.restarting = false
        const onlineFor = from === 'ONLINE' ? now() - (known.onlineAt as number) : undefined
        if (known.begun === 'machine' || known.begun === 'port' || known.begun === 'no') known.notBefore = now() + pauseOf(++known.failures)
        else if (known.begun !== 'aborted') {
          unrest(group)
          // How long one was there before is known by the clock on the wall, which may have been set.
          known.low = known.adopted ? { count: 1, quick: 0 } : judge(known.low, onlineFor)
          known.high = known.adopted ? { count: known.high.count + 1, quick: known.high.quick + 1 } : judge(known.high, onlineFor)
          known.notBefore = known.low.quick >= 5 ? Infinity : now() + pauseOf(known.low.count)
          // An earlier core had asked for that end, and may have noted so; what has not ended in time goes on as any other.
          if (known.adopted && known.toEnd !== undefined && now() <= openedAt + stopTimeoutMs + second && !of(group).some(({ token }) => token === known.toEnd)) Object.assign(known, { low: none(), notBefore: 0 })
        }
        // Who has asked for it does not want to wait, and a change that is under way lets it begin anew; one that was not needed until
        // this very moment was going.
        if ((onlineFor !== undefined && onlineFor >= idleSeconds * second && orderOf(group).changedAt === now()) || known.askedAt > now() - 60_000 || orderOf(group).roll !== undefined || orderOf(group).rolledAt > now() - second || orderOf(group).maybe.length > 0) known.notBefore = 0
      }
      if (to === 'OFFLINE') Object.assign(known, { onlineAt: undefined, adopted: false })
      if (to === 'OFFLINE') orderOf(group).roll?.preparing.delete(name)
      if (to === 'OFFLINE') orderOf(group).roll?.ended.add(name)
      const { roll } = orderOf(group)
      if (from === 'ONLINE' && roll?.calm === true && onlineOf(group) < roll.online - roll.drop) broken(`${onlineOf(group)} of ${group} are ONLINE while it is restarted; there were ${roll.online}`)
    },
    starting: (name: string, group: string): void => {
      const order = orderOf(group)
      const lives = of(group).filter(life => life.name !== name)
      if (likely(order).length === 0) broken(`${name} starts, and its group is gone`)
      // Of a deletion that fails in this very moment it is heard a turn later.
      else if (order.deleting) early.set(name, { group, at: now() })
      if (order.halted && order.maybe.length === 0) broken(`${name} starts, although the deletion of its group has failed`)
      const max = most(order, ({ maxOnlineService }) => maxOnlineService)
      // Where one service cannot stand for another, the places are those of the first ones, whoever else runs still.
      const isBefore = (other: string): boolean => !isPinned(order.sure) || numberOf(other) < numberOf(name)
      const others = lives.filter(life => knownOf(life.name).state !== 'STOPPING' && isBefore(life.name)).length
      // Who is restarted keeps its place, also where the maximum is lowered meanwhile.
      if (others + 1 > max && knownOf(name).restarting !== true && knownOf(name).askedAt < now() - 60_000 && order.changedAt < now() - 60_000) broken(`${name} starts beside ${others} of at most ${max}`)
    },
    begun: (name: string, outcome: string): void => {
      const known = knownOf(name)
      known.begun = outcome
      if (outcome !== 'began') return
      known.failures = 0
      known.wasDown = false
      const { roll } = orderOf(groupOf(name))
      const life = running().find(one => one.name === name)
      if (life !== undefined && roll?.preparing.delete(name) === true) roll.tokens.add(life.token)
    },
    stopping: ({ name, group, token, bornAt, ready, players, playersAt, unseen }: Life): void => {
      const order = orderOf(group)
      knownOf(name).toEnd = token
      const { askedAt } = knownOf(name)
      const late = !ready && now() - bornAt >= startTimeoutMs - second
      const wanted = closing || order.sure === undefined || order.deleting || order.halted || order.maybe.includes(undefined) || order.changedAt > now() - 30_000
      const asked = askedAt >= bornAt - 25_000 || order.roll?.tokens.has(token) === true || isReplaced(name)
      // Where one service cannot stand for another, those that rest after a death have their places.
      const resting = isPinned(order.sure) ? [...services].filter(([one, known]) => groupOf(one) === group && !known.down && !of(group).some(life => life.name === one)).length : 0
      const above = of(group).length + resting > least(order, ({ maxOnlineService }) => maxOnlineService)
      // Who has come or gone just now may not be known yet.
      const empty = playersAt > now() - 12_000 || (players.length === 0 && now() - (unseen ? bornAt : Math.max(bornAt, playersAt)) >= idleSeconds * second)
      const surplus = (knownOf(name).surplus === true || onlineOf(group) >= least(order, ({ minOnlineService }) => minOnlineService)) && empty
      const { roll } = order
      const isRolled = roll?.tokens.has(token) === true && roll.at === order.changedAt && order.maybe.length === 0 && !closing && !late && !above && askedAt < bornAt && !condemned.has(token)
      if (isRolled && players.length > 0 && playersAt < now() - 12_000 && now() < roll.at + drainSeconds * second) broken(`${name} is ended ${now() - roll.at} ms after the restart of its group was asked for, with ${players.length} players`)
      if (late || wanted || asked || above || surplus || condemned.has(token)) condemned.add(token)
      else broken(`${name} is ended for nothing`)
    },
    /** What has to be at every moment. */
    watch: ({ groups, services: listed, running }: Sight): void => {
      for (const [name, { at }] of early) {
        if (at === now()) continue
        early.delete(name)
        broken(`${name} starts, and its group is gone`)
      }
      const twice = (values: readonly unknown[], what: string): void => {
        const doubled = values.find((value, at) => values.indexOf(value) !== at)
        if (doubled !== undefined) broken(`${what} ${String(doubled)} is there twice`)
      }
      twice(listed.map(({ name }) => name), 'the service')
      // What waits for a port that it has to have is listed with that.
      twice(listed.filter(({ state }) => state !== 'OFFLINE').map(({ port }) => port), 'the port')
      twice(groups.map(({ name }) => name), 'the group')
      for (const { name, groupName } of listed) if (!groups.some(group => group.name === groupName)) broken(`${name} is listed, its group is not`)
      for (const { name, token } of running) {
        if (strays.has(token)) continue
        const state = listed.find(service => service.name === name)?.state
        if (state === undefined || state === 'OFFLINE') broken(`${name} runs, and is ${state ?? 'not listed'}`)
      }
      for (const [name, order] of orders) {
        const is = groups.find(one => one.name === name)
        // Of a file that was damaged, and is gone, nothing is left but what still runs.
        if (is === undefined && order.damaged && order.lost && of(name).length === 0) Object.assign(order, { sure: undefined, spoilt: false, damaged: false, lost: false })
        if (!holds(order, is)) broken(`${name} was ${JSON.stringify(order.sure)}, and is ${JSON.stringify(is)}`)
      }
      for (const { name, state } of listed) if (knownOf(name).state !== state) broken(`${name} is ${state}, and was told to be ${knownOf(name).state}`)
      const names = new Set(listed.map(({ name }) => name))
      for (const name of services.keys()) if (!names.has(name) && knownOf(name).state === 'OFFLINE' && knownOf(name).unnoted !== true) services.delete(name)
    },
    /** Who has to be there when nothing was wrong for a while, although nobody has looked at anything; where nobody waits for the port of another. */
    back: (listed: readonly RuntimeService[]): void => {
      for (const [name, { sure: group, spoilt, halted, maybe }] of orders) {
        const own = listed.filter(({ groupName }) => groupName === name)
        const isAt = ({ name, port }: RuntimeService): boolean => group?.properties['port'] === undefined || port === Number(group.properties['port']) + numberOf(name) - 1
        const isStill = own.every(one => isAt(one) && (one.state === 'ONLINE' || one.state === 'OFFLINE'))
        if (group !== undefined && isPinned(group) && !spoilt && !halted && maybe.length === 0 && isStill) first(group, own, true)
      }
    },
    /** What has to be when nothing was wrong for minutes, and nothing was asked. `knows`: of which groups the players can be known. */
    settled: ({ services: listed, running }: Sight, mayPause: boolean, scales: (group: Group) => boolean, knows: (group: Group) => boolean): void => {
      for (const { name, token } of running) if (strays.has(token)) broken(`${name} runs, and is nobody's`)
      for (const [name, { sure: group }] of orders) {
        const own = listed.filter(({ groupName }) => groupName === name)
        if (group === undefined) {
          if (own.length > 0 || of(name).length > 0) broken(`${name} is gone, and ${[...own, ...of(name)].map(one => one.name).join()} is not`)
          continue
        }
        const { minOnlineService: min, maxOnlineService: max, percentageToStartNewService: percentage } = group
        const online = own.filter(({ state }) => state === 'ONLINE')
        const paused = own.filter(({ name, state }) => state === 'OFFLINE' && mayPause && knownOf(name).high.quick >= 5).length
        const rest = own.filter(({ state }) => state !== 'ONLINE' && state !== 'OFFLINE')
        if (rest.length > 0) broken(`${rest.map(one => `${one.name} is ${one.state}`).join()} for ever`)
        for (const { name } of online) if (!running.some(life => life.name === name)) broken(`${name} is ONLINE, and nothing runs`)
        for (const { name, token } of running) if (groupOf(name) === group.name && token === knownOf(name).outgoing) broken(`${name} was to be restarted, and was not`)
        if (online.length + paused < min) broken(`${name} has ${online.length} of at least ${min}, and ${paused} are paused`)
        const playersOn = (service: string): number => running.find(life => life.name === service)?.players.length ?? 0
        // Where one service cannot stand for another the first ones stay, whoever is on the others.
        const pinned = isPinned(group)
        const byNumber = [...online].sort((a, b) => numberOf(a.name) - numberOf(b.name))
        if (pinned) first(group, own, mayPause)
        const mayGo = (first: number): typeof online => byNumber.slice(pinned ? first : 0).filter(one => playersOn(one.name) === 0)
        const empty = mayGo(max)
        if (online.length > max && (empty.length > 0 || !knows(group))) broken(`${name} has ${online.length} of at most ${max}`)
        const load = (some: typeof online): boolean => some.length > 0 && some.reduce((sum, one) => sum + playersOn(one.name), 0) * 100 >= percentage * some.reduce((sum, one) => sum + one.maxPlayerCount, 0)
        if (!knows(group)) continue
        for (const one of online) if (scales(group) && one.playerCount !== playersOn(one.name)) broken(`${one.name} has ${playersOn(one.name)} players, and shows ${one.playerCount}`)
        const grows = scales(group) && percentage > 0
        if (grows && paused === 0 && online.length < max && load(online)) broken(`${name} is full, and does not grow`)
        const idle = mayGo(online.length === 1 ? min : Math.max(1, min)).find(one => !grows || !load(online.filter(other => other !== one)) || online.length === 1)
        // While one that goes has players, those before it stay: they are as many as may be.
        const isAbove = pinned && online.length > max
        if (online.length > min && !isAbove && idle !== undefined) broken(`${idle.name} is not needed, and stays`)
      }
    }
  }
}
