/** Edits of groups, one after the other and at once. */
import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import t from 'tap'
import type { Group, GroupChanges } from '../../types/resources.js'
import { type TestLog, build, testLog } from '../fixtures/cloud.js'
import { aGroup, aService, listRuntime } from '../fixtures/runtime.js'
import { bare, same } from '../fixtures/rows.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

/** Whether a group could be made like that. */
function isRight ({ minMemory, maxMemory, minOnlineService, maxOnlineService, percentageToStartNewService }: Group): boolean {
  const counts = [minMemory, maxMemory, minOnlineService, maxOnlineService]
  return counts.every(one => Number.isInteger(one) && one >= 0) && minMemory <= maxMemory &&
    minOnlineService <= maxOnlineService && percentageToStartNewService >= 0 && percentageToStartNewService <= 100
}

const amount = fc.oneof(fc.integer({ min: -1, max: 4 }), fc.constant(0.5))
const anyChanges: fc.Arbitrary<GroupChanges> = fc.record({
  minMemory: amount, maxMemory: amount, minOnlineService: amount, maxOnlineService: amount, percentageToStartNewService: fc.constantFrom(-1, 0, 50.5, 100, 101)
}, { requiredKeys: [] })

t.test('PATCH /group/{name} takes exactly what leaves a group that could have been created (cases 70, 72)', async t => {
  const { setUp, runtime } = await build(t)
  const root = await setUp()
  await fc.assert(fc.asyncProperty(fc.array(anyChanges, { minLength: 1, maxLength: 6 }), async edits => {
    let model: Group = { ...aGroup, minMemory: 1, maxMemory: 2, minOnlineService: 1, maxOnlineService: 2 }
    runtime.given.groups = [model]
    for (const changes of edits) {
      const { status, body } = await root('PATCH', '/group/lobby', changes)
      const merged = { ...model, ...changes }
      if (isRight(merged)) model = merged
      if (status !== (isRight(merged) ? 200 : 400)) return false
      if (status === 200 && JSON.stringify(body.data) !== JSON.stringify(merged)) return false
      if (JSON.stringify(runtime.given.groups) !== JSON.stringify([model])) return false
    }
    return true
  }), { numRuns: 60 })
})

t.test('of edits at once each is judged on what the one before it left', async t => {
  const runtime = listRuntime()
  const control = runtime.groups.control as unknown as { edit: (name: string, changes: GroupChanges) => unknown }
  const own = control.edit
  control.edit = async (name, changes) => {
    await turn()
    return own(name, changes)
  }
  const { setUp } = await build(t, { runtime })
  const root = await setUp()
  await fc.assert(fc.asyncProperty(fc.array(anyChanges, { minLength: 2, maxLength: 6 }), async edits => {
    runtime.given.groups = [{ ...aGroup, minMemory: 1, maxMemory: 2, minOnlineService: 1, maxOnlineService: 2 }]
    await Promise.all(edits.map(changes => root('PATCH', '/group/lobby', changes)))
    return isRight(runtime.given.groups[0] as Group)
  }), { numRuns: 40, examples: [[[{ minMemory: 2 }, { maxMemory: 1 }]]] })
})

t.test('an edit that the runtime never answers holds up no other group', async t => {
  const runtime = listRuntime()
  runtime.given.groups.push({ ...aGroup, name: 'other' })
  const control = runtime.groups.control as unknown as { edit: (name: string, changes: GroupChanges) => unknown }
  const own = control.edit
  control.edit = (name, changes) => name === 'lobby' ? new Promise(() => {}) : own(name, changes)
  const { setUp } = await build(t, { runtime, runtimeTimeout: 200 })
  const root = await setUp()
  const late = [root('PATCH', '/group/lobby', { minMemory: 1 }), root('PATCH', '/group/lobby', { minMemory: 2 })]
  same(t, await root('PATCH', '/group/other', { minMemory: 3 }), { status: 200, message: 'Group edited successfully', data: { ...aGroup, name: 'other', minMemory: 3 } })
  for (const answer of await Promise.all(late)) same(t, answer, refusal(504, 'Runtime did not answer in time'))
})

for (const [verb, method, body, after] of [['delete', 'DELETE', undefined, 400], ['rename', 'PATCH', { name: 'earth' }, 202]] as const) {
  for (const isEditFirst of [true, false]) {
    t.test(`of an edit that gives a group a template and a ${verb} of it at once, the ${isEditFirst ? 'edit' : verb} first, the second is judged on what the first left`, async t => {
      const runtime = listRuntime()
      const { given, groups, templates } = runtime
      given.groups = [{ ...aGroup, templates: [] }]
      given.templates = [{ name: 'world', size: 'unknown' }]
      let begun = 0
      const gates: Array<() => void> = []
      const held = <A extends unknown[], R>(act: (...given: A) => R) => async (...given: A): Promise<Awaited<R>> => {
        begun++
        await new Promise<void>(resolve => { gates.push(resolve) })
        return await act(...given)
      }
      Object.assign(groups.control!, { edit: held(groups.control!.edit) })
      Object.assign(templates!, { [verb]: held(templates![verb] as (...given: unknown[]) => unknown) })
      const { setUp } = await build(t, { runtime })
      const root = await setUp()
      const asks = [async () => await root('PATCH', '/group/lobby', { templates: ['world'] }), async () => await root(method, '/template/world', body)] as const
      const first = asks[isEditFirst ? 0 : 1]()
      await until(() => gates.length === 1)
      const second = asks[isEditFirst ? 1 : 0]()
      for (let turns = 0; turns < 50; turns++) await turn()
      t.equal(begun, 1, 'the second has not begun')
      gates.shift()!()
      t.ok((await first).status < 300)
      if (isEditFirst) {
        await until(() => gates.length === 1)
        gates.shift()!()
      }
      t.equal((await second).status, isEditFirst ? after : 404)
      const named = given.groups.flatMap(({ templates }) => templates)
      t.ok(named.every(name => given.templates.some(template => template.name === name)), `the group names ${named.join()}`)
    })
  }
}

t.test('what is no record and no list is not made into one', async t => {
  const log: TestLog = testLog()
  const runtime = listRuntime()
  const without = (thing: object, field: string): unknown => Object.fromEntries(Object.entries(thing).filter(([name]) => name !== field))
  const wrong = ['abc', ['a'], 5, null, () => {}]
  runtime.given.services = [
    ...wrong.map(properties => ({ ...aService, properties })), without(aService, 'properties'),
    ...['EVERY', 5, null, {}].map(templates => ({ ...aService, templates })), aService
  ] as never
  runtime.given.groups = [
    ...wrong.map(properties => ({ ...aGroup, properties })), without(aGroup, 'properties'),
    ...['EVERY', 5, null, {}].map(templates => ({ ...aGroup, templates })), without(aGroup, 'templates'), aGroup
  ] as never
  const { setUp } = await build(t, { runtime, host: log.host })
  const root = await setUp()
  const { createdAt: _, ...shown } = aService
  same(t, await root('GET', '/services/list'), { status: 200, data: [shown] })
  bare(t, await root('GET', '/group/list'), [aGroup])
  bare(t, await root('GET', '/group/count'), { groupCount: 1, percentage: 0 })
  // Ten services, asked for once, and eleven groups, asked for twice.
  const told = (): number => log.lines.reduce((sum, { source, level, count = 1 }) => source !== undefined && level === 40 ? sum + count : sum, 0)
  await until(() => told() === 10 + 2 * 11, 'each is logged')
  t.match(log.lines.filter(({ source }) => source !== undefined), [
    { source: 'services.list', field: '/properties' }, { source: 'groups.list', field: '/properties' },
    { source: 'services.list', fields: ['/properties', '/templates'] }, { source: 'groups.list', fields: ['/properties', '/templates'] }
  ])

  const control = runtime.groups.control as { edit: unknown }
  for (const answer of [{ ...aGroup, properties: 'abc' }, { ...aGroup, templates: 'EVERY' }, 'abc', undefined, true, null]) {
    control.edit = () => answer
    same(t, await root('PATCH', '/group/lobby', {}), refusal(502, 'Runtime gave an invalid answer'))
  }
})

t.test('a group that was changed by hand so that it is none is neither edited nor restarted: 409, with a code of its own', async t => {
  const { setUp, runtime } = await build(t)
  const admin = await setUp()
  runtime.given.groups = [aGroup]
  Object.assign(runtime.groups.control as object, { edit: () => 'damaged' })
  Object.assign(runtime.groups.restarts as object, { restart: () => 'damaged' })
  Object.assign(runtime.services.control as object, { restart: () => 'damaged', start: () => 'damaged' })
  Object.assign(runtime.templates as object, { rename: () => 'damaged' })
  const damaged = { status: 409, body: refusal(409, 'Group was changed by hand and has to be mended there first') }
  for (const [path, body] of [[`/group/${aGroup.name}`, { minOnlineService: 0 }], [`/group/${aGroup.name}/restart`], ['/service/lobby-1/restart'], ['/template/lobby', { name: 'another' }]] as const) {
    const { status, body: answered } = await admin('PATCH', path, body)
    t.strictSame({ status, body: answered }, damaged, path)
    t.equal(answered.code, 'group_damaged')
  }
  for (const command of ['service start lobby', 'service restart lobby-1', 'group restart lobby']) {
    const { status, body } = await admin('POST', '/terminal/command', { command })
    t.strictSame({ status, body }, damaged, command)
  }
})

t.test('of a group that was changed by hand so that it is none no edit is judged by what is listed of it: 409 comes first', async t => {
  const { setUp, runtime } = await build(t)
  const admin = await setUp()
  // What stands in for what cannot be read.
  runtime.given.groups = [{ ...aGroup, minOnlineService: 0, maxOnlineService: 0, minMemory: 0, maxMemory: 0, platform: { name: 'unknown', version: 'unknown' } }]
  let isDamaged = true
  Object.assign(runtime.groups as object, { damage: { of: async (name: string) => name === 'lobby' && isDamaged } })
  for (const body of [{ minOnlineService: 1 }, { minMemory: 1 }, { platform: { name: 'limbo', version: 'latest' } }, { templates: ['nowhere'] }]) {
    const { status, body: answered } = await admin('PATCH', '/group/lobby', body)
    t.strictSame({ status, body: answered }, { status: 409, body: refusal(409, 'Group was changed by hand and has to be mended there first') }, JSON.stringify(body))
  }
  t.equal((await admin('PATCH', '/group/nowhere', { minMemory: 1 })).status, 404)
  isDamaged = false
  t.equal((await admin('PATCH', '/group/lobby', { minOnlineService: 1 })).status, 400)
})
