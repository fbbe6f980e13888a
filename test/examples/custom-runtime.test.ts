/** The example of a runtime of its own works as its page says. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { repository } from '../fixtures/repository.js'

t.setTimeout(600_000)

const directory = join(repository, 'examples', 'custom-runtime')

t.setTimeout(300_000)

t.test('the smallest useful runtime has less than 120 lines', async t => {
  t.ok(readFileSync(join(directory, 'runtime.js'), 'utf8').trimEnd().split('\n').length < 120)
})

/** What the conformance run of an example says. */
async function conformanceOf (t: Test, cwd: string, ...options: string[]): Promise<string> {
  const { NODE_OPTIONS, NODE_TEST_CONTEXT, ...env } = process.env
  const child = spawn(process.execPath, [...options, '--test', '--test-reporter=tap', 'conformance.test.js'], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill())
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
  t.strictSame(output.match(/^ *not ok .*\n +---\n(?:.*\n)*? +\.\.\.$/gm) ?? [], [])
  t.equal(code, 0)
  // tap tells what does not match as a whole: of what passed the names are enough.
  return (output.match(/^ok .*/gm) ?? []).join('\n')
}

t.test('and keeps the whole contract, as its own conformance run says', async t => {
  const output = await conformanceOf(t, directory)
  t.match(output, /ok \d+ - templates: absent, as the runtime says # SKIP/)
  t.match(output, /ok \d+ - groups\.delete leaves no process behind$/m)
})

t.test('a restart that is over in the moment in which it began is a right one', async t => {
  const seconds = 'const { now } = Date; Date.now = () => now() - now() % 1_000'
  const output = await conformanceOf(t, directory, '--import', `data:text/javascript,${encodeURIComponent(seconds)}`, '--test-name-pattern', 'STARTING again')
  t.match(output, /ok \d+ - services\.restart: a second one joins the first while that is STARTING again$/m)
})

t.test('the core of the embedded example keeps the contract of what it has', async t => {
  const output = await conformanceOf(t, join(repository, 'examples', 'embedded'))
  t.match(output, /ok \d+ - services\.restart, where the service is ONLINE$/m)
})
