/** What an engine is busy with stands in the reason of the group, as long as it is. */
import { writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openFleet, type Engine, type StartOptions } from '../../../lib/runtime/fleet/index.js'
import { scratchDirectory } from '../../fixtures/scratch.js'
import { until } from '../../fixtures/until.js'

t.test('what an engine is busy with is in the log and in the reason, until the start has failed or is done', async t => {
  const directory = scratchDirectory(t)
  mkdirSync(join(directory, 'platforms'))
  writeFileSync(join(directory, 'platforms/game.json'), JSON.stringify({ name: 'game', type: 'SERVER', versions: ['latest'], image: 'game', ready: { tcp: true } }))
  const started: Array<{ readonly options: StartOptions, fail (error: Error): void }> = []
  const engine: Engine = {
    host: '127.0.0.1',
    find: () => [],
    start: async (_plan, options) => await new Promise((_resolve, reject) => { started.push({ options, fail: reject }) }),
    discard: () => undefined
  }
  const lines: string[] = []
  const fleet = await openFleet({ engine, directory, log: ({ message }) => { lines.push(message) }, timing: { tick: 20, pause: 60_000 } })
  t.teardown(async () => { await fleet.close() })
  await fleet.groups.control.create({
    name: 'lobby', minMemory: 1, maxMemory: 2, minOnlineService: 1, maxOnlineService: 1, platform: { name: 'game', version: 'latest' }, percentageToStartNewService: 0, properties: {}, templates: [], createdAt: 1
  }, { signal: new AbortController().signal })
  const reason = async () => await fleet.groups.reasons.of('lobby', { signal: new AbortController().signal })
  const [{ options, fail }] = await until(() => started.length > 0 && started as [typeof started[number]], 'it is started')
  for (const what of ['pulls the image game', 'pulls the image game, 40 %']) {
    options.progress(what)
    await until(async () => (await reason())?.endsWith(`; lobby-1 ${what}`), 'the reason says so')
    t.ok(lines.includes(`lobby-1 ${what}`))
  }
  fail(new Error('the disk is full'))
  await until(async () => (await reason())?.includes('pulls') === false, 'the reason says so')
})
