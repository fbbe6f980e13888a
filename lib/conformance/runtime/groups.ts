/** The cases of the list of groups, and of the reasons for the number of services. */
import type { Group } from '../../../types/resources.js'
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

/** The contract of `GroupProperties`, as far as it can be known: the author's own group is right. */
export const properties: RuntimeCases = async add => {
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
    await stage.pause()
    for (const { name } of await stage.groups()) {
      const reason = await of(name)
      if (reason !== undefined) shapes.line(reason, `the reason of ${name}`)
    }
    for (const name of ['no-such-group', '__proto__']) same(await of(name), undefined, `groups.reasons.of(${show(name)}) must answer undefined`)
  })
}

/** A group to be compared: what is false may be left out, and the other way round. */
export const asGiven = (group: Group): Group => ({ ...group, properties: { fallback: false, static: false, ...group.properties } })

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
