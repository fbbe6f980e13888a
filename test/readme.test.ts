import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import t from 'tap'
import { build } from './fixtures/cloud.js'
import { repository } from './fixtures/repository.js'

// UPDATE_README=1 npx tap --disable-coverage dist/test/readme.test.js writes the table anew.
t.test('the README lists every endpoint with its permission, as declared beside the routes', async t => {
  const { app } = await build(t)
  const rows = app.cloud.routes.map(({ method, path, access, summary }) => `| ${method} | \`${path}\` | \`${access}\` | ${summary} |`)
  const table = ['| method | path | needs | |', '| --- | --- | --- | --- |', ...rows].join('\n')
  const file = join(repository, 'README.md')
  const readme = await readFile(file, 'utf8')
  const wanted = readme.replace(/(<!-- routes -->\n)[\s\S]*?(<!-- \/routes -->)/, `$1\n${table}\n\n$2`)
  if (process.env['UPDATE_README'] === '1') await writeFile(file, wanted)
  t.equal(readme, wanted)
})
