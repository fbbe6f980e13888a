/** Floods of output, of real programs: they cost neither disk nor memory, and hold up nobody. `run.js` runs nothing beside this file. */
import { existsSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createConsole } from '../../../lib/runtime/process/console.js'
import { call, cloud, core, game, group, platform, temporary, withPlatforms } from './helper.js'
import { watchCalls, watchLag } from '../../fixtures/lag.js'
import { rounds } from '../../fixtures/rounds.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const of = (name: string) => ({ platform: { name, version: 'latest' } })

t.test('a flood of output holds up nobody: the file stays short, the core idle, and other services and verbs go on (case 119)', async (t) => {
  const cap = 16 * 1024 * 1024
  const c = await cloud(t, { platforms: { game, floods: platform('floods') }, limits: { console: cap } })
  await c.groups.control.create(group('river', of('floods')), call)
  await c.groups.control.create(group('lobby'), call)
  await c.state('river-1', 'ONLINE')
  await c.state('lobby-1', 'ONLINE')
  const path = join(c.directory, 'services', 'river-1', 'run', 'console.log')
  let [longest, written, last] = [0, 0, statSync(path).size]
  const watching = setInterval(() => {
    const { size } = statSync(path)
    written += size < last ? size : size - last
    last = size
    longest = Math.max(longest, size)
  }, 10)
  t.teardown(() => clearInterval(watching))
  const before = process.cpuUsage()
  const began = performance.now()
  for (let round = 0; performance.now() - began < rounds(1500, 4000); round++) {
    t.equal(await c.services.control.command('lobby-1', `print round ${round}`, call), true)
    await until(() => c.console('lobby-1').includes(`round ${round}\n`))
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  const elapsed = performance.now() - began
  const { user, system } = process.cpuUsage(before)
  clearInterval(watching)
  const cpu = (user + system) / 1000 / elapsed
  t.comment(`${Math.round(written / elapsed / 1000)} MB/s, at most ${Math.round(longest / 2 ** 20)} MiB kept, ${Math.round(cpu * 100)} % of a core`)
  t.ok(written > 2 * cap, 'it was a flood')
  t.ok(longest < 6 * cap, `the file had at most ${longest} bytes`)
  t.ok(cpu < 0.5, `the core used ${cpu} of a CPU, this test included`)
  const pid = c.pid('lobby-1')
  t.equal(await c.services.control.restart('lobby-1', call), true)
  await until(() => c.pid('lobby-1') !== pid && c.service('lobby-1')?.state === 'ONLINE')
  t.equal(c.service('river-1')?.state, 'ONLINE')
})

t.test('a gigabyte without a line end costs no memory, and the next line is read (case 119)', async (t) => {
  const c = await cloud(t, { platforms: { endless: platform('endless', { ready: { log: '^ready$' }, startTimeout: 60_000 }) } })
  const before = process.memoryUsage.rss()
  let most = before
  const watching = setInterval(() => { most = Math.max(most, process.memoryUsage.rss()) }, 20)
  t.teardown(() => clearInterval(watching))
  await c.groups.control.create(group('long', of('endless')), call)
  await c.state('long-1', 'ONLINE')
  t.comment(`${Math.round((most - before) / 2 ** 20)} MiB more memory at most`)
  t.ok(most - before < 100 * 2 ** 20, `${most - before} bytes more`)
})

t.test('R17: between two looks nobody who writes a gigabyte a second gets beyond twice the cap, who wrote little before', async t => {
  const path = join(temporary(t), 'console.log')
  writeFileSync(path, '')
  const cap = 64 * 1024 * 1024
  const file = createConsole({ path, cap, report: error => { t.fail(String(error)) } })
  file.begin(3)
  let [most, cuts, last, rate] = [0, 0, 0, 10]
  // Of the same process, so that both have as much of the processor, however busy the machine is.
  const writing = setInterval(() => {
    const size = statSync(path).size + rate * 2
    if (size < last) cuts++
    last = size
    truncateSync(path, size)
    most = Math.max(most, size)
  }, 2)
  t.teardown(() => {
    clearInterval(writing)
    file.close()
  })
  const [lag, calls] = [watchLag(t), watchCalls(t)]
  // Long enough for it to be looked at as seldom as that is done.
  await new Promise(resolve => setTimeout(resolve, 1200))
  rate = 1024 * 1024
  await until(() => cuts >= 5)
  t.comment(`${(most / cap).toFixed(2)} times the cap`)
  // What is written while this process, or its thread that empties the file, gets no turn, a mebibyte a millisecond, it cannot cut.
  const heldUp = lag() + calls()
  t.ok(most <= 2 * cap + heldUp * rate, `${(most / cap).toFixed(2)} times the cap, held up for ${Math.round(heldUp)} ms`)
})

for (const [what, program, cap] of [
  // 50 MB in a second, in a row of pieces.
  ['much', 'while :; do head -c 5000000 /dev/zero | tr "\\0" "\\n"; sleep 0.1; done', 32],
  ['as fast as it can, after a while in which it printed little', 'for n in 1 2 3 4 5 6 7 8 9 10; do echo $n; sleep 0.1; done; exec yes "a line of a console"', 64]
] as const) {
  t.test(`R17: a program that prints ${what} is cut again and again`, async t => {
    const directory = withPlatforms(t, { prints: platform('', { command: 'sh', args: ['-c', `echo READY; ${program}`], ready: { log: '^READY$' } }) })
    const c = await core(t, directory, { ports: { from: 34_400, to: 34_499 }, limits: { console: cap * 1024 * 1024 } })
    await c.ask('groups.control', 'create', group('lobby', { platform: { name: 'prints', version: 'latest' } }))
    const run = join(directory, 'services', 'lobby-1', 'run')
    const sizeOf = (name: string): number => statSync(join(run, name), { throwIfNoEntry: false })?.size ?? 0
    let [most, last, cuts] = [0, 0, 0]
    await until(() => {
      const size = sizeOf('console.log')
      if (size < last) cuts++
      most = Math.max(most, (existsSync(run) ? readdirSync(run) : []).reduce((sum, name) => sum + sizeOf(name), 0))
      last = size
      return cuts >= 3
    }, () => `3 cuts; ${cuts} so far, ${last} bytes; ${c.output()}`)
    const times = most / (cap * 1024 * 1024)
    t.comment(`${times.toFixed(2)} times the cap`)
    // How far it gets beside other load is the machine's: a core that gets no turn cannot cut.
    t.ok(times <= 16, `${times.toFixed(2)} times the cap`)
    t.equal(await c.ask('groups.control', 'delete', 'lobby'), true)
  })
}
