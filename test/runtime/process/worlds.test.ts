/** What people have built in a static service is lost by nothing that goes wrong, and found by nobody that it does not belong to. */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type { Group } from '../../../types/resources.js'
import { freePort } from '../../fixtures/server.js'
import { until } from '../../fixtures/until.js'
import { call, cloud, group, platform, temporary, type Cloud } from './helper.js'

t.setTimeout(120_000)

const isStatic = { properties: { static: true } }
const filesOf = (c: Cloud, name: string): string => join(c.directory, 'services', name, 'files')
/** The services whose files have what people built, those put aside among them. */
const built = (c: Cloud): string[] => (readdirSync(join(c.directory, 'services'), { recursive: true }) as string[])
  .filter(path => path.endsWith('/built')).map(path => path.replace(/\.kept-[^/]+/, '.kept').replace('/files/built', '')).sort()

async function build (c: Cloud, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await c.state(name, 'ONLINE')
    writeFileSync(join(filesOf(c, name), 'built'), `in ${name}`)
  }
}

/** A group that wants nothing by itself, and one service of it that was started by hand, in which people have built. */
async function makeCity (c: Cloud, properties: Group['properties'] = isStatic.properties): Promise<void> {
  await c.groups.control.create(group('city', { properties, minOnlineService: 0 }), call)
  await c.services.control.start('city', call)
  await build(c, 'city-1')
}

async function stop (c: Cloud): Promise<void> {
  await c.services.control.stop('city-1', call)
  await c.state('city-1', 'OFFLINE')
}

/** Ends the core, with nothing of the group running; what is noted of its services is as of a backup then. */
async function leave (c: Cloud): Promise<void> {
  await stop(c)
  await c.runtime.close()
  rmSync(join(c.directory, 'services', 'city-1', 'run'), { recursive: true })
}

t.test('where what is wanted again cannot start, and is not wanted any more then', async t => {
  const c = await cloud(t)
  const platform = join(c.directory, 'platforms', 'game.json')
  await c.groups.control.create(group('city', { ...isStatic, minOnlineService: 2, maxOnlineService: 2 }), call)
  await build(c, 'city-1', 'city-2')
  const scale = async (n: number): Promise<unknown> => await c.groups.control.edit('city', { minOnlineService: n, maxOnlineService: n }, call)
  await scale(1)
  await until(() => c.service('city-2') === undefined, 'it is not needed')
  renameSync(platform, `${platform}.away`)
  await until(() => c.logged('Platform game') ?? c.reason('city')?.includes('game'), () => `its platform is gone: ${c.reason('city')}`, 2_000).catch(() => {})
  await scale(2)
  await until(() => c.service('city-2') !== undefined || c.reason('city')?.includes('platform'), () => String(c.reason('city')))
  await scale(1)
  await until(() => c.service('city-2') === undefined, 'it is not needed any more')
  t.strictSame(built(c), ['city-1', 'city-2'])
  renameSync(`${platform}.away`, platform)
  await scale(2)
  await c.state('city-2', 'ONLINE')
  t.equal(readFileSync(join(filesOf(c, 'city-2'), 'built'), 'utf8'), 'in city-2')
})

t.test('where it is static no more, and its port is taken meanwhile', async t => {
  const c = await cloud(t)
  const port = await freePort()
  await makeCity(c, { static: true, port })
  await stop(c)
  await c.groups.control.edit('city', { properties: { static: false, port } }, call)
  const other = createServer()
  await new Promise<void>(resolve => { other.listen(port, '0.0.0.0', resolve) })
  t.teardown(() => { other.close() })
  await c.services.control.start('city-1', call)
  await until(() => built(c).join() === 'city-1.kept' || c.logged('taken'), () => c.log.slice(-3).map(({ message }) => message).join(' | '))
  await c.groups.control.delete('city', call)
  t.strictSame(built(c), ['city-1.kept'])
})

t.test('where it is static no more, and nothing tells of the life that it had', async t => {
  const c = await cloud(t)
  await makeCity(c)
  await stop(c)
  await c.runtime.close()
  rmSync(join(c.directory, 'services', 'city-1', 'run', 'meta.json'))
  const file = join(c.directory, 'groups', 'city.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), properties: {} }))
  await c.reopen()
  await c.services.control.start('city-1', call)
  await c.state('city-1', 'ONLINE')
  t.strictSame(built(c), ['city-1.kept'])
})

t.test('where the note of a service is damaged, and its group is deleted', async t => {
  const c = await cloud(t)
  await makeCity(c)
  await leave(c)
  const note = join(c.directory, 'services', 'city-1.json')
  writeFileSync(note, '{')
  await c.reopen()
  await c.groups.control.delete('city', call)
  t.strictSame(built(c), ['city-1.kept'])
  mkdirSync(join(c.directory, 'services', 'city-1'), { recursive: true })
  await c.groups.control.create(group('city', { ...isStatic, minOnlineService: 2, maxOnlineService: 2 }), call)
  rmSync(note)
  await until(() => (c.services.list(call) as ReadonlyArray<{ readonly state: string }>).filter(({ state }) => state === 'ONLINE').length === 2, 'two of the new group are online')
  t.strictSame(built(c), ['city-1.kept'], 'nobody of the new group has it')
})

t.test('where the note of a service is damaged, and the file of its group is gone', async t => {
  const c = await cloud(t)
  await makeCity(c)
  await leave(c)
  writeFileSync(join(c.directory, 'services', 'city-1.json'), '{')
  rmSync(join(c.directory, 'groups', 'city.json'))
  await c.reopen()
  t.strictSame(built(c), ['city-1.kept'])
})

t.test('where its group has become static while it runs, and is deleted then, by this core or after its end', async t => {
  for (const isSameCore of [true, false]) {
    const c = await cloud(t)
    await makeCity(c, {})
    await c.groups.control.edit('city', { properties: { static: true } }, call)
    t.equal(JSON.parse(readFileSync(join(c.directory, 'services', 'city-1.json'), 'utf8')).static, true, 'it is noted when the edit is answered')
    if (isSameCore) await c.groups.control.delete('city', call)
    else {
      await c.runtime.close({ services: 'keep' })
      rmSync(join(c.directory, 'groups', 'city.json'))
      await c.reopen()
      await until(() => built(c).join() === 'city-1.kept', () => built(c).join())
    }
    t.strictSame(built(c), ['city-1.kept'], isSameCore ? 'by this core' : 'by the next one')
  }
})

t.test('where the file of its group has become static by hand while it runs, or while there is no core', async t => {
  for (const hasCore of [true, false]) {
    const c = await cloud(t)
    await makeCity(c, {})
    if (!hasCore) await c.runtime.close({ services: 'keep' })
    const file = join(c.directory, 'groups', 'city.json')
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), properties: { static: true } }))
    if (!hasCore) await c.reopen()
    await until(() => JSON.parse(readFileSync(join(c.directory, 'services', 'city-1.json'), 'utf8')).static === true, 'it is noted')
    await c.groups.control.delete('city', call)
    t.strictSame(built(c), ['city-1.kept'])
  }
})

for (const [what, pathOf] of [['files', (c: Cloud) => filesOf(c, 'city-1')], ['directory', (c: Cloud) => join(c.directory, 'services', 'city-1')]] as const) {
  t.test(`where its ${what} is behind a link: it is there as before, nothing comes in its place while that leads nowhere, and the link stays`, async t => {
    const c = await cloud(t)
    const disk = join(c.directory, 'disk')
    const away = `${disk}.away`
    const readBuilt = (): string => readFileSync(join(filesOf(c, 'city-1'), 'built'), 'utf8')
    await makeCity(c)
    await stop(c)
    renameSync(pathOf(c), disk)
    symlinkSync(disk, pathOf(c))
    await c.services.control.start('city-1', call)
    await c.state('city-1', 'ONLINE')
    t.equal(readBuilt(), 'in city-1')
    await stop(c)
    renameSync(disk, away)
    await c.services.control.start('city-1', call)
    await until(() => c.logged('is a link to something that is not there'), 'it says why it does not start')
    t.ok(lstatSync(pathOf(c)).isSymbolicLink())
    t.notOk(existsSync(disk), 'nothing was laid')
    renameSync(away, disk)
    await c.state('city-1', 'ONLINE')
    t.equal(readBuilt(), 'in city-1', 'when it is there again it starts by itself')
    await c.groups.control.delete('city', call)
    t.ok(readdirSync(join(c.directory, 'services')).some(name => name.startsWith('city-1.kept-')), 'it is put aside')
    t.equal(readFileSync(join(disk, what === 'files' ? 'built' : 'files/built'), 'utf8'), 'in city-1')
  })
}

t.test('where what its platform says is another thing, or damaged, when a later core ends it: it is asked as it was started', async t => {
  const saving = platform('x', { command: 'sh', args: ['-c', "trap '' TERM; echo ready; read line; sleep 1; test \"$line\" = save && echo saved > built; sleep 0.1"], ready: { log: '^ready$' }, stop: { stdin: 'save' }, stopTimeout: 10_000 })
  for (const [what, text] of [['damaged', '{'], ['another thing', JSON.stringify({ name: 'saving', ...saving, stop: { stdin: 'end' }, stopTimeout: 100 })], ['gone', undefined]] as const) {
    const c = await cloud(t, { platforms: { saving } })
    await c.groups.control.create(group('city', { ...isStatic, minOnlineService: 0, platform: { name: 'saving', version: 'latest' } }), call)
    await c.services.control.start('city', call)
    await c.state('city-1', 'ONLINE')
    await c.runtime.close({ services: 'keep' })
    const file = join(c.directory, 'platforms', 'saving.json')
    if (text === undefined) rmSync(file)
    else writeFileSync(file, text)
    await c.reopen()
    await c.state('city-1', 'ONLINE')
    await c.services.control.stop('city-1', call)
    await c.state('city-1', 'OFFLINE')
    t.equal(readFileSync(join(filesOf(c, 'city-1'), 'built'), 'utf8'), 'saved\n', what)
    await c.runtime.close()
  }
})

for (const [what, pathOf] of [['files', (c: Cloud) => filesOf(c, 'city-1')], ['directory', (c: Cloud) => join(c.directory, 'services', 'city-1')]] as const) {
  t.test(`where its ${what} is behind a link: a copy of the cloud leaves what runs there alone, and starts nothing in it`, async t => {
    const c = await cloud(t)
    const disk = temporary(t)
    await c.groups.control.create(group('city', isStatic), call)
    await build(c, 'city-1')
    await c.runtime.close()
    renameSync(pathOf(c), join(disk, 'city'))
    symlinkSync(join(disk, 'city'), pathOf(c))
    await c.reopen()
    const { startedAt } = await c.state('city-1', 'ONLINE')
    const pid = c.pid('city-1')
    const copy = await cloud(t, { prepare: directory => { cpSync(c.directory, directory, { recursive: true, verbatimSymlinks: true, filter: path => !/\.(?:fifo|sock)$/.test(path) }) } })
    await until(() => copy.logged('of another cloud runs there'), 'it says why it does not start')
    t.equal(copy.service('city-1')?.state, 'OFFLINE')
    await copy.groups.control.delete('city', call)
    await copy.runtime.close()
    t.strictSame([c.service('city-1')?.state, c.service('city-1')?.startedAt, c.pid('city-1')], ['ONLINE', startedAt, pid])
  })
}

t.test('where its directory is a link that leads nowhere, and it is static no more, or its group is deleted or its file gone: the link is put aside', async t => {
  for (const [what, act] of [
    ['static no more', async (c: Cloud) => {
      await c.groups.control.edit('city', { properties: {} }, call)
      await c.services.control.start('city-1', call)
      await c.state('city-1', 'ONLINE')
    }],
    ['deleted', async (c: Cloud) => { await c.groups.control.delete('city', call) }],
    ['gone', async (c: Cloud) => {
      await c.runtime.close()
      rmSync(join(c.directory, 'groups', 'city.json'))
      await c.reopen()
    }]
  ] as const) {
    const c = await cloud(t)
    await makeCity(c)
    await stop(c)
    const services = join(c.directory, 'services')
    renameSync(join(services, 'city-1'), join(c.directory, 'disk'))
    symlinkSync(join(c.directory, 'not mounted'), join(services, 'city-1'))
    await act(c)
    const aside = await until(() => readdirSync(services).find(name => name.startsWith('city-1.kept-')), () => `${what}: ${readdirSync(services).join()}`)
    t.equal(readlinkSync(join(services, aside)), join(c.directory, 'not mounted'), what)
    await c.runtime.close()
  }
})

t.test('where its group has become static while it ran, and then its note and the file of its group are gone', async t => {
  const c = await cloud(t)
  await makeCity(c, {})
  await c.groups.control.edit('city', { properties: { static: true } }, call)
  await stop(c)
  await c.runtime.close()
  writeFileSync(join(c.directory, 'services', 'city-1.json'), '{')
  rmSync(join(c.directory, 'groups', 'city.json'))
  await c.reopen()
  await until(() => built(c).join() === 'city-1.kept', () => built(c).join())
})
