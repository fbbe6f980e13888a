import assert from 'node:assert/strict'
import type { RuntimeCases } from '../runtime.js'
import { many, same, tally } from '../suite.js'

/** The contract of starting one more service of a group. */
export const serviceStarts: RuntimeCases = async add => {
  await add('services.start starts one more service of a group, and answers its name', async stage => {
    const first = await stage.online()
    const answered = await stage.settled(stage.control.start(first.groupName, stage.options))
    if (typeof answered !== 'object') assert.fail(`start answered ${String(answered)}`)
    assert.notEqual(answered.name, first.name)
    const second = await stage.becomes(answered.name, 'ONLINE')
    assert.equal(second.groupName, first.groupName)
    assert.equal((await stage.find(first.name))?.state, 'ONLINE', 'and the first one runs on')
  })

  await add('services.start answers limit when the group has its maximum, also of many at once', async stage => {
    const { name } = await stage.withGroup({ maxOnlineService: 2 })
    const start = async () => await stage.control.start(name, stage.options)
    same(tally(await stage.settled(many(5, start))), { done: 2, limit: 3 })
    assert.equal(await stage.settled(start()), 'limit')
    assert.equal((await stage.services(name)).length, 2)
  })
}
