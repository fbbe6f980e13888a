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
const isSwarm = files.some(name => name.startsWith('swarm-'))
const lab = why === undefined ? await openLab({ registry: true, hosts: isSwarm ? 3 : 1 }) : undefined
process.on('exit', () => { lab?.close() })
const control = lab !== undefined && isSwarm ? await openSwarm(lab) : undefined

const into = lab === undefined ? [] : ['setpriv', '--pdeathsig', 'KILL', 'nsenter', `--net=/run/netns/${lab.hosts[0].name}`]
const told = lab === undefined ? { missing: why } : { runner: process.pid, directory: lab.directory, control, registry: lab.registry, certificates: lab.certificates, hosts: lab.hosts.map(({ name, address, socket, image }) => ({ name, address, socket, image })) }
if (lab !== undefined) console.log(`# The lab is ready after ${Math.round(performance.now() - began)} ms`)
const [command, ...args] = [...into, process.execPath, '--test', '--test-concurrency=1', '--test-force-exit', ...options, ...files.map(name => join(import.meta.dirname, name))]
const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, FASTIFY_CLOUD_LAB: JSON.stringify(told) } })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    child.kill('SIGKILL')
    process.exit(1)
  })
}
const [code] = await once(child, 'exit')
console.log(`# The tests in the lab took ${Math.round((performance.now() - began) / 1000)} s`)
process.exit(code ?? 1)
