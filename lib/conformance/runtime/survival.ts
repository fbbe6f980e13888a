/** The cases of a core that starts anew over the same data. */
import assert from 'node:assert/strict'
import { same } from '../suite.js'
import { asGiven } from './groups.js'
import type { RuntimeCases } from './stage.js'

/** What survives the end of the core, where the author can end it and start it anew. */
export const survival: RuntimeCases = async add => {
  await add('groups.create, edit and delete outlive the core', async stage => {
    const kept = await stage.withGroup()
    const gone = await stage.withGroup({ name: `${kept.name}-gone` })
    await stage.call('groups.edit', kept.name, { maxOnlineService: 5 })
    await stage.says(true, 'groups.delete', gone.name)
    const before = (await stage.groups()).filter(({ name }) => name === kept.name)
    const again = await stage.subject.reopen?.()
    assert.ok(typeof again?.groups?.list === 'function', 'reopen() must answer the runtime as it is after a new start')
    const groups = await stage.settled(again.groups.list(stage.options), 'groups.list')
    same(groups.filter(({ name }) => name === kept.name).map(asGiven), before.map(asGiven),
      `groups.list must have ${kept.name} after a new start, as it was edited`)
    same(groups.filter(({ name }) => name === gone.name), [], `groups.list must not have ${gone.name}, which was deleted, after a new start`)
  })
}
