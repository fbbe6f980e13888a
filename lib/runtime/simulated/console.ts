import type { CallOptions } from '../../../types/runtime.js'
import { Listeners } from './listeners.js'

/** What a service prints. */
export class Console {
  readonly #lines: string[] = []
  readonly #listeners = new Listeners<readonly string[]>()

  print (line: string): void {
    this.#lines.push(line)
    this.#listeners.tell([line])
  }

  follow (listener: (lines: readonly string[]) => void, options: CallOptions & { readonly bytes: number }): void {
    if (options.signal.aborted) return
    let [bytes, from] = [0, this.#lines.length]
    while (from > 0 && (bytes += new TextEncoder().encode(this.#lines[from - 1]).length) <= options.bytes) from--
    if (from < this.#lines.length) listener(this.#lines.slice(from))
    this.#listeners.watch(listener, options)
  }
}
