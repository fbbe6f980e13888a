/**
 * The smallest useful runtime: a folder of JSON files, `groups/<name>.json` and `services/<name>.json`. Whatever really
 * runs the services, a script for instance, reads `state` and `startedAt` there and takes commands from `services/<name>.in`.
 * Every verb is synchronous, so no other call can come between its look and its act.
 */
import { appendFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export function folderRuntime (directory) {
  let revision = 0
  for (const kind of ['groups', 'services']) mkdirSync(join(directory, kind), { recursive: true })

  const all = kind => readdirSync(join(directory, kind)).filter(file => file.endsWith('.json'))
    .map(file => JSON.parse(readFileSync(join(directory, kind, file), 'utf8')))
  const find = (kind, name) => all(kind).find(item => item.name === name)
  const online = group => all('services').filter(({ groupName, state }) => groupName === group.name && state === 'ONLINE')

  // Written beside and renamed: a reader, or the next start after a crash, sees the old file or the new one whole.
  const write = (kind, item) => {
    const file = join(directory, kind, `${item.name}.json`)
    writeFileSync(`${file}.tmp`, JSON.stringify(item, undefined, 2))
    renameSync(`${file}.tmp`, file)
    revision++
  }
  const remove = (kind, name) => {
    for (const ending of ['json', 'in']) rmSync(join(directory, kind, `${name}.${ending}`), { force: true })
    revision++
  }
  const turn = (name, state) => {
    const service = find('services', name)
    if (service === undefined) return false
    write('services', { ...service, ...state === 'ONLINE' && begun(find('groups', service.groupName)), state })
    return true
  }
  const startOne = (group, except) => {
    const taken = new Set([except, ...online(group).map(({ name }) => name)])
    let index = 1
    while (taken.has(`${group.name}-${index}`)) index++
    const name = `${group.name}-${index}`
    const used = new Set(all('services').map(({ port }) => port))
    let port = 25565
    while (used.has(port)) port++
    if (!turn(name, 'ONLINE')) write('services', { ...newService(group, name, port), ...begun(group) })
    return { name }
  }
  // Whatever is done to a group or its services, it has its minimum and not more than its maximum afterwards.
  const tend = (group, except) => {
    while (online(group).length < group.minOnlineService) startOne(group, except)
    for (const { name } of online(group).slice(group.maxOnlineService)) turn(name, 'OFFLINE')
    return group
  }
  const save = group => {
    write('groups', group)
    return tend(group)
  }
  const move = (name, state) => {
    const isThere = turn(name, state)
    if (isThere) tend(find('groups', find('services', name).groupName), name)
    return isThere
  }
  const control = {
    command (name, line) {
      const service = find('services', name)
      if (service?.state !== 'ONLINE') return service === undefined ? false : 'not-running'
      appendFileSync(join(directory, 'services', `${name}.in`), `${line}\n`)
      return true
    },
    restart: name => move(name, 'ONLINE'),
    start (name) {
      const service = find('groups', name) === undefined ? find('services', name) : undefined
      const group = find('groups', service?.groupName ?? name)
      if (group === undefined) return false
      if (service?.state === 'ONLINE') return 'running'
      if (online(group).length >= group.maxOnlineService) return 'limit'
      return service === undefined ? startOne(group) : turn(name, 'ONLINE') && { name }
    },
    stop: name => move(name, 'OFFLINE')
  }
  const groupControl = {
    create (group) {
      const isFree = all('groups').every(({ name }) => name.toLowerCase() !== group.name.toLowerCase())
      if (isFree) save(group)
      return isFree
    },
    edit (name, changes) {
      const group = find('groups', name)
      return group !== undefined && save({ ...group, ...changes })
    },
    delete (name) {
      if (find('groups', name) === undefined) return false
      for (const service of all('services')) if (service.groupName === name) remove('services', service.name)
      remove('groups', name)
      return true
    }
  }
  return {
    services: { get revision () { return revision }, list: () => all('services'), control },
    groups: { get revision () { return revision }, list: () => all('groups'), control: groupControl },
    platforms: { list: () => [{ name: 'folder', type: 'SERVER', versions: [{ version: '1' }] }] },
    players: { list: () => [] },
    metrics: { sample }
  }
}

const sample = () => {
  const memory = { core: process.memoryUsage().rss / 2 ** 20, services: 0 }
  return { cpu: { core: 0, services: 0 }, memory, runtime: `Node.js ${process.version}`, uptime: process.uptime() * 1000 }
}
const still = { playerCount: 0, maxPlayerCount: 20, memoryUsage: 0, cpuUsage: 0, motd: '' }
const newService = ({ name: groupName }, name, port) =>
  ({ ...still, name, groupName, port, state: 'ONLINE', type: 'SERVER', hostname: '127.0.0.1', createdAt: Date.now() })
// What a start takes from the group; by `startedAt` whatever runs the service sees that it is to start anew.
const begun = ({ minMemory, maxMemory, properties, templates }) => ({
  startedAt: Date.now(),
  minMemory,
  maxMemory,
  properties: Object.fromEntries(Object.entries(properties).map(([key, value]) => [key, String(value)])),
  templates: templates.map(name => ({ name, size: 'unknown' }))
})
