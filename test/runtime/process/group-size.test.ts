/** What is written of a group, and of its services, can be read again. */
import { existsSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { openTextStore } from '../../../lib/runtime/fleet/content/text-store.js'
import { build } from '../../fixtures/cloud.js'
import { call, cloud, group } from './helper.js'

t.setTimeout(300_000)

const many = (count: number): Record<string, number> => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${String(at).padStart(5, '0')}`, 1]))
const refused = { status: 400, message: 'Group properties and templates are too many to be kept', code: 'group_too_large' }
const mebibyte = 1024 * 1024

t.test('S21: a group whose file could not be read again is refused, made or edited, and nothing of it is written', async t => {
  const c = await cloud(t)
  const { setUp } = await build(t, { runtime: c.runtime })
  const admin = await setUp()
  const big = group('big', { minOnlineService: 0, properties: many(80_000) })
  t.strictSame((await admin('POST', '/group/create', big)).body, refused)
  t.notOk(existsSync(join(c.directory, 'groups/big.json')))
  t.equal((await admin('POST', '/group/create', { ...big, properties: {} })).status, 201, 'its name is free')
  t.strictSame((await admin('PATCH', '/group/big', { properties: many(80_000) })).body, refused)
  t.strictSame((await admin('GET', '/group/big')).body.properties, { fallback: false, static: false }, 'it is as it was')
  t.equal((await admin('PATCH', '/group/big', { properties: { a: 1 } })).status, 200, 'and can be edited')
})

t.test('S21: a group that was taken in, and a service of it, are there again after the next start, however long their notes are', async t => {
  const c = await cloud(t)
  t.equal(await c.groups.control.create(group('big', { properties: { ...many(55_000), static: true } }), call), true)
  await c.state('big-1', 'ONLINE')
  const pid = c.pid('big-1')
  t.ok(statSync(join(c.directory, 'groups/big.json')).size < mebibyte)
  t.ok(statSync(join(c.directory, 'services/big-1/run/meta.json')).size > mebibyte)
  await c.runtime.close({ services: 'keep' })
  await c.reopen()
  await c.state('big-1', 'ONLINE')
  t.equal(c.pid('big-1'), pid)
  t.equal(await c.groups.damage?.of('big', call), false)
  t.strictSame(c.log.filter(({ level }) => level === 'error'), [])
})

t.test('S21: a template does not get a name with which the file of a group could not be read again, also where a crash cut that short', async t => {
  const c = await cloud(t)
  const { setUp } = await build(t, { runtime: c.runtime })
  const admin = await setUp()
  const long = 'x'.repeat(64)
  await admin('POST', '/template/', { name: 'a' })
  t.equal((await admin('POST', '/group/create', group('first', { minOnlineService: 0, templates: ['a'] }))).status, 201)
  const big = group('second', { minOnlineService: 0, templates: ['a'], properties: {} })
  t.equal((await admin('POST', '/group/create', big)).status, 201)
  // As long as a file may be, but for a few bytes.
  const file = join(c.directory, 'groups/second.json')
  const fill = async (bytes: number): Promise<void> => { t.equal((await admin('PATCH', '/group/second', { properties: { ...many(40_000), text: 'x'.repeat(bytes) } })).status, 200) }
  await fill(1)
  await fill(mebibyte - statSync(file).size - 30)
  t.strictSame((await admin('PATCH', '/template/a', { name: long })).body, refused)
  const asBefore = async (): Promise<void> => {
    t.strictSame((await c.templates.list(call)).map(({ name }) => name).filter(name => name === 'a' || name === long), ['a'])
    t.strictSame((await c.groups.list(call)).map(({ templates }) => templates), [['a'], ['a']])
  }
  await asBefore()
  await c.runtime.close({ services: 'keep' })
  writeFileSync(join(c.directory, 'templates', '.renaming.json'), JSON.stringify({ name: 'a', newName: long }))
  renameSync(join(c.directory, 'templates/a'), join(c.directory, 'templates', long))
  await c.reopen()
  await asBefore()
  t.notOk(existsSync(join(c.directory, 'templates', '.renaming.json')))
})

t.test('S21: the record of a service may be longer than the file of a group', async t => {
  const directory = t.testdir()
  const store = await openTextStore(directory, { watched: false })
  await store.write('big-1', 'x'.repeat(2 * mebibyte))
  t.equal(String((await store.readAll()).get('big-1')).length, 2 * mebibyte)
  await store.close()
})
