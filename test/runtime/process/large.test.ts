/** What a service makes large, in its directory or of itself, keeps nobody else waiting: the event loop goes on. */
import t from 'tap'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { removeTree } from '../../../lib/runtime/fleet/remove.js'
import { createPieces } from '../../../lib/runtime/process/console-pieces.js'
import { portOf } from '../../../lib/runtime/process/ownership.js'
import { MARK } from '../../../lib/runtime/process/mark.js'
import { markedCensus } from '../../../lib/runtime/process/processes.js'
import { rounds } from '../../fixtures/rounds.js'
import { watchTurns } from '../../fixtures/turns.js'
import { temporary } from './helper.js'

t.setTimeout(300_000)

/** The turns of the event loop while something is done, and how much of all the work the longest of them has had. */
async function watched (work: () => Promise<unknown>): Promise<{ turns: number, longest: number }> {
  const turns = watchTurns()
  await work()
  const { count, longest, all } = turns()
  return { turns: count, longest: longest / all }
}

t.test('thousands of files and directories are removed some at a time', async t => {
  const directory = join(temporary(t), 'service')
  mkdirSync(directory)
  for (let n = 0; n < rounds(1_000, 10_000); n++) writeFileSync(join(directory, `file-${n}`), '')
  for (let n = 0; n < rounds(100, 500); n++) mkdirSync(join(directory, `directory-${n}`, 'inside'), { recursive: true })
  const { longest } = await watched(async () => { await removeTree(directory) })
  t.throws(() => readdirSync(directory), { code: 'ENOENT' })
  t.ok(longest < 0.25, `one turn took ${Math.round(longest * 100)} % of the work`)
})

t.test('of any number of pieces of a console the youngest stay, and the others go some at a time', async t => {
  const run = temporary(t)
  const named = (n: number): string => `exit-2026-01-01T00-00-00-${String(n).padStart(6, '0')}Z-1.log.gz`
  for (let n = 0; n < 4_000; n++) writeFileSync(join(run, named(n)), '')
  // It takes no room on the disk, and none has room beside it.
  truncateSync(join(run, named(3_999)), 1024 * 1024)
  writeFileSync(join(run, 'console-2026-02-01T00-00-00-000Z.log.gz'), '')
  writeFileSync(join(run, 'console.log'), 'the last words\n')
  const pieces = createPieces(join(run, 'console.log'), 1024 * 1024, () => 3)
  const { longest } = await watched(async () => { await pieces.keepExit(0, { code: 3, signal: null }) })
  const left = readdirSync(run).sort()
  t.strictSame(left.slice(0, 2), ['console-2026-02-01T00-00-00-000Z.log.gz', 'console.log'])
  t.match(left[2], /^exit-.*-3\.log\.gz$/)
  t.equal(left.length, 3)
  t.ok(longest < 0.25, `one turn took ${Math.round(longest * 100)} % of the work`)
})

t.test('descriptors are looked at some at a time, also of a process that has thousands', async t => {
  const program = `
    import { openSync } from 'node:fs'
    import { createServer } from 'node:net'
    for (let n = 0; n < 10_000; n++) openSync('/dev/null')
    const server = createServer().listen(0, '127.0.0.1', () => { process.stdout.write(String(server.address().port)) })`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => { child.kill('SIGKILL') })
  const [port] = await once(child.stdout, 'data') as [Buffer]
  let found: number | undefined
  const { turns } = await watched(async () => { found = await portOf(child.pid!) })
  t.equal(found, Number(String(port)))
  t.ok(turns > 20, `${turns} turns`)
})

/** Says of itself that its environment is a gigabyte that nobody has ever touched (`PR_SET_MM_MAP`); no right is needed for that. */
const endless = `
  my $size = 1 << 30;
  my $map = syscall(9, 0, $size, 1, 0x4022, -1, 0);
  open my $stat, '<', '/proc/self/stat'; my $line = <$stat>; $line =~ s/.*\\) //s;
  my @of = (0, 0, 0, split ' ', $line);
  my $asked = pack('Q12 L2', @of[26, 27, 45, 46, 47], syscall(12, 0), @of[28, 48, 49], $map, $map + $size, 0, 0, 0xffffffff);
  $| = 1;
  print syscall(157, 35, 14, $asked, length $asked, 0) == 0 ? 'done' : "refused: $!";
  sleep 300`

t.test('an environment that a program says is of any size is read no further than one can be', { skip: process.arch !== 'x64' && 'NOT X86-64: the numbers of its system calls are others' }, async t => {
  const child = spawn('perl', ['-e', endless], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => { child.kill('SIGKILL') })
  const [said] = await once(child.stdout, 'data') as [Buffer]
  if (String(said) !== 'done') return t.comment(`NOT TRIED, the kernel does not let it: ${String(said)}`)
  const before = process.memoryUsage().rss
  await markedCensus()
  const more = process.memoryUsage().rss - before
  t.ok(more < 200 * 2 ** 20, `${Math.round(more / 2 ** 20)} MB more`)
})

t.test('environments of megabytes are read one after the other', async t => {
  // A system takes an entry of at most 128 KiB, and of all together a quarter of the stack.
  const env = Object.fromEntries(Array.from({ length: 14 }, (_, n) => [`LARGE_${n}`, 'x'.repeat(120 * 1024)]))
  const token = '0123456789abcdef'.repeat(2)
  const children = Array.from({ length: 60 }, () => spawn('sleep', ['300'], { env: { ...process.env, ...env, [MARK]: `${token}@1:1/large-1` }, stdio: 'ignore' }))
  t.teardown(() => { for (const child of children) child.kill('SIGKILL') })
  await Promise.all(children.map(async child => { await once(child, 'spawn') }))
  let all: Awaited<ReturnType<typeof markedCensus>> = []
  const { turns } = await watched(async () => { all = await markedCensus() })
  t.equal(all.filter(({ mark }) => mark?.token === token).length, 60, 'each is found by its mark')
  t.ok(turns > all.length / 64 + 5, `${turns} turns`)
})
