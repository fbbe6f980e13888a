/** What a session that has ended leaves on the page, for whom, and what a logout takes away. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacks, launch } from './chromium.js'
import { adminOf, callerOf, lobby, logIn, openTab, password, startCloud, until, userOf, visit } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  /** What somebody at another desk does. */
  async function endSessions (cloud) {
    const elsewhere = callerOf(cloud.api)
    await elsewhere('POST', '/auth/login', { username: 'admin', password })
    assert.equal((await elsewhere('DELETE', '/user/tokens')).status, 204)
  }

  test('has what was typed, what is open and what was shown once behind the login after a session was ended, for whose it is and nobody else', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', lobby)
    await userOf(cloud, admin, 'mira', ['cloud.group.list', 'cloud.group.edit', 'cloud.service.list'])
    await until(async () => (await admin('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'it is online')
    const secretTab = await openTab(t, browser, cloud, { path: '/#/account' })
    await logIn(secretTab)
    await secretTab.getByRole('button', { name: 'New key' }).click()
    await secretTab.getByLabel('What it is for').fill('bot')
    await secretTab.getByLabel(/^cloud\.service\.list/).check()
    await secretTab.getByRole('button', { name: 'Make the key' }).click()
    const code = secretTab.getByRole('dialog').locator('code')
    const secret = await code.textContent()
    const open = async path => {
      const tab = await secretTab.context().newPage()
      tab.setDefaultTimeout(15_000)
      await tab.goto(`${cloud.url}/#/${path}`)
      return tab
    }
    const formTab = await open('groups/lobby')
    await formTab.getByRole('button', { name: 'Edit' }).click()
    const most = formTab.getByLabel('Services at most')
    await most.fill('7')
    const filterTab = await open('services/lobby-1')
    await filterTab.getByLabel('Command').fill('say half of')
    await filterTab.getByRole('log').getByText('lines from before these').waitFor()

    const tabs = [secretTab, formTab, filterTab]
    const asked = []
    for (const tab of tabs) tab.on('request', request => { if (!/\/(?:auth\/\w+|user\/self|user\/tokens)$/.test(request.url())) asked.push(request.url()) })
    for (const tab of tabs) await tab.bringToFront()
    await endSessions(cloud)
    for (const tab of tabs) await tab.getByText('Your session has ended.').waitFor()
    assert.equal(await secretTab.getByText(secret).isVisible(), false)
    assert.equal(await most.isVisible(), false)
    for (let n = 0; n < 3; n++) await secretTab.keyboard.press('Escape')
    // As the way back of a phone does, which closes dialogs that were opened together at once.
    await secretTab.evaluate("for (const one of [...document.querySelectorAll('dialog')].reverse()) one.close()")
    await secretTab.getByRole('heading', { name: 'Log in' }).waitFor()
    assert.equal(await secretTab.getByText(secret).isVisible(), false)
    await logIn(secretTab)
    await code.waitFor()
    assert.equal(await code.textContent(), secret)
    assert.equal(await secretTab.title(), 'Account · Cloud')
    await most.waitFor()
    assert.equal(await most.inputValue(), '7')
    for (let n = 0; n < 2; n++) await formTab.waitForResponse('**/group/lobby/status')
    await formTab.getByRole('button', { name: 'Save' }).click()
    await until(async () => {
      await admin('POST', '/auth/login', { username: 'admin', password })
      return (await admin('GET', '/groups/list')).body.data[0].maxOnlineService === 7
    }, 'what was typed is saved')
    await formTab.getByText('1 to 7').waitFor()
    assert.equal(await filterTab.getByLabel('Command').inputValue(), 'say half of')
    await filterTab.getByLabel('Command').press('Enter')
    await filterTab.getByRole('log').getByText('[Server] half of').waitFor()
    for (const tab of tabs) await tab.getByText('The connection is lost').waitFor({ state: 'detached' })

    await endSessions(cloud)
    for (const tab of tabs) await tab.getByText('Your session has ended.').waitFor()
    const [count, shownAt] = [asked.length, Date.now()]
    await until(() => Date.now() - shownAt > 6_000, 'longer than anything is asked anew')
    assert.deepEqual(asked.slice(count), [], 'nothing is asked in vain while the login is shown')
    await logIn(secretTab, 'mira')
    await secretTab.getByRole('link', { name: 'mira' }).waitFor()
    for (const tab of tabs) {
      await until(async () => !(await tab.content()).includes(secret) && await tab.getByRole('dialog').count() === 0, 'nothing of the admin is left')
      assert.equal(await tab.getByText('half of').count(), 0)
    }
  })

  test('empties all tabs when somebody logs out in one of them, and asks before where something is lost by that, in whichever', async t => {
    const cloud = await startCloud(t)
    await adminOf(cloud)
    const tab = await openTab(t, browser, cloud)
    await logIn(tab)
    const other = await tab.context().newPage()
    await other.goto(`${cloud.url}/#/terminal`)
    await other.getByLabel('Command').fill('group list')
    await other.keyboard.press('Enter')
    await other.getByRole('log').getByText('› group list').waitFor()
    await other.getByLabel('Command').fill('a secret')
    await other.evaluate('window.wasHere = true')
    const question = tab.getByRole('dialog', { name: 'Log out?' })
    const asks = async () => {
      await tab.getByRole('button', { name: 'Log out' }).click()
      await question.getByText('What is not saved or sent yet, here or in another tab of this browser, is lost.').waitFor()
    }
    await asks()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await question.waitFor({ state: 'detached' })
    assert.equal(await other.getByLabel('Command').inputValue(), 'a secret', 'nothing was done')
    await tab.reload()
    await visit(tab, 'terminal', 'Terminal')
    await tab.getByLabel('Command').fill('half of it')
    await other.getByLabel('Command').fill('')
    await asks()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await tab.getByLabel('Command').fill('')
    await other.getByLabel('Command').fill('a secret')
    await asks()
    await question.getByRole('button', { name: 'Log out', exact: true }).click()
    await other.getByRole('heading', { name: 'Log in' }).waitFor()
    await until(async () => await other.evaluate('window.wasHere').catch(() => true) === undefined, 'nothing of its memory is left')
    assert.equal(await other.getByText('Your session has ended').count(), 0)
    await logIn(tab)
    await visit(other, 'terminal', 'Terminal')
    assert.equal(await other.getByLabel('Command').inputValue(), '')
    assert.equal(await other.getByText('group list').count(), 0)
  })
})
