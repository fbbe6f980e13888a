/** Whether a port is free to listen on. */
import { createServer } from 'node:net'
import type { EngineError } from '../../../types/engine.js'
import { codeOf } from '../fleet/index.js'

/** Makes sure that a service could listen there now, tried with exactly the address it will use; throws why not. */
export async function checkPort (host: string, port: number): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const server = createServer()
    server.once('error', error => {
      // Anything else, descriptors that are used up for instance, says nothing about the port.
      reject(codeOf(error) === 'EADDRINUSE' ? portError(port) : error)
    })
    server.listen({ host, port, exclusive: true }, () => server.close(() => { resolve() }))
  })
}

function portError (port: number): EngineError {
  return Object.assign(new Error(`port ${port} is in use by another program`), { fault: 'port' as const })
}
