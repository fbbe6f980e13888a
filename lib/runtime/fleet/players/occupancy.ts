/** How many players are on a service and who they are, kept up to date while it runs. */
import type { OnlinePlayer } from '../../../../types/engine.js'
import type { Changes } from '../changes.js'
import type { Scheduler } from '../clock.js'
import type { Timing } from '../options.js'
import { attempt, run, wait, type Task } from '../task.js'
import { readEvent } from './log-lines.js'
import type { Address, Network } from './network.js'
import { createRoster, type Present } from './roster.js'
import type { Status } from './status-ping.js'

/** After so many unanswered pings in a row nobody knows any more how many players there are. */
const PATIENCE = 3
/** A service that has never answered is asked rarely: it may be of a kind that cannot. */
const SILENT = 12

export interface Figures {
  /** Undefined when nobody knows: the service was not asked yet, or does not answer. */
  count: number | undefined
  /** What to reckon with until it was asked; undefined when it was. */
  assumed: number | undefined
  /** Since when it is known to be empty, by a clock that never goes back. */
  emptySince: number | undefined
  /** For showing: the last that was known, else what the console told. */
  shown: number
  slots: number
  motd: string
}

export interface Occupancy {
  players (): readonly Present[]
  /** What is known; the same object always, as a group of a thousand is judged with everything that happens to one of it. */
  readonly known: Readonly<Figures>
  /** Takes in a plain line of the console. */
  hear (line: string): void
  /** Takes in what the engine knows: everybody. From then on nobody else is asked. */
  learn (players: readonly OnlinePlayer[], slots: number, motd: string): void
  /** Asks once; true when the service answered. Never fails. */
  ask (): Task<boolean>
  /** Whether nobody is on it, as it says itself when it is asked now. Where it does not answer, what its console told counts. Never fails. */
  isEmpty (): Task<boolean>
  /** Somebody is on the way to it who does not count yet: it is not taken for empty for as long as it takes until it is asked again. */
  expect (): void
  /** Goes on asking: often while there are players, less when there are none, rarely when in vain. */
  follow (): void
  end (): void
}

export interface OccupancyParts {
  readonly service: string
  readonly group: string
  readonly clock: Scheduler
  readonly changes: Changes
  readonly network: Network
  readonly timing: Pick<Timing, 'ping' | 'pingTimeout'>
  readonly address: Address
  /** How many may be on it, as long as it has not said so itself. */
  readonly slots: number
  /** How many of those of whom it tells are on it, if it knows that. Default: all. */
  readonly ownOf?: (status: Pick<Status, 'online' | 'here'>) => number | undefined
}

export function createOccupancy ({ service, group, clock, changes, network, timing, address, slots, ownOf = ({ online }) => online }: OccupancyParts): Occupancy {
  const roster = createRoster()
  let status: Pick<Status, 'online' | 'max' | 'motd'> & { readonly own: number | undefined } | undefined
  let unanswered = 0
  let emptySince: number | undefined
  // The engine has told who is there.
  let learnt = false
  let over = false
  let following = false
  let asking = false
  let asked = 0
  let hurried = false
  let cancel = (): void => {}
  let isExpecting = false
  let cancelExpecting = (): void => {}

  const known: Figures = { count: undefined, assumed: 0, emptySince: undefined, shown: 0, slots, motd: '' }

  function update (): void {
    const isLost = unanswered >= PATIENCE
    known.count = isLost ? undefined : isExpecting && status?.own === 0 ? 1 : status?.own
    known.assumed = isLost || status !== undefined ? undefined : roster.size()
    known.emptySince = known.count === 0 ? emptySince : undefined
    known.shown = status?.online ?? roster.size()
    known.slots = status?.max ?? slots
    known.motd = status?.motd ?? ''
  }

  function changed (kind: 'service' | 'players'): void {
    update()
    changes.tell({ kind, service, group })
  }

  function take (next: NonNullable<typeof status>): void {
    const before = unanswered >= PATIENCE ? undefined : status
    status = next
    unanswered = 0
    emptySince = next.own === 0 ? emptySince ?? clock.elapsed() : undefined
    update()
    if (before?.online !== next.online || before.own !== next.own || before.max !== next.max || before.motd !== next.motd) changed('service')
  }

  function * ask (): Task<boolean> {
    const answer = yield * wait(network.ping(address, timing.pingTimeout))
    if (over || learnt) return false
    if (answer === undefined) {
      if (++unanswered === PATIENCE) changed('service')
      return false
    }
    if (roster.reconcile(answer, clock.elapsed())) changed('players')
    take({ ...answer, own: ownOf(answer) })
    return true
  }

  function * askAgain (): Task<void> {
    asking = true
    hurried = false
    yield * ask()
    asking = false
    asked++
    const factor = status === undefined ? (asked <= PATIENCE ? 1 : SILENT) : status.online > 0 ? 1 : 2
    // Spread, so that a thousand services do not answer in the same moment.
    schedule(hurried ? timing.ping / 10 : timing.ping * factor * (0.8 + 0.4 * network.random()))
  }

  function schedule (ms: number): void {
    cancel()
    if (following && !over && !learnt) cancel = clock.after(ms, again)
  }

  function again (): void {
    attempt(() => run(askAgain()), () => { asking = false })
  }

  function expect (is: boolean): void {
    cancelExpecting()
    if (over || isExpecting === is) return
    isExpecting = is
    if (emptySince !== undefined) emptySince = clock.elapsed()
    changed('service')
  }

  return {
    players: roster.all,
    known,
    hear: line => {
      if (learnt) return
      const event = readEvent(line)
      if (event === undefined || !roster.hear(event, clock.elapsed())) return
      emptySince = undefined
      changed('players')
      // The count follows the names soon, not with the next regular ping.
      hurried = true
      if (!asking) schedule(timing.ping / 10)
    },
    learn: (players, slots, motd) => {
      learnt = true
      cancel()
      if (roster.replace(players, clock.elapsed())) changed('players')
      take({ online: players.length, own: players.length, max: slots, motd })
    },
    ask,
    * isEmpty () {
      const isKnown = (yield * ask()) || learnt
      return isKnown ? status?.own === 0 : roster.size() === 0
    },
    expect: () => {
      expect(true)
      cancelExpecting = clock.after(timing.ping, () => { expect(false) })
    },
    follow: () => {
      following = true
      if (!learnt) again()
    },
    end: () => {
      over = true
      cancel()
      cancelExpecting()
    }
  }
}
