/** What was handed out, and what was given, as it was then: neither side may change it afterwards. */
import { isDeepStrictEqual } from 'node:util'
import { byValue, show } from '../suite.js'

interface Kept {
  readonly what: string
  readonly value: object
  readonly copy: unknown
}

/** The first of a case tell whether all of them stay. */
const MOST = 100

export class Handed {
  readonly #kept: Kept[] = []

  /** Remembers a value, where it is one that could change. */
  keep (what: string, value: unknown): void {
    if (typeof value !== 'object' || value === null || this.#kept.length >= MOST) return
    this.#kept.push({ what, value, copy: copied(value) })
  }

  /** What one of them was and is now, if one has changed. */
  changed (): string | undefined {
    const one = this.#kept.find(({ value, copy }) => !isDeepStrictEqual(copied(value), copy))
    return one && `${one.what} was ${show(one.copy)} and is ${show(copied(one.value))}`
  }
}

/** A copy that shares nothing: fields that a class computes are its own affair. */
const copied = (value: unknown): unknown => byValue(value)
