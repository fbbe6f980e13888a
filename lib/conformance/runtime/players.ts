/** The cases of the list of players, and of players who come and go. */
import assert from 'node:assert/strict'
import type { Player } from '../../../types/resources.js'
import { same, show } from '../suite.js'
import { once, type List } from './listed.js'
import * as shapes from './shapes.js'
import { statesOf, type Stage, type RuntimeCases } from './stage.js'

const list = async (stage: Stage) => await stage.settled(stage.runtime.players.list(stage.options), 'players.list')

/** The contract of the list of players, whoever is there. */
export const players: RuntimeCases = async add => {
  await add('players.list answers every player whole', async stage => {
    await joined(stage)
    shapes.every(await list(stage), shapes.player, 'players')
  })

  await add('players.list has each player once', async stage => {
    await joined(stage)
    once(await list(stage), ({ uuid }) => uuid)
  })

  await add('players.list shows each player on a service that is listed', async stage => {
    await joined(stage)
    for (const { name, currentServiceName } of await list(stage)) {
      const services = await stage.services()
      assert.ok(services.some(service => service.name === currentServiceName),
        `${name} has the currentServiceName ${show(currentServiceName)}; ${statesOf(services)}`)
    }
  })
}

/** What is alike for all lists, for that of the players. */
export const playerList: List<Player> = {
  name: 'players',
  of: ({ players }) => players,
  async change (stage) {
    const leave = await joined(stage)
    await stage.pause()
    await leave?.()
    await stage.pause()
  }
}

/** The contract of players who come and go. */
export const joining: RuntimeCases = async add => {
  await add('players.list shows who joins, and no longer who has left', async stage => {
    const { name } = await stage.online()
    const before = await list(stage)
    let seen: readonly Player[] = []
    const saw = () => `players.list has ${show(seen)}`
    const here = async () => (seen = await list(stage)).filter(({ currentServiceName }) => currentServiceName === name)
    const leave = await stage.join(name)
    await stage.until(`the player who joined ${name} is listed`, async () => (await here()).length > 0, saw)
    await leave()
    await stage.until(`the player who left ${name} is not listed any more`, async () => (await here()).length === 0, saw)
    same(await list(stage), before, 'players.list must be as it was before')
  })

  await add('services.list counts the players of a service', async stage => {
    const { name, type, playerCount } = await stage.online()
    const leave = await stage.join(name)
    if (type === 'PROXY') return
    let seen: number | undefined
    const counted = async (what: string, players: number) => await stage.until(`the playerCount of ${name} is ${players}, since a player has ${what}`,
      async () => (seen = (await stage.find(name))?.playerCount) === players, () => show(seen))
    await counted('joined', playerCount + 1)
    await leave()
    await counted('left', playerCount)
  })
}

/** Somebody is there, where the author can arrange that. */
async function joined (stage: Stage): Promise<(() => unknown) | undefined> {
  if (stage.subject.join === undefined) return undefined
  const { name } = await stage.online()
  const before = await list(stage)
  let seen = before
  const leave = await stage.join(name)
  await stage.until(`the player who joined ${name} is listed`, async () => (seen = await list(stage)).length > before.length,
    () => `players.list has ${show(seen)}`)
  return leave
}
