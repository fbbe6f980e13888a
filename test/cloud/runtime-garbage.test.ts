/** Whatever a runtime tells: it is logged by field, left out, never stored, and throws nowhere. GARBAGE_SEED has a run again. */
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { CloudRuntime } from '../../lib/index.js'
import { type BuildOptions, type Client, type TestCloud, build, testLog } from '../fixtures/cloud.js'
import { garbage, garbageLists, hostile } from '../fixtures/garbage.js'
import { type Watcher, listen, watch } from '../fixtures/live.js'
import { newSeed, rounds } from '../fixtures/rounds.js'
import { aGroup, aService, listRuntime } from '../fixtures/runtime.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

const seed = Number(process.env['GARBAGE_SEED'] ?? newSeed())
const runs = Number(process.env['GARBAGE_RUNS'] ?? rounds(4, 100))

const thrown: unknown[] = []
process.on('uncaughtException', error => { thrown.push(error) })
process.on('unhandledRejection', error => { thrown.push(error) })

t.setTimeout(600_000)

/** A test that fails as well when anything was thrown outside of a call. */
function test (name: string, body: (t: Test) => Promise<void>): void {
  t.test(name, async t => {
    await body(t)
    await pause(5)
    t.strictSame(thrown.splice(0), [], 'nothing was thrown outside of a call')
  })
}

type Emit = (event: unknown) => void

/** How a runtime is watched, where its events come out, what is right, and as what it comes out. */
interface Source {
  readonly path: string
  /** Puts `watch` in the place of the runtime's own. */
  replace (runtime: object, watch: (emit: Emit, signal: AbortSignal) => unknown): CloudRuntime
  right (n: number): unknown
  shown (n: number): string
  /** Whether an item of garbage is right after all, and what of it is shown. */
  rest (given: unknown): readonly string[]
}

const short = (line: string): string => line.slice(0, 262_144).toWellFormed()

const sources: Readonly<Record<string, Source>> = {
  'log.watch': {
    path: '/logs',
    replace: (runtime, watch) => ({ ...runtime, log: { watch: (emit: Emit, { signal }: { signal: AbortSignal }) => watch(emit, signal) } }) as never,
    right: n => `line ${n}`,
    shown: n => `line ${n}`,
    rest: given => typeof given === 'string' ? [short(given)] : []
  },
  'states.watch': {
    path: '/services/update',
    replace: (runtime, watch) => ({ ...runtime, states: { watch: (emit: Emit, { signal }: { signal: AbortSignal }) => watch(emit, signal) } }) as never,
    right: n => ({ serviceName: `lobby-${n}`, state: 'ONLINE', at: 1_700_000_000_000 + n }),
    shown: n => `{"serviceName":"lobby-${n}","state":"ONLINE","timestamp":"${1_700_000_000_000 + n}"}`,
    rest: () => []
  },
  'consoles.follow': {
    path: '/service/lobby-1/screen',
    replace: (runtime, watch) => ({
      ...runtime,
      consoles: { follow: (_name: string, emit: Emit, { signal }: { signal: AbortSignal }) => watch(emit, signal) ?? true }
    }) as never,
    right: n => [`line ${n}`],
    shown: n => `line ${n}`,
    rest: () => []
  }
}

interface Live extends TestCloud {
  readonly url: string
  readonly token: string
  readonly log: ReturnType<typeof testLog>
  /** The lines that say what was wrong. */
  faults (): any[]
}

async function open (t: Test, runtime: CloudRuntime, options: BuildOptions = {}): Promise<Live> {
  const log = testLog()
  const cloud = await build(t, { runtime, host: log.host, runtimeTimeout: 200, ...options })
  const { token } = await cloud.setUp()
  const url = await listen(cloud.app)
  return { ...cloud, url, token: token as string, log, faults: () => log.lines.filter(({ source }) => source !== undefined) }
}

async function untilLine (watcher: Watcher, line: string): Promise<void> {
  await until(() => watcher.lines.at(-1) === line, () => `the line ${line}, after ${JSON.stringify(watcher.lines.at(-1))?.slice(0, 80)}`)
}

for (const [name, source] of Object.entries(sources)) {
  test(`${name}: every kind of garbage is left out and what is right goes on (K)`, async t => {
    let emit: Emit = () => {}
    let atOnce: unknown[] = []
    const cloud = await open(t, source.replace(listRuntime(), given => {
      emit = given
      for (const event of atOnce) emit(event)
    }))
    const watcher = await watch(`${cloud.url}${source.path}`, cloud.token)
    const expected: string[] = []
    let n = 0
    for (const make of Object.values({ ...garbage, ...(name === 'consoles.follow' ? {} : garbageLists) })) {
      emit(make())
      for (let time = 0; time < 1_000; time++) emit(make())
      emit(source.right(++n))
      expected.push(source.shown(n))
    }
    await untilLine(watcher, source.shown(n))
    t.strictSame(watcher.lines, expected)

    atOnce = Object.values(garbage).map(make => make())
    watcher.socket.terminate()
    const before = emit
    await watcher.closed
    await pause(50)
    for (const make of Object.values(garbage)) before(make())
    before(source.right(1))
    const next = await watch(`${cloud.url}${source.path}`, cloud.token)
    before(source.right(1))
    emit(source.right(0))
    await untilLine(next, source.shown(0))
    t.strictSame(next.lines, [source.shown(0)], 'garbage while it is opened is left out, and so is what the last one says, who was told to stop')

    const faults = cloud.faults()
    t.ok(faults.length >= 1 && faults.length < 20, `${faults.length} lines in the log for ${Object.keys(garbage).length * 1_001} wrong events`)
    for (const fault of faults) t.match(fault, { level: 40, source: name })
    await until(() => cloud.faults().some(({ count }) => count > 1_000), 'the rest is counted', 3_000)
  })

  test(`${name}: a watch that throws or rejects, at once or later, is told, and tried again for the next who watches (K)`, async t => {
    let behave: (emit: Emit) => unknown = () => {}
    const cloud = await open(t, source.replace(listRuntime(), emit => behave(emit)))
    const isConsole = name === 'consoles.follow'
    const answer = async (): Promise<string> => await watch(`${cloud.url}${source.path}`, cloud.token).then(({ closed }) => closed, (error: Error) => error.message).then(String)

    behave = () => { throw Object.assign(new Error('mine'), { statusCode: 403 }) }
    t.equal(await answer(), '500 {"status":500,"message":"Internal Server Error","code":"internal_server_error"}')
    behave = async () => { throw new Error('at once') }
    t.match(await answer(), isConsole ? /^500 / : /^(500 |1011,Runtime failed)/)
    behave = async () => {
      await pause(30)
      // eslint-disable-next-line prefer-promise-reject-errors -- a runtime may reject with anything
      return await Promise.reject(undefined)
    }
    t.match(await answer(), isConsole ? /^500 / : /^1011,Runtime failed/)
    behave = () => hostile()
    t.match(await answer().then(text => text, String), isConsole ? /^500 / : /^(500 |1011)/)
    let emit: Emit = () => {}
    behave = given => { emit = given }
    const watcher = await watch(`${cloud.url}${source.path}`, cloud.token)
    emit(source.right(1))
    await untilLine(watcher, source.shown(1))
  })

  test(`${name}: anything at all, from fast-check (K)`, async t => {
    t.comment(`GARBAGE_SEED=${seed}`)
    let emit: Emit = () => {}
    const cloud = await open(t, source.replace(listRuntime(), given => { emit = given }))
    const watcher = await watch(`${cloud.url}${source.path}`, cloud.token)
    let n = 0
    await fc.assert(fc.asyncProperty(fc.array(anything, { minLength: 1, maxLength: 20 }), async events => {
      watcher.lines.length = 0
      const expected: string[] = []
      for (const event of events) {
        emit(event)
        if (name !== 'consoles.follow') expected.push(...source.rest(event))
        else if (isList(event)) expected.push(...readable(event).flatMap(one => typeof one === 'string' ? [short(one)] : []))
      }
      emit(source.right(++n))
      await untilLine(watcher, source.shown(n))
      if (JSON.stringify(watcher.lines) !== JSON.stringify([...expected, source.shown(n)])) throw new Error(JSON.stringify(watcher.lines))
      if (thrown.length > 0) throw thrown.splice(0)[0]
    }), { seed, numRuns: runs })
    t.ok(cloud.faults().length < 60, `${cloud.faults().length} lines in the log`)
  })
}

/** Anything, some of it with getters that throw, in proxies, with symbols, frozen. */
const anything: fc.Arbitrary<unknown> = fc.tuple(
  fc.anything({
    withBigInt: true, withDate: true, withMap: true, withSet: true, withNullPrototype: true, withSparseArray: true, withTypedArray: true, withObjectString: true, withBoxedValues: true, maxDepth: 3
  }),
  fc.constantFrom('as it is', 'frozen', 'a getter', 'a proxy', 'a symbol', 'in a list', 'text'),
  fc.constantFrom('name', 'serviceName', 'state', 'at', 'length', 'then', '0', 'cpu', 'toString')
).map(([value, how, key]) => {
  const target: any = typeof value === 'object' && value !== null ? value : { value }
  switch (how) {
    case 'frozen': return ArrayBuffer.isView(target) ? target : Object.freeze(target)
    case 'a getter':
      try {
        return Object.defineProperty(target, key, { get: () => { throw new Error('a getter that throws') } })
      } catch {
        return target
      }
    case 'a proxy': return new Proxy(target, { get: (object, name) => { if (name === key) throw new Error('a proxy that throws'); return Reflect.get(object, name) } })
    case 'a symbol': return Symbol(key)
    case 'in a list': return [value, key, value]
    case 'text': return `${key} \ud800 \u2028 ${key}`
    default: return value
  }
})

const isList = (given: unknown): given is unknown[] => Array.isArray(given) && (() => {
  try {
    return Number.isSafeInteger(given.length)
  } catch {
    return false
  }
})()

function readable (list: unknown[]): unknown[] {
  return Array.from({ length: list.length }, (_, index) => {
    try {
      return list[index]
    } catch {
      return undefined
    }
  })
}

test('lines: lone surrogates, line ends, NUL and 5 MB arrive as text, the longest cut (K)', async t => {
  let emit: Emit = () => {}
  const source = sources['log.watch'] as Source
  const cloud = await open(t, source.replace(listRuntime(), given => { emit = given }))
  const watcher = await watch(`${cloud.url}/logs`, cloud.token)
  const lines = ['', '\ud800', 'a\udc00b', '\0', '\u2028', 'x'.repeat(300_000), 'y'.repeat(5_000_000), '😀'.repeat(131_073), 'end']
  for (const line of lines) emit(line)
  await untilLine(watcher, 'end')
  t.strictSame(watcher.lines, lines.map(short))
  t.match(cloud.faults()[0], { source: 'log.watch', field: '(line)' })
})

test('a console that claims a million lines or more at once is left out, and so are the lines of it that are none (K)', async t => {
  let emit: Emit = () => {}
  const source = sources['consoles.follow'] as Source
  const cloud = await open(t, source.replace(listRuntime(), given => { emit = given }))
  const watcher = await watch(`${cloud.url}${source.path}`, cloud.token)
  for (const make of Object.values(garbageLists)) emit(make())
  emit(new Array(1_000_001).fill('x'))
  emit(['a', 5, 'b', undefined, 'c'])
  // eslint-disable-next-line no-sparse-arrays -- a list with a hole
  emit(['d', , 'e'])
  emit(['end'])
  await untilLine(watcher, 'end')
  t.strictSame(watcher.lines, ['a', 'b', 'c', 'd', 'e', 'end'])
  t.match(cloud.faults()[0], { source: 'consoles.follow' })
})

test('of one event of a console 16,777,216 characters are taken, and the lines beyond are left out and told (K)', async t => {
  let emit: Emit = () => {}
  const source = sources['consoles.follow'] as Source
  const cloud = await open(t, source.replace(listRuntime(), given => { emit = given }), { live: { backlog: 2 ** 26 } })
  const watcher = await watch(`${cloud.url}${source.path}`, cloud.token)
  const long = Array.from({ length: 64 }, (_, n) => String(n).padEnd(262_144, 'x'))
  emit([...long, '', 'beyond', 'and this'])
  emit(['end'])
  await untilLine(watcher, 'end')
  t.strictSame(watcher.lines.map(line => line.slice(0, 6)), [...long, '', 'end'].map(line => line.slice(0, 6)))
  t.equal(watcher.lines.reduce((sum, { length }) => sum + length, 0), 16_777_216 + 'end'.length)
  t.match(cloud.faults(), [{ source: 'consoles.follow', service: 'lobby-1', index: 65, field: '(lines)', count: 2 }])
})

test('lines without end in one turn: those who are too slow are closed, and memory is bounded (K)', async t => {
  let emit: Emit = () => {}
  const source = sources['log.watch'] as Source
  const cloud = await open(t, source.replace(listRuntime(), given => { emit = given }))
  const watcher = await watch(`${cloud.url}/logs`, cloud.token)
  global.gc?.()
  const before = process.memoryUsage().rss
  const line = 'x'.repeat(200_000)
  for (let n = 0; n < 3_000; n++) emit(line)
  const grown = (process.memoryUsage().rss - before) / 2 ** 20
  t.ok(grown < 250, `${Math.round(grown)} MB more, for 600 MB of lines`)
  // Cut off, where it does not take so much as the close in time.
  t.ok([1006, 1013].includes((await watcher.closed)[0]))
})

/** Every call that answers, and how a client causes it. */
const calls: Readonly<Record<string, readonly [path: readonly string[], send: (client: Client) => ReturnType<Client>]>> = {
  'services.list': [['services', 'list'], client => client('GET', '/services/list')],
  'groups.list': [['groups', 'list'], client => client('GET', '/groups/list')],
  'platforms.list': [['platforms', 'list'], client => client('GET', '/platforms/list')],
  'players.list': [['players', 'list'], client => client('GET', '/players/list')],
  'templates.list': [['templates', 'list'], client => client('GET', '/templates/list')],
  'metrics.sample': [['metrics', 'sample'], client => client('GET', '/system/information')],
  'services.control.command': [['services', 'control', 'command'], client => client('POST', '/service/lobby-1/command', { command: 'say hi' })],
  'services.control.restart': [['services', 'control', 'restart'], client => client('PATCH', '/service/lobby-1/restart')],
  'services.control.start': [['services', 'control', 'start'], client => client('POST', '/terminal/command', { command: 'service start lobby' })],
  'services.control.stop': [['services', 'control', 'stop'], client => client('POST', '/terminal/command', { command: 'service stop lobby-1' })],
  'groups.control.create': [['groups', 'control', 'create'], client => client('POST', '/group/create', { ...aGroup, name: 'other' })],
  'groups.control.edit': [['groups', 'control', 'edit'], client => client('PATCH', '/group/lobby', { maxMemory: 2048 })],
  'groups.control.delete': [['groups', 'control', 'delete'], client => client('DELETE', '/group/lobby')],
  'groups.reasons.of': [['groups', 'reasons', 'of'], client => client('POST', '/terminal/command', { command: 'group list' })],
  'templates.create': [['templates', 'create'], client => client('POST', '/template/', { name: 'new' })],
  'templates.rename': [['templates', 'rename'], client => client('PATCH', '/template/lobby', { name: 'new' })],
  'templates.delete': [['templates', 'delete'], client => client('DELETE', '/template/lobby')],
  'terminal.execute': [['terminal', 'execute'], client => client('POST', '/terminal/command', { command: 'anything' })]
}

/** The same runtime with one of its parts replaced. */
function withPart (target: any, [name, ...inner]: readonly string[], part: unknown): any {
  return { ...target, [name as string]: inner.length === 0 ? part : withPart(target[name as string], inner, part) }
}

const isAnswer = (status: number): boolean => [200, 201, 202, 204, 500, 502, 504].includes(status)

for (const [name, [path, send]] of Object.entries(calls)) {
  test(`${name}: every kind of garbage is answered with an envelope (K)`, async t => {
    let answer: () => unknown = () => undefined
    const log = testLog()
    const runtime = withPart(listRuntime(), path, () => answer())
    const { setUp } = await build(t, { runtime, host: log.host, runtimeTimeout: 40, deleteTimeout: 40 })
    const admin = await setUp()
    const rss = process.memoryUsage().rss
    for (const [what, make] of Object.entries({ ...garbage, ...garbageLists })) {
      for (const how of [make, async () => make(), () => { throw make() }, async () => { throw make() }]) {
        answer = how
        const { status, body } = await send(admin)
        if (!isAnswer(status)) t.fail(`${what}: ${status} ${JSON.stringify(body)}`)
        if (thrown.length > 0) t.fail(`${what}: thrown`)
      }
    }
    t.ok(process.memoryUsage().rss - rss < 300 * 2 ** 20, 'no list of 2e8 takes memory')
    t.comment(`GARBAGE_SEED=${seed}`)
    await fc.assert(fc.asyncProperty(anything, fc.boolean(), async (given, isLate) => {
      answer = () => isLate ? Promise.resolve().then(() => given) : given
      const { status, body } = await send(admin)
      if (!isAnswer(status)) throw new Error(`${status} ${JSON.stringify(body)}`)
      if (thrown.length > 0) throw thrown.splice(0)[0]
    }), { seed, numRuns: runs })
    t.equal((await admin('GET', '/health')).status, 200)
  })
}

/** The same with some of its fields, here and there and at any depth, being anything. */
function almost (right: unknown): fc.Arbitrary<unknown> {
  const isInner = typeof right === 'object' && right !== null
  const whole = !isInner
    ? fc.constant(right)
    : Array.isArray(right)
      ? fc.array(fc.oneof(...right.map(almost)), { maxLength: 3 })
      : fc.record(Object.fromEntries(Object.entries(right).map(([name, value]) => [name, almost(value)])))
  return fc.oneof({ weight: 40, arbitrary: whole }, { weight: 1, arbitrary: anything }, { weight: 1, arbitrary: fc.double() })
}

test('things that are almost right: what is shown is right, and the rest left out, from fast-check (K)', async t => {
  t.comment(`GARBAGE_SEED=${seed}`)
  const runtime = listRuntime()
  const { setUp } = await build(t, { runtime })
  const admin = await setUp()
  const { given } = runtime
  const rights = { services: aService, groups: aGroup, platforms: given.platforms[1], players: given.players[0], templates: given.templates[0] }
  let [all, shown] = [0, 0]
  for (const [name, right] of Object.entries(rights)) {
    await fc.assert(fc.asyncProperty(fc.array(almost(right), { minLength: 1, maxLength: 30 }), async items => {
      given[name as keyof typeof rights] = items as never
      // The client checks each answer against what the route declares.
      const { status, body } = await admin('GET', `/${name}/list`)
      if (status !== 200 || body.data.length > items.length) throw new Error(`${status} ${JSON.stringify(body)}`)
      all += items.length
      shown += body.data.length
    }), { seed, numRuns: runs })
  }
  t.ok(shown > all / 10 && shown < all, `${shown} of ${all} were right`)
  const { sample } = given
  const statuses = new Set<number>()
  await fc.assert(fc.asyncProperty(almost(sample), async one => {
    given.sample = one as never
    statuses.add((await admin('GET', '/system/information')).status)
  }), { seed, numRuns: runs * 3 })
  // 500 for one that throws when it is asked whether it is a promise.
  t.strictSame([...statuses].filter(status => status !== 500).sort(), [200, 502])
})

test('a list that claims 2e8 items, or more than 1,000,000, is 502 without taking memory; holes are left out (K)', async t => {
  const runtime = listRuntime()
  const cloud = await open(t, runtime)
  const admin = await cloud.setUp()
  const before = process.memoryUsage().rss
  for (const list of [new Array(2e8), new Array(1_000_001), garbage['a list of 2e8 by its own account']?.()]) {
    runtime.given.templates = list as never
    const { status, body } = await admin('GET', '/templates/list')
    t.strictSame({ status, body }, { status: 502, body: refusal(502, 'Runtime gave an invalid answer') })
  }
  t.ok(process.memoryUsage().rss - before < 100 * 2 ** 20)
  t.match(JSON.stringify(cloud.log.lines), 'more than 1,000,000 items')
  runtime.given.templates = [{ name: 'one', size: '1' }, ...new Array(3_000)] as never
  t.strictSame((await admin('GET', '/templates/list')).body.data, [{ name: 'one', size: '1' }])
  runtime.given.services = [{ ...aService, templates: new Array(2e8) }, aService] as never
  t.equal((await admin('GET', '/services/list')).body.data.length, 1)
})

const wrongFigures: ReadonlyArray<readonly [list: 'services' | 'groups', field: string, values: readonly unknown[]]> = [
  ['services', 'cpuUsage', [1e9, 110.5, -1, NaN, Infinity, '5', 5n]],
  ['services', 'memoryUsage', [1e300, 1e10, -1, NaN, Infinity]],
  ['services', 'minMemory', [1e300, -1, NaN]],
  ['services', 'maxMemory', [1e300, -1, NaN]],
  ['services', 'port', [-1, 65_536, 1.5, NaN, '25565']],
  ['services', 'playerCount', [-2, 1.5, 1e300, NaN]],
  ['services', 'maxPlayerCount', [-2, 1.5, 1e300, NaN]],
  ['services', 'createdAt', [-1, NaN, 1e300, new Date(NaN), new Date()]],
  ['groups', 'minMemory', [1e300, -1, NaN]],
  ['groups', 'minOnlineService', [1e300, -1, 0.5]],
  ['groups', 'percentageToStartNewService', [100.5, -1, NaN]],
  ['groups', 'createdAt', [-1, NaN, 1e300, 0.5]]
]

test('figures out of range: the item is left out and told by its field (K)', async t => {
  const runtime = listRuntime()
  const cloud = await open(t, runtime)
  const admin = await cloud.setUp()
  for (const [list, field, values] of wrongFigures) {
    const right = (list === 'services' ? aService : aGroup) as object
    for (const value of values) {
      runtime.given[list] = [right, { ...right, [field]: value }] as never
      const { body } = await admin('GET', `/${list}/list`)
      t.equal(body.data.length, 1, `${field} ${String(value)}`)
    }
  }
  const fields = (): readonly string[] => cloud.faults().flatMap(({ source, field, fields }) => (fields ?? [field]).map((one: string) => `${source} ${one}`))
  const wanted = wrongFigures.map(([list, field]) => `${list}.list /${field}`)
  await until(() => wanted.every(one => fields().includes(one)), 'all are told', 3_000)
})

test('an item that is left out is told by its name, where that is one (K)', async t => {
  const runtime = listRuntime()
  const cloud = await open(t, runtime)
  const admin = await cloud.setUp()
  runtime.given.groups = [aGroup, { ...aGroup, name: 'lobby', createdAt: 0.5 }]
  t.equal((await admin('GET', '/groups/list')).body.data.length, 1)
  runtime.given.services = [{ ...aService, name: 'two\nlines', port: -1 }]
  t.equal((await admin('GET', '/services/list')).body.data.length, 0)
  t.match(cloud.faults(), [{ source: 'groups.list', index: 1, item: 'lobby', field: '/createdAt' }, { source: 'services.list', index: 0, field: '/port' }])
  t.notOk('item' in (cloud.faults()[1] ?? {}))
})

test('CPU is percent of the whole machine: a little more than 100 is measured as 100, in services and samples (K)', async t => {
  const runtime = listRuntime()
  const { setUp } = await build(t, { runtime })
  const admin = await setUp()
  runtime.given.services = [100.3, 110, 100, 0].map((cpuUsage, n) => ({ ...aService, name: `lobby-${n}`, cpuUsage }))
  t.strictSame((await admin('GET', '/services/list')).body.data.map(({ cpuUsage }: { cpuUsage: number }) => cpuUsage), [100, 100, 100, 0])
  runtime.given.sample = { ...runtime.given.sample, cpu: { core: 0, services: 100.3 } }
  t.strictSame((await admin('GET', '/system/information')).body.data.cpuUsage, { polocloud: 0, services: 100, total: 100 })
})

test('a sample out of range is 502, told by its field, and not stored (K)', async t => {
  const runtime = listRuntime()
  const { sample } = runtime.given
  const log = testLog()
  const { setUp } = await build(t, { runtime, host: log.host, metrics: { interval: 20 } })
  const admin = await setUp()
  const wrong: ReadonlyArray<readonly [field: string, sample: unknown]> = [
    ...[1e9, 110.5, -1, NaN, Infinity, '5'].flatMap(value => [
      ['/cpu/core', { ...sample, cpu: { ...sample.cpu, core: value } }] as const, ['/cpu/services', { ...sample, cpu: { ...sample.cpu, services: value } }] as const
    ]),
    ...[1e300, 1e10, -1, NaN].map(value => ['/memory/services', { ...sample, memory: { ...sample.memory, services: value } }] as const),
    ['/uptime', { ...sample, uptime: -1 }],
    ['/runtime', { ...sample, runtime: 'x'.repeat(100_000) }],
    ['/cpu', { ...sample, cpu: null }]
  ]
  // Nothing right was taken before the first wrong one.
  runtime.given.sample = wrong[0]?.[1] as never
  const points = async (): Promise<unknown> => (await admin('GET', '/system/information/minutes')).body.data
  const stored = JSON.stringify(await points())
  for (const [field, value] of wrong) {
    runtime.given.sample = value as never
    log.lines.length = 0
    const { status, body } = await admin('GET', '/system/information')
    t.strictSame({ status, body }, { status: 502, body: refusal(502, 'Runtime gave an invalid answer') }, field)
    t.match(JSON.stringify(log.lines), `sample has a wrong ${field}`)
    await until(() => log.lines.some(({ msg }) => msg === 'A sample of the metrics is missing'), 'it is sampled')
  }
  t.equal(JSON.stringify(await points()), stored, 'and none is stored')
})

test('a revision that is no number is none; one that throws is the runtime\'s fault (K)', async t => {
  const runtime = listRuntime()
  let revision: () => unknown = () => 1
  Object.defineProperty(runtime.services, 'revision', { get: () => revision() })
  const cloud = await open(t, runtime)
  const admin = await cloud.setUp()
  for (const value of [NaN, Infinity, -Infinity, '1', 1n, {}, Symbol('x'), hostile(), null]) {
    revision = () => value
    const { status, headers } = await admin('GET', '/services/list')
    t.strictSame([status, headers['etag']], [200, undefined])
    runtime.given.services = [...runtime.given.services]
  }
  t.match(cloud.faults()[0], { source: 'services.revision', field: '/revision', given: 'number' })
  revision = () => { throw Object.assign(new Error('mine'), { statusCode: 403 }) }
  t.equal((await admin('GET', '/services/list')).status, 500)
})

test('a flood of wrong items is one line a second, with their number and fields (K)', async t => {
  const runtime = listRuntime()
  const cloud = await open(t, runtime)
  const admin = await cloud.setUp()
  runtime.given.templates = Array.from({ length: 100_000 }, (_, n) => ({ name: n % 2 === 0 ? '' : 'x', size: n % 2 === 0 ? 'x' : n })) as never
  t.strictSame((await admin('GET', '/templates/list')).body.data, [])
  t.match(cloud.faults()[0], { source: 'templates.list', index: 0, field: '/name', msg: 'The runtime gave something wrong; it is left out' })
  await until(() => cloud.faults().reduce((sum, { count = 1 }) => sum + count, 0) === 100_000 || undefined, 'all are counted', 3_000)
  t.match(cloud.faults()[1], { source: 'templates.list', fields: ['/size', '/name'] })
  t.ok(cloud.faults().length < 6)
})
