/** What is typed, and what is shown once: none of it goes without a question, and what is wrong is said in words that help. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lacks, launch } from './chromium.js'
import { adminOf, lobby, logIn, openTab, startCloud, until, visit } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  async function start (t, options) {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    const tab = await openTab(t, browser, cloud, options)
    await logIn(tab)
    return { cloud, admin, tab }
  }

  const dialogOf = tab => {
    const dialog = tab.getByRole('dialog')
    return { dialog, asked: dialog.getByRole('group', { name: /not copied yet|not sent yet/ }), stay: dialog.getByRole('button', { name: 'Stay' }), go: dialog.getByRole('button', { name: 'Let it go' }) }
  }

  /** Everything by which a dialog can be left without its own buttons. */
  const ways = {
    Escape: tab => tab.keyboard.press('Escape'),
    'the cross': tab => tab.getByRole('dialog').getByRole('button', { name: 'Close' }).click(),
    'the way back': tab => tab.evaluate('history.back()'),
    'another address': tab => tab.evaluate('location.hash = "#/services"')
  }

  test('asks before a secret that is shown once goes uncopied, whichever way', async t => {
    const { admin, tab } = await start(t)
    await tab.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const { dialog, asked, stay, go } = dialogOf(tab)
    const secrets = [
      ['account', 'Account', async () => {
        await tab.getByRole('button', { name: 'New key' }).click()
        await tab.getByLabel('What it is for').fill('bot')
        await tab.getByLabel(/^cloud\.service\.list/).check()
        await tab.getByRole('button', { name: 'Make the key' }).click()
      }],
      ['users', 'Users', async () => {
        await tab.getByRole('button', { name: 'New user' }).click()
        await tab.getByLabel('Username').fill(`mira-${(await admin('GET', '/users/')).body.data.length}`)
        await tab.getByRole('button', { name: 'Create user' }).click()
      }]
    ]
    for (const [path, heading, make] of secrets) {
      await visit(tab, path, heading)
      await make()
      const secret = await dialog.locator('code').textContent()
      for (const [way, leave] of Object.entries(ways)) {
        await leave(tab)
        await asked.waitFor()
        await until(() => stay.evaluate(button => button === button.ownerDocument.activeElement), `${way}: the keyboard is where one stays`)
        await stay.click()
        await asked.waitFor({ state: 'detached' })
        assert.equal(await dialog.locator('code').textContent(), secret, way)
        assert.equal(await tab.evaluate('location.hash'), `#/${path}`, way)
      }
      // A browser closes a dialog when Escape is pressed twice, whatever the page says to the first.
      for (let n = 0; n < 4; n++) await tab.keyboard.press('Escape')
      await tab.mouse.click(5, 5)
      assert.equal(await dialog.locator('code').textContent(), secret)
      await dialog.getByRole('button', { name: /^Copy the/ }).click()
      await dialog.getByText('Copied').waitFor()
      await tab.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })

      await make()
      await dialog.locator('code').waitFor()
      await tab.keyboard.press('Escape')
      await go.click()
      await dialog.waitFor({ state: 'detached' })
    }
  })

  test('asks before a form that was filled in goes, and not where nothing was typed or it was typed as it was', async t => {
    const { admin, tab } = await start(t)
    await admin('POST', '/group/create', { ...lobby, minOnlineService: 0 })
    await admin('POST', '/template/', { name: 'hub' })
    const { dialog, asked, stay, go } = dialogOf(tab)
    const forms = [
      ['groups/lobby', 'lobby', 'Edit', 'Services at most'], ['templates', 'Templates', 'New template', 'Name'], ['templates/hub', 'hub', 'New file', 'Name'],
      ['roles', 'Roles', 'New role', 'Name'], ['users', 'Users', 'New user', 'Username'], ['account', 'Account', 'New key', 'What it is for']
    ]
    for (const [path, heading, button, label] of forms) {
      await visit(tab, path, heading)
      const open = () => tab.getByRole('button', { name: button, exact: true }).click()
      await open()
      const field = dialog.getByRole('textbox', { name: label })
      const before = await field.inputValue()
      await field.fill('17')
      for (const [way, leave] of Object.entries(ways)) {
        await leave(tab)
        await asked.waitFor()
        await stay.click()
        assert.equal(await field.inputValue(), '17', `${button}, ${way}`)
      }
      await field.fill(before)
      await tab.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await open()
      await field.fill('18')
      await tab.keyboard.press('Escape')
      await go.click()
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await tab.evaluate('location.hash'), `#/${path}`)
    }
    await visit(tab, 'groups/lobby', 'lobby')
    await tab.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByRole('textbox').fill('lob')
    await tab.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  test('asks before what was typed into a file is undone', async t => {
    const { admin, cloud, tab } = await start(t)
    await admin('POST', '/template/', { name: 'hub' })
    const { body: { data: { key } } } = await admin('POST', '/user/keys', { label: 'files', permissions: ['cloud.template.files.write'] })
    await fetch(`${cloud.api}/template/hub/file/a.txt`, { method: 'PUT', body: 'one\n', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' } })
    await visit(tab, 'templates/hub/file/a.txt', 'a.txt')
    const text = tab.getByRole('textbox', { name: 'Text of a.txt' })
    await text.fill('two\n')
    await tab.getByRole('button', { name: 'Undo all changes' }).click()
    await tab.getByRole('dialog', { name: 'Undo all changes?' }).waitFor()
    await tab.keyboard.press('Escape')
    assert.equal(await text.inputValue(), 'two\n')
    await tab.getByRole('button', { name: 'Undo all changes' }).click()
    await tab.getByRole('button', { name: 'Undo them' }).click()
    await until(async () => await text.inputValue() === 'one\n', 'it is as it was')
  })

  test('keeps a command that was typed and not sent while another view is open', async t => {
    const { admin, tab } = await start(t)
    await admin('POST', '/group/create', lobby)
    await until(async () => (await admin('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'it is online')
    const input = tab.getByLabel('Command')
    for (const [path, heading, line] of [['services/lobby-1', 'lobby-1', 'say half of'], ['terminal', 'Terminal', 'group cre']]) {
      await visit(tab, path, heading)
      assert.equal(await input.inputValue(), '', 'each has its own')
      await input.fill(line)
      await visit(tab, 'platforms', 'Platforms')
      await visit(tab, path, heading)
      assert.equal(await input.inputValue(), line)
    }
    await input.fill('help')
    await input.press('Enter')
    await tab.getByRole('log').getByText('group create').first().waitFor()
    await visit(tab, 'platforms', 'Platforms')
    await visit(tab, 'terminal', 'Terminal')
    assert.equal(await input.inputValue(), '', 'what was sent is gone')
  })

  test('says of a number that is none that it is none, of a key that it may do nothing, and of names what is allowed, beside the field', async t => {
    const { admin, tab } = await start(t)
    await admin('POST', '/template/', { name: 'hub' })
    const wrong = (label, sentence) => tab.locator('.field', { has: tab.getByLabel(label) }).getByRole('alert').filter({ hasText: sentence }).waitFor()
    await visit(tab, 'groups/create', 'New group')
    const create = tab.getByRole('button', { name: 'Create group' })
    await tab.getByLabel('Name').fill('арена')
    await create.click()
    await wrong('Name', 'Group name is invalid: up to 64 of A to Z, a to z, 0 to 9, _ and -, and no - at the beginning; neither list nor count nor create')
    await tab.getByLabel('Name').fill('arena')
    for (const label of ['Services at least', 'Services at most', 'One more starts at', 'Memory at start', 'Memory at most']) {
      const before = await tab.getByLabel(label).inputValue()
      for (const [typed, sentence] of [['abc', '"abc" is no number'], ['1,000', '"1,000" is no number'], ['9'.repeat(400), 'This is no number'], [' ', 'is required']]) {
        await tab.getByLabel(label).fill(typed)
        await create.click()
        await wrong(label, sentence)
      }
      await tab.getByLabel(label).fill(before)
    }

    await visit(tab, 'templates', 'Templates')
    await tab.getByRole('button', { name: 'New template' }).click()
    const name = tab.getByLabel('Name', { exact: true })
    await name.fill('зал')
    await tab.getByRole('button', { name: 'Create template' }).click()
    await wrong('Name', 'Template name is invalid: up to 64 of A to Z')
    await name.fill('')
    await tab.keyboard.press('Escape')

    await visit(tab, 'users', 'Users')
    await tab.getByRole('button', { name: 'New user' }).click()
    await tab.getByLabel('Username').fill('Юрий\u200b')
    await tab.getByRole('button', { name: 'Create user' }).click()
    await wrong('Username', 'Username is invalid: up to 64 characters of any script, none of them invisible')
    await tab.getByLabel('Username').fill('Юрий')
    await tab.getByRole('button', { name: 'Create user' }).click()
    await tab.getByRole('button', { name: 'Done' }).click()

    await visit(tab, 'account', 'Account')
    await tab.getByRole('button', { name: 'New key' }).click()
    await tab.getByLabel('What it is for').fill('bot')
    await tab.getByRole('button', { name: 'Make the key' }).click()
    await tab.getByRole('group', { name: 'It may' }).getByRole('alert').filter({ hasText: 'Choose at least one' }).waitFor()
    assert.deepEqual((await admin('GET', '/user/keys')).body.data, [])
    await tab.getByLabel(/^cloud\.service\.list/).check()
    await tab.getByLabel('Only from').fill('everywhere')
    await tab.getByRole('button', { name: 'Make the key' }).click()
    await wrong('Only from', 'Key addresses is invalid: one a line, such as 192.0.2.7 or 192.0.2.0/24')
    await tab.getByLabel('Only from').fill('')
    await tab.getByRole('button', { name: 'Make the key' }).click()
    await tab.getByRole('button', { name: 'Done' }).click()
    await admin('POST', '/user/keys', { label: 'of no use', permissions: [] })
    await visit(tab, 'users', 'Users')
    await tab.getByRole('row', { name: /^of no use/ }).getByRole('cell', { name: 'nothing' }).waitFor()
    await tab.getByRole('row', { name: /^bot/ }).getByText('1 permission').click()
    await tab.getByText('cloud.service.list').waitFor()
  })
})
