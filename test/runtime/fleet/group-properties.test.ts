/** What the properties of a group may be: refused by name over the interface, in a file and by the runtime itself. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import * as properties from '../../../lib/runtime/fleet/group-properties.js'
import { readGroup } from '../../../lib/runtime/fleet/groups/group-definition.js'
import { simulatedRuntime } from '../../../lib/runtime/simulated/index.js'
import type { Group, PropertyValue } from '../../../types/resources.js'
import { build, type Client } from '../../fixtures/cloud.js'
import { repository } from '../../fixtures/repository.js'
import { same } from '../../fixtures/rows.js'
import { refusal } from '../../fixtures/refusal.js'

t.setTimeout(600_000)

const group: Group = {
  name: 'lobby',
  minMemory: 64,
  maxMemory: 128,
  minOnlineService: 1,
  maxOnlineService: 3,
  platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 0,
  properties: {},
  templates: [],
  createdAt: 1
}

/** For each property: what is right, what is wrong, and what is said of that. */
const cases: Readonly<Record<string, { readonly right: readonly PropertyValue[], readonly wrong: readonly PropertyValue[], readonly problem: string }>> = {
  fallback: { right: [true, false, 'true', 'false'], wrong: [1, 'yes', ''], problem: 'must be true or false' },
  static: { right: [true, false, 'true', 'false'], wrong: [0, 'no'], problem: 'must be true or false' },
  maxPlayers: { right: [1, 20, '20', 1_000_000], wrong: [0, -1, 1.5, 'many', '', true, 1e9], problem: 'must be a whole number, 1 to 1000000' },
  idleSeconds: { right: [0, 0.5, 180, '180'], wrong: [-1, 'soon', true, 1e9], problem: 'must be seconds, 0 to 31622400' },
  drainSeconds: { right: [0, 0.5, 300, '300'], wrong: [-1, 'late', false, 1e9], problem: 'must be seconds, 0 to 31622400' },
  port: { right: [1, 25_565, '25565', 65_535], wrong: [0, 65_536, 1.5, 'x', true], problem: 'must be a whole number, 1 to 65535' },
  keepConsole: { right: [0, 3, '3', 100], wrong: [-1, 1.5, 101, true], problem: 'must be a whole number, 0 to 100' },
  cpu: { right: [0.01, 1.5, '2', 1024], wrong: [0, -1, 'all', 1025, true], problem: 'must be processors, 0.01 to 1024' },
  pids: { right: [8, '4096', 1_000_000], wrong: [7, 0, 1.5, 'x', 1e7], problem: 'must be a whole number, 8 to 1000000' },
  forcedHosts: { right: ['play.example.com', 'A.example.com, b-1.example.com.', 'localhost', ''], wrong: ['a b', 'http://x', '*.example.com', '-a.example.com', Array.from({ length: 101 }, (_, n) => `h${n}`).join(), 5, true], problem: 'must be names of hosts, 100 at most, separated by commas' },
  host: { right: ['0.0.0.0', '127.0.0.1', '::'], wrong: ['example.com', '', 5, true], problem: 'must be an IP address' }
}

t.test('the table of properties in docs/groups.md has those that are checked, and what each must be', async t => {
  t.same(Object.keys(cases), properties.propertyNames(), 'each is tried below')
  const page = readFileSync(join(repository, 'docs/groups.md'), 'utf8')
  const section = page.slice(page.indexOf('\n## Properties\n'), page.indexOf('\n## ', page.indexOf('\n## Properties\n') + 5))
  const rows = section.split('\n').filter(line => line.startsWith('| `')).map(line => line.split('|').map(cell => cell.trim()))
  t.same(rows.map(([, name]) => name?.replaceAll('`', '')).sort(), properties.propertyNames().sort())
  for (const [, name = '', value] of rows) t.equal(`must be ${value?.replaceAll(',000', '000')}`, cases[name.replaceAll('`', '')]?.problem, name)
})

for (const [name, { right, wrong, problem }] of Object.entries(cases)) {
  t.test(`properties.${name} ${problem}`, async t => {
    for (const value of right) {
      t.same(properties.problemsOf({ [name]: value, motd: 'x' }), [], JSON.stringify(value))
      t.notOk(Array.isArray(readGroup('lobby', JSON.stringify({ ...group, properties: { [name]: value } }))))
    }
    for (const value of wrong) {
      t.same(properties.problemsOf({ motd: 'x', [name]: value }), [{ name, problem }], JSON.stringify(value))
      t.same(readGroup('lobby', JSON.stringify({ ...group, properties: { [name]: value } })), [{ field: `properties.${name}`, problem }])
    }
  })
}

t.test('a property that is wrong is refused by name over the interface, before anything is made', async t => {
  const runtime = simulatedRuntime({ groups: [group] })
  const { setUp } = await build(t, { runtime })
  const root: Client = await setUp()
  const { createdAt, ...body } = group
  const message = 'Group properties.port must be a whole number, 1 to 65535'
  same(t, await root('POST', '/group/create', { ...body, name: 'arena', properties: { port: 0 }, templates: ['arena'] }), refusal(400, message))
  t.notOk((await root('GET', '/templates/list')).body.data.some(({ name }: { name: string }) => name === 'arena'), 'not its template either')
  same(t, await root('PATCH', '/group/lobby', { properties: { port: 65_536 } }), refusal(400, message))
  same(t, await root('PATCH', '/group/lobby', { properties: { host: 'example.com', port: 1 } }), refusal(400, 'Group properties.host must be an IP address'))
  t.same((await root('GET', '/group/lobby')).body.properties.port, undefined)
  t.equal((await root('PATCH', '/group/lobby', { properties: { port: 30_000, motd: 'anything' } })).status, 200)
  t.throws(() => runtime.groups.control.create({ ...group, name: 'city', properties: { port: -1 } }, { signal: new AbortController().signal }), { message: 'Group city: properties.port must be a whole number, 1 to 65535' })
})
