import assert from 'node:assert/strict'
import type { RuntimeCases } from '../runtime.js'
import { many, same, tally } from '../suite.js'

const otherCase = (name: string): string => name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()

/** The contract of making and editing groups. */
export const groupControl: RuntimeCases = async add => {
  await add('groups.create adds the group as it is given', async stage => {
    const group = stage.group()
    assert.equal(await stage.settled(stage.groupControl.create(group, stage.options)), true)
    const listed = await stage.findGroup(group.name)
    // What is false may be left out, and the other way round.
    const defaults = { fallback: false, static: false }
    same({ ...listed, properties: { ...defaults, ...listed?.properties } },
      { ...group, properties: { ...defaults, ...group.properties } })
  })

  await add('groups.create starts what the minimum asks for', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 2 })
    await stage.until('two services are ONLINE', async () =>
      (await stage.services(name)).filter(({ state }) => state === 'ONLINE').length === 2)
  })

  await add('groups.create answers false for a name that is there, and changes nothing', async stage => {
    const group = await stage.withGroup()
    const before = await stage.findGroup(group.name)
    const again = { ...group, maxOnlineService: 7 }
    assert.equal(await stage.settled(stage.groupControl.create(again, stage.options)), false)
    same(await stage.settled(stage.runtime.groups.list(stage.options)).then(groups =>
      groups.filter(({ name }) => name === group.name)), [before])
  })

  await add('groups.create answers false for a name that is there in another case', async stage => {
    const group = await stage.withGroup()
    const clash = { ...group, name: otherCase(group.name) }
    assert.equal(await stage.settled(stage.groupControl.create(clash, stage.options)), false)
    assert.equal(await stage.findGroup(clash.name), undefined)
  })

  await add('groups.create of many at once exactly one gets true', async stage => {
    const group = stage.group()
    const answers = many(10, async () => await stage.groupControl.create(group, stage.options))
    same(tally(await stage.settled(answers)), { true: 1, false: 9 })
    const listed = await stage.settled(stage.runtime.groups.list(stage.options))
    assert.equal(listed.filter(({ name }) => name === group.name).length, 1)
  })

  await add('groups.create is finished or undone when nobody waits for it any more', async stage => {
    const group = stage.group()
    const calling = new AbortController()
    const creating = (async () => await stage.groupControl.create(group, { signal: calling.signal }))()
    calling.abort()
    await stage.settled(creating.catch(() => {}))
    const listed = await stage.findGroup(group.name)
    assert.equal(await stage.settled(stage.groupControl.create(group, stage.options)), listed === undefined)
    assert.ok(await stage.findGroup(group.name))
  })

  await add('groups.edit answers the group as it is now, and keeps what is not named', async stage => {
    const { name } = await stage.withGroup()
    const before = await stage.findGroup(name)
    const changes = { maxOnlineService: 5, percentageToStartNewService: 33 }
    const edited = await stage.settled(stage.groupControl.edit(name, changes, stage.options))
    same(edited, { ...before, ...changes })
    same(await stage.findGroup(name), { ...before, ...changes })
  })

  await add('groups.edit takes effect on the running group', async stage => {
    const { name } = await stage.withGroup()
    await stage.settled(stage.groupControl.edit(name, { minOnlineService: 1 }, stage.options))
    await stage.until('a service is ONLINE', async () =>
      (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
  })

  await add('groups.edit of many at once loses none', async stage => {
    const { name } = await stage.withGroup()
    const before = await stage.findGroup(name)
    const changes = { minMemory: 1, maxMemory: 2_048, maxOnlineService: 9, percentageToStartNewService: 42 }
    await stage.settled(Promise.all(Object.entries(changes).map(async ([field, value]) =>
      await stage.groupControl.edit(name, { [field]: value }, stage.options))))
    same(await stage.findGroup(name), { ...before, ...changes })
  })

  await add('groups.edit and delete answer false for a name that does not exist, compared as it is', async stage => {
    const { name } = await stage.withGroup()
    for (const other of ['no-such-group', '', '__proto__', otherCase(name)]) {
      assert.equal(await stage.settled(stage.groupControl.edit(other, { maxOnlineService: 3 }, stage.options)), false)
      assert.equal(await stage.settled(stage.groupControl.delete(other, stage.options)), false)
    }
    assert.ok(await stage.findGroup(name))
  })
}
