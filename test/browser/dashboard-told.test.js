/** What is said where little is known, or much: refusals, restarts, figures, times, lines, permissions. */
import assert from 'node:assert/strict'
import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { lacks, launch } from './chromium.js'
import { adminOf, lobby, logIn, openTab, startCloud, until } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

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
