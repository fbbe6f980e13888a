/** The cases of consoles over what else happens: lives that end and begin again and again, groups that are restarted or made anew, and lines at the bounds. */
import assert from 'node:assert/strict'
import { same, show } from '../suite.js'
import { following, print, printed } from './consoles.js'
import { dies, several, soon, startingAgain } from './furnished.js'
import { progress, restart } from './rolls-beside.js'
import { Scene } from './scene.js'
import type { RuntimeCases, Stage } from './stage.js'

interface Has {
  readonly crash: boolean
  readonly services: boolean
  readonly groups: boolean
  readonly restarts: boolean
  readonly reopen: boolean
}

const bring = async (stage: Stage, name: string): Promise<void> => {
  await stage.past()
  const before = (await stage.find(name))!
  await stage.says(true, 'services.restart', name)
  await startingAgain(stage, before)
  await stage.becomes(name, 'ONLINE')
}

/** What ends a life and begins another, as often as is asked. */
const courses: ReadonlyArray<readonly [over: string, needs: keyof Has, run: (scene: Scene, name: string, group: string) => Promise<void>]> = [
  ['three restarts', 'services', async ({ stage }, name) => {
    for (let n = 0; n < 3; n++) await bring(stage, name)
  }],
  ['a death while it is STARTING', 'crash', async (scene, name) => {
    const { stage } = scene
    await scene.ask('services.stop', name)
    await stage.becomes(name, 'OFFLINE')
    await scene.ask('services.start', name)
    await scene.die(name)
    await stage.pause()
    await bring(stage, name)
  }],
  ['two deaths', 'crash', async (scene, name) => {
    for (let n = 0; n < 2; n++) {
      await dies(scene, (await scene.stage.find(name))!)
      await bring(scene.stage, name)
    }
  }],
  ['groups.restart of its group', 'restarts', async ({ stage }, name, group) => {
    const before = (await stage.find(name))!
    await restart(stage, group)
    await startingAgain(stage, before)
    await soon(stage, `the restart of ${group} is over`, async () => await progress(stage, group) === undefined)
  }]
]

const overs = (has: Has): RuntimeCases => async add => {
  for (const [over, needs, run] of courses) {
    if (!has[needs]) continue
    await add(`consoles.follow goes on over ${over}`, async stage => {
      const { scene, group, names: [name] } = await several(stage, 1)
      const { lines, follower, stop } = following(stage, name!)
      same(await stage.settled(follower, 'consoles.follow'), true, 'consoles.follow must answer true')
      await print(stage, name!, 'before the next life')
      await stage.until('a line is told', () => lines.includes('before the next life'), () => show(lines))
      await run(scene, name!, group)
      await stage.becomes(name!, 'ONLINE')
      await print(stage, name!, 'after the last life')
      await stage.until('a line of the life after it is told', () => lines.includes('after the last life'), () => show(lines))
      same(lines.filter(line => line.endsWith('life')), ['before the next life', 'after the last life'], 'each line must be told once')
      stop()
      scene.end()
    })
  }
}

const anew = (has: Has): RuntimeCases => async add => {
  await add('consoles.follow answers true for a service that is STARTING, and goes on when it is ONLINE', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    await scene.ask('services.stop', name!)
    await stage.becomes(name!, 'OFFLINE')
    await scene.ask('services.start', name!)
    const { lines, follower, stop } = following(stage, name!)
    same(await stage.settled(follower, 'consoles.follow'), true, `consoles.follow(${show(name)}) must answer true, whatever its state`)
    await stage.becomes(name!, 'ONLINE')
    const line = 'printed when it was ONLINE'
    await print(stage, name!, line)
    await stage.until(`${show(line)} is told to who has followed since it was STARTING`, () => lines.includes(line), () => show(lines))
    stop()
    scene.end()
  })

  await add('consoles.follow gives the lines of that service, and not those of one of another group that has the same number', async stage => {
    const scene = await Scene.of(stage)
    const group = stage.group()
    const start = async (name: string): Promise<string> => {
      await scene.ask('groups.create', { ...group, name })
      const started = await scene.ask('services.start', name)
      assert.ok(typeof started === 'object', `services.start(${show(name)}) must answer { name }`)
      await stage.becomes(started.name, 'ONLINE')
      return started.name
    }
    const one = await start(group.name)
    const ofOne = following(stage, one)
    await stage.settled(ofOne.follower, 'consoles.follow')
    const other = await start(`other-${group.name}`)
    const ofOther = following(stage, other)
    await stage.settled(ofOther.follower, 'consoles.follow')
    await print(stage, one, 'of the one')
    await print(stage, other, 'of the other')
    await stage.until('each line is told', () => ofOne.lines.includes('of the one') && ofOther.lines.includes('of the other'), () => show([ofOne.lines, ofOther.lines]))
    for (let looks = 0; looks < 3; looks++) await stage.pause()
    assert.ok(!ofOne.lines.includes('of the other') && !ofOther.lines.includes('of the one'), `the lines of ${one} and ${other} are their own; told was ${show([ofOne.lines, ofOther.lines])}`)
    ofOne.stop()
    ofOther.stop()
    scene.end()
  })

  await add('consoles.follow gives the last lines of a service, and none of one of its name whose group was deleted', async stage => {
    const { scene, group, names: [name] } = await several(stage, 1)
    await print(stage, name!, 'of the group before')
    await printed(stage, name!, 'of the group before')
    await scene.ask('groups.delete', group)
    await scene.ask('groups.create', stage.group({ maxOnlineService: 1 }))
    const started = await scene.ask('services.start', group)
    assert.ok(typeof started === 'object', `services.start(${show(group)}) must answer { name }`)
    await stage.becomes(started.name, 'ONLINE')
    await print(stage, started.name, 'of the group now')
    await printed(stage, started.name, 'of the group now')
    const { lines, follower, stop } = following(stage, started.name)
    await stage.settled(follower, 'consoles.follow')
    await stage.until('the last line is told', () => lines.includes('of the group now'), () => show(lines))
    same(lines.filter(line => line.startsWith('of the group')), ['of the group now'], `a service of a group that was deleted and made anew is another: nothing of the one before is told of ${started.name}`)
    stop()
    scene.end()
  })

  if (has.reopen) {
    await add('consoles.follow gives the last lines and every new one after a new start of the core', async stage => {
      const { name: group } = await stage.withGroup({ minOnlineService: 1 })
      const online = async () => await stage.until('a service is ONLINE', async () => (await stage.services(group)).find(({ state }) => state === 'ONLINE'))
      await online()
      await stage.reopen()
      const { name } = await online()
      const { lines, follower, stop } = following(stage, name)
      same(await stage.settled(follower, 'consoles.follow'), true, 'consoles.follow must answer true')
      await print(stage, name, 'after the new start')
      await stage.until('what print() printed is told', () => lines.includes('after the new start'), () => show(lines))
      stop()
    })
  }
}

/** More than somebody may keep for a line, or take for many at once. */
const LONG = 3_900
const MANY = 400

const bounds: RuntimeCases = async add => {
  await add('consoles.follow gives lines exactly as they were printed, many in one turn and long ones among them', async stage => {
    const { name } = await stage.online()
    const { lines, follower, stop } = following(stage, name)
    await stage.settled(follower, 'consoles.follow')
    const expected = Array.from({ length: MANY }, (_, n) => `line ${n} ${n % 50 === 49 ? 'x'.repeat(LONG) : ''}`)
    await Promise.all(expected.map(async line => await print(stage, name, line)))
    await stage.until('the last line is told', () => lines.some(line => line.startsWith(`line ${MANY - 1} `)), () => show(lines.slice(-2).map(line => line.slice(0, 80))))
    const told = lines.filter(line => line.startsWith('line '))
    const wrong = expected.findIndex((line, n) => told[n] !== line)
    assert.ok(wrong === -1 && told.length === MANY, `every line must be told once, exactly and in order: ${told.length} of ${MANY} were told, and of line ${wrong}, which has ${expected[wrong]?.length} characters, ${show(told[wrong]?.slice(0, 80))} of ${told[wrong]?.length}`)
    stop()
  })

  await add('consoles.follow gives no more of the past than asked for: where the last line is longer, none before it', async stage => {
    const { name } = await stage.online()
    for (const line of ['short', 'the last line, which is longer than that']) await print(stage, name, line)
    await printed(stage, name, 'the last line, which is longer than that')
    const { lines, follower, stop } = following(stage, name, 16)
    await stage.settled(follower, 'consoles.follow')
    await print(stage, name, 'new')
    await stage.until('a new line is told', () => lines.includes('new'), () => show(lines))
    same(lines, ['new'], 'the last lines are those before the new ones, without a gap: a line before one that is left out may not be told')
    stop()
  })
}

/** The contract of consoles, over lives, groups and cores. */
export const consoleLives = (has: Has): RuntimeCases => async add => {
  await bounds(add)
  if (!has.groups || !has.services) return
  await overs(has)(add)
  await anew(has)(add)
}
