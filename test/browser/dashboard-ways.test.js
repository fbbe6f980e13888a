/** Where one gets to, on screens of any width and by the keyboard, and how soon one sees there what others do. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacks, launch } from './chromium.js'
import { adminOf, callerOf, lobby, logIn, networkOf, openTab, password, startCloud, until, userOf, visit } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  test('makes groups of any name, and goes on making them: one called new is a group as any other', async t => {
    const cloud = await startCloud(t)
    await adminOf(cloud)
    const tab = await openTab(t, browser, cloud, { path: '/#/groups' })
    await logIn(tab)
    for (const name of ['new', 'groups', 'another']) {
      await visit(tab, 'groups', 'Groups')
      await tab.getByRole('link', { name: 'New group' }).click()
      await tab.getByRole('heading', { level: 1, name: 'New group' }).waitFor()
      await tab.getByLabel('Name').fill(name)
      await tab.getByLabel('Services at least').fill('0')
      await tab.getByRole('button', { name: 'Create group' }).click()
      await tab.getByRole('heading', { level: 1, name, exact: true }).waitFor()
      await tab.getByRole('button', { name: 'Delete' }).waitFor()
    }
  })

  test('has everything within the width of the screen, whatever that is', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', { ...lobby, name: 'lobby-of-the-network' })
    await admin('POST', '/template/', { name: 'hub' })
    const { body: { data: { key } } } = await admin('POST', '/user/keys', { label: 'files', permissions: ['cloud.template.files.write'] })
    await fetch(`${cloud.api}/template/hub/file/server.properties`, { method: 'PUT', body: 'x', headers: { authorization: `Bearer ${key}` } })
    await until(async () => (await admin('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'it is online')
    const tab = await openTab(t, browser, cloud)
    await logIn(tab)
    const wide = []
    for (const [path, heading] of [['', 'Overview'], ['groups', 'Groups'], ['groups/lobby-of-the-network', 'lobby-of-the-network'], ['services', 'Services'], ['templates', 'Templates'], ['templates/hub', 'hub'], ['platforms', 'Platforms'], ['users', 'Users'], ['roles', 'Roles'], ['audit', 'Audit'], ['account', 'Account']]) {
      await visit(tab, path, heading)
      await tab.locator('#content :is(table, ul, dl)').first().waitFor()
      for (const width of [360, 480, 761, 800, 900, 1000, 1079, 1080, 1081, 1200]) {
        await tab.setViewportSize({ width, height: 800 })
        const over = await until(async () => await tab.evaluate('document.documentElement.scrollWidth - innerWidth') <= 0, 'it fits', 1_000).then(() => 0, () => tab.evaluate('document.documentElement.scrollWidth - innerWidth'))
        if (over > 0) wide.push(`${path} at ${width}: ${over}`)
      }
    }
    assert.deepEqual(wide, [])
  })

  test('has the focus at the title of whatever was opened, by a link, an address or the way back, also where that had to be loaded', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', lobby)
    await admin('POST', '/template/', { name: 'hub' })
    const { body: { data: { key } } } = await admin('POST', '/user/keys', { label: 'files', permissions: ['cloud.template.files.write'] })
    await fetch(`${cloud.api}/template/hub/file/conf/server.properties`, { method: 'PUT', body: 'x', headers: { authorization: `Bearer ${key}` } })
    const tab = await openTab(t, browser, cloud, { path: '/#/templates' })
    await logIn(tab)
    const title = async name => {
      await until(() => tab.evaluate(`document.activeElement.tagName === 'H1' && document.activeElement.textContent === ${JSON.stringify(name)}`), `the focus is at the title ${name}`, 5_000)
      // What was loaded is there, and the focus still is.
      await tab.waitForLoadState('networkidle').catch(() => {})
      assert.equal(await tab.evaluate('document.activeElement.textContent'), name)
    }
    await tab.getByRole('link', { name: 'hub', exact: true }).click()
    await tab.getByRole('link', { name: 'conf/' }).waitFor()
    await title('hub')
    await tab.getByRole('link', { name: 'conf/' }).click()
    await title('conf')
    await tab.getByRole('link', { name: 'server.properties', exact: true }).click()
    await tab.getByLabel('Text of conf/server.properties').waitFor()
    await title('server.properties')
    await tab.goBack()
    await tab.getByRole('link', { name: 'server.properties', exact: true }).waitFor()
    await title('conf')
    for (const [path, name] of [['templates/hub', 'hub'], ['groups/lobby', 'lobby'], ['services/lobby-1', 'lobby-1'], ['roles', 'Roles']]) {
      await visit(tab, path, name)
      await tab.locator('#content :is(table, dl)').first().waitFor()
      await title(name)
    }
  })

  test('shows within some seconds what others do of which no event tells, and a first right at once', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    const { role } = await userOf(cloud, admin, 'mira', [])
    const open = async (path, name = 'admin') => {
      const tab = await openTab(t, browser, cloud, { path: `/#/${path}` })
      await logIn(tab, name)
      return tab
    }
    const [account, users, roles, audit] = await Promise.all(['account', 'users', 'roles', 'audit'].map(path => open(path)))
    for (const tab of [account, users, roles, audit]) await tab.getByRole('row').nth(1).waitFor()
    const soon = async (locator, what, ms = 10_000) => {
      const begun = Date.now()
      await locator.first().waitFor({ timeout: ms }).catch(() => { throw new Error(`Not seen within ${ms} ms: ${what}`) })
      t.diagnostic(`${what}: ${Date.now() - begun} ms`)
    }
    await admin('POST', '/user/keys', { label: 'watcher', permissions: ['cloud.service.list'] })
    await soon(account.getByRole('row', { name: /^watcher/ }), 'a key')
    await soon(users.getByRole('row', { name: /^watcher/ }), 'a key, among those of all')
    await admin('POST', '/role/', { label: 'Builders', hexColor: '#336699', permissions: [] })
    await soon(roles.getByRole('row', { name: /^Builders/ }), 'a role')
    await soon(audit.getByText('role.create'), 'what was done')
    await callerOf(cloud.api)('POST', '/auth/login', { username: 'admin', password })
    await until(async () => await account.getByRole('button', { name: /^End: session/ }).count() > 3, 'a session', 10_000)

    const mira = await open('', 'mira')
    await mira.getByText('shows nothing of the cloud here').waitFor()
    await admin('PATCH', `/role/${role.id}`, { label: role.label, hexColor: role.hexColor, permissions: ['cloud.service.list'] })
    await soon(mira.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Services' }), 'a first right', 1_800)
  })

  test('asks again for what could not be loaded as soon as there is a connection, and says nothing of what was done where nothing was', async t => {
    const cloud = await startCloud(t)
    await adminOf(cloud)
    const network = await networkOf(t, cloud)
    const tab = await openTab(t, browser, { url: network.url })
    await logIn(tab)
    // Its part of the page is there.
    await visit(tab, 'roles', 'Roles')
    await visit(tab, '', 'Overview')
    network.cut()
    await tab.locator('.lost').waitFor()
    await visit(tab, 'roles', 'Roles')
    const said = tab.getByText('The server cannot be reached')
    await said.waitFor()
    assert.equal(await said.innerText(), 'The server cannot be reached')
    network.mend()
    await tab.locator('.lost').waitFor({ state: 'detached' })
    await said.waitFor({ state: 'detached', timeout: 1_000 })
    await tab.getByRole('row').nth(1).waitFor()
  })

  test('keeps in the address what the audit is asked for, over the way back and a page that is loaded again', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/role/', { label: 'Builders', hexColor: '#336699', permissions: [] })
    const tab = await openTab(t, browser, cloud, { path: '/#/audit' })
    await logIn(tab)
    const rows = tab.getByRole('row')
    await until(async () => await rows.count() > 2, 'more than one thing was done')
    const show = tab.getByRole('button', { name: 'Show' })
    await tab.getByLabel('Action').fill('role.created')
    await tab.getByLabel('When').selectOption('hour')
    await show.focus()
    await tab.keyboard.press('Enter')
    const isShown = async () => await rows.count() === 2 && await tab.getByLabel('Action').inputValue() === 'role.created' && await tab.getByLabel('When').inputValue() === 'hour'
    await until(isShown, 'one of them is shown')
    assert.equal(await show.evaluate(button => button === button.ownerDocument.activeElement), true, 'the keyboard is where it was')
    await tab.reload()
    await until(isShown, 'it is shown when the page is loaded again')
    await tab.goBack()
    await until(async () => await rows.count() > 2 && await tab.getByLabel('Action').inputValue() === '', 'everything is shown')
    await tab.goForward()
    await until(isShown, 'and one of them again')
  })
})
