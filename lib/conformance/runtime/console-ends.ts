/** The cases of what a service prints right before its life ends: whoever follows hears it, however that ends. */
import assert from 'node:assert/strict'
import { show } from '../suite.js'
import { following, print } from './consoles.js'
import { ending } from './ending.js'
import { several, soon } from './furnished.js'
import type { Scene } from './scene.js'
import type { RuntimeCases, Stage } from './stage.js'

interface Has {
  readonly crash: boolean
  readonly force: boolean
}

/** How a life ends. */
const ends: ReadonlyArray<readonly [how: string, needs: keyof Has | undefined, run: (scene: Scene, service: string) => Promise<unknown>]> = [
  ['is stopped', undefined, async ({ stage }, service) => await stage.call('services.stop', service)],
  ['is restarted', undefined, async ({ stage }, service) => await stage.call('services.restart', service)],
  ['is killed', 'force', async ({ stage }, service) => await stage.call('services.kill', service)],
  ['dies', 'crash', async (scene, service) => { await scene.die(service) }]
]

const LINES = 6

/** What is known to have been printed: the runtime tells it elsewhere. */
async function shownOf (stage: Stage, service: string, word: string): Promise<readonly string[]> {
  const { lines, follower, stop } = following(stage, service)
  await stage.settled(follower, 'consoles.follow')
  for (let looks = 0; looks < 3; looks++) await stage.pause()
  stop()
  return [...lines, ...(await stage.find(service))?.lastExit?.lastLines ?? []].filter(line => line.startsWith(word))
}

/** The contract of `Consoles`, at the end of a life. */
export const consoleEnds = (has: Has): RuntimeCases => async add => {
  for (const [how, needs, run] of ends) {
    if (needs !== undefined && !has[needs]) continue
    await add(`consoles.follow gives every line that was printed right before the service ${how}, to each who follows, twice`, async stage => {
      const { scene, names: [name] } = await several(stage, 1)
      const followers = [following(stage, name!), following(stage, name!)]
      for (const { follower } of followers) await stage.settled(follower, 'consoles.follow')
      for (const life of [1, 2]) {
        const before = await stage.becomes(name!, 'ONLINE')
        await stage.pause()
        const word = `life ${life} `
        const printing = Array.from({ length: LINES }, async (_, n) => await print(stage, name!, `${word}${n}`))
        await run(scene, name!)
        await Promise.all(printing.map(async one => await one.catch(() => {})))
        const hasEnded = ending(stage, before)
        await soon(stage, `the life of ${name!} is over`, async () => {
          const now = await stage.find(name!)
          return now !== undefined && now.state !== 'STOPPING' && hasEnded(now)
        })
        // What died before it could print it has printed less.
        const shown = new Set(await shownOf(stage, name!, word))
        for (const [n, { lines }] of followers.entries()) {
          await stage.until(`follower ${n + 1} is told all that ${name!} printed before it ended, ${show([...shown])}`, () => [...shown].every(line => lines.includes(line)), () => show(lines))
          const told = lines.filter(line => line.startsWith(word))
          assert.ok(told.every((line, at) => at === 0 || line > told[at - 1]!), `lines are told once and in their order; follower ${n + 1} was told ${show(told)}`)
        }
        if ((await stage.find(name!))?.state === 'OFFLINE') await scene.ask('services.restart', name!)
      }
      for (const { stop } of followers) stop()
      await stage.becomes(name!, 'ONLINE')
      scene.end()
    })
  }
}
