/** The other side of `password-pool.ts`: one job after the other, off the event loop. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { type PasswordJob, doJob } from './password-work.js'

/** Lets the event loop go first where both want the same core. Linux gives each thread a priority of its own. */
function standBack (): void {
  try {
    const thread = Number(basename(readlinkSync('/proc/thread-self')))
    if (thread > 0 && thread !== process.pid) setPriority(thread, 10)
  } catch {
    // Elsewhere, or where that is not allowed, logins are as quick as everything else.
  }
}

standBack()
parentPort?.on('message', (job: PasswordJob) => { parentPort?.postMessage(doJob(job)) })
