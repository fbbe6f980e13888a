/** What was found wrong while something else was tried: each is told once, by the case of its own promise. */

/** What holds at every moment, for each list and each event. */
export type Invariant =
  | `${'services' | 'groups' | 'platforms' | 'players' | 'templates'}.${'shape' | 'once' | 'revision'}`
  | 'list.revision' | 'list.handed-out' | 'services.group' | 'services.created' | 'services.port' | 'players.service' | 'states.shape' | 'states.moves'
  | 'answers.handed-out' | 'calls.given' | 'reasons.line' | 'damage.none'

export class Findings {
  readonly #first = new Map<Invariant, string>()

  add (invariant: Invariant, what: string): void {
    if (!this.#first.has(invariant)) this.#first.set(invariant, what)
  }

  /** What was found of that promise, if anything. */
  of (invariant: Invariant): string | undefined {
    return this.#first.get(invariant)
  }
}
