/** How many may stay connected: sockets and streams of events together. */
import { TooManySockets, TooManySocketsOfUser } from '../errors.js'
import type { Settings } from '../options.js'

/** What stays connected. */
export type Kind = 'alive' | 'log' | 'states' | 'console' | 'events'

export interface ConnectionLimit {
  /** Reserves a place for that user; the answer gives it back. Throws 429 when there is none. */
  take (userUuid: string, kind: Kind): () => void
  /** How many of each kind are taken. */
  readonly kinds: ReadonlyMap<Kind, number>
}

export function createConnectionLimit ({ live }: Settings): ConnectionLimit {
  const places = new Map<string, number>()
  const kinds = new Map<Kind, number>()
  let taken = 0

  return {
    kinds,
    take: (userUuid, kind) => {
      const own = places.get(userUuid) ?? 0
      if (own >= live.socketsPerUser) throw TooManySocketsOfUser
      if (taken >= live.sockets) throw TooManySockets
      places.set(userUuid, own + 1)
      taken++
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
      let given = false
      return () => {
        if (given) return
        given = true
        taken--
        kinds.set(kind, (kinds.get(kind) ?? 1) - 1)
        const left = (places.get(userUuid) ?? 1) - 1
        if (left === 0) places.delete(userUuid)
        else places.set(userUuid, left)
      }
    }
  }
}
