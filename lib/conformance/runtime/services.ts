/** The cases of the list of services. */
import assert from 'node:assert/strict'
import type { RuntimeService } from '../../../types/runtime.js'
import { show } from '../suite.js'
import { once, type List } from './listed.js'
import * as shapes from './shapes.js'
import type { Stage, RuntimeCases } from './stage.js'

const TEMPLATE = 'Conformance-1'

/** The contract of the list of services. */
export const services: RuntimeCases = async add => {
  await add('services.list answers every service whole', async stage => {
    if (stage.runtime.groups.control !== undefined) await wellEndowed(stage)
    await stage.online()
    shapes.every(await stage.services(), shapes.service, 'services')
  })

  await add('services.list names each service once', async stage => {
    await stage.online()
    once(await stage.services(), ({ name }) => name)
  })

  await add('services.list shows each service under a group that is listed', async stage => {
    await stage.online()
    for (const { name, groupName } of await stage.services()) {
      const groups = (await stage.groups()).map(group => group.name)
      assert.ok(groups.includes(groupName), `${name} has the groupName ${show(groupName)}, and groups.list has ${show(groups)}`)
    }
  })
}

/** A group with properties of every kind and, where there are any, a template: its services show them in their own form. */
async function wellEndowed (stage: Stage): Promise<void> {
  const { properties, templates } = stage.group()
  const more = stage.runtime.templates === undefined ? [] : [TEMPLATE]
  for (const name of more) await stage.says(true, 'templates.create', name)
  await stage.withGroup({ properties: { ...properties, fallback: true, n: 1 }, templates: [...templates, ...more] })
}

/** What is alike for all lists, for that of the services. */
export const serviceList: List<RuntimeService> = {
  name: 'services',
  of: ({ services }) => services,
  async change (stage) {
    await stage.online()
    if (stage.runtime.services.control !== undefined) await stage.stopped()
  }
}
