/** The cases of restarts of groups amid calls for one of the services by its name: of who is away, and of who is back, at each turn. */
import { show } from '../suite.js'
import { several, soon } from './furnished.js'
import { areRestarted, progress, restart, rollOf } from './rolls-beside.js'
import { statesOf, type RuntimeCases } from './stage.js'

const SERVICES = 3

/** Looks after which what is there is taken to stay. */
const STAYS = 5

const verbs = ['services.restart', 'services.kill', 'services.stop'] as const

const turns: ReadonlyArray<readonly [when: string, is: (turn: number) => boolean]> = [
  ['at the first turn', turn => turn === 1], ['at the second turn', turn => turn === 2], ['at the third turn', turn => turn === 3], ['at each turn', () => true]
]

/** The contract of `GroupRestarts`, amid calls by name. */
export const rollCalls = (has: { readonly force: boolean }): RuntimeCases => async add => {
  for (const verb of verbs.filter(verb => has.force || verb !== 'services.kill')) {
    for (const who of ['away', 'back'] as const) {
      for (const [when, isMeant] of turns) {
        await add(`groups.restart restarts every service of the group, where ${verb} asks for who is ${who} ${when}`, async stage => {
          const { scene, group, names } = await several(stage, SERVICES)
          const roll = await rollOf(scene, group)
          await restart(stage, group)
          const [away, back, asked] = [new Set<string>(), new Set<string>(), new Set<string>()]
          const ask = async (name: string, turn: number): Promise<void> => {
            if (!isMeant(turn)) return
            asked.add(name)
            await scene.ask(verb, name)
          }
          await soon(stage, `the restart of ${group} is over`, async () => {
            for (const { name, state } of await stage.services(group)) {
              if (!names.includes(name) || asked.has(name)) continue
              if (state !== 'ONLINE' && !away.has(name)) {
                away.add(name)
                if (who === 'away') await ask(name, away.size)
              } else if (state === 'ONLINE' && away.has(name) && !back.has(name)) {
                back.add(name)
                if (who === 'back') await ask(name, back.size)
              }
            }
            return await progress(stage, group) === undefined
          })
          const isEnded = verb !== 'services.restart'
          // Whoever has the name of one that has gone may be the successor of another, and keeps that where it is ended.
          if (!isEnded || asked.size < 2) await areRestarted(scene, { ...roll, before: roll.before.filter(({ name }) => !isEnded || !asked.has(name)) })
          // Whoever is ended leaves room for successors of other names.
          if (isEnded) for (const name of names) scene.oracle.wishes.delete(name)
          // With more room than one the successor comes first: who is ended then has one already.
          const [least, most] = isEnded ? [SERVICES - asked.size, asked.size > 1 ? SERVICES : SERVICES - asked.size] : [SERVICES, SERVICES]
          let [stays, seen] = [0, await stage.services(group)]
          await stage.until(`${least === most ? least : `${least} to ${most}`} services of ${group}, where ${verb} asked for ${show([...asked])}, are ONLINE, and stay so`, async () => {
            seen = await stage.services(group)
            const busy = seen.filter(({ state }) => state !== 'OFFLINE')
            stays = busy.length >= least && busy.length <= most && busy.every(({ state }) => state === 'ONLINE') ? stays + 1 : 0
            return stays > STAYS
          }, () => statesOf(seen))
          scene.end()
        })
      }
    }
  }
}
