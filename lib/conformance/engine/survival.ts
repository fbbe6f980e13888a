/** The cases of `find`: what runs survives the core, and the next one finds it by its mark. */
import { same, show } from '../suite.js'
import type { Has } from './lives.js'
import type { EngineCases } from './stage.js'

/** Where the author can end the core and start it anew. An engine that keeps nothing answers nothing. */
export const survival = (has: Has): EngineCases => async add => {
  await add('find answers what runs, each life once and as it was planned', async stage => {
    const before = [await stage.start(stage.plan('conformance-1')), await stage.start(stage.plan('conformance-2'))]
    const found = await stage.reopen()
    if (found.length === 0) return
    same(found.map(({ name }) => name).sort(), ['conformance-1', 'conformance-2'], 'find() must answer each life that runs, once')
    for (const { life, plan } of before) {
      const again = found.find(({ name }) => name === plan.name)!
      same({ name: again.name, token: again.token, note: again.note, startedAt: again.startedAt, port: again.port },
        { name: plan.name, token: plan.token, note: plan.note, startedAt: life.startedAt, port: life.port }, `${plan.name} must be found with its mark`)
      same(again.end, undefined, `${plan.name} runs, and has no end`)
    }
  })

  await add('find: what was found can be followed and stopped like any other', async stage => {
    const { plan } = await stage.start()
    const [life] = await stage.reopen()
    if (life === undefined) return
    const watched = stage.watch(life, plan)
    if (has.print) await stage.print(watched, 'line 1')
    await stage.stop(watched)
    await stage.ended(watched)
  })

  await add('find: the mark is there as soon as start has answered, and what was not answered is there whole or not at all', async stage => {
    const plan = stage.plan()
    const starting = (async () => await stage.start(plan))()
    starting.catch(() => {})
    await stage.pause()
    const found = await stage.reopen()
    for (const life of found) {
      same([life.name, life.token], [plan.name, plan.token], 'what is found must have its mark')
      await stage.stop(stage.watch(life, plan))
      await stage.gone(life.name)
    }
  })

  await add('find after an end answers it with its end, or not at all', async stage => {
    const watched = await stage.start()
    await stage.stop(watched)
    await stage.ended(watched)
    for (const { name, end } of await stage.reopen()) {
      if (end === undefined) throw new Error(`${show(name)} has ended, and find() answers it without an end`)
    }
  })

  await add('find after discard answers nothing of it', async stage => {
    const watched = await stage.start()
    await stage.stop(watched)
    await stage.ended(watched)
    await stage.settled(stage.engine.discard(watched.life.name, { keep: false }), 'discard()')
    same((await stage.reopen()).map(({ name }) => name), [], 'nobody will start that service again')
  })
}
