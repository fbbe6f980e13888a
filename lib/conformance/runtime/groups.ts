/** The cases of the list of groups, and of the reasons for the number of services. */
import assert from 'node:assert/strict'
import type { Group, PropertyValue } from '../../../types/resources.js'
import { same, show } from '../suite.js'
import { once, type List } from './listed.js'
import * as shapes from './shapes.js'
import type { Stage, RuntimeCases } from './stage.js'

/** The contract of the list of groups. */
export const groups: RuntimeCases = async add => {
  await add('groups.list answers every group whole', async stage => {
    await one(stage)
    shapes.every(await stage.groups(), shapes.group, 'groups')
  })

  await add('groups.list names each group once, ignoring case', async stage => {
    await one(stage)
    once(await stage.groups(), ({ name }) => name.toLowerCase())
  })
}

/** Values that a client may send for any property. */
const values: readonly PropertyValue[] = ['', 'text', 'x'.repeat(300), -1, 0, 1.5, 1e9, true, false]

/** Those are checked before a group is made or edited as well. */
const checkedBefore = ['fallback', 'static']

/** What runtimes often know; whatever they answer has its shape, of those that they do not know as well. */
const likely = ['port', 'host', 'slots', 'motd', 'memory', 'version', 'java', 'jvm', 'arguments', 'env', 'stop', 'ready', 'constructor']

/** The contract of `GroupProperties`, as far as it can be known: the author's own group is right. */
export const properties: RuntimeCases = async add => {
  await add('groups.properties.check answers what is wrong with one that was given, by its name and in one line, whatever value it has', async stage => {
    const { properties } = stage.group()
    for (const name of new Set([...Object.keys(properties), ...checkedBefore, ...likely])) {
      for (const value of values) {
        const given = { ...properties, [name]: value }
        const called = `groups.properties.check(${show(given)})`
        const answer: unknown = await stage.settled((async () => await stage.runtime.groups.properties?.check(given, stage.options))(), called)
          .catch((error: unknown) => assert.fail(`${called} may not throw, and threw ${show(error)}`))
        if (answer !== undefined) shapes.problem(Object.keys(given))(answer, `what ${called} answers`)
        same(given, { ...properties, [name]: value }, `${called} may not change what it is given`)
      }
    }
  })

  await add('groups.properties.check answers what is wrong with one that was given, by its name and in one line, where several are wrong, and where none are given', async stage => {
    const { properties } = stage.group()
    const all = [...Object.keys(properties), ...likely].filter(name => !checkedBefore.includes(name))
    for (const value of values) {
      const given = Object.fromEntries(all.map(name => [name, value]))
      const called = `groups.properties.check(${show(given)})`
      const answer: unknown = await stage.settled(stage.runtime.groups.properties?.check(given, stage.options), called)
      if (answer !== undefined) shapes.problem(all)(answer, `what ${called} answers`)
    }
    for (const given of [{}, { fallback: true }, { fallback: false, static: false }]) {
      const answer: unknown = await stage.settled(stage.runtime.groups.properties?.check(given, stage.options), 'groups.properties.check')
      assert.ok(answer === undefined, `groups.properties.check(${show(given)}) must answer undefined, and answered ${show(answer)}`)
    }
  })

  await add('groups.properties.check answers what is wrong with one that was given, by its name, wherever it stands among others', async stage => {
    const { properties } = stage.group()
    const check = async (given: Group['properties']) => await stage.settled(stage.runtime.groups.properties?.check(given, stage.options), 'groups.properties.check')
    for (const name of new Set([...Object.keys(properties), ...checkedBefore, ...likely])) {
      for (const value of values) {
        if (await check({ [name]: value }) === undefined) continue
        const { [name]: own, ...others } = properties
        for (const given of [{ ...others, [name]: value }, { [name]: value, ...others }, { 'conformance-suite': 'a b', [name]: value }]) {
          const answer = await check(given)
          assert.ok(answer !== undefined, `groups.properties.check finds ${name} wrong that is ${show(value)}: of ${show(given)} it must answer so, and answered undefined`)
        }
      }
    }
  })

  await add('groups.properties.check finds nothing wrong with a property that nobody knows', async stage => {
    const given = { ...stage.group().properties, 'conformance-suite': 'a b' }
    same(await stage.settled(stage.runtime.groups.properties?.check(given, stage.options), 'groups.properties.check'), undefined, `groups.properties.check(${show(given)}) must answer undefined`)
  })

  await add('groups.properties.check finds nothing wrong with the properties of the author\'s group', async stage => {
    const { properties } = stage.group()
    same(await stage.settled(stage.runtime.groups.properties?.check(properties, stage.options), 'groups.properties.check'), undefined, `groups.properties.check(${show(properties)}) must answer undefined`)
  })
}

/** The contract of `GroupReasons`. */
export const reasons: RuntimeCases = async add => {
  await add('groups.reasons.of answers one line about a group, and nothing about one that does not exist', async stage => {
    const of = async (name: string) => await stage.settled(stage.runtime.groups.reasons?.of(name, stage.options), 'groups.reasons.of')
    const own = stage.runtime.groups.control === undefined ? undefined : await stage.withGroup({ minOnlineService: 1 })
    // What is decided is decided when its services have come.
    if (own !== undefined) await stage.until('a service is ONLINE', async () => (await stage.services(own.name)).some(({ state }) => state === 'ONLINE'))
    // A group that wants none has its reason as well.
    if (own !== undefined) await stage.withGroup({ name: `${own.name}-none` })
    await stage.pause()
    for (const { name } of await stage.groups()) {
      const reason = await of(name)
      if (reason === undefined) continue
      shapes.line(reason, `the reason of ${name}`)
      assert.ok(reason.trim() !== '', `the reason of ${name} must say something, or be undefined where nothing was decided yet`)
    }
    const there = (await stage.groups()).map(({ name }) => name)
    const others = there.flatMap(name => [name.toUpperCase(), name.toLowerCase(), `${name} `, ` ${name}`, name.slice(0, -1), `${name}-1`, `${name}\u00ad`])
    for (const name of ['no-such-group', '__proto__', 'constructor', '', ...others].filter(name => !there.includes(name))) same(await of(name), undefined, `groups.reasons.of(${show(name)}) must answer undefined`)
  })
}

/** Looks at the reason of a new group, from its first moment on. */
const LOOKS = 5

/** The same where groups can be made and deleted. */
export const lostReasons: RuntimeCases = async add => {
  await add('groups.reasons.of tells nothing of a group that is deleted, and nothing of it to a new one of its name', async stage => {
    const of = async (name: string) => (await stage.settled(stage.runtime.groups.reasons?.of(name, stage.options), 'groups.reasons.of'))?.replaceAll(name, 'it')
    const { name } = await stage.withGroup({ minOnlineService: 2 })
    await stage.until('two services are ONLINE', async () => (await stage.services(name)).filter(({ state }) => state === 'ONLINE').length === 2)
    await stage.pause()
    const old = await of(name)
    await stage.says(true, 'groups.delete', name)
    for (let looks = 0; looks < LOOKS; looks++) {
      same(await of(name), undefined, `${name} is deleted: groups.reasons.of(${show(name)}) must answer undefined`)
      await stage.pause()
    }
    // Another one that is made alike shows what is told of such a group.
    const told = async (given: Partial<Group>): Promise<ReadonlySet<string | undefined>> => {
      const group = await stage.withGroup(given)
      const all = new Set<string | undefined>()
      for (let looks = 0; looks < LOOKS; looks++) {
        all.add(await of(group.name))
        await stage.pause()
      }
      return all
    }
    const [twin, anew] = [await told({ name: `twin-${name}` }), await told({ name })]
    assert.ok(old === undefined || twin.has(old) || !anew.has(old), `${name} was deleted and made anew, and groups.reasons.of(${show(name)}) answered ${show(old)}, which is of the group before`)
  })
}

/** What is alike for all lists, for that of the groups. */
export const groupList: List<Group> = {
  name: 'groups',
  of: ({ groups }) => groups,
  async change (stage) {
    if (stage.runtime.groups.control === undefined) return
    const { name } = await stage.withGroup()
    await stage.pause()
    await stage.call('groups.edit', name, { maxOnlineService: 3 })
  }
}

/** Where groups can be made, there is one to be listed. */
async function one (stage: Stage): Promise<void> {
  if (stage.runtime.groups.control !== undefined) await stage.withGroup()
}
