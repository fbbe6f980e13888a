/** What every test with real clients waits for, and the ports that it uses. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'

export const host = '127.0.0.1'

export async function freePort () {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** The first truthy answer of `look`; loading the data of a version may take seconds on a busy machine. */
export async function until (what, look, ms = 90_000) {
  const deadline = Date.now() + ms
  for (;;) {
    const seen = await look()
    if (seen) return seen
    if (Date.now() > deadline) assert.fail(`waited ${ms} ms in vain: ${what}`)
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}
