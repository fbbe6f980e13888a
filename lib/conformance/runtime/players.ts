import assert from 'node:assert/strict'
import type { Player } from '../../../types/resources.js'
import type { RuntimeCases } from '../runtime.js'
import { same } from '../suite.js'
import { once, type List } from './listed.js'
import * as shapes from './shapes.js'
import type { Stage } from './stage.js'

const list = async (stage: Stage) => await stage.settled(stage.runtime.players.list(stage.options))

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
      assert.ok(await stage.find(currentServiceName), `the service ${currentServiceName} of ${name}`)
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
    const here = async () => (await list(stage)).filter(({ currentServiceName }) => currentServiceName === name)
    const leave = await stage.subject.join?.(name)
    await stage.until('the player is listed', async () => (await here()).length > 0)
    await leave?.()
    await stage.until('the player is not listed any more', async () => (await here()).length === 0)
    same(await list(stage), before)
  })

  await add('services.list counts the players of a service', async stage => {
    const { name, type, playerCount } = await stage.online()
    const leave = await stage.subject.join?.(name)
    if (type === 'PROXY') return
    const counted = async (players: number) => (await stage.find(name))?.playerCount === players
    await stage.until('the player is counted', async () => await counted(playerCount + 1))
    await leave?.()
    await stage.until('the player is not counted any more', async () => await counted(playerCount))
  })
}

/** Somebody is there, where the author can arrange that. */
async function joined (stage: Stage): Promise<(() => unknown) | undefined> {
  if (stage.subject.join === undefined) return undefined
  const { name } = await stage.online()
  const before = (await list(stage)).length
  const leave = await stage.subject.join(name)
  await stage.until('the player is listed', async () => (await list(stage)).length > before)
  return leave
}
