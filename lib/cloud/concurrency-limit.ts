/** ConcurrencyLimit for what takes long: so many for each user, and for all. */

export interface ConcurrencyLimit {
  /** Answers what gives the place back, which may be called more than once; undefined where there is none. */
  take (user: string): (() => void) | undefined
}

export function createConcurrencyLimit (ofUser: number, ofAll: number): ConcurrencyLimit {
  const byUser = new Map<string, number>()
  let all = 0
  return {
    take: user => {
      const own = byUser.get(user) ?? 0
      if (own >= ofUser || all >= ofAll) return undefined
      byUser.set(user, own + 1)
      all++
      let isTaken = true
      return () => {
        if (!isTaken) return
        isTaken = false
        all--
        const left = byUser.get(user) as number - 1
        if (left === 0) byUser.delete(user)
        else byUser.set(user, left)
      }
    }
  }
}
