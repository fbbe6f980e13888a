/** The cases of what happens at the end of STARTING: a program that dies, and when its life began. */
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { RuntimeService } from '../../../types/runtime.js'
import { several, soon } from './furnished.js'
import type { Scene } from './scene.js'
import type { RuntimeCases, Stage } from './stage.js'

/** So often each is tried: what one life shows may be chance. */
const ROUNDS = 3
const PARTS = [0.7, 0.55, 0.4] as const
/** Where time passes by itself, between two looks. */
const PAUSE_MS = 20

/** So many looks there are to a pause: whoever rises may be gone soon. */
const QUICK = 10

/** Two lives that begin so far apart have two beginnings. */
const APART_MS = 2

/** Stops a service and starts it again; answers how it was in between. */
async function startAgain (scene: Scene, name: string): Promise<RuntimeService> {
  await scene.ask('services.stop', name)
  const stopped = await scene.stage.becomes(name, 'OFFLINE')
  await scene.stage.pause()
  await scene.ask('services.start', name)
  return stopped
}

/** Two times that were read one after the other may be so much apart. */
const READ_APART_MS = 1

const beginnings: RuntimeCases = async add => {
  await add('services.list: startedAt does not move when a service that was STARTING becomes ONLINE', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    const seen: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await startAgain(scene, name!)
      let last: { readonly startedAt: number | undefined, readonly now: number | undefined } | undefined
      let looks = 0
      const online = await stage.until(`${name!} is ONLINE`, async () => {
        const service = await stage.find(name!)
        if (service?.state === 'STARTING') {
          last = { startedAt: service.startedAt, now: stage.now }
          looks++
        }
        return service?.state === 'ONLINE' && service
      })
      await scene.toldOnline([name!])
      const at = scene.told.get(name!)?.findLast(({ state }) => state === 'ONLINE')?.at
      const { startedAt } = online
      // Its program may have begun since the last look.
      const isLate = startedAt !== undefined && (at !== undefined ? startedAt >= at - READ_APART_MS : last?.now !== undefined && startedAt > last.now)
      if (looks > 1 && last?.startedAt !== startedAt && isLate) seen.push(`${String(last?.startedAt)} while it was STARTING, and ${startedAt} when it was ONLINE${at === undefined ? '' : `, which it became at ${at}`}`)
    }
    assert.ok(seen.length < ROUNDS, `startedAt is when the life of ${name!} began, and not when it became ONLINE; it was ${seen.join('; then ')}`)
    scene.end()
  })
}

const deaths: RuntimeCases = async add => {
  await add('a service that dies late while it is STARTING is not ONLINE in that life', async stage => {
    const { scene, names: [name] } = await several(stage, 1)
    await startAgain(scene, name!)
    let most = 0
    const began = performance.now()
    const isOnline = async (): Promise<boolean> => {
      most++
      return (await stage.find(name!))?.state === 'ONLINE'
    }
    await soon(stage, `${name!} is ONLINE`, isOnline)
    const took = performance.now() - began
    if (stage.subject.pause === undefined) most = Math.ceil(took / PAUSE_MS)
    let ghosts = 0
    for (let round = 0; round < ROUNDS; round++) {
      const stopped = await startAgain(scene, name!)
      let life = await stage.find(name!)
      if (stage.subject.pause === undefined) {
        // Where time passes by itself: after so much of the time that it took before.
        await delay(Math.max(0, took * PARTS[round]! - APART_MS))
        life = await stage.find(name!)
      } else {
        for (let looks = 1; looks < most - 1 - round && life?.state === 'STARTING'; looks++) {
          await stage.pause()
          life = await stage.find(name!)
        }
      }
      // Whatever has not begun cannot die, and whatever is ONLINE dies of something else.
      if (life?.state !== 'STARTING' || (life.startedAt !== undefined && life.startedAt === stopped.startedAt)) continue
      // A life that begins in the millisecond of the one before cannot be told from it.
      if (stage.subject.pause === undefined) await delay(APART_MS)
      const from = scene.told.get(name!)?.length ?? 0
      await scene.die(name!)
      if (await rises(scene, life, from, 2 * most + 3)) ghosts++
    }
    assert.ok(ghosts < 2, `the program of ${name!} died while it was STARTING, and it became ONLINE in that life`)
    scene.end()
  })
}

/** Whether a life that was ended while it was STARTING is ONLINE all the same. */
async function rises ({ stage, told }: Scene, life: RuntimeService, from: number, looks: number): Promise<boolean> {
  let isOnline = false
  let hasEnded = false
  for (let look = 0; look < looks * (stage.subject.pause === undefined ? QUICK : 1); look++) {
    await (stage.subject.pause === undefined ? delay(PAUSE_MS / QUICK) : stage.pause())
    const now = await stage.find(life.name)
    const isSame = now !== undefined && now.startedAt === life.startedAt && (now.startedAt !== undefined || !hasEnded)
    isOnline = now?.state === 'ONLINE' && isSame && (hasEnded || now.lastExit?.at === life.lastExit?.at)
    const isTold = (told.get(life.name) ?? []).slice(from).some(({ state }) => state === 'OFFLINE' || state === 'STOPPING')
    if (now?.state === 'OFFLINE' || now?.state === 'STOPPING' || now?.lastExit?.at !== life.lastExit?.at || isTold) hasEnded = true
    // Once it has ended, ONLINE in that life is wrong at any moment; before, it may have died right then.
    if (isOnline && hasEnded) return now?.startedAt !== undefined && now.startedAt % 1_000 !== 0
  }
  return isOnline && !await ends(stage, life)
}

/** Whether it ends after all: it is told to die before it is dead, and may have become ONLINE until it was. */
async function ends (stage: Stage, { name, startedAt }: RuntimeService): Promise<boolean> {
  const isOver = async (): Promise<boolean> => {
    const now = await stage.find(name)
    return now?.state !== 'ONLINE' || now.startedAt !== startedAt
  }
  return await soon(stage, `${name} has ended`, isOver).then(() => true, error => {
    if (!(error instanceof assert.AssertionError)) throw error
    return false
  })
}

/** The contract of the end of STARTING. */
export const lateStarts = (has: { readonly crash: boolean }): RuntimeCases => async add => {
  await beginnings(add)
  if (has.crash) await deaths(add)
}
