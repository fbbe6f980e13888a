/** What one answer of a runtime may hold in all: what the runtime holds itself may be small, and the same thing a thousand times. */
import { isDeepStrictEqual } from 'node:util'
import t from 'tap'
import type { CloudRuntime } from '../../lib/index.js'
import { build, testLog } from '../fixtures/cloud.js'
import { aGroup, aService, listRuntime } from '../fixtures/runtime.js'
import { onlyFull } from '../fixtures/rounds.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const many = <T>(count: number, item: T): T[] => new Array<T>(count).fill(item)
const properties = Object.fromEntries(many(100_000, 0).map((_, index) => [`k${index}`, 'v']))
const megabyte = 2 ** 20

const invalid = { status: 502, body: refusal(502, 'Runtime gave an invalid answer') }

/** Services that share what they hold. */
const shared: Record<string, () => unknown[]> = {
  templates: () => many(1_000, { ...aService, templates: many(100_000, { name: 't', size: '1' }) }),
  properties: () => many(1_000, { ...aService, properties }),
  motd: () => many(5_000, { ...aService, motd: 'm'.repeat(1_000_000) }),
  'names of control characters': () => many(1_000, { ...aService, motd: '\u0001'.repeat(1_000_000) })
}

for (const [what, make] of Object.entries(shared)) {
  t.test(`services that share their ${what} take memory for one answer, and those beyond it are left out and told`, { skip: what !== 'templates' && onlyFull('so it is with their templates') }, async t => {
    const log = testLog()
    const runtime = listRuntime()
    runtime.given.services = make() as never
    const { setUp } = await build(t, { runtime, host: log.host, runtimeTimeout: 90_000 })
    const admin = await setUp()
    for (const revision of [undefined, 1]) {
      if (revision !== undefined) Object.assign(runtime.services, { revision })
      global.gc?.()
      const before = process.memoryUsage().heapUsed
      const { body } = await admin('GET', '/services/count')
      const shown = body.data.serviceCount as number
      t.ok(shown > 0 && shown < 100, `${shown} of them are shown`)
      t.ok(process.memoryUsage().heapUsed - before < 300 * megabyte)
    }
    t.match(log.lines.filter(({ source }) => source === 'services.list')[0], {
      field: '(all of it)', reason: 'more than one answer may hold, from here on'
    })
  })
}

t.test('what is within the budget is whole, though it is heavy: the list is then checked in several turns', async t => {
  const runtime = listRuntime()
  const heavy = { ...aService, templates: many(1_000, { name: 't', size: '1' }) }
  runtime.given.services = many(100, heavy)
  const { setUp } = await build(t, { runtime })
  const admin = await setUp()
  for (const revision of [undefined, 1]) {
    if (revision !== undefined) Object.assign(runtime.services, { revision })
    const { createdAt: _, ...shown } = heavy
    const { body } = await admin('GET', '/services/list')
    t.ok(isDeepStrictEqual(body.data, many(100, shown)))
    t.equal((await admin('GET', '/services/count')).body.data.serviceCount, 100)
  }
})

t.test('a terminal answers 16,777,216 characters at most; more is 502', async t => {
  let output: string[] = []
  const runtime = { ...listRuntime(), terminal: { execute: () => ({ accepted: true, output }) } } as CloudRuntime
  const { setUp } = await build(t, { runtime })
  const admin = await setUp()
  const send = async () => await admin('POST', '/terminal/command', { command: 'x' })
  output = many(64, 'x'.repeat(262_144))
  const right = await send()
  t.strictSame([right.status, right.body.data.output.length], [201, 64])
  output = many(65, 'x'.repeat(262_144))
  const { status, body } = await send()
  t.strictSame({ status, body }, invalid)
  output = many(100_000, 'x'.repeat(262_144))
  const worst = await send()
  t.strictSame({ status: worst.status, body: worst.body }, invalid)
})

const proxy = (length: number): unknown[] => new Proxy(new Array(length), {})

for (const [what, make] of Object.entries({ holes: () => new Array(1_000_000), 'a proxy of holes': () => proxy(1_000_000) })) {
  t.test(`a list of a million holes holds up no edit behind it: ${what}`, async t => {
    let wrong = 0
    const runtime = listRuntime()
    Object.assign(runtime.groups, { list: () => wrong-- > 0 ? make() : [aGroup] })
    const { setUp } = await build(t, { runtime, runtimeTimeout: 8_000 })
    const admin = await setUp()
    wrong = 4
    const before = performance.now()
    const edits = await Promise.all(many(5, 0).map(async () => (await admin('PATCH', '/group/lobby', { maxMemory: 2048 })).status))
    const took = performance.now() - before
    t.equal(edits.at(-1), 200)
    t.ok(edits.slice(0, 4).every(status => status === 404 || status === 504), edits.join())
    t.ok(took < 10_000, `${Math.round(took)} ms`)
  })
}

t.test('the check of a list is within the deadline of its call', async t => {
  let reads = 0
  const slow = { get name () { reads++; const until = performance.now() + 1; while (performance.now() < until); return 'x' }, size: '1' }
  const runtime = listRuntime()
  runtime.given.services = []
  Object.assign(runtime.players, { list: () => many(100_000, slow) })
  const { setUp } = await build(t, { runtime, runtimeTimeout: 200 })
  const admin = await setUp()
  const { status, body } = await admin('GET', '/players/list')
  t.strictSame({ status, body }, { status: 504, body: refusal(504, 'Runtime did not answer in time') })
  t.ok(reads < 5_000, `${reads} of 100,000 were read`)
})

t.test('a proxy of a long list is read a piece in each turn, and is whole', async t => {
  let reads = 0
  const items = many(20_000, { name: 'x', size: '1' })
  const runtime = listRuntime()
  runtime.given.templates = new Proxy(items, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) reads++
      return Reflect.get(target, key)
    }
  })
  const { setUp } = await build(t, { runtime })
  const admin = await setUp()
  let most = 0
  let before = 0
  let isOver = false
  const look = (): void => {
    most = Math.max(most, reads - before)
    before = reads
    if (!isOver) setImmediate(look)
  }
  look()
  t.equal((await admin('GET', '/templates/list')).body.data.length, 20_000)
  isOver = true
  t.ok(most <= 2_000, `${most} of 20,000 were read in one turn`)
})
