/** Every field of a group, made and edited, with values of every kind; every form of a name; and templates that are renamed where groups use them. */
import assert from 'node:assert/strict'
import type { Group, GroupChanges } from '../../../types/resources.js'
import { same, show } from '../suite.js'
import { Scene } from './scene.js'
import type { RuntimeCases, Stage } from './stage.js'

interface Has {
  readonly services: boolean
  readonly templates: boolean
  readonly reopen: boolean
}

const OLD = 'Conformance-1'
const NEW = 'Conformance-0'
/** In no order. */
const [BEFORE, AFTER] = ['zz_Conformance', 'A-Conformance'] as const

/** Names of every form that there may be, the names that every object has among them. */
const names = ['a', '_', '0', '9-', '_-', 'A_b-C', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'x'.repeat(64), 'Y1_-'.repeat(16)]

/** Values that a property of any name may have. */
const properties: Group['properties'] = {
  'conformance-yes': true,
  'conformance-no': false,
  'conformance-zero': 0,
  'conformance-one': 1,
  'conformance-below': -1.5,
  'conformance-big': Number.MAX_SAFE_INTEGER,
  'conformance-blank': '',
  'conformance-text': ' ünïcödé "quoted"\\ ',
  'conformance-word': 'false',
  'conformance-digits': '007',
  'conformance-long': 'x'.repeat(500)
}

/** So many characters a property may have before a runtime has to refuse them, or not: a request has a megabyte. */
const LARGE = [70_000, 1_000_000]

/** Values for each field, each after the one before: raised and lowered, emptied and filled. */
function edits (stage: Stage, has: Has, versions: readonly string[]): readonly GroupChanges[] {
  const { platform, properties: own, templates } = stage.group()
  return [
    ...[3, 9, 0, 2].map(maxOnlineService => ({ maxOnlineService })),
    ...[100, 1, 0, 37].map(percentageToStartNewService => ({ percentageToStartNewService })),
    ...[2_048, 512, 4_096, 256].map(maxMemory => ({ maxMemory })),
    ...[1, 256, 64].map(minMemory => ({ minMemory })),
    { minMemory: 1, maxMemory: 1 },
    { minMemory: 200, maxMemory: 300 },
    ...[...versions, ...versions.toReversed()].map(version => ({ platform: { name: platform.name, version } })),
    ...[{ ...own, ...properties }, own, { ...own, 'conformance-no': false }, { ...own, 'conformance-zero': 0 }, { ...own, 'conformance-blank': '' }, {}, own].map(properties => ({ properties })),
    ...has.templates ? [[BEFORE, OLD, AFTER], [AFTER, BEFORE], [], [OLD], [AFTER, OLD, BEFORE], templates].map(templates => ({ templates })) : [],
    {}
  ]
}

const versionsOf = async (stage: Stage): Promise<readonly string[]> => {
  const platforms = await stage.settled(stage.runtime.platforms.list(stage.options))
  return (platforms.find(({ name }) => name === stage.group().platform.name)?.versions ?? []).slice(0, 3).map(({ version }) => version)
}

async function begin (stage: Stage, has: Has): Promise<Scene> {
  const scene = await Scene.of(stage)
  if (has.templates) for (const template of [BEFORE, OLD, AFTER]) await scene.ask('templates.create', template)
  return scene
}

/** The contract of the fields of groups. */
export const fields = (has: Has): RuntimeCases => async add => {
  await add('groups.create adds the group as it is given, whatever the fields have, and a new start finds it so', async stage => {
    const scene = await begin(stage, has)
    const { name, properties: own } = stage.group()
    const versions = await versionsOf(stage)
    const given: ReadonlyArray<Partial<Group>> = [
      { properties: { ...own, ...properties } }, { properties: {} }, { properties: { ...own, fallback: false, static: false } }, { minMemory: 1, maxMemory: 1 }, { maxMemory: 4_096 }, { percentageToStartNewService: 100 }, { percentageToStartNewService: 0 },
      { maxOnlineService: 0 }, { maxOnlineService: 50 }, { createdAt: 1 }, { createdAt: 1_760_000_000_123 }, ...versions.map(version => ({ platform: { ...stage.group().platform, version } })),
      ...has.templates ? [{ templates: [BEFORE, OLD, AFTER] }, { templates: [AFTER, BEFORE] }, { templates: [] }] : []
    ]
    for (const [n, fields] of given.entries()) await scene.ask('groups.create', stage.group({ name: `${name}-f${n}`, ...fields }))
    if (has.reopen) await scene.reopen()
    scene.end()
  })

  await add('groups.edit of each field, raised and lowered, emptied and filled, is kept, and a new start finds it so', async stage => {
    const scene = await begin(stage, has)
    const { name } = stage.group()
    const all = edits(stage, has, await versionsOf(stage))
    await scene.ask('groups.create', stage.group())
    for (const changes of all) await scene.ask('groups.edit', name, changes)
    // The last of each field stays; and each by itself in a group of its own.
    for (const [n, changes] of all.entries()) {
      await scene.ask('groups.create', stage.group({ name: `${name}-e${n}`, minMemory: 100, maxMemory: 1_000 }))
      await scene.ask('groups.edit', `${name}-e${n}`, changes)
    }
    if (has.reopen) await scene.reopen()
    scene.end()
  })

  await add('groups.create and templates.create take every form of a name, the longest as well, and a new start finds them so', async stage => {
    const scene = await Scene.of(stage)
    for (const name of names) {
      if ([...scene.oracle.groups.keys()].some(one => one.toLowerCase() === name.toLowerCase())) continue
      await scene.ask('groups.create', stage.group({ name }))
      if (has.templates && ![...scene.oracle.templates].some(one => one.toLowerCase() === name.toLowerCase())) await scene.ask('templates.create', name)
    }
    if (has.reopen) await scene.reopen()
    for (const name of names) {
      await scene.ask('groups.edit', name, { percentageToStartNewService: 3, ...has.templates && { templates: [name] } })
      if (has.templates) await scene.ask('templates.delete', name)
      await scene.ask('groups.delete', name)
      if (has.templates) await scene.ask('templates.delete', name)
    }
    scene.end()
  })

  await add('groups.create and edit that answer too-large have made and changed nothing', async stage => {
    const { name, properties: own } = await stage.withGroup({ name: `${stage.group().name}-edited` })
    for (const length of LARGE) {
      const properties = { ...own, 'conformance-large': 'x'.repeat(length) }
      const large = stage.group({ name: `${stage.group().name}-${length}`, properties })
      const made = await stage.call('groups.create', large)
      assert.ok(made === true || made === 'too-large', `groups.create with a property of ${length} characters must answer true or 'too-large', and answered ${show(made)}`)
      same(await stage.findGroup(large.name) !== undefined, made === true, `groups.create answered ${show(made)}: whether groups.list has that group`)
      const before = await stage.findGroup(name)
      const edited = await stage.call('groups.edit', name, { properties, maxOnlineService: 5 })
      assert.ok(edited === 'too-large' || typeof edited === 'object', `groups.edit with a property of ${length} characters must answer the group or 'too-large', and answered ${show(typeof edited)}`)
      if (edited === 'too-large') same(await stage.findGroup(name), before, "groups.edit answered 'too-large': the group must be as it was")
      if (made !== true) await stage.says(true, 'groups.create', { ...large, properties: own })
      await stage.says(true, 'groups.delete', large.name)
    }
  })

  if (has.services) {
    await add('services.list: the properties of a service are those of its group as strings, whatever they are', async stage => {
      const group = await stage.withGroup({ properties: { ...stage.group().properties, ...properties } })
      const { name } = await stage.online()
      const shown = (await stage.find(name))?.properties ?? {}
      for (const [property, value] of Object.entries(group.properties)) same(shown[property], String(value), `the property ${show(property)} of ${name} must be that of its group, as a string`)
    })
  }

  if (!has.templates) return
  for (const { title, lead, needsServices } of uses) {
    if (needsServices === true && !has.services) continue
    await add(`templates.rename renames it in every group that uses it, where the group ${title}`, async stage => {
      const scene = await begin(stage, has)
      const { name, templates } = stage.group()
      const places = [[OLD, BEFORE, AFTER], [BEFORE, OLD, AFTER], [BEFORE, AFTER, OLD], [AFTER, BEFORE]]
      for (const [n, place] of places.entries()) await scene.ask('groups.create', stage.group({ name: n === 1 ? name : `${name}-${n}`, templates: [...place, ...templates] }))
      await lead(scene, name)
      for (const newName of [OLD, NEW, NEW.toUpperCase()]) await scene.ask('templates.rename', newName === NEW.toUpperCase() ? NEW : OLD, newName)
      const listed = await stage.findGroup(name)
      if (listed !== undefined) same(listed.templates, [BEFORE, NEW.toUpperCase(), AFTER, ...templates], `groups.list must have ${name} with the new name of its template`)
      await scene.settle()
      if (has.reopen) await scene.reopen()
      scene.end()
    })
  }

  if (!has.services) return
  await add('templates.delete answers true where only services have it that were started before an edit of their group', async stage => {
    const scene = await begin(stage, has)
    const { name, templates } = stage.group()
    await scene.ask('groups.create', stage.group({ templates: [...templates, OLD, AFTER] }))
    await started(scene, name, 'ONLINE')
    await scene.ask('templates.delete', OLD)
    await scene.ask('groups.edit', name, { templates: [...templates, AFTER] })
    await scene.ask('templates.delete', OLD)
    await scene.ask('templates.delete', AFTER)
    scene.end()
  })
}

/** What a group is like whose template gets another name. */
const uses: ReadonlyArray<{ readonly title: string, readonly needsServices?: true, lead (scene: Scene, group: string): Promise<unknown> }> = [
  { title: 'is idle', lead: async () => {} },
  { title: 'has a service that is STARTING', needsServices: true, lead: async (scene, group) => await started(scene, group) },
  { title: 'has a service that is ONLINE', needsServices: true, lead: async (scene, group) => await started(scene, group, 'ONLINE') },
  {
    title: 'has a service that is stopped',
    needsServices: true,
    async lead (scene, group) {
      const service = await started(scene, group, 'ONLINE')
      await scene.ask('services.stop', service)
      await scene.stage.becomes(service, 'OFFLINE')
    }
  },
  {
    title: 'is being deleted',
    needsServices: true,
    async lead (scene, group) {
      await started(scene, group, 'ONLINE')
      await scene.begin(group)
    }
  }
]

async function started (scene: Scene, group: string, until?: 'ONLINE'): Promise<string> {
  const answer = await scene.ask('services.start', group)
  assert.ok(typeof answer === 'object', `services.start(${show(group)}) must answer { name }`)
  if (until !== undefined) await scene.stage.becomes(answer.name, until)
  return answer.name
}
