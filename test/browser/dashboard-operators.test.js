/** What somebody in a hurry has to be told: who is thrown out, what does not run, where a console begins, and what is not true any more. */
import assert from 'node:assert/strict'
import { appendFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { lists } from '../../dist/test/fixtures/events.js'
import { lacks, launch } from './chromium.js'
import { adminOf, callerOf, lobby, logIn, openTab, password, startCloud, startHost, until, userOf, visit } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  test('says how many players are thrown out before it restarts, stops or kills, and asks nothing where nobody plays', async t => {
    const runtime = lists()
    runtime.given.groups = [{ ...runtime.given.groups[0], name: 'lobby', templates: [] }]
    runtime.put({ name: 'lobby-1', groupName: 'lobby', state: 'ONLINE', playerCount: 64, maxPlayerCount: 80 }, { name: 'lobby-2', groupName: 'lobby', state: 'ONLINE', playerCount: 0 })
    const restarted = []
    runtime.services.control.restart = name => {
      restarted.push(name)
      return true
    }
    const cloud = await startHost(t, runtime)
    await adminOf(cloud)
    const question = 'Everybody|64 players on (it|them) (have up to 5 min to leave, then )?are thrown out'
    for (const width of [1280, 360]) {
      restarted.length = 0
      const tab = await openTab(t, browser, cloud, { path: '', width })
      await logIn(tab)
      await visit(tab, 'services', 'Services')
      await tab.getByRole('button', { name: 'Restart lobby-1' }).click()
      const dialog = tab.getByRole('dialog')
      await dialog.getByText(new RegExp(question)).waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await dialog.waitFor({ state: 'detached' })
      await tab.getByRole('button', { name: 'Restart lobby-2' }).click()
      await until(() => restarted.length > 0, 'the empty one is restarted at once')
      assert.deepEqual(restarted, ['lobby-2'])
      await tab.getByRole('button', { name: 'Restart lobby-1' }).click()
      await dialog.getByRole('button', { name: 'Restart it' }).click()
      await until(() => restarted.includes('lobby-1'), 'it is restarted when that is wanted')
      await visit(tab, 'services/lobby-1', 'lobby-1')
      for (const word of ['Restart', 'Stop', 'Kill']) {
        await tab.getByRole('button', { name: `${word} lobby-1` }).click()
        await dialog.getByText(new RegExp(question)).waitFor()
        await tab.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
      await visit(tab, 'groups/lobby', 'lobby')
      for (const word of ['Rolling restart', 'Delete']) {
        await tab.getByRole('button', { name: word, exact: true }).click()
        await dialog.getByText(new RegExp(question)).waitFor()
        await tab.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
    }
  })

  test('marks a group that does not run, with a word and its reason, in Overview and Groups, wide and narrow', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    const limbo = JSON.parse(await readFile(join(cloud.directory, 'platforms/limbo.json'), 'utf8'))
    await mkdir(join(cloud.directory, 'platforms/torn'), { recursive: true })
    await writeFile(join(cloud.directory, 'platforms/torn/server.js'), 'process.exit(7)')
    await writeFile(join(cloud.directory, 'platforms/torn.json'), JSON.stringify({ ...limbo, name: 'torn', args: [join(cloud.directory, 'platforms/torn/server.js')] }))
    await until(async () => (await admin('GET', '/platforms/list')).body.data.some(({ name }) => name === 'torn'), 'the platform is known')
    for (const group of [{ ...lobby, name: 'broken', platform: { name: 'torn', version: 'latest' } }, { ...lobby, name: 'resting', minOnlineService: 0 }]) await admin('POST', '/group/create', group)
    const tabs = await Promise.all([1280, 360].map(async width => {
      const tab = await openTab(t, browser, cloud, { width })
      await logIn(tab)
      return tab
    }))
    for (const tab of tabs) {
      for (const [path, heading] of [['', 'Overview'], ['groups', 'Groups'], ['groups/broken', 'broken']]) {
        await visit(tab, path, heading)
        await tab.locator('.trouble', { hasText: /none online|paused/ }).waitFor()
      }
    }
    await until(async () => /^paused/.test((await admin('GET', '/group/broken/status')).body.data.reason), 'it is given up', 60_000)
    for (const tab of tabs) {
      for (const [path, heading] of [['', 'Overview'], ['groups', 'Groups']]) {
        await visit(tab, path, heading)
        await tab.locator('.trouble', { hasText: /paused: broken-1 died \d times in a row/ }).waitFor()
        assert.equal(await tab.locator('.trouble').count(), 1, 'a group that is to have no service is well')
      }
    }
  })

  test('says that a console does not begin at the beginning, gives thousands of lines, keeps the newest in view, wraps where there is little room; old errors go, and no line is there twice', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', lobby)
    await until(async () => (await admin('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'it is online')
    const found = (await readdir(cloud.directory, { recursive: true })).find(path => path.endsWith('console.log'))
    const file = join(cloud.directory, found)
    await appendFile(file, Array.from({ length: 12_000 }, (_, n) => `[12:00:00] [Server thread/INFO]: flood line ${n + 1}\n`).join(''))
    const tab = await openTab(t, browser, cloud, { path: '/#/services/lobby-1' })
    await logIn(tab)
    const screen = tab.getByRole('log')
    await screen.getByText('flood line 12000').waitFor()
    await tab.getByLabel('Search in the console').fill('flood line 2500')
    await screen.locator('mark', { hasText: 'flood line 2500' }).waitFor()
    await tab.getByRole('button', { name: /^Follow/ }).click()

    await appendFile(file, `${'long '.repeat(300)}\nthe newest\n`)
    const newest = screen.getByText('the newest')
    await newest.waitFor()
    const isSeen = () => newest.evaluate(element => {
      const box = element.closest('.screen')
      return element.getBoundingClientRect().bottom <= box.getBoundingClientRect().top + box.clientTop + box.clientHeight + 1
    })
    await until(isSeen, 'the newest line is above the scrollbar')
    const sideways = () => screen.evaluate(box => box.scrollWidth - box.clientWidth)
    assert.ok(await sideways() > 0)
    await tab.getByRole('button', { name: 'Wrap' }).click()
    await until(async () => await sideways() === 0 && await isSeen(), 'long lines go on in the next row, and the newest is seen')

    await appendFile(file, `${'x'.repeat(3_000_000)}\nafter the long one\n`)
    await tab.close()
    const phone = await openTab(t, browser, cloud, { path: '/#/services/lobby-1', width: 360 })
    await logIn(phone)
    await phone.getByRole('log').getByText('after the long one').waitFor()
    await phone.getByRole('log').getByText('lines from before these, if there were any, are not shown').waitFor()
    await appendFile(file, `${'long '.repeat(300)}end of it\n`)
    await phone.getByRole('log').getByText('end of it').waitFor()
    assert.equal(await phone.getByRole('log').evaluate(box => box.scrollWidth - box.clientWidth), 0)

    await cloud.stop('SIGKILL')
    const lost = phone.getByText('The connection is lost')
    await lost.waitFor()
    await phone.getByRole('button', { name: 'Restart lobby-1' }).click()
    const old = phone.getByText('The server cannot be reached; nothing is known to be done')
    await phone.getByLabel('Command').fill('say hello')
    await phone.keyboard.press('Enter')
    await until(async () => await old.count() === 2, 'both say that they were not done')
    await startCloud(t, { directory: cloud.directory, port: cloud.port })
    await lost.waitFor({ state: 'detached', timeout: 20_000 })
    await until(async () => await old.count() === 0, 'what was said because of it is gone')
    await phone.getByRole('log').getByText('connected again: no line is missing here').waitFor()
    assert.equal(await phone.getByRole('log').getByText('after the long one').count(), 1)
  })

  test('tells whoever may do nothing what they may and whom to ask, and whoever failed to log in too often how long to wait', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await userOf(cloud, admin, 'mira', [])
    const tab = await openTab(t, browser, cloud)
    await logIn(tab, 'mira')
    await tab.getByText(/Your role, Role of mira, shows nothing of the cloud here. It opens your account. If you need more, ask an admin/).waitFor()
    assert.equal(await tab.locator('.figures').count(), 0)
    const wrong = callerOf(cloud.api)
    await until(async () => (await wrong('POST', '/auth/login', { username: 'admin', password: 'wrong password' })).status === 429, 'too many')
    const door = await openTab(t, browser, cloud)
    await door.getByLabel('Username').fill('admin')
    await door.getByLabel('Password').fill(password)
    await door.keyboard.press('Enter')
    const said = door.locator('.field').getByRole('alert')
    await said.filter({ hasText: /^Too many failed logins\. Try again in \d+ (s|min)/ }).waitFor()
    assert.equal(await said.evaluate(element => element.ownerDocument.defaultView.getComputedStyle(element).color), 'rgb(179, 38, 30)')
  })

  test('keeps what was typed for a new group over the way back, until it is thrown away', async t => {
    const cloud = await startCloud(t)
    await adminOf(cloud)
    const tab = await openTab(t, browser, cloud, { path: '/#/groups' })
    await logIn(tab)
    await tab.getByRole('link', { name: 'New group' }).click()
    await tab.getByLabel('Name').fill('arena')
    await tab.goBack()
    await tab.getByRole('heading', { name: 'Groups', exact: true }).waitFor()
    await tab.goForward()
    await tab.getByText('What you typed before is still here.').waitFor()
    assert.equal(await tab.getByLabel('Name').inputValue(), 'arena')
    await tab.getByRole('button', { name: 'Begin anew' }).click()
    await until(async () => await tab.getByLabel('Name').inputValue() === '', 'the form is empty')
  })

  test('leaves properties of a group as they are where nobody touched them, and says which field is wrong', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    const properties = { fallback: false, static: false, 'a=b': 'c', padded: '  two  ', lines: 'one\ntwo', version: '1.10', plain: 'x', number: 5 }
    const made = await admin('POST', '/group/create', { ...lobby, minOnlineService: 0, properties })
    assert.equal(made.status, 201, JSON.stringify(made.body))
    const propertiesNow = async () => (await admin('GET', '/groups/list')).body.data[0].properties
    const tab = await openTab(t, browser, cloud, { path: '/#/groups/lobby' })
    await logIn(tab)
    const edit = async (label, value) => {
      await tab.getByRole('button', { name: 'Edit' }).click()
      await tab.getByLabel(label).fill(value)
      await tab.getByRole('button', { name: 'Save' }).click()
    }
    await edit('Services at most', '7')
    await until(async () => (await admin('GET', '/groups/list')).body.data[0].maxOnlineService === 7, 'it is saved')
    assert.deepEqual(await propertiesNow(), properties)
    await edit('More properties', 'version=1.10\nnumber=6\nnewer=2.50\nlong=99999999999999999999')
    await until(async () => (await propertiesNow()).number === 6, 'it is saved')
    const { plain, ...rest } = properties
    assert.deepEqual(await propertiesNow(), { ...rest, number: 6, newer: '2.50', long: '99999999999999999999' })
    await tab.getByText('99999999999999999999').waitFor()
    await tab.getByRole('button', { name: 'Edit' }).click()
    assert.equal((await admin('PATCH', '/group/lobby', { minMemory: 65, properties: { ...await propertiesNow(), theirs: 'y' } })).status, 200)
    await tab.getByText('theirs').waitFor({ state: 'attached' })
    await tab.getByLabel('Services at most').fill('8')
    await tab.getByLabel('More properties').fill('version=1.10\nnumber=6\nnewer=2.50')
    await tab.getByRole('button', { name: 'Save' }).click()
    await until(async () => (await admin('GET', '/groups/list')).body.data[0].maxOnlineService === 8, 'it is saved')
    assert.deepEqual(await propertiesNow(), { ...rest, number: 6, newer: '2.50', theirs: 'y' })
    assert.equal((await admin('GET', '/groups/list')).body.data[0].minMemory, 65, 'what somebody else changed meanwhile stays')
    await edit('More properties', 'foo')
    const field = tab.getByLabel('More properties')
    await until(async () => await field.getAttribute('aria-invalid') === 'true', 'the field is marked')
    await tab.getByRole('alert').filter({ hasText: '"foo" is not name=value' }).waitFor()
  })

  test('says that nobody knows how many players there are where a service does not tell, asks before it ends, and says what a rolling restart waits for', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    const limbo = JSON.parse(await readFile(join(cloud.directory, 'platforms/limbo.json'), 'utf8'))
    await mkdir(join(cloud.directory, 'platforms/mute'), { recursive: true })
    await writeFile(join(cloud.directory, 'platforms/mute/server.js'), 'console.log("it is up"); process.stdin.on("data", line => { if (String(line).trim() === "stop") process.exit() })')
    await writeFile(join(cloud.directory, 'platforms/mute.json'), JSON.stringify({ ...limbo, name: 'mute', args: [join(cloud.directory, 'platforms/mute/server.js')], ready: { log: 'it is up' } }))
    await until(async () => (await admin('GET', '/platforms/list')).body.data.some(({ name }) => name === 'mute'), 'the platform is known')
    for (const group of [{ ...lobby, properties: { drainSeconds: 20 } }, { ...lobby, name: 'quiet', platform: { name: 'mute', version: 'latest' }, properties: { drainSeconds: 20 } }]) assert.equal((await admin('POST', '/group/create', group)).status, 201)
    const services = async () => Object.fromEntries((await admin('GET', '/services/list')).body.data.map(one => [one.name, one]))
    await until(async () => {
      const { 'lobby-1': known, 'quiet-1': unknown } = await services()
      return known?.state === 'ONLINE' && known.playersKnown === undefined && unknown?.state === 'ONLINE' && unknown.playersKnown === false
    }, 'both are online, and one has answered')
    for (const width of [1280, 360]) {
      const tab = await openTab(t, browser, cloud, { width })
      await logIn(tab)
      const dialog = tab.getByRole('dialog')
      await tab.locator('.figures > div', { hasText: 'Players' }).getByText('–').waitFor()
      await visit(tab, 'services', 'Services')
      await tab.getByRole('row', { name: /^lobby-1/ }).getByRole('cell', { name: '0 / 20' }).waitFor()
      await tab.getByRole('row', { name: /^quiet-1/ }).getByRole('cell', { name: '– (not known) / 20' }).waitFor()
      for (const [path, heading, button] of [['services', 'Services', 'Restart quiet-1'], ['services/quiet-1', 'quiet-1', 'Stop quiet-1'], ['services/quiet-1', 'quiet-1', 'Kill quiet-1'], ['groups/quiet', 'quiet', 'Rolling restart'], ['groups/quiet', 'quiet', 'Delete']]) {
        await visit(tab, path, heading)
        await tab.getByRole('button', { name: button, exact: true }).click()
        await dialog.getByText(`How many players it has is not known: whoever plays there ${button === 'Rolling restart' ? 'has up to 20 s to leave, then is' : 'is'} thrown out.`).waitFor()
        await tab.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
      }
    }
    const { body: { data: { output } } } = await admin('POST', '/terminal/command', { command: 'service list' })
    assert.deepEqual(output.map(line => line.replace(/ \S+:\d+/, '')).sort(), ['lobby-1 ONLINE 0/20 players', 'quiet-1 ONLINE ?/20 players'])

    const tab = await openTab(t, browser, cloud, { path: '/#/groups/quiet' })
    await logIn(tab)
    await tab.getByRole('button', { name: 'Rolling restart' }).click()
    await tab.getByRole('button', { name: 'Restart them' }).click()
    await tab.getByText('Rolling restart: 1 of 1').waitFor()
    await tab.getByText('waits 20 s for quiet-1: nobody knows how many players it has').waitFor()
  })

  test('shows on a phone, below each row, what a wide screen has columns for', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', lobby)
    await admin('POST', '/user/keys', { label: 'bot', permissions: ['cloud.service.list'], addresses: ['127.0.0.1'] })
    await until(async () => (await admin('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'it is online')
    const [wide, phone] = await Promise.all([1280, 360].map(async width => {
      const tab = await openTab(t, browser, cloud, { width })
      await logIn(tab)
      return tab
    }))
    for (const [path, heading, told] of [
      ['audit', 'Audit', [/From 127\.0\.0\.1 Details .*label bot/]], ['account', 'Account', [/^Last used (just now|\d+ \w+ ago)/, /^From 127\.0\.0\.1 Ends never Last used not yet/]],
      ['services', 'Services', [/^Processor .*% Memory .* MB Address 127\.0\.0\.1:\d+$/]], ['groups', 'Groups', [/Platform limbo latest Memory 128 MB Last decision 1 service, as it should be/]],
      ['users', 'Users', [/^Password chosen Since /]], ['roles', 'Roles', [/^Kind comes with the cloud/]], ['platforms', 'Platforms', [/^Kind server Versions latest/]]
    ]) {
      for (const tab of [wide, phone]) await visit(tab, path, heading)
      for (const one of told) await until(async () => (await phone.locator('tr.below').evaluateAll(rows => rows.map(row => row.innerText.replaceAll(/\s+/g, ' ').trim()))).some(text => one.test(text)), `${path}: ${one}`)
      assert.equal(await wide.locator('tr.below').count(), 0, path)
      assert.equal(await phone.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, path)
    }
  })

  test('folds many properties of a group, so that its services stay in view', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    const properties = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`property-${n}`, `value ${n}`]))
    for (const group of [{ ...lobby, properties }, { ...lobby, name: 'few', properties: { fallback: true } }]) assert.equal((await admin('POST', '/group/create', group)).status, 201)
    for (const width of [1280, 360]) {
      const tab = await openTab(t, browser, cloud, { width })
      await logIn(tab)
      await visit(tab, 'groups/few', 'few')
      await tab.getByText('fallback').waitFor()
      const top = async () => (await tab.getByRole('heading', { name: 'Services' }).boundingBox()).y
      const usual = await top()
      await visit(tab, 'groups/lobby', 'lobby')
      await tab.getByText(/^6\d properties$/).waitFor()
      assert.ok(await top() - usual < 80, `services begin at ${await top()}, not at ${usual}`)
      assert.equal(await tab.getByText('value 59').isVisible(), false)
      await tab.getByText(/^6\d properties$/).click()
      await tab.getByText('value 59').waitFor()
    }
  })
})
