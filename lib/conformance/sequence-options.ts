/** A file of its own: whoever has no fast-check compiles this, and not what uses that. */

/** What the suites for runtimes and storages take of an author about their random sequences. */
export interface SequenceOptions {
  /** The seed that a failure has printed: the same sequences are tried again. */
  readonly seed?: number
  /** The path that a failure has printed beside the seed: only that sequence is tried. */
  readonly path?: string
  /** Seconds that may be spent on random sequences, making a failing one smaller included. Default 3. */
  readonly seconds?: number
  /** How many sequences are tried at most. Default 1,000. */
  readonly runs?: number
}
