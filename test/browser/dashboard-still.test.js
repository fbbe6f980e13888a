/** Nothing jumps: whatever is said, or begins, while somebody looks, and is about to press something. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lists } from '../../dist/test/fixtures/events.js'
import { consoleRuntime } from './console-runtime.js'
import { lacks, launch } from './chromium.js'
import { adminOf, lobby, logIn, networkOf, openTab, startCloud, startHost, until } from './dashboard.js'

/** Where everything stands that can be pressed or read. */
const placesOf = tab => tab.locator('#content').evaluate(content => [...content.querySelectorAll('h1, h2, button, input, a, tr, dl, section')].filter(element => element.closest('.foot') === null).map(element => {
  const { x, y, width, height } = element.getBoundingClientRect()
  return `${element.tagName} ${element.getAttribute('aria-label') ?? element.textContent.slice(0, 20)} ${x} ${y} ${width} ${height}`
}))

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  test('moves nothing when the connection is lost, nor when it is back, wherever somebody has scrolled', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', { ...lobby, minOnlineService: 0 })
    for (let n = 0; n < 40; n++) await admin('POST', '/group/create', { ...lobby, name: `arena-${n}`, minOnlineService: 0 })
    const network = await networkOf(t, cloud)
    const tabs = []
    for (const width of [1280, 360]) {
      for (const path of ['platforms', 'groups']) {
        const tab = await openTab(t, browser, { url: network.url }, { path: `/#/${path}`, width })
        await logIn(tab)
        await tab.getByRole('row').nth(1).waitFor()
        await tab.evaluate('scrollTo(0, 1e6)')
        tabs.push(tab)
      }
    }
    const all = () => Promise.all(tabs.map(placesOf))
    const before = await until(async () => {
      const first = await all()
      await new Promise(resolve => setTimeout(resolve, 300))
      return JSON.stringify(await all()) === JSON.stringify(first) && first
    }, 'all is there')
    network.cut()
    for (const tab of tabs) await tab.locator('.lost').waitFor()
    assert.deepEqual(await all(), before)
    network.mend()
    for (const tab of tabs) await tab.locator('.lost').waitFor({ state: 'detached' })
    assert.deepEqual(await all(), before)
  })

  test('moves nothing when a group is restarted, nor when it is over or something is wrong with it', async t => {
    const runtime = lists()
    runtime.given.groups = [{ ...runtime.given.groups[0], name: 'lobby', minOnlineService: 1, templates: [], properties: {} }]
    runtime.put({ name: 'lobby-1', state: 'ONLINE' })
    runtime.drop('lobby-2')
    const cloud = await startHost(t, runtime)
    await adminOf(cloud)
    for (const width of [1280, 900, 360]) {
      const tab = await openTab(t, browser, cloud, { path: '#/groups/lobby', width })
      let status = { reason: '1 service, as it should be' }
      await tab.route('**/group/lobby/status', async route => { await route.fulfill({ json: { data: status } }) })
      await logIn(tab)
      await tab.getByText('1 service, as it should be').waitFor()
      await tab.getByRole('row', { name: /^lobby-1/ }).waitFor()
      const before = await placesOf(tab)
      status = { reason: 'waits 20 s for lobby-1: 3 players are on it', restart: { done: 0, total: 1 } }
      await tab.getByText('Rolling restart: 0 of 1').waitFor()
      assert.deepEqual(await placesOf(tab), before, `at ${width}`)
      runtime.put({ name: 'lobby-1', startedAt: Date.now() })
      status = { reason: '1 service, as it should be' }
      await tab.getByText('Rolling restart: 0 of 1').waitFor({ state: 'detached' })
      assert.deepEqual(await placesOf(tab), before, `at ${width}`)
      runtime.put({ name: 'lobby-1', state: 'OFFLINE' })
      await tab.locator('.trouble', { hasText: 'none online' }).waitFor()
      runtime.put({ name: 'lobby-1', state: 'ONLINE' })
      await tab.locator('.trouble').waitFor({ state: 'detached' })
      assert.deepEqual(await placesOf(tab), before, `at ${width}`)
      await tab.close()
    }
  })

  test('moves no button of the console while lines come, are searched or stand still', async t => {
    const runtime = lists()
    const { consoles, print } = consoleRuntime()
    runtime.put({ name: 'lobby-1', state: 'ONLINE' })
    const cloud = await startHost(t, Object.assign(runtime, { consoles }))
    await adminOf(cloud)
    for (const width of [1280, 360]) {
      const tab = await openTab(t, browser, cloud, { path: '#/services/lobby-1', width })
      await logIn(tab)
      const screen = tab.getByRole('log')
      print('the first')
      await screen.getByText('the first').first().waitFor()
      const buttons = tab.locator('section', { has: screen })
      const places = () => buttons.evaluate(section => [...section.querySelectorAll('button, input, [role=log]')].map(element => {
        const { x, y, width, height } = element.getBoundingClientRect()
        return `${element.tagName} ${x} ${y} ${width} ${height}`
      }))
      const before = await places()
      await tab.getByRole('button', { name: 'Following' }).click()
      assert.deepEqual(await places(), before, `paused at ${width}`)
      print(...Array.from({ length: 12_000 }, (_, n) => `line ${n}`))
      await tab.getByText('12,000 new lines').waitFor()
      assert.deepEqual(await places(), before, `12,000 lines behind at ${width}`)
      await tab.getByRole('button', { name: 'Follow', exact: true }).click()
      await tab.getByText(/older lines are not kept/).waitFor()
      assert.deepEqual(await places(), before, `following at ${width}`)
      for (const [words, found] of [['line 1', /^[\d,]+ of [\d,]+$/], ['nothing like that', /^not found$/]]) {
        await tab.getByLabel('Search in the console').fill(words)
        await tab.locator('.hits').getByText(found).waitFor()
        assert.deepEqual(await places(), before, `searching ${words} at ${width}`)
      }
      await tab.close()
    }
  })
})
