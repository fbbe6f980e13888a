/** How many players are on a service and who they are, kept up to date while it runs. */
import type { Context } from './context.js'
import { readEvent } from './log-lines.js'
import { pause } from './queue.js'
import { Roster } from './roster.js'
import { ping, type Status } from './status-ping.js'

/** After so many unanswered pings in a row nobody knows any more how many players there are. */
const PATIENCE = 3
/** A service that has never answered is asked rarely: it may be of a kind that cannot. */
const SILENT = 12

export class Occupancy {
  readonly #context: Context
  readonly #port: number
  readonly #changed: Context['changed']
  readonly #roster = new Roster()
  #status: Status | undefined
  #unanswered = 0
  #emptySince: number | undefined
  #hurry: () => void = () => {}

  constructor (context: Context, port: number, changed: Context['changed']) {
    this.#context = context
    this.#port = port
    this.#changed = changed
  }

  get players (): Roster['players'] {
    return this.#roster.players
  }

  /** Undefined when nobody knows: the service was not asked yet, or does not answer. */
  get count (): number | undefined {
    return this.#unanswered >= PATIENCE ? undefined : this.#status?.online
  }

  /** For showing: the last that was known, else what the console told. */
  get shown (): { readonly count: number, readonly max: number, readonly motd: string } {
    return { count: this.#status?.online ?? this.#roster.size, max: this.#status?.max ?? 0, motd: this.#status?.motd ?? '' }
  }

  get emptySince (): number | undefined {
    return this.count === 0 ? this.#emptySince : undefined
  }

  /** Takes in a plain line of the console. */
  hear (line: string): void {
    const event = readEvent(line)
    if (event === undefined || !this.#roster.hear(event, Date.now())) return
    this.#changed('players')
    // The count follows the names soon, not with the next regular ping.
    this.#emptySince = undefined
    this.#hurry()
  }

  /** Asks once; true when the service answered. */
  async ask (): Promise<boolean> {
    const { settings, pinging } = this.#context
    const status = await pinging(async () => await ping(settings.host, this.#port, settings.timing.pingTimeout))
    if (status === undefined) {
      if (this.#status !== undefined && ++this.#unanswered === PATIENCE) this.#changed('services')
      return false
    }
    const before = this.#status
    this.#status = status
    this.#unanswered = 0
    this.#emptySince = status.online > 0 ? undefined : this.#emptySince ?? Date.now()
    if (this.#roster.reconcile(status, Date.now())) this.#changed('players')
    if (before?.online !== status.online || before.max !== status.max || before.motd !== status.motd) this.#changed('services')
    return true
  }

  /** Goes on asking until aborted: often while there are players, less when there are none, rarely when in vain. */
  async follow (signal: AbortSignal): Promise<void> {
    const { ping: interval } = this.#context.settings.timing
    for (let asked = 0; !signal.aborted; asked++) {
      await this.ask()
      const factor = this.#status === undefined ? (asked < PATIENCE ? 1 : SILENT) : this.#status.online > 0 ? 1 : 2
      const wake = new AbortController()
      const stop = () => wake.abort()
      this.#hurry = () => setTimeout(stop, interval / 10).unref()
      signal.addEventListener('abort', stop)
      // Spread, so that a thousand services do not answer in the same moment.
      await pause(interval * factor * (0.8 + 0.4 * Math.random()), wake.signal, true)
      signal.removeEventListener('abort', stop)
      this.#hurry = () => {}
    }
  }
}
