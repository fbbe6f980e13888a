/** The cases of the list of services. */
import assert from 'node:assert/strict'
import type { RuntimeService } from '../../../types/runtime.js'
import { same, show } from '../suite.js'
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

/** The contract of services of the other kind, where groups of it can be made. */
export const serviceTypes: RuntimeCases = async add => {
  await add('services.list: the type of each service is that of its platform, whatever platforms there are', async stage => {
    const platforms = await stage.settled(stage.runtime.platforms.list(stage.options), 'platforms.list')
    const own = stage.group()
    for (const type of ['SERVER', 'PROXY'] as const) {
      const of = platforms.filter(platform => platform.type === type && platform.versions.length > 0)
      const platform = of.find(({ name }) => name === own.platform.name) ?? of[0]
      if (platform === undefined) continue
      const { name } = await stage.withGroup({ name: `${own.name}-${type}`, platform: { name: platform.name, version: platform.versions[0]!.version } })
      const started = await stage.call('services.start', name)
      // What it needs may not be had here.
      const service = typeof started === 'object' ? await stage.find(started.name) : undefined
      if (service !== undefined) same(service.type, type, `the type of ${service.name}, the platform of which is ${platform.name}, a ${type}`)
      await stage.says(true, 'groups.delete', name)
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
