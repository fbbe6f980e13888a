/**
 * Every view of the dashboard as it looks: in both themes, wide and narrow, without a violation that axe finds, without anything that
 * sticks out. With PICTURES=1 the pictures of `docs/pictures/` are made anew, but for those of the overview (`overview-picture.js`).
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { lacks, launch } from './chromium.js'
import { adminOf, lobby, logIn, openTab, startCloud, until, userOf } from './dashboard.js'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const pictures = fileURLToPath(new URL('../../docs/pictures/', import.meta.url))

/** The views, by what stands in their heading; and what a picture of it is called. */
const views = [
  ['', 'Overview', 'overview'], ['groups', 'Groups'], ['groups/create', 'New group'], ['groups/bedwars', 'bedwars', 'group'], ['services', 'Services'], ['services/lobby-1', 'lobby-1', 'service'],
  ['players', 'Players'], ['templates', 'Templates'], ['templates/hub', 'hub', 'template'], ['templates/hub/file/server.properties', 'server.properties'],
  ['templates/hub/file/world.dat', 'world.dat'], ['platforms', 'Platforms'], ['terminal', 'Terminal'], ['users', 'Users'], ['roles', 'Roles'], ['audit', 'Audit'],
  ['account', 'Account'], ['nowhere', 'Not here']
]
/** What opens in front of a view: the view, the button, the heading. */
const dialogs = [
  ['groups/bedwars', 'Edit', 'Edit bedwars'], ['groups/bedwars', 'Delete', 'Delete bedwars'], ['roles', 'New role', 'New role'], ['users', 'New user', 'New user'],
  ['account', 'New key', 'New API key'], ['templates', 'New template', 'New template'],
  ['templates/hub', 'New file', 'New file'], ['templates/hub', 'Unpack an archive', 'Unpack an archive'], ['templates/hub', 'Delete server.properties', 'Delete server.properties']
]
/** The pictures that the documentation shows. */
const shown = ['service-wide-dark', 'group-narrow-light', 'template-wide-light']

/** What is pressed and is too low for a thumb; a box that is ticked is pressed by its label. */
const lowest = () => [...document.querySelectorAll('a[href], button, select, input, textarea')]
  .map(element => element.matches('[type=checkbox], [type=radio]') ? element.closest('label') : element)
  .filter(element => element.checkVisibility({ visibilityProperty: true }) && !element.matches('.skip'))
  .map(element => [Math.round(element.getBoundingClientRect().height * 10) / 10, element.outerHTML.slice(0, 90)])
  .filter(([height]) => height < 34)

const low = []

async function judge (tab, where) {
  const { violations } = await tab.evaluate(`${axe}; axe.run(document, { resultTypes: ['violations'] })`)
  assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.join(' ')} ${failureSummary.split('\n')[1]?.trim()}`).join(' | ')}`), [], where)
  assert.equal(await tab.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, `${where}: nothing sticks out`)
  if (tab.viewportSize().width < 760) low.push(...(await tab.evaluate(lowest)).map(one => `${where}: ${one.join(' ')}`))
}

/** What comes up while files are uploaded, and when two change the same. */
async function judgeFiles (tab, put, about) {
  await tab.evaluate('location.hash = "#/templates/hub"')
  const files = [`${'a-plugin-with-a-long-name-'.repeat(6)}.jar`, 'server.properties', 'bad\\name'].map(name => ({ name, mimeType: 'application/octet-stream', buffer: Buffer.from('motd=1\n') }))
  await tab.getByLabel('Files to upload').setInputFiles(files)
  await tab.getByRole('dialog', { name: /^Replace \d files?\?$/ }).waitFor()
  await judge(tab, `replacing, ${about}`)
  await tab.getByRole('button', { name: /^Replace (it|them)$/ }).click()
  await tab.getByRole('button', { name: 'Close' }).waitFor()
  await tab.getByRole('alert').filter({ hasText: 'is no path' }).waitFor()
  await judge(tab, `uploads, ${about}`)
  if (process.env.LOOK !== undefined) await tab.screenshot({ path: `${process.env.LOOK}/uploads-${about}.png` })
  await tab.evaluate('location.hash = "#/templates/hub/file/server.properties"')
  await tab.getByRole('textbox').fill(`motd=${about}`)
  await put('server.properties', `motd=somebody else, ${about}\n`)
  await tab.getByRole('button', { name: 'Save' }).click()
  await tab.getByRole('dialog', { name: 'The file was changed elsewhere' }).waitFor()
  await judge(tab, `conflict, ${about}`)
  if (process.env.LOOK !== undefined) await tab.screenshot({ path: `${process.env.LOOK}/conflict-${about}.png` })
  await tab.getByRole('button', { name: 'Take theirs, let mine go' }).click()
}

describe('the dashboard', { skip: lacks, timeout: 600_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  test('has no violation in any view and any dialog, in both themes, wide and 360 pixels narrow', async t => {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    for (const group of [lobby, { ...lobby, name: 'bedwars', minOnlineService: 2, maxOnlineService: 8 }]) assert.equal((await admin('POST', '/group/create', group)).status, 201)
    await admin('POST', '/template/', { name: 'hub' })
    await userOf(cloud, admin, 'mira', ['cloud.group.list', 'cloud.service.list'])
    const { body: { data: { key } } } = await admin('POST', '/user/keys', { label: 'deployments', permissions: ['cloud.template.files.write'] })
    const put = async (path, body) => await fetch(`${cloud.api}/template/hub/file/${path}`, { method: 'PUT', body, headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' } })
    for (const [path, content] of Object.entries({ 'server.properties': 'motd=Welcome to the hub\nmax-players=60\n', 'plugins/chat/config.yml': 'greeting: hello\n', 'world.dat': Buffer.alloc(900_000) })) {
      assert.equal((await put(path, content)).status, 201)
    }
    await until(async () => (await admin('GET', '/services/list')).body.data.filter(({ state }) => state === 'ONLINE').length === 3, 'services are online')
    if (process.env.PICTURES === '1') await mkdir(pictures, { recursive: true })

    for (const colorScheme of ['light', 'dark']) {
      for (const [size, width] of [['wide', 1280], ['narrow', 360]]) {
        const tab = await openTab(t, browser, cloud, { colorScheme, width, reducedMotion: 'reduce' })
        const about = `${colorScheme}, ${size}`
        await tab.getByRole('heading', { name: 'Log in' }).waitFor()
        await judge(tab, `login, ${about}`)
        await logIn(tab)
        for (const [path, heading, name] of views) {
          await tab.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`)
          await tab.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
          await tab.waitForFunction(() => !document.querySelector('#content')?.textContent.includes('Loading…'))
          if (path === '') await tab.locator('.uplot').first().waitFor({ timeout: 70_000 })
          await judge(tab, `${path}, ${about}`)
          const picture = `${name}-${size}-${colorScheme}`
          if (process.env.LOOK !== undefined) await tab.screenshot({ path: `${process.env.LOOK}/${path.replaceAll('/', '-') || 'overview'}-${size}-${colorScheme}.png`, fullPage: true })
          if (process.env.PICTURES === '1' && shown.includes(picture)) await tab.screenshot({ path: `${pictures}${picture}.png` })
        }
        for (const [path, button, heading] of dialogs) {
          await tab.evaluate(`location.hash = ${JSON.stringify(`#/${path}`)}`)
          await tab.getByRole('button', { name: button, exact: true }).first().click()
          await tab.getByRole('dialog', { name: heading }).waitFor()
          await judge(tab, `${heading}, ${about}`)
          await tab.keyboard.press('Escape')
          await tab.getByRole('dialog').waitFor({ state: 'detached' })
        }
        await tab.evaluate('location.hash = "#/account"')
        await tab.getByRole('button', { name: 'New key', exact: true }).click()
        await tab.getByLabel('What it is for').fill('bot')
        await tab.keyboard.press('Escape')
        await tab.getByRole('button', { name: 'Stay' }).waitFor()
        await judge(tab, `leaving what was filled in, ${about}`)
        if (process.env.LOOK !== undefined) await tab.screenshot({ path: `${process.env.LOOK}/leaving-${about}.png` })
        await tab.getByRole('button', { name: 'Let it go' }).click()
        await judgeFiles(tab, put, about)
      }
    }
    assert.deepEqual(low, [], 'everything that is pressed on a phone is at least 34 pixels high')
  })
})
