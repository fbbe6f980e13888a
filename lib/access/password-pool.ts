/** Runs bcrypt in worker threads behind a bounded queue, so that a storm of logins slows nothing but logins. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { TooBusy } from '../errors.js'
import { code } from './password-worker-code.js'

/** Jobs that may wait, in all and for one party. */
const queueLimit = 128
const shareLimit = 64

/** A hash to make, or to compare with when there is one. */
export interface PasswordJob {
  readonly password: string
  readonly cost: number
  readonly hash?: string
}

interface Waiting {
  readonly job: PasswordJob
  readonly party: string
  readonly proceed: () => void
  readonly resolve: (result: string | boolean) => void
  readonly reject: (error: unknown) => void
}

export interface PasswordPool {
  /**
   * Runs a job for a party (an address). `proceed` is called when its turn comes and may throw to give it up.
   * @throws Failure 503 when too many jobs wait.
   */
  run (job: PasswordJob, party: string, proceed?: () => void): Promise<string | boolean>
  /** Ends the threads; what still waits is refused. */
  close (): Promise<void>
}

/** A pool that leaves one core to the event loop and starts its threads when they are first needed. */
export function passwordPool (size = Math.max(1, availableParallelism() - 1)): PasswordPool {
  const queue: Waiting[] = []
  const shares = new Map<string, number>()
  const idle: Worker[] = []
  const all = new Map<Worker, Waiting | undefined>()
  let closed = false

  function next (): void {
    while (queue.length > 0 && (idle.length > 0 || all.size < size)) {
      const waiting = queue.shift() as Waiting
      release(waiting.party)
      try {
        waiting.proceed()
      } catch (error) {
        waiting.reject(error)
        continue
      }
      const worker = idle.pop() ?? start()
      all.set(worker, waiting)
      worker.ref()
      worker.postMessage(waiting.job)
    }
  }

  function release (party: string): void {
    const share = (shares.get(party) ?? 1) - 1
    if (share === 0) shares.delete(party)
    else shares.set(party, share)
  }

  function start (): Worker {
    const worker = new Worker(code, { eval: true, execArgv: [], env: {} })
    all.set(worker, undefined)
    let failure: unknown
    worker.on('message', (result: string | boolean) => {
      const waiting = all.get(worker)
      all.set(worker, undefined)
      idle.push(worker)
      worker.unref()
      waiting?.resolve(result)
      next()
    })
    worker.on('error', error => { failure = error })
    worker.on('exit', () => {
      const waiting = all.get(worker)
      all.delete(worker)
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
      waiting?.reject(failure ?? new Error('The password thread ended'))
      if (!closed) next()
    })
    return worker
  }

  return {
    run: (job, party, proceed = () => {}) => new Promise((resolve, reject) => {
      const share = shares.get(party) ?? 0
      if (closed || queue.length >= queueLimit || share >= shareLimit) {
        reject(TooBusy.with({ 'retry-after': '1' }))
        return
      }
      shares.set(party, share + 1)
      queue.push({ job, party, proceed, resolve, reject })
      next()
    }),
    close: async () => {
      closed = true
      for (const waiting of queue.splice(0)) waiting.reject(TooBusy)
      shares.clear()
      await Promise.all([...all.keys()].map(async worker => worker.terminate()))
    }
  }
}
