/** What clients send that is too long to be waited for as a whole: who may send how many at once, and when nobody waits any longer. */
import { type Failure, RuntimeTimeout, TooManyUploads, UploadStalled } from '../errors.js'
import { Unheard } from './deadline.js'
import { createConcurrencyLimit } from './concurrency-limit.js'

/** Uploads of one user, and of all. */
const [mostOfUser, mostOfAll] = [4, 16]
/** Milliseconds for which a client is waited for. */
const minute = 60_000
/** Bytes of a client that give back one of them: who sends 1 KiB a second is heard to the end. */
const bytesForMs = 1_024 / 1_000

export interface Upload {
  /** Aborted where it is over before its end. */
  readonly signal: AbortSignal
  /** The bytes of a body, watched: throws where its client sends nothing, or too little, or whoever reads takes none, for too long. */
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

export function createUploads (runtimeTimeout: number, closing: AbortSignal, patience = minute): Uploads {
  const limit = createConcurrencyLimit(mostOfUser, mostOfAll)

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
    const wait = (failure: Failure, ms: number): void => {
      clearTimeout(timer)
      timer = setTimeout(() => { stop(failure) }, ms)
      isClients = failure === UploadStalled
    }
    const waitForRuntime = (): void => { wait(RuntimeTimeout, runtimeTimeout) }
    waitForRuntime()
    try {
      if (closing.aborted) leave()
      return await work({
        signal,
        watch: async function * (body) {
          const pieces = body[Symbol.asyncIterator]()
          let left = patience
          try {
            for (;;) {
              wait(UploadStalled, left)
              const since = performance.now()
              const { value, done } = await orStopped('read', pieces.next()).catch((error: unknown) => {
                throw signal.aborted ? error : Unheard.because(error)
              })
              waitForRuntime()
              if (done === true) return
              left = Math.min(patience, left - (performance.now() - since) + value.length / bytesForMs)
              yield value
            }
          } finally {
            waitForRuntime()
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
      const leave = limit.take(user)
      if (leave === undefined) throw TooManyUploads
      try {
        return await follow(work)
      } finally {
        leave()
      }
    }
  }
}
