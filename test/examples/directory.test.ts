/** Every call to the file system with which the standalone prepares its directory fails once (S4). */
import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { failingCalls, faults } from '../fixtures/failing-calls.js'
import { repository } from '../fixtures/repository.js'

t.setTimeout(600_000)

const { prepareDirectory } = await import(join(repository, 'examples/standalone/directory.js')) as
  { prepareDirectory (directory: string): Promise<string> }

t.test('S4: a start of the standalone, each call of which fails once while it prepares its directory, keeps the secret and hinders no other', async t => {
  const handle = await open(join(t.testdir(), 'any'), 'w')
  await handle.close()
  const names = Object.keys(fs.promises).filter(name => typeof fs.promises[name as 'open'] === 'function')
  const calls = failingCalls({ of: fs.promises, names }, { of: Object.getPrototypeOf(handle) as object, names: ['writeFile', 'sync'] })
  t.teardown(calls.restore)

  for (const late of [false, true]) {
    for (const again of [false, true]) {
      const failed = new Set<string>()
      for (let n = 0, more = true; more; n++) {
        const directory = join(t.testdirName, `${n} ${String(again)} ${String(late)}`)
        const before = again ? await prepareDirectory(directory) : undefined
        const { call, outcome } = await calls.during(n, faults[n % faults.length] as string, () => prepareDirectory(directory), { late })
        more = call !== undefined
        if (call !== undefined) failed.add(call)
        if (!more) t.equal(outcome.status, 'fulfilled')
        const secret = await prepareDirectory(directory)
        t.match(secret, /^[\w-]{64}$/, `call ${n}, ${String(call)}`)
        t.ok(fs.existsSync(join(directory, 'platforms/limbo.json')))
        if (before !== undefined) t.equal(secret, before, 'every session goes on')
        if (outcome.status === 'fulfilled') t.equal(secret, outcome.value)
      }
      t.comment([...failed].join(', '))
      t.ok(failed.size >= (again ? 2 : 5), 'calls of several kinds have failed')
    }
  }
})

t.test('a damaged note of the bundled platforms is made anew, and a right one is left alone', async t => {
  const directory = t.testdir()
  await prepareDirectory(directory)
  const note = join(directory, 'platforms/.bundled')
  const before = fs.statSync(note, { bigint: true })
  await prepareDirectory(directory)
  t.equal(fs.statSync(note, { bigint: true }).ino, before.ino, 'it is not written again')
  const text = fs.readFileSync(note, 'utf8')
  fs.rmSync(join(directory, 'platforms/gate.json'))
  for (const damaged of ['', '{', '"limbo"', '[1]']) {
    fs.writeFileSync(note, damaged)
    await prepareDirectory(directory)
    t.strictSame(JSON.parse(fs.readFileSync(note, 'utf8')).sort(), JSON.parse(text).sort())
    t.notOk(fs.existsSync(join(directory, 'platforms/gate.json')), 'what was removed stays so')
  }
})
