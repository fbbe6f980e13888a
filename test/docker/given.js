/** The lab that a test runs in, as `run.js` has told it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const { hosts = [], directory, registry, missing } = JSON.parse(process.env.FASTIFY_CLOUD_LAB ?? '{"missing":"NO LAB HERE: node test/docker/run.js opens one"}')

/** For `skip`: why there is no lab, or false. */
export const skip = missing ?? false
export { directory, registry }
/** The host that the tests run on. */
export const [here] = hosts
export const docker = async (...words) => (await run('docker', ['--host', `unix://${here.socket}`, ...words], { maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
