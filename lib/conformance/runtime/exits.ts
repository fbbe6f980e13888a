/** The cases of `lastExit`: how a life ended, and when. */
import assert from 'node:assert/strict'
import { same, show } from '../suite.js'
import { ending } from './ending.js'
import { dies, several, soon } from './furnished.js'
import type { Scene } from './scene.js'
import type { RuntimeCases } from './stage.js'

/** How a life ends, and what `lastExit` says of it. */
const ends: ReadonlyArray<readonly [how: string, reason: string, needs: 'crash' | 'force' | undefined, end: (scene: Scene, name: string) => Promise<unknown>]> = [
  ['stopped', 'stopped', undefined, async (scene, name) => await scene.ask('services.stop', name)],
  ['restarted', 'stopped', undefined, async (scene, name) => await scene.ask('services.restart', name)],
  ['killed', 'killed', 'force', async (scene, name) => await scene.ask('services.kill', name)],
  ['dead', 'crashed', 'crash', async (scene, name) => { await scene.die(name) }]
]

/** The contract of `lastExit`, over the lives of a service. */
export const exits = (has: { readonly crash: boolean, readonly force: boolean }): RuntimeCases => async add => {
  const possible = ends.filter(([, , needs]) => needs === undefined || has[needs])
  for (const [how, , , end] of possible) {
    await add(`services.list: the lastExit of a service that is ${how} while it is STARTING is that of this end`, async stage => {
      const { scene, names: [name] } = await several(stage, 1)
      await scene.ask('services.stop', name!)
      const stopped = await stage.becomes(name!, 'OFFLINE')
      await stage.pause()
      await scene.ask('services.start', name!)
      const life = await stage.find(name!)
      // Not every runtime tells of ends, and not every start takes time.
      if (stopped.lastExit === undefined || life?.state !== 'STARTING') return scene.end()
      // A start that is called off before anything runs has no end to tell of.
      const hasBegun = life.startedAt !== undefined && life.startedAt !== stopped.startedAt
      await end(scene, name!)
      await soon(stage, `the end of ${name!}, which was STARTING, is told`, async () => {
        const now = await stage.find(name!)
        if ((how !== 'restarted' || !hasBegun) && now?.state === 'ONLINE') return true
        const isTold = now?.lastExit !== undefined && now.lastExit.at !== stopped.lastExit?.at
        assert.ok(isTold || now?.state !== 'OFFLINE' || now.startedAt === stopped.startedAt, `${name!} was ${how} while it was STARTING, and is OFFLINE: its lastExit must be that of this end, and is ${show(now?.lastExit)}; who tells of an end tells of every one, of a life that was never ONLINE as well`)
        return isTold || now?.state === 'OFFLINE'
      })
      scene.end()
    })
  }
  for (const [how, reason, , end] of possible) {
    await add(`services.list: the lastExit of a service that is ${how} says ${reason}, after another end as well`, async stage => {
      const { scene, names: [name] } = await several(stage, 1)
      let began: number | undefined
      const ended = async (run: typeof end, expected: string): Promise<boolean> => {
        const before = await stage.becomes(name!, 'ONLINE')
        const { startedAt, lastExit } = before
        // A clock of whole seconds may have stood still since then.
        if (began !== undefined && startedAt !== undefined && startedAt % 1_000 !== 0) assert.ok(startedAt > began, `startedAt is when the present life of ${name!} began: it was ${began} in the last one, and is ${startedAt}`)
        began = startedAt
        await stage.pause()
        await run(scene, name!)
        const hasEnded = ending(stage, before)
        const now = await soon(stage, `the life of ${name!} is over`, async () => {
          const now = await stage.find(name!)
          return now !== undefined && now.state !== 'STOPPING' && hasEnded(now) && now
        })
        // Not every runtime tells.
        if (now.lastExit === undefined && lastExit === undefined && run === possible[0]![3]) return false
        assert.ok(now.lastExit !== undefined, `${name!} has ended, and has no lastExit`)
        same(now.lastExit.reason, expected, `the lastExit of ${name!}`)
        if (startedAt !== undefined && now.lastExit.at % 1_000 !== 0) assert.ok(now.lastExit.at > startedAt, `${name!} began at ${startedAt} and was ONLINE for a while, and its lastExit says that it ended at ${now.lastExit.at}`)
        assert.ok(now.lastExit.at !== lastExit?.at, `${name!} has ended once more, and its lastExit is that of an earlier life`)
        if ((await stage.find(name!))?.state === 'OFFLINE') await scene.ask('services.restart', name!)
        return true
      }
      if (await ended(possible[0]![3], possible[0]![1])) {
        // Twice: an end is not told by what is known of the one before.
        for (let n = 0; n < 2; n++) await ended(end, reason)
        for (const [, other, , run] of possible) await ended(run, other)
      } else if (how === 'dead') {
        // Who tells of no stop tells of no death either.
        await scene.ask('services.restart', name!)
        await dies(scene, await stage.becomes(name!, 'ONLINE'))
        for (let looks = 0; looks < 3; looks++) {
          await stage.pause()
          same((await stage.find(name!))?.lastExit, undefined, `${name!} has ended before, and nothing was told of that: who tells how a life ended tells it of every life`)
        }
      }
      scene.end()
    })
  }
}
