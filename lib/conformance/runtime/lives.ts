/** What every end of a life leaves, whoever or whatever ended it, and what stays the same as long as it goes on. */
import assert from 'node:assert/strict'
import type { Exit } from '../../../types/resources.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { same, show } from '../suite.js'
import { print, printed } from './consoles.js'
import { several, soon } from './furnished.js'
import { restart } from './rolls-beside.js'
import type { Scene } from './scene.js'
import type { RuntimeCases, Stage } from './stage.js'

interface Has {
  readonly crash: boolean
  readonly force: boolean
  readonly restarts: boolean
  readonly join: boolean
  readonly prints: boolean
}

interface End {
  readonly how: string
  readonly in: 'ONLINE' | 'STARTING'
  readonly needs?: 'crash' | 'force' | 'restarts'
  readonly reasons: ReadonlyArray<Exit['reason']>
  /** Whether the service comes back by itself. */
  readonly isBack?: true
  /** Whether players are waited for. */
  readonly waits?: true
  run (scene: Scene, service: string, group: string): Promise<unknown>
}

const stop: End['run'] = async (scene, service) => await scene.ask('services.stop', service)
const kill: End['run'] = async (scene, service) => await scene.ask('services.kill', service)
const die: End['run'] = async (scene, service) => { await scene.die(service) }

/** The second comes in the turn of the first: where answers take time, another life may have begun after that. */
const both = (first: 'stop' | 'restart', second: 'stop' | 'kill' | 'die'): End['run'] => async ({ stage }, service) => {
  const asked = [stage.call(`services.${first}`, service), second === 'die' ? (async () => await stage.subject.crash?.(service))() : stage.call(`services.${second}`, service)]
  for (const one of asked) one.catch(() => {})
  for (const one of asked) await one
}

const ends: readonly End[] = [
  { how: 'stopped', in: 'ONLINE', reasons: ['stopped', 'killed'], run: stop },
  { how: 'killed', in: 'ONLINE', needs: 'force', reasons: ['killed'], run: kill },
  { how: 'restarted', in: 'ONLINE', reasons: ['stopped', 'killed'], isBack: true, run: async (scene, service) => await scene.ask('services.restart', service) },
  { how: 'restarted with its group', in: 'ONLINE', needs: 'restarts', reasons: ['stopped', 'killed'], isBack: true, waits: true, run: async ({ stage }, _, group) => { await restart(stage, group) } },
  { how: 'ended by its death', in: 'ONLINE', needs: 'crash', reasons: ['crashed'], isBack: true, run: die },
  { how: 'ended by a lowered maximum', in: 'ONLINE', reasons: ['stopped', 'killed'], waits: true, run: async (scene, _, group) => await scene.ask('groups.edit', group, { minOnlineService: 0, maxOnlineService: 0 }) },
  { how: 'stopped and killed meanwhile', in: 'ONLINE', needs: 'force', reasons: ['stopped', 'killed'], run: both('stop', 'kill') },
  { how: 'restarted and killed meanwhile', in: 'ONLINE', needs: 'force', reasons: ['stopped', 'killed'], run: both('restart', 'kill') },
  { how: 'restarted and stopped meanwhile', in: 'ONLINE', reasons: ['stopped', 'killed'], run: both('restart', 'stop') },
  { how: 'stopped and ended by its death meanwhile', in: 'ONLINE', needs: 'crash', reasons: ['stopped', 'killed', 'crashed'], run: both('stop', 'die') },
  { how: 'restarted and ended by its death meanwhile', in: 'ONLINE', needs: 'crash', reasons: ['stopped', 'killed', 'crashed'], isBack: true, run: both('restart', 'die') },
  { how: 'stopped while it is STARTING', in: 'STARTING', reasons: ['stopped', 'killed'], run: stop },
  { how: 'killed while it is STARTING', in: 'STARTING', needs: 'force', reasons: ['killed'], run: kill },
  { how: 'ended by its death while it is STARTING', in: 'STARTING', needs: 'crash', reasons: ['crashed'], isBack: true, run: die }
]

const ours: readonly string[] = ['the first of this life', `another of this life, ${'which is long, '.repeat(30)}`, 'the last of this life']
const EARLIER = 'of the life before'

/** More than a clock that stands still between two looks. */
const isFine = (...times: ReadonlyArray<number | undefined>): boolean => times.some(time => time !== undefined && time % 1_000 !== 0)

/** The contract of what lives leave. */
export const lives = (has: Has): RuntimeCases => async add => {
  for (const end of ends.filter(({ needs }) => needs === undefined || has[needs])) {
    await add(`services.list: a life that is ${end.how} leaves its lastExit with what it printed last, has one startedAt, and no players and no memory when it is over`, async stage => {
      const { scene, group, names: [name] } = await several(stage, 1)
      if (has.prints) {
        await print(stage, name!, EARLIER)
        await printed(stage, name!, EARLIER)
      }
      await stage.pause()
      await scene.ask('services.stop', name!)
      const before = await stage.becomes(name!, 'OFFLINE')
      await stage.pause()
      await scene.ask('services.start', name!)
      const tells = before.lastExit !== undefined
      let isEnding = false
      // What is STOPPING may be the next life by then.
      const isNextLife = end.isBack === true || end.how.startsWith('restarted')
      let crowded = 0
      const began = new Set<number | undefined>()
      const look = async (): Promise<RuntimeService | undefined> => {
        const now = await stage.find(name!)
        // Where no exit is told nothing says that it is still the same life once its end was asked for.
        const isSameLife = tells ? now?.lastExit?.at === before.lastExit?.at : !isEnding
        if (now?.state === 'OFFLINE' && now.type !== 'PROXY' && now.playerCount !== 0) crowded = now.playerCount
        if (now?.state === 'STOPPING' && tells && !isNextLife) same(now.lastExit?.at, before.lastExit?.at, `${name!} is STOPPING: its life goes on, and its lastExit is that of the one before`)
        if (now !== undefined && isSameLife && (now.state === 'STARTING' || now.state === 'ONLINE' || (now.state === 'STOPPING' && tells))) {
          // What is STARTING may not have begun yet.
          if (now.startedAt === undefined || now.startedAt !== before.startedAt) began.add(now.startedAt)
        }
        return now
      }
      // What is called off before its program has begun was no life, and has no end.
      const hasBegun = (now: RuntimeService | undefined): boolean => before.startedAt === undefined || now?.startedAt !== before.startedAt || now?.state === 'ONLINE'
      const first = await soon(stage, `the life of ${name!} has begun`, async () => {
        const now = await look()
        return hasBegun(now) && now
      })
      if (end.in === 'ONLINE') {
        await soon(stage, `${name!} is ONLINE`, async () => (await look())?.state === 'ONLINE')
        await stage.pause()
        await look()
        if (has.prints) {
          for (const line of ours) await print(stage, name!, line)
          await printed(stage, name!, ours.at(-1)!)
        }
      }
      const player = has.join && end.in === 'ONLINE' && end.waits !== true ? await stage.join(name!) : undefined
      if (player !== undefined) await stage.until(`the player who joined ${name!} is listed`, async () => (await playersOf(stage, name!)) > 0)
      if (end.in === 'ONLINE') await stage.pause()
      const isStarting = (await look())?.state === 'STARTING'
      // Where nothing of a life is told, one that is followed by the next at once cannot be told from that.
      const isUntold = end.isBack === true && !tells && ![...began].some(time => time !== undefined)
      isEnding = true
      await end.run(scene, name!, group)
      const now = await soon(stage, `the life of ${name!} is over${tells ? ', and has a lastExit of its own' : ''}`, async () => {
        const now = await look()
        // What is above a maximum need not stay.
        if (now === undefined && end.how === 'ended by a lowered maximum') return { service: undefined }
        // An author may not be able to have one die that is STARTING.
        if (end.how.endsWith('death while it is STARTING') && now?.state === 'ONLINE' && now.startedAt === first?.startedAt) return { service: undefined }
        const isOver = now !== undefined && (isUntold || (tells ? now.lastExit?.at !== before.lastExit?.at : now.state === 'OFFLINE' || (now.startedAt !== undefined && now.startedAt !== first?.startedAt)))
        return isOver && { service: now }
      })
      assert.equal(crowded, 0, `${name!} was OFFLINE, where its playerCount is 0`)
      const { lastExit } = now.service ?? {}
      assert.ok(began.size <= 1, `startedAt is when the present life of ${name!} began, and stays the same as long as it goes on: it was ${show([...began])}`)
      if (lastExit !== undefined) {
        if (end.in === 'ONLINE' || isStarting) assert.ok(end.reasons.includes(lastExit.reason), `${name!} was ${end.how}: the reason of its lastExit must be ${end.reasons.join(' or ')}, and is ${show(lastExit.reason)}`)
        // A restart may have been over, and its next life begun, before what was called in the same turn ended that.
        const isOfNext = end.how.startsWith('restarted and') && !ours.some(line => lastExit.lastLines.includes(line))
        if (end.in === 'ONLINE' && has.prints && !isOfNext) lastLinesAre(name!, lastExit)
        if (has.prints) assert.ok(!lastExit.lastLines.includes(EARLIER), `the lastLines of ${name!} must be what that life printed, and none before it; they are ${show(lastExit.lastLines)}`)
        const { startedAt } = now.service!
        if (now.service!.state !== 'OFFLINE' && startedAt !== undefined && !began.has(startedAt) && startedAt !== before.startedAt && isFine(startedAt, lastExit.at)) assert.ok(startedAt >= lastExit.at, `the last life of ${name!} ended at ${lastExit.at}, and its next one began at ${startedAt}`)
      }
      if (end.isBack !== true) {
        let seen: unknown
        await stage.until(`${name!} is OFFLINE, has no players and uses nothing`, async () => {
          const now = await stage.find(name!)
          if (now === undefined) return end.how === 'ended by a lowered maximum'
          const { state, type, playerCount, memoryUsage, cpuUsage, startedAt } = now
          // A restart may have been over, and its next life begun, before the stop that was called in the same turn ended that.
          const isUnseen = end.how.startsWith('restarted') && [...began].every(time => time !== undefined && startedAt !== undefined && startedAt > time)
          if (state === 'OFFLINE' && startedAt !== undefined && began.size > 0) assert.ok(began.has(startedAt) || startedAt === before.startedAt || isUnseen, `the startedAt of ${name!}, which is OFFLINE, is when its last life began, ${show([...began])}, and not ${startedAt}`)
          seen = { state, playerCount, memoryUsage, cpuUsage }
          return state === 'OFFLINE' && playerCount === (type === 'PROXY' ? -1 : 0) && memoryUsage === 0 && cpuUsage === 0
        }, () => show(seen))
      }
      if (player !== undefined && end.isBack === true) {
        let seen: unknown
        await stage.until(`${name!} is ONLINE again, and its playerCount is that of the players who are listed on it`, async () => {
          const now = await stage.becomes(name!, 'ONLINE')
          const listed = await playersOf(stage, name!)
          seen = { playerCount: now.playerCount, listed }
          return now.type === 'PROXY' || now.playerCount === listed
        }, () => show(seen))
      }
      await player?.leave()
      scene.end()
    })
  }

  await add('groups.create of a name that was given up: its services have no lastExit and no startedAt of those before', async stage => {
    const { scene, group, names: [name] } = await several(stage, 1)
    if (has.prints) {
      await print(stage, name!, ours[0]!)
      await printed(stage, name!, ours[0]!)
    }
    const old = (await stage.find(name!))!
    await stage.pause()
    await scene.ask('services.stop', name!)
    const ended = await stage.becomes(name!, 'OFFLINE')
    await stage.pause()
    await scene.ask('groups.delete', group)
    await scene.ask('groups.create', stage.group({ maxOnlineService: 2 }))
    const started = await scene.ask('services.start', group)
    assert.ok(typeof started === 'object', `services.start(${show(group)}) must answer { name }`)
    const now = (await stage.find(started.name))!
    same(now.lastExit, undefined, `${now.name} is in its first life: it has no lastExit, and that of a service of a group that was deleted is none`)
    for (const [field, was] of [['createdAt', old.createdAt], ['startedAt', ended.startedAt]] as const) {
      if (was !== undefined && now[field] !== undefined && isFine(was, now[field])) assert.ok(now[field] > was, `${now.name} is a new service: its ${field} must be later than ${was}, that of the service of a group that was deleted, and is ${now[field]}`)
    }
    await stage.becomes(now.name, 'ONLINE')
    scene.end()
  })
}

/** Fails where a life has not kept what it printed last: ten lines, or all that there are. */
function lastLinesAre (name: string, { lastLines }: Exit): void {
  const told = lastLines.filter(line => ours.includes(line))
  same(told, lastLines.length < 10 ? ours : ours.slice(ours.length - told.length), `the lastLines of ${name} must be what it printed last; they are ${show(lastLines)}`)
}

const playersOf = async (stage: Stage, service: string): Promise<number> =>
  (await stage.settled(stage.runtime.players.list(stage.options), 'players.list')).filter(({ currentServiceName }) => currentServiceName === service).length
