/** A compose file with the engine's own commands, where `docker compose` is not: what it says is done, and what is not understood is refused. */
import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { docker } from './given.js'

/** What `file` says, with these variables in its texts. */
export function readCompose (file, env = {}) {
  const fill = text => text.replaceAll(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_all, name, kind, more) => {
    if (env[name] !== undefined && env[name] !== '') return env[name]
    if (kind === '?') throw new Error(`${name}: ${more}`)
    return kind === '-' ? more : ''
  })
  return JSON.parse(JSON.stringify(parse(readFileSync(file, 'utf8'))), (_key, value) => typeof value === 'string' ? fill(value) : value)
}

const seconds = text => {
  const [, number, unit] = /^(\d+)(s|m)$/.exec(text)
  return Number(number) * (unit === 'm' ? 60 : 1)
}

/** The words for `docker create` of each field; of those with none something else is made. */
const words = {
  image: () => [],
  build: () => [],
  depends_on: () => [],
  networks: () => [],
  user: user => ['--user', user],
  init: init => init ? ['--init'] : [],
  read_only: isSo => isSo ? ['--read-only'] : [],
  tmpfs: places => places.flatMap(place => ['--tmpfs', place]),
  cap_drop: names => names.flatMap(name => ['--cap-drop', name]),
  security_opt: options => options.flatMap(option => ['--security-opt', option]),
  pids_limit: number => ['--pids-limit', number],
  mem_limit: size => ['--memory', size],
  shm_size: size => ['--shm-size', size],
  restart: policy => ['--restart', policy],
  stop_grace_period: time => ['--stop-timeout', seconds(time)],
  environment: all => Object.entries(all).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
  volumes: (all, { project }) => all.flatMap(volume => ['--volume', volume.startsWith('/') ? volume : `${project}_${volume}`]),
  ports: all => all.flatMap(port => ['--publish', port]),
  healthcheck: ({ test: [kind, ...command], interval, timeout, retries, start_period: start, ...more }) => {
    if (kind !== 'CMD' || Object.keys(more).length > 0) throw new Error('this health check is not understood')
    return ['--health-cmd', command.join(' '), '--health-interval', interval, '--health-timeout', timeout, '--health-retries', retries, '--health-start-period', start]
  }
}

/** Does what `docker compose up` does, and answers how to take it away. */
export async function up (file, env) {
  const { name: project, services, networks, volumes, ...more } = readCompose(file, env)
  if (Object.keys(more).length > 0) throw new Error(`not understood: ${Object.keys(more)}`)
  const networkOf = name => networks[name]?.name ?? `${project}_${name}`
  const containerOf = name => `${project}-${name}-1`
  for (const [name, given] of Object.entries(networks)) await docker('network', 'create', ...(given?.internal ? ['--internal'] : []), networkOf(name))
  const left = new Map(Object.entries(services))
  const begun = new Set()
  while (left.size > 0) {
    const [name, service] = [...left].find(([, { depends_on: needs = {} }]) => Object.keys(needs).every(one => begun.has(one)))
    for (const [needed, { condition }] of Object.entries(service.depends_on ?? {})) {
      if (condition !== 'service_healthy') throw new Error(`not understood: ${condition}`)
      await healthy(containerOf(needed))
    }
    const given = Object.entries(service).flatMap(([key, value]) => {
      if (words[key] === undefined) throw new Error(`not understood: ${key}`)
      return words[key](value, { project })
    })
    const [first, ...others] = service.networks
    await docker('create', '--name', containerOf(name), '--network', networkOf(first), '--network-alias', name, ...given.map(String), service.image)
    for (const other of others) await docker('network', 'connect', '--alias', name, networkOf(other), containerOf(name))
    await docker('start', containerOf(name))
    left.delete(name)
    begun.add(name)
  }
  return {
    containerOf,
    down: async () => {
      for (const name of begun) await docker('rm', '--force', '--volumes', containerOf(name))
      for (const name of Object.keys(volumes)) await docker('volume', 'rm', `${project}_${name}`).catch(() => {})
      for (const name of Object.keys(networks)) await docker('network', 'rm', networkOf(name)).catch(() => {})
    }
  }
}

/** Answers when a container is healthy by its own health check; with what it has printed where it is not, or was started again and again. */
export async function healthy (container, ms = 120_000) {
  for (const end = Date.now() + ms; ; await new Promise(resolve => setTimeout(resolve, 250))) {
    const [health, status, restarts] = (await docker('inspect', '--format', '{{.State.Health.Status}} {{.State.Status}} {{.RestartCount}}', container)).split(' ')
    if (health === 'healthy' && status === 'running') return
    if (Date.now() > end || Number(restarts) > 5) throw new Error(`${container} is ${status} and ${health}, started again ${restarts} times: ${await docker.both('logs', '--tail', '20', container)}`)
  }
}
