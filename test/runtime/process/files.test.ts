/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
import t from 'tap'
import files, { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, renameSync, rmSync, statSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fill } from '../../../lib/runtime/fleet/content/placeholders.js'
import { readDefinition } from '../../../lib/runtime/fleet/content/platform-definition.js'
import { openTextStore } from '../../../lib/runtime/fleet/content/text-store.js'
import { removeTree } from '../../../lib/runtime/fleet/remove.js'
import { createTrees } from '../../../lib/runtime/fleet/content/trees.js'
import { copyTree } from '../../../lib/runtime/process/copy.js'
import type { Place } from '../../../lib/runtime/process/place.js'
import { prepare } from '../../../lib/runtime/process/prepare.js'
import type { Group } from '../../../types/resources.js'
import { call, cloud, game, group, makeFifo, platform, read, runs, temporary } from './helper.js'
import { rounds } from '../../fixtures/rounds.js'
import { until } from '../../fixtures/until.js'
import { startClock } from '../../fixtures/lag.js'

t.setTimeout(600_000)

const never = new AbortController().signal

t.test('a platform file says how to run something, and what is wrong in one is told by field', async (t) => {
  const good = { name: 'x', ...game }
  t.match(readDefinition('x', JSON.stringify(good)), { name: 'x', ready: { status: true }, stopTimeout: 2000 })
  const wrong: Array<[string, object]> = [
    ['name', { name: 'y' }], ['type', { type: 'GAME' }], ['versions', { versions: [] }], ['versions', { versions: [7] }],
    ['command', { command: ' ' }], ['command', { command: '${nmae}' }], ['args', { args: 'x' }], ['args', { args: ['a\0b'] }],
    ['args', { args: ['${secret}'] }], ['wrap', { wrap: 'nice' }], ['wrap', { wrap: ['nice', 7] }], ['wrap', { wrap: [' '] }], ['wrap', { wrap: ['${nmae}'] }],
    ['watchdog', { watchdog: true }], ['watchdog', { watchdog: { seconds: 0 } }], ['watchdog', { watchdog: { seconds: 5, minutes: 1 } }], ['port', { port: 0 }], ['port', { port: '25565' }], ['env', { env: { 'A-B': 'x' } }], ['env', { env: { A: 1 } }], ['files', { files: ['x'] }],
    ['files.../x', { files: { '../x': '' } }], ['files./x', { files: { '/x': '' } }], ['files.a/../../x', { files: { 'a/../../x': '' } }],
    ['ready', { ready: {} }], ['ready.log', { ready: { log: '(' } }], ['ready', { ready: { tcp: true, status: true } }],
    ['stop', { stop: { signal: 'SIGNONE' } }], ['stop', { stop: { stdin: 'a\nb' } }], ['startTimeout', { startTimeout: 0 }],
    ['stopTimeout', { stopTimeout: '5' }], ['startTimout', { startTimout: 5 }]
  ]
  for (const [field, change] of wrong) {
    const problems = readDefinition('x', JSON.stringify({ ...good, ...change }))
    t.match(problems, [{ field, problem: String }], `${field}: ${JSON.stringify(change)}`)
  }
  t.match(readDefinition('x', '{'), [{ field: '(file)', problem: /no JSON/ }])
})

t.test('placeholders are put in once: what a value contains stays as it is', async (t) => {
  const values = { name: '${port}', group: 'g', host: 'h', port: '1', version: 'v', directory: 'd', platformDirectory: 'p', minMemory: '1', maxMemory: '2', maxPlayers: '3' }
  t.equal(fill('${name} ${port} ${unknown} ${toString} $name', values), '${port} 1 ${unknown} ${toString} $name')
})

t.test('a wrong platform file is reported by file and field, the others are there; one may be added later', async (t) => {
  const c = await cloud(t, { platforms: { game, broken: { ...game, ready: { log: '(' } } } })
  const platforms = async () => (await c.runtime.platforms.list(call)).map(({ name }) => name)
  t.same(await c.runtime.platforms.list(call), [{ name: 'game', type: 'SERVER', versions: [{ version: 'latest' }] }])
  const file = join(c.directory, 'platforms', 'broken.json')
  t.match(c.logged('broken.json'), { level: 'error', file, field: 'ready.log', message: /is no regular expression: .*Unterminated group/ })
  const told = c.log.length
  await platforms()
  t.equal(c.log.length, told, 'told once')
  writeFileSync(file, JSON.stringify({ name: 'broken', ...game }))
  t.same(await platforms(), ['broken', 'game'])
})

t.test('templates are laid in their order, later files win, and the platform\'s own texts come last', async (t) => {
  const c = await cloud(t, { platforms: { game: { ...game, files: { 'deep/settings.txt': 'port ${port} of ${name}; ${other}', all: 'game' } } } })
  const put = (template: string, file: string) => writeFileSync(join(c.directory, 'templates', template, file), template)
  for (const name of ['one', 'two']) t.equal(await c.templates.create(name, call), true)
  for (const name of ['EVERY', 'EVERY_SERVER', 'EVERY_FALLBACK', 'EVERY_PROXY', 'one', 'two']) {
    put(name, name)
    put(name, 'last')
    put(name, 'all')
  }
  mkdirSync(join(c.directory, 'templates', 'one', 'mixed'))
  writeFileSync(join(c.directory, 'templates', 'one', 'mixed', 'in'), '')
  writeFileSync(join(c.directory, 'templates', 'two', 'mixed'), 'now a file')
  mkdirSync(join(c.directory, 'templates', 'two', 'one'))
  await c.groups.control.create(group('lobby', { templates: ['one', 'two'], properties: { fallback: true } }), call)
  const { port, templates } = await c.state('lobby-1', 'ONLINE')
  t.same(templates.map(({ name }) => name), ['EVERY', 'EVERY_SERVER', 'EVERY_FALLBACK', 'one', 'two'])
  const files = join(c.directory, 'services', 'lobby-1', 'files')
  t.same(readdirSync(files).sort(), ['EVERY', 'EVERY_FALLBACK', 'EVERY_SERVER', 'all', 'deep', 'last', 'mixed', 'one', 'two'])
  t.equal(read(join(files, 'last')), 'two')
  t.equal(read(join(files, 'mixed')), 'now a file')
  t.ok(lstatSync(join(files, 'one')).isDirectory())
  t.equal(read(join(files, 'all')), 'game')
  t.equal(read(join(files, 'deep', 'settings.txt')), `port ${port} of lobby-1; \${other}`)
  t.same(readdirSync(join(c.directory, 'services', 'lobby-1')).sort(), ['files', 'run'])
})

t.test('S18: whatever a template, or a static service, has in the place of what the cloud writes, or in the way to it, that is written at each start', async t => {
  const laid = { 'eula.txt': 'eula=true', 'conf/deep/settings': 'port ${port}', 'link/settings': 'text' }
  const proxy = (writer: string) => platform('game', { type: 'PROXY', network: { writer }, files: laid, ready: { tcp: true } })
  const c = await cloud(t, {
    platforms: { game: { ...game, files: laid }, gate: proxy('gate'), velocity: proxy('velocity') },
    prepare: directory => {
      for (const path of ['EVERY/eula.txt/x', 'EVERY_PROXY/servers.json/x', 'EVERY_PROXY/velocity.toml/x', 'EVERY/elsewhere/x']) mkdirSync(join(directory, 'templates', path), { recursive: true })
      writeFileSync(join(directory, 'templates/EVERY/conf'), 'a file')
      symlinkSync('elsewhere', join(directory, 'templates/EVERY/link'))
    }
  })
  for (const [name, properties] of [['game', {}], ['gate', {}], ['velocity', {}], ['city', { static: true }]] as const) {
    await c.groups.control.create(group(name, { platform: { name: name === 'city' ? 'game' : name, version: 'latest' }, properties }), call)
  }
  const all = ['game-1', 'gate-1', 'velocity-1', 'city-1']
  const check = (): void => {
    for (const name of all) {
      const files = join(c.directory, 'services', name, 'files')
      t.equal(read(join(files, 'eula.txt')), 'eula=true', name)
      t.equal(read(join(files, 'conf/deep/settings')), `port ${c.service(name)?.port}`, name)
      t.equal(read(join(files, 'elsewhere/settings')), 'text', `${name}: a link inside stays one`)
      t.strictSame(readdirSync(files).filter(one => one.endsWith('.tmp')), [], name)
    }
    t.match(read(join(c.directory, 'services/gate-1/files/servers.json')), /^\[|^\{/)
    t.match(read(join(c.directory, 'services/velocity-1/files/velocity.toml')), /\[servers\]/)
  }
  for (const name of all) await c.state(name, 'ONLINE')
  check()
  const city = join(c.directory, 'services/city-1/files')
  const pid = c.pid('city-1')
  for (const path of ['conf', 'eula.txt', 'link']) rmSync(join(city, path), { recursive: true })
  mkdirSync(join(city, 'eula.txt/y'), { recursive: true })
  mkdirSync(join(city, 'conf'))
  makeFifo(join(city, 'conf/deep'))
  symlinkSync('nowhere', join(city, 'link'))
  await c.services.control.restart('city-1', call)
  await until(() => c.pid('city-1') !== pid && c.service('city-1')?.state === 'ONLINE', () => `it is ONLINE again: ${c.log.at(-1)?.message}`)
  t.equal(read(join(city, 'link/settings')), 'text', 'a link that leads nowhere goes')
  rmSync(join(city, 'link'), { recursive: true })
  symlinkSync('elsewhere', join(city, 'link'))
  check()
})

t.test('no link leads out of a template, and no pipe hangs the copy (cases 86, 87)', async (t) => {
  const c = await cloud(t)
  await c.templates.create('hostile', call)
  const at = (...path: string[]) => join(c.directory, 'templates', 'hostile', ...path)
  mkdirSync(at('inner'))
  writeFileSync(at('inner', 'real'), 'real')
  symlinkSync('inner/real', at('good'))
  symlinkSync('/etc/passwd', at('absolute'))
  symlinkSync('../EVERY', at('sibling'))
  symlinkSync('../../groups/lobby.json', at('relative'))
  // A directory whose path begins as that of the template does.
  await c.templates.create('hostile-twin', call)
  writeFileSync(join(c.directory, 'templates', 'hostile-twin', 'secret'), 'secret')
  symlinkSync('../hostile-twin/secret', at('twin'))
  symlinkSync('.', at('loop'))
  symlinkSync('nowhere', at('dangling'))
  symlinkSync('/dev/zero', at('endless'))
  symlinkSync('inner/../../hostile/inner/real', at('detour'))
  symlinkSync('../../hostile/inner/real', at('inner', 'climber'))
  makeFifo(at('pipe'))
  makeFifo(at('inner', 'pipe'))
  await c.groups.control.create(group('lobby', { templates: ['hostile'] }), call)
  await c.state('lobby-1', 'ONLINE')
  const files = join(c.directory, 'services', 'lobby-1', 'files')
  t.same(readdirSync(files).sort(), ['good', 'inner', 'loop'])
  t.same(readdirSync(join(files, 'inner')), ['real'])
  t.same([readlinkSync(join(files, 'good')), readlinkSync(join(files, 'loop'))], ['inner/real', '.'], 'what stays inside is a link again')
  t.equal(read(join(files, 'good')), 'real')
  t.match(c.logged('hostile/absolute is not copied into lobby-1: it is a link'), { level: 'warn', service: 'lobby-1' })
})

t.test('R18: modes, times, holes and links that stay inside are kept; set-uid bits and what can lead out are not', async t => {
  const [source, target] = [join(temporary(t), 'source'), join(temporary(t), 'target')]
  for (const path of [source, target]) mkdirSync(path)
  const at = (...path: string[]) => join(source, ...path)
  const to = (...path: string[]) => join(target, ...path)
  const then = new Date('2020-02-02T02:02:02Z')
  mkdirSync(at('sub', 'deep'), { recursive: true })
  writeFileSync(at('run.sh'), '#!/bin/sh\n')
  chmodSync(at('run.sh'), 0o750)
  writeFileSync(at('sub', 'secret'), 'x')
  chmodSync(at('sub', 'secret'), 0o4640)
  writeFileSync(at('hollow'), 'begin')
  truncateSync(at('hollow'), 64 * 1024 * 1024)
  symlinkSync('../../run.sh', at('sub', 'deep', 'link'))
  symlinkSync('sub', at('directory'))
  utimesSync(at('run.sh'), then, then)
  chmodSync(at('sub', 'deep'), 0o500)
  utimesSync(at('sub', 'deep'), then, then)
  const odd = Buffer.from('\xff\xfeb\xe4d', 'latin1')
  const under = (directory: string, ...names: Buffer[]) => Buffer.concat([Buffer.from(directory), ...names.flatMap(name => [Buffer.from('/'), name])])
  mkdirSync(under(source, odd))
  writeFileSync(under(source, odd, odd), 'no UTF-8')
  symlinkSync(odd, under(source, Buffer.from('odd')))
  await copyTree(source, target, path => { t.fail(`${path} is left out`) }, never)
  const mode = (...path: string[]) => (statSync(to(...path)).mode & 0o7777).toString(8)
  t.same([mode('run.sh'), mode('sub', 'secret'), mode('sub', 'deep')], ['750', '640', '700'])
  t.same([statSync(to('run.sh')).mtimeMs, statSync(to('sub', 'deep')).mtimeMs], [+then, +then])
  const { size, blocks } = statSync(to('hollow'))
  t.equal(size, 64 * 1024 * 1024)
  t.ok(blocks * 512 <= statSync(at('hollow')).blocks * 512 + 1024 * 1024, `${blocks * 512} bytes on the disk`)
  t.equal(read(to('hollow')).slice(0, 5), 'begin')
  t.equal(readFileSync(under(target, odd, odd), 'utf8'), 'no UTF-8')
  t.same(readlinkSync(to('odd'), 'buffer'), odd)
  t.same([readlinkSync(to('sub', 'deep', 'link')), readlinkSync(to('directory'))], ['../../run.sh', 'sub'])

  // A later template has a file where this one has a link: what the link led to stays as it was.
  const later = join(temporary(t), 'later')
  mkdirSync(later)
  writeFileSync(join(later, 'directory'), 'a file now')
  await copyTree(later, target, () => {}, never)
  t.equal(read(to('directory')), 'a file now')
  t.ok(lstatSync(to('directory')).isFile())
  t.same(readdirSync(to('sub')).sort(), ['deep', 'secret'])
  chmodSync(at('sub', 'deep'), 0o700)
})

t.test('a copy that fails or is aborted leaves nothing behind and the service OFFLINE', async (t) => {
  const c = await cloud(t, { timing: { pause: 60_000, longestPause: 60_000 } })
  await c.groups.control.create(group('lobby', { templates: ['gone'] }), call)
  await until(() => c.logged('lobby-1 cannot be started: there is no template gone'))
  t.notOk(existsSync(join(c.directory, 'services', 'lobby-1', 'files')))

  const [source, target] = [join(temporary(t), 'source'), join(temporary(t), 'target')]
  for (const path of [source, target]) mkdirSync(path)
  for (let count = 0; count < 200; count++) writeFileSync(join(source, String(count)), 'x')
  const abort = new AbortController()
  const copy = copyTree(source, target, () => {}, abort.signal)
  abort.abort(new Error('enough'))
  await t.rejects(copy, { message: 'enough' })
  const left = readdirSync(target).length
  t.ok(left < 200)
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.equal(readdirSync(target).length, left, 'nothing is written after it told so')
})

t.test('a service that is made ready while its template is replaced gets one version of it, whole', async t => {
  const directory = temporary(t)
  const root = join(directory, 'lobby')
  const version = (at: number, path: string): void => {
    mkdirSync(join(path, 'inner'), { recursive: true })
    for (let file = 0; file < 60; file++) writeFileSync(join(path, file % 2 === 0 ? 'inner' : '', `f${file}`), String(at))
  }
  version(0, root)
  const over = new AbortController()
  const versions = { replaced: 0 }
  /** What is replaced ten times within one start is laid as it is: there is time for some. */
  let longest = 50
  const writer = (async () => {
    const trees = createTrees()
    while (!over.signal.aborted) {
      const [fresh, aside] = [join(directory, `fresh-${++versions.replaced}`), join(directory, `aside-${versions.replaced}`)]
      version(versions.replaced, fresh)
      trees.exchange(root, fresh, aside)
      trees.discard(aside, 'lobby')
      await trees.discarded(0)
      await pause(longest)
    }
  })()
  const files = join(directory, 'service', 'files')
  for (let start = 0; start < rounds(12, 100) || versions.replaced < rounds(4, 20); start++) {
    const began = performance.now()
    await prepare({
      place: { directory: join(directory, 'service'), files, run: join(directory, 'service', 'run') } as Place,
      templates: [root],
      downloads: [],
      texts: {},
      secretFiles: [],
      keep: false,
      leftOut: path => { t.fail(`${path} is left out`) },
      warn: what => { t.fail(what) }
    }, never)
    longest = Math.min(1_000, Math.max(longest, performance.now() - began))
    const found = Array.from({ length: 60 }, (_, file) => read(join(files, file % 2 === 0 ? 'inner' : '', `f${file}`)))
    t.equal(new Set(found).size, 1, `start ${start} after ${versions.replaced} versions`)
  }
  over.abort()
  await writer
})

t.test('directories inside of each other, deeper than any path can tell, are taken away', async t => {
  const place = t.testdir({})
  const directory = join(place, 'files')
  mkdirSync(directory)
  // From the innermost on: nobody can name a path to it afterwards.
  for (let depth = 0; depth < 300; depth++) {
    mkdirSync(join(place, 'outer'))
    writeFileSync(join(place, 'outer', 'f'), 'x')
    renameSync(directory, join(place, 'outer', 'd'.repeat(100)))
    renameSync(join(place, 'outer'), directory)
  }
  await removeTree(directory)
  t.notOk(existsSync(directory))
})

t.test('what lies elsewhere stays, also when a link to it takes the place of a directory that is being removed', async t => {
  for (let round = 0; round < 20; round += rounds(5, 1)) {
    const place = temporary(t)
    const [directory, elsewhere] = [join(place, 'files', 'd'), join(place, 'elsewhere')]
    for (const path of [directory, elsewhere]) mkdirSync(path, { recursive: true })
    for (let n = 0; n < 1_000; n++) writeFileSync(join(directory, `f${n}`), '')
    for (let n = 0; n < 10; n++) writeFileSync(join(elsewhere, `f${n}`), 'precious')
    let isSwapped = false
    const swap = (): void => {
      if (readdirSync(directory).length > 990 - 40 * round) {
        setImmediate(swap)
        return
      }
      renameSync(directory, join(place, 'files', 'e'))
      symlinkSync(elsewhere, directory)
      isSwapped = true
    }
    setImmediate(swap)
    await removeTree(join(place, 'files'))
    t.ok(isSwapped)
    t.notOk(existsSync(join(place, 'files')))
    t.equal(readdirSync(elsewhere).length, 10)
  }
})

t.test('copying thousands of files does not hold up the event loop', async (t) => {
  const [source, target] = [join(temporary(t), 'source'), join(temporary(t), 'target')]
  for (const path of [source, target]) mkdirSync(path)
  for (let directory = 0; directory < 20; directory++) {
    mkdirSync(join(source, String(directory)))
    for (let file = 0; file < 50; file++) writeFileSync(join(source, String(directory), String(file)), 'x'.repeat(1000))
  }
  let turns = 0
  let over = false
  const spin = () => {
    turns++
    if (!over) setImmediate(spin)
  }
  spin()
  await copyTree(source, target, () => {}, never)
  over = true
  t.equal(readdirSync(join(target, '19')).length, 50)
  t.ok(turns > 100, `the loop turned ${turns} times meanwhile`)
})

t.test('a static service keeps its files and gets templates only when it is first made', async (t) => {
  const c = await cloud(t)
  await c.templates.create('world', call)
  const template = join(c.directory, 'templates', 'world', 'level')
  writeFileSync(template, 'first')
  for (const name of ['city', 'arena']) {
    await c.groups.control.create(group(name, { templates: ['world'], properties: { static: name === 'city' } }), call)
    await c.state(`${name}-1`, 'ONLINE')
  }
  writeFileSync(template, 'second')
  const at = (name: string, file: string) => join(c.directory, 'services', `${name}-1`, 'files', file)
  for (const name of ['city', 'arena']) {
    writeFileSync(at(name, 'built'), 'by players')
    const pid = c.pid(`${name}-1`)
    await c.services.control.restart(`${name}-1`, call)
    await until(() => c.pid(`${name}-1`) !== pid && c.service(`${name}-1`)?.state === 'ONLINE')
  }
  t.same([read(at('city', 'level')), read(at('city', 'built'))], ['first', 'by players'])
  t.same([read(at('arena', 'level')), read(at('arena', 'built'))], ['second', ''])
  for (const name of ['city', 'arena']) await c.groups.control.delete(name, call)
  const left = readdirSync(join(c.directory, 'services'))
  t.equal(left.length, 1)
  t.match(left[0], /^city-1\.kept-/, 'what people built is moved aside, not deleted')
  await c.groups.control.create(group('city', { templates: ['world'], properties: { static: true } }), call)
  await c.state('city-1', 'ONLINE')
  t.equal(read(at('city', 'built')), '', 'and a later group of that name does not find it')
})

t.test('a static service cannot have a platform\'s text written outside through a link of its own (cases 86, 87)', async (t) => {
  const c = await cloud(t, {
    platforms: { game: { ...game, files: { 'conf/settings': 'text' } } }, timing: { pause: 60_000, longestPause: 60_000 }
  })
  await c.groups.control.create(group('city', { properties: { static: 'true' } }), call)
  await c.state('city-1', 'ONLINE')
  await c.services.control.stop('city-1', call)
  const files = join(c.directory, 'services', 'city-1', 'files')
  // The path of the second begins as that of the service's own files does.
  for (const outside of [temporary(t), `${files}-twin`]) {
    mkdirSync(outside, { recursive: true })
    rmSync(join(files, 'conf'), { recursive: true })
    symlinkSync(outside, join(files, 'conf'))
    c.log.length = 0
    await c.services.control.restart('city-1', call)
    await until(() => c.logged('would be written outside of its directory'))
    t.same(readdirSync(outside), [])
  }
})

t.test('the system templates are always there; templates are made, renamed in their groups, and kept while in use (cases 83, 88, 89)', async (t) => {
  const c = await cloud(t)
  const system = ['EVERY', 'EVERY_FALLBACK', 'EVERY_PROXY', 'EVERY_SERVER']
  const names = async () => (await c.templates.list(call)).map(({ name }) => name).filter((name) => !system.includes(name))
  t.same((await c.templates.list(call)).map(({ name, size }) => [name, size]), system.map((name) => [name, 'unknown']))
  const { revision } = c.templates
  t.equal(await c.templates.create('lobby', call), true)
  t.not(c.templates.revision, revision)
  t.equal(await c.templates.create('Lobby', call), false)
  t.equal(await c.templates.create('arena', call), true)
  await c.groups.control.create(group('g', { templates: ['arena', 'lobby'], minOnlineService: 0 }), call)
  t.equal(await c.templates.rename('lobby', 'ARENA', call), 'taken')
  t.equal(await c.templates.rename('nothing', 'x', call), false)
  t.equal(await c.templates.rename('lobby', 'LOBBY', call), true, 'another case of its own name is free')
  t.equal(await c.templates.rename('LOBBY', 'hall', call), true)
  t.same(await names(), ['arena', 'hall'])
  t.match(c.groups.list(call), [{ templates: ['arena', 'hall'] }])
  t.match(JSON.parse(read(join(c.directory, 'groups', 'g.json'))), { templates: ['arena', 'hall'] })
  t.equal(await c.templates.delete('hall', call), 'in-use')
  t.equal(await c.templates.delete('nothing', call), false)
  await c.groups.control.delete('g', call)
  t.equal(await c.templates.delete('hall', call), true)
  t.same(await names(), ['arena'])
  t.equal(await c.templates.delete('EVERY', call), false)
  t.equal(await c.templates.rename('EVERY', 'x', call), false)
  const before = c.templates.revision
  mkdirSync(join(c.directory, 'templates', 'by-hand'))
  await until(() => c.templates.revision !== before)
  t.same(await names(), ['arena', 'by-hand'])
  for (const name of ['..', '../x', 'a/b', 'a\0b', '']) {
    await t.rejects(async () => await c.templates.create(name, call), TypeError)
    await t.rejects(async () => await c.templates.rename('arena', name, call), TypeError)
  }
})

t.test('a rename that a crash cut short, of which nobody was told that it is done, is taken back with the next start', async (t) => {
  const c = await cloud(t)
  const [directory, note] = [join(c.directory, 'templates'), join(c.directory, 'templates', '.renaming.json')]
  await c.templates.create('old', call)
  for (const name of ['g', 'h']) await c.groups.control.create(group(name, { templates: ['old'], minOnlineService: 0 }), call)
  const asBefore = async () => {
    t.match(c.groups.list(call), [{ templates: ['old'] }, { templates: ['old'] }])
    t.same((await c.templates.list(call)).map(({ name }) => name).filter(name => !name.startsWith('EVERY')), ['old'])
    t.notOk(existsSync(note))
  }
  for (const isMoved of [false, true]) {
    await c.runtime.close()
    writeFileSync(note, JSON.stringify({ name: 'old', newName: 'new' }))
    if (isMoved) {
      renameSync(join(directory, 'old'), join(directory, 'new'))
      const file = join(c.directory, 'groups', 'h.json')
      writeFileSync(file, read(file).replace('"old"', '"new"'))
    }
    await c.reopen()
    await asBefore()
  }
})

t.test('what says that a rename is under way, and does not say which, keeps nothing from its start, nor any rename from being done', async (t) => {
  for (const text of ['null', '[]', '5', '{}', 'garbage', '{"name":5,"newName":6}', '{"name":"../x","newName":"web"}']) {
    const directory = temporary(t)
    mkdirSync(join(directory, 'templates', 'web'), { recursive: true })
    writeFileSync(join(directory, 'templates', '.renaming.json'), text)
    const c = await cloud(t, { directory })
    t.ok(c.logged('A rename of a template was not finished and cannot be taken back yet'), text)
    t.equal(await c.templates.rename('web', 'map', call), true, text)
    t.notOk(existsSync(join(directory, 'templates', '.renaming.json')), text)
  }
})

t.test('a rename that fails is not done by a later core, and keeps none from its start, whatever is in its way', async (t) => {
  const c = await cloud(t)
  const [directory, note] = [join(c.directory, 'templates'), join(c.directory, 'templates', '.renaming.json')]
  const own = async () => (await c.templates.list(call)).map(({ name }) => name).filter(name => !name.startsWith('EVERY'))
  await c.templates.create('old', call)
  for (const name of ['g', 'h']) await c.groups.control.create(group(name, { templates: ['old'], minOnlineService: 0 }), call)
  const original = files.renameSync
  const refuse = (isRefused: (to: string) => boolean) => {
    files.renameSync = (from, to) => {
      if (isRefused(String(to))) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      original(from, to)
    }
    syncBuiltinESMExports()
  }
  t.teardown(() => { refuse(() => false) })
  refuse(to => to.endsWith('h.json'))
  await t.rejects(async () => await c.templates.rename('old', 'new', call), { code: 'ENOSPC' })
  t.same(await own(), ['old'])
  t.match(c.groups.list(call), [{ templates: ['old'] }, { templates: ['old'] }])
  t.notOk(existsSync(note), 'nothing is left to be done')

  // What was changed cannot be changed back: neither name is free, and what uses the template goes on to have it.
  let tries = 0
  refuse(to => to.endsWith('h.json') || (to.endsWith('g.json') && ++tries > 1))
  await t.rejects(async () => await c.templates.rename('old', 'new', call), { code: 'ENOSPC' })
  t.ok(existsSync(note))
  t.match(c.logged('cannot be taken back yet'), { level: 'error' })
  t.equal(await c.templates.create('new', call), false)
  t.equal(await c.templates.delete('old', call), 'in-use')
  await c.runtime.close()
  await c.reopen()
  t.same(await own(), ['old'], 'it starts')
  t.ok(existsSync(note))
  refuse(() => false)
  await c.templates.create('other', call)
  t.match(c.groups.list(call), [{ templates: ['old'] }, { templates: ['old'] }])
  t.notOk(existsSync(note), 'the next change has taken it back')

  await c.runtime.close()
  writeFileSync(note, 'no note')
  await c.reopen()
  t.equal(await c.templates.create('new', call), true)
  t.ok(readdirSync(directory).includes('new'))
})

t.test('a group is a file that people can read, there before the answer; of many at once exactly one is made', async (t) => {
  const c = await cloud(t)
  const one = group('Lobby', { minOnlineService: 0, properties: { fallback: true, motd: 'x', n: 3 } })
  const answers = await Promise.all(Array.from({ length: 20 }, async (_, at) => await c.groups.control.create(at % 2 === 0 ? one : { ...one, name: 'lobby' }, call)))
  t.equal(answers.filter(Boolean).length, 1)
  t.same(JSON.parse(read(join(c.directory, 'groups', 'Lobby.json'))), one)
  t.equal(await c.groups.control.create({ ...one, name: 'LOBBY' }, call), false)
  const { revision } = c.groups
  const edited = await c.groups.control.edit('Lobby', { maxMemory: 512, maxOnlineService: 9 }, call)
  t.same(edited, { ...one, maxMemory: 512, maxOnlineService: 9 })
  t.same(JSON.parse(read(join(c.directory, 'groups', 'Lobby.json'))), edited)
  t.not(c.groups.revision, revision)
  t.equal(await c.groups.control.edit('nobody', {}, call), false)
  await t.rejects(async () => await c.groups.control.create({ ...one, name: '../x' }, call), TypeError)
  await Promise.all([{ minMemory: 1 }, { maxMemory: 700 }, { maxOnlineService: 5 }].map(async (changes) => await c.groups.control.edit('Lobby', changes, call)))
  t.match(JSON.parse(read(join(c.directory, 'groups', 'Lobby.json'))), { minMemory: 1, maxMemory: 700, maxOnlineService: 5 }, 'no edit is lost')
})

t.test('R9: a group file that is edited by hand is taken within a second, or refused by field, and no edit is lost', async t => {
  const c = await cloud(t, { timing: { tick: 1000 } })
  await c.templates.create('plain', call)
  await c.groups.control.create(group('lobby', { templates: ['plain'] }), call)
  await c.state('lobby-1', 'ONLINE')
  const file = join(c.directory, 'groups', 'lobby.json')
  const listed = () => (c.groups.list(call) as readonly Group[]).find(({ name }) => name === 'lobby')
  const write = (changes: object) => { writeFileSync(file, JSON.stringify({ ...listed(), ...changes }, null, 2)) }

  write({ minOnlineService: 2 })
  const isWithin = startClock(t)
  await until(() => listed()?.minOnlineService === 2)
  t.ok(isWithin(2000))
  await c.state('lobby-2', 'ONLINE')
  t.ok(c.logged('Group lobby: its file was changed by hand'))

  // In the same moment as a change over the interface: that has to read it first.
  write({ maxMemory: 512 })
  t.match(await c.groups.control.edit('lobby', { maxOnlineService: 5 }, call), { maxMemory: 512, maxOnlineService: 5, minOnlineService: 2 })
  t.match(JSON.parse(read(file)), { maxMemory: 512, maxOnlineService: 5, minOnlineService: 2 })

  const right = read(file)
  writeFileSync(file, right.replace('"maxOnlineService": 5', '"maxOnlineService": "five"'))
  await until(() => c.logged('Group file lobby.json: maxOnlineService must be a whole number, 0 or more'))
  t.match(c.logged('maxOnlineService must be'), { level: 'error', file, field: 'maxOnlineService', group: 'lobby' })
  t.equal(listed()?.maxOnlineService, 5, 'what was right last holds')
  await until(() => c.reason('lobby')?.includes('its file is wrong, and what was right before holds: maxOnlineService must be'))
  t.equal(await c.groups.control.edit('lobby', { maxMemory: 1024 }, call), 'damaged')
  t.equal(await c.templates.rename('plain', 'another', call), 'damaged')
  t.ok((await c.templates.list(call)).some(({ name }) => name === 'plain'), 'a template that could not be renamed in a group keeps its name')
  t.ok(read(file).includes('"five"'), 'what somebody is writing is not written over')
  t.strictSame([await c.groups.damage?.of('lobby', call), await c.groups.damage?.of('nowhere', call)], [true, false])
  writeFileSync(file, right)
  t.equal(await c.groups.damage?.of('lobby', call), false, 'it is read before that is said')
  await until(() => c.reason('lobby') === '2 services, as it should be')
  t.match(await c.groups.control.edit('lobby', { maxMemory: 1024 }, call), { maxMemory: 1024 })

  writeFileSync(join(c.directory, 'groups', 'arena.json'), JSON.stringify(group('arena', { minOnlineService: 1 })))
  await c.state('arena-1', 'ONLINE')
  rmSync(join(c.directory, 'groups', 'arena.json'))
  await until(() => c.logged('Group arena: its file is gone; it is written again with the next change'))
  const gone = '1 service, as it should be; its file is gone: unless it is edited before, nothing of it is left after the next start of the server'
  await until(() => c.reason('arena') === gone, () => String(c.reason('arena')))
  t.equal(c.service('arena-1')?.state, 'ONLINE', 'nobody is thrown off by a file that is moved')
  writeFileSync(join(c.directory, 'groups', 'arena.json'), JSON.stringify(group('arena', { minOnlineService: 1 })))
  await until(() => c.reason('arena') === '1 service, as it should be', () => String(c.reason('arena')))
  rmSync(join(c.directory, 'groups', 'arena.json'))
  await until(() => c.reason('arena') === gone, () => String(c.reason('arena')))
  await c.groups.control.edit('arena', { maxMemory: 256 }, call)
  await until(() => c.reason('arena') === '1 service, as it should be', () => String(c.reason('arena')))
  t.match(JSON.parse(read(join(c.directory, 'groups', 'arena.json'))), { maxMemory: 256 })

  // All of them at once, with where they were.
  rmSync(join(c.directory, 'groups'), { recursive: true })
  await until(() => c.reason('arena') === gone, () => String(c.reason('arena')))
  await c.groups.control.edit('arena', { maxMemory: 512 }, call)
  await until(() => c.reason('arena') === '1 service, as it should be', () => String(c.reason('arena')))
  t.match(JSON.parse(read(join(c.directory, 'groups', 'arena.json'))), { maxMemory: 512 })
  writeFileSync(join(c.directory, 'groups', 'arena.json'), JSON.stringify(group('arena', { minOnlineService: 1, maxMemory: 768 })))
  await until(() => (c.groups.list(call) as readonly Group[]).some(({ name, maxMemory }) => name === 'arena' && maxMemory === 768), 'what is written by hand is seen there as well')
  t.equal(c.service('arena-1')?.state, 'ONLINE')
})

t.test('R9: a group file that is edited by hand may name only what is there, and of the same type; it is taken as soon as that is there', async t => {
  const c = await cloud(t, { platforms: { game, other: game, gate: { ...game, type: 'PROXY' } } })
  await c.templates.create('plain', call)
  await c.groups.control.create(group('lobby', { templates: ['plain'] }), call)
  await c.state('lobby-1', 'ONLINE')
  const file = join(c.directory, 'groups', 'lobby.json')
  const listed = () => (c.groups.list(call) as readonly Group[]).find(({ name }) => name === 'lobby') as Group
  const right = listed()
  const write = (changes: object) => { writeFileSync(file, JSON.stringify({ ...right, ...changes }, null, 2)) }
  const fault = (problem: string) => until(() => c.reason('lobby')?.includes(`its file is wrong, and what was right before holds: ${problem}`), () => String(c.reason('lobby')))
  const told = () => c.log.filter(({ level, group }) => level === 'error' && group === 'lobby').map(({ field }) => field)
  const refused = [
    ['templates', { templates: ['plain', 'none'] }, 'templates must exist: there is no none'],
    ['platform.name', { platform: { name: 'nothing', version: 'latest' } }, 'platform.name must be a platform that exists: there is no nothing'],
    ['platform.version', { platform: { name: 'game', version: '9' } }, 'platform.version must be a version of game'],
    ['platform.name', { platform: { name: 'gate', version: 'latest' } }, 'platform.name must be a SERVER: gate is a PROXY']
  ] as const
  for (const [at, [, changes, problem]] of refused.entries()) {
    write(changes)
    await fault(problem)
    t.same(listed(), right, 'what was right before stays in force')
    t.equal(await c.groups.control.edit('lobby', { maxMemory: 512 }, call), 'damaged')
    t.match(c.logged(`Group file lobby.json: ${problem}`), { level: 'error', file })
    t.same(told(), refused.slice(0, at + 1).map(([field]) => field), 'each is told once')
  }
  write({})
  await until(() => c.reason('lobby') === '1 service, as it should be')
  write({ platform: { name: 'other', version: 'latest' } })
  await until(() => listed().platform.name === 'other')

  // What comes later heals it: a template, another name of one, and a version.
  write({ templates: ['none'], maxMemory: 300 })
  await fault('templates must exist')
  const lines = c.log.length
  await new Promise(resolve => setTimeout(resolve, 1000))
  t.same(c.log.slice(lines).filter(({ level }) => level === 'error'), [], 'nothing is told each time it is looked at')
  mkdirSync(join(c.directory, 'templates', 'none'))
  await until(() => listed().maxMemory === 300)
  t.same(listed().templates, ['none'])
  await until(() => c.reason('lobby') === '1 service, as it should be')
  write({ templates: ['none', 'hall'], maxMemory: 400 })
  await fault('templates must exist: there is no hall')
  t.equal(await c.templates.rename('none', 'hall', call), true)
  t.match(listed(), { templates: ['hall', 'hall'], maxMemory: 400 })
  write({ templates: [], platform: { name: 'game', version: '9' } })
  await fault('platform.version must be a version of game')
  writeFileSync(join(c.directory, 'platforms', 'game.json'), JSON.stringify({ name: 'game', ...game, versions: ['latest', '9'] }))
  await until(() => listed().platform.version === '9')

  // What is taken away again does not come.
  write({ templates: ['never'] })
  await fault('templates must exist: there is no never')
  rmSync(file)
  await until(() => c.reason('lobby')?.startsWith('1 service, as it should be; its file is gone: '))
  mkdirSync(join(c.directory, 'templates', 'never'))
  t.match(await c.groups.control.edit('lobby', { maxMemory: 700 }, call), { maxMemory: 700, templates: [] })

  // At a start there is nothing else to go by.
  await c.runtime.close()
  write({ templates: ['nowhere'], minOnlineService: 0 })
  await c.reopen()
  t.same(listed().templates, ['nowhere'])
  t.match(await c.groups.control.edit('lobby', { maxMemory: 800 }, call), { maxMemory: 800 })
})

t.test('R9: whatever moment of a write somebody chooses to write the same file by hand, theirs stands and is read', async t => {
  const directory = temporary(t)
  const store = await openTextStore(directory, { watched: true })
  t.teardown(() => { store.close() })
  const path = store.pathOf('lobby')
  const outcomes = { refused: 0, replaced: 0 }
  for (let moment = 0; moment < 60; moment++) {
    await store.readChanged('lobby')
    const writing = store.write('lobby', `ours ${moment}`)
    const isThere = (): boolean => existsSync(path) && read(path) === `ours ${moment}`
    // The last ones when ours is just there, however long that takes.
    for (let turns = 0; moment < 40 ? turns < moment : !isThere(); turns++) await new Promise(resolve => setImmediate(resolve))
    writeFileSync(`${path}.tmp`, `by hand ${moment}`)
    renameSync(`${path}.tmp`, path)
    const isWritten = await writing
    outcomes[isWritten ? 'replaced' : 'refused']++
    t.equal(read(path), `by hand ${moment}`, `${moment} turns after the write began`)
    t.same([...await store.readChanged('lobby')], [['lobby', `by hand ${moment}`]])
    t.same([...await store.readChanged('lobby')], [], 'once')
  }
  t.ok(outcomes.refused > 0 && outcomes.replaced > 0, JSON.stringify(outcomes))
})

t.test('R10: a damaged group file is reported by file and field, and its services stay listed and can be controlled', async (t) => {
  const c = await cloud(t)
  for (const name of ['good', 'bad']) {
    await c.groups.control.create(group(name, { minOnlineService: 2 }), call)
    for (const index of [1, 2]) await c.state(`${name}-${index}`, 'ONLINE')
  }
  const pid = c.pid('bad-1')
  await c.runtime.close({ services: 'keep' })
  const file = join(c.directory, 'groups', 'bad.json')
  const text = read(file)
  writeFileSync(file, text.replace('"minMemory": 64', '"minMemory": "64"'))
  writeFileSync(join(c.directory, 'groups', '.good.json.123.tmp'), '{')
  await c.reopen()
  t.match(c.logged('bad.json'), { level: 'error', file, field: 'minMemory' })
  t.same((await c.services.list(call)).map(({ name, state }) => `${name} ${state}`), ['bad-1 ONLINE', 'bad-2 ONLINE', 'good-1 ONLINE', 'good-2 ONLINE'])
  t.match((await c.groups.list(call)).find(({ name }) => name === 'bad'), { platform: { name: 'game' }, minOnlineService: 2, minMemory: 0 }, 'shown as far as it can be read')
  await until(() => c.reason('bad')?.startsWith('damaged: minMemory must be a whole number'))
  t.equal(c.pid('bad-1'), pid)
  t.equal(await c.services.control.command('bad-1', 'print still there', call), true)
  await until(() => c.console('bad-1').includes('still there'))
  t.equal(await c.groups.control.edit('bad', { maxMemory: 1 }, call), 'damaged')
  t.equal(await c.groups.restarts?.restart('bad', call), 'damaged')
  t.equal(await c.services.control.restart('bad-1', call), 'damaged')
  for (const name of ['bad', 'bad-1']) t.equal(await c.services.control.start(name, call), 'damaged')
  t.equal(await c.groups.control.create(group('bad'), call), false, 'the file is not written over')
  t.equal(await c.services.control.stop('bad-2', call), true)
  await c.state('bad-2', 'OFFLINE')
  t.notOk(existsSync(join(c.directory, 'groups', '.good.json.123.tmp')))
  writeFileSync(file, text)
  await until(async () => (await c.services.list(call)).filter(({ name, state }) => name.startsWith('bad') && state === 'ONLINE').length === 2)
  t.equal(c.pid('bad-1'), pid, 'mended, it goes on as it was')
  await c.runtime.close({ services: 'keep' })
  writeFileSync(file, '{')
  await c.reopen()
  t.equal(await c.groups.control.delete('bad', call), true, 'a damaged one can be deleted')
  t.notOk(runs(pid))
  t.notOk(existsSync(file))
})

t.test('when a group\'s file was removed by hand, its services are ended with the next start', async (t) => {
  const c = await cloud(t, { platforms: { aloof: platform('aloof') } })
  await c.groups.control.create(group('lobby', { platform: { name: 'aloof', version: 'latest' } }), call)
  await c.state('lobby-1', 'ONLINE')
  const pid = c.pid('lobby-1')
  await c.runtime.close({ services: 'keep' })
  rmSync(join(c.directory, 'groups', 'lobby.json'))
  await c.reopen()
  t.notOk(runs(pid))
  t.same(readdirSync(join(c.directory, 'services')), [])
})

t.test('a file whose name differs from that of a group in case only takes nothing from it, at a start neither', async t => {
  const c = await cloud(t)
  await c.groups.control.create(group('world', { properties: { static: true } }), call)
  await c.state('world-1', 'ONLINE')
  const pid = c.pid('world-1')
  await c.runtime.close({ services: 'keep' })
  const files = join(c.directory, 'groups')
  // In the order of names it comes first.
  writeFileSync(join(files, 'World.json'), read(join(files, 'world.json')).replace('"world"', '"World"'))
  await c.reopen()
  t.strictSame((await c.groups.list(call)).map(({ name }) => name), ['world'])
  t.strictSame([c.service('world-1')?.state, c.pid('world-1')], ['ONLINE', pid])
  t.ok(c.logged('Group file World.json: name is that of world already, ignoring case'))
})
