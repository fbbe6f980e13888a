/** What is said of files that are no JSON. */
import t from 'tap'
import { readDefinition } from '../../../lib/runtime/fleet/content/platform-definition.js'
import { readGroup } from '../../../lib/runtime/fleet/groups/group-definition.js'

t.test('What is told of a file that is no JSON holds no piece of it: behind a link it may be a secret', t => {
  for (const text of ['s3cr3tvalue', '"s3cr3tvalue', '{"a": s3cr3tvalue}', '[s3cr3tvalue', '{"s3cr3tvalue": 1', '{s3cr3tvalue', `{"a":1,${'s3cr3tvalue'.repeat(100)}`, '']) {
    for (const problems of [readGroup('a', text), readDefinition('a', text)]) {
      const [{ field, problem } = { field: '', problem: '' }] = problems as ReadonlyArray<{ readonly field: string, readonly problem: string }>
      t.equal(field, '(file)')
      t.match(problem, /^is no JSON: [A-Z][^"]*[^ ,]$/)
      t.notMatch(problem, /3cr3t/, text.slice(0, 20))
    }
  }
  t.end()
})

t.test('a file that begins with a byte order mark is called that', t => {
  for (const problems of [readGroup('a', '\ufeff{}'), readDefinition('a', '\ufeff{}')]) {
    t.strictSame(problems, [{ field: '(file)', problem: 'is no JSON: it begins with a byte order mark (BOM), which nobody sees; save it as UTF-8 without one' }])
  }
  t.end()
})
