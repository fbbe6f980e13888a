/** The rules for the fields of groups. */
import fc from 'fast-check'
import t from 'tap'
import { Failure } from '../../lib/errors.js'
import { newGroup } from '../../lib/cloud/group-rules.js'
import { checkNumbers } from '../../lib/schemas/group-form.js'
import { isLine, isName } from '../../lib/schemas/names.js'
import { inOrder, pageOf } from '../../lib/cloud/pages.js'
import { countMade, readRange } from '../../lib/cloud/range.js'
import { build } from '../fixtures/cloud.js'
import { aGroup, aService } from '../fixtures/runtime.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const now = 1_800_000_000_000

t.test('a count without a range is the number of all, and carries no percentage', async t => {
  t.strictSame(countMade([{ createdAt: 1 }, { createdAt: now }], {}, now), { count: 2, percentage: undefined })
})

t.test('a count within a range, and its percentage of those made before, as a plain model has it', async t => {
  const time = fc.integer({ min: 0, max: 100 })
  fc.assert(fc.property(fc.array(time), time, time, (times, a, b) => {
    const [from, to] = [Math.min(a, b), Math.max(a, b)]
    const within = times.filter(at => at >= from && at <= to).length
    const before = times.filter(at => at < from).length
    const counted = countMade(times.map(createdAt => ({ createdAt })), { from, to }, now)
    return counted.count === within && counted.percentage === (before === 0 ? 100 * within : 100 * within / before)
  }))
})

t.test('a missing end of a range is 0 or now; a reversed range is refused', async t => {
  t.strictSame(readRange({}, now), { from: 0, to: now })
  t.strictSame(readRange({ from: 5 }, now), { from: 5, to: now })
  t.strictSame(readRange({ to: 5 }, now), { from: 0, to: 5 })
  t.throws(() => readRange({ from: 6, to: 5 }, now), { statusCode: 400, message: 'Invalid range' })
})

t.test('pages cut the ordered players without a gap or an overlap, and say how many there are', async t => {
  const player = fc.record({ name: fc.string({ minLength: 1, maxLength: 3 }), uuid: fc.uuid(), currentServiceName: fc.constant('s') })
  fc.assert(fc.property(fc.array(player), fc.integer({ min: 1, max: 7 }), (players, size) => {
    const ordered = inOrder(players)
    const pages = Math.ceil(players.length / size)
    const cut = Array.from({ length: pages }, (_, index) => pageOf(ordered, { page: index + 1, size }))
    const beyond = pageOf(ordered, { page: pages + 1, size })
    return cut.every(page => page.total === players.length && page.totalPages === pages && page.data.length <= size) &&
      JSON.stringify(cut.flatMap(page => page.data)) === JSON.stringify(ordered) &&
      beyond.data.length === 0 && beyond.total === players.length && beyond.totalPages === pages
  }))
})

t.test('players are in the order of their names, whatever order the runtime lists them in', async t => {
  const player = fc.record({ name: fc.string({ minLength: 1, maxLength: 2 }), uuid: fc.uuid(), currentServiceName: fc.constant('s') })
  fc.assert(fc.property(fc.array(player), players => {
    const one = inOrder(players)
    return JSON.stringify(one) === JSON.stringify(inOrder([...players].reverse())) &&
      one.every((item, index) => index === 0 || (one[index - 1] as typeof item).name <= item.name)
  }))
})

t.test('the numbers of a group are whole, not negative, ordered, and the percentage is 0 to 100: all that is refused says which (cases 69, 70)', async t => {
  const number = fc.oneof(fc.integer({ min: -3, max: 10 }), fc.double({ noNaN: true }), fc.constant(-0), fc.constant(2 ** 53))
  const isPositive = (value: number): boolean => value >= 0 && !Object.is(value, -0)
  const isCount = (value: number): boolean => Number.isSafeInteger(value) && isPositive(value)
  fc.assert(fc.property(number, number, number, number, number, (minMemory, maxMemory, minOnlineService, maxOnlineService, percentageToStartNewService) => {
    const group = { minMemory, maxMemory, minOnlineService, maxOnlineService, percentageToStartNewService }
    const right = [minMemory, maxMemory, minOnlineService, maxOnlineService].every(isCount) && minMemory <= maxMemory &&
      minOnlineService <= maxOnlineService && isPositive(percentageToStartNewService) && percentageToStartNewService <= 100
    try {
      checkNumbers(group)
      return right
    } catch (error) {
      return !right && error instanceof Failure && error.statusCode === 400 && /^Group (min|max|percentage)\w+ must /.test(error.message)
    }
  }), { numRuns: 1_000 })
})

t.test('createdAt is the client\'s when it is plausible, else now', async t => {
  const made = (createdAt: number | undefined): number =>
    newGroup({ ...aGroup, ...(createdAt === undefined ? {} : { createdAt }) } as never, now).createdAt
  t.equal(made(5), 5)
  t.equal(made(now + 86_400_000), now + 86_400_000)
  for (const not of [0, -1, 1.5, now + 86_400_001]) t.equal(made(not), now, String(not))
  const { createdAt: _, ...without } = aGroup
  t.equal(newGroup(without, now).createdAt, now)
})

t.test('names of groups and templates are 1 to 64 of A-Z a-z 0-9 _ -, and do not begin with a dash (cases 79, 83, 85)', async t => {
  for (const name of ['a', '_', '0', 'Lobby-1_x', 'a'.repeat(64)]) t.equal(isName(name), true, name)
  for (const name of ['', '-a', '.', '..', '../x', '/etc', 'a/b', 'a\\b', 'a%2fb', 'C:x', 'a\0b', '.git', 'x.', 'ä', 'a b', 'a\n', 'a'.repeat(65)]) {
    t.equal(isName(name), false, JSON.stringify(name))
  }
})

t.test('a command is one line of at most 4,095 bytes', async t => {
  for (const line of ['say hi', 'Grüße 😀', 'x'.repeat(4095), '€'.repeat(1365)]) t.equal(isLine(line), true)
  for (const line of ['a\nb', 'a\rb', 'a\0b', '\u001b[2J', 'a\u0085b', 'a\u2028b', 'a\u2029b', '\ud800', 'x'.repeat(4096), '€'.repeat(1366)]) {
    t.equal(isLine(line), false, encodeURIComponent(line.slice(0, 5).toWellFormed()))
  }
})

t.test('a wrong command writes nothing to the service (case 91)', async t => {
  const { setUp, runtime } = await build(t)
  const admin = await setUp()
  for (const command of ['say hi\nop evil', 'a\rb', 'a\0b', 'x'.repeat(100_000)]) {
    const { status, body } = await admin('POST', '/service/lobby-1/command', { command })
    t.strictSame({ status, body }, { status: 400, body: refusal(400, 'Command is invalid') })
  }
  t.strictSame(runtime.calls, [])
})

t.test('a service is as old as its first start', async t => {
  const { setUp, runtime } = await build(t)
  runtime.given.services = [{ ...aService, createdAt: 10 }, { ...aService, name: 'lobby-2', createdAt: 20 }, { ...aService, name: 'lobby-3', createdAt: 30 }]
  const admin = await setUp()
  t.strictSame((await admin('GET', '/services/count?from=15&to=30')).body, { status: 200, data: { serviceCount: 2, percentage: 200 } })
  t.strictSame((await admin('GET', '/services/count?to=10')).body, { status: 200, data: { serviceCount: 1, percentage: 100 } })
})
