/** The managers of a swarm as one: each of them answers for all, and where one does not, the next is asked. */
import type { Away } from '../../../../types/engine.js'
import type { Client } from '../client.js'

export interface Managers extends Client {
  /** One more that can be asked. */
  add (client: Client): void
}

/** `first` is asked as long as it answers. */
export function createManagers (first: Client): Managers {
  const all = [first]
  let at = 0
  let tell = (): void => {}
  let was: Away | undefined

  /** While one answers, nothing is away. */
  const awayOf = (): Away | undefined => {
    const each = all.map(({ away }) => away)
    return each.includes(undefined) ? undefined : each.reduce((one, other) => (one as Away).since < (other as Away).since ? one : other)
  }
  const hear = (): void => {
    const now = awayOf()
    if ((now === undefined) === (was === undefined)) return
    was = now
    tell()
  }
  first.watch(hear)

  return {
    ask: async (action, options) => {
      const client = all[at] as Client
      try {
        return await client.ask(action, options)
      } catch (error) {
        // Whether it was done is not known: who wants it done looks first.
        if (client.away !== undefined && all[at] === client) at = (at + 1) % all.length
        throw error
      }
    },
    get away () { return awayOf() },
    watch: listener => { tell = listener },
    giveUp: why => { for (const client of all) client.giveUp(why) },
    add: client => {
      if (all.includes(client)) return
      all.push(client)
      client.watch(hear)
    }
  }
}
