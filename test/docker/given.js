/** The lab that a test runs in, as `run.js` has told it. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const { hosts = [], directory, registry, runner, missing } = JSON.parse(process.env.FASTIFY_CLOUD_LAB ?? '{"missing":"NO LAB HERE: node test/docker/run.js opens one"}')

/** For `skip`: why there is no lab, or false. */
export const skip = missing ?? false
export { directory, registry }
/** Before a program: it runs in this machine's own network, and not in that of a host. */
export const outside = ['nsenter', `--net=/proc/${runner}/ns/net`]
/** The host that the tests run on. */
export const [here] = hosts
export const docker = async (...words) => (await run('docker', ['--host', `unix://${here.socket}`, ...words], { maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
/** The same, with what it says on standard error. */
docker.both = async (...words) => {
  const { stdout, stderr } = await run('docker', ['--host', `unix://${here.socket}`, ...words], { maxBuffer: 64 * 1024 * 1024 })
  return `${stdout}${stderr}`
}
