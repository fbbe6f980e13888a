/** Who is thrown out when services end, in words. */
import type { Group, Service } from '../../../../types/resources.js'
import { isUnknown, playersOf } from '../parts/players.js'
import { counted, number, span } from '../parts/text.js'

/**
 * Undefined where that is nobody. Of a proxy nobody knows how many came through it; where services may not be seen, of none.
 * `waitMs`: so long they have to leave before.
 */
export function thrownOut (services: readonly Service[] | undefined, waitMs = 0): string | undefined {
  const [is, are] = waitMs > 0 ? ['has', 'have'].map(word => `${word} up to ${span(waitMs)} to leave, then ${word === 'has' ? 'is' : 'are'}`) : ['is', 'are']
  if (services === undefined) return `Whoever plays there ${is} thrown out.`
  const running = services.filter(({ state }) => state !== 'OFFLINE')
  const [known, unknown] = [running.filter(one => !isUnknown(one)), running.filter(isUnknown)]
  const players = playersOf(known)
  const isProxy = running.some(({ playerCount }) => playerCount < 0)
  if (players === 0 && !isProxy && unknown.length === 0) return undefined
  const [its, them] = services.length === 1 ? ['it', 'it'] : [`${counted(unknown.length, 'service')} of them`, 'them']
  return [
    ...(players > 0 ? [`${counted(players, 'player')} on ${them} ${players === 1 ? is : are} thrown out.`] : []),
    ...(unknown.length > 0 ? [`How many players ${its} ${unknown.length === 1 ? 'has' : 'have'} is not known${playersOf(unknown) > 0 ? `, ${number(playersOf(unknown))} when it was told last` : ''}: whoever plays there ${is} thrown out.`] : []),
    ...(isProxy ? [`Everybody who came in through the proxy ${is} thrown out.`] : [])
  ].join(' ')
}

/** How long players have to leave a service that is restarted with its group (docs/groups.md, `drainSeconds`), in milliseconds. */
export function drainOf ({ properties }: Pick<Group, 'properties'>): number {
  const seconds = properties['drainSeconds']
  const told = typeof seconds === 'string' && seconds.trim() === '' ? NaN : Number(seconds ?? 300)
  return (told >= 0 ? told : 300) * 1_000
}
