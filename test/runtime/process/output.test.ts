/** What real programs print: nothing that matters is missed, and no disk is filled with it. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { core, group, pidIn, platform, read, withPlatforms } from './helper.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

interface Listed { readonly name: string, readonly state: string }

const flood = 'head -c 350000 /dev/zero | tr "\\0" x | fold -w 99'
/** Says that it is ready in the middle of 700 KB. */
const loud = platform('', { command: 'sh', args: ['-c', `${flood}; echo; echo READY; ${flood}; exec sleep 600`], ready: { log: '^READY$' }, startTimeout: 8000 })

t.test('R5: the line that says ready is seen in the middle of 700 KB, and by a core that was not there when it was printed', async t => {
  const directory = withPlatforms(t, { loud })
  const first = await core(t, directory, { ports: { from: 34_300, to: 34_399 } })
  await first.ask('groups.control', 'create', group('lobby', { platform: { name: 'loud', version: 'latest' } }))
  const state = async (c: typeof first): Promise<string> => (await c.ask<Listed[]>('services', 'list')).map(({ name, state }) => `${name} ${state}`).join()
  await until(async () => await state(first) === 'lobby-1 ONLINE', () => first.output())

  const before = pidIn(directory, 'lobby-1')
  const restarted = until(() => ![undefined, before].includes(pidIn(directory, 'lobby-1')))
  await first.ask('services.control', 'restart', 'lobby-1')
  await restarted
  process.kill(first.pid, 'SIGSTOP')
  const path = join(directory, 'services', 'lobby-1', 'run', 'console.log')
  await until(() => read(path).split('\nREADY\n').length === 3 && read(path).length > 1_400_000)
  await first.kill()
  const second = await core(t, directory, { ports: { from: 34_300, to: 34_399 } })
  const pid = pidIn(directory, 'lobby-1')
  await until(async () => await state(second) === 'lobby-1 ONLINE', () => second.output())
  t.equal(pidIn(directory, 'lobby-1'), pid, 'the one that was there')
  t.notOk(second.output().includes('was not ready within'), second.output())
  t.equal(await second.ask('groups.control', 'delete', 'lobby'), true)
})

for (const [what, program, cap, bound] of [
  // 50 MB in a second, in a row of pieces.
  ['much', 'while :; do head -c 5000000 /dev/zero | tr "\\0" "\\n"; sleep 0.1; done', 32, 2],
  // As fast as the machine can: how far that gets until somebody looks is the machine's.
  ['as fast as it can', 'exec yes "a line of a console"', 64, 16]
] as const) {
  t.test(`R17: a program that prints ${what} has little more than the cap on the disk`, async t => {
    const directory = withPlatforms(t, { prints: platform('', { command: 'sh', args: ['-c', `echo READY; ${program}`], ready: { log: '^READY$' } }) })
    const c = await core(t, directory, { ports: { from: 34_400, to: 34_499 }, limits: { console: cap * 1024 * 1024 } })
    await c.ask('groups.control', 'create', group('lobby', { platform: { name: 'prints', version: 'latest' } }))
    const path = join(directory, 'services', 'lobby-1', 'run', 'console.log')
    let [most, last, cuts] = [0, 0, 0]
    await until(() => {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
      if (size < last) cuts++
      most = Math.max(most, size)
      last = size
      return cuts >= 3
    }, () => `3 cuts; ${cuts} so far, ${last} bytes; ${c.output()}`)
    const times = most / (cap * 1024 * 1024)
    t.comment(`${times.toFixed(2)} times the cap`)
    t.ok(times <= bound, `${times.toFixed(2)} times the cap`)
    t.equal(await c.ask('groups.control', 'delete', 'lobby'), true)
  })
}
