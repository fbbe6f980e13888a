/** What clients send that is too long to be waited for as a whole: who may send how many at once, and when nobody waits any longer. */
import { type Failure, RuntimeTimeout, TooManyUploads, UploadStalled } from '../errors.js'
import { Unheard } from './deadline.js'
import { createPlaces } from './places.js'

/** Uploads of one user, and of all. */
const [mostOfUser, mostOfAll] = [4, 16]
/** Milliseconds without a byte from the client. */
const patience = 60_000

export interface Upload {
  /** Aborted where it is over before its end. */
  readonly signal: AbortSignal
  /** The bytes of a body, watched: throws where its client sends nothing, or whoever reads takes none, for too long. */
  watch (body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>
  /** The runtime has got on with what it has: its time begins anew. */
  progress (): void
  /** What `work` answers, unless it takes too long; its failure, where that came from the body, is that of the body. */
  settle <T>(work: Promise<T>): Promise<T>
}

export interface Uploads {
  /** @throws Failure 429 where the user, or all together, have too many under way */
  run <T>(user: string, work: (upload: Upload) => Promise<T>): Promise<T>
}

export function createUploads (runtimeTimeout: number, closing: AbortSignal): Uploads {
  const places = createPlaces(mostOfUser, mostOfAll)

  async function follow<T> (work: (upload: Upload) => Promise<T>): Promise<T> {
    const controller = new AbortController()
    const { signal } = controller
    /** Who waits for the client, and who for the runtime. */
    const waiting: { read?: (failure: Failure) => void, work?: (failure: Failure) => void } = {}
    const stop = (failure: Failure): void => {
      controller.abort(failure)
      for (const fail of [waiting.read, waiting.work]) fail?.(failure)
    }
    /** No race with one promise for all: that would keep every piece until the end. */
    const orStopped = async <T>(who: keyof typeof waiting, answer: Promise<T>): Promise<T> => await new Promise<T>((resolve, reject) => {
      waiting[who] = reject
      answer.then(resolve, reject)
      if (signal.aborted) stop(signal.reason as Failure)
    })
    const leave = (): void => { stop(Unheard) }
    closing.addEventListener('abort', leave, { once: true })
    let isClients = false
    let timer: NodeJS.Timeout | undefined
    const wait = (client: boolean): void => {
      if (timer !== undefined && isClients === client) timer.refresh()
      else {
        clearTimeout(timer)
        timer = setTimeout(() => { stop(client ? UploadStalled : RuntimeTimeout) }, client ? patience : runtimeTimeout)
        isClients = client
      }
    }
    wait(false)
    try {
      if (closing.aborted) leave()
      return await work({
        signal,
        watch: async function * (body) {
          const pieces = body[Symbol.asyncIterator]()
          try {
            for (;;) {
              wait(true)
              const { value, done } = await orStopped('read', pieces.next()).catch((error: unknown) => {
                throw signal.aborted ? error : Unheard.because(error)
              })
              wait(false)
              if (done === true) return
              yield value
            }
          } finally {
            wait(false)
            // Not waited for: where the client sends nothing, it takes as long as the connection.
            pieces.return?.().catch(() => {})
          }
        },
        progress: () => { if (!isClients && !signal.aborted) timer?.refresh() },
        settle: async one => await orStopped('work', one)
      })
    } finally {
      clearTimeout(timer)
      closing.removeEventListener('abort', leave)
      controller.abort(Unheard)
    }
  }

  return {
    run: async (user, work) => {
      const leave = places.take(user)
      if (leave === undefined) throw TooManyUploads
      try {
        return await follow(work)
      } finally {
        leave()
      }
    }
  }
}
