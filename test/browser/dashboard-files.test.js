/** The files of templates in the dashboard: looked at, edited, uploaded, unpacked, deleted, as somebody does it who is not alone. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { lacks, launch } from './chromium.js'
import { adminOf, logIn, openTab, startCloud, until, userOf } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  /** A cloud with a template `hub`, and an admin in front of it. */
  async function start (t, files = {}) {
    const cloud = await startCloud(t)
    const admin = await adminOf(cloud)
    assert.equal((await admin('POST', '/template/', { name: 'hub' })).status, 202)
    const { body: { data: key } } = await admin('POST', '/user/keys', { label: 'elsewhere', permissions: ['cloud.template.files.read', 'cloud.template.files.write'] })
    /** What somebody elsewhere does with a file; answers what is in it. */
    const file = async (path, content, method = content === undefined ? 'GET' : 'PUT') => {
      const answer = await fetch(`${cloud.api}/template/hub/file/${path}`, { method, headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/octet-stream' }, ...(content !== undefined && { body: content }) })
      return { status: answer.status, text: await answer.text() }
    }
    for (const [path, content] of Object.entries(files)) assert.equal((await file(path, content)).status, 201)
    const names = async () => (await admin('GET', '/template/hub/files')).body.data.map(({ path }) => path).sort()
    const directory = await mkdtemp(join(tmpdir(), 'cloud-files-'))
    t.after(() => rm(directory, { recursive: true, force: true }))
    const visit = async path => {
      const tab = await openTab(t, browser, cloud, { path: `/#/${path}` })
      await logIn(tab)
      return tab
    }
    return { cloud, admin, file, names, directory, visit }
  }

  /** Drops what lies on the disk onto the page, as a person does. */
  async function drop (tab, ...files) {
    const target = await tab.locator('.drop').boundingBox()
    const session = await tab.context().newCDPSession(tab)
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
      await session.send('Input.dispatchDragEvent', { type, x: target.x + 200, y: target.y + 5, data: { items: [], files, dragOperationsMask: 1 } })
    }
    await session.detach()
  }

  test('makes, edits and deletes texts; what ends in CRLF still does, what is no text is downloaded only', async t => {
    const { admin, file, names, visit } = await start(t, { 'plugins/chat.yml': 'greeting: hello\r\nlines: 3\r\n', 'world.dat': Buffer.from([0, 1, 2]), 'large.txt': 'x'.repeat(600_000) })
    await file('run.sh?mode=0755', '#!/bin/sh\n')
    const tab = await visit('templates')
    await tab.getByRole('link', { name: 'hub', exact: true }).click()
    await tab.getByRole('link', { name: 'plugins/', exact: true }).click()
    await tab.getByRole('link', { name: 'chat.yml', exact: true }).click()
    const text = tab.getByRole('textbox', { name: 'Text of plugins/chat.yml' })
    assert.equal(await text.inputValue(), 'greeting: hello\nlines: 3\n')
    await text.fill('greeting: good day\nlines: 3\n')
    await tab.getByText('Not saved').waitFor()
    await tab.keyboard.press('Control+s')
    await tab.getByText('Not saved').waitFor({ state: 'detached' })
    assert.equal((await file('plugins/chat.yml')).text, 'greeting: good day\r\nlines: 3\r\n')

    await tab.getByRole('link', { name: 'hub', exact: true }).click()
    await tab.getByRole('link', { name: 'run.sh', exact: true }).click()
    await tab.getByRole('textbox').fill('#!/bin/sh\nexec true\n')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Not saved').waitFor({ state: 'detached' })
    assert.equal((await admin('GET', '/template/hub/files')).body.data.find(({ path }) => path === 'run.sh').mode, '0755')

    for (const [name, why] of [['world.dat', 'This file is no text.'], ['large.txt', 'this file has 600 kB']]) {
      await tab.getByRole('link', { name: 'hub', exact: true }).click()
      await tab.getByRole('link', { name, exact: true }).click()
      await tab.getByText(why).waitFor()
      assert.equal(await tab.getByRole('textbox').count(), 0)
    }
    const loading = tab.waitForEvent('download')
    await tab.getByRole('link', { name: 'Download', exact: true }).click()
    assert.equal((await readFile(await (await loading).path())).length, 600_000)
    await tab.getByRole('button', { name: 'Delete', exact: true }).click()
    await tab.getByRole('button', { name: 'Delete the file' }).click()
    await tab.getByRole('link', { name: 'large.txt', exact: true }).waitFor({ state: 'detached' })

    await tab.getByRole('button', { name: 'New file' }).click()
    await tab.getByLabel('Name').fill('../../../roles/evil')
    await tab.getByRole('button', { name: 'Create file' }).click()
    await tab.getByRole('alert').filter({ hasText: 'cannot be a part of an address' }).waitFor()
    await tab.getByLabel('Name').fill('a b/100%?#.txt')
    await tab.getByRole('button', { name: 'Create file' }).click()
    await tab.getByRole('textbox', { name: /^Text of/ }).fill('strange name')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByText('Not saved').waitFor({ state: 'detached' })
    assert.equal((await file(`a%20b/${encodeURIComponent('100%?#.txt')}`)).text, 'strange name')
    assert.deepEqual(await names(), ['a b/100%?#.txt', 'plugins/chat.yml', 'run.sh', 'world.dat'])
  })

  test('keeps what was not saved while other views are open, and writes over nobody without a question', async t => {
    const { file, visit } = await start(t, { 'motd.txt': 'one' })
    const tab = await visit('templates/hub/file/motd.txt')
    const text = tab.getByRole('textbox')
    await text.fill('mine')
    await tab.getByRole('link', { name: 'Overview', exact: true }).click()
    await tab.getByRole('heading', { name: 'Overview' }).waitFor()
    await tab.goBack()
    await until(async () => await text.inputValue() === 'mine', 'what was typed is there')
    await tab.getByRole('link', { name: 'hub', exact: true }).click()
    await tab.getByText('not saved').waitFor()
    await tab.getByRole('link', { name: 'motd.txt', exact: true }).click()

    await file('motd.txt', 'theirs')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('heading', { name: 'The file was changed elsewhere' }).waitFor()
    assert.equal(await tab.getByRole('dialog').getByLabel('Their text').inputValue(), 'theirs')
    await tab.getByText('It differs from yours from line 1 on.').waitFor()
    assert.equal((await file('motd.txt')).text, 'theirs')
    await tab.getByRole('button', { name: 'Take theirs' }).click()
    assert.equal(await text.inputValue(), 'theirs')
    await text.fill('mine again')
    await file('motd.txt', 'theirs again')
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('button', { name: 'Save mine over it' }).click()
    await tab.getByText('Not saved').waitFor({ state: 'detached' })
    assert.equal((await file('motd.txt')).text, 'mine again')

    await text.fill('mine twice')
    await text.press('Control+s')
    await text.press('Control+s')
    await tab.getByText('Not saved').waitFor({ state: 'detached' })
    await tab.getByText(/^10 B, /).waitFor()
    assert.equal(await tab.getByRole('dialog').count(), 0, 'what was saved from here is no conflict')

    await text.fill('mine for ever')
    assert.equal((await file('motd.txt', undefined, 'DELETE')).status, 204)
    await tab.getByRole('button', { name: 'Save' }).click()
    await tab.getByRole('heading', { name: 'The file is gone' }).waitFor()
    assert.equal((await file('motd.txt')).status, 404)
    await tab.getByRole('button', { name: 'Save mine over it' }).click()
    await until(async () => (await file('motd.txt')).text === 'mine for ever', 'it is there again')
    await tab.getByText('Not saved').waitFor({ state: 'detached' })
  })

  test('takes what is dropped, folders as well, with progress; what is stopped is not there; what is there is asked about', async t => {
    const { names, file, directory, visit } = await start(t, { 'server.properties': 'old' })
    await mkdir(join(directory, 'plugins/inner'), { recursive: true })
    await writeFile(join(directory, 'plugins/one.yml'), 'one')
    await writeFile(join(directory, 'plugins/inner/two.yml'), 'two')
    await writeFile(join(directory, 'server.properties'), 'new')
    await writeFile(join(directory, 'world.bin'), Buffer.alloc(3_000_000, 7))
    const tab = await visit('templates/hub')
    await tab.getByRole('link', { name: 'server.properties', exact: true }).waitFor()
    await drop(tab, join(directory, 'plugins'), join(directory, 'server.properties'))
    await tab.getByRole('heading', { name: 'Replace 1 file?' }).waitFor()
    await tab.getByRole('button', { name: 'Only the other 2 files' }).click()
    await tab.getByRole('link', { name: 'plugins/', exact: true }).waitFor()
    assert.deepEqual(await names(), ['plugins/inner/two.yml', 'plugins/one.yml', 'server.properties'])
    assert.equal((await file('server.properties')).text, 'old')
    await drop(tab, join(directory, 'server.properties'))
    await tab.getByRole('button', { name: 'Replace it' }).click()
    await until(async () => (await file('server.properties')).text === 'new', 'it is replaced')
    await tab.getByRole('button', { name: 'Close' }).click()

    const network = await tab.context().newCDPSession(tab)
    await network.send('Network.enable')
    await network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: 400_000 })
    await drop(tab, join(directory, 'world.bin'))
    const far = tab.getByRole('row', { name: /world\.bin/ }).getByText(/^\d+ % of 3 MB$/)
    const seen = new Set()
    await until(async () => {
      seen.add(await far.textContent().catch(() => undefined))
      return seen.size > 3
    }, 'it is told how far it is')
    await tab.getByRole('link', { name: 'Overview', exact: true }).click()
    await tab.getByRole('heading', { name: 'Overview' }).waitFor()
    await tab.goBack()
    await tab.getByRole('button', { name: 'Stop world.bin' }).click()
    await tab.getByText('stopped: nothing of it was taken').waitFor()
    assert.equal((await file('world.bin')).status, 404)
    await network.send('Network.emulateNetworkConditions', { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 })
    await tab.getByRole('button', { name: 'Send again: world.bin' }).click()
    await tab.getByRole('link', { name: 'world.bin', exact: true }).waitFor()
    assert.equal((await names()).includes('world.bin'), true)

    await tab.getByRole('button', { name: 'Delete plugins' }).click()
    await tab.getByLabel('Type plugins to confirm').fill('plugins')
    await tab.getByRole('button', { name: 'Delete 2 files' }).click()
    await tab.getByRole('link', { name: 'plugins/', exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(await names(), ['server.properties', 'world.bin'])
  })

  test('takes a folder that is chosen by a button, for whoever has nothing to drop with', async t => {
    const { file, visit } = await start(t, { 'motd.txt': 'one' })
    const directory = await mkdtemp(join(tmpdir(), 'cloud-folder-'))
    t.after(() => rm(directory, { recursive: true }))
    await mkdir(join(directory, 'plugins/deep'), { recursive: true })
    await writeFile(join(directory, 'plugins/one.yml'), 'one')
    await writeFile(join(directory, 'plugins/deep/two.yml'), 'two')
    const tab = await visit('templates/hub')
    const choosing = tab.waitForEvent('filechooser')
    await tab.getByRole('button', { name: 'Upload a folder' }).focus()
    await tab.keyboard.press('Enter')
    await (await choosing).setFiles(join(directory, 'plugins'))
    await tab.getByRole('link', { name: 'plugins/' }).waitFor()
    await until(async () => (await file('plugins/one.yml')).text === 'one' && (await file('plugins/deep/two.yml')).text === 'two', 'both are there')
  })

  test('unpacks archives beside or instead of what is there, says what is wrong with one, and hands out all as one', async t => {
    const { names, directory, visit } = await start(t, { 'old.txt': 'old' })
    const pack = async (name, files) => {
      await mkdir(join(directory, name))
      for (const [path, content] of Object.entries(files)) await writeFile(join(directory, name, path), content)
      execFileSync('tar', ['-C', join(directory, name), '-czf', join(directory, `${name}.tar.gz`), '.'])
      return join(directory, `${name}.tar.gz`)
    }
    const tab = await visit('templates/hub')
    await tab.getByRole('link', { name: 'old.txt', exact: true }).waitFor()
    await drop(tab, await pack('first', { 'one.txt': 'one', 'two.txt': 'two' }))
    await tab.getByRole('button', { name: 'Unpack', exact: true }).click()
    await tab.getByText('2 new, 0 replaced').waitFor()
    await tab.getByRole('link', { name: 'two.txt', exact: true }).waitFor()
    assert.deepEqual(await names(), ['old.txt', 'one.txt', 'two.txt'])

    await tab.getByRole('button', { name: 'Unpack an archive' }).click()
    await tab.getByLabel('Archive (.tar.gz)').setInputFiles(await pack('second', { 'three.txt': 'three' }))
    await tab.getByRole('radio', { name: /instead of those that are there/ }).check()
    await tab.getByText('3 files are there now: what the archive does not have is lost.').waitFor()
    await tab.getByRole('button', { name: 'Replace all files' }).click()
    await tab.getByRole('link', { name: 'two.txt', exact: true }).waitFor({ state: 'detached' })
    assert.deepEqual(await names(), ['three.txt'])

    await writeFile(join(directory, 'broken.tgz'), 'this is no archive')
    await drop(tab, join(directory, 'broken.tgz'))
    await tab.getByRole('button', { name: 'Unpack', exact: true }).click()
    await tab.getByRole('alert').filter({ hasText: 'Template archive is no whole tar.gz' }).waitFor()
    await drop(tab, join(directory, 'first.tar.gz'))
    await tab.getByRole('button', { name: 'Keep it packed' }).click()
    await tab.getByRole('link', { name: 'first.tar.gz', exact: true }).waitFor()

    const loading = tab.waitForEvent('download')
    await tab.getByRole('link', { name: 'Download all', exact: true }).click()
    const download = await loading
    assert.equal(download.suggestedFilename(), 'hub.tar.gz')
    assert.deepEqual(execFileSync('tar', ['-tzf', await download.path()], { encoding: 'utf8' }).trim().split('\n').sort(), ['first.tar.gz', 'three.txt'])
  })

  test('shows by itself what somebody else has put into a template, changed there and deleted', async t => {
    const { file, visit } = await start(t, { 'first.txt': 'one' })
    const tab = await visit('templates/hub')
    await tab.getByRole('link', { name: 'first.txt', exact: true }).waitFor()
    await tab.evaluate("document.querySelector('table').dataset.is = 'the same'")
    await file('second.txt', 'two')
    await tab.getByRole('link', { name: 'second.txt', exact: true }).waitFor()
    await file('first.txt', 'one and more')
    await tab.getByRole('row', { name: /^first\.txt/ }).getByRole('cell', { name: '12 B' }).waitFor()
    await file('first.txt', undefined, 'DELETE')
    await tab.getByRole('link', { name: 'first.txt', exact: true }).waitFor({ state: 'detached' })
    assert.equal(await tab.locator('table').getAttribute('data-is'), 'the same')
  })

  test('lets a role that only reads read, and offers it nothing else', async t => {
    const { cloud, admin } = await start(t, { 'motd.txt': 'welcome' })
    await userOf(cloud, admin, 'mira', ['cloud.templates.list', 'cloud.template.files.read'])
    const tab = await openTab(t, browser, cloud, { path: '/#/templates/hub' })
    await logIn(tab, 'mira')
    await tab.getByRole('link', { name: 'motd.txt', exact: true }).click()
    assert.equal(await tab.getByRole('textbox').getAttribute('readonly') !== null, true)
    assert.deepEqual(await tab.locator('#content').getByRole('button').allTextContents(), [])
    await userOf(cloud, admin, 'nora', ['cloud.templates.list'])
    const other = await openTab(t, browser, cloud, { path: '/#/templates/hub' })
    await logIn(other, 'nora')
    await other.getByRole('rowheader', { name: 'hub' }).waitFor()
    assert.equal(await other.getByRole('link', { name: 'hub', exact: true }).count(), 0)
  })
})
