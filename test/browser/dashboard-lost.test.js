/** What is pressed, shown and said while nothing comes through. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacks, launch } from './chromium.js'
import { adminOf, lobby, logIn, networkOf, openTab, startCloud, until, visit } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  test('gives up what was pressed while the network was dead, says that nobody knows whether it was done, and does not send it again when the network is back', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', { ...lobby, minOnlineService: 0 })
    const network = await networkOf(t, cloud)
    const tab = await openTab(t, browser, { url: network.url }, { path: '/#/templates' })
    await logIn(tab)
    await tab.getByRole('button', { name: 'New template' }).click()
    await tab.getByLabel('Name').fill('late')
    await admin('POST', '/template/', { name: 'hub' })
    const other = await tab.context().newPage()
    await other.goto(`${network.url}/#/templates/hub`)
    await other.getByRole('button', { name: 'Upload files' }).waitFor()
    await tab.bringToFront()
    network.die()
    await other.getByLabel('Files to upload').setInputFiles({ name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('late') })
    await tab.getByRole('button', { name: 'Create template' }).click()
    // What a browser says of a network that went, so that the stream is tried before the core has been silent for 40 s: not in the same second as the last try.
    await tab.evaluate('for (const ms of [0, 1_200]) setTimeout(() => { window.dispatchEvent(new Event(\'offline\')) }, ms)')
    const said = tab.getByRole('alert').filter({ hasText: 'it is not known whether it was done' })
    await said.waitFor({ timeout: 40_000 })
    await other.getByRole('table', { name: 'Uploads' }).getByText('it may have been taken, or not').waitFor()
    // A browser sends what was on its way again where the connection turns out to be closed.
    network.mend()
    network.drop()
    await tab.locator('.lost').waitFor({ state: 'detached', timeout: 30_000 })
    await said.waitFor()
    assert.deepEqual((await admin('GET', '/template/hub/files')).body.data, [])
    assert.equal((await admin('GET', '/audit?action=template.create')).body.data.total, 0)
    await tab.getByRole('button', { name: 'Create template' }).click()
    await until(async () => (await admin('GET', '/templates/list')).body.data.some(({ name }) => name === 'late'), 'it is done when it is pressed again')
  })

  test('marks a command that is on its way', async t => {
    const cloud = await startCloud(t)
    await adminOf(cloud)
    const tab = await openTab(t, browser, cloud, { path: '/#/terminal' })
    await logIn(tab)
    let go
    const held = new Promise(resolve => { go = resolve })
    await tab.route('**/terminal/command', async route => {
      await held
      await route.continue()
    })
    await tab.getByLabel('Command').fill('version')
    await tab.keyboard.press('Enter')
    const send = tab.getByRole('button', { name: 'Send' })
    await send.locator('.turning').waitFor()
    assert.equal(await send.getAttribute('aria-disabled'), 'true')
    await tab.getByLabel('Command').fill('group list')
    go()
    await send.locator('.turning').waitFor({ state: 'detached' })
    assert.equal(await tab.getByLabel('Command').inputValue(), 'group list', 'what was typed meanwhile is still there')
  })

  test('keeps in view that the connection is lost, and what becomes of uploads, however far somebody has scrolled, and from other views', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/template/', { name: 'hub' })
    const { body: { data: { key } } } = await admin('POST', '/user/keys', { label: 'files', permissions: ['cloud.template.files.write'] })
    for (let n = 0; n < 60; n++) await fetch(`${cloud.api}/template/hub/file/file-${n}.txt`, { method: 'PUT', body: 'x', headers: { authorization: `Bearer ${key}` } })
    const tabs = []
    for (const width of [1280, 360]) {
      const tab = await openTab(t, browser, cloud, { path: '/#/templates/hub', width })
      await logIn(tab)
      await tab.getByRole('link', { name: 'file-40.txt', exact: true }).waitFor()
      tabs.push(tab)
    }
    /** Where it is, nothing lies over it. */
    const isSeen = async locator => await locator.evaluate(element => {
      const { left, top, width, height } = element.getBoundingClientRect()
      const found = element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2)
      return found !== null && element.contains(found)
    })
    for (const tab of tabs) {
      await tab.route('**/file/late.txt', async route => { await route.fulfill({ status: 409, json: { status: 409, code: 'no', message: 'No room for that' } }) })
      await tab.getByLabel('Files to upload').setInputFiles({ name: 'late.txt', mimeType: 'text/plain', buffer: Buffer.from('late') })
      const told = tab.getByRole('list', { name: 'Uploads under way' })
      await told.getByText('1 file not taken: No room for that').waitFor()
      for (const place of [0, 600, 1e6]) {
        await tab.evaluate(`window.scrollTo(0, ${place})`)
        await until(() => isSeen(told), `it is seen at ${place}`)
      }
      await visit(tab, 'audit', 'Audit')
      await until(() => isSeen(told), 'it is seen elsewhere')
      await told.getByRole('link', { name: 'hub' }).click()
      await tab.getByRole('button', { name: 'Close' }).click()
      await told.waitFor({ state: 'detached' })
    }
    await cloud.stop('SIGKILL')
    for (const tab of tabs) {
      await tab.locator('.lost').waitFor()
      for (const place of [0, 600, 1e6]) {
        await tab.evaluate(`window.scrollTo(0, ${place})`)
        await until(() => isSeen(tab.locator('.lost')), `it is seen at ${place}`)
      }
    }
  })

  test('changes nothing below the line that says how it was, although all but the events is answered, and goes on afterwards', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', lobby)
    await until(async () => (await admin('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'it is online')
    const network = await networkOf(t, cloud)
    const tabs = []
    for (const [path, heading] of [['', 'Overview'], ['services/lobby-1', 'lobby-1'], ['groups/lobby', 'lobby']]) {
      const tab = await openTab(t, browser, { url: network.url })
      await logIn(tab)
      await visit(tab, path, heading)
      tabs.push({ tab, told: async () => (await tab.locator('.figures, .facts, .lines, .why, .head').allInnerTexts()).join('\n') })
    }
    await tabs[0].tab.getByText('group.create').waitFor()
    network.deafen()
    for (const { tab } of tabs) await tab.locator('.lost').waitFor()
    const before = await Promise.all(tabs.map(({ told }) => told()))
    await admin('PATCH', '/service/lobby-1/restart')
    // Longer than anything here is asked anew, or counted up.
    for (const { tab } of tabs) await tab.getByText(/as it was .*([3-9]\d s|min.*) ago/).waitFor({ timeout: 60_000 })
    assert.deepEqual(await Promise.all(tabs.map(({ told }) => told())), before)
    network.mend()
    for (const [at, { tab, told }] of tabs.entries()) {
      await tab.locator('.lost').waitFor({ state: 'detached', timeout: 30_000 })
      if (at < 2) await until(async () => await told() !== before[at], 'what happened meanwhile is shown')
    }
    await tabs[0].tab.getByText('service.restart').waitFor()
  })
})
