/** `fastify-cloud/client` in a real browser: bundled into a page, logged in by a cookie, following through a restart of the core. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import Fastify from 'fastify'
import { fastifyCloud } from '../../dist/lib/index.js'
import { openSqliteStorage } from '../../dist/lib/storage/sqlite.js'
import { lists } from '../../dist/test/fixtures/events.js'
import { lacks, launch } from './chromium.js'

const prefix = '/cloud/api/v3'
const password = 'correct horse battery'

/** What the page does; `told` and `lost` are for the test to look at. */
const page = `<!doctype html>
<title>client</title>
<script type="module">
  import { createClient } from '/client.js'
  const client = createClient({ url: location.origin + '${prefix}' })
  window.told = []
  window.lost = 0
  window.logIn = async body => (await client.POST('/auth/login', { body })).response.status
  window.list = async () => (await client.GET('/services/list')).data.data.map(({ name }) => name)
  window.follow = async () => {
    for await (const { type, topic, item, items } of client.events({ topics: ['services'], onLost: () => { lost++ } })) {
      told.push(type === 'snapshot' ? ['snapshot', ...items.services.map(({ name }) => name)] : [type, topic, item.name, item.motd])
    }
  }
  window.isReady = true
</script>`

describe('the client in a browser', { skip: lacks, timeout: 60_000 }, () => {
  test('logs in by its cookie, lists, and follows what changes through a restart of the core, without a gap or a repeat', async t => {
    const { outputFiles: [bundle] } = await build({
      entryPoints: [fileURLToPath(new URL('../../dist/lib/client/index.js', import.meta.url))], bundle: true, write: false, format: 'esm', platform: 'browser'
    })
    const directory = await mkdtemp(join(tmpdir(), 'cloud-client-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const storage = await openSqliteStorage({ file: join(directory, 'cloud.db') })
    t.after(() => storage.close())
    const runtime = lists()

    async function start (port) {
      const host = Fastify()
      host.get('/', (_request, reply) => reply.type('text/html').send(page))
      host.get('/client.js', (_request, reply) => reply.type('text/javascript').send(bundle.text))
      await host.register(fastifyCloud, { secret: 'a secret for tests, longer than 32 bytes', passwordCost: 4, metrics: { interval: 0 }, storage, runtime })
      const url = await host.listen({ host: '127.0.0.1', port })
      t.after(() => host.close())
      return { host, url }
    }

    const first = await start(0)
    const made = await fetch(`${first.url}${prefix}/user/self`, {
      method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: 'root', password })
    })
    assert.equal(made.status, 201)
    const browser = await launch()
    t.after(() => browser.close())
    const tab = await browser.newPage()
    tab.setDefaultTimeout(20_000)
    await tab.goto(first.url)
    await tab.waitForFunction('window.isReady')
    assert.equal(await tab.evaluate(body => window.logIn(body), { username: 'root', password }), 200)
    assert.deepEqual(await tab.evaluate('list()'), ['lobby-1', 'lobby-2'])

    await tab.evaluate('void follow()')
    const untilTold = async count => {
      await tab.waitForFunction(count => window.told.length >= count, count)
      return await tab.evaluate('told')
    }
    await untilTold(1)
    runtime.put({ name: 'before', motd: 'one' })
    await untilTold(2)

    const started = performance.now()
    await first.host.close()
    assert.ok(performance.now() - started < 10_000, 'the page does not hold up the end')
    runtime.put({ name: 'meanwhile', motd: 'two' }, { name: 'before', motd: 'other' })
    runtime.drop('lobby-2')
    await tab.waitForFunction('lost > 0')
    await start(Number(new URL(first.url).port))
    await untilTold(5)
    for (let n = 0; n < 20; n++) {
      runtime.put({ name: `after ${n}`, motd: 'three' })
      await untilTold(6 + n)
    }

    const told = await tab.evaluate('told')
    assert.deepEqual(told.slice(0, 2), [['snapshot', 'lobby-1', 'lobby-2'], ['added', 'services', 'before', 'one']])
    assert.deepEqual(told.slice(2, 5).map(([type, , name, motd]) => type === 'removed' ? `${type} ${name}` : `${type} ${name} ${motd}`).sort(), [
      'added meanwhile two', 'changed before other', 'removed lobby-2'
    ])
    assert.deepEqual(told.slice(5), Array.from({ length: 20 }, (_, n) => ['added', 'services', `after ${n}`, 'three']))
    assert.deepEqual((await tab.evaluate('list()')).slice(0, 3), ['lobby-1', 'before', 'meanwhile'], 'the login goes on')
  })
})
