/**
 * Runs the tests of this directory in a lab: `npm run test:docker`, or `node test/docker/run.js engine` for the files whose names
 * contain one of these words. They run on the first host, as a core on the machine of its engine does.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { missing, openLab, openSwarm } from './lab.js'

const words = process.argv.slice(2).filter(word => !word.startsWith('--'))
const options = process.argv.slice(2).filter(word => word.startsWith('--'))
const files = readdirSync(import.meta.dirname).filter(name => name.endsWith('.test.js') && (words.length === 0 || words.some(word => name.includes(word))))
const why = missing()
const began = performance.now()
let [lab, child] = []
process.on('exit', () => { lab?.close() })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    child?.kill('SIGKILL')
    process.exit(1)
  })
}

/** Runs these in a lab of so many hosts, and answers whether they passed. */
async function runOn (count, names) {
  const opening = performance.now()
  lab = why === undefined ? await openLab({ registry: true, hosts: count }) : undefined
  const control = lab !== undefined && count > 1 ? await openSwarm(lab) : undefined
  if (lab !== undefined) console.log(`# The lab of ${count} is ready after ${Math.round(performance.now() - opening)} ms`)
  const into = lab === undefined ? [] : ['setpriv', '--pdeathsig', 'KILL', 'nsenter', `--net=/run/netns/${lab.hosts[0].name}`]
  const told = lab === undefined ? { missing: why } : { runner: process.pid, directory: lab.directory, control, registry: lab.registry, certificates: lab.certificates, hosts: lab.hosts.map(({ name, address, socket, image }) => ({ name, address, socket, image })) }
  const [command, ...args] = [...into, process.execPath, '--test', '--test-concurrency=1', '--test-force-exit', ...options, ...names.map(name => join(import.meta.dirname, name))]
  child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, FASTIFY_CLOUD_LAB: JSON.stringify(told) } })
  const [code] = await once(child, 'exit')
  lab?.close()
  lab = undefined
  return code === 0
}

const isSwarm = name => name.startsWith('swarm-')
let isFine = files.length > 0
const losesHosts = name => name.startsWith('swarm-failures')
// One engine that is no swarm's, then three that are one's, and three that are lost and come back: what these leave behind is nobody else's.
const labs = [[1, files.filter(name => !isSwarm(name))], [3, files.filter(name => isSwarm(name) && !losesHosts(name))], [3, files.filter(losesHosts)]]
for (const [count, names] of labs) {
  if (names.length > 0) isFine = await runOn(count, names) && isFine
}
console.log(`# The tests in the lab took ${Math.round((performance.now() - began) / 1000)} s`)
process.exit(isFine ? 0 : 1)
