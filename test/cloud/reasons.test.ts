/** Why a group has as many services as it has. */
import t from 'tap'
import { build } from '../fixtures/cloud.js'
import { listRuntime } from '../fixtures/runtime.js'

t.setTimeout(600_000)

t.test('group list tells why a group is as it is, one line each, where the runtime can tell (case 126)', async t => {
  const runtime = listRuntime()
  const reasons: Record<string, string | undefined> = { lobby: 'paused: lobby-1 died\n5 times \u001b[31min a row' }
  const explained = { ...runtime, groups: { ...runtime.groups, list: runtime.groups.list.bind(runtime.groups), reasons: { of: async (name: string) => reasons[name] } } }
  const { setUp } = await build(t, { runtime: explained })
  const admin = await setUp()
  const list = async () => (await admin('POST', '/terminal/command', { command: 'group list' })).body.data.output
  t.strictSame(await list(), ['lobby limbo latest 1-3 services: paused: lobby-1 died 5 times [31min a row'])
  reasons['lobby'] = undefined
  t.strictSame(await list(), ['lobby limbo latest 1-3 services'])
})

t.test('without reasons group list shows the groups alone', async t => {
  const { setUp } = await build(t)
  const admin = await setUp()
  t.strictSame((await admin('POST', '/terminal/command', { command: 'group list' })).body.data.output, ['lobby limbo latest 1-3 services'])
})
