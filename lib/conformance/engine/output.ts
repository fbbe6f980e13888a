/** The cases of `follow`: what a life prints is handed over in order, once, and to whoever follows. */
import assert from 'node:assert/strict'
import { same, show } from '../suite.js'
import type { Has } from './lives.js'
import { linesOf, textOf, type EngineCases } from './stage.js'

/** Lines that are easily changed on their way. */
const odd = ['', ' ', '  leading and trailing  ', 'ünïcödé 🎮', 'a'.repeat(3_000), 'null', '> prompt', 'the last']

/** What was printed by the suite, in the order in which it was handed over. */
const ours = (lines: readonly string[]): readonly string[] => lines.filter(line => /^line \d+$/.test(line))

/** Where the author can have a life print. */
export const output = (has: Has): EngineCases => async add => {
  await add('follow from the start hands over everything, in order and without a gap or a repeat', async stage => {
    const watched = await stage.start()
    await stage.print(watched, 'line 1', 'line 2')
    const { chunks, over } = stage.follow(watched.life)
    await over
    same(ours(linesOf(chunks)), ['line 1', 'line 2'], 'when follow() answers, what was there at the call must have been handed over')
    await stage.print(watched, ...Array.from({ length: 100 }, (_, n) => `line ${n + 3}`))
    await stage.until('the new lines are handed over', () => linesOf(chunks).includes('line 102'), () => show(linesOf(chunks).slice(-2)))
    same(ours(linesOf(chunks)), Array.from({ length: 102 }, (_, n) => `line ${n + 1}`), 'every line must be handed over once and in order')
    same(chunks.map(({ gap }) => gap).filter(gap => gap !== 0), [], 'where nothing may be left out there is no gap')
  })

  await add('follow hands over bytes as they were printed, odd lines included', async stage => {
    const watched = await stage.start()
    await stage.print(watched, 'the first', ...odd)
    const lines = linesOf(watched.chunks)
    same(lines.slice(lines.indexOf('the first'), lines.indexOf('the last') + 1), ['the first', ...odd], 'every line must be handed over as it was printed')
    for (const { bytes } of watched.chunks) assert.ok(bytes instanceof Uint8Array, `a chunk has bytes, and not ${show(bytes)}`)
  })

  await add('follow: several may follow at the same time, and the abort of one is no other\'s', async stage => {
    const watched = await stage.start()
    const [one, other] = [stage.follow(watched.life), stage.follow(watched.life)]
    await stage.print(watched, 'line 1')
    await stage.until('both hear it', () => [one, other].every(({ chunks }) => linesOf(chunks).includes('line 1')))
    one.end()
    const heard = one.chunks.length
    await stage.print(watched, 'line 2')
    await stage.until('who goes on hears it', () => linesOf(other.chunks).includes('line 2'), () => show(linesOf(other.chunks)))
    await stage.pause()
    same(one.chunks.slice(heard).map(({ bytes }) => Buffer.from(bytes).toString()), [], 'nothing may be handed over after the abort')
    const aborted = new AbortController()
    aborted.abort()
    const { chunks } = stage.follow(watched.life, 'start', aborted)
    await stage.print(watched, 'line 3')
    same(chunks.length, 0, 'nothing may be handed over with a signal that is aborted already')
  })

  await add('follow with last hands over no more than that many bytes of the past, and says where they begin', async stage => {
    const watched = await stage.start()
    await stage.print(watched, ...Array.from({ length: 20 }, (_, n) => `line ${n + 1}`))
    for (const last of [0, 7, 10, 24, 65_536]) {
      const { chunks, over, end } = stage.follow(watched.life, { last })
      await over
      const past = chunks.reduce((sum, { bytes }) => sum + bytes.length, 0)
      assert.ok(past <= last, `of the past ${past} bytes were handed over, and asked for were ${last}`)
      const all = textOf(watched.chunks)
      assert.ok(all.endsWith(textOf(chunks)), `what is handed over must be the last bytes, and is ${show(textOf(chunks))}`)
      const [first] = chunks
      if (first !== undefined) {
        const begins = all.length === past || all.at(-past - 1) === '\n'
        assert.ok(begins ? first.gap >= 0 : first.gap > 0, `a first chunk that begins within a line must have a gap; it is ${show(textOf([first]).slice(0, 20))} with a gap of ${first.gap}`)
      }
      if (last >= 24) assert.ok(past > 0, `of ${last} bytes none were handed over`)
      end()
    }
  })

  await add('follow hands over what that life prints, and nothing of another service', async stage => {
    const [one, other] = [await stage.start(stage.plan('conformance-1')), await stage.start(stage.plan('conformance-2'))]
    await stage.print(one, 'line 1')
    await stage.print(other, 'line 2')
    await stage.pause(3)
    same([ours(linesOf(one.chunks)), ours(linesOf(other.chunks))], [['line 1'], ['line 2']], 'each line must be handed over to those who follow its life')
  })

  await add('follow of a life that has ended hands over what it printed, and from the start of the next nothing of it', async stage => {
    const first = await stage.start()
    await stage.print(first, 'line 1')
    await stage.stop(first)
    await stage.ended(first)
    const { chunks, over } = stage.follow(first.life)
    await over
    same(ours(linesOf(chunks)), ['line 1'], 'what an ended life has printed can be followed')
    const second = await stage.start()
    await stage.print(second, 'line 2')
    same(ours(linesOf(second.chunks)), ['line 2'], 'from the start is from the beginning of this life')
  })

  if (has.crash) {
    await add('watch tells the end when everything that it printed was handed over', async stage => {
      const watched = await stage.start()
      await stage.print(watched, 'line 1')
      for (let n = 2; n <= 50; n++) await stage.subject.print!(watched.life, `line ${n}`)
      await stage.subject.crash!(watched.life)
      await stage.until('the end is told', () => watched.events.some(({ kind }) => kind === 'ended'))
      const heard = ours(linesOf(watched.chunks)).length
      await stage.pause(5)
      same(ours(linesOf(watched.chunks)).length, heard, 'nothing may be handed over after the end was told')
    })
  }
}
