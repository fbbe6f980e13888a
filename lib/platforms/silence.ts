/** Who waits for somebody far away hears that nothing comes: an operator at a command does not guess whether it hangs. */

/** Told in a sentence, now and then, what is waited for. */
export type Tell = (sentence: string) => void

export interface Silence {
  /** Something has come. */
  break (): void
  end (): void
}

/** Milliseconds of silence after which it is told, and again each time that they have passed. */
const toldMs = 10_000

/** `what`: `The answer of example.com/versions`, `server.jar`. */
export function listenFor (what: string, tell: Tell, everyMs = toldMs): Silence {
  let since = performance.now()
  const timer = setInterval(() => {
    const seconds = Math.round((performance.now() - since) / 1000)
    if (seconds * 1000 >= everyMs) tell(`${what}: nothing has come for ${seconds} s`)
  }, everyMs)
  return { break: () => { since = performance.now() }, end: () => { clearInterval(timer) } }
}
