/** What survives the end of the core, where the author can end it and start it anew: each verb by itself, straight after its answer. */
import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { show } from '../suite.js'
import { plain } from './oracle.js'
import { Scene } from './scene.js'
import type { RuntimeCases, Stage } from './stage.js'
import { described } from './verbs.js'

interface Write {
  readonly verb: string
  readonly needsTemplates?: true
  run (scene: Scene, group: string, stage: Stage): Promise<unknown>
}

const OLD = 'Conformance-1'
const NEW = 'Conformance-2'

const writes: readonly Write[] = [
  { verb: 'groups.create', run: async () => {} },
  ...([['maxOnlineService', 5], ['minMemory', 96], ['maxMemory', 300], ['percentageToStartNewService', 42]] as const).map(([field, value]) => ({
    verb: `groups.edit of ${field}`,
    run: async (scene: Scene, group: string) => await scene.ask('groups.edit', group, { [field]: value })
  })),
  {
    verb: 'groups.edit of the version of the platform',
    async run (scene, group, stage) {
      const { platform } = stage.group()
      const { versions = [] } = (await stage.settled(stage.runtime.platforms.list(stage.options))).find(({ name }) => name === platform.name) ?? {}
      for (const { version } of [...versions].slice(0, 3)) await scene.ask('groups.edit', group, { platform: { name: platform.name, version } })
    }
  },
  { verb: 'groups.edit of properties', run: async (scene, group, stage) => await scene.ask('groups.edit', group, { properties: { ...stage.group().properties, edited: 'so' } }) },
  {
    verb: 'groups.edit of templates',
    needsTemplates: true,
    async run (scene, group, stage) {
      await scene.ask('templates.create', NEW)
      await scene.ask('groups.edit', group, { templates: [...stage.group().templates, NEW] })
    }
  },
  {
    verb: 'groups.edit, twice',
    run: async (scene, group) => {
      await scene.ask('groups.edit', group, { maxOnlineService: 5 })
      await scene.ask('groups.edit', group, { maxOnlineService: 3, percentageToStartNewService: 9 })
    }
  },
  { verb: 'groups.delete', run: async (scene, group) => await scene.ask('groups.delete', group) },
  {
    verb: 'groups.delete and groups.create of the same name',
    async run (scene, group, stage) {
      await scene.ask('groups.delete', group)
      await scene.ask('groups.create', stage.group({ maxOnlineService: 4 }))
    }
  },
  { verb: 'templates.create', needsTemplates: true, run: async scene => await scene.ask('templates.create', NEW) },
  { verb: 'templates.rename', needsTemplates: true, run: async scene => await scene.ask('templates.rename', OLD, NEW) },
  {
    verb: 'templates.delete',
    needsTemplates: true,
    async run (scene) {
      await scene.ask('templates.create', NEW)
      await scene.ask('templates.delete', NEW)
    }
  }
]

export const survival = (has: { readonly templates: boolean }): RuntimeCases => async add => {
  for (const { verb, needsTemplates, run } of writes) {
    if (needsTemplates === true && !has.templates) continue
    await add(`${verb} outlives the core as soon as it has answered`, async stage => {
      const scene = await Scene.of(stage)
      const other = stage.group({ name: `${stage.group().name}-other`, maxOnlineService: 3 })
      if (has.templates) await scene.ask('templates.create', OLD)
      const templates = [...stage.group().templates, ...has.templates ? [OLD] : []]
      for (const group of [other, stage.group({ templates })]) await scene.ask('groups.create', group)
      await run(scene, stage.group().name, stage)
      await scene.reopen()
    })
  }

  await add('groups.delete after a new start leaves no process behind, those of services that ran before neither', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 2 })
    await stage.until('two services are ONLINE', async () => (await stage.services(name)).filter(({ state }) => state === 'ONLINE').length === 2)
    await stage.reopen()
    await stage.says(true, 'groups.delete', name)
    const left = await stage.subject.remains?.(name) ?? 0
    assert.ok(left === 0, `groups.delete(${show(name)}) answered, and ${left} of its processes are left, as remains(${show(name)}) counts`)
  })

  for (const [verb, given] of amid) {
    if (verb.startsWith('templates.') && !has.templates) continue
    for (const [when, wait] of Object.entries(moments)) {
      await add(`${verb} that was not answered yet is there whole or not at all after a new start${when}`, async stage => {
        const scene = await Scene.of(stage)
        const templates = [...stage.group().templates, ...has.templates ? [OLD] : []]
        if (has.templates) await scene.ask('templates.create', OLD)
        for (const n of [1, 2]) await scene.ask('groups.create', stage.group({ name: `${stage.group().name}-${n}`, templates }))
        if (verb === 'templates.delete') await scene.ask('templates.create', NEW)
        const before = asKept(scene)
        const asked = given(stage)
        const [part, method] = verb.split('.') as ['groups' | 'templates', 'create']
        const verbs = (part === 'groups' ? stage.groupControl : stage.templates) as unknown as Record<string, (...given: unknown[]) => unknown>
        // It may answer, throw or never answer.
        const pending = (async () => await verbs[method]!(...asked, stage.options))()
        pending.catch(() => {})
        await wait()
        await stage.reopen()
        scene.oracle.note(verb, asked, verb === 'groups.edit' ? {} : true)
        const after = asKept(scene)
        scene.end()
        const now = asKept(await Scene.of(stage))
        assert.ok(isDeepStrictEqual(now, before) || isDeepStrictEqual(now, after),
          `${described(verb, asked)} was not answered yet: after a new start must be ${show(before)} or ${show(after)}, and is ${show(now)}`)
      })
    }
  }
}

/** How long after the call the core ends: what is written may be there in part for a while. */
const moments: Readonly<Record<string, () => Promise<unknown>>> = {
  '': async () => {},
  ', 2 turns later': async () => { for (let n = 0; n < 2; n++) await turn() },
  ', 2 ms later': async () => await delay(2),
  ', 6 ms later': async () => await delay(6),
  ', 15 ms later': async () => await delay(15)
}

/** What may be under way when the core ends, on two groups that use a template. */
const amid: ReadonlyArray<readonly [verb: 'groups.create' | 'groups.edit' | 'groups.delete' | 'templates.create' | 'templates.rename' | 'templates.delete', given: (stage: Stage) => readonly unknown[]]> = [
  ['groups.create', stage => [stage.group()]],
  ['groups.edit', stage => [`${stage.group().name}-1`, { minMemory: 97, maxMemory: 301, maxOnlineService: 7, percentageToStartNewService: 41, properties: { ...stage.group().properties, edited: 'so' } }]],
  ['groups.delete', stage => [`${stage.group().name}-1`]],
  ['templates.create', () => [NEW]],
  ['templates.rename', () => [OLD, NEW]],
  ['templates.delete', () => [NEW]]
]

/** What is kept over the end of a core, in one order. */
function asKept ({ oracle }: Scene) {
  return { groups: [...oracle.groups.values()].map(plain).sort((one, other) => one.name < other.name ? -1 : 1), templates: [...oracle.templates].sort() }
}
