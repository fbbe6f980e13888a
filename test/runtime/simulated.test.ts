/** The simulated runtime passes its suite and follows its clock. */
import fc from 'fast-check'
import t from 'tap'
import { simulatedRuntime } from '../../lib/runtime/simulated/index.js'
import type { Group, ServiceState } from '../../types/resources.js'
import type { RuntimeService } from '../../types/runtime.js'

t.setTimeout(600_000)

const options = { signal: new AbortController().signal }

const group = (given: Partial<Group> = {}): Group => ({
  name: 'lobby',
  minMemory: 128,
  maxMemory: 256,
  minOnlineService: 1,
  maxOnlineService: 2,
  platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 0,
  properties: { fallback: true },
  templates: [],
  createdAt: 1_760_000_000_000,
  ...given
})

type Cloud = ReturnType<typeof simulatedRuntime>
const services = (cloud: Cloud) => cloud.services.list(options) as readonly RuntimeService[]
const states = (cloud: Cloud) => Object.fromEntries(services(cloud).map(({ name, state }) => [name, state]))

t.test('time stands still until it is told', async t => {
  const cloud = simulatedRuntime({ startAt: 1_000, groups: [group()] })
  t.strictSame(states(cloud), { 'lobby-1': 'STARTING' })
  cloud.advance(999)
  t.strictSame(states(cloud), { 'lobby-1': 'STARTING' })
  cloud.advance(1)
  t.strictSame(states(cloud), { 'lobby-1': 'ONLINE' })
  t.strictSame([cloud.clock.now(), cloud.clock.elapsed()], [2_000, 1_000])
  for (const ms of [-1, NaN, Infinity]) t.throws(() => cloud.advance(ms), RangeError)
})

t.test('a service starts slowly, hangs, crashes, comes back and takes no commands, as the script says', async t => {
  const cloud = simulatedRuntime({
    groups: [group({ minOnlineService: 3, maxOnlineService: 3 })],
    script: ({ name, life }) => {
      if (name === 'lobby-1') return { startMs: 5_000 }
      if (name === 'lobby-2') return { startMs: Infinity, reads: false }
      return life < 3 ? { crashMs: 1_500 } : {}
    }
  })
  const seen: Array<readonly [number, string]> = []
  for (let time = 0; time <= 8_000; time += 500) {
    seen.push([time, Object.values(states(cloud)).map(state => state.slice(0, 3)).join()])
    cloud.advance(500)
  }
  const changes = seen.filter(([, now], index) => now !== seen[index - 1]?.[1])
  t.strictSame(changes, [
    [0, 'STA,STA,STA'], [1_000, 'STA,STA,ONL'], [1_500, 'STA,STA,OFF'], [2_500, 'STA,STA,STA'], [3_500, 'STA,STA,ONL'],
    [4_000, 'STA,STA,OFF'], [5_000, 'ONL,STA,STA'], [6_000, 'ONL,STA,ONL']
  ])
  t.equal(cloud.services.control.command('lobby-2', 'list', options), 'not-reading')
  t.equal(cloud.services.control.command('lobby-1', 'say hello', options), true)
  t.strictSame(cloud.commands('lobby-1'), ['say hello'])
})

t.test('players come and go: by the script, by hand, and with their service', async t => {
  const cloud = simulatedRuntime({
    groups: [group({ minOnlineService: 2 })],
    script: ({ name }) => name === 'lobby-1' ? { visits: [{ player: 'Jane', joinMs: 100, leaveMs: 300 }] } : {}
  })
  const players = () => cloud.players.list(options)
  t.throws(() => cloud.join('lobby-2', 'John'), /STARTING/)
  t.throws(() => cloud.join('none', 'John'), /none/)
  cloud.advance(1_100)
  const jane = { name: 'Jane', uuid: '00000000-0000-3000-8000-000000000001', currentServiceName: 'lobby-1' }
  t.strictSame(players(), [jane])
  t.strictSame(services(cloud).map(({ playerCount }) => playerCount), [1, 0])
  cloud.join('lobby-2', 'Jane')
  t.strictSame(players(), [{ ...jane, currentServiceName: 'lobby-2' }], 'a player moves and keeps the uuid')
  cloud.advance(200)
  t.strictSame(players(), [])
  cloud.join('lobby-2', 'John')
  cloud.crash('lobby-2')
  t.strictSame(players(), [])
  t.strictSame(cloud.running(), ['lobby-1'])
})

t.test('a deletion waits for its services, and fails when one cannot be stopped, and can be tried again', async t => {
  const cloud = simulatedRuntime({ groups: [group()], script: () => ({ stopMs: Infinity }) })
  cloud.advance(1_000)
  const deleting = cloud.groups.control.delete('lobby', options)
  cloud.advance(10_000)
  await t.rejects(async () => await deleting, /lobby-1/)
  t.strictSame([states(cloud), cloud.running()], [{ 'lobby-1': 'STOPPING' }, ['lobby-1']])
  cloud.behave('lobby-1', { stopMs: 100 })
  const again = cloud.groups.control.delete('lobby', options)
  cloud.advance(100)
  t.equal(await again, true)
  t.strictSame([cloud.groups.list(options), services(cloud), cloud.running()], [[], [], []])
})

t.test('metrics are of what runs', async t => {
  const cloud = simulatedRuntime({ groups: [group({ minOnlineService: 2 })], script: () => ({ cpu: 60, memory: 300 }) })
  cloud.advance(1_500)
  t.strictSame(await cloud.metrics.sample(options),
    { cpu: { core: 1, services: 99 }, memory: { core: 64, services: 600 }, runtime: 'Simulation', uptime: 1_500 })
})

/** The same cloud in the plainest way: a table, looked through every 100 ms. Starts take 1,000, stops 500. */
function plainCloud () {
  interface Row {
    state: ServiceState
    /** Until the next step; a service that is OFFLINE and wanted is started when nothing is left. */
    left: number
    wanted: boolean
    restart: boolean
    /** From a restart until it is ready, or not to become so: another one joins it. */
    joins: boolean
    then: 'rest' | 'remove'
    players: string[]
    /** Since when it is ONLINE and nobody is on it. */
    emptyAt: number | undefined
  }
  /** Milliseconds since the beginning. */
  let time = 0
  let groups: Array<{ name: string, min: number, max: number, templates: string[], deleting: boolean, rows: Record<number, Row>, aboveAt: number | undefined }> = []
  let templates: string[] = []
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
  const find = (service: string) => {
    for (const group of groups) {
      for (const [index, row] of Object.entries(group.rows)) if (`${group.name}-${index}` === service) return { group, row }
    }
  }
  const free = (group: typeof groups[0]): Row => {
    let index = 1
    for (;; index++) {
      const row = group.rows[index] ??= { state: 'OFFLINE', left: 0, wanted: false, restart: false, joins: false, then: 'rest', players: [], emptyAt: undefined }
      if (!row.wanted && row.state === 'OFFLINE') return row
    }
  }
  const want = (row: Row) => Object.assign(row, { wanted: true, left: row.state === 'OFFLINE' ? 0 : row.left })
  const halt = (row: Row) => {
    row.restart = false
    if (row.state === 'OFFLINE') row.left = 0
    else if (row.state !== 'STOPPING') Object.assign(row, { state: 'STOPPING', left: 500 })
  }
  const end = (row: Row, then: Row['then']) => {
    Object.assign(row, { then, wanted: false, joins: false })
    halt(row)
  }
  const rank = { OFFLINE: 0, STARTING: 1, STOPPING: 1, ONLINE: 2 }
  const tend = (group: typeof groups[0]) => {
    const rows = Object.entries(group.rows).map(([index, row]) => ({ index: Number(index), row }))
    const wanted = rows.filter(({ row }) => row.wanted)
    for (const { row } of rows) row.emptyAt = row.state === 'ONLINE' && row.players.length === 0 ? row.emptyAt ?? time : undefined
    group.aboveAt = wanted.length > group.max ? group.aboveAt ?? time : undefined
    if (wanted.length > group.max) {
      // What is above goes, by number, what is ONLINE last; who has players when they have left, or another that has been empty for a moment.
      const sorted = [...wanted].sort((a, b) => rank[b.row.state] - rank[a.row.state] || a.index - b.index)
      const [stays, goes] = [sorted.slice(0, group.max), sorted.slice(group.max)]
      const gone = goes.filter(({ row }) => row.state !== 'ONLINE' || row.players.length === 0)
      const instead = stays.filter(({ row }) => row.emptyAt !== undefined).reverse().slice(0, goes.length - gone.length)
        .filter(({ row }) => Math.max(row.emptyAt!, group.aboveAt!) + 10_000 <= time)
      for (const { row } of [...gone, ...instead]) end(row, 'remove')
    } else {
      for (const { row } of wanted) if (row.state === 'OFFLINE' && row.left === 0) Object.assign(row, { state: 'STARTING', left: 1_000 })
      const leaving = rows.filter(({ row }) => !row.wanted && row.state !== 'OFFLINE').length
      for (let n = wanted.length; n < Math.min(group.min, group.max - leaving); n++) want(free(group))
    }
    for (const row of Object.values(group.rows)) if (row.restart && row.wanted) halt(row)
  }
  const sweep = () => {
    for (const group of groups) {
      for (const [index, row] of Object.entries(group.rows)) {
        if (row.state === 'OFFLINE' && row.then === 'remove' && !row.wanted) delete group.rows[Number(index)]
      }
    }
    groups = groups.filter(({ deleting, rows }) => !deleting || Object.keys(rows).length > 0)
  }
  const settle = () => {
    // What is done to a group may ask for more.
    for (let round = 0; round < 4; round++) {
      sweep()
      for (const group of groups) if (!group.deleting) tend(group)
    }
    sweep()
  }
  const act = <A extends unknown[], R>(verb: (...args: A) => R) => (...args: A): R => {
    const answer = verb(...args)
    settle()
    return answer
  }

  return {
    create: act((name: string, min: number, max: number, used: string[]) => {
      if (groups.some(group => same(group.name, name))) return false
      groups.push({ name, min, max, templates: used, deleting: false, rows: {}, aboveAt: undefined })
      return true
    }),
    edit: act((name: string, min: number, max: number) => {
      const group = groups.find(group => group.name === name)
      if (group === undefined || group.deleting) return false
      Object.assign(group, { min, max })
      return true
    }),
    delete: act((name: string) => {
      const group = groups.find(group => group.name === name)
      if (group === undefined) return
      group.deleting = true
      for (const row of Object.values(group.rows)) end(row, 'remove')
    }),
    start: act((name: string) => {
      const group = groups.find(group => group.name === name)
      const found = group === undefined ? find(name) : undefined
      const owner = group ?? found?.group
      if (owner === undefined || owner.deleting) return false
      if (found !== undefined && found.row.state !== 'OFFLINE') return 'running'
      const busy = Object.values(owner.rows).filter(row => row !== found?.row && (row.wanted || row.state !== 'OFFLINE'))
      if (busy.length >= owner.max) return 'limit'
      const row = want(found?.row ?? free(owner))
      return { name: `${owner.name}-${Object.keys(owner.rows).find(index => owner.rows[Number(index)] === row)}` }
    }),
    restart: act((name: string) => {
      const found = find(name)
      if (found === undefined || found.group.deleting) return false
      const { row } = found
      if (row.joins) return true
      want(row)
      Object.assign(row, { joins: true, restart: row.state === 'ONLINE' || row.state === 'STARTING' })
      return true
    }),
    stop: act((name: string) => {
      const found = find(name)
      if (found === undefined) return false
      if (!found.group.deleting) end(found.row, 'rest')
      return true
    }),
    command: (name: string) => {
      const found = find(name)
      return found !== undefined && (['ONLINE', 'STARTING'].includes(found.row.state) || 'not-running')
    },
    crash: act((name: string) => {
      const found = find(name)
      if (found === undefined || found.row.state === 'OFFLINE') return
      const { row } = found
      Object.assign(row, { state: 'OFFLINE', left: row.state === 'STOPPING' ? 0 : 1_000, joins: row.joins && row.state === 'STOPPING', players: [] })
    }),
    addTemplate: (name: string) => !templates.some(one => same(one, name)) && templates.push(name) > 0,
    renameTemplate (name: string, newName: string) {
      if (!templates.includes(name)) return false
      if (templates.some(one => one !== name && same(one, newName))) return 'taken'
      templates = [...templates.filter(one => one !== name), newName]
      for (const group of groups) group.templates = group.templates.map(one => one === name ? newName : one)
      return true
    },
    deleteTemplate (name: string) {
      if (!templates.includes(name)) return false
      if (groups.some(group => group.templates.includes(name))) return 'in-use'
      templates = templates.filter(one => one !== name)
      return true
    },
    join: act((name: string, player: string) => {
      const found = find(name)
      if (found?.row.state !== 'ONLINE') return
      for (const group of groups) for (const row of Object.values(group.rows)) row.players = row.players.filter(one => one !== player)
      found.row.players.push(player)
    }),
    advance (ms: number) {
      for (let passed = 0; passed < ms; passed += 100) {
        time += 100
        for (const row of groups.flatMap(({ rows }) => Object.values(rows))) {
          if (row.left === 0) continue
          row.left -= 100
          if (row.left > 0) continue
          if (row.state === 'STARTING') Object.assign(row, { state: 'ONLINE', joins: false })
          else if (row.state === 'STOPPING') Object.assign(row, { state: 'OFFLINE', players: [] })
        }
        settle()
      }
    },
    picture: () => ({
      groups: groups.map(({ name, min, max, templates }) => ({ name, min, max, templates })),
      services: groups.flatMap(({ name, rows }) => Object.entries(rows).map(([index, { state, players }]) =>
        ({ name: `${name}-${index}`, state, players: [...players].sort() }))).sort(byName),
      templates: [...templates].sort()
    })
  }
}

const byName = (a: { readonly name: string }, b: { readonly name: string }) => a.name < b.name ? -1 : 1

const picture = (cloud: Cloud) => {
  const players = cloud.players.list(options) as ReadonlyArray<{ name: string, currentServiceName: string }>
  return {
    groups: (cloud.groups.list(options) as readonly Group[]).map(({ name, minOnlineService, maxOnlineService, templates }) =>
      ({ name, min: minOnlineService, max: maxOnlineService, templates: [...templates] })),
    services: services(cloud).map(({ name, state }) => ({
      name, state, players: players.filter(({ currentServiceName }) => currentServiceName === name).map(player => player.name).sort()
    })).sort(byName),
    templates: (cloud.templates.list(options) as ReadonlyArray<{ name: string }>).map(({ name }) => name).sort()
  }
}

t.test('1,000 random sequences of operations agree with the plainest cloud', async t => {
  const groupName = fc.constantFrom('lobby', 'LOBBY', 'arena')
  const service = fc.constantFrom('lobby-1', 'lobby-2', 'arena-1', 'LOBBY-1', 'none-1')
  const template = fc.constantFrom('base', 'BASE', 'extra')
  const bounds = fc.constantFrom([0, 0], [0, 1], [1, 1], [0, 3], [1, 2], [2, 2], [3, 3]) as fc.Arbitrary<[number, number]>
  const operation = fc.oneof(
    fc.tuple(fc.constant('create' as const), groupName, bounds, fc.subarray(['base', 'extra'])),
    fc.tuple(fc.constant('edit' as const), groupName, bounds),
    fc.tuple(fc.constant('delete' as const), groupName),
    fc.tuple(fc.constant('start' as const), fc.oneof(groupName, service)),
    fc.tuple(fc.constantFrom('restart' as const, 'stop' as const, 'command' as const, 'crash' as const), service),
    fc.tuple(fc.constant('join' as const), service, fc.constantFrom('Jane', 'John')),
    fc.tuple(fc.constant('addTemplate' as const), template),
    fc.tuple(fc.constant('renameTemplate' as const), template, template),
    fc.tuple(fc.constant('deleteTemplate' as const), template),
    fc.tuple(fc.constant('advance' as const), fc.constantFrom(100, 400, 500, 1_000, 2_500))
  )
  let operations = 0
  await fc.assert(fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 40, size: 'max' }), async sequence => {
    const [cloud, plain] = [simulatedRuntime(), plainCloud()]
    const { control } = cloud.services
    let before = cloud.services.revision
    let pictured = JSON.stringify(services(cloud))
    for (const step of sequence) {
      operations++
      const there = (name: string) => services(cloud).find(one => one.name === name)
      const answers = await (async () => {
        switch (step[0]) {
          case 'create': {
            const [, name, [min, max], templates] = step
            const made = group({ name, minOnlineService: min, maxOnlineService: max, templates })
            return [cloud.groups.control.create(made, options), plain.create(name, min, max, templates)]
          }
          case 'edit': {
            const [, name, [min, max]] = step
            const edited = await cloud.groups.control.edit(name, { minOnlineService: min, maxOnlineService: max }, options)
            return [edited !== false, plain.edit(name, min, max)]
          }
          case 'delete':
            cloud.groups.control.delete(step[1], options)
            return [undefined, plain.delete(step[1])]
          case 'start': return [control.start(step[1], options), plain.start(step[1])]
          case 'restart': return [control.restart(step[1], options), plain.restart(step[1])]
          case 'stop': return [control.stop(step[1], options), plain.stop(step[1])]
          case 'command': return [control.command(step[1], 'list', options), plain.command(step[1])]
          case 'crash': return [there(step[1]) && cloud.crash(step[1]), plain.crash(step[1])]
          case 'join': {
            if (there(step[1])?.state === 'ONLINE') cloud.join(step[1], step[2])
            return [undefined, plain.join(step[1], step[2])]
          }
          case 'addTemplate': return [cloud.templates.create(step[1], options), plain.addTemplate(step[1])]
          case 'renameTemplate': return [cloud.templates.rename(step[1], step[2], options), plain.renameTemplate(step[1], step[2])]
          case 'deleteTemplate': return [cloud.templates.delete(step[1], options), plain.deleteTemplate(step[1])]
          case 'advance': return [cloud.advance(step[1]), plain.advance(step[1])]
        }
      })()
      if (JSON.stringify(answers[0]) !== JSON.stringify(answers[1])) throw new Error(`${step.join(' ')}: ${JSON.stringify(answers)}`)
      const [is, should] = [JSON.stringify(picture(cloud)), JSON.stringify(plain.picture())]
      if (is !== should) throw new Error(`after ${step.join(' ')}\n${is}\n${should}`)
      const now = JSON.stringify(services(cloud))
      if (now !== pictured && cloud.services.revision === before) throw new Error(`the revision stood still at ${step.join(' ')}`)
      ;[before, pictured] = [cloud.services.revision, now]
    }
  }), { numRuns: 1_000 })
  t.ok(operations > 5_000, `${operations} operations`)
})
