/** Tries random sequences, and answers what was found; undefined when every promise was kept. */
import { parentPort, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import { sequences, tryOut } from './sequence.js'

const { numRuns, seed, path } = workerData as { readonly numRuns: number, readonly seed: number, readonly path: string | undefined }

try {
  await fc.assert(fc.asyncProperty(sequences, tryOut), { numRuns, seed, ...(path === undefined ? {} : { path }) })
  parentPort?.postMessage(undefined)
} catch (error) {
  const { message, cause } = error as Error
  parentPort?.postMessage(`${message}\n${cause instanceof Error ? cause.message : ''}`)
}
