/**
 * Runs bcrypt in worker threads behind a bounded queue in which everybody takes turns, so that a storm of logins slows
 * nothing but logins, and nobody's logins but their own. (Queues of libraries know priorities, but no turns.)
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { TooBusy } from '../errors.js'
import type { PasswordJob, PasswordResult } from './password-work.js'
import { code } from './password-worker-code.js'

/** Jobs that may wait, in all and of one party. */
const queueLimit = 128
const shareLimit = 64

interface Waiting {
  readonly job: PasswordJob
  readonly proceed: () => void
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

export interface PasswordPool {
  /**
   * Runs a job for a party, a user or a network; parties take turns. `proceed` is called when its turn comes and may
   * throw to give it up.
   * @throws Failure 503 when too many jobs wait.
   */
  run<J extends PasswordJob> (job: J, party: string, proceed?: () => void): Promise<PasswordResult<J>>
  /** Jobs that wait for a thread. */
  readonly waiting: number
  /** Ends the threads; what still waits is refused. */
  close (): Promise<void>
}

/** A pool that leaves one core to the event loop and starts its threads when they are first needed. */
export function createPasswordPool (size = Math.max(1, availableParallelism() - 1)): PasswordPool {
  /** What waits, by party; the party whose turn it is comes first. */
  const queues = new Map<string, Waiting[]>()
  const idle: Worker[] = []
  const all = new Map<Worker, Waiting | undefined>()
  let waitingCount = 0
  let closed = false

  /** Takes the first job of the party whose turn it is; the party's next turn is after everybody else's. */
  function take (): Waiting {
    const [party, queue] = queues.entries().next().value as [string, Waiting[]]
    const waiting = queue.shift() as Waiting
    queues.delete(party)
    if (queue.length > 0) queues.set(party, queue)
    waitingCount--
    return waiting
  }

  /** Whether a job of that party may wait; in a full queue the party with the most jobs gives up its last one for another. */
  function makeRoom (party: string): boolean {
    const own = queues.get(party)?.length ?? 0
    if (own >= shareLimit) return false
    if (waitingCount < queueLimit) return true
    const longest = [...queues.values()].reduce((one, other) => other.length > one.length ? other : one)
    if (longest.length <= own + 1) return false
    longest.pop()?.reject(busy())
    waitingCount--
    return true
  }

  function next (): void {
    while (waitingCount > 0 && (idle.length > 0 || all.size < size)) {
      const waiting = take()
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

  function start (): Worker {
    const worker = new Worker(code, { eval: true, execArgv: [], env: {} })
    all.set(worker, undefined)
    let failure: unknown
    worker.on('message', result => {
      const waiting = all.get(worker)
      all.set(worker, undefined)
      idle.push(worker)
      worker.unref()
      waiting?.resolve(result as never)
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
    get waiting () { return waitingCount },
    run: (job, party, proceed = () => {}) => new Promise((resolve, reject) => {
      if (closed || !makeRoom(party)) {
        reject(busy())
        return
      }
      const queue = queues.get(party) ?? []
      queue.push({ job, proceed, resolve, reject })
      queues.set(party, queue)
      waitingCount++
      next()
    }),
    close: async () => {
      closed = true
      for (const waiting of [...queues.values()].flat()) waiting.reject(TooBusy)
      queues.clear()
      waitingCount = 0
      await Promise.all([...all.keys()].map(async worker => worker.terminate()))
    }
  }
}

const busy = () => TooBusy.with({ 'retry-after': '1' })
