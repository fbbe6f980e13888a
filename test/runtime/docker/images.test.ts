/** The image of a service's files, when these change while it is made: an engine of memory, because a real one is not that slow on demand. */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Client } from '../../../lib/runtime/docker/client.js'
import { createImages } from '../../../lib/runtime/docker/images.js'
import { scratchDirectory } from '../../fixtures/scratch.js'
import type { Plan } from '../../../types/engine.js'

const options = { signal: new AbortController().signal, progress: () => {} }

/** An engine that keeps what it is given; `begun` is called with the number of each build, before anything of it is read. */
function open (t: Test, begun: (count: number) => void = () => {}) {
  const directory = scratchDirectory(t)
  for (const place of ['hall', 'platform']) mkdirSync(join(directory, place))
  writeFileSync(join(directory, 'hall/world.txt'), 'stone')
  writeFileSync(join(directory, 'hall/rules.txt'), 'none')
  const built: Array<{ readonly labels: string, readonly tar: string }> = []
  const docker = {
    getImage: () => ({ inspect: async () => ({ Id: 'sha256:base', Config: {} }), remove: async () => { built.pop() } }),
    listImages: async ({ filters: { label } }: { filters: { label: string[] } }) => built.filter(({ labels }) => label.some(one => one.endsWith(labels))).map(({ labels }) => ({ Id: labels })),
    buildImage: async (tar: AsyncIterable<Buffer>, { labels }: { labels: Record<string, string> }) => {
      begun(++builds)
      const pieces: Buffer[] = []
      for await (const piece of tar) pieces.push(piece)
      built.push({ labels: Object.values(labels).at(-1) as string, tar: Buffer.concat(pieces).toString('latin1') })
      return (async function * () {})()
    }
  }
  let builds = 0
  /** What calls have failed with: by some of these an engine is known to be away. */
  const codes: unknown[] = []
  const ask = async (action: (engine: unknown, signal: AbortSignal) => Promise<unknown>): Promise<unknown> => await action(docker, options.signal).catch(error => {
    codes.push((error as { code?: unknown }).code)
    throw error
  })
  const client = { ask, away: undefined, watch: () => {}, giveUp: () => {} } as unknown as Client
  const images = createImages({ client, cloud: 'test', image: undefined, user: 1000, kept: 0, log: () => {}, used: async () => new Set() })
  const plan = {
    name: 'lobby-1', image: { name: 'node' }, platform: { name: 'limbo', directory: join(directory, 'platform') }, layers: [{ name: 'hall', directory: join(directory, 'hall') }], keep: false
  } as unknown as Plan
  return { directory, built, codes, prepare: async () => await images.prepare(plan, options), builds: () => builds }
}

t.test('an image is built anew where a file of a template is taken away while it is built', async t => {
  const { directory, built, prepare, builds } = open(t, count => { if (count === 1) rmSync(join(directory, 'hall/world.txt')) })
  await prepare()
  t.equal(builds(), 2)
  t.equal(built.length, 1)
  t.match(built[0]?.tar, 'rules.txt')
  t.notMatch(built[0]?.tar, 'world.txt')
})

t.test('a template that is gone when it is read is an error, not an image without it', async t => {
  const { directory, built, prepare } = open(t)
  renameSync(join(directory, 'hall'), join(directory, 'other'))
  await t.rejects(prepare(), { code: 'ENOENT' })
  t.equal(built.length, 0)
})

t.test('a template that goes while an image of it is built is an error, and the engine is not taken for away', async t => {
  const { directory, built, codes, prepare } = open(t, () => { renameSync(join(directory, 'hall'), join(directory, 'other')) })
  await t.rejects(prepare(), { message: /ENOENT.*hall/ })
  t.strictSame(codes, [undefined])
  t.equal(built.length, 0)
})

t.test('a platform has nothing beside its file where there is no such directory', async t => {
  const { directory, built, prepare } = open(t)
  rmSync(join(directory, 'platform'), { recursive: true })
  await prepare()
  t.equal(built.length, 1)
})
