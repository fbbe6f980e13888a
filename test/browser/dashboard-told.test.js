/** What is said where little is known, or much: refusals, restarts, figures, times, lines, permissions. */
import assert from 'node:assert/strict'
import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { lists } from '../../dist/test/fixtures/events.js'
import { lacks, launch } from './chromium.js'
import { adminOf, lobby, logIn, openTab, startCloud, startHost, until, visit } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  test('moves nothing where the server refuses what was pressed', async t => {
    const runtime = lists()
    runtime.put(...Array.from({ length: 6 }, (_, n) => ({ name: `lobby-${n + 1}`, state: 'ONLINE', playerCount: 0 })))
    const cloud = await startHost(t, runtime)
    await adminOf(cloud)
    for (const width of [1280, 360]) {
      const tab = await openTab(t, browser, cloud, { path: '', width })
      await logIn(tab)
      await tab.route('**/restart', async route => { await route.fulfill({ status: 409, json: { status: 409, code: 'no', message: 'This service is about to be ended by somebody else, and cannot be restarted before it is there again' } }) })
      for (const [path, heading] of [['services', 'Services'], ['services/lobby-3', 'lobby-3']]) {
        await visit(tab, path, heading)
        const button = tab.getByRole('button', { name: 'Restart lobby-3' })
        await button.waitFor()
        const places = () => tab.locator('#content').evaluate(content => [...content.querySelectorAll('button:not([aria-label="Close what was said"]), a, tr, dl')].map(element => {
          const { x, y, height } = element.getBoundingClientRect()
          return `${element.tagName} ${x} ${y} ${height}`
        }))
        const before = await places()
        await button.click()
        const said = tab.getByRole('alert').filter({ hasText: 'This service is about to be ended' })
        await said.waitFor()
        await until(async () => await button.locator('.turning').count() === 0, 'it is over')
        assert.deepEqual(await places(), before, `${path} at ${width}`)
        assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
        const { x, width: wide } = await said.boundingBox()
        assert.ok(x >= 0 && x + wide <= width, `it is seen whole: ${x} to ${x + wide}`)
        if (path === 'services') {
          const others = tab.getByRole('button', { name: /^Restart lobby-[24]/ })
          for (const other of await others.all()) assert.equal(await other.evaluate(element => { const { x, y, width, height } = element.getBoundingClientRect(); return element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2)) }), true, 'it covers no other button')
        }
        await tab.getByRole('button', { name: 'Close what was said' }).click()
        await said.waitFor({ state: 'detached' })
      }
    }
  })

  test('counts what it leaves out of a line in characters that would be seen', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', lobby)
    await until(async () => (await admin('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'it is online')
    const found = (await readdir(cloud.directory, { recursive: true })).find(path => path.endsWith('console.log'))
    await appendFile(join(cloud.directory, found), [
      `colours ${'\u001b[32mab\u001b[0m'.repeat(1_000)}tail!`, `faces ${'😀'.repeat(2_000)}`, `tabs ${'a\t'.repeat(1_000)}`, `long ${'x'.repeat(100_000)}`
    ].map(line => `${line}\n`).join(''))
    const tab = await openTab(t, browser, cloud, { path: '/#/services/lobby-1' })
    await logIn(tab)
    const row = start => tab.getByRole('log').locator('.row', { hasText: new RegExp(`^${start}`) })
    for (const [start, said] of [['colours', '… (13 more characters)'], ['faces', '… (6 more characters)'], ['tabs', '… (5 more characters)'], ['long', '… (at least 14,384 more characters)']]) {
      await row(start).waitFor()
      assert.equal(await row(start).locator('.cut').textContent(), said)
      assert.equal((await row(start).textContent()).split('…').length, 2, 'it is cut once')
    }
  })
})
