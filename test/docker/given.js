/** The lab that a test runs in, as `run.js` has told it. */
import { execFile } from 'node:child_process'
import { request } from 'node:http'
import { promisify } from 'node:util'

const run = promisify(execFile)
const { hosts = [], certificates, control, directory, registry, runner, missing } = JSON.parse(process.env.FASTIFY_CLOUD_LAB ?? '{"missing":"NO LAB HERE: node test/docker/run.js opens one"}')

/** For `skip`: why there is no lab, or false. */
export const skip = missing ?? false
/** For tests of a swarm. */
export const skipSwarm = missing ?? (control === undefined && 'NO SWARM HERE: node test/docker/run.js swarm opens one')
export { certificates, directory, hosts, registry }
/** Before a program: it runs in this machine's own network, and not in that of a host. */
export const outside = ['nsenter', `--net=/proc/${runner}/ns/net`]
/** The host that the tests run on. */
export const [here] = hosts
export const dockerAt = async (host, ...words) => (await run('docker', ['--host', `unix://${host.socket}`, ...words], { maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
export const docker = async (...words) => await dockerAt(here, ...words)
/** The same, with what it says on standard error. */
docker.both = async (...words) => {
  const { stdout, stderr } = await run('docker', ['--host', `unix://${here.socket}`, ...words], { maxBuffer: 64 * 1024 * 1024 })
  return `${stdout}${stderr}`
}

/** Does something with a host that is not for Docker to do: `kill`, `start`, `cut`, `mend`. */
export async function handle (host, action) {
  await new Promise((resolve, reject) => {
    request({ socketPath: control, path: `/${hosts.indexOf(host)}/${action}`, method: 'POST' }, answer => {
      answer.resume().on('end', () => { if (answer.statusCode === 200) resolve(); else reject(new Error(`the lab cannot ${action} ${host.name}`)) })
    }).on('error', reject).end()
  })
}
