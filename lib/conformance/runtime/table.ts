/** Every verb, for every state of a service, with others beside it that nothing may happen to. */
import assert from 'node:assert/strict'
import { same } from '../suite.js'
import { Scene } from './scene.js'
import { ways, type Cast, type Way } from './states.js'
import { statesOf, type Stage, type RuntimeCases } from './stage.js'

/** The services of the group that is acted on, at most. */
const MAXIMUM = 3

/** Something that is asked for, once or several times in one turn. */
interface Row {
  readonly verb: string
  readonly needsGroups?: true
  readonly needsForce?: true
  /** It is a program that dies: it needs one that runs. */
  readonly needsProgram?: true
  ask (cast: Cast): Promise<unknown>
}

const rows: readonly Row[] = [
  { verb: 'services.command', ask: async ({ scene, target }) => await scene.ask('services.command', target.name, 'list') },
  { verb: 'services.restart', ask: async ({ scene, target }) => await scene.ask('services.restart', target.name) },
  { verb: 'services.start', ask: async ({ scene, target }) => await scene.ask('services.start', target.name) },
  { verb: 'services.stop', ask: async ({ scene, target }) => await scene.ask('services.stop', target.name) },
  { verb: 'services.kill', needsForce: true, ask: async ({ scene, target }) => await scene.ask('services.kill', target.name) },
  { verb: 'a program that dies takes nothing back', needsProgram: true, ask: async ({ scene, target }) => await scene.die(target.name) },
  { verb: 'services.start of the group', needsGroups: true, ask: async ({ scene, target }) => await scene.ask('services.start', target.groupName) },
  { verb: 'groups.edit of the group', needsGroups: true, ask: async ({ scene, target }) => await scene.ask('groups.edit', target.groupName, { percentageToStartNewService: 7 }) },
  {
    verb: 'groups.create of the same name',
    needsGroups: true,
    ask: async ({ scene, target }) => await scene.ask('groups.create', scene.stage.group({ name: target.groupName, maxOnlineService: MAXIMUM }))
  },
  { verb: 'groups.delete of the group', needsGroups: true, ask: async ({ scene, target }) => await scene.ask('groups.delete', target.groupName) }
]

/** Verbs on one service that can follow each other within a turn. */
const verbs = ['services.restart', 'services.start', 'services.stop', 'services.kill'] as const

/** The contract of the verbs on services, for every state. */
export const table = (has: { readonly groups: boolean, readonly crash: boolean, readonly force: boolean }): RuntimeCases => async add => {
  const possible = ways.filter(({ needs, isGoing }) => (needs === undefined || has[needs]) && (isGoing === undefined || has.groups))
    .filter(({ state }) => has.groups || !/group|as many as/.test(state))
  for (const way of possible) {
    for (const { verb, needsGroups, needsForce, needsProgram, ask } of rows) {
      if (needsProgram === true && !(has.crash && way.runs === true)) continue
      if ((needsGroups === true && !has.groups) || (needsForce === true && !has.force)) continue
      await add(`${verb}, where the service is ${way.state}`, async stage => await play(stage, has, way, ask))
    }
  }
  await add('services.command, restart, start and stop answer false for whatever is no name, and nothing happens', async stage => {
    const { scene, target } = await set(stage, has)
    const others = [target.name.toUpperCase(), target.name.toLowerCase(), `${target.name} `, ` ${target.name}`, `${target.name}\0`, `${target.name}\u00ad`, `\u200b${target.name}`, `${target.name.slice(0, -1)}\uff11`, target.name.slice(0, -1), '', '__proto__', 'constructor', 'toString',
      'hasOwnProperty', 'lobby/../lobby', '*', 'no-such-service-1'].filter(name => name !== target.name && name !== target.groupName)
    for (const name of others) {
      if ((await stage.services()).some(service => service.name === name) || scene.oracle.groups.has(name)) continue
      await scene.ask('services.command', name, 'list')
      await scene.ask('services.restart', name)
      await scene.ask('services.start', name)
      await scene.ask('services.stop', name)
      if (has.force) await scene.ask('services.kill', name)
    }
    // That of the group is the name of no service, however few it has.
    if (!(await stage.services()).some(service => service.name === target.groupName)) {
      await scene.ask('services.command', target.groupName, 'list')
      await scene.ask('services.restart', target.groupName)
      await scene.ask('services.stop', target.groupName)
      if (has.force) await scene.ask('services.kill', target.groupName)
    }
    if (has.groups) {
      for (const name of others) {
        if (scene.oracle.groups.has(name)) continue
        await scene.ask('groups.edit', name, { percentageToStartNewService: 9 })
        await scene.ask('groups.delete', name)
      }
      for (const name of [target.groupName.toUpperCase(), target.groupName.toLowerCase(), `${target.groupName} `].filter(name => name !== target.groupName)) await scene.ask('services.start', name)
    }
    await scene.settle()
    scene.end()
  })

  for (const way of possible.filter(({ state }) => ['ONLINE', 'OFFLINE, as somebody asked', 'STARTING', 'STOPPING'].includes(state))) {
    for (const first of verbs.filter(verb => has.force || verb !== 'services.kill')) {
      for (const second of verbs.filter(verb => has.force || verb !== 'services.kill')) {
        await add(`${second} straight after ${first}, where the service is ${way.state}: what comes later wins`, async stage => await play(stage, has, way, async ({ scene, target }) => {
          await scene.ask(first, target.name)
          await scene.ask(second, target.name)
        }))
      }
    }
    for (const [first, second] of [['services.restart', 'services.stop'], ['services.stop', 'services.restart'], ['services.stop', 'services.start']] as const) {
      await add(`${first} and ${second} in turn, where the service is ${way.state}: what comes later wins, again and again`, async stage => await play(stage, has, way, async ({ scene, target }) => {
        for (const verb of [first, second, first, second, first]) await scene.ask(verb, target.name)
      }))
    }
  }
}

/** Sets the scene, leads the target to its state, asks, and sees what becomes of it and of the others. */
async function play (stage: Stage, has: { readonly groups: boolean }, way: Way, ask: (cast: Cast) => Promise<unknown>): Promise<void> {
  const cast = await set(stage, has)
  const { scene, target, others } = cast
  await way.lead(cast)
  const wereTold = others.map(({ name }) => scene.told.get(name)?.length)
  await ask(cast)
  await scene.settle()
  const now = await stage.services()
  for (const [index, { name, groupName, createdAt, port }] of others.entries()) {
    if ((way.isGoing === true || way.isOfAll === true) && groupName === target.groupName) continue
    // What is above the maximum is ended, whichever that is; and with its group a service goes.
    if (!scene.oracle.groups.has(groupName) || scene.isChosen(groupName)) continue
    const there = now.find(one => one.name === name)
    assert.ok(there?.state === 'ONLINE', `nothing was asked of ${name}, which was ONLINE; ${statesOf(now)}`)
    same({ createdAt: there.createdAt, port: there.port }, { createdAt, port }, `nothing was asked of ${name}`)
    same(scene.told.get(name)?.length, wereTold[index], `nothing was asked of ${name}, and states.watch told ${JSON.stringify(scene.told.get(name))}`)
  }
  scene.end()
}

/** A service that is ONLINE, another of its group, and one of another group. */
async function set (stage: Stage, has: { readonly groups: boolean }): Promise<Cast> {
  if (!has.groups) {
    const target = await stage.online()
    const scene = await Scene.of(stage)
    return { scene, target, others: (await stage.services()).filter(({ name, state }) => name !== target.name && state === 'ONLINE') }
  }
  const scene = await Scene.of(stage)
  const group = stage.group({ maxOnlineService: MAXIMUM })
  const other = stage.group({ name: `other-${group.name}` })
  for (const one of [group, other]) await scene.ask('groups.create', one)
  const names: string[] = []
  for (const { name } of [group, group, other]) {
    const started = await scene.ask('services.start', name)
    if (typeof started !== 'object') assert.fail(`services.start('${name}') must answer { name }`)
    names.push(started.name)
  }
  const online = []
  for (const name of names) online.push(await stage.becomes(name, 'ONLINE'))
  await scene.toldOnline(names)
  return { scene, target: online[0]!, others: online.slice(1) }
}
