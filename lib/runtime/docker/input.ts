/** The console of a container, for typing. */
import type { Client } from './client.js'

export interface Input {
  /** Types a line; false where nobody reads. */
  write (line: string): Promise<boolean>
  close (): void
}

/** A connection that nobody uses for so long is given up; the console stays open. */
const IDLE_MS = 30_000
/** Bytes that may lie here: an engine that is busy takes what is typed a moment later, as a pipe would keep it for a program. */
const MOST_WAITING = 64 * 1024

export function createInput (client: Client, id: string): Input {
  let connection: Promise<NodeJS.ReadWriteStream> | undefined
  let idle: NodeJS.Timeout | undefined

  async function connect (): Promise<NodeJS.ReadWriteStream> {
    const stream = await client.ask(async (docker, abortSignal) => await docker.getContainer(id).attach({ stream: true, stdin: true, stdout: false, stderr: false, hijack: true, abortSignal }))
    const forget = (): void => { connection = undefined }
    stream.on('error', forget).on('close', forget).on('end', forget)
    stream.resume()
    return stream
  }

  function close (): void {
    clearTimeout(idle)
    const before = connection
    connection = undefined
    before?.then(stream => { (stream as { destroy? (): void }).destroy?.() }, () => {})
  }

  return {
    write: async line => {
      clearTimeout(idle)
      idle = setTimeout(close, IDLE_MS).unref()
      try {
        const stream = await (connection ??= connect()) as NodeJS.ReadWriteStream & { readonly writableLength: number }
        // So much that was typed before still lies there: nobody reads.
        if (!stream.writable || stream.writableLength > MOST_WAITING) return false
        stream.write(`${line}\n`)
        return true
      } catch {
        connection = undefined
        return false
      }
    },
    close
  }
}
