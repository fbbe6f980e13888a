/** What survives the end of the core, where the author can end it and start it anew: each verb by itself, straight after its answer. */
import { Scene } from './scene.js'
import type { RuntimeCases, Stage } from './stage.js'

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

  await add('groups.create that was not answered yet is there whole or not at all after a new start', async stage => {
    const group = stage.group()
    const creating = (async () => await stage.groupControl.create(group, stage.options))()
    creating.catch(() => {})
    await stage.reopen()
    const scene = await Scene.of(stage)
    if (scene.oracle.groups.has(group.name)) scene.oracle.made(group)
    await scene.compare('after a new start')
    await scene.ask('groups.create', group)
  })
}
