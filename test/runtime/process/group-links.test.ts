/** Files of groups that are wrong, gone or links: what is listed is what can be mended, and nothing of it ends for that. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Group } from '../../../types/resources.js'
import { until } from '../../fixtures/until.js'
import { call, cloud, group, read, type Cloud } from './helper.js'

t.setTimeout(600_000)

const fileOf = (c: Cloud, name: string): string => join(c.directory, 'groups', `${name}.json`)
const listed = (c: Cloud): string[] => (c.groups.list(call) as readonly Group[]).map(({ name }) => name).sort()

t.test('a group of which nothing was ever right goes with its file, and its name is free', async t => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby', { minOnlineService: 0 }), call)
  // As somebody does who makes a group of another one, and forgets the name in it.
  writeFileSync(fileOf(c, 'arena'), read(fileOf(c, 'lobby')))
  await until(() => c.reason('arena')?.startsWith('damaged: name must be the name of the file'))
  rmSync(fileOf(c, 'arena'))
  await until(() => listed(c).join() === 'lobby', () => listed(c).join())
  t.equal(await c.groups.control.edit('arena', { maxMemory: 256 }, call), false)
  t.equal(await c.groups.control.create(group('arena'), call), true)
  await c.state('arena-1', 'ONLINE')
})

t.test('one that has services stays for as long as it has them, says that its file is gone, and goes on when that is there again', async t => {
  const c = await cloud(t)
  for (const name of ['arena', 'lobby']) await c.groups.control.create(group(name), call)
  const pids = await Promise.all(['arena-1', 'lobby-1'].map(async name => (await c.state(name, 'ONLINE')) && c.pid(name)))
  await c.runtime.close({ services: 'keep' })
  const right = read(fileOf(c, 'arena'))
  for (const name of ['arena', 'lobby']) writeFileSync(fileOf(c, name), '{')
  await c.reopen()
  for (const name of ['arena', 'lobby']) rmSync(fileOf(c, name))
  for (const name of ['arena', 'lobby']) await until(() => c.reason(name) === 'damaged: (file) is gone, and has to be there again for anything of it to be started', () => String(c.reason(name)))
  t.strictSame(['arena-1', 'lobby-1'].map(c.pid), pids)
  t.equal(await c.groups.control.edit('arena', { maxMemory: 256 }, call), 'damaged')
  writeFileSync(fileOf(c, 'arena'), right)
  await until(() => c.reason('arena') === '1 service, as it should be')
  t.equal(c.pid('arena-1'), pids[0])
  t.equal(await c.groups.control.delete('lobby', call), true)
  t.strictSame(listed(c), ['arena'])
})

t.test('what was wrong in a file is wrong no more when that is gone: the group is edited as it is in force, and written again', async t => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  writeFileSync(fileOf(c, 'lobby'), '{')
  await until(() => c.reason('lobby')?.includes('its file is wrong, and what was right before holds'))
  rmSync(fileOf(c, 'lobby'))
  await until(() => c.reason('lobby')?.startsWith('1 service, as it should be; its file is gone: '), () => String(c.reason('lobby')))
  t.match(await c.groups.control.edit('lobby', { maxMemory: 256 }, call), { maxMemory: 256 })
  t.match(JSON.parse(read(fileOf(c, 'lobby'))), { maxMemory: 256 })
})

t.test('the reason says of a file that was wrong at the start that defaults hold, and later that what was right before does', async t => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby', { properties: { maxPlayers: 50, idleSeconds: 600 } }), call)
  await c.state('lobby-1', 'ONLINE')
  await c.runtime.close({ services: 'keep' })
  const right = read(fileOf(c, 'lobby'))
  writeFileSync(fileOf(c, 'lobby'), right.replace('50', '"many"'))
  await c.reopen()
  const wrong = 'properties.maxPlayers must be a whole number, 1 to 1000000'
  await until(() => c.reason('lobby') === `1 service, as it should be; its file was wrong at the start, and where it was the default holds: ${wrong}`, () => String(c.reason('lobby')))
  writeFileSync(fileOf(c, 'lobby'), right)
  await until(() => c.reason('lobby') === '1 service, as it should be')
  writeFileSync(fileOf(c, 'lobby'), right.replace('50', '"many"'))
  await until(() => c.reason('lobby') === `1 service, as it should be; its file is wrong, and what was right before holds: ${wrong}`, () => String(c.reason('lobby')))
})

t.test('a link that leads nowhere is a file that cannot be read, at a start too: nothing of its group ends, and it goes on when there is something', async t => {
  const c = await cloud(t)
  await c.groups.control.create(group('lobby'), call)
  await c.state('lobby-1', 'ONLINE')
  const pid = c.pid('lobby-1')
  await c.runtime.close({ services: 'keep' })
  // A directory that is mounted late.
  const away = join(c.directory, 'away')
  mkdirSync(away)
  renameSync(fileOf(c, 'lobby'), join(away, 'lobby.json'))
  symlinkSync('../mounted/lobby.json', fileOf(c, 'lobby'))
  await c.reopen()
  await until(() => /^damaged: \(file\) cannot be read: .*lobby\.json is a link that leads nowhere$/.test(c.reason('lobby') ?? ''), () => String(c.reason('lobby')))
  t.strictSame([c.service('lobby-1')?.state, c.pid('lobby-1')], ['ONLINE', pid])
  renameSync(away, join(c.directory, 'mounted'))
  await until(() => c.reason('lobby') === '1 service, as it should be', () => String(c.reason('lobby')))
  t.equal(c.pid('lobby-1'), pid)

  // What a link leads to is looked at like any other file of a group, wherever it is.
  writeFileSync(join(c.directory, 'mounted/lobby.json'), read(join(c.directory, 'mounted/lobby.json')).replace('"minOnlineService": 1', '"minOnlineService": 2'))
  await c.state('lobby-2', 'ONLINE')
  renameSync(join(c.directory, 'mounted'), away)
  await until(() => c.reason('lobby')?.includes('what was right before holds: (file) cannot be read'), () => String(c.reason('lobby')))
  t.equal(c.pid('lobby-1'), pid)
  t.equal(await c.groups.control.edit('lobby', { maxMemory: 256 }, call), 'damaged', 'the link is not written over')
})

t.test('a platform whose file is a link that leads nowhere is told of, and there when there is something', async t => {
  const c = await cloud(t, { prepare: directory => { symlinkSync('../mounted.json', join(directory, 'platforms/linked.json')) } })
  t.match(c.logged('Platform file linked.json cannot be read'), { level: 'error', file: join(c.directory, 'platforms/linked.json'), message: /is a link that leads nowhere$/ })
  writeFileSync(join(c.directory, 'mounted.json'), read(join(c.directory, 'platforms/game.json')).replace('"game"', '"linked"'))
  t.match(await c.runtime.platforms.list(call), [{ name: 'game' }, { name: 'linked' }])
})
