/** What cannot be read at one moment, and can be at the next. Root may read everything: it is another user meanwhile, with all of its process, so that nothing else may run in that. */
import { chmodSync, cpSync, lchownSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { openTextStore } from '../../lib/runtime/fleet/content/text-store.js'
import { repository } from '../fixtures/repository.js'
import { saidDuring } from '../fixtures/said.js'

const { layPlatforms } = await import(join(repository, 'examples/standalone/bundled.js')) as { layPlatforms (platforms: string, isFirst: boolean, bundled: string): Promise<void> }

/** A directory that every user comes to. */
function temporary (t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-unreadable-'))
  t.teardown(() => { rmSync(directory, { recursive: true }) })
  return directory
}

/** Does something as a user who may not read everything, to whom all of the directory belongs. */
async function asNobody (directory: string, act: () => Promise<unknown>): Promise<void> {
  const isRoot = process.getuid?.() === 0
  if (isRoot) for (const path of ['.', ...readdirSync(directory, { recursive: true }) as string[]]) lchownSync(join(directory, path), 65_534, 65_534)
  if (isRoot) process.seteuid?.(65_534)
  try {
    await act()
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
}

t.test('a text is asked for again until it can be read, though nothing of it was written', async t => {
  const directory = temporary(t)
  const city = join(directory, 'city.json')
  writeFileSync(city, 'the city')
  writeFileSync(join(directory, 'lobby.json'), 'the lobby')
  const store = await openTextStore(directory, { watched: true })
  t.teardown(async () => { await store.close() })
  const before = statSync(city)
  chmodSync(city, 0)
  await asNobody(directory, async () => {
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
  })
})

t.test('a bundled platform that cannot be read keeps no server from starting, and is named', async t => {
  const directory = temporary(t)
  const [platforms, bundled] = [join(directory, 'platforms'), join(directory, 'bundled')]
  cpSync(join(repository, 'examples/standalone/platforms'), bundled, { recursive: true })
  await layPlatforms(platforms, true, bundled)
  const gate = join(platforms, 'gate.json')
  chmodSync(gate, 0)
  const lay = async (): Promise<string> => await saidDuring(t, async () => { await layPlatforms(platforms, false, bundled) })
  await asNobody(directory, async () => {
    t.equal(await lay(), `${gate} cannot be read (EACCES): it stays as it is\n`)
    chmodSync(gate, 0o644)
    t.equal(await lay(), '', 'nothing was changed')
  })
})
