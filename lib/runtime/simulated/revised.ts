/** A list with its number: each is made anew when it has changed, and what was handed out stays as it was. */
export class Revised<T> {
  readonly #make: () => readonly T[]
  #revision = 1
  #kept: readonly T[] | undefined

  constructor (make: () => readonly T[]) {
    this.#make = make
  }

  get revision (): number {
    return this.#revision
  }

  list (): readonly T[] {
    this.#kept ??= this.#make()
    // A copy: whoever sorts or fills the answer must not change the next one.
    return [...this.#kept]
  }

  changed (): void {
    this.#revision++
    this.#kept = undefined
  }
}
