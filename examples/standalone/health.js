/** Whether the server on this machine answers, for `HEALTHCHECK` of an image: exits with 0 or 1. */
import { isIP } from 'node:net'
import { readSettings } from './settings.js'

const { host, port, prefix } = readSettings()
const at = isIP(host) === 0 || host === '0.0.0.0' || host === '::' ? '127.0.0.1' : isIP(host) === 6 ? `[${host}]` : host
const isHealthy = await fetch(`http://${at}:${port}${prefix}/health/`, { signal: AbortSignal.timeout(4000) }).then(({ ok }) => ok, () => false)
process.exit(isHealthy ? 0 : 1)
