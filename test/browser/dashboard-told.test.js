/** What is said where little is known, or much: refusals, restarts, figures, times, lines, permissions. */
import assert from 'node:assert/strict'
import { appendFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { lists } from '../../dist/test/fixtures/events.js'
import { lacks, launch } from './chromium.js'
import { adminOf, callerOf, lobby, logIn, openTab, startCloud, startHost, until, userOf, visit } from './dashboard.js'

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

  test('says how long players have to leave before a rolling restart, and afterwards that it was lost with the core', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    const limbo = JSON.parse(await readFile(join(cloud.directory, 'platforms/limbo.json'), 'utf8'))
    await mkdir(join(cloud.directory, 'platforms/mute'), { recursive: true })
    await writeFile(join(cloud.directory, 'platforms/mute/server.js'), 'console.log("it is up"); process.stdin.on("data", line => { if (String(line).trim() === "stop") process.exit() })')
    await writeFile(join(cloud.directory, 'platforms/mute.json'), JSON.stringify({ ...limbo, name: 'mute', args: [join(cloud.directory, 'platforms/mute/server.js')], ready: { log: 'it is up' } }))
    await until(async () => (await admin('GET', '/platforms/list')).body.data.some(({ name }) => name === 'mute'), 'the platform is known')
    assert.equal((await admin('POST', '/group/create', { ...lobby, name: 'quiet', maxOnlineService: 1, platform: { name: 'mute', version: 'latest' }, properties: {} })).status, 201)
    await until(async () => (await admin('GET', '/services/list')).body.data[0]?.playersKnown === false, 'it is online')
    const tab = await openTab(t, browser, cloud, { path: '/#/groups/quiet' })
    await logIn(tab)
    const begin = async said => {
      await tab.getByRole('button', { name: 'Rolling restart' }).click()
      await tab.getByRole('dialog').getByText(`whoever plays there has up to ${said} to leave, then is thrown out.`).waitFor()
    }
    await begin('5 min')
    await tab.keyboard.press('Escape')
    assert.equal((await admin('PATCH', '/group/quiet', { properties: { drainSeconds: '90' } })).status, 200)
    await tab.getByText('drainSeconds').waitFor()
    await begin('1 min 30 s')
    await tab.getByRole('button', { name: 'Restart them' }).click()
    await tab.getByText('Rolling restart: 0 of 1').waitFor()
    await cloud.stop('SIGKILL')
    await tab.locator('.lost').waitFor()
    await startCloud(t, { directory: cloud.directory, port: cloud.port })
    await tab.locator('.lost').waitFor({ state: 'detached', timeout: 30_000 })
    const short = tab.getByText('The rolling restart ended before all was done: 0 of 1 service were restarted.')
    await short.waitFor()
    await visit(tab, 'groups', 'Groups')
    await tab.getByText('its rolling restart ended at 0 of 1').waitFor()
    await visit(tab, 'groups/quiet', 'quiet')
    await short.waitFor()
    await tab.locator('.why').getByRole('button', { name: 'Close' }).click()
    await short.waitFor({ state: 'detached' })
    assert.equal((await admin('PATCH', '/group/quiet', { maxOnlineService: 3, properties: { drainSeconds: 0 } })).status, 200)
    await tab.getByRole('button', { name: 'Rolling restart' }).click()
    await tab.getByRole('dialog').getByText('whoever plays there is thrown out.').waitFor({ timeout: 5_000 })
    await tab.getByRole('button', { name: 'Restart them' }).click()
    await tab.getByText('Rolling restart: ').waitFor()
    await tab.getByText('Rolling restart: ').waitFor({ state: 'detached', timeout: 30_000 })
    await until(async () => await tab.getByText('The rolling restart ended').count() === 0, 'one that came to its end is not told', 3_000)
  })

  test('shows no figure that nobody knows, and times of the runtime as those of the reader', async t => {
    const runtime = lists()
    runtime.given.groups = [{ ...runtime.given.groups[0], name: 'lobby', templates: [] }]
    runtime.given.sample = { ...runtime.given.sample, memory: { core: 0, services: 0 } }
    runtime.put({ name: 'lobby-1', groupName: 'lobby', state: 'ONLINE', memoryUsage: 0, cpuUsage: 0 }, { name: 'lobby-2', groupName: 'lobby', state: 'ONLINE', memoryUsage: 64, cpuUsage: 0 })
    const at = new Date(Date.UTC(2026, 2, 4, 5, 6, 7))
    runtime.groups.reasons = { of: () => `waits: its machines are away since ${at.toISOString()}: no route` }
    const cloud = await startHost(t, runtime)
    await adminOf(cloud)
    const tab = await openTab(t, browser, cloud, { path: '', timezoneId: 'Asia/Tokyo', locale: 'en-GB' })
    await logIn(tab)
    await tab.locator('.figures > div', { hasText: 'Memory' }).getByText('–').waitFor()
    await visit(tab, 'services', 'Services')
    const row = name => tab.getByRole('row', { name: new RegExp(`^${name}`) })
    await row('lobby-2').getByRole('cell', { name: '64 MB' }).waitFor()
    await row('lobby-2').getByRole('cell', { name: '0 %' }).waitFor()
    assert.equal(await row('lobby-1').getByRole('cell', { name: '– (not known)', exact: true }).count(), 2)
    await visit(tab, 'services/lobby-1', 'lobby-1')
    assert.equal(await tab.locator('.facts').getByText('–').count() >= 2, true)
    assert.equal(await tab.getByText('0 MB of').count(), 0)
    for (const [path, heading] of [['groups', 'Groups'], ['groups/lobby', 'lobby']]) {
      await visit(tab, path, heading)
      await tab.getByText(/away since .*14:06:07.*: no route/).first().waitFor()
      assert.equal(await tab.getByText('2026-03-04T').count(), 0)
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

  test('says that the terminal opens nearly everything, and shows what each role may; and what is missing for a new group', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await userOf(cloud, admin, 'mira', ['cloud.terminal.command', 'cloud.service.list'])
    const tab = await openTab(t, browser, cloud, { path: '/#/roles' })
    await logIn(tab)
    const row = tab.getByRole('row', { name: /^Role of mira/ })
    await row.getByText('nearly everything', { exact: true }).waitFor()
    await row.getByText('2 permissions').click()
    await row.getByText(/Nearly everything, .*creates and deletes groups/).waitFor()
    const phone = await openTab(t, browser, cloud, { path: '/#/roles', width: 360 })
    await logIn(phone)
    await phone.getByText('2 permissions').click()
    await phone.getByText(/Nearly everything, /).waitFor()
    assert.equal(await phone.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
    await tab.getByRole('button', { name: 'New role' }).click()
    await tab.getByRole('checkbox', { name: /^cloud\.terminal\.command Nearly everything/ }).waitFor()
    const dialog = tab.getByRole('dialog')
    const boxes = () => dialog.getByRole('checkbox').evaluateAll(found => found.map(one => one.parentElement.innerText.split('\n')[0]))
    assert.ok((await boxes()).indexOf('cloud.service.list') < (await boxes()).indexOf('cloud.service.execute'), 'what is needed first stands first')
    await dialog.getByRole('group', { name: 'Services', exact: true }).getByText('Send commands to consoles').waitFor()
    assert.equal(await dialog.getByText('in the envelope').count(), 0)
    await dialog.getByLabel('Filter').fill('console')
    await tab.keyboard.press('Enter')
    assert.deepEqual(await boxes(), ['cloud.service.screen', 'cloud.service.execute'])
    await dialog.getByRole('checkbox', { name: /^cloud\.service\.execute/ }).check()
    const vain = dialog.locator('.vain')
    await vain.getByText('Opens nothing here without cloud.service.list and cloud.service.screen').waitFor()
    await dialog.getByRole('checkbox', { name: /^cloud\.service\.screen/ }).check()
    await dialog.getByLabel('Filter').fill('service.list')
    await dialog.getByText('2 of ').waitFor()
    await dialog.getByRole('checkbox', { name: /^cloud\.service\.list/ }).check()
    await vain.first().waitFor({ state: 'detached' })
    await dialog.getByLabel('Name').fill('Crew')
    await dialog.getByRole('button', { name: 'Create role' }).click()
    await until(async () => (await admin('GET', '/roles/')).body.data.some(({ label, permissions }) => label === 'Crew' && permissions.length === 3), 'it has all three')
    await userOf(cloud, admin, 'nora', ['cloud.group.list', 'cloud.group.create'])
    const other = await openTab(t, browser, cloud, { path: '/#/groups/create' })
    await logIn(other, 'nora')
    await other.getByText('your role lists none: ask an admin for platform.list').waitFor()
  })

  test('has files, the history of commands and the form of a role within reach of a thumb', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/template/', { name: 'hub' })
    const { body: { data: { key } } } = await admin('POST', '/user/keys', { label: 'files', permissions: ['cloud.template.files.write'] })
    await fetch(`${cloud.api}/template/hub/file/motd.txt`, { method: 'PUT', body: 'welcome', headers: { authorization: `Bearer ${key}` } })
    const tab = await openTab(t, browser, cloud, { path: '/#/templates/hub', width: 360, height: 640, hasTouch: true, isMobile: true })
    await logIn(tab)
    const loading = tab.waitForEvent('download')
    await tab.getByRole('link', { name: 'Download motd.txt' }).tap()
    assert.equal(await readFile(await (await loading).path(), 'utf8'), 'welcome')

    await visit(tab, 'terminal', 'Terminal')
    for (const line of ['version', 'group list']) {
      await tab.getByLabel('Command').fill(line)
      await tab.getByRole('button', { name: 'Send' }).tap()
      await tab.getByRole('log').getByText(`› ${line}`).waitFor()
    }
    const line = () => tab.getByLabel('Command').inputValue()
    for (const [way, said] of [['Earlier', 'group list'], ['Earlier', 'version'], ['Earlier', 'version'], ['Later', 'group list'], ['Later', '']]) {
      await tab.getByRole('button', { name: `${way} line` }).tap()
      await until(async () => await line() === said, `${way}: ${said}`)
    }

    await visit(tab, 'roles', 'Roles')
    await tab.getByRole('button', { name: 'New role' }).tap()
    const dialog = tab.getByRole('dialog')
    const create = dialog.getByRole('button', { name: 'Create role' })
    await create.waitFor()
    assert.equal(await dialog.locator('.choices').evaluate(list => list.scrollHeight - list.clientHeight), 0, 'no list within the list')
    const isSeen = () => create.evaluate(element => {
      const { x, y, width, height } = element.getBoundingClientRect()
      return element.contains(element.ownerDocument.elementFromPoint(x + width / 2, y + height / 2))
    })
    for (const place of [0, 500, 1e6]) {
      await dialog.evaluate((element, top) => { element.scrollTop = top }, place)
      assert.equal(await isSeen(), true, `the button is seen at ${place}`)
    }
    assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
  })

  test('tells what strangers were refused once, so that what was done is still seen', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', { ...lobby, minOnlineService: 0 })
    const tab = await openTab(t, browser, cloud)
    await logIn(tab)
    const wrong = callerOf(cloud.api)
    for (let n = 0; n < 30; n++) await wrong('POST', '/auth/login', { username: `stranger-${n}`, password: 'wrong password' })
    const last = tab.locator('section', { has: tab.getByRole('heading', { name: 'Done last' }) })
    await last.getByText('group.create').waitFor()
    await last.getByText(/login\.failed .*refused, \d+ times/).waitFor()
    assert.equal(await last.getByText('login.failed').count(), 1)
  })

  test('has rows of 33 pixels where there is room', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    await admin('POST', '/group/create', lobby)
    await admin('POST', '/template/', { name: 'hub' })
    await until(async () => (await admin('GET', '/services/list')).body.data[0]?.memoryUsage > 0, 'it is online')
    await userOf(cloud, admin, 'mira', [])
    const tab = await openTab(t, browser, cloud)
    await logIn(tab)
    for (const [path, heading] of [['services', 'Services'], ['templates', 'Templates'], ['users', 'Users'], ['roles', 'Roles'], ['audit', 'Audit']]) {
      await visit(tab, path, heading)
      await tab.locator('tbody tr').first().waitFor()
      const heights = await tab.locator('tbody tr').evaluateAll(rows => rows.map(row => Math.round(row.getBoundingClientRect().height)))
      assert.ok(heights.filter(height => height === 32 || height === 33).length >= heights.length / 2, `${heading}: ${heights}`)
    }
  })
})
