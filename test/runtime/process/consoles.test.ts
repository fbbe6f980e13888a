import { appendFile, mkdir, readFile, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ConsoleFeeds } from '../../../lib/runtime/process/console-feeds.js'
import { until } from '../../fixtures/server.js'

interface Console {
  readonly run: string
  readonly file: string
  readonly feeds: ConsoleFeeds
  over: boolean
}

async function console (t: Test, text = ''): Promise<Console> {
  const run = join(t.testdir(), 'run')
  await mkdir(run)
  const file = join(run, 'console.log')
  await writeFile(file, text)
  const state = { over: false }
  const feeds: ConsoleFeeds = new ConsoleFeeds({
    runOf: name => name === 'lobby-1' ? run : undefined,
    isOver: () => state.over,
    report: error => { t.fail(String(error)) }
  })
  t.teardown(() => { feeds.end() })
  return Object.assign(state, { run, file, feeds })
}

async function follow (t: Test, { feeds }: Console, bytes = 65_536): Promise<string[]> {
  const lines: string[] = []
  const watching = new AbortController()
  t.teardown(() => { watching.abort() })
  t.equal(await feeds.follow('lobby-1', some => { lines.push(...some) }, { signal: watching.signal, bytes }), true)
  return lines
}

const untilSame = async (t: Test, lines: readonly string[], wanted: readonly string[]): Promise<void> => {
  await until(() => lines.length >= wanted.length, `${wanted.length} lines`, 5_000)
  t.strictSame(lines, wanted)
}

t.test('follow answers false for a service that there is not', async t => {
  const one = await console(t)
  t.equal(await one.feeds.follow('nobody', () => {}, { signal: new AbortController().signal, bytes: 1 }), false)
})

t.test('follow tells the last whole lines within its bytes, then every new one', async t => {
  const one = await console(t, 'first\nsecond\nthird\n')
  t.strictSame(await follow(t, one, 13), ['second', 'third'], 'exactly 13 bytes')
  t.strictSame(await follow(t, one, 12), ['third'])
  const lines = await follow(t, one)
  await appendFile(one.file, 'fourth\n\nsixth\n')
  await untilSame(t, lines, ['first', 'second', 'third', 'fourth', '', 'sixth'])
})

t.test('lines are exact: UTF-8 split across writes, \\r\\n, colours', async t => {
  const one = await console(t, '')
  const lines = await follow(t, one)
  const text = Buffer.from('Grüße 😀 €\r\n\u001b[32mgreen\u001b[0m\n> prompt\ranswer\n')
  for (const byte of text) {
    await appendFile(one.file, Buffer.of(byte))
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  await untilSame(t, lines, ['Grüße 😀 €', '\u001b[32mgreen\u001b[0m', '> prompt\ranswer'])
})

t.test('a last line without its end is told when the service is over', async t => {
  const one = await console(t, 'whole\nhal')
  const lines = await follow(t, one)
  t.strictSame(lines, ['whole'])
  await appendFile(one.file, 'f a line')
  one.over = true
  await untilSame(t, lines, ['whole', 'half a line'])
})

t.test('nothing is missed or told twice when the file is emptied under those who watch', async t => {
  const one = await console(t)
  const lines = await follow(t, one)
  const wanted: string[] = []
  for (let round = 0; round < 30; round++) {
    const some = Array.from({ length: 50 }, (_, index) => `line ${round}.${index}`)
    wanted.push(...some)
    await appendFile(one.file, some.map(line => `${line}\n`).join(''))
    await one.feeds.cut(one.run, async () => {
      const { size } = await stat(one.file)
      await truncate(one.file)
      return size
    })
  }
  await untilSame(t, lines, wanted)
  t.equal(await readFile(one.file, 'utf8'), '')
})

t.test('a flood is left out, and says how much (case 119)', async t => {
  const one = await console(t)
  const lines = await follow(t, one)
  const block = `${'x'.repeat(99)}\n`.repeat(30_000)
  await appendFile(one.file, block)
  await until(() => lines.length > 0, 'lines come', 5_000)
  await appendFile(one.file, 'after\n')
  await until(() => lines.at(-1) === 'after', 'the line after the flood', 5_000)
  t.ok(lines.length < 30_000)
  t.ok(lines.some(line => /^\[\d+ bytes are left out\]$/.test(line)))
})

t.test('a line without an end is cut, and what follows it is not (case 119)', async t => {
  const one = await console(t)
  const lines = await follow(t, one)
  await appendFile(one.file, `${'y'.repeat(100_000)}\nnext\n`)
  await untilSame(t, lines, ['y'.repeat(16_384), 'next'])
})

t.test('two who watch get the same, and one who leaves gets nothing more', async t => {
  const one = await console(t, 'old\n')
  const first: string[] = []
  const leaving = new AbortController()
  await one.feeds.follow('lobby-1', some => { first.push(...some) }, { signal: leaving.signal, bytes: 100 })
  const second = await follow(t, one, 100)
  await appendFile(one.file, 'new\n')
  await untilSame(t, second, ['old', 'new'])
  await untilSame(t, first, ['old', 'new'])
  leaving.abort()
  await appendFile(one.file, 'later\n')
  await untilSame(t, second, ['old', 'new', 'later'])
  t.strictSame(first, ['old', 'new'])
})
