/**
 * Machines with a Docker engine each, on this one: a host is a network namespace with a `dockerd` of its own in it, whose data, socket
 * and processes are nobody else's, and ending that one process is pulling the plug of the host. Nothing of this machine's own network is
 * touched: the hosts hang on a bridge that lies in a namespace, too. Needs root, and Debian's packages.
 */
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, rmdirSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { packBase } from './base.js'

const run = promisify(execFile)
const prefix = 'fcl'
/** Of the network of the hosts; it is seen in their namespaces only. */
const net = '10.213.0'
/** A socket's path may have 107 bytes only. */
const home = tmpdir().length < 40 ? tmpdir() : '/tmp'

const packages = {
  dockerd: 'docker.io', docker: 'docker.io', iptables: 'iptables', ip: 'iproute2', busybox: 'busybox-static', 'docker-registry': 'docker-registry', nsenter: 'util-linux', setpriv: 'util-linux', openssl: 'openssl'
}

/** What is not there that a lab needs, in words; undefined where nothing is missing. */
export function missing () {
  if (process.platform !== 'linux') return 'NO LAB HERE: it needs Linux'
  if (process.getuid() !== 0) return 'NO LAB HERE: it needs root'
  const absent = Object.keys(packages).filter(name => !(process.env.PATH ?? '').split(':').some(directory => existsSync(join(directory, name))))
  return absent.length > 0 ? `NO LAB HERE: install ${[...new Set(absent.map(name => packages[name]))].join(', ')}` : undefined
}

/** Makes a swarm of hosts, all of them managers, and gives them an image through the registry. */
export async function openSwarm ({ hosts, registry, directory }) {
  const [first, ...others] = hosts
  await first.docker('swarm', 'init', '--advertise-addr', first.address)
  const token = await first.docker('swarm', 'join-token', '--quiet', 'manager')
  for (const host of others) await host.docker('swarm', 'join', '--token', token, '--advertise-addr', host.address, `${first.address}:2377`)
  const base = `${registry}/base:1`
  await first.docker('tag', first.image, base)
  await first.docker('push', base)
  return await openControl(hosts, join(directory, 'control.sock'))
}

/** Lets the tests do with hosts what only this process can: `POST /<number>/kill`, `start`, `cut`, `mend`. */
async function openControl (hosts, socketPath) {
  const server = createServer((question, answer) => {
    const [, number, action] = question.url.split('/')
    Promise.resolve(hosts[number]?.[action]?.()).then(() => { answer.end() }, error => {
      answer.statusCode = 500
      answer.end(error.message)
    })
  }).listen(socketPath)
  server.unref()
  await once(server, 'listening')
  return socketPath
}

/** Opens a lab of so many hosts. Whoever opens it closes it; what one has left that was killed is cleared by the next. */
export async function openLab ({ hosts: count = 1, registry = false } = {}) {
  clearDead()
  const name = `${prefix}${process.pid}`
  const directory = mkdtempSync(join(home, `${name}-`))
  const hosts = []
  let keeper

  function close () {
    for (const host of hosts) host.kill()
    keeper?.kill('SIGKILL')
    clear(name)
  }

  try {
    const inside = async (...words) => await run('ip', words)
    await inside('netns', 'add', name)
    for (const words of ['link set lo up', 'link add br0 type bridge', `addr add ${net}.1/24 dev br0`, 'link set br0 up']) await inside('-n', name, ...words.split(' '))
    const base = await packBase(join(directory, 'base'))
    const certificates = await makeCertificates(join(directory, 'certificates'), Array.from({ length: count }, (_, at) => addressOf(at + 1)))
    if (registry) keeper = await startRegistry(name, directory)
    for (let number = 1; number <= count; number++) hosts.push(await openHost(name, number, directory, certificates))
    await Promise.all(hosts.map(async host => {
      await host.start()
      host.image = await host.load(base)
    }))
    return { name, directory, hosts, certificates, registry: registry ? `${net}.1:5000` : undefined, close }
  } catch (error) {
    close()
    throw error
  }
}

const addressOf = number => `${net}.${10 + number}`

/** An authority with a certificate for all engines and one for who asks them, as `docker --tlsverify` takes them. */
async function makeCertificates (directory, addresses) {
  const openssl = async (...words) => await run('openssl', words, { cwd: directory })
  mkdirSync(directory)
  writeFileSync(join(directory, 'engines'), `subjectAltName=${addresses.map(address => `IP:${address}`).join()}\nextendedKeyUsage=serverAuth\n`)
  writeFileSync(join(directory, 'clients'), 'extendedKeyUsage=clientAuth\n')
  await openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=lab', '-keyout', 'ca-key.pem', '-out', 'ca.pem')
  for (const [kind, name] of [['engines', 'server-'], ['clients', '']]) {
    await openssl('req', '-newkey', 'rsa:2048', '-nodes', '-subj', `/CN=${kind}`, '-keyout', `${name}key.pem`, '-out', `${name}request.pem`)
    await openssl('x509', '-req', '-days', '2', '-in', `${name}request.pem`, '-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-extfile', kind, '-out', `${name}cert.pem`)
  }
  return directory
}

async function openHost (lab, number, parent, certificates) {
  const name = `${lab}-${number}`
  const directory = join(parent, `h${number}`)
  const [address, socket, peer] = [addressOf(number), join(directory, 'docker.sock'), `p${number}`]
  mkdirSync(directory)
  writeFileSync(join(directory, 'resolv.conf'), '')
  await run('ip', ['netns', 'add', name])
  await run('ip', ['-n', name, 'link', 'set', 'lo', 'up'])
  await run('ip', ['-n', name, 'link', 'add', 'eth0', 'type', 'veth', 'peer', 'name', peer, 'netns', lab])
  await run('ip', ['-n', lab, 'link', 'set', peer, 'master', 'br0', 'up'])
  await run('ip', ['-n', name, 'addr', 'add', `${address}/24`, 'dev', 'eth0'])
  await run('ip', ['-n', name, 'link', 'set', 'eth0', 'up'])
  await run('ip', ['-n', name, 'route', 'add', 'default', 'via', `${net}.1`])
  let child

  const host = {
    name,
    address,
    socket,
    image: undefined,
    /** Starts its engine, and answers when that does. */
    start: async () => {
      // What an engine that was killed has left there is taken by the next one for its own.
      rmSync(join(directory, 'exec'), { recursive: true, force: true })
      rmSync(join(directory, 'docker.pid'), { force: true })
      const log = openSync(join(directory, 'log'), 'a')
      const daemon = [
        'exec', 'dockerd', '--data-root', join(directory, 'data'), '--exec-root', join(directory, 'exec'), '--pidfile', join(directory, 'docker.pid'), '--host', `unix://${socket}`,
        '--host', `tcp://${address}:2376`, '--tlsverify', '--tlscacert', join(certificates, 'ca.pem'), '--tlscert', join(certificates, 'server-cert.pem'), '--tlskey', join(certificates, 'server-key.pem'),
        '--cgroup-parent', `/${name}`, '--insecure-registry', `${net}.0/24`, '--shutdown-timeout', '5'
      ]
      const prepare = `hostname ${name} && mount --bind ${join(directory, 'resolv.conf')} "$(readlink -f /etc/resolv.conf)" && ${daemon.join(' ')}`
      child = spawn('setpriv', [
        '--pdeathsig', 'KILL', 'nsenter', `--net=/run/netns/${name}`, 'unshare', '--mount', '--uts', '--ipc', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c', prepare
      ], { stdio: ['ignore', log, log], env: { PATH: process.env.PATH, HOME: directory } })
      const exited = once(child, 'exit').then(() => { throw new Error(`the engine of ${name} has ended:\n${readFileSync(join(directory, 'log'), 'utf8').slice(-2000)}`) })
      exited.catch(() => {})
      await Promise.race([answers(socket), exited])
    },
    /** Pulls its plug. */
    kill: () => { child?.kill('SIGKILL') },
    /** Pulls its network cable; its services run on. */
    cut: async () => { await run('ip', ['-n', lab, 'link', 'set', peer, 'down']) },
    mend: async () => { await run('ip', ['-n', lab, 'link', 'set', peer, 'up']) },
    docker: async (...words) => (await run('docker', ['--host', `unix://${socket}`, ...words], { maxBuffer: 64 * 1024 * 1024 })).stdout.trim(),
    /** Makes an image of what is in a tar, and answers its id. */
    load: async file => {
      const id = await host.docker('import', '--change', 'ENV PATH=/usr/bin:/bin', file)
      // As the bundled platforms call it.
      await host.docker('tag', id, 'node:22-slim')
      return id
    }
  }
  return host
}

async function startRegistry (lab, directory) {
  const file = join(directory, 'registry.yml')
  writeFileSync(file, `version: 0.1\nlog: { level: error }\nstorage: { filesystem: { rootdirectory: ${join(directory, 'registry')} }, delete: { enabled: true } }\nhttp: { addr: "${net}.1:5000" }\n`)
  const log = openSync(join(directory, 'registry.log'), 'a')
  return spawn('setpriv', ['--pdeathsig', 'KILL', 'nsenter', `--net=/run/netns/${lab}`, 'docker-registry', 'serve', file], { stdio: ['ignore', log, log] })
}

/** Answers when the engine behind a socket does. */
async function answers (socket, ms = 60_000) {
  for (const until = Date.now() + ms; ; await delay(50)) {
    const isThere = await new Promise(resolve => {
      request({ socketPath: socket, path: '/_ping', timeout: 1000 }, answer => {
        answer.resume()
        resolve(answer.statusCode === 200)
      }).on('error', () => { resolve(false) }).on('timeout', () => { resolve(false) }).end()
    })
    if (isThere) return
    if (Date.now() > until) throw new Error(`no engine answers on ${socket} within ${ms} ms`)
  }
}

/** Takes away whatever has the name of a lab. What is still in use is tried again for a while: the kernel ends its processes meanwhile. */
function clear (name) {
  for (const until = Date.now() + 10_000; ;) {
    const left = [clearNamespaces(name), clearCgroups(name), clearDirectories(name)].some(done => !done)
    if (!left || Date.now() > until) return
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  }
}

const quietly = action => {
  try {
    action()
    return true
  } catch {
    return false
  }
}

const clearNamespaces = name => namesIn('/run/netns', name).every(one => quietly(() => { execFileSync('ip', ['netns', 'delete', one], { stdio: 'ignore' }) }))

const clearDirectories = name => namesIn(home, name).every(one => {
  const directory = join(home, one)
  // What is mounted below it is so in namespaces that end with their processes; an engine that ended in haste may leave some.
  for (const line of readFileSync('/proc/mounts', 'utf8').split('\n').reverse()) {
    const at = line.split(' ')[1] ?? ''
    if (at.startsWith(`${directory}/`)) quietly(() => { execFileSync('umount', ['--lazy', at], { stdio: 'ignore' }) })
  }
  return quietly(() => { rmSync(directory, { recursive: true, force: true }) })
})

function clearCgroups (name) {
  const roots = ['/sys/fs/cgroup', ...namesIn('/sys/fs/cgroup', '').map(one => join('/sys/fs/cgroup', one))]
  return roots.flatMap(root => namesIn(root, `${name}-`).map(one => join(root, one))).every(removeCgroup)
}

function removeCgroup (directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) if (entry.isDirectory()) removeCgroup(join(directory, entry.name))
  return quietly(() => { rmdirSync(directory) })
}

const namesIn = (directory, beginning) => existsSync(directory) ? readdirSync(directory).filter(name => name.startsWith(beginning)) : []

/** Clears the labs of processes that are gone. */
function clearDead () {
  const owners = [...namesIn('/run/netns', prefix), ...namesIn(home, prefix)].flatMap(name => /^fcl(\d+)/.exec(name)?.[1] ?? [])
  for (const pid of new Set(owners)) if (!existsSync(`/proc/${pid}`)) clear(`${prefix}${pid}`)
}
