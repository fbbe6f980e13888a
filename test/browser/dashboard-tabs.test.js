/** Many tabs of one browser: a browser has six connections to a host, and all of them follow what happens by one. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacks, launch } from './chromium.js'
import { adminOf, callerOf, lobby, logIn, openTab, password, startCloud, until, userOf } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  const lost = tab => tab.getByText('The connection is lost')

  async function tabsOf (first, cloud, count, path = '/#/groups') {
    const tabs = [first]
    while (tabs.length < count) {
      const tab = await first.context().newPage()
      tab.setDefaultTimeout(15_000)
      await tab.goto(`${cloud.url}${path}`, { timeout: 10_000 })
      tabs.push(tab)
    }
    return tabs
  }

  test('works in nine tabs as in one: each shows what happens, whichever is closed; each says that the connection is lost, and goes on when it is back', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', { ...lobby, minOnlineService: 0 })
    const first = await openTab(t, browser, cloud, { path: '/#/groups' })
    await logIn(first)
    const tabs = await tabsOf(first, cloud, 9)
    for (const tab of tabs) await tab.getByRole('link', { name: 'lobby' }).waitFor()
    // What is asked for by a tab is answered.
    for (const tab of [tabs[0], tabs.at(-1)]) {
      await tab.evaluate('location.hash = "#/groups/lobby"')
      await tab.getByRole('button', { name: 'Delete', exact: true }).waitFor()
      await tab.evaluate('location.hash = "#/groups"')
    }
    await tabs.shift().close()
    await tabs.pop().close()
    await admin('POST', '/group/create', { ...lobby, name: 'arena', minOnlineService: 0 })
    for (const tab of tabs) await tab.getByRole('link', { name: 'arena' }).waitFor({ timeout: 3_000 })
    await Promise.all(tabs.map(async tab => { await tab.evaluate('location.hash = "#/players"') }))
    for (const tab of tabs) await tab.getByText('Nobody is connected now.').waitFor()

    await cloud.stop('SIGKILL')
    for (const tab of tabs) await lost(tab).waitFor({ timeout: 3_000 })
    await startCloud(t, { directory: cloud.directory, port: cloud.port })
    for (const tab of tabs) await lost(tab).waitFor({ state: 'detached', timeout: 20_000 })
    await Promise.all(tabs.map(async tab => { await tab.evaluate('location.hash = "#/groups"') }))
    const again = callerOf(cloud.api)
    await again('POST', '/auth/login', { username: 'admin', password })
    await again('DELETE', '/group/arena')
    for (const tab of tabs) await tab.getByRole('link', { name: 'arena' }).waitFor({ state: 'detached', timeout: 3_000 })
    await again('DELETE', '/user/tokens')
    for (const tab of tabs) await tab.getByText('Your session has ended.').waitFor({ timeout: 5_000 })
  })

  test('tells no tab what another user\'s session sees, when one has gone and another one has come', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', { ...lobby, minOnlineService: 0 })
    await userOf(cloud, admin, 'mira', ['cloud.platform.list'])
    const first = await openTab(t, browser, cloud, { path: '/#/groups' })
    await logIn(first)
    const [one, other] = await tabsOf(first, cloud, 2)
    await other.getByRole('link', { name: 'lobby' }).waitFor()
    // A cookie of somebody else, of which no tab is told: what the stream that is opened with it tells is not for them.
    await other.evaluate(async ([api, password]) => {
      await fetch(`${api}/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ username: 'mira', password }) })
      window.wasHere = true
      window.dispatchEvent(new Event('offline'))
    }, [cloud.api, password])
    for (const tab of [one, other]) {
      await tab.getByRole('heading', { name: 'Not here' }).waitFor()
      assert.equal(await tab.getByText('lobby').count(), 0)
      assert.equal(await tab.evaluate('window.wasHere'), undefined, 'the page was begun anew')
      await tab.evaluate('location.hash = "#/platforms"')
      await tab.getByRole('row', { name: /limbo/ }).waitFor()
    }
    await one.getByRole('button', { name: 'Log out' }).click()
    await other.getByRole('heading', { name: 'Log in' }).waitFor()
    await logIn(other)
    await other.evaluate('location.hash = "#/groups"')
    await one.evaluate('location.hash = "#/groups"')
    for (const tab of [one, other]) await tab.getByRole('link', { name: 'lobby' }).waitFor()
    await admin('POST', '/group/create', { ...lobby, name: 'arena', minOnlineService: 0 })
    for (const tab of [one, other]) await tab.getByRole('link', { name: 'arena' }).waitFor({ timeout: 3_000 })
  })

  test('has a stream of its own where the browser shares no workers, and only while it is seen; says so where it gets none', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    const context = await browser.newContext()
    t.after(() => context.close())
    await context.addInitScript('delete window.SharedWorker')
    const deaf = await browser.newContext()
    t.after(() => deaf.close())
    await deaf.addInitScript('delete window.SharedWorker')
    await deaf.route('**/events?*', () => {})
    const [tab, mute] = await Promise.all([context, deaf].map(async one => {
      const page = await one.newPage()
      await page.goto(`${cloud.url}/#/groups`)
      await logIn(page)
      return page
    }))
    await tab.getByText('There is no group yet').waitFor()
    let isOpen = false
    context.on('request', request => { if (request.url().includes('/events?')) isOpen = true })
    context.on('requestfailed', request => { if (request.url().includes('/events?')) isOpen = false })
    /** What a browser does with a tab behind others. */
    const show = state => tab.evaluate(`Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`)
    await show('hidden')
    await admin('POST', '/group/create', { ...lobby, minOnlineService: 0 })
    await show('visible')
    await tab.getByRole('link', { name: 'lobby' }).waitFor({ timeout: 3_000 })
    assert.equal(isOpen, true)
    await show('hidden')
    await until(() => !isOpen, 'the connection is given back')
    await lost(mute).waitFor()
  })

  test('says so where the part that hears what happens cannot be had, and goes on when it can', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    const context = await browser.newContext()
    t.after(() => context.close())
    await context.addInitScript('delete window.SharedWorker')
    let isAway = true
    let asked = 0
    await context.route('**/assets/hub-*.js', async route => {
      asked++
      await (isAway ? route.abort() : route.continue())
    })
    const tab = await context.newPage()
    const complaints = []
    tab.on('pageerror', error => { complaints.push(String(error)) })
    await tab.goto(`${cloud.url}/#/groups`)
    await logIn(tab)
    await lost(tab).waitFor()
    await until(() => asked > 1, 'it is asked for again')
    isAway = false
    await lost(tab).waitFor({ state: 'detached' })
    await admin('POST', '/group/create', { ...lobby, minOnlineService: 0 })
    await tab.getByRole('link', { name: 'lobby' }).waitFor({ timeout: 3_000 })
    assert.deepEqual(complaints, [], 'the page complains of nothing')
  })
})
