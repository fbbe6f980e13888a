/**
 * Runs the tests: each file of `dist/test` in a process of its own or, where a room is a process's, after the others of its room; some at a time, and a few alone after them.
 *
 *     node test/run.js                  every file, with few rounds of what takes long
 *     node test/run.js --full           only the files in which `fixtures/rounds.js` decides, with all rounds
 *     node test/run.js abuse live/live  only files whose path contains one of these
 *
 * A file that fails runs once more at the end, alone, and only what fails again fails the run: how loaded a machine is says nothing about the code. Both are told, the first with all that failed, because
 * what needs this is to be mended.
 *
 * TEST_JOBS says how many files run at a time; three for each core unless it does, because most wait longer than they work. Not tap's own runner: its loaders cost every process, also those that tests
 * start, 1.5 s of processor time, more than most files need for their tests. Coverage needs them: `npm run coverage`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Parser } from 'tap-parser'
import { endLeftovers } from './leftovers.js'
import Reporter from './reporter.js'
import { segmentsOf } from './segments.js'
import { inSources } from './sources.js'

/** What loads the machine until something gives in, is another user meanwhile, or stops whoever looks at it: nothing runs beside it. */
const alone = ['http/long-lists', 'runtime/process/floods', 'runtime/process/stuck', 'runtime/unreadable']
/** Rooms whose files run one after the other in as many processes as is said here: what each needs to begin, and what the processor learns of the library, is needed once. */
const rooms = {
  abuse: 2,
  access: 1,
  accounts: 1,
  archive: 1,
  client: 1,
  cloud: 2,
  compat: 1,
  conformance: 2,
  dashboard: 1,
  embedding: 1,
  events: 1,
  examples: 5,
  hosts: 1,
  http: 1,
  live: 1,
  metrics: 1,
  routes: 1,
  'runtime/docker': 1,
  'runtime/fleet': 1,
  'runtime/process': 5,
  storage: 2
}
/** What measures the process that it is in, or ends it, has one for itself. */
const own = ['cloud/budget', 'http/upgrades', 'runtime/process/takeover']
/** Of these half of all that runs at a time is taken: they wait for programs, and leave the processor to the others. */
const waiting = ['abuse', 'events', 'examples', 'http/upgrades', 'live', 'platforms', 'runtime/process']
/** What takes longest is dealt out first, so that no process has much more to do than another. */
const long = [
  'examples/standalone', 'examples/gate-routing', 'examples/standalone-end', 'examples/backup', 'examples/custom-runtime', 'abuse/template-files', 'http/upgrades', 'runtime/process/files',
  'runtime/process/services', 'runtime/process/downloads', 'examples/admin-turn', 'examples/standalone-connections', 'examples/platform', 'events/streams', 'examples/several-cores',
  'examples/directory', 'abuse/faults', 'abuse/connections', 'runtime/process/planted', 'runtime/process/machine-faults', 'runtime/process/ownership', 'runtime/process/watchdog',
  'runtime/process/network', 'runtime/process/model', 'runtime/process/group-size', 'runtime/process/output', 'embedding', 'docs', 'linear', 'cloud/budget', 'cloud/runtime-garbage', 'cloud/template-files',
  'conformance/runners', 'conformance/bank', 'conformance/engine', 'storage/storage', 'storage/start-faults'
]
const timeoutSeconds = 1200
/** Most of what a test makes is young: with more room for that, from the beginning on, the processor has less to do. */
const memory = ['--max-semi-space-size=32', '--min-semi-space-size=16']

const directory = join(import.meta.dirname, '../dist/test')
const isFull = process.argv.includes('--full')
const words = process.argv.slice(2).filter(word => !word.startsWith('--'))
const jobs = Number(process.env.TEST_JOBS ?? Math.min(8, 3 * availableParallelism()))

const files = readdirSync(directory, { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith('.test.js'))
  .map(({ parentPath, name }) => relative(directory, join(parentPath, name)).replace(/\.test\.js$/, ''))
  // What is no longer there may still lie in `dist`.
  .filter(file => existsSync(join(import.meta.dirname, `${file}.test.ts`)))
  .filter(file => !file.includes('fixtures/') && (words.length === 0 || words.some(word => file.includes(word))))
  .filter(file => !isFull || readFileSync(join(directory, `${file}.test.js`), 'utf8').includes('fixtures/rounds.js'))
  .sort()

const reporter = new Reporter()
reporter.pipe(process.stdout)
let count = 0

/** Of several the first is the one that takes longest. */
const rankOf = ([file]) => long.includes(file) ? long.indexOf(file) : long.length

/** A new directory for all that tests store: in memory, where there is room and programs may be started from it, because a disk lets every write wait. */
function makeRoom () {
  const room = mkdtempSync(join(findMemory() ?? tmpdir(), 'cloud-'))
  // PostgreSQL, which does not run as root, keeps its data there as well.
  chmodSync(room, 0o711)
  return room
}

function findMemory () {
  let room
  try {
    const { bavail, bsize } = statfsSync('/dev/shm')
    if (bavail * bsize < 4 * 1024 ** 3) return undefined
    room = mkdtempSync('/dev/shm/cloud-')
    writeFileSync(join(room, 'program'), '#!/bin/sh\n', { mode: 0o700 })
    execFileSync(join(room, 'program'))
    return '/dev/shm'
  } catch {
    return undefined
  } finally {
    if (room !== undefined) rmSync(room, { recursive: true, force: true })
  }
}

const room = makeRoom()
process.on('exit', () => {
  endLeftovers(room)
  rmSync(room, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => { process.exit(1) })
/** What files of one run share, such as the package as npm packs it, and databases. */
const shared = join(room, 'shared')
mkdirSync(shared, { mode: 0o711 })
let runs = 0

/** Runs files in one process and answers what it printed; `job` tells apart what runs at the same time. Nothing that it has started is left behind, and no file. */
async function run (files, job) {
  const directory = join(room, String(++runs))
  mkdirSync(directory)
  chmodSync(directory, 0o1777)
  const env = {
    ...process.env,
    TMPDIR: directory,
    TAP: '1',
    TAP_TIMEOUT: String(timeoutSeconds),
    // Directories of tests lie there as well, and go with it: tap would remove them under what a test ends last.
    TAP_CWD: directory,
    TAP_SAVE_FIXTURE: '1',
    TEST_JOB: String(job),
    TEST_SHARED: shared,
    ...(isFull && { TEST_FULL: '1' })
  }
  const program = files.length === 1 ? [join('dist/test', `${files[0]}.test.js`)] : ['test/together.js', ...files]
  const child = spawn(process.execPath, [...memory, '--require', './test/no-domains.cjs', ...program], {
    cwd: join(import.meta.dirname, '..'), env, stdio: ['ignore', 'pipe', 'inherit']
  })
  const deadline = setTimeout(() => { child.kill('SIGKILL') }, (timeoutSeconds + 10) * 1000)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', chunk => { text += chunk })
  // What it has left behind may hold its output open.
  const [code, signal] = await new Promise(resolve => { child.on('exit', (...how) => { resolve(how) }) })
  clearTimeout(deadline)
  const left = endLeftovers(directory)
  if (!child.stdout.closed) await new Promise(resolve => { child.stdout.once('close', resolve) })
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 })
  for (const line of left) reporter.write(`# left behind by ${files.join(', ')}, and ended: ${line}\n`)
  return { text, code, signal }
}

/** Tells how a file went, and answers whether it passed. */
async function tell (name, text, { ended, ms = sumOf(text) } = {}) {
  const result = await new Promise(resolve => { new Parser(resolve).end(text) })
  const isOk = ended === undefined && result.ok
  const skip = result.plan.skipAll ? ` # SKIP ${result.plan.skipReason}` : ` # time=${ms}ms`
  const how = ended === undefined || !result.ok ? '' : `  ---\n  ended: ${JSON.stringify(ended)}\n  ...\n`
  reporter.write(`# Subtest: ${name}\n${(isOk ? text : inSources(text)).replace(/^(?=.)/gm, '    ')}\n${isOk ? 'ok' : 'not ok'} ${++count} - ${name}${skip}\n${how}`)
  return isOk
}

/** Milliseconds of all its tests. */
const sumOf = text => [...text.matchAll(/^(?:not )?ok .* # time=([\d.]+)ms$/gm)].reduce((sum, [, ms]) => sum + Number(ms), 0)

/** Runs a file by itself, and answers whether it passed. */
async function runAndTell (file, job, name = file) {
  const start = performance.now()
  const { text, code, signal } = await run([file], job)
  return await tell(name, text, { ended: code === 0 ? undefined : signal ?? code, ms: performance.now() - start })
}

/** Runs files in one process, and answers which failed, and which it did not come to because it ended before. */
async function runTogether (files, job) {
  const { text, code, signal } = await run(files, job)
  const { segments, rest } = segmentsOf(text, files)
  const failed = []
  for (const [file, segment] of segments) if (!await tell(file, segment)) failed.push(file)
  const [cut, ...left] = files.filter(file => !segments.has(file))
  if (cut !== undefined) {
    await tell(cut, `TAP version 14\n${rest}\n`, { ended: signal ?? code })
    failed.push(cut)
  } else if (code !== 0 && failed.length === 0) {
    // Something went wrong behind the last of them.
    await tell(`${files.at(-1)}, behind its end`, `TAP version 14\n${rest}\n`, { ended: signal ?? code })
    failed.push(files.at(-1))
  }
  return { failed, left }
}

/** Runs files and answers those that failed. */
async function runAll (queue, workers) {
  const isWaiting = ([file]) => waiting.some(name => file === name || file.startsWith(`${name}/`))
  const patient = queue.filter(isWaiting)
  const rest = queue.filter(files => !isWaiting(files))
  const failed = []
  await Promise.all(Array.from({ length: workers }, async (_, job) => {
    const [first, second] = job % 2 === 0 ? [rest, patient] : [patient, rest]
    const next = () => first.shift() ?? second.shift()
    for (let files = next(); files !== undefined; files = next()) {
      if (files.length === 1) {
        if (!await runAndTell(files[0], job)) failed.push(files[0])
        continue
      }
      const ran = await runTogether(files, job)
      failed.push(...ran.failed)
      rest.push(...ran.left.map(file => [file]))
    }
  }))
  return failed
}

/** What shares a process. */
function together (files) {
  const [lists, byRoom] = [[], new Map()]
  for (const file of files.toSorted((one, other) => rankOf([one]) - rankOf([other]))) {
    const room = isFull || own.includes(file) || endsProcess(file) ? undefined : Object.keys(rooms).find(room => file.startsWith(`${room}/`))
    if (room === undefined) {
      lists.push([file])
      continue
    }
    const parts = byRoom.get(room) ?? byRoom.set(room, []).get(room)
    const at = parts.dealt = (parts.dealt ?? -1) + 1
    const part = at % rooms[room]
    if (parts[part] === undefined) lists.push(parts[part] = [file])
    else parts[part].push(file)
  }
  return lists.sort((one, other) => rankOf(one) - rankOf(other))
}

/** Whether it leaves itself out as a whole, by ending its process. */
const endsProcess = file => readFileSync(join(directory, `${file}.test.js`), 'utf8').includes('skipUnlessFull(')

if (files.length === 0) throw new Error('There is no such test; was it built?')
reporter.write('TAP version 14\n')
const failedFirst = [
  ...await runAll(together(files.filter(file => !alone.includes(file))), jobs),
  ...await runAll(files.filter(file => alone.includes(file)).map(file => [file]), 1)
]
const failed = []
for (const file of failedFirst) {
  // Many that fail are no matter of load.
  if (failedFirst.length > 5 || !await runAndTell(file, 0, `${file}, once more and alone`)) failed.push(file)
}
reporter.result = { files: files.length, failed: failed.length, unsteady: failedFirst.filter(file => !failed.includes(file)) }
reporter.end(`1..${count}\n`)
process.exitCode = failed.length > 0 ? 1 : 0
