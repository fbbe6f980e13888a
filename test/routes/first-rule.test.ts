/** The message of a 400 names the first rule broken, fields in the order in which the specification lists them. */
import t from 'tap'
import { build } from '../fixtures/cloud.js'
import { same } from '../fixtures/rows.js'
import { aGroup } from '../fixtures/runtime.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

/** A field, a value that breaks a rule of it (`undefined` leaves it out), and what is answered when that rule is the first. */
type Wrong = readonly [field: string, value: unknown, message: string]

const numbersOf = (missing: string): readonly Wrong[] => [
  ['minMemory', '512', `Group minMemory is ${missing}`],
  ['minMemory', -1, 'Group minMemory must not be negative'],
  ['minMemory', 0.5, 'Group minMemory must be an integer'],
  ['maxMemory', null, `Group maxMemory is ${missing}`],
  ['maxMemory', -1, 'Group maxMemory must not be negative'],
  ['minOnlineService', {}, `Group minOnlineService is ${missing}`],
  ['minOnlineService', -1, 'Group minOnlineService must not be negative'],
  ['maxOnlineService', true, `Group maxOnlineService is ${missing}`],
  ['maxOnlineService', 1.5, 'Group maxOnlineService must be an integer'],
  ['percentageToStartNewService', '50', `Group percentageToStartNewService is ${missing}`],
  ['percentageToStartNewService', 101, 'Group percentageToStartNewService must be between 0 and 100']
]
const role: readonly Wrong[] = [
  ['label', undefined, 'Role label is required'],
  ['label', 'x'.repeat(65), 'Role label is invalid'],
  ['label', 'a\u0000b', 'Role label is invalid'],
  ['hexColor', 5, 'Role hexColor is required'],
  ['hexColor', 'red', 'Role hexColor is invalid'],
  ['permissions', 'a.b', 'Role permissions is invalid'],
  ['permissions', ['A.b'], 'Role permissions is invalid']
]
const wrongOf = (field: string): readonly Wrong[] => numbersOf('required').filter(([one]) => one === field)
const group: readonly Wrong[] = [
  ['name', undefined, 'Group name is required'],
  ['name', 'list', 'Group name is invalid'],
  ...wrongOf('minMemory'),
  ...wrongOf('maxMemory'),
  ['maxMemory', 511, 'Group minMemory must not be greater than maxMemory'],
  ...wrongOf('minOnlineService'),
  ...wrongOf('maxOnlineService'),
  ['maxOnlineService', 0, 'Group minOnlineService must not be greater than maxOnlineService'],
  ['platform', 'limbo', 'Group platform.name is required'],
  ['platform', { name: 'limbo' }, 'Group platform.version is required'],
  ...wrongOf('percentageToStartNewService'),
  ['properties', 5, 'Group properties is required'],
  ['properties', { a: null }, 'Group properties is invalid'],
  ['properties', { fallback: 'true' }, 'Group properties.fallback is invalid'],
  ['templates', 'EVERY', 'Group templates is invalid'],
  ['createdAt', '0', 'Group createdAt is invalid']
]

const bodies: ReadonlyArray<readonly [method: string, path: string, right: object, wrong: readonly Wrong[]]> = [
  ['POST', '/role/', { label: 'x', hexColor: '#FFF' }, role],
  ['PATCH', '/role/1', { label: 'x', hexColor: '#FFF' }, role],
  ['POST', '/user/', { username: 'ann' }, [
    ['username', [], 'Username is required'],
    ['username', 'a\u200bb', 'Username is invalid'],
    ['roleId', '1', 'Role ID is invalid']
  ]],
  ['POST', '/group/create', aGroup, group],
  ['PATCH', '/group/lobby', {}, numbersOf('invalid')]
]

t.test('of any two rules that are broken, that of the earlier field is named', async t => {
  const { runtime, setUp } = await build(t)
  const root = await setUp()
  for (const [method, path, right, wrong] of bodies) {
    await t.test(`${method} ${path}`, async t => {
      for (const [index, [field, value, message]] of wrong.entries()) {
        same(t, await root(method, path, { ...right, [field]: value }), refusal(400, message), message)
        for (const [other, value2, later] of wrong.slice(index + 1)) {
          if (other === field) continue
          same(t, await root(method, path, { ...right, [other]: value2, [field]: value }), refusal(400, message), `${message}, not ${later}`)
        }
      }
    })
  }
  t.strictSame(runtime.calls, [], 'nothing of that reached the runtime')
})

t.test('a permission of eight million characters is invalid like any other that is none', async t => {
  const { setUp } = await build(t, { host: { bodyLimit: 16_000_000 } })
  const root = await setUp()
  const permissions = [`${'a.'.repeat(4_000_000)}!`]
  same(t, await root('POST', '/role/', { label: 'x', hexColor: '#FFF', permissions }), refusal(400, 'Role permissions is invalid'))
})
