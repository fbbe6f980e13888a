/** The cases of the list of players, and of players who come and go. */
import assert from 'node:assert/strict'
import type { Player } from '../../../types/resources.js'
import { same, show } from '../suite.js'
import type { RuntimeService } from '../../../types/runtime.js'
import { once, type List } from './listed.js'
import * as shapes from './shapes.js'
import { statesOf, type Stage, type RuntimeCases } from './stage.js'
import type { Joined } from './under-test.js'

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
    const player = await stage.join(name)
    const [joined] = await stage.until(`the player who joined ${name} is listed`, async () => {
      const now = await here()
      return now.length > 0 && now
    }, saw)
    is(player, joined)
    await player.leave()
    await stage.until(`the player who left ${name} is not listed any more`, async () => (await here()).length === 0, saw)
    same(await list(stage), before, 'players.list must be as it was before')
  })

  await add('services.list counts the players of a service', async stage => {
    const { name, type, playerCount } = await stage.online()
    const { leave } = await stage.join(name)
    if (type === 'PROXY') return
    let seen: number | undefined
    const counted = async (what: string, players: number) => await stage.until(`the playerCount of ${name} is ${players}, since a player has ${what}`,
      async () => (seen = (await stage.find(name))?.playerCount) === players, () => show(seen))
    await counted('joined', playerCount + 1)
    await leave()
    await counted('left', playerCount)
  })
}

/** Players of several services. */
export const crowds: RuntimeCases = async add => {
  await add('players.list and the counts know who is where: two on one service, one on another', async stage => {
    const one = await stage.online()
    const other = await stage.online()
    const isCounted = one.type !== 'PROXY'
    let seen: readonly Player[] = []
    const of = (service: RuntimeService): number => seen.filter(({ currentServiceName }) => currentServiceName === service.name).length
    const are = async (what: string, first: number, second: number): Promise<void> => {
      await stage.until(`${what}: players.list has ${first} on ${one.name} and ${second} on ${other.name}, and they count as many`, async () => {
        seen = await list(stage)
        const counts = [(await stage.find(one.name))?.playerCount, (await stage.find(other.name))?.playerCount]
        return of(one) === first && of(other) === second && (!isCounted || (counts[0] === one.playerCount + first && counts[1] === other.playerCount + second))
      }, () => show(seen))
    }
    const first = await stage.join(one.name)
    await are('one has joined', 1, 0)
    const second = await stage.join(one.name)
    await are('a second one has joined', 2, 0)
    const third = await stage.join(other.name)
    await are('another has joined the other service', 2, 1)
    for (const [player, service] of [[first, one], [second, one], [third, other]] as const) {
      if (player.name !== undefined) is(player, seen.find(({ name, currentServiceName }) => name === player.name && currentServiceName === service.name))
    }
    same(new Set(seen.map(({ uuid }) => uuid)).size, seen.length, 'each player must have a uuid of its own')
    const uuids = new Map(seen.map(({ name, uuid }) => [name, uuid]))
    // Not the one who came first.
    await second.leave()
    await are('the second has left', 1, 1)
    if (second.name !== undefined) same(seen.some(({ name }) => name === second.name), false, `${second.name} has left, and players.list must not have that player`)
    for (const { name, uuid } of seen) same(uuid, uuids.get(name), `${name} must keep the uuid`)
    await third.leave()
    await are('the one of the other service has left', 1, 0)
    const more = [await stage.join(one.name), await stage.join(one.name), await stage.join(other.name)]
    await are('three more have joined', 3, 1)
    // In one turn.
    await Promise.all(more.map(async ({ leave }) => await leave()))
    await are('those have left at once', 1, 0)
    if (stage.runtime.services.control !== undefined) {
      await stage.says(true, 'services.stop', one.name)
      await stage.becomes(one.name, 'OFFLINE')
      await stage.until(`nobody is on ${one.name}, which is OFFLINE`, async () => {
        seen = await list(stage)
        return of(one) === 0
      }, () => show(seen))
    }
    await first.leave()
  })
}

/** What ends the life of a service. */
const ends: ReadonlyArray<readonly [how: string, needs: 'force' | 'crash' | undefined, end: (stage: Stage, name: string) => unknown]> = [
  ['stopped', undefined, async (stage, name) => await stage.call('services.stop', name)],
  ['restarted', undefined, async (stage, name) => await stage.call('services.restart', name)],
  ['killed', 'force', async (stage, name) => await stage.call('services.kill', name)],
  ['ended by its death', 'crash', async (stage, name) => await stage.subject.crash?.(name)]
]

/** Players of a service whose life ends. */
export const stranded = (has: { readonly force: boolean, readonly crash: boolean }): RuntimeCases => async add => {
  for (const [how, , end] of ends.filter(([, needs]) => needs === undefined || has[needs])) {
    await add(`players.list has nobody of a life that is over, where the service is ${how}`, async stage => {
      const { name } = await stage.online()
      const other = await stage.online()
      const before = await list(stage)
      const leaving = [await stage.join(name), await stage.join(name)]
      const stays = await stage.join(other.name)
      let seen: readonly Player[] = []
      const here = () => seen.filter(({ currentServiceName }) => currentServiceName === name).length
      await stage.until('all three are listed', async () => (seen = await list(stage)).length === before.length + 3, () => show(seen))
      await end(stage, name)
      await stage.until(`nobody is on ${name}, which was ${how}`, async () => {
        seen = await list(stage)
        return here() === 0
      }, () => show(seen))
      same(seen.length, before.length + 1, `${other.name} keeps the player who is on it`)
      for (const { leave } of [...leaving, stays]) await leave()
    })
  }

  await add('players.list has nobody of a group that was deleted', async stage => {
    const { name, groupName } = await stage.online()
    const before = await list(stage)
    await stage.join(name)
    await stage.until('the player is listed', async () => (await list(stage)).length === before.length + 1)
    await stage.says(true, 'groups.delete', groupName)
    let seen: readonly Player[] = []
    await stage.until(`nobody is on ${name}, the group of which was deleted`, async () => {
      seen = await list(stage)
      return seen.every(({ currentServiceName }) => currentServiceName !== name)
    }, () => show(seen))
  })
}

/** Fails where a player is listed otherwise than the author has said. */
function is ({ name, uuid }: Joined, listed: Player | undefined): void {
  const said = { ...name !== undefined && { name }, ...uuid !== undefined && { uuid } }
  same({ ...name !== undefined && { name: listed?.name }, ...uuid !== undefined && { uuid: listed?.uuid } }, said, 'players.list must have the player as join() said')
}

/** Somebody is there, where the author can arrange that. */
async function joined (stage: Stage): Promise<(() => unknown) | undefined> {
  if (stage.subject.join === undefined) return undefined
  const { name } = await stage.online()
  const before = await list(stage)
  let seen = before
  const { leave } = await stage.join(name)
  await stage.until(`the player who joined ${name} is listed`, async () => (seen = await list(stage)).length > before.length,
    () => `players.list has ${show(seen)}`)
  return leave
}
