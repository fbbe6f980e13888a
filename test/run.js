/**
 * Runs the tests: each file of `dist/test` in a process of its own, some at a time, and a few alone after them.
 *
 *     node test/run.js                  every file, with few rounds of what takes long
 *     node test/run.js --full           only the files in which `fixtures/rounds.js` decides, with all rounds
 *     node test/run.js abuse live/live  only files whose path contains one of these
 *
 * A file that fails runs once more at the end, alone, and only what fails again fails the run: how loaded a machine is says nothing about the code. Both are told, the first with all that failed, because
 * what needs this is to be mended.
 *
 * TEST_JOBS says how many files run at a time; two for each core unless it does, because most wait as long as they work. Not tap's own runner: its loaders cost every process, also those that tests
 * start, 1.5 s of processor time, more than most files need for their tests. Coverage needs them: `npm run coverage`.
 */
import { spawn } from 'node:child_process'
import { accessSync, chmodSync, constants, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Parser } from 'tap-parser'
import Reporter from './reporter.js'
import { inSources } from './sources.js'

/** What loads the machine until something gives in: nothing runs beside it. */
const alone = ['http/long-lists', 'runtime/process/hostile', 'runtime/process/output']
/** What takes longest begins first, so that nothing long is left when all else is done. */
const long = [
  'conformance/process', 'storage/storage', 'examples/standalone', 'conformance/engine', 'storage/start-faults', 'examples/standalone-end',
  'examples/several-cores', 'conformance/runners', 'abuse/faults', 'conformance/bank', 'examples/custom-runtime', 'linear', 'live/doubt', 'accounts/even-work'
]
const timeoutSeconds = 1200
/** Most of what a test makes is young: with more room for that, from the beginning on, the processor has less to do. */
const memory = ['--max-semi-space-size=32', '--min-semi-space-size=16']

const directory = join(import.meta.dirname, '../dist/test')
const isFull = process.argv.includes('--full')
const words = process.argv.slice(2).filter(word => !word.startsWith('--'))
const jobs = Number(process.env.TEST_JOBS ?? Math.min(8, 2 * availableParallelism()))

const files = readdirSync(directory, { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith('.test.js'))
  .map(({ parentPath, name }) => relative(directory, join(parentPath, name)).replace(/\.test\.js$/, ''))
  // What is no longer there may still lie in `dist`.
  .filter(file => existsSync(join(import.meta.dirname, `${file}.test.ts`)))
  .filter(file => !file.includes('fixtures/') && (words.length === 0 || words.some(word => file.includes(word))))
  .filter(file => !isFull || readFileSync(join(directory, `${file}.test.js`), 'utf8').includes('fixtures/rounds.js'))
  .sort()
  .sort((one, other) => rankOf(one) - rankOf(other))

const reporter = new Reporter()
reporter.pipe(process.stdout)
let count = 0

function rankOf (file) {
  return long.includes(file) ? long.indexOf(file) : long.length
}

/** A directory in memory, where there is one with room: what tests store there waits for no disk. */
function findMemory () {
  try {
    accessSync('/dev/shm', constants.W_OK)
    const { bavail, bsize } = statfsSync('/dev/shm')
    return bavail * bsize > 1024 ** 3 ? '/dev/shm' : undefined
  } catch {
    return undefined
  }
}

/** For the databases of tests, and for what files of one run share, such as the package as npm packs it. */
const shared = mkdtempSync(join(findMemory() ?? tmpdir(), 'fastify-cloud-tests-'))
// PostgreSQL, which does not run as root, keeps its data there as well.
chmodSync(shared, 0o711)
process.on('exit', () => { rmSync(shared, { recursive: true, force: true }) })
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => { process.exit(1) })

/** Runs a file and answers what it printed; `job` tells apart what runs at the same time. */
async function run (file, job) {
  const env = { ...process.env, TAP: '1', TAP_TIMEOUT: String(timeoutSeconds), TEST_JOB: String(job), TEST_SHARED: shared, ...(isFull && { TEST_FULL: '1' }) }
  const child = spawn(process.execPath, [...memory, '--require', './test/no-domains.cjs', join('dist/test', `${file}.test.js`)], {
    cwd: join(import.meta.dirname, '..'), env, stdio: ['ignore', 'pipe', 'inherit']
  })
  const deadline = setTimeout(() => { child.kill('SIGKILL') }, (timeoutSeconds + 10) * 1000)
  let text = ''
  child.stdout.setEncoding('utf8').on('data', chunk => { text += chunk })
  const [code, signal] = await new Promise(resolve => { child.on('close', (...how) => { resolve(how) }) })
  clearTimeout(deadline)
  return { text, code, signal }
}

/** Runs a file, tells how that went, and answers whether it passed. */
async function runAndTell (file, job, name = file) {
  const start = performance.now()
  const { text, code, signal } = await run(file, job)
  const result = await new Promise(resolve => { new Parser(resolve).end(text) })
  const isOk = code === 0 && result.ok
  const skip = result.plan.skipAll ? ` # SKIP ${result.plan.skipReason}` : ` # time=${performance.now() - start}ms`
  const how = isOk || !result.ok ? '' : `  ---\n  ended: ${JSON.stringify(signal ?? code)}\n  ...\n`
  reporter.write(`# Subtest: ${name}\n${(isOk ? text : inSources(text)).replace(/^(?=.)/gm, '    ')}\n${isOk ? 'ok' : 'not ok'} ${++count} - ${name}${skip}\n${how}`)
  return isOk
}

/** Runs files and answers those that failed. */
async function runAll (queue, workers) {
  const rest = [...queue]
  const failed = []
  await Promise.all(Array.from({ length: workers }, async (_, job) => {
    for (let file = rest.shift(); file !== undefined; file = rest.shift()) {
      if (!await runAndTell(file, job)) failed.push(file)
    }
  }))
  return failed
}

if (files.length === 0) throw new Error('There is no such test; was it built?')
reporter.write('TAP version 14\n')
const failedFirst = [
  ...await runAll(files.filter(file => !alone.includes(file)), jobs),
  ...await runAll(files.filter(file => alone.includes(file)), 1)
]
const failed = []
for (const file of failedFirst) {
  // Many that fail are no matter of load.
  if (failedFirst.length > 5 || !await runAndTell(file, 0, `${file}, once more and alone`)) failed.push(file)
}
reporter.result = { files: files.length, failed: failed.length, unsteady: failedFirst.filter(file => !failed.includes(file)) }
reporter.end(`1..${count}\n`)
process.exitCode = failed.length > 0 ? 1 : 0
