/** The cases of services that are started by hand, up to the maximum of their group. */
import assert from 'node:assert/strict'
import { many, same, show, tally } from '../suite.js'
import { Scene } from './scene.js'
import { statesOf, type Stage, type RuntimeCases } from './stage.js'

/** The contract of starting one more service of a group. */
export const serviceStarts: RuntimeCases = async add => {
  await add('services.start starts one more service of a group, and answers its name', async stage => {
    const first = await stage.online()
    const second = await started(stage, first.groupName)
    assert.ok(second !== first.name, `services.start(${show(first.groupName)}) must answer the name of one more service, and answered that of the one that runs`)
    same((await stage.becomes(second, 'ONLINE')).groupName, first.groupName, `${second} must be of that group`)
    same((await stage.find(first.name))?.state, 'ONLINE', `${first.name} must run on`)
  })

  await add('services.start takes a name that a group and a service have for that of the group', async stage => {
    const { name, groupName } = await stage.stopped()
    // Such a service can have no namesake.
    if (!isGroupName(name)) return
    const twin = await stage.withGroup({ name })
    const other = await started(stage, name)
    same((await stage.becomes(other, 'ONLINE')).groupName, twin.name, `${other} must be of the group of that name`)
    same((await stage.services(groupName)).find(service => service.name === name)?.state, 'OFFLINE', `the service ${name} must stay as it was`)
  })

  await add('services.start answers limit when the group has its maximum, also of many at once', async stage => {
    const { name } = await stage.withGroup({ maxOnlineService: 2 })
    const start = async () => await stage.control.start(name, stage.options)
    same(tally(await stage.settled(many(5, start), 'services.start, five at once,')), { done: 2, limit: 3 }, 'of five starts at once in a group of at most two')
    await stage.says('limit', 'services.start', name)
    const there = await stage.services(name)
    assert.ok(there.length === 2, `the group must have two services; ${statesOf(there)}`)
  })

  for (const [from, to] of [[3, 1], [4, 1], [3, 0]] as const) {
    await add(`services.start answers limit from the moment at which a maximum of ${from} is lowered to ${to}, and all that is above it ends`, async stage => {
      const { name } = await stage.withGroup({ maxOnlineService: from })
      const names = []
      for (let n = 0; n < from; n++) names.push(await started(stage, name))
      for (const one of names) await stage.becomes(one, 'ONLINE')
      await stage.call('groups.edit', name, { minOnlineService: to, maxOnlineService: to })
      await stage.says('limit', 'services.start', name)
      await stage.until(`of ${from} services of ${name}, which may have ${to}, no more are left`, async () => {
        const left = (await stage.services(name)).filter(({ state }) => state !== 'OFFLINE')
        assert.ok(left.length >= to, `no more than what is above the maximum ends: ${name} may have ${to}, and has ${left.length}`)
        return left.length === to
      })
      await stage.says('limit', 'services.start', name)
    })
  }

  await add('services.start: one that is stopped is none of the maximum', async stage => {
    const { name } = await stage.withGroup({ maxOnlineService: 1 })
    await stage.stopped()
    await stage.becomes(await started(stage, name), 'ONLINE')
  })

  await add('services.start: one that was killed is none of the maximum, and one that is STOPPING is', async stage => {
    const scene = await Scene.of(stage)
    const { name } = stage.group()
    await scene.ask('groups.create', stage.group({ maxOnlineService: 2 }))
    const names = [await started(stage, name), await started(stage, name)]
    for (const one of names) await stage.becomes(one, 'ONLINE')
    for (const [n, verb] of (['services.stop', ...stage.runtime.services.force === undefined ? [] : ['services.kill' as const]] as const).entries()) {
      await scene.ask(verb, names[n]!)
      // Whatever it is by now: it is compared with what is listed in the turn of the call.
      const early = await scene.ask('services.start', name)
      if (typeof early === 'object') names.push(early.name)
      // The one that has just ended may be that one more.
      if (typeof early !== 'object' || early.name !== names[n]) await stage.becomes(names[n]!, 'OFFLINE')
      if (typeof early !== 'object') names.push(await started(stage, name))
      await stage.becomes(names.at(-1)!, 'ONLINE')
    }
    scene.end()
  })
}

/** One more service of a group. */
async function started (stage: Stage, group: string): Promise<string> {
  const answer = await stage.call('services.start', group)
  if (typeof answer !== 'object') assert.fail(`services.start(${show(group)}) must answer { name }, and answered ${show(answer)}`)
  return answer.name
}

const isGroupName = (name: string): boolean => /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/.test(name)
