/**
 * Runs some files of tests in one process, one after the other, for `run.js`: `node test/together.js access/keys access/token`. What each needs to
 * begin, and what the processor learns of the library, is needed once; that is half of what most of them cost.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { endOf } from './segments.js'

// tap calls directories of tests by its arguments: with all of these the names were too long.
const files = process.argv.splice(2)
const { default: t } = await import('tap')

// Whoever uses `t.teardown` of the whole process would end it as soon as nothing is to be done, which is so while the next file is read.
const end = t.end.bind(t)
t.end = () => t

for (const file of files) {
  const path = join(import.meta.dirname, `../dist/test/${file}.test.js`)
  // As if it were alone.
  process.argv[1] = path
  await import(pathToFileURL(path).href)
  // It has come to its end when this has; the file is told by it.
  await t.test(endOf(file), async () => {})
}
t.end = end
