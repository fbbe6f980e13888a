import assert from 'node:assert/strict'
import type { RuntimeService } from '../../../types/runtime.js'
import type { RuntimeCases } from '../runtime.js'
import { once, type List } from './listed.js'
import * as shapes from './shapes.js'

/** The contract of the list of services. */
export const services: RuntimeCases = async add => {
  await add('services.list answers every service whole', async stage => {
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
      assert.ok(await stage.findGroup(groupName), `the group ${groupName} of ${name}`)
    }
  })
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
