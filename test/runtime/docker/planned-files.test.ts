/** What a service will find in its directory, as it is read before there is one. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { plannedFiles } from '../../../lib/runtime/docker/swarm/texts.js'
import type { FilledPlan } from '../../../lib/runtime/fleet/index.js'
import type { Plan } from '../../../types/engine.js'
import { scratchDirectory } from '../../fixtures/scratch.js'

t.test('a file that no template has is none, and a template that is gone is an error and not one without files', async t => {
  const directory = scratchDirectory(t)
  for (const name of ['every', 'hall']) mkdirSync(join(directory, name))
  writeFileSync(join(directory, 'every/servers.json'), '[]')
  writeFileSync(join(directory, 'hall/servers.json'), '{}')
  const { files } = plannedFiles({ layers: ['every', 'hall'].map(name => ({ name, directory: join(directory, name) })) } as unknown as Plan, { files: {} } as unknown as FilledPlan)
  t.equal(await files.read('servers.json'), '{}')
  t.equal(await files.read('other.json'), undefined)
  renameSync(join(directory, 'hall'), join(directory, 'foyer'))
  await t.rejects(async () => await files.read('servers.json'), { code: 'ENOENT' })
})
