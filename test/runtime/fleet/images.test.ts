/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** The field `image` of platforms: how it is read, and what engines are given of it. */
import t from 'tap'
import { readDefinition, type Problem } from '../../../lib/runtime/fleet/content/platform-definition.js'
import { planOf } from '../../../lib/runtime/fleet/services/plan.js'
import type { Content } from '../../../lib/runtime/fleet/content/content.js'
import type { Recipe } from '../../../lib/runtime/fleet/services/recipe.js'
import type { ServiceRecord } from '../../../lib/runtime/fleet/services/record.js'
import { createProcessEngine } from '../../../lib/runtime/process/engine.js'
import { lockDirectory } from '../../../lib/runtime/fleet/lock.js'
import { settle } from '../../../lib/runtime/process/options.js'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { scratchDirectory } from '../../fixtures/scratch.js'

const plain = { name: 'game', type: 'SERVER', versions: ['1.21'], ready: { tcp: true } }
const read = (more: object) => readDefinition('game', JSON.stringify({ ...plain, ...more }))
const problems = (more: object) => (read(more) as readonly Problem[]).map(({ field, problem }) => `${field} ${problem}`)
const wrong = 'image must be the name of an image, such as node:22, or { "name": "<image>", "writable": true }'

t.test('a platform may name an image beside its command, or in its place', async t => {
  t.match(read({ command: 'node', image: 'node:22-slim' }), { command: 'node', image: { name: 'node:22-slim', writable: false } })
  t.match(read({ image: 'registry.example:5000/games/paper:${version}' }), { command: '', image: { name: 'registry.example:5000/games/paper:${version}', writable: false } })
  t.match(read({ image: { name: `game@sha256:${'0'.repeat(64)}`, writable: true } }), { image: { writable: true } })
})

t.test('what is no name of an image is refused, and so is what needs a command where there is none', async t => {
  for (const image of ['', ' node', 'node 22', '--privileged', 7, {}, { name: 'node', privileged: true }, { name: 'node', writable: 1 }, 'a\nRUN b', '${name}', null]) {
    t.ok(problems({ command: 'node', image }).includes(wrong), JSON.stringify(image))
  }
  t.strictSame(problems({ command: undefined }), ['command must be a text'])
  t.strictSame(problems({ image: 'node', wrap: ['nice'] }), ['wrap needs a command'])
})

t.test('an engine is given the image of the version, and none where the platform names none', async t => {
  const plan = (more: object) => {
    const definition = read({ command: 'node', ...more })
    const recipe = { definition, platform: { name: 'game', version: '1.21' }, layers: [], minMemory: 1, maxMemory: 2, slots: 3, static: false } as unknown as Recipe
    return planOf(recipe, { name: 'game-1' } as unknown as ServiceRecord, '0'.repeat(32), { secrets: {}, platforms: { directoryOf: () => '/' } } as unknown as Content, [])
  }
  t.strictSame(plan({ image: 'paper:${version}' }).image, { name: 'paper:1.21', writable: false })
  t.notOk('image' in plan({}))
})

t.test('processes refuse a platform that is an image and nothing else, as a fault of the platform', async t => {
  const directory = scratchDirectory(t)
  mkdirSync(join(directory, 'services'))
  const engine = createProcessEngine(settle({ directory }), await lockDirectory(directory), () => {})
  t.teardown(async () => { await engine.close?.() })
  const starting = async () => await engine.start({ command: '', name: 'game-1', platform: { name: 'game' } } as unknown as Parameters<typeof engine.start>[0], { signal: new AbortController().signal, progress: () => {} })
  await t.rejects(starting(), { fault: 'definition', message: 'platform game has an image and no command: it runs in containers' })
})
