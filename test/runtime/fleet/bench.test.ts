/** The measurement of what deciding costs goes on working: its figures are for those who run it by hand. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import t from 'tap'
import { repository } from '../../fixtures/repository.js'

t.test('what deciding costs is measured for a few groups as for a thousand', t => {
  const told = execFileSync(process.execPath, [join(repository, 'test', 'bench', 'fleet.js'), '5'], { encoding: 'utf8' })
  t.match(told, /^5 groups of 10 services\n {2}nothing happens: .*\n {2}players come .*\n {2}10 services die .*\n$/)
  t.end()
})
