/** The table of the dashboard's views says what each needs. */
import { readFile, readdir } from 'node:fs/promises'
import t from 'tap'

t.test('docs/dashboard.md names every permission that the page asks for, and no other', async t => {
  const app = 'lib/dashboard/app'
  const sources = await Promise.all((await readdir(app, { recursive: true })).filter(name => /\.tsx?$/.test(name)).map(async name => await readFile(`${app}/${name}`, 'utf8')))
  const asked = new Set([...sources.join('\n').matchAll(/(?:holds\(|(?:services|groups|platforms|templates|players): )'([a-z]+(?:\.[a-z]+)+)'/g)].map(([, name = '']) => name))
  const table = (await readFile('docs/dashboard.md', 'utf8')).split('\n').filter(line => line.startsWith('| ')).join('\n')
  const told = new Set([...table.matchAll(/`([a-z]+(?:\.[a-z]+)+)`/g)].map(([, name = '']) => name))
  t.ok(asked.size > 20)
  t.strictSame([...told].sort(), [...asked].sort())
})

t.test('the page has words of its own for every permission of the interface, and for no other', async t => {
  const words = await readFile('lib/dashboard/app/parts/permission-words.ts', 'utf8')
  const told = [...words.matchAll(/^ {4}\['([a-z.]+)', /gm)].map(([, name = '']) => name)
  const known = new Set([...(await readFile('docs/interface.md', 'utf8')).matchAll(/Needs (?:the permission )?`cloud\.([a-z.]+)`/g)].map(([, name = '']) => name))
  t.ok(known.size > 25)
  t.strictSame([...told].sort(), [...known].sort())
})
