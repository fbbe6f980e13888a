/** Broken runtimes and storages: the fields of groups. */
import type { RuntimeUnderTest } from '../../lib/conformance/index.js'
import type { Group, GroupChanges, PropertyValue } from '../../types/resources.js'
import { broken } from './broken-runtimes.js'
import type { Broken } from './broken-storages.js'

const without = (properties: Group['properties'], is: (value: PropertyValue) => boolean): Group['properties'] =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => !is(value)))

/** Groups are shown otherwise than they are. */
const shown = (flaw: string, change: (group: Group) => Partial<Group>): Broken<RuntimeUnderTest> =>
  broken(flaw, () => ({ groups: items => items.map(item => ({ ...item, ...change(item) })) }))

/** Some changes are left out of an edit. */
const edited = (flaw: string, change: (changes: GroupChanges) => GroupChanges): Broken<RuntimeUnderTest> =>
  broken(flaw, ({ groups: { control } }) => ({ groupControl: { edit: (name, changes, options) => control.edit(name, change(changes), options) } }))

const created = (flaw: string, isRefused: (name: string) => boolean): Broken<RuntimeUnderTest> =>
  broken(flaw, ({ groups: { control } }) => ({ groupControl: { create: (group, options) => !isRefused(group.name) && control.create(group, options) } }))

/** All of them. */
export const escapedFields: ReadonlyArray<Broken<RuntimeUnderTest>> = [
  shown('the templates of a group are sorted', ({ templates }) => ({ templates: [...templates].sort() })),
  shown('properties that are false are not shown', ({ properties }) => ({ properties: without(properties, value => value === false) })),
  shown('properties that are 0 are not shown', ({ properties }) => ({ properties: without(properties, value => value === 0) })),
  shown('properties that are blank are not shown', ({ properties }) => ({ properties: without(properties, value => value === '') })),
  shown('memory is in whole gigabytes', ({ minMemory, maxMemory }) => ({ maxMemory: Math.max(minMemory, maxMemory > 1_024 ? Math.floor(maxMemory / 1_024) * 1_024 : maxMemory) - (maxMemory === 4_096 ? 1 : 0) })),
  broken('properties that are false are not shown with a service', () => ({
    services: items => items.map(item => ({ ...item, properties: Object.fromEntries(Object.entries(item.properties).filter(([, value]) => value !== 'false')) }))
  })),
  edited('an edit takes no empty templates', ({ templates, ...changes }) => ({ ...changes, ...templates !== undefined && templates.length > 0 && { templates } })),
  edited('an edit takes no empty properties', ({ properties, ...changes }) => ({ ...changes, ...properties !== undefined && Object.keys(properties).length > 0 && { properties } })),
  edited('an edit takes no percentage of 0', ({ percentageToStartNewService, ...changes }) => ({ ...changes, ...Boolean(percentageToStartNewService) && { percentageToStartNewService: percentageToStartNewService! } })),
  edited('an edit takes no maximum of 0', ({ maxOnlineService, ...changes }) => ({ ...changes, ...Boolean(maxOnlineService) && { maxOnlineService: maxOnlineService! } })),
  edited('an edit takes no little memory', ({ maxMemory, ...changes }) => ({ ...changes, ...maxMemory !== undefined && maxMemory > 1 && { maxMemory } })),
  created('names that every object has are taken', name => name in {}),
  created('long names are taken', name => name.length > 63),
  created('a name does not begin with _', name => name.startsWith('_')),
  broken('a template that gets its own name is gone', ({ templates }) => ({
    templates: { rename: (name, newName, options) => name === newName ? templates.delete(name, options) as boolean : templates.rename(name, newName, options) }
  }))
]
