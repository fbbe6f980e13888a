/** The cases of the deletion of a group: nothing of it is left. */
import assert from 'node:assert/strict'
import { setImmediate as turn } from 'node:timers/promises'
import { same, show } from '../suite.js'
import { ending } from './ending.js'
import { more, several } from './furnished.js'
import { statesOf, type RuntimeCases } from './stage.js'

/** The contract of deleting groups. */
export const groupDeletion: RuntimeCases = async add => {
  await add('groups.delete answers when the group and its services are gone', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 2 })
    await stage.until('a service is ONLINE', async () => (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
    await stage.says(true, 'groups.delete', name)
    same(await stage.findGroup(name), undefined, `groups.list must not have ${name} once groups.delete has answered`)
    same(await stage.services(name), [], `services.list must not have services of ${name} once groups.delete has answered`)
  })

  await add('groups.delete leaves no process behind', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 1 })
    await stage.until('a service is ONLINE', async () => (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
    await stage.call('groups.delete', name)
    // An author who does not count them leaves this to the lists.
    const left = await stage.subject.remains?.(name) ?? 0
    assert.ok(left === 0, `groups.delete(${show(name)}) answered, and ${left} of its processes are left, as remains(${show(name)}) counts`)
  })

  await add('groups.delete leaves no process behind of many services, one in each state', async stage => {
    if (stage.runtime.services.control === undefined) return
    const { scene, group, names } = await several(stage, 5)
    const [stopped, starting, stopping, restarting] = names as [string, string, string, string]
    for (const name of [stopped, starting]) {
      await scene.ask('services.stop', name)
      await stage.becomes(name, 'OFFLINE')
    }
    await scene.ask('services.restart', restarting)
    await scene.ask('services.stop', stopping)
    await scene.ask('services.start', starting)
    await scene.ask('groups.delete', group)
    scene.end()
  })

  await add('groups.delete: a service that has died is not started from the first moment, and the reason of the group goes on saying something', async stage => {
    const { runtime, subject } = stage
    if (runtime.services.control === undefined || subject.crash === undefined) return
    const { scene, group, names: [name, other] } = await several(stage, 2)
    const before = (await stage.find(name!))!
    await scene.die(name!)
    const hasEnded = ending(stage, before)
    const dead = await stage.until(`${name!} is away`, async () => {
      const now = await stage.find(name!)
      return now !== undefined && (now.state !== 'ONLINE' || hasEnded(now)) && now
    })
    const call = { isOver: false }
    const deleting = (async () => await stage.groupControl.delete(group, stage.options))().finally(() => { call.isOver = true })
    // Awaited below; a failure there must not count as one that nobody hears of.
    deleting.catch(() => {})
    // In the turn in which it was seen: where this answers at once, the deletion has begun before anything else could.
    const early = runtime.services.control.start(group, stage.options)
    let isAway = dead.state === 'OFFLINE' && stage.isPlain && early === false
    same(await stage.settled(early, 'services.start'), false, 'services.start must answer false from the first moment of the deletion')
    await stage.until('groups.delete answers', async () => {
      for (let looks = 0; looks < 8 && !call.isOver; looks++) {
        const now = await stage.find(name!)
        if (isAway) assert.ok(now === undefined || now.state === 'OFFLINE' || now.state === 'STOPPING', `${name!} was away when the deletion of its group began, and is ${now?.state ?? ''}: nothing of it may start`)
        if (now?.state === 'OFFLINE' || now?.state === 'STOPPING') isAway = true
        const reason = await stage.settled(runtime.groups.reasons?.of(group, stage.options), 'groups.reasons.of')
        assert.ok(reason === undefined || reason.trim() !== '', `the reason of ${group}, which is being deleted, must say something, or be undefined`)
        if (subject.pause !== undefined) break
        await turn()
      }
      return call.isOver
    })
    same(await deleting, true, `groups.delete(${show(group)}) must answer true, with ${other!} ended as well`)
    scene.end()
  })

  await add('groups.delete takes services away that were stopped before, and services.revision moves', async stage => {
    if (stage.runtime.services.control === undefined) return
    const { name } = await stage.stopped()
    const group = (await stage.find(name))!.groupName
    const { revision } = stage.runtime.services
    await stage.says(true, 'groups.delete', group)
    same(await stage.services(group), [], `services.list must not have services of ${group} once groups.delete has answered`)
    if (revision !== undefined) assert.ok(stage.runtime.services.revision !== revision, `services.list changed with the deletion of ${group}, and services.revision stayed ${revision}`)
  })

  await add('groups.delete: a second one joins the first, and one after it answers false', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 1 })
    await stage.until('a service is ONLINE', async () => (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
    const call = async () => await stage.groupControl.delete(name, stage.options)
    let over = false
    const first = call().finally(() => { over = true })
    // What takes no time is over before the second call comes, also where it is answered later.
    const isListed = await stage.findGroup(name) !== undefined
    const second = await stage.settled(call(), 'the second groups.delete')
    if (!second) assert.ok(over || !isListed || (!stage.isPlain && await stage.findGroup(name) === undefined), 'a second groups.delete must join the first, and answered false while that is under way')
    same(await stage.settled(first, 'the first groups.delete'), true, 'the first groups.delete must answer true')
    await stage.says(false, 'groups.delete', name)
  })

  await add('groups.create answers false for the name of a group that is being deleted, in another case as well, and two deletions at once end both', async stage => {
    if (stage.runtime.services.control === undefined) return
    const { scene, group } = await several(stage, 2)
    const other = await more(scene, { name: `other-${group}` }, 2)
    const left = await more(scene, { name: `left-${group}` }, 1)
    for (const name of [group, other.group]) await scene.begin(name)
    for (const name of [group.toUpperCase(), group, other.group]) {
      const isListed = (await stage.groups()).some(one => one.name.toLowerCase() === name.toLowerCase())
      const answer = await stage.call('groups.create', stage.group({ name }))
      if (isListed && stage.isPlain && stage.isAtOnce) same(answer, false, `groups.create(${show(name)}) while the group of that name is being deleted`)
      if (answer) scene.oracle.made(stage.group({ name }))
    }
    await scene.settle()
    same((await stage.services(left.group)).map(({ state }) => state), ['ONLINE'], `nothing was asked of ${left.group}`)
    scene.end()
  })

  await add('groups.delete: no service of the group starts from the first moment', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 1, maxOnlineService: 3 })
    await stage.until('a service is ONLINE', async () => (await stage.services(name)).some(({ state }) => state === 'ONLINE'))
    let over = false
    const deleting = (async () => await stage.groupControl.delete(name, stage.options))().finally(() => { over = true })
    const known = new Set((await stage.services(name)).map(service => service.name))
    if (stage.runtime.services.control !== undefined) {
      await stage.says(false, 'services.start', name)
      for (const service of known) await stage.says(false, 'services.restart', service)
      for (const service of known) {
        const answers = { command: await stage.call('services.command', service, 'list'), stop: await stage.call('services.stop', service) }
        // It may have gone in the meantime.
        if (!(await stage.services(name)).some(one => one.name === service)) continue
        same(answers.stop, true, `services.stop must answer true for ${service}, which is still there while its group is deleted`)
        assert.ok(answers.command !== false, `services.command must not answer false for ${service}, which is still there while its group is deleted`)
      }
    }
    await stage.until('the group is deleted', async () => {
      const fresh = (await stage.services(name)).filter(service => !known.has(service.name) || service.state === 'STARTING')
      assert.ok(fresh.length === 0, `nothing of ${name} may start while it is deleted; ${statesOf(fresh)}`)
      return over
    })
    same(await deleting, true, 'groups.delete must answer true')
    for (let looks = 0; looks < 5; looks++) {
      await stage.pause()
      same(await stage.services(name), [], `services.list must not have services of ${name} after its deletion`)
    }
  })

  await add('groups.delete makes the name free again', async stage => {
    const group = await stage.withGroup()
    await stage.call('groups.delete', group.name)
    await stage.says(true, 'groups.create', group)
    same((await stage.findGroup(group.name))?.maxOnlineService, group.maxOnlineService, 'groups.list must have the new group')
  })
}

/** The contract of a deletion that fails, where the author can have one. */
export const stuckServices: RuntimeCases = async add => {
  await add('groups.delete throws when a stop fails, the group stays listed, and calling again tries again', async stage => {
    const { name } = await stage.withGroup({ minOnlineService: 1 })
    const service = await stage.until('a service is ONLINE', async () => (await stage.services(name)).find(({ state }) => state === 'ONLINE'))
    const heal = await stage.subject.stuck?.(service.name)
    assert.ok(typeof heal === 'function', `stuck(${show(service.name)}) must answer a function that takes the fault away, and answered ${show(heal)}`)
    for (const attempt of ['first', 'second']) {
      const outcome = await stage.call('groups.delete', name).then(answer => `answered ${show(answer)}`, (error: unknown) => {
        // That it never answers is no throw.
        if (error instanceof assert.AssertionError) throw error
        return 'threw'
      })
      same(outcome, 'threw', `the ${attempt} groups.delete(${show(name)}) must throw while a service of it cannot be stopped`)
      assert.ok(await stage.findGroup(name), `groups.list must still have ${name}, whose deletion failed`)
      assert.ok((await stage.services(name)).some(one => one.name === service.name), `services.list must still have ${service.name}, which could not be stopped`)
    }
    await heal()
    await stage.says(true, 'groups.delete', name)
    same(await stage.findGroup(name), undefined, `groups.list must not have ${name} once groups.delete has answered`)
    same(await stage.services(name), [], `services.list must not have services of ${name} once groups.delete has answered`)
  })
}
