/** Virtual time, and what is to happen in it. */
export class Agenda {
  readonly startAt: number
  #now: number
  readonly #items: Array<{ readonly at: number, readonly run: () => void }> = []
  readonly #last = new Set<() => void>()
  #passing = false

  constructor (startAt: number) {
    this.startAt = startAt
    this.#now = startAt
  }

  get now (): number {
    return this.#now
  }

  /** Runs something that many milliseconds from now, unless the answer is called before; `Infinity` is never. */
  after (ms: number, run: () => void): () => void {
    const item = { at: this.#now + ms, run }
    // Behind all that is due at the same time: first come, first served, so that every run is the same.
    const later = this.#items.findIndex(({ at }) => at > item.at)
    if (Number.isFinite(ms)) this.#items.splice(later === -1 ? this.#items.length : later, 0, item)
    return () => {
      const index = this.#items.indexOf(item)
      if (index !== -1) this.#items.splice(index, 1)
    }
  }

  /** Runs something once when everything that happens at this moment has happened: at once, unless time is passing. */
  lastly (run: () => void): void {
    if (this.#passing) this.#last.add(run)
    else run()
  }

  /** Lets time pass; everything that is due happens at its own time, in order. */
  advance (ms: number): void {
    if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError(`Time can be advanced by 0 ms or more, not by ${ms}`)
    const end = this.#now + ms
    this.#passing = true
    try {
      for (let next = this.#items[0]; next !== undefined && next.at <= end; next = this.#items[0]) {
        this.#items.shift()
        this.#now = next.at
        next.run()
        if (this.#items[0]?.at !== this.#now) this.#finish()
      }
    } finally {
      this.#passing = false
    }
    this.#now = end
  }

  #finish (): void {
    // A set hands over what is added to it meanwhile as well.
    for (const run of this.#last) {
      this.#last.delete(run)
      run()
    }
  }
}
