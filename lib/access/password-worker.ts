/** The other side of `password-pool.ts`: hashes and compares, one job after the other, off the event loop. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'
import { parentPort } from 'node:worker_threads'
import bcrypt from 'bcryptjs'
import type { PasswordJob } from './password-pool.js'

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
parentPort?.on('message', ({ password, cost, hash }: PasswordJob) => {
  const result = hash === undefined ? bcrypt.hashSync(password, cost) : bcrypt.compareSync(password, hash)
  parentPort?.postMessage(result)
})
