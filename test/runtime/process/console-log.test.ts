import t, { type Test } from 'tap'
import { appendFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ConsoleLog } from '../../../lib/runtime/process/console-log.js'
import { makeFifo, temporary } from './helper.js'

function reader (t: Test, cap = 1_000_000) {
  const path = join(temporary(t), 'console.log')
  writeFileSync(path, '')
  const log = new ConsoleLog(path, 0, cap)
  const lines: string[] = []
  return { path, log, lines, read: async () => await log.read((line) => lines.push(line)) }
}

t.test('lines come whole, however the bytes come', async (t) => {
  const { path, lines, read } = reader(t)
  for (const byte of Buffer.from('Grüße 😀€\nzwei')) {
    appendFileSync(path, Buffer.from([byte]))
    await read()
  }
  t.same(lines, ['Grüße 😀€'])
  appendFileSync(path, ' Worte\n')
  await read()
  t.same(lines, ['Grüße 😀€', 'zwei Worte'])
})

t.test('a line without end is cut and costs no memory; the next line is whole (case 119)', async (t) => {
  const { path, lines, read } = reader(t)
  for (let count = 0; count < 20; count++) {
    appendFileSync(path, 'x'.repeat(50_000))
    await read()
  }
  appendFileSync(path, '\nnext\n')
  await read()
  t.same(lines.map((line) => line.length), [16_384, 4])
})

t.test('of a flood both ends are read, in whole lines: a service may become ready just before it (case 119)', async (t) => {
  const { path, lines, read } = reader(t)
  appendFileSync(path, 'ready\n')
  appendFileSync(path, `${'x'.repeat(99)}\n`.repeat(30_000))
  appendFileSync(path, 'last\n')
  await read()
  t.ok(lines.length < 3000 && lines.slice(1, -1).every((line) => line.length === 99))
  t.same([lines[0], lines.at(-1)], ['ready', 'last'])
})

t.test('a file that is too long starts anew, and a line goes on over that', async (t) => {
  const { path, log, lines, read } = reader(t, 1000)
  appendFileSync(path, 'a\n')
  t.equal(await log.limit(), undefined)
  appendFileSync(path, 'x'.repeat(2000))
  await read()
  t.equal(await log.limit(), 2002)
  t.equal(log.size, 0)
  appendFileSync(path, 'the end of it\nb\n')
  await read()
  t.same(lines, ['a', `${'x'.repeat(2000)}the end of it`, 'b'])
})

t.test('the rest of a line whose beginning was emptied away unread is not taken for a line', async (t) => {
  const { path, log, lines, read } = reader(t, 1000)
  appendFileSync(path, 'a\n')
  await read()
  appendFileSync(path, 'x'.repeat(2000))
  t.equal(await log.limit(), 2002)
  appendFileSync(path, 'half of a line\nb\n')
  await read()
  t.same(lines, ['a', 'b'])
})

t.test('a file that is cut between two lines loses none, and is not cut twice', async (t) => {
  const { path, log, lines, read } = reader(t, 1000)
  appendFileSync(path, `${'x'.repeat(1500)}\n`)
  await read()
  const both = [log.limit(), log.limit()]
  t.same(await Promise.all(both), [1501, undefined])
  appendFileSync(path, 'next\n')
  await read()
  t.same(lines.slice(1), ['next'])
})

t.test('the last lines are there to be told', async (t) => {
  const { path, log } = reader(t)
  t.same(await log.last(2), [])
  appendFileSync(path, 'one\ntwo\nthree\n')
  t.same(await log.last(2), ['two', 'three'])
  truncateSync(path)
  t.same(await log.last(2), [])
})

t.test('a pipe or a link in the file\'s place is neither followed nor waited for', { timeout: 5000 }, async (t) => {
  const directory = temporary(t)
  makeFifo(join(directory, 'pipe'))
  symlinkSync('/etc/passwd', join(directory, 'link'))
  for (const name of ['pipe', 'link', 'nothing']) {
    const log = new ConsoleLog(join(directory, name), 0, 1)
    await log.read(() => t.fail('nothing is read'))
    t.equal(log.size, 0)
    t.equal(await log.limit(), undefined)
    t.same(await log.last(1), [])
  }
})
