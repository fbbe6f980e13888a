/** The cases of what is left of a life that has ended: what it printed last. */
import assert from 'node:assert/strict'
import type { ServiceState } from '../../../types/resources.js'
import { same, show } from '../suite.js'
import { following, print, printed } from './consoles.js'
import { ending } from './ending.js'
import type { RuntimeCases, Stage } from './stage.js'

const ours: readonly string[] = ['the first of this life', 'another of this life', 'the last of this life']

/** How the life ends that has printed, and what the service is in then. */
const ends: ReadonlyArray<{ readonly state: string, lead (stage: Stage, name: string): Promise<ServiceState | undefined> }> = [
  {
    state: 'OFFLINE, as somebody asked',
    async lead (stage, name) {
      await stage.says(true, 'services.stop', name)
      return (await stage.becomes(name, 'OFFLINE')).state
    }
  },
  {
    state: 'OFFLINE by its death, or in its next life',
    async lead (stage, name) {
      if (stage.subject.crash === undefined) return undefined
      const before = await stage.find(name)
      await stage.subject.crash(name)
      const hasEnded = before && ending(stage, before)
      return await stage.until(`the death of ${name} can be seen`, async () => {
        const now = await stage.find(name)
        // It may be back between two looks.
        return (now?.state !== 'ONLINE' || hasEnded === undefined || hasEnded(now)) && now?.state
      })
    }
  },
  {
    state: 'in its next life',
    async lead (stage, name) {
      await stage.says(true, 'services.stop', name)
      await stage.becomes(name, 'OFFLINE')
      await stage.call('services.start', name)
      return (await stage.becomes(name, 'ONLINE')).state
    }
  }
]

/** The contract of the past of a console, over the lives of its service. */
export const pasts: RuntimeCases = async add => {
  for (const { state, lead } of ends) {
    await add(`consoles.follow gives the last lines of a service that is ${state}`, async stage => {
      if (stage.runtime.services.control === undefined) return
      const { name } = await stage.online()
      for (const line of ours) await print(stage, name, line)
      await printed(stage, name, ours.at(-1)!)
      const before = await lead(stage, name)
      const { lines, follower, stop } = following(stage, name)
      await stage.settled(follower, 'consoles.follow')
      const after = await stage.find(name)
      for (let looks = 0; looks < 5; looks++) await stage.pause()
      const told = lines.filter(line => ours.includes(line))
      const isLastLife = before === 'OFFLINE' && after?.state === 'OFFLINE'
      same(told, isLastLife ? ours : ours.slice(ours.length - told.length), isLastLife ? 'the lines of its last life must be told while it is OFFLINE' : 'what is told of an earlier life must be its last lines')
      stop()
    })
  }
}

/** Lines that are easily lost or changed on their way, fewer than ten of them with the two around them. */
const odd: ReadonlyArray<readonly string[]> = [
  ['', '', 'after two that are empty', ''],
  [' ', '  leading and trailing  ', 'the same', 'the same', 'ünïcödé 🎮', 'null'],
  ['> prompt', 'a'.repeat(400), '', '{"json": true}', '[12:00:00] [INFO]: as servers write']
]

/** How a life may end after it has printed. */
const endsOf: ReadonlyArray<readonly [how: string, end: (stage: Stage, name: string) => Promise<unknown>]> = [
  ['dies', async ({ subject }, name) => await subject.crash?.(name)],
  ['is stopped', async (stage, name) => await stage.says(true, 'services.stop', name)],
  ['is restarted', async (stage, name) => await stage.says(true, 'services.restart', name)],
  ['is killed', async (stage, name) => { if (stage.runtime.services.force !== undefined) await stage.says(true, 'services.kill', name) }]
]

/** What a service printed before its death, where the author can have one print and die. */
export const lastLines: RuntimeCases = async add => {
  for (const [how, end] of endsOf) {
    await add(`services.list: the lastExit of a service that ${how} says what it printed last as it was printed, empty lines as well`, async stage => {
      if (stage.runtime.services.control === undefined) return
      for (const lines of odd) {
        const life = await stage.online()
        const { name, lastExit: before } = life
        const printing = ['the first of them', ...lines, 'the last of them']
        for (const line of printing) await print(stage, name, line)
        await printed(stage, name, printing.at(-1)!)
        await end(stage, name)
        const hasEnded = ending(stage, life)
        const ended = await stage.until(`the life of ${name} is over`, async () => {
          const now = await stage.find(name)
          const isOver = now === undefined || (now.state !== 'STOPPING' && hasEnded(now))
          return (isOver || (how === 'is killed' && stage.runtime.services.force === undefined)) && { lastExit: now?.lastExit }
        })
        const told = ended.lastExit?.lastLines ?? []
        const to = told.lastIndexOf('the last of them')
        // It may have printed more while it ended, and another service may be the one that goes on.
        if (to >= 0 && ended.lastExit?.at !== before?.at) {
          const from = Math.max(0, to + 1 - printing.length)
          same(told.slice(from, to + 1), printing.slice(printing.length - (to + 1 - from)), `the lastLines of ${name}, as they were printed; all of them are ${show(told)}`)
        }
        if ((await stage.find(name))?.state === 'OFFLINE') await stage.call('services.restart', name)
        await stage.becomes(name, 'ONLINE')
        await stage.says(true, 'services.stop', name)
        await stage.becomes(name, 'OFFLINE')
      }
    })
  }

  await add('services.list: the lastExit of a service that dies says crashed, and what it printed last, oldest first', async stage => {
    const { name } = await stage.online()
    const lines = Array.from({ length: 14 }, (_, n) => `before the end ${n}`)
    for (const line of lines) await print(stage, name, line)
    await printed(stage, name, lines.at(-1)!)
    await stage.subject.crash?.(name)
    const { lastExit } = await stage.until(`the death of ${name} can be seen`, async () => {
      const now = await stage.find(name)
      return now === undefined ? { lastExit: undefined } : (now.state !== 'ONLINE' || now.lastExit !== undefined) && now
    })
    if (lastExit === undefined) return
    same(lastExit.reason, 'crashed', `the lastExit of ${name}, which died`)
    const told = lastExit.lastLines.filter(line => line.startsWith('before'))
    assert.ok(told.length > 0, `${name} has printed ${show(lines)}, and its lastLines are ${show(lastExit.lastLines)}`)
    same(told, lines.slice(lines.length - told.length), `the lastLines of ${name}, oldest first`)
    same(lastExit.lastLines.length, 10, `${name} has printed more than 10 lines: its lastLines are 10, and are ${show(lastExit.lastLines)}`)
  })

  await add('services.list: the lastExit of a service that dies says what the life printed that has ended, and none before', async stage => {
    if (stage.runtime.services.control === undefined) return
    const { name } = await stage.online()
    for (const line of ours) await print(stage, name, line)
    await printed(stage, name, ours.at(-1)!)
    await stage.says(true, 'services.stop', name)
    await stage.becomes(name, 'OFFLINE')
    await stage.call('services.start', name)
    const { lastExit: first } = await stage.becomes(name, 'ONLINE')
    const handedOut = [...first?.lastLines ?? []]
    await print(stage, name, 'of the second life')
    await printed(stage, name, 'of the second life')
    await stage.subject.crash?.(name)
    const { lastExit } = await stage.until(`the death of ${name} can be seen`, async () => {
      const now = await stage.find(name)
      return now === undefined ? { lastExit: undefined } : (now.state !== 'ONLINE' || now.lastExit?.at !== first?.at) && now
    })
    if (lastExit === undefined || lastExit.at === first?.at) return
    same(first?.lastLines ?? [], handedOut, `the lastLines of ${name} that were handed out after its first life must not change`)
    same(lastExit.lastLines.filter(line => ours.includes(line)), [], `the lastLines of ${name} are what its second life has printed, and are ${show(lastExit.lastLines)}`)
    assert.ok(lastExit.lastLines.includes('of the second life'), `the lastLines of ${name} are what its second life has printed, and are ${show(lastExit.lastLines)}`)
  })
}
