/** What real programs print: nothing that matters is missed, and no disk is filled with it. */
import { randomBytes } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t from 'tap'
import { createConsole } from '../../../lib/runtime/process/console.js'
import { call, cloud, core, group, pidIn, platform, read, temporary, withPlatforms } from './helper.js'
import { rounds } from '../../fixtures/rounds.js'
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

function namesIn (directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

const piecesIn = (run: string): string[] => namesIn(run).filter(name => name.endsWith('.gz')).sort()
const textOf = (run: string, name: string): string => gunzipSync(readFileSync(join(run, name))).toString()

t.test('a console that was cut is kept in a piece, whole; so many as are asked for, the newest', async t => {
  const run = temporary(t)
  const path = join(run, 'console.log')
  writeFileSync(path, '')
  const file = createConsole({ path, cap: 100_000, soon: 0, report: error => { t.fail(String(error)) } })
  t.teardown(() => { file.close() })
  file.begin(2)
  let [printed, at] = ['', 0]
  for (let round = 1; round <= rounds(3, 4); round++) {
    const cutsBefore = piecesIn(run).at(-1)
    await until(() => {
      const lines = Array.from({ length: 50 }, () => `line ${at++} of a console that tells what happens\n`).join('')
      appendFileSync(path, lines)
      printed += lines
      return piecesIn(run).at(-1) !== cutsBefore && statSync(path).size < 50_000
    })
    t.equal(piecesIn(run).length, Math.min(round, 2))
    const kept = piecesIn(run).map(name => textOf(run, name)).join('') + readFileSync(path, 'utf8')
    // What is written in the very moment of the cut may be lost.
    t.ok(printed.endsWith(kept) || kept.length > 0.9 * 100_000 * Math.min(round, 2), `round ${round}: ${kept.length} bytes`)
    t.ok(kept.endsWith(`line ${at - 1} of a console that tells what happens\n`))
  }
})

t.test('of a flood no piece is made, and what cannot be made smaller has no more than its share', async t => {
  const run = temporary(t)
  const path = join(run, 'console.log')
  writeFileSync(path, '')
  const file = createConsole({ path, cap: 100_000, soon: 0, report: error => { t.fail(String(error)) } })
  t.teardown(() => { file.close() })
  file.begin(3)
  appendFileSync(path, randomBytes(110_000))
  await until(() => statSync(path).size === 0)
  t.same(piecesIn(run), [], 'it would be as large as it was')
  appendFileSync(path, 'x\n'.repeat(100_000))
  await until(() => statSync(path).size === 0)
  t.same(namesIn(run), ['console.log'])
})

t.test('the console of a death is kept with its exit, as many as keepConsole says', async t => {
  const dies = platform('', { command: 'sh', args: ['-c', 'echo "begun as $$"; echo "the reason why"; exit 3'], ready: { log: '^never$' } })
  const c = await cloud(t, { platforms: { dies }, timing: { pause: 20, longestPause: 50 } })
  await c.groups.control.create(group('two', { platform: { name: 'dies', version: 'latest' }, properties: { keepConsole: 2 } }), call)
  await c.groups.control.create(group('none', { platform: { name: 'dies', version: 'latest' }, properties: { keepConsole: 0 } }), call)
  await until(() => ['two', 'none'].every(name => c.reason(name)?.startsWith('paused')))
  const run = join(c.directory, 'services', 'two-1', 'run')
  const lives = [...c.console('two-1').matchAll(/begun as (\d+)/g)].map(([, pid]) => pid)
  t.equal(lives.length, 5)
  t.ok(piecesIn(run).every(name => /^exit-[\dTZ-]+-3\.log\.gz$/.test(name)), piecesIn(run).join())
  // A shim that comes too late to see its program says so there.
  t.same(piecesIn(run).map(name => textOf(run, name).replace(/^service: .*\n/gm, '')), lives.slice(-2).map(pid => `begun as ${pid}\nthe reason why\n`), 'each has its own')
  t.same(piecesIn(join(c.directory, 'services', 'none-1', 'run')), [])
})

t.test('with the start for which keepConsole was lowered those that are too many go, to the last', async t => {
  const dies = platform('', { command: 'sh', args: ['-c', 'test -e stays && { echo begun; exec sleep 1000; }; echo dying; exit 3'], ready: { log: '^begun$' } })
  const c = await cloud(t, { platforms: { dies }, timing: { pause: 20, longestPause: 50 } })
  await c.templates.create('stays', call)
  await c.groups.control.create(group('lobby', { platform: { name: 'dies', version: 'latest' } }), call)
  await until(() => c.reason('lobby')?.startsWith('paused'))
  const run = join(c.directory, 'services', 'lobby-1', 'run')
  // One of each kind.
  writeFileSync(join(run, 'console-2026-01-01T00-00-00-000Z.log.gz'), '')
  t.ok(piecesIn(run).length > 2)
  writeFileSync(join(c.directory, 'templates', 'stays', 'stays'), '')
  await c.groups.control.edit('lobby', { templates: ['stays'], properties: { keepConsole: 1 } }, call)
  await c.state('lobby-1', 'ONLINE')
  await until(() => piecesIn(run).length === 2, () => `one of each kind: ${piecesIn(run).join()}`)
  await c.groups.control.edit('lobby', { properties: { keepConsole: 0 } }, call)
  await c.services.control.restart('lobby-1', call)
  await until(() => piecesIn(run).length === 0, () => `none: ${piecesIn(run).join()}`)
})

t.test('the console of a death while no core ran is kept by the next one, once', async t => {
  const c = await cloud(t, { timing: { pause: 60_000, longestPause: 60_000 } })
  await c.groups.control.create(group('lobby'), call)
  await c.groups.control.create(group('other', { minOnlineService: 0 }), call)
  await c.services.control.start('other', call)
  await Promise.all([c.state('lobby-1', 'ONLINE'), c.state('other-1', 'ONLINE')])
  const runOf = (name: string): string => join(c.directory, 'services', name, 'run')
  await c.services.control.stop('other-1', call)
  await c.state('other-1', 'OFFLINE')
  const pid = c.pid('lobby-1') as number
  await c.runtime.close({ services: 'keep' })
  process.kill(pid, 'SIGKILL')
  await until(() => existsSync(join(runOf('lobby-1'), 'exit')))
  await c.reopen()
  const [kept = '', ...others] = piecesIn(runOf('lobby-1'))
  t.match(kept, /^exit-[\dTZ-]+-SIGKILL\.log\.gz$/)
  t.ok(c.console('lobby-1').startsWith(textOf(runOf('lobby-1'), kept)), 'what it had printed')
  t.same([others, piecesIn(runOf('other-1'))], [[], []], 'who was stopped has not died')

  await c.state('lobby-1', 'ONLINE')
  await c.services.control.command('lobby-1', 'crash', call)
  await until(() => piecesIn(runOf('lobby-1')).length === 2)
  await c.state('lobby-1', 'OFFLINE')
  await c.runtime.close({ services: 'keep' })
  await c.reopen()
  t.equal(piecesIn(runOf('lobby-1')).length, 2, 'what the core before has kept is not kept again')
})

t.test('who is stopped has not died, and what is kept stays over restarts of the core', async t => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const run = join(c.directory, 'services', 'lobby-1', 'run')
  const isAnewAfter = (pid?: number): boolean => ![undefined, pid].includes(c.pid('lobby-1')) && c.service('lobby-1')?.state === 'ONLINE'
  const first = c.pid('lobby-1')
  await c.services.control.restart('lobby-1', call)
  await until(() => isAnewAfter(first))
  t.same(piecesIn(run), [])
  const second = c.pid('lobby-1')
  t.equal(await c.services.control.command('lobby-1', 'crash', call), true)
  const [kept = ''] = await until(() => piecesIn(run).length > 0 ? piecesIn(run) : undefined, () => c.log.slice(-8).map(({ message }) => message).join(' | '))
  t.match(kept, /-9\.log\.gz$/)
  await until(() => isAnewAfter(second))
  await c.runtime.close({ services: 'keep' })
  await c.reopen()
  t.equal(await c.services.control.command('lobby-1', 'crash', call), true)
  await until(() => piecesIn(run).length === 2)
  t.equal(piecesIn(run)[0], kept)
})
