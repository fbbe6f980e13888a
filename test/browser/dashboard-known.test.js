/** What is said where not all is known: of players without names, of lines that went by, of how old it is what is shown. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lists } from '../../dist/test/fixtures/events.js'
import { consoleRuntime } from './console-runtime.js'
import { lacks, launch } from './chromium.js'
import { adminOf, logIn, openTab, startHost, until, userOf } from './dashboard.js'

describe('the dashboard', { skip: lacks, timeout: 300_000 }, () => {
  let browser
  before(async () => { browser = await launch() })
  after(() => browser?.close())

  const playersOn = (service, count, from = 0) => Array.from({ length: count }, (_, n) => ({ name: `${service}-player-${from + n}`, uuid: `${service} ${from + n}`, currentServiceName: service }))

  test('says of players how many are known by name and how many are connected besides, and that nobody is there only where that is known', async t => {
    const runtime = lists()
    runtime.given.players = playersOn('lobby-1', 12)
    runtime.put({ name: 'lobby-1', state: 'ONLINE', playerCount: 18, maxPlayerCount: 100 }, { name: 'lobby-2', state: 'ONLINE', playerCount: 0, maxPlayerCount: 20 })
    const cloud = await startHost(t, runtime)
    const admin = await adminOf(cloud)
    const tab = await openTab(t, browser, cloud, { path: '#/players' })
    await logIn(tab)
    const head = tab.locator('.head')
    const search = tab.getByLabel('Search by name, id or service')
    await head.getByText('18 players connected, 12 of them known by name').waitFor()
    await tab.getByText('Besides these: 6 on lobby-1, without a name.').waitFor()
    await search.fill('Player_15')
    await tab.getByText('Nobody who is known by name is like that.').waitFor()
    await tab.getByText('Besides these: 6 on lobby-1').waitFor()
    await search.fill('')

    runtime.given.players = []
    runtime.touch()
    await head.getByText('18 players connected, none of them known by name').waitFor()
    assert.equal(await tab.getByText('Nobody is connected').count(), 0)

    runtime.put({ name: 'lobby-1', playerCount: 0, playersKnown: false })
    await head.getByText('how many players are connected is not known').waitFor()
    await tab.getByText('Nobody knows how many are on lobby-1.').waitFor()
    assert.equal(await tab.getByText('Nobody is connected').count(), 0)

    runtime.given.players = playersOn('lobby-2', 1)
    runtime.put({ name: 'lobby-2', playerCount: 1 })
    await head.getByText('at least 1 player connected').waitFor()

    runtime.given.players = []
    runtime.put({ name: 'lobby-1', playerCount: 0, playersKnown: true }, { name: 'lobby-2', playerCount: 0 })
    await tab.getByText('Nobody is connected now.').waitFor()
    await head.getByText('0 players connected').waitFor()

    // The names of whoever has joined may come before the count.
    runtime.given.players = playersOn('lobby-1', 1)
    runtime.touch()
    await head.getByText(/^1 player connected/).waitFor()

    await userOf(cloud, admin, 'mira', ['cloud.players.list'])
    const theirs = await openTab(t, browser, cloud, { path: '#/players' })
    await logIn(theirs, 'mira')
    await theirs.locator('.head').getByText('1 player known by name').waitFor()
    runtime.given.players = []
    runtime.touch()
    await theirs.getByText('Nobody is known by name. Your role does not see how many players the services count.').waitFor()
  })

  test('says of a console that could not keep up how many lines it let go, and that others are missing that nobody has counted, also when these have gone from view', async t => {
    const runtime = lists()
    runtime.put({ name: 'lobby-1', state: 'ONLINE' })
    const cloud = await startHost(t, Object.assign(runtime, { consoles: consoleRuntime().consoles }))
    await adminOf(cloud)
    const tab = await openTab(t, browser, cloud, { path: '#/services' })
    const flood = []
    // As the server does with a reader that is too slow: it ends the connection, and begins the next one with its last lines.
    await tab.routeWebSocket(/\/lobby-1\//, socket => {
      const round = flood.length
      const send = count => { for (let n = 0; n < count; n++) socket.send(`line ${n} of round ${round}`) }
      flood.push({ send, end: () => socket.close({ code: 1013 }) })
      send(10)
    })
    await logIn(tab)
    await tab.getByRole('link', { name: 'lobby-1', exact: true }).click()
    const screen = tab.getByRole('log')
    for (let round = 0; round < 2; round++) {
      await screen.getByText(`line 9 of round ${round}`, { exact: true }).waitFor()
      flood[round].send(100)
      await screen.getByText(`line 99 of round ${round}`, { exact: true }).waitFor()
      flood[round].end()
    }
    await screen.getByText('line 9 of round 2', { exact: true }).waitFor()
    await tab.getByText('lines are missing at 2 places, nobody knows how many').waitFor()
    assert.equal(await screen.getByText('lines were left out here: they came faster').count() > 0, true)
    flood[2].send(20_000)
    await screen.getByText('line 19999 of round 2', { exact: true }).waitFor()
    // 110 in each of two rounds and 20,010 in the last one, of which 10,000 are kept.
    await tab.getByText('10,230 older lines are not kept · lines are missing at 2 places, nobody knows how many').waitFor()
    await screen.evaluate(box => { box.scrollTop = 0 })
    await screen.getByText(/^— 10,230 older lines are not kept; besides, lines that nobody has counted are missing at 2 places before this one/).waitFor()
  })

  test('folds what is long, and shows all of it where one asks; of a size that nobody has measured it says nothing', async t => {
    const runtime = lists()
    const endless = 'word '.repeat(300)
    runtime.given.groups = [{ ...runtime.given.groups[0], name: 'lobby', properties: { note: endless }, templates: [] }]
    runtime.given.templates = [{ name: 'hub', size: 'unknown' }]
    runtime.put({ name: 'lobby-1', state: 'ONLINE', motd: endless })
    const cloud = await startHost(t, runtime)
    const admin = await adminOf(cloud)
    await admin('POST', '/service/lobby-1/command', { command: endless })
    await admin('POST', '/role/', { label: 'Ops', hexColor: '#336699', permissions: ['cloud.service.list', 'cloud.group.list', 'cloud.players.list', 'cloud.platform.list', 'cloud.templates.list', 'cloud.role.list', 'cloud.audit.list', 'cloud.terminal.command', 'cloud.service.execute', 'cloud.service.screen', 'cloud.system.information'] })
    for (const width of [1280, 360]) {
      const tab = await openTab(t, browser, cloud, { path: '#/services/lobby-1', width })
      await logIn(tab)
      for (const [path, place] of [['services/lobby-1', tab.locator('.facts dd', { hasText: 'word word' })], ['groups/lobby', tab.locator('.facts dd', { hasText: 'word word' })], ['audit', undefined]]) {
        await tab.evaluate(`location.hash = '#/${path}'`)
        const more = tab.getByRole('button', { name: /^[\d,]+ more characters$/ }).first()
        await more.waitFor()
        if (path === 'audit') {
          await more.click()
          await tab.getByRole('button', { name: 'Fold' }).first().click()
          continue
        }
        const folded = (await place.boundingBox()).height
        assert.ok(folded <= (width === 360 ? 220 : 80), `${path} at ${width}: ${folded} px`)
        await more.click()
        await tab.getByRole('button', { name: 'Fold' }).waitFor()
        assert.ok((await place.boundingBox()).height > 2 * folded, `${path} at ${width}`)
        await tab.getByRole('button', { name: 'Fold' }).click()
        await until(async () => (await place.boundingBox()).height === folded, 'it is folded again')
      }
      await tab.evaluate("location.hash = '#/templates'")
      await tab.getByText('hub', { exact: true }).waitFor()
      assert.equal(await tab.getByText('unknown').count(), 0)
      assert.equal(await tab.getByRole('columnheader', { name: 'Size' }).count(), 0)
    }
  })

  test('tells how far the deletion of a group is, whose services have to stop before', async t => {
    const runtime = lists()
    runtime.given.groups = [{ ...runtime.given.groups[0], name: 'lobby', properties: {}, templates: [] }]
    runtime.put(...[1, 2, 3].map(n => ({ name: `lobby-${n}`, state: 'ONLINE', playerCount: 0 })))
    const cloud = await startHost(t, runtime)
    await adminOf(cloud)
    const tab = await openTab(t, browser, cloud, { path: '#/groups/lobby' })
    await logIn(tab)
    let go
    const gone = new Promise(resolve => { go = resolve })
    await tab.route('**/group/lobby', async route => {
      if (route.request().method() !== 'DELETE') return await route.continue()
      await gone
      await route.fulfill({ status: 409, json: { status: 409, code: 'no', message: 'It does not go' } })
    })
    await tab.getByRole('row', { name: /^lobby-3/ }).waitFor()
    await tab.getByRole('button', { name: 'Delete', exact: true }).click()
    const dialog = tab.getByRole('dialog')
    await dialog.getByText('3 services of it are stopped.').waitFor()
    await dialog.getByLabel('Type lobby to confirm').fill('lobby')
    await dialog.getByRole('button', { name: 'Delete the group' }).click()
    const bar = dialog.getByRole('progressbar', { name: 'How many services are stopped' })
    await dialog.getByText('0 of 3 services stopped').waitFor()
    runtime.move('lobby-1', 'OFFLINE')
    runtime.drop('lobby-2')
    await dialog.getByText('2 of 3 services stopped').waitFor()
    assert.equal(await bar.evaluate(element => element.value), 2)
    go()
    await dialog.getByRole('alert').filter({ hasText: 'It does not go' }).waitFor()
    assert.equal(await bar.count(), 0)
  })
})
