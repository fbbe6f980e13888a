/** The verbs on a service that does not stop. */
import assert from 'node:assert/strict'
import { same } from '../suite.js'
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
  for (const verb of ['stop', 'restart'] as const) {
    await add(`services.kill ends a service that was asked to ${verb} and does not stop, and its lastExit says so`, async stage => {
      const { scene, names: [name] } = await several(stage, 1)
      await scene.ask('services.stop', name!)
      const before = await stage.becomes(name!, 'OFFLINE')
      await stage.pause()
      await scene.ask('services.start', name!)
      await stage.becomes(name!, 'ONLINE')
      await stage.pause()
      const heal = await stage.subject.stuck?.(name!)
      await scene.ask(`services.${verb}`, name!)
      await stage.pause()
      const isStopping = (await stage.find(name!))?.state === 'STOPPING'
      await scene.ask('services.kill', name!)
      const { lastExit } = await stage.becomes(name!, 'OFFLINE')
      // Not every runtime tells.
      if (before.lastExit !== undefined && isStopping) {
        assert.ok(lastExit !== undefined && lastExit.at !== before.lastExit.at, `${name!} has ended once more, and its lastExit is that of an earlier life`)
        same(lastExit.reason, 'killed', `${name!} did not stop and was killed: the reason of its lastExit`)
      }
      await heal?.()
      scene.end()
    })
  }
}
