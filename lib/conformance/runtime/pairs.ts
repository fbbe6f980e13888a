/** What happens twice, or to two at once: deaths, restarts, stops, lives of one service and services of one group. */
import assert from 'node:assert/strict'
import type { RuntimeService, StateChange } from '../../../types/runtime.js'
import { same, show } from '../suite.js'
import { following, print, printed } from './consoles.js'
import { ending } from './ending.js'
import { exits } from './exits.js'
import { dies, kept, several, soon, startingAgain } from './furnished.js'
import { statesOf, type RuntimeCases } from './stage.js'

interface Has {
  readonly crash: boolean
  readonly force: boolean
  readonly restarts: boolean
  readonly prints: boolean
}

const deaths: RuntimeCases = async add => {
  await add('two services of a group that die at once: the group has its minimum again afterwards', async stage => {
    const { scene, services } = await kept(stage, 2, 2)
    await Promise.all(services.map(async ({ name }) => await scene.die(name)))
    for (const service of services) {
      const hasEnded = ending(stage, service)
      await soon(stage, `the death of ${service.name} can be seen`, async () => {
        const now = await stage.find(service.name)
        return now?.state !== 'ONLINE' || hasEnded(now)
      })
    }
    await scene.settle()
    scene.end()
  })

  await add('a service that dies a second time, and one that dies while it is STARTING again: the group has its minimum again afterwards', async stage => {
    const { scene, group } = await kept(stage, 1, 1)
    const one = async (state: RuntimeService['state']) => await soon(stage, `a service is ${state}`, async () => (await stage.services(group)).find(service => service.state === state || service.state === 'ONLINE'))
    for (let death = 0; death < 2; death++) await dies(scene, await one('ONLINE'))
    const third = await one('STARTING')
    await scene.die(third.name)
    await scene.settle()
    scene.end()
  })

  await add('a program that dies takes nothing back, where the service is STARTING again in a restart', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    const before = (await stage.find(name!))!
    await stage.pause()
    await scene.ask('services.restart', name!)
    await startingAgain(stage, before)
    await scene.die(name!)
    await scene.settle()
    scene.end()
  })

  for (const [who, count, dead] of [['the only service has', 1, 1], ['one of two has', 2, 1], ['both have', 2, 2], ['two of three have', 3, 2]] as const) {
    await add(`services.start answers limit in a group that has its maximum, where ${who} died and is OFFLINE`, async stage => {
      const { scene, group, services } = await kept(stage, count, count)
      for (const service of services.slice(0, dead)) await dies(scene, service)
      const before = await stage.services(group)
      const areDead = before.length === count && before.filter(({ state }) => state === 'OFFLINE').length === dead && stage.isPlain
      const answer = await scene.ask('services.start', group)
      if (areDead && stage.isPrompt) same(answer, 'limit', `nobody stopped who has died, so that each counts: services.start(${show(group)})`)
      await scene.settle()
      scene.end()
    })

    await add(`services.start of a service that has died starts it, in a group that has its maximum as well, where ${who} died`, async stage => {
      const { scene, group, services } = await kept(stage, count, count)
      for (const service of services.slice(0, dead)) await dies(scene, service)
      for (const { name } of services.slice(0, dead)) {
        const answer = await scene.ask('services.start', name)
        const others = (await stage.services(group)).filter(one => one.name !== name && (one.state !== 'OFFLINE' || services.every(known => known.name !== one.name)))
        assert.ok(answer !== 'limit' || others.length >= count, `${name} has died, and has its place in ${group}, the others of which are fewer than ${count}: services.start(${show(name)}) may not answer 'limit'`)
      }
      await scene.settle()
      scene.end()
    })
  }

  await add('groups.delete: a service that dies meanwhile is not started any more', async stage => {
    const { scene, group, services } = await kept(stage, 2, 2)
    // What is listed may be told a moment later.
    if (stage.runtime.states !== undefined) await stage.until('states.watch has told that they are ONLINE', () => services.every(({ name }) => scene.told.get(name)?.at(-1)?.state === 'ONLINE'))
    const told = new Map(services.map(({ name }) => [name, scene.told.get(name)?.length ?? 0]))
    await scene.begin(group)
    for (const { name } of services) await scene.die(name)
    await scene.settle()
    for (const [name, from] of told) {
      const states = (scene.told.get(name) ?? []).slice(from).map(({ state }) => state)
      assert.ok(!states.includes('STARTING') && !states.includes('ONLINE'), `no service of ${group} may start from the first moment of its deletion, and states.watch told of ${name}: ${show(states)}`)
    }
    scene.end()
  })

  await add('groups.delete leaves no process behind of services that were restarted or have died', async stage => {
    const { scene, group, names } = await several(stage, 2)
    const [first, second] = await Promise.all(names.map(async name => (await stage.find(name))!))
    await scene.ask('services.restart', first!.name)
    await dies(scene, second!)
    await scene.settle()
    await scene.ask('groups.delete', group)
    const left = await stage.subject.remains?.(group) ?? 0
    assert.ok(left === 0, `groups.delete(${show(group)}) answered, and ${left} of its processes are left, as remains(${show(group)}) counts`)
    scene.end()
  })
}

const restarts: RuntimeCases = async add => {
  await add('services.restart: a second one joins the first, and one life begins', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    const { revision } = stage.runtime.services
    const changes: StateChange[] = []
    const watching = new AbortController()
    stage.runtime.states?.watch(change => { if (change.serviceName === name) changes.push(change) }, watching)
    await scene.ask('services.restart', name!)
    // Where the first is over by the time that it answers, the second is another.
    const wasPrompt = stage.isPrompt
    // At this very moment: the first may be over at the next.
    const state = stage.glance(name!)
    const isUnderWay = state !== undefined && (state !== 'ONLINE' || stage.runtime.services.revision === revision)
    await stage.says(true, 'services.restart', name!)
    const isJoined = isUnderWay && wasPrompt && stage.isPrompt
    await scene.settle()
    for (let looks = 0; looks < 8; looks++) await stage.pause()
    await scene.settle()
    const lives = changes.filter(({ state }) => state === 'ONLINE').length
    if (isJoined) assert.ok(lives <= 1, `the second of two restarts must join the first, and states.watch told ${show(changes.map(({ state }) => state))}`)
    watching.abort()
    scene.end()
  })

  await add('services.restart: a second one joins the first while that is STARTING again', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    const before = (await stage.find(name!))!
    // What is told is told late perhaps: all of it is counted, from before the first one on.
    const from = scene.told.get(name!)?.length ?? 0
    await stage.pause()
    await scene.ask('services.restart', name!)
    await startingAgain(stage, before)
    // In one turn: it may be ONLINE in the next.
    const isUnderWay = stage.glance(name!) === 'STARTING'
    await stage.says(true, 'services.restart', name!)
    const isJoined = isUnderWay && stage.isPrompt
    await scene.settle()
    const told = (scene.told.get(name!) ?? []).slice(from).map(({ state }) => state)
    for (const state of ['STOPPING', 'ONLINE']) {
      if (isJoined) assert.ok(told.filter(one => one === state).length <= 1, `the second of two restarts must join the first, and states.watch told ${show(told)}`)
    }
    scene.end()
  })

  await add('services.restart brings a stopped service back with the port and createdAt that it had', async stage => {
    const { scene, names } = await several(stage, 2)
    const before = await Promise.all(names.map(async name => (await stage.find(name))!))
    for (const { name } of before) {
      await scene.ask('services.stop', name)
      await stage.becomes(name, 'OFFLINE')
    }
    for (const { name } of before) await scene.ask('services.restart', name)
    await scene.settle()
    for (const { name, port, createdAt } of before) {
      const now = await stage.find(name)
      same({ port: now?.port, createdAt: now?.createdAt }, { port, createdAt }, `${name} must come back with the same port and createdAt`)
    }
    scene.end()
  })

  await add('services.start of one of several that are stopped starts that one and no other', async stage => {
    const { scene, names } = await several(stage, 3)
    for (const name of names) {
      await scene.ask('services.stop', name)
      await stage.becomes(name, 'OFFLINE')
    }
    for (const [n, name] of [...names].reverse().entries()) {
      same(await scene.ask('services.start', name), { name }, `services.start(${show(name)}) must answer its name`)
      await stage.becomes(name, 'ONLINE')
      const now = await stage.services()
      const others = now.filter(one => names.includes(one.name) && one.state !== 'OFFLINE')
      assert.ok(others.length === n + 1, `services.start(${show(name)}) may start ${name} alone; ${statesOf(now)}`)
    }
    scene.end()
  })

  await add('services.restart of a service that is STARTING begins another life, with what its group has by then', async stage => {
    const { scene, group, names: [name] } = await several(stage, 1)
    await scene.ask('services.stop', name!)
    await stage.becomes(name!, 'OFFLINE')
    await scene.ask('services.start', name!)
    await scene.ask('groups.edit', group, { minMemory: 97, maxMemory: 161 })
    await scene.ask('services.restart', name!)
    await stage.until(`${name!} is ONLINE with the memory that its group was given before services.restart`, async () => {
      const now = await stage.find(name!)
      return now?.state === 'ONLINE' && now.minMemory === 97 && now.maxMemory === 161
    })
    scene.end()
  })
}

const pasts: RuntimeCases = async add => {
  await add('consoles.follow gives the last lines of the present life after those of the lives before', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    for (const life of [1, 2, 3]) {
      for (const n of [1, 2]) await print(stage, name!, `life ${life} line ${n}`)
      await printed(stage, name!, `life ${life} line 2`)
      if (life === 3) break
      await scene.ask('services.stop', name!)
      await stage.becomes(name!, 'OFFLINE')
      await scene.ask('services.start', name!)
      await stage.becomes(name!, 'ONLINE')
    }
    const { lines, follower, stop } = following(stage, name!)
    await stage.settled(follower, 'consoles.follow')
    await stage.until('the last line is told', () => lines.includes('life 3 line 2'), () => show(lines))
    const told = lines.filter(line => /^life \d line \d$/.test(line))
    const all = [1, 2, 3].flatMap(life => [1, 2].map(n => `life ${life} line ${n}`))
    assert.ok(told.length >= 2, `the lines of the present life must be told, and told was ${show(told)}`)
    same(told, all.slice(all.length - told.length), 'lines of earlier lives must come before those of the present one')
    stop()
    scene.end()
  })
}

const rolls: RuntimeCases = async add => {
  await add('groups.restart restarts the last one that is ONLINE only when another one is, where one has just died', async stage => {
    const { scene, group, services: [first, second] } = await kept(stage, 2, 2)
    await dies(scene, second!)
    // It may be back by now.
    const before = await stage.services(group)
    same(await stage.settled(stage.restarts.restart(group, stage.options), 'groups.restart'), true, 'groups.restart must answer true')
    assert.ok(before.some(({ name }) => name === first!.name), `${first!.name} must be listed; ${statesOf(before)}`)
    await soon(stage, `the restart of ${group} is over`, async () => {
      const now = await stage.services(group)
      assert.ok(now.some(({ state }) => state === 'ONLINE'), `the last service that is ONLINE may only be ended when another one is; ${statesOf(now)}`)
      return await stage.settled(stage.restarts.progressOf(group, stage.options), 'groups.progressOf') === undefined
    })
    await scene.settle()
    scene.end()
  })
}

/** Two of everything that can happen to services. */
export const pairs = (has: Has): RuntimeCases => async add => {
  if (has.crash) await deaths(add)
  await restarts(add)
  await exits(has)(add)
  if (has.prints) await pasts(add)
  if (has.restarts && has.crash) await rolls(add)
}
