/** A start whose template gets another name in any moment of it: between every two steps that read the template's files. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { rounds } from '../../fixtures/rounds.js'
import { until } from '../../fixtures/until.js'
import { call, cloud, group, type Cloud } from './helper.js'

t.setTimeout(600_000)

/** What reads a template. */
const READS = ['stat', 'lstat', 'realpath', 'readdir', 'copyFile'] as const
type Read = (path: string | Buffer, ...rest: unknown[]) => Promise<unknown>

/** Is called before each step that reads something at or below a path. */
function watch (t: Test, before: (path: string) => Promise<void>): void {
  const replaced = files as unknown as Record<string, Read>
  const originals = READS.map(name => [name, replaced[name] as Read] as const)
  for (const [name, original] of originals) {
    replaced[name] = async (path, ...rest) => {
      await before(path.toString('latin1' as never))
      return await original(path, ...rest)
    }
  }
  syncBuiltinESMExports()
  t.teardown(() => {
    for (const [name, original] of originals) replaced[name] = original
    syncBuiltinESMExports()
  })
}

interface Amid {
  readonly c: Cloud
  readonly name: string
  readonly newName: string
  /** Holds the rename back when its directory has the new name, and nobody knows of that yet. */
  hold (): void
  release (): void
}

/** Restarts a service once for each step of its start, with something that happens there; at the step after it `later` does. */
async function overEveryStep (t: Test, { by = rounds(7, 1), properties = {}, names, amid, later = () => {}, after = async () => {} }: {
  /** Leaves some out. */
  readonly by?: number
  readonly properties?: Record<string, string>
  readonly names: (at: number) => readonly [name: string, newName: string]
  readonly amid: (amid: Amid) => Promise<unknown>
  readonly later?: (amid: Amid) => unknown
  readonly after?: (amid: Amid) => Promise<unknown>
}): Promise<void> {
  const c = await cloud(t)
  const directory = join(c.directory, 'templates')
  await c.templates.create(names(1)[0], call)
  mkdirSync(join(directory, names(1)[0], 'below'))
  for (const file of ['one', 'below/two']) writeFileSync(join(directory, names(1)[0], file), file)
  await c.groups.control.create(group('lobby', { templates: [names(1)[0]], properties }), call)
  await c.state('lobby-1', 'ONLINE')

  let [left, held] = [Infinity, undefined as { readonly name: string, is: boolean, go (): void, readonly gone: Promise<void> } | undefined]
  let now: Amid | undefined
  watch(t, async path => {
    if (path === directory && held?.is === false && existsSync(join(directory, held.name))) {
      held.is = true
      return await held.gone
    }
    const { name, newName } = now ?? {}
    if (name === undefined || newName === undefined || ![name, newName].some(one => path === join(directory, one) || path.startsWith(join(directory, one, '/')))) return
    left--
    if (left === 0) await amid(now as Amid)
    if (left === -1) await later(now as Amid)
  })

  for (let at = 1; ; at += by) {
    const [name, newName] = names(at)
    now = {
      c,
      name,
      newName,
      hold: () => {
        let go = (): void => {}
        held = { name: newName, is: false, go: () => { go() }, gone: new Promise(resolve => { go = resolve }) }
      },
      release: () => { held?.go() }
    }
    const before = c.service('lobby-1')?.startedAt
    left = at
    c.log.length = 0
    await c.services.control.restart('lobby-1', call)
    await until(() => {
      const service = c.service('lobby-1')
      return service?.state === 'ONLINE' && service.startedAt !== before
    }, () => `lobby-1 is ONLINE anew; ${c.log.slice(-4).map(({ message }) => message).join(' | ')}`)
    const reached = left <= 0
    left = Infinity
    await after(now)
    now.release()
    t.equal(c.logged('cannot be started')?.message, undefined, `step ${at}`)
    for (const file of ['one', 'below/two']) t.equal(readFileSync(join(c.directory, 'services/lobby-1/files', file), 'utf8'), file)
    if (!reached) {
      t.ok(at > 8, `a start has ${at} such steps`)
      return
    }
  }
}

t.test('a start finds its template under the new name, whenever it gets that', async t => {
  await overEveryStep(t, {
    by: 1,
    names: at => [`base${at}`, `base${at + 1}`],
    amid: async ({ c, name, newName }) => { t.equal(await c.templates.rename(name, newName, call), true) },
    after: async ({ c, name, newName }) => { if (existsSync(join(c.directory, 'templates', name))) await c.templates.rename(name, newName, call) }
  })
})

t.test('a start finds its template under the new name while its group has the old one still', async t => {
  let renamed: PromiseLike<unknown> | undefined
  await overEveryStep(t, {
    names: at => [`base${at}`, `base${at + rounds(7, 1)}`],
    amid: async ({ c, name, newName, hold }) => {
      hold()
      renamed = Promise.resolve(c.templates.rename(name, newName, call))
      await until(() => existsSync(join(c.directory, 'templates', newName)))
    },
    after: async ({ c, newName, release }) => {
      t.match(c.service('lobby-1')?.templates, [{ name: 'EVERY' }, { name: 'EVERY_SERVER' }, { name: /^base/ }])
      if (renamed === undefined) return
      t.notMatch(c.groups.list(call), [{ templates: [newName] }])
      release()
      t.equal(await renamed, true)
      renamed = undefined
    }
  })
})

t.test('a start finds its template under the old name when the new one is refused, and it has that no more', async t => {
  let renamed: PromiseLike<unknown> | undefined
  const wrong = 'w'.repeat(60)
  const size = Buffer.byteLength(JSON.stringify(group('lobby', { templates: ['base'], properties: { filler: '' } }), null, 2))
  await overEveryStep(t, {
    properties: { filler: 'x'.repeat(1024 * 1024 - size - 20) },
    names: () => ['base', wrong],
    amid: async ({ c, name, newName, hold }) => {
      hold()
      renamed = Promise.resolve(c.templates.rename(name, newName, call))
      await until(() => existsSync(join(c.directory, 'templates', newName)))
    },
    later: async ({ release }) => {
      release()
      t.equal(await renamed, 'too-large')
      renamed = undefined
    },
    after: async ({ release }) => {
      if (renamed === undefined) return
      release()
      t.equal(await renamed, 'too-large')
      renamed = undefined
    }
  })
})
