/** Whether the server on this machine answers, for `HEALTHCHECK` of an image: exits with 0 or 1. */
import { originOf } from './address.js'
import { readSettings } from './settings.js'

const { host, port, prefix } = readSettings()
const isHealthy = await fetch(`${originOf(host, port)}${prefix}/health/`, { signal: AbortSignal.timeout(4000) }).then(({ ok }) => ok, () => false)
process.exit(isHealthy ? 0 : 1)
