/** Whether a cloud's directory is still the one that it was opened in. */
import { statSync } from 'node:fs'

/**
 * Answers a function that throws when another directory has that name by now, one from a backup for instance, or none: what is written by
 * the name would be written to another cloud.
 */
export function createHomeCheck (directory: string): () => void {
  const { dev, ino } = statSync(directory)
  return () => {
    const now = statSync(directory, { throwIfNoEntry: false })
    if (now?.dev !== dev || now.ino !== ino) throw new Error(`${directory} is ${now === undefined ? 'gone' : 'another directory'} by now`)
  }
}
