/** Being told by an engine what becomes of containers; what is not heard is seen at the next look. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Client, Docker } from './client.js'
import { jsonLines } from './json-lines.js'
import { LABEL } from './marks.js'

export interface WatchParts {
  readonly client: Client
  readonly cloud: string
  readonly signal: AbortSignal
  /** A container has ended. */
  ended (id: string): void
  /** Something may have been missed. */
  look (): void
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

/** Goes on until it is aborted. */
export async function watchEngine ({ client, cloud, signal, ended, look }: WatchParts): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      const stream = await client.ask(async (docker, abortSignal) => await docker.getEvents({
        filters: { type: ['container'], event: ['die'], label: [`${LABEL.cloud}=${cloud}`] }, abortSignal
      } as Docker.GetEventsOptions), { signal }) as NodeJS.ReadableStream & { destroy (): void }
      const end = (): void => { stream.destroy() }
      signal.addEventListener('abort', end, { once: true })
      try {
        look()
        pause = FIRST_PAUSE_MS
        for await (const event of jsonLines<{ readonly Action?: string, readonly Actor?: { readonly ID?: string } }>(stream)) {
          if (event.Actor?.ID !== undefined) ended(event.Actor.ID)
        }
      } finally {
        signal.removeEventListener('abort', end)
        end()
      }
    } catch {
      // Whether it can be reached is known to whoever asks it.
    }
    if (!signal.aborted) await delay(pause, undefined, { signal, ref: false }).catch(() => {})
  }
}
