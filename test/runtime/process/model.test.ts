/**
 * The promises of `fleet/promises.ts` on real processes: a core is asked for this and that and killed with SIGKILL in the midst
 * of it, services die, and whatever was answered holds for the next core. MODEL_SEED gives a run again.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Mark } from '../../../lib/runtime/process/mark.js'
import { markedCensus } from '../../../lib/runtime/process/processes.js'
import type { Group } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { random, type Random } from '../../abuse/random.js'
import { ports } from '../../fixtures/ports.js'
import { newSeed, rounds } from '../../fixtures/rounds.js'
import { until } from '../../fixtures/until.js'
import { createPromises, groupOf, type Life, type Sight } from '../fleet/promises.js'
import { bare, core as openCore, group, linkOf, withPlatforms } from './helper.js'

t.setTimeout(3_600_000)

const seed = Number(process.env['MODEL_SEED'] ?? newSeed())
const count = Number(process.env['MODEL_RUNS'] ?? rounds(2, 12))
const orders = rounds(6, 30)

/** Says when it is ready, and ends when it is told; as light as a process can be. */
const light = {
  type: 'SERVER', versions: ['1'], command: 'sh', args: ['-c', 'echo ready; exec sleep 100000'], ready: { log: '^ready$' }, stop: { signal: 'SIGTERM' }, stopTimeout: 2000
}

interface Found { readonly pid: number, readonly mark: Mark & { readonly name: string } }

/** The processes of a cloud, by their marks. */
async function processesOf (directory: string): Promise<Found[]> {
  const found = await markedCensus() as readonly Found[]
  return found.filter(({ pid, mark }) => mark?.name !== undefined && linkOf(pid, 'cwd').startsWith(join(directory, 'services')))
}

/** Tries so many orders; throws what is against a promise. `flaw`: what the core does wrong, see `core.mjs`. */
async function tryOut (t: Test, { below, pick, chance }: Random, orders: number, flaw?: string): Promise<void> {
  const directory = withPlatforms(t, { light })
  mkdirSync(join(directory, 'groups'), { recursive: true })
  const options = { ports, limits: { quickDeaths: 1000 }, timing: { tick: 100, ping: 200, sample: 200, pause: 100, longestPause: 500, kill: 500 } }
  const log: string[] = []
  const wrong: string[] = []
  const began = performance.now()
  const promises = createPromises({ now: () => performance.now() - began, startingMost: Infinity, startTimeoutMs: 60_000, stopTimeoutMs: 2000, running: () => lives, broken: what => { wrong.push(what) } })
  let lives: readonly Life[] = []
  const open = async (): ReturnType<typeof openCore> => await openCore(t, directory, options, { env: { ...bare.env, ...(flaw === undefined ? {} : { CORE_FLAW: flaw }) } })
  let core = await open()

  function livesOf (found: readonly Found[]): Life[] {
    const tokens = new Map(found.map(({ mark }) => [mark.token, mark.name]))
    return [...tokens].map(([token, name]) => ({ name, token, group: groupOf(name), bornAt: 0, ready: true, players: [], playersAt: 0 }))
  }

  /** Whether there is to be no such group, and nobody has asked for one. */
  const isGone = (name: string): boolean => {
    const order = promises.orders.get(name)
    return order === undefined || (order.sure === undefined && order.maybe.length === 0)
  }

  /** What is listed is looked at while nothing of what is compared with it comes or goes. */
  async function look (): Promise<Sight> {
    const gone = ['a', 'b'].filter(isGone)
    const before = await processesOf(directory)
    const services = await core.ask<RuntimeService[]>('services', 'list')
    const groups = await core.ask<Group[]>('groups', 'list')
    const after = new Set((await processesOf(directory)).map(({ pid }) => pid))
    const stays = livesOf(before.filter(({ pid }) => after.has(pid)))
    for (const { name, group } of stays) {
      const state = services.find(one => one.name === name)?.state
      if (state === undefined || state === 'OFFLINE') wrong.push(`${name} runs, and is ${state ?? 'not listed'}`)
      if (gone.includes(group) && isGone(group)) wrong.push(`${name} runs, and its group is gone`)
    }
    lives = livesOf(before)
    return { groups, services, running: stays }
  }

  /** What has to be at every moment, as far as it can be seen from here. */
  function watch ({ services, running }: Sight): void {
    const twice = (values: readonly unknown[]): unknown => values.find((value, at) => values.indexOf(value) !== at)
    const doubled = twice(running.map(({ name }) => name)) ?? twice(services.map(({ name }) => name)) ?? twice(services.map(({ port }) => port))
    if (doubled !== undefined) wrong.push(`${String(doubled)} is there twice`)
  }

  /** Has what is left of a group that is deleted seen with the answer, unless somebody has asked for it again. */
  async function see (deleted: string): Promise<void> {
    const isAlone = (): boolean => promises.orders.get(deleted)?.maybe.length === 1
    const before = isAlone()
    const found = livesOf(await processesOf(directory))
    lives = before && isAlone() ? found : lives.filter(life => life.group !== deleted)
  }

  const name = (): string => pick(['a', 'b'])
  const order = (): unknown => {
    const of = name()
    const [min, max] = pick([[0, 1], [1, 1], [1, 2], [2, 2], [1, 3]]) as [number, number]
    const service = `${of}-${1 + below(3)}`
    const wanted = promises.orders.get(of)?.maybe.findLast(one => one !== undefined) ?? promises.orders.get(of)?.sure
    const ask = async (what: string, done: (answer: unknown) => void, part: string, verb: string, ...args: unknown[]): Promise<void> => {
      const { ask } = core
      const by = core
      log.push(`${Math.round(performance.now() - began)} ${what} ${JSON.stringify(args)}`)
      try {
        const answer = await ask(part, verb, ...args)
        if (verb === 'delete' && answer === true) await see(args[0] as string)
        if (by === core) done(answer)
      } catch {
        if (by === core) done(false)
      }
    }
    switch (pick(['create', 'create', 'create', 'edit', 'delete', 'delete', 'roll', 'start', 'stop', 'kill', 'restart', 'die'])) {
      case 'create': {
        const made = group(of, { minOnlineService: min, maxOnlineService: max, platform: { name: 'light', version: '1' }, properties: { static: chance(0.3), idleSeconds: 1, drainSeconds: 1 } })
        const done = promises.order(of, made)
        return ask('create', answer => { done(answer === true) }, 'groups.control', 'create', made)
      }
      case 'edit': {
        if (wanted === undefined) return undefined
        const done = promises.order(of, { ...wanted, minOnlineService: min, maxOnlineService: max })
        return ask('edit', answer => { done(answer !== false) }, 'groups.control', 'edit', of, { minOnlineService: min, maxOnlineService: max })
      }
      case 'delete': {
        const done = promises.order(of, undefined)
        return ask('delete', answer => { done(answer === true) }, 'groups.control', 'delete', of)
      }
      case 'roll': return ask('roll', () => {}, 'groups.restarts', 'restart', of)
      case 'kill': return ask('kill', () => {}, 'services.force', 'kill', service)
      case 'start': return ask('start', () => {}, 'services.control', 'start', service)
      case 'stop': return ask('stop', () => {}, 'services.control', 'stop', service)
      case 'restart': return ask('restart', () => {}, 'services.control', 'restart', service)
      case 'die': return processesOf(directory).then(found => {
        const one = found.find(({ mark }) => mark.name === service)
        log.push(`${Math.round(performance.now() - began)} die ${one === undefined ? 'nobody' : service}`)
        if (one !== undefined) process.kill(one.pid, 'SIGKILL')
      })
    }
  }

  for (let at = 0; at < orders; at++) {
    order()
    await new Promise(resolve => setTimeout(resolve, pick([0, 0, 5, 30, 100, 300])))
    // One that lives longer has more time to be wrong.
    if (chance(flaw === undefined ? 0.3 : 0.05)) {
      log.push(`${Math.round(performance.now() - began)} the core is killed`)
      await core.kill()
      promises.reopening()
      core = await open()
      promises.reopened(await core.ask('groups', 'list'), await core.ask('services', 'list'))
    }
    watch(await look())
    if (wrong.length > 0) break
  }

  // What could not be deleted because a core died on the way may be there or not; what is listed has to be as it should be.
  await until(async () => [...promises.orders.values()].every(({ maybe }) => maybe.length === 0), 'all answers')
  let left: string[] = wrong
  if (wrong.length === 0) {
    await until(async () => {
      wrong.length = 0
      const sight = await look()
      watch(sight)
      promises.settled(sight, false, () => false, () => false)
      const listed = new Map(sight.services.map(({ name, state }) => [name, state]))
      for (const { name } of sight.running) if (listed.get(name) !== 'ONLINE') wrong.push(`${name} runs, and is ${listed.get(name)}`)
      left = [...wrong]
      return wrong.length === 0
    }, () => left.join('; '), 30_000).catch((error: Error) => { left.push(error.message) })
  }
  if (left.length > 0) throw new Error(`${left.join('; ')}\n${log.join('\n')}\n${core.output().slice(-4000)}`)
  await core.kill()
}

for (let round = 0; round < count; round++) {
  t.test(`${orders} orders and accidents on real processes keep every promise, MODEL_SEED=${seed + round}`, async t => {
    await tryOut(t, random(seed + round), orders)
    t.pass('it does')
  })
}

for (const flaw of ['a group that is made is forgotten', 'a service is doubled', 'a deletion leaves one running']) {
  t.test(`a core with which ${flaw} does not keep them`, async t => {
    let caught: Error | undefined
    for (let round = 0; round < 6 && caught === undefined; round++) await tryOut(t, random(81_527 + round), 30, flaw).catch((error: Error) => { caught = error })
    t.match(caught?.message.split('\n')[0], /was .* is undefined|is there twice|runs, and|runs$|has \d of at least/)
  })
}
