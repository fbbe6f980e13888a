/**
 * Errors of another realm are read as ours are: a host's tests may run us in a `vm` context, as jest does, where what Node
 * throws is no `Error`, and what we throw is none to Node.
 */
import { once } from 'node:events'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import type { StorageChange } from '../lib/index.js'
import { codeOf, textOf } from '../lib/runtime/fleet/faults.js'
import { createChanges } from '../lib/storage/changes.js'
import { marked, markedSync } from '../lib/storage/unavailable.js'

const foreign = (): Error => runInNewContext("Object.assign(new Error('from elsewhere'), { code: 'ENOENT' })") as Error
const change: StorageChange = { kind: 'all' }

t.test('a database that is away is marked, whatever realm its error is of', async t => {
  const isAway = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'
  t.notOk(foreign() instanceof Error)
  await t.rejects(marked(isAway, async () => { throw foreign() }), { message: 'from elsewhere', unavailable: true })
  t.throws(() => { markedSync(isAway, () => { throw foreign() }) }, { message: 'from elsewhere', unavailable: true })
  for (const thrown of ['a text', undefined, Object.freeze(foreign())]) {
    await marked(() => true, async () => { throw thrown }).then(() => t.fail('answered'), error => { t.equal(error, thrown) })
  }
})

t.test('the text and the code of a failed system call are read', async t => {
  t.strictSame([textOf(foreign()), codeOf(foreign())], ['from elsewhere', 'ENOENT'])
  t.strictSame([textOf('a text'), codeOf('a text'), codeOf(undefined), codeOf({ code: 7 })], ['a text', undefined, undefined, undefined])
})

t.test('whatever a listener throws is a warning, and the next listener is told', async t => {
  const changes = createChanges()
  const { signal } = new AbortController()
  const thrown = [foreign(), new Error('of ours'), Object.create(null), 'a text', undefined, Symbol('one')]
  for (const one of thrown) changes.subscribe(() => { throw one }, { signal })
  const told: StorageChange[] = []
  changes.subscribe(one => { told.push(one) }, { signal })

  const warnings: string[] = []
  process.on('warning', ({ message }) => { warnings.push(message) })
  const first = once(process, 'warning')
  changes.emit(change)
  t.strictSame(told, [change])
  await first
  t.match(warnings, [/from elsewhere[^]*at /, /of ours[^]*at /, /\[Object: null prototype\]/, /a text/, /undefined/, /Symbol\(one\)/])
})
