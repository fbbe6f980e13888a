/** What is said where not all is known: of players without names, of lines that went by, of how old it is what is shown. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { lists } from '../../dist/test/fixtures/events.js'
import { lacks, launch } from './chromium.js'
import { adminOf, logIn, openTab, startHost, userOf } from './dashboard.js'

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
})
