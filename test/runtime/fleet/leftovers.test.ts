/** What a core had begun to take away when it ended: the next one goes on with it, and nobody waits for it. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { openTemplates } from '../../../lib/runtime/fleet/content/templates.js'
import { openTextStore } from '../../../lib/runtime/fleet/content/text-store.js'
import { createRemovals } from '../../../lib/runtime/process/removals.js'
import { scratchDirectory } from '../../fixtures/scratch.js'
import { until } from '../../fixtures/until.js'

/** More than anybody removes in the few turns of the event loop that an opening or a closing takes. */
const many = 2_000

/** A tree of many files, in some directories. */
function plant (path: string): string {
  for (let at = 0; at < many; at++) {
    const file = join(path, `d${at % 5}`, 'e', `f${at}`)
    if (at < 5) mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '')
  }
  return path
}

const count = (path: string): number => existsSync(path) ? readdirSync(path, { recursive: true }).length : 0

/** That nothing is being removed there any more. */
async function rests (t: Test, path: string): Promise<void> {
  const left = count(path)
  t.ok(left > 0, `${left} are left`)
  await pause(300)
  t.equal(count(path), left)
}

t.test('R31: a start does not wait for the trees that a core was taking away when it was killed, and they go', async t => {
  const directory = scratchDirectory(t)
  const left = plant(join(directory, '.lobby.0123456789ab.tmp'))
  plant(join(directory, '.game.0123456789ab.replaced'))
  mkdirSync(join(directory, 'game'))
  const templates = await openTemplates(directory)
  t.ok(count(left) > 0, 'it is there still')
  t.ok(templates.names.includes('game'))
  await templates.make('lobby')
  await until(() => readdirSync(directory).every(name => !name.startsWith('.')), 'all of them are gone')
  t.ok(existsSync(join(directory, 'lobby')), 'and nothing else')
  await templates.close?.()
})

t.test('R31: who closes gives up what is being taken away, of an earlier core or of this one, and the next one goes on', async t => {
  const directory = scratchDirectory(t)
  const left = plant(join(directory, '.lobby.0123456789ab.tmp'))
  const first = await openTemplates(directory, { closeMs: 0 })
  await first.close?.()
  await rests(t, left)
  plant(join(directory, 'mine'))
  const second = await openTemplates(directory, { closeMs: 0 })
  await second.remove('mine')
  await second.close?.()
  const mine = join(directory, readdirSync(directory).find(name => name.startsWith('.mine.')) ?? 'gone')
  await rests(t, mine)
  const third = await openTemplates(directory)
  await until(() => !existsSync(left) && !existsSync(mine), 'both are gone')
  await third.close?.()
})

t.test('R31: what goes in a moment is gone when it is closed', async t => {
  const directory = scratchDirectory(t)
  const templates = await openTemplates(directory, { closeMs: 30_000 })
  await templates.make('lobby')
  await templates.remove('lobby')
  await templates.close?.()
  t.strictSame(readdirSync(directory).filter(name => name.startsWith('.')), [])
})

t.test('R31: of a service that is gone everything may go in the background, and nothing of it is in the way', async t => {
  const directory = scratchDirectory(t)
  const complaints: unknown[] = []
  const place = plant(join(directory, 'lobby-1'))
  const removals = createRemovals(error => { complaints.push(error) }, 0)
  await removals.remove(place)
  t.notOk(existsSync(place))
  plant(place)
  await removals.close()
  const [left = ''] = readdirSync(directory).filter(name => name.startsWith('.lobby-1.'))
  await rests(t, join(directory, left))
  const store = await openTextStore(directory, { watched: false })
  await until(() => !existsSync(join(directory, left)), 'the next start goes on with it')
  await store.close()
  t.equal(count(place), many + 10, 'and not with the next one of that name')
  const patient = createRemovals(error => { complaints.push(error) }, 60_000)
  await patient.remove(place)
  await patient.remove(place)
  t.strictSame([readdirSync(directory), complaints], [[], []], 'who waits finds nothing any more')
  await patient.close()
})

t.test('R31: what cannot be removed stays where it was, for whoever tries again', async t => {
  const directory = scratchDirectory(t)
  const place = plant(join(directory, 'lobby-1'))
  const removals = createRemovals(() => {}, 60_000)
  const removing = removals.remove(place)
  await until(() => !existsSync(place), 'it is on its way')
  await removals.close()
  await t.rejects(removing, { message: 'The cloud is closed' })
  t.ok(count(place) > 0)
  t.strictSame(readdirSync(directory), ['lobby-1'])
})

t.test('R31: neither a start nor an end waits for what lies beside groups and services', async t => {
  const directory = scratchDirectory(t)
  const left = plant(join(directory, '.lobby-1.0123456789ab.tmp'))
  writeFileSync(join(directory, '.lobby-1.json.0123456789ab.tmp'), '{')
  const first = await openTextStore(directory, { watched: false })
  t.strictSame(readdirSync(directory), ['.lobby-1.0123456789ab.tmp'], 'half of a note is gone at once')
  await first.close()
  await rests(t, left)
  const second = await openTextStore(directory, { watched: false })
  await until(() => !existsSync(left), 'it is gone')
  await second.close()
})
