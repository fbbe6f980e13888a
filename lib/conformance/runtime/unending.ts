/** The verbs on a service that does not stop. */
import { several } from './furnished.js'
import type { RuntimeCases } from './stage.js'

/** The verbs on a service that does not stop, where the author can have one. */
export const unending = (has: { readonly force: boolean }): RuntimeCases => async add => {
  await add('services.stop and services.restart answer at once, of a service that does not stop', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    const heal = await stage.subject.stuck?.(name!)
    for (const verb of ['services.stop', 'services.restart', 'services.stop'] as const) await scene.ask(verb, name!)
    await heal?.()
    scene.end()
  })

  if (!has.force) return
  await add('services.kill ends a service that was stopped and does not stop', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    const heal = await stage.subject.stuck?.(name!)
    await scene.ask('services.stop', name!)
    await scene.ask('services.kill', name!)
    await stage.becomes(name!, 'OFFLINE')
    await heal?.()
    scene.end()
  })
}
