/** Texts that people write, as a core sees them: what cannot be read is read when it can be. */
import { chmodSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openTextStore } from '../../../lib/runtime/fleet/content/text-store.js'

t.test('what cannot be read is asked for again until it can be, though nothing of it was written', async t => {
  // Another user has to come to it.
  const directory = mkdtempSync(join(tmpdir(), 'cloud-texts-'))
  t.teardown(() => { rmSync(directory, { recursive: true }) })
  const city = join(directory, 'city.json')
  writeFileSync(city, 'the city')
  writeFileSync(join(directory, 'lobby.json'), 'the lobby')
  const store = await openTextStore(directory, { watched: true })
  t.teardown(async () => { await store.close() })
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of [directory, city, join(directory, 'lobby.json')]) chownSync(path, 65_534, 65_534)
  const before = statSync(city)
  chmodSync(city, 0)
  if (isRoot) process.seteuid?.(65_534)
  try {
    const all = await store.readAll()
    t.match(all.get('city'), { code: 'EACCES' })
    t.equal(all.get('lobby'), 'the lobby')
    await store.readChanged()
    t.ok(store.mayHaveChanged(), 'it is looked again')
    t.match((await store.readChanged()).get('city'), { code: 'EACCES' })
    chmodSync(city, 0o600)
    t.ok(store.mayHaveChanged())
    t.strictSame([...await store.readChanged()], [['city', 'the city']])
    t.equal(statSync(city).mtimeMs, before.mtimeMs)
    await store.readChanged()
    t.notOk((await store.readChanged()).has('city'), 'and then no more')
    writeFileSync(city, 'another')
    t.strictSame([...await store.readChanged('city')], [['city', 'another']])
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})
