/** Keeps a journal of what a cloud said it had done, and tells when it turns out not to be so. */

/** Things by name, with what matters about each; a thing that is not there is undefined. */
export type Changes = Readonly<Record<string, string | undefined>>

export class Journal {
  /** Writes that were acknowledged. */
  acknowledged = 0
  /** Writes that a living cloud refused: none of them should have been. */
  readonly refused: string[] = []
  readonly #known = new Map<string, string>()
  // Asked for without an answer: either all of it or nothing of it happened.
  #open: Changes[] = []

  knows (name: string): boolean {
    return this.#known.has(name)
  }

  /** All that begin with this. */
  named (start: string): string[] {
    return [...this.#known.keys()].filter(name => name.startsWith(start))
  }

  /** Writes down one write; `act` answers whether it was accepted, or throws when nobody was there to answer. */
  async write (changes: Changes, act: () => Promise<{ status: number, body: unknown }>): Promise<void> {
    this.#open.push(changes)
    const { status, body } = await act()
    this.#open = this.#open.filter(one => one !== changes)
    if (status >= 300) {
      this.refused.push(`${JSON.stringify(changes)}: ${status} ${JSON.stringify(body)}`)
      return
    }
    this.acknowledged++
    this.#apply(changes)
  }

  /** Compares with what there is; answers what was lost, half done or never asked for. */
  settle (seen: ReadonlyMap<string, string>): string[] {
    const wrong: string[] = []
    for (const changes of this.#open) {
      const parts = Object.entries(changes)
      if (parts.every(([name]) => seen.get(name) === this.#known.get(name))) continue
      if (!parts.every(([name, value]) => seen.get(name) === value)) wrong.push(`half done: ${JSON.stringify(changes)}`)
      this.#apply(changes)
    }
    this.#open = []
    for (const name of new Set([...this.#known.keys(), ...seen.keys()])) {
      const [known, there] = [this.#known.get(name), seen.get(name)]
      if (known !== there) wrong.push(`${name} is ${there}, but was acknowledged as ${known}`)
    }
    return wrong
  }

  #apply (changes: Changes): void {
    for (const [name, value] of Object.entries(changes)) {
      if (value === undefined) this.#known.delete(name)
      else this.#known.set(name, value)
    }
  }
}
