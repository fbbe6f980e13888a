import assert from 'node:assert/strict'
import type { RuntimeCases } from '../runtime.js'
import { same } from '../suite.js'

/** The contract of deleting groups. */
export const groupDeletion: RuntimeCases = async add => {
  await add('groups.delete answers when the group and its services are gone', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 2 })
    await stage.until('a service is ONLINE', async () => (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
    assert.equal(await stage.settled(stage.groupControl.delete(name, stage.options)), true)
    assert.equal(await stage.findGroup(name), undefined)
    same(await stage.services(name), [])
  })

  await add('groups.delete leaves no process behind', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 1 })
    await stage.until('a service is ONLINE', async () => (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
    await stage.settled(stage.groupControl.delete(name, stage.options))
    // An author who does not count them leaves this to the lists.
    assert.equal(await stage.subject.remains?.(name) ?? 0, 0)
  })

  await add('groups.delete: a second one joins the first, and one after it answers false', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 1 })
    await stage.until('a service is ONLINE', async () => (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
    const call = async () => await stage.groupControl.delete(name, stage.options)
    let over = false
    const first = call().finally(() => { over = true })
    const second = await stage.settled(call())
    // A deletion that takes no time is over before the second call comes.
    if (!second) assert.ok(over, 'false while the first is under way')
    assert.equal(await stage.settled(first), true)
    assert.equal(await stage.settled(call()), false)
  })

  await add('groups.delete: no service of the group starts from the first moment', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 1, maxOnlineService: 3 })
    await stage.until('a service is ONLINE', async () => (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
    let over = false
    const deleting = (async () => await stage.groupControl.delete(name, stage.options))().finally(() => { over = true })
    const known = new Set((await stage.services(name)).map(service => service.name))
    if (stage.runtime.services.control !== undefined) {
      assert.equal(await stage.settled(stage.control.start(name, stage.options)), false, 'a start is not accepted')
      for (const service of known) {
        assert.equal(await stage.settled(stage.control.restart(service, stage.options)), false, 'nor a restart')
      }
    }
    await stage.until('the group is deleted', async () => {
      const fresh = (await stage.services(name)).filter(service => !known.has(service.name) || service.state === 'STARTING')
      same(fresh, [], 'nothing new is there')
      return over
    })
    assert.equal(await deleting, true)
    for (let looks = 0; looks < 5; looks++) {
      await stage.pause()
      same(await stage.services(name), [])
    }
  })

  await add('groups.delete makes the name free again', async stage => {
    const group = await stage.withGroup()
    await stage.settled(stage.groupControl.delete(group.name, stage.options))
    assert.equal(await stage.settled(stage.groupControl.create(group, stage.options)), true)
    assert.equal((await stage.findGroup(group.name))?.maxOnlineService, group.maxOnlineService)
  })
}
