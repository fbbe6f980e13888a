/** The cases of what reaches a service with its next start, whatever begins it, and of what stays over all of them. */
import type { Group } from '../../../types/resources.js'
import { same, show } from '../suite.js'
import { dies, more, several, startingAgain } from './furnished.js'
import { restart } from './rolls-beside.js'
import type { Scene } from './scene.js'
import type { RuntimeCases } from './stage.js'

interface Has {
  readonly crash: boolean
  readonly restarts: boolean
  readonly templates: boolean
  readonly services: boolean
}

/** What begins the next life of a service that is the only one of its group, and all that there may be. */
const starts: ReadonlyArray<readonly [how: string, needs: keyof Has, run: (scene: Scene, name: string, group: string) => Promise<unknown>]> = [
  ['a restart', 'services', async (scene, name) => await scene.ask('services.restart', name)],
  ['a stop and a start', 'services', async (scene, name) => {
    await scene.ask('services.stop', name)
    await scene.stage.becomes(name, 'OFFLINE')
    await scene.ask('services.start', name)
  }],
  ['its death', 'crash', async (scene, name) => {
    await dies(scene, (await scene.stage.find(name))!)
    // Nobody may start it where its group has no minimum.
    await scene.ask('services.restart', name)
  }],
  ['groups.restart of its group', 'restarts', async ({ stage }, _, group) => await restart(stage, group)]
]

/** Properties that nobody knows by name. */
const PROPERTIES = ['conformance-one', 'conformance-other'] as const

const [FIRST, SECOND, THIRD] = ['Conformance-1', 'Conformance-2', 'Conformance-3'] as const

/** The contract of the next start. */
export const reach = (has: Has): RuntimeCases => async add => {
  for (const [how, needs, run] of has.templates ? starts : []) {
    if (!has[needs]) continue
    await add(`groups.edit: memory, templates and properties reach a service with its next start, which is ${how}, and so does templates.rename`, async stage => {
      const { scene, group, names: [name] } = await several(stage, 1)
      for (const template of [FIRST, SECOND]) await scene.ask('templates.create', template)
      const { templates: own, properties: others } = stage.group()
      const begin = async (memory: number, templates: readonly string[], properties: Group['properties']): Promise<void> => {
        const before = (await stage.find(name!))!
        await run(scene, name!, group)
        await startingAgain(stage, before)
        let seen: unknown
        await stage.until(`${name!} is ONLINE with what its group has`, async () => {
          const now = await stage.find(name!)
          seen = now && { state: now.state, minMemory: now.minMemory, templates: now.templates.map(template => template.name), properties: now.properties }
          const laid = now?.templates.map(template => template.name).filter(one => templates.includes(one))
          const isThere = laid?.join() === templates.join() && (now?.templates.every(template => template.name !== THIRD || templates.includes(THIRD)) ?? false)
          const [has, wanted] = [now?.properties ?? {}, Object.entries(properties)]
          const hasProperties = wanted.every(([key, value]) => has[key] === String(value)) && PROPERTIES.every(key => key in properties || !(key in has))
          return now?.state === 'ONLINE' && now.minMemory === memory && isThere && hasProperties
        }, () => `${show(seen)}, and its group has ${show({ minMemory: memory, templates, properties })}`)
      }
      const [before, after] = [{ ...others, [PROPERTIES[0]]: 'one', [PROPERTIES[1]]: 1 }, { ...others, [PROPERTIES[1]]: 2 }]
      await scene.ask('groups.edit', group, { minMemory: 97, maxMemory: 161, templates: [...own, SECOND, FIRST], properties: before })
      await begin(97, [...own, SECOND, FIRST], before)
      await scene.ask('templates.rename', SECOND, THIRD)
      await scene.ask('groups.edit', group, { minMemory: 98, properties: after })
      await begin(98, [...own, THIRD, FIRST], after)
      scene.end()
    })
  }

  await add('services.restart brings the service back with the same port and createdAt, again and again, and while others start', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    const { port, createdAt } = (await stage.find(name!))!
    const isAsBefore = async (when: string): Promise<void> => {
      const now = (await stage.find(name!))!
      same({ port: now.port, createdAt: now.createdAt }, { port, createdAt }, `the port and createdAt of ${name!} ${when}`)
    }
    for (const n of [1, 2, 3]) {
      const before = (await stage.find(name!))!
      await scene.ask('services.restart', name!)
      await startingAgain(stage, before)
      await stage.becomes(name!, 'ONLINE')
      await isAsBefore(`after ${n} restarts`)
    }
    await scene.ask('services.stop', name!)
    await stage.becomes(name!, 'OFFLINE')
    await more(scene, { name: `other-${stage.group().name}` }, 1)
    await scene.ask('services.restart', name!)
    await stage.becomes(name!, 'ONLINE')
    await isAsBefore('where another service was started while it was OFFLINE')
    scene.end()
  })
}
