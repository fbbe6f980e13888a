/** The cases of `groups.control`: a group is created, edited and listed as it was given. */
import assert from 'node:assert/strict'
import { byValue, many, same, tally } from '../suite.js'
import { plain } from './oracle.js'
import type { RuntimeCases } from './stage.js'

const otherCase = (name: string): string => name === name.toUpperCase() ? name.toLowerCase() : name.toUpperCase()

/** The contract of making and editing groups. */
export const groupControl: RuntimeCases = async add => {
  await add('groups.create adds the group as it is given', async stage => {
    const group = stage.group()
    await stage.says(true, 'groups.create', group)
    const listed = await stage.findGroup(group.name)
    assert.ok(listed !== undefined, `groups.list must have ${group.name} once groups.create has answered true`)
    same(plain(listed), plain(group), `groups.list must have ${group.name} as it was given to groups.create`)
  })

  await add('groups.create adds the group with no field that it was not given, after an edit neither', async stage => {
    const group = await stage.withGroup()
    const look = async (): Promise<void> => {
      // As the runtime answers it: elsewhere the fields of a group are all that is compared.
      const listed = (await stage.settled(stage.subject.runtime.groups.list(stage.options), 'groups.list')).find(({ name }) => name === group.name)
      // An object of a class may have what is its own.
      if (listed === undefined || ![Object.prototype, null].includes(Object.getPrototypeOf(listed) as object | null)) return
      const more = Object.entries(listed).filter(([field, value]) => value !== undefined && !Object.hasOwn(plain(group), field)).map(([field]) => field)
      same(more, [], `groups.list must have ${group.name} with the fields of a Group and no others`)
    }
    await look()
    await stage.call('groups.edit', group.name, { percentageToStartNewService: 9 })
    await look()
  })

  await add('groups.create adds the group as it is given where one of that name was deleted before, with nothing of that one', async stage => {
    const { properties, name } = await stage.withGroup()
    await stage.call('groups.edit', name, { properties: { ...properties, before: 'so', both: 'before' }, percentageToStartNewService: 9, maxOnlineService: 4 })
    await stage.says(true, 'groups.delete', name)
    const group = { ...stage.group({ name }), properties: { ...properties, both: 'now', after: 'so' } }
    await stage.says(true, 'groups.create', group)
    const listed = await stage.findGroup(name)
    same(listed === undefined ? undefined : plain(listed), plain(group), `groups.list must have ${name} as it was given to groups.create, and nothing of the group that had its name before`)
  })

  await add('groups.edit: what was handed out stays as it was, also when the group is edited again', async stage => {
    const { properties, name } = await stage.withGroup()
    const answer = await stage.settled(stage.subject.runtime.groups.control!.edit(name, { percentageToStartNewService: 9, properties: { ...properties, one: 'two' } }, stage.options), 'groups.edit')
    const copy = byValue(answer)
    await stage.call('groups.edit', name, { percentageToStartNewService: 8, properties, maxMemory: 301 })
    same(answer, copy, 'what groups.edit has answered was changed afterwards: answer a new object instead')
  })

  await add('groups.damage.of answers false for a group that an edit changes, and for a name that does not exist', async stage => {
    const { name } = await stage.withGroup()
    for (const one of [name, 'no-such-group', '__proto__', '']) {
      const answer = await stage.settled(stage.subject.runtime.groups.damage?.of(one, stage.options), 'groups.damage.of')
      assert.ok(answer === undefined || answer === false, `groups.damage.of(${JSON.stringify(one)}) must answer false: an edit is not answered 'damaged'`)
    }
  })

  await add('groups.create starts what the minimum asks for', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 2 })
    await stage.until('two services are ONLINE', async () =>
      (await stage.services(name)).filter(({ state }) => state === 'ONLINE').length === 2)
  })

  await add('groups.create answers false for a name that is there, and changes nothing', async stage => {
    const group = await stage.withGroup()
    const before = await stage.findGroup(group.name)
    await stage.says(false, 'groups.create', { ...group, maxOnlineService: 7 })
    same((await stage.groups()).filter(({ name }) => name === group.name), [before], 'the group that was there stays as it was')
  })

  await add('groups.create answers false for a name that is there in another case', async stage => {
    const group = await stage.withGroup()
    const clash = { ...group, name: otherCase(group.name) }
    await stage.says(false, 'groups.create', clash)
    same(await stage.findGroup(clash.name), undefined, `groups.list must not have ${clash.name} beside ${group.name}`)
  })

  await add('groups.create of many at once exactly one gets true', async stage => {
    const group = stage.group()
    const upper = { ...group, name: otherCase(group.name) }
    const answers = many(10, async n => await stage.groupControl.create(n % 3 === 1 ? upper : group, stage.options))
    same(tally(await stage.settled(answers, 'groups.create, ten at once,')), { true: 1, false: 9 }, `of ten calls of groups.create at once, of ${group.name} and of ${upper.name}, exactly one answers true`)
    const listed = (await stage.groups()).filter(({ name }) => name === group.name || name === upper.name)
    assert.ok(listed.length === 1, `groups.list must have ${group.name} or ${upper.name} once, and has them ${listed.length} times`)
  })

  await add('groups.edit answers the group as it is now, and keeps what is not named', async stage => {
    const { name } = await stage.withGroup()
    const before = await stage.findGroup(name)
    const changes = { maxOnlineService: 5, percentageToStartNewService: 33 }
    same(await stage.call('groups.edit', name, changes), { ...before, ...changes }, 'groups.edit must answer the group as it is now')
    same(await stage.findGroup(name), { ...before, ...changes }, 'and groups.list must have it so')
  })

  await add('groups.edit replaces properties whole, and takes another version of the platform', async stage => {
    const { name, platform, properties } = await stage.withGroup()
    await stage.call('groups.edit', name, { properties: { ...properties, one: 1 } })
    const versions = (await stage.settled(stage.runtime.platforms.list(stage.options))).find(one => one.name === platform.name)?.versions ?? []
    const changes = { properties: { ...properties, other: 'x' }, platform: { name: platform.name, version: versions.at(-1)?.version ?? platform.version } }
    const answer = await stage.call('groups.edit', name, changes)
    const now = await stage.findGroup(name)
    assert.ok(typeof answer === 'object' && now !== undefined, `groups.edit must answer ${name} as it is now`)
    for (const edited of [answer, now]) {
      same(plain(edited).properties, changes.properties, `the properties of ${name} must be those that were given, and no others`)
      same({ ...edited.platform }, changes.platform, `${name} must have the version that was given`)
    }
  })

  await add('groups.edit takes effect on the running group', async stage => {
    const { name } = await stage.withGroup()
    await stage.call('groups.edit', name, { minOnlineService: 1 })
    await stage.until('a service is ONLINE', async () =>
      (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
  })

  await add('groups.edit of many at once loses none', async stage => {
    const { name } = await stage.withGroup()
    const before = await stage.findGroup(name)
    const changes = { minMemory: 1, maxMemory: 2_048, maxOnlineService: 9, percentageToStartNewService: 42 }
    await stage.settled(Promise.all(Object.entries(changes).map(async ([field, value]) =>
      await stage.groupControl.edit(name, { [field]: value }, stage.options))), 'groups.edit, four at once,')
    same(await stage.findGroup(name), { ...before, ...changes }, 'of four edits at once, each of another field, every one must be kept')
  })

  await add('groups.edit answers false from the first moment of a deletion', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 1 })
    await stage.until('a service is ONLINE', async () => (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
    const deleting = (async () => await stage.groupControl.delete(name, stage.options))()
    // Awaited below; a failure there must not count as one that nobody hears of.
    deleting.catch(() => {})
    await stage.says(false, 'groups.edit', name, { maxOnlineService: 3 })
    same(await stage.settled(deleting, 'groups.delete'), true, 'groups.delete must answer true')
  })

  await add('groups.edit and delete answer false for a name that does not exist, compared as it is', async stage => {
    const { name } = await stage.withGroup()
    for (const other of ['no-such-group', '', '__proto__', otherCase(name)]) {
      await stage.says(false, 'groups.edit', other, { maxOnlineService: 3 })
      await stage.says(false, 'groups.delete', other)
    }
    assert.ok(await stage.findGroup(name), `groups.list must still have ${name}`)
  })
}
