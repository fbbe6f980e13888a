import t, { type Test } from 'tap'
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FollowOptions, Running } from '../../../types/engine.js'
import { createConsole as createServiceConsole } from '../../../lib/runtime/fleet/consoles/console.js'
import { createLineReader } from '../../../lib/runtime/fleet/consoles/lines.js'
import { createConsole } from '../../../lib/runtime/process/console.js'
import { makeFifo, temporary } from './helper.js'
import { scratch } from '../../fixtures/scratch.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const never = new AbortController().signal

function consoleIn (t: Test, { text = '', cap = 64 * 1024 * 1024 } = {}) {
  const path = join(temporary(t), 'console.log')
  writeFileSync(path, text)
  const file = createConsole({ path, cap, report: error => { t.fail(String(error)) } })
  t.teardown(() => { file.close() })
  const print = (text: string | Buffer) => { appendFileSync(path, text) }
  /** Follows as the fleet does for itself: in lines, from the beginning of a life. */
  async function lines (options: Partial<FollowOptions> = {}): Promise<string[]> {
    const [reader, found] = [createLineReader(), [] as string[]]
    await file.follow(chunk => { found.push(...reader.take(chunk)) }, { from: 'start', whole: () => false, signal: never, ...options })
    return found
  }
  /** Follows as somebody who watches does. */
  async function watch (bytes = 65_536, signal: AbortSignal = never): Promise<string[]> {
    const found: string[] = []
    const console = createServiceConsole(error => { t.fail(String(error)) })
    console.attach({ follow: (tell, options) => file.follow(tell, options) } as Partial<Running> as Running)
    await console.follow(some => { found.push(...some) }, { signal, bytes })
    finishers.push(() => { console.finish() })
    return found
  }
  const finishers: Array<() => void> = []
  return { path, file, print, lines, watch, finish: () => { for (const one of finishers) one() } }
}

const untilSame = async (t: Test, lines: readonly string[], wanted: readonly string[]): Promise<void> => {
  await until(() => lines.length >= wanted.length, () => `${wanted.length} lines, not ${lines.length}`)
  t.strictSame(lines, wanted)
}

t.test('lines come whole, however the bytes come', async t => {
  const one = consoleIn(t)
  const lines = await one.lines()
  for (const byte of Buffer.from('Grüße 😀€\nzwei')) {
    one.print(Buffer.from([byte]))
    await one.file.drain()
  }
  t.same(lines, ['Grüße 😀€'])
  one.print(' Worte\n')
  await untilSame(t, lines, ['Grüße 😀€', 'zwei Worte'])
})

t.test('lines are exact: \\r\\n, colours, blanks', async t => {
  const one = consoleIn(t)
  const lines = await one.watch()
  one.print('a\r\n\u001b[32mgreen\u001b[0m\n> prompt\ranswer\n\n  b \n')
  await untilSame(t, lines, ['a', '\u001b[32mgreen\u001b[0m', '> prompt\ranswer', '', '  b '])
})

t.test('a line without end is cut and costs no memory; the next line is whole (case 119)', async t => {
  const one = consoleIn(t)
  const lines = await one.lines()
  for (let count = 0; count < 20; count++) {
    one.print('x'.repeat(50_000))
    await one.file.drain()
  }
  one.print('\nnext\n')
  await until(() => lines.length === 2)
  t.same(lines.map(line => line.length), [16_384, 4])
})

t.test('of a flood both ends are told, in whole lines, and how much is left out (case 119)', async t => {
  const one = consoleIn(t)
  const [lines, watched] = [await one.lines(), await one.watch()]
  one.print(`ready\n${`${'x'.repeat(99)}\n`.repeat(30_000)}last\n`)
  await until(() => lines.at(-1) === 'last' && watched.at(-1) === 'last')
  t.ok(lines.length < 3000 && lines.slice(1, -1).every(line => line.length === 99))
  t.equal(lines[0], 'ready')
  t.equal(watched.filter(line => /^\[\d+ bytes are left out\]$/.test(line)).length, 1)
})

t.test('who needs the whole of it gets every byte, whatever comes at once', async t => {
  const one = consoleIn(t)
  const lines = await one.lines({ whole: () => true })
  const flood = `${'x'.repeat(99)}\n`.repeat(50_000)
  one.print(`${flood}ready\n${flood}`)
  await until(() => lines.length === 100_001)
  t.equal(lines[50_000], 'ready')
})

t.test('who watches gets the last whole lines within the bytes that were asked for, then every new one', async t => {
  const one = consoleIn(t, { text: 'first\nsecond\nthird\n' })
  t.strictSame(await one.watch(13), ['second', 'third'], 'exactly 13 bytes')
  t.strictSame(await one.watch(12), ['third'])
  const lines = await one.watch()
  one.print('fourth\n\nsixth\n')
  await untilSame(t, lines, ['first', 'second', 'third', 'fourth', '', 'sixth'])
})

t.test('a last line without its end is told when the life is over', async t => {
  const one = consoleIn(t, { text: 'whole\nhal' })
  const lines = await one.watch()
  t.strictSame(lines, ['whole'])
  one.print('f a line')
  await one.file.drain()
  one.finish()
  t.strictSame(lines, ['whole', 'half a line'])
})

t.test('a life is told from where it begins, and what was before it only to who asks for the last lines', async t => {
  const one = consoleIn(t, { text: 'of before\n' })
  one.file.begin(0)
  one.print('of now\n')
  t.strictSame([await one.lines(), await one.watch()], [['of now'], ['of before', 'of now']])
})

t.test('two who watch get the same, and one who leaves gets nothing more', async t => {
  const one = consoleIn(t, { text: 'old\n' })
  const leaving = new AbortController()
  const [first, second] = [await one.watch(100, leaving.signal), await one.watch(100)]
  one.print('new\n')
  await untilSame(t, second, ['old', 'new'])
  await untilSame(t, first, ['old', 'new'])
  leaving.abort()
  one.print('later\n')
  await untilSame(t, second, ['old', 'new', 'later'])
  t.strictSame(first, ['old', 'new'])
})

t.test('a file that is too long starts anew; nothing is missed or told twice, and a line goes on over that', async t => {
  const one = consoleIn(t, { cap: 1000 })
  one.file.begin(0)
  const [lines, watched] = [await one.lines(), await one.watch()]
  const wanted: string[] = []
  let cuts = 0
  let before = 0
  for (let round = 0; cuts < 5; round++) {
    for (let at = 0; at < 10; at++) {
      wanted.push(`line ${round}.${at}`)
      one.print(`line ${round}`)
      one.print(`.${at}\n`)
    }
    await one.file.drain()
    await until(() => statSync(one.path).size <= 1000)
    const { size } = statSync(one.path)
    if (size < before) cuts++
    before = size
  }
  await untilSame(t, lines, wanted)
  await untilSame(t, watched, wanted)
})

t.test('what is asked of the disk for a file without writing to it is given back, while a life runs and behind its end', async t => {
  const one = consoleIn(t, { text: 'a line\n', cap: 1024 * 1024 })
  const grow = (): void => { execFileSync('fallocate', ['--keep-size', '--length', '16MiB', one.path]) }
  one.file.begin(0)
  const lines = await one.lines()
  grow()
  t.ok(statSync(one.path).blocks > 16_000)
  one.print('another\n')
  await until(() => statSync(one.path).blocks < 1_000, 'it is given back')
  one.file.rest()
  grow()
  await one.file.drain()
  t.ok(statSync(one.path).blocks < 1_000)
  t.strictSame(lines, ['another'])
})

t.test('a file that others write on when its life has ended is emptied as well, and watched until it is gone', async t => {
  const one = consoleIn(t, { text: 'a line\n', cap: 64 * 1024 })
  one.file.begin(0)
  one.file.rest()
  for (const pause of [0, 3_000]) {
    // After three looks of half a second each it is looked at only when the system tells.
    await new Promise(resolve => setTimeout(resolve, pause))
    one.print('x'.repeat(200 * 1024))
    await until(() => one.file.size() < 64 * 1024, 'it is short')
  }
})

t.test('a file of any length is followed from its end', async t => {
  const directory = mkdtempSync(join(scratch, 'fastify-cloud-'))
  t.teardown(() => { rmSync(directory, { recursive: true }) })
  const path = join(directory, 'console.log')
  writeFileSync(path, 'a line\n')
  try {
    truncateSync(path, 2 ** 62)
  } catch {
    // Of other file systems than those in memory.
    truncateSync(path, 2 ** 43)
  }
  const file = createConsole({ path, cap: 2 ** 62, report: error => { t.fail(String(error)) } })
  t.teardown(() => { file.close() })
  let bytes = 0
  await file.follow(chunk => { bytes += chunk.bytes.length }, { from: { last: 100 }, whole: () => false, signal: never })
  t.ok(bytes >= 100)
})

t.test('the rest of a line whose beginning was emptied away unread is not taken for a line', async t => {
  const reader = createLineReader()
  t.strictSame(reader.take({ bytes: Buffer.from('a\nhalf'), gap: 0 }), ['a'])
  t.strictSame(reader.take({ bytes: Buffer.from(' of a line\nb\n'), gap: 2000 }), ['b'])
  t.strictSame(reader.rest(), [])
})

t.test('a pipe or a link in the file\'s place is neither followed nor waited for', { timeout: 30_000 }, async t => {
  const directory = temporary(t)
  makeFifo(join(directory, 'pipe'))
  writeFileSync(join(directory, 'target'), 'secret\n'.repeat(1000))
  symlinkSync('target', join(directory, 'link'))
  for (const name of ['pipe', 'link', 'nothing']) {
    const console = createConsole({ path: join(directory, name), cap: 1, report: error => { t.fail(String(error)) } })
    t.teardown(() => { console.close() })
    console.begin(0)
    await console.follow(() => { t.fail('nothing is read') }, { from: { last: 100 }, whole: () => true, signal: never })
    await console.drain()
    t.equal(console.size(), 0)
  }
  t.equal(readFileSync(join(directory, 'target'), 'utf8').length, 7000)
})
