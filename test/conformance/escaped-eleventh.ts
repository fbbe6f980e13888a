/** The classes of mistakes in runtimes that an eleventh author made who had seen neither the suite nor these banks. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import { broken, groups, services } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

/** Runtimes that keep of an earlier life what is of the present one, and lose what is false or empty. */
export const escapedEleventhRuntimes: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  broken('startedAt stays that of the first life', () => {
    const first = new Map<string, number>()
    return {
      services: items => items.map(item => {
        if (item.startedAt === undefined) return item
        const startedAt = first.get(item.name) ?? item.startedAt
        first.set(item.name, startedAt)
        return { ...item, startedAt }
      })
    }
  }),
  ...['fallback', 'static'].map(name => broken(`${name} is left out where it is false`, () => ({
    groups: items => items.map(item => ({ ...item, properties: Object.fromEntries(Object.entries(item.properties).filter(([key, value]) => key !== name || value !== false)) }))
  }))),
  broken('the reason of a group that wants no service is empty', runtime => ({
    reasons: { of: (name, options) => services(runtime).some(({ groupName }) => groupName === name) ? runtime.groups.reasons?.of(name, options) : groups(runtime).some(group => group.name === name) ? '' : undefined }
  }))
]
