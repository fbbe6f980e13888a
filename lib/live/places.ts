/** How many may stay connected: sockets and streams of events together. */
import { TooManySockets } from '../errors.js'
import type { Settings } from '../options.js'

export interface Places {
  /** Reserves a place for that user; the answer gives it back. Throws 429 when there is none. */
  take (userUuid: string): () => void
}

export function createPlaces ({ live }: Settings): Places {
  const places = new Map<string, number>()
  let taken = 0

  return {
    take: userUuid => {
      const own = places.get(userUuid) ?? 0
      if (taken >= live.sockets || own >= live.socketsPerUser) throw TooManySockets
      places.set(userUuid, own + 1)
      taken++
      let given = false
      return () => {
        if (given) return
        given = true
        taken--
        const left = (places.get(userUuid) ?? 1) - 1
        if (left === 0) places.delete(userUuid)
        else places.set(userUuid, left)
      }
    }
  }
}
