/**
 * The core is killed with -9 again and again while it is written to, with services running and players on them. The
 * moments are random: SURVIVAL_SEED=<the number that was printed> has them again.
 */
import { cp, readFile, readlink, writeFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { markedCensus, readStat } from '../../lib/runtime/process/processes.js'
import { newSeed, rounds } from '../fixtures/rounds.js'
import { clientOf, run, type Reply, type Server } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'
import { Journal } from './journal.js'
import { logIn, platforms, text } from './limbo-peer.js'

const wanted = rounds(2, 12)
/** Of these, so many while the core is still coming up. */
const early = 0.3
const seed = Number(process.env['SURVIVAL_SEED'] ?? newSeed())

/** Starts in a moment, says so, repeats every command, and ends with SIGTERM. */
const echo = {
  name: 'echo',
  type: 'SERVER',
  versions: ['1'],
  command: 'sh',
  args: ['-c', 'echo ready; exec cat'],
  ready: { log: '^ready$' },
  stop: { signal: 'SIGTERM' }
}

const group = (name: string, platform: string, min: number, max: number) => ({
  name,
  minMemory: 64,
  maxMemory: 128,
  minOnlineService: min,
  maxOnlineService: max,
  platform: { name: platform, version: platform === 'limbo' ? 'latest' : '1' },
  percentageToStartNewService: 0,
  properties: {}
})

t.setTimeout(600_000)

t.test(`a core killed ${wanted} times under writes loses nothing acknowledged, no service and no player, and doubles none`, async t => {
  t.comment(`SURVIVAL_SEED=${seed}`)
  const began = Date.now()
  const random = randomFrom(seed)
  const directory = `${t.testdir({})}/cloud`
  await cp(platforms, `${directory}/platforms`, { recursive: true })
  await writeFile(`${directory}/platforms/echo.json`, JSON.stringify(echo))
  t.teardown(async () => { for (const { pid } of await processesIn(directory)) endQuietly(pid) })

  let core: Core = await startCore(t, directory)
  const call = clientOf(() => core.url)
  const serviceList = async (): Promise<Listed[]> => (await call('GET', '/services/list')).body.data
  await core.listening
  t.equal((await call('POST', '/user/self', { username: 'admin', password: 'correct horse battery' })).status, 201)
  const journal = new Journal()
  const create = async (fields: ReturnType<typeof group>) => {
    await journal.write({ [`group ${fields.name}`]: limitsOf(fields) }, async () => await call('POST', '/group/create', fields))
  }
  // On `stay` are the players, on `calm` the commands; nobody restarts either. `churn` is what is restarted.
  await create(group('stay', 'limbo', 2, 2))
  await create(group('calm', 'echo', 3, 3))
  await create(group('churn', 'echo', 3, 3))
  const names = ['stay-1', 'stay-2', 'calm-1', 'calm-2', 'calm-3']
  const first = await until(async () => {
    const services = await serviceList()
    return services.length === 8 && services.every(({ state }) => state === 'ONLINE') && services
  }, 'all services are ONLINE')
  const players = await Promise.all(['Ann', 'Ben', 'Cat', 'Dan', 'Eve', 'Fay'].map(async (name, index) => {
    const service = names[index % 2] as string
    const peer = await logIn(t, first.find(one => one.name === service)?.port as number, name)
    await peer.next(0x01)
    await peer.answer(47, 0)
    return { name, service, peer }
  }))
  const identities = async () => await Promise.all(names.map(async name => `${name} ${await livingIn(directory, name)}`))
  const before = await identities()

  const writers = new Writers(journal, call, create, random)
  let [kills, looks] = [0, 0]
  // So few that something was acknowledged before them; on a busy machine that may take some more.
  const isEnough = (): boolean => kills >= wanted && writers.commands.length > 0 && writers.restarts > 0 && journal.acknowledged > wanted
  while (!isEnough() && kills < wanted + 50) {
    if (core.isListening()) {
      const wrong = journal.settle(await everythingIn(call, writers))
      if (wrong.length > 0) t.fail(`after ${kills} kills something is not as it was acknowledged`, { wrong })
      looks++
      const writing = writers.start()
      await pause(random() * 400)
      core.kill()
      await writing
    } else {
      await pause(random() * 700)
      core.kill()
    }
    kills++
    await core.exited
    const running = await processesIn(directory)
    const doubled = running.filter(one => running.some(other => other.service === one.service && other.mark !== one.mark))
    if (doubled.length > 0) t.fail(`after ${kills} kills two starts of one service run`, { doubled })
    const gone = players.filter(({ peer }) => peer.socket.destroyed || peer.socket.readableEnded).map(({ name }) => name)
    if (gone.length > 0) t.fail(`after ${kills} kills players are gone`, { gone })
    core = await startCore(t, directory)
    if (kills >= wanted || random() > early) await core.listening
  }

  t.strictSame(journal.settle(await everythingIn(call, writers)), [], 'what was acknowledged is there, and nothing else')
  t.strictSame(journal.refused, [], 'a core that has taken over accepts everything')
  t.strictSame(await identities(), before, 'every service nobody restarted is the same process')
  t.ok(journal.acknowledged > wanted, `${journal.acknowledged} writes were acknowledged`)

  await call('POST', '/service/stay-1/command', { command: 'say still here' })
  await call('POST', '/service/stay-2/command', { command: 'say still here' })
  for (const { name, peer } of players) {
    t.ok(await until(() => peer.packets.some(({ id, data }) => id === 0x02 && text(data).includes('still here')), `${name} hears the server`))
  }
  const listed = await until(async () => {
    const { body } = await call('GET', '/players/list?size=100')
    return body.data.length === players.length && body.data
  }, 'all players are listed')
  t.strictSame(listed.map((player: { name: string, currentServiceName: string }) => `${player.name} ${player.currentServiceName}`).sort(),
    players.map(({ name, service }) => `${name} ${service}`))

  const lines = (await Promise.all(names.slice(2).map(async name => await readFile(`${directory}/services/${name}/run/console.log`, 'utf8')))).join('').split('\n')
  const said = new Map<string, number>()
  for (const line of lines) said.set(line, (said.get(line) ?? 0) + 1)
  t.strictSame(writers.commands.filter(line => said.get(line) !== 1), [], `each of ${writers.commands.length} acknowledged commands came once`)
  t.ok(writers.commands.length > 0 && writers.restarts > 0)

  await until(async () => {
    const [services, running] = [await serviceList(), await processesIn(directory)]
    const living = services.filter(({ state }) => state !== 'OFFLINE').map(({ name }) => name).sort()
    return services.every(({ state }) => state === 'ONLINE' || state === 'OFFLINE') &&
      JSON.stringify(living) === JSON.stringify([...new Set(running.map(({ service }) => service))].sort()) &&
      // A shim and its program each.
      running.length === living.length * 2
  }, 'every process belongs to a listed service, and every service has one').catch(async error => {
    t.fail(String(error), { services: await serviceList(), running: await processesIn(directory), log: core.output().slice(-3000) })
  })
  const services = await serviceList()
  t.equal(services.filter(({ name, state }) => name.startsWith('churn-') && state === 'ONLINE').length, 3)
  t.equal(new Set(services.map(({ port }) => port)).size, services.length, 'no port is given twice')
  t.comment(`${kills} kills, ${kills - looks} of them while it came up; ${journal.acknowledged} writes, ${writers.commands.length} commands, ${writers.restarts} restarts acknowledged; ${Date.now() - began} ms`)

  t.strictSame(await core.stop(), { code: 0, signal: null })
  t.strictSame(await processesIn(directory), [], 'an orderly end leaves no process')
})

interface Listed { readonly name: string, readonly state: string, readonly port: number }

type Call = (method: string, path: string, body?: unknown) => Promise<Reply>

/** Writes all the time, several things at once, until nobody answers any more. */
class Writers {
  /** Lines that were accepted. */
  readonly commands: string[] = []
  restarts = 0
  /** By their names in the journal. */
  readonly ids = new Map<string, string>()
  readonly #journal: Journal
  readonly #call: Call
  readonly #create: (fields: ReturnType<typeof group>) => Promise<void>
  readonly #random: () => number
  #last = 0

  constructor (journal: Journal, call: Call, create: (fields: ReturnType<typeof group>) => Promise<void>, random: () => number) {
    this.#journal = journal
    this.#call = call
    this.#create = create
    this.#random = random
  }

  /** Resolves when the core is gone. */
  async start (): Promise<void> {
    await Promise.all([this.#groups, this.#filled, this.#users, this.#roles, this.#templates, this.#say, this.#restart].map(async write => {
      for (;;) {
        try {
          await write.call(this)
          await pause(this.#random() * 20)
        } catch {
          return
        }
      }
    }))
  }

  async #groups (): Promise<void> {
    const old = this.#one('group edited')
    const name = old?.slice('group '.length) ?? `edited${++this.#last}`
    const changes = { minMemory: 64 + Math.floor(this.#random() * 64) }
    if (old === undefined || this.#random() < 0.4) await this.#create(group(`edited${++this.#last}`, 'echo', 0, 1))
    else if (this.#random() < 0.5) await this.#write({ [old]: limitsOf({ ...group(name, 'echo', 0, 1), ...changes }) }, 'PATCH', `/group/${name}`, changes)
    else await this.#write({ [old]: undefined }, 'DELETE', `/group/${name}`)
  }

  /** Groups with services in them. */
  async #filled (): Promise<void> {
    const old = this.#one('group filled')
    if (old === undefined) await this.#create(group(`filled${++this.#last}`, 'echo', 2, 2))
    else if (this.#random() < 0.3) await this.#write({ [old]: undefined }, 'DELETE', `/group/${old.slice('group '.length)}`)
    else await pause(this.#random() * 100)
  }

  async #users (): Promise<void> {
    const old = this.#one('user-')
    const name = `user-${++this.#last}`
    const uuid = this.ids.get(old ?? '')
    if (old === undefined || uuid === undefined || this.#random() < 0.5) await this.#write({ [name]: '0' }, 'POST', '/user/', { username: name })
    else await this.#write({ [old]: undefined }, 'DELETE', `/user/${uuid}`)
  }

  async #roles (): Promise<void> {
    const old = this.#one('role ')
    const id = this.ids.get(old ?? '')
    const hexColor = `#${Math.floor(this.#random() * 2 ** 24).toString(16).padStart(6, '0')}`
    const name = `role ${++this.#last}`
    if (old === undefined || id === undefined || this.#random() < 0.4) await this.#write({ [name]: hexColor }, 'POST', '/role/', { label: name, hexColor, permissions: [] })
    else if (this.#random() < 0.5) await this.#write({ [old]: hexColor }, 'PATCH', `/role/${id}`, { label: old, hexColor, permissions: [] })
    else await this.#write({ [old]: undefined }, 'DELETE', `/role/${id}`)
  }

  async #templates (): Promise<void> {
    const old = this.#one('template ')
    const name = `made${++this.#last}`
    const path = `/template/${old?.slice('template '.length)}`
    if (old === undefined || this.#random() < 0.4) await this.#write({ [`template ${name}`]: 'there' }, 'POST', '/template/', { name })
    else if (this.#random() < 0.5) await this.#write({ [old]: undefined, [`template ${name}`]: 'there' }, 'PATCH', path, { name })
    else await this.#write({ [old]: undefined }, 'DELETE', path)
  }

  async #say (): Promise<void> {
    const line = `command ${++this.#last}`
    const { status, body } = await this.#call('POST', `/service/calm-${1 + Math.floor(this.#random() * 3)}/command`, { command: line })
    if (status === 200) this.commands.push(line)
    else this.#journal.refused.push(`${line}: ${status} ${JSON.stringify(body)}`)
  }

  async #restart (): Promise<void> {
    const { status } = await this.#call('PATCH', `/service/churn-${1 + Math.floor(this.#random() * 3)}/restart`)
    if (status === 202) this.restarts++
    else this.#journal.refused.push(`restart: ${status}`)
    await pause(this.#random() * 60)
  }

  #one (start: string): string | undefined {
    const all = this.#journal.named(start)
    return all[Math.floor(this.#random() * all.length)]
  }

  async #write (changes: Record<string, string | undefined>, method: string, path: string, body?: unknown): Promise<void> {
    await this.#journal.write(changes, async () => await this.#call(method, path, body))
  }
}

const limitsOf = ({ minMemory, maxMemory, minOnlineService, maxOnlineService }: ReturnType<typeof group>): string =>
  `${minMemory} ${maxMemory} ${minOnlineService} ${maxOnlineService}`

/** What there is, named as in the journal. */
async function everythingIn (call: Call, { ids }: Writers): Promise<Map<string, string>> {
  const seen = new Map<string, string>()
  const [groups, users, roles, templates] = (await Promise.all(['/groups/list', '/users/', '/roles/', '/templates/list'].map(async path => await call('GET', path)))).map(({ status, body }) => {
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`)
    return body.data
  })
  for (const one of groups) seen.set(`group ${one.name}`, limitsOf(one))
  for (const { name } of templates) if (!name.startsWith('EVERY')) seen.set(`template ${name}`, 'there')
  for (const { username, uuid, role } of users) {
    if (username === 'admin') continue
    seen.set(username, String(role.id))
    ids.set(username, uuid)
  }
  for (const { label, id, hexColor } of roles) {
    if (!label.startsWith('role ')) continue
    seen.set(label, hexColor)
    ids.set(label, String(id))
  }
  return seen
}

interface Core extends Omit<Server, 'url'> {
  readonly url: string
  readonly listening: Promise<void>
  isListening (): boolean
  kill (): void
}

/** Resolves when the process is there; `listening` when it has taken over. */
async function startCore (t: Test, directory: string): Promise<Core> {
  const server = run('server.js', [], { CLOUD_DIRECTORY: directory, PORT: '0' })
  t.teardown(() => { server.process.kill('SIGKILL') })
  const find = () => /listening on (http\S+)/.exec(server.output())?.[1]
  const listening = until(() => {
    if (server.process.exitCode !== null || server.process.signalCode !== null) throw new Error(`The core ended:\n${server.output()}`)
    return find()
  }, 'the core listens').then(() => {})
  // Those that are killed early never get there.
  listening.catch(() => {})
  return {
    ...server,
    get url () { return find() as string },
    listening,
    isListening: () => find() !== undefined,
    kill: () => { server.process.kill('SIGKILL') }
  }
}

/** Every living process that services below the directory have started, listed or not. */
async function processesIn (directory: string) {
  const services = `${directory}/services/`
  const found: Array<{ service: string, pid: number, mark: string }> = []
  for (const { pid, mark } of await markedCensus()) {
    if (mark === undefined) continue
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '')
    if (cwd.startsWith(services)) found.push({ service: cwd.slice(services.length).split('/')[0] as string, pid, mark: mark.token })
  }
  return found
}

/** Number and start time of a service's program, if it lives. */
async function livingIn (directory: string, name: string): Promise<string> {
  const [pid, startTime] = (await readFile(`${directory}/services/${name}/run/pid`, 'utf8')).split(' ').map(Number)
  const stat = readStat(pid as number)
  return stat !== undefined && stat.startTime === startTime && !'ZX'.includes(stat.state) ? `${pid} ${startTime}` : 'dead'
}

function endQuietly (pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

/** mulberry32: small, and the same everywhere. */
function randomFrom (seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let value = Math.imul(state ^ (state >>> 15), state | 1)
    value ^= value + Math.imul(value ^ (value >>> 7), value | 61)
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32
  }
}
