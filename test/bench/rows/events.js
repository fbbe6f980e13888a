/** 1,000 followers of 100 services of which 100 change in a second. */
import { cloud } from '../clouds.js'
import { contend } from '../contender.js'
import { gather, leave, takeTurns } from '../crowd.js'
import { fact, figure } from '../figures.js'
import { follow } from '../follower.js'
import { ratios } from '../load.js'

export default async function () {
  const own = await cloud({ numbered: true, changing: true })
  const other = await contend('floor.js')
  const ours = await gather(own.contender, looked => follow(`${own.url}/events?topics=services`, own.keyHeaders, looked))
  const plain = await gather(other, looked => follow(`${other.url}/events`, {}, looked))
  const isComplete = await takeTurns(ours, plain)
  leave(ours, plain)
  await Promise.all([own.contender.stop(), other.stop()])
  return [
    figure('1,000 followers, 100 changes/s: CPU against a write to each', ratios(ours.costs, plain.costs), { atMost: 0.3 }),
    figure('1,000 followers, 100 changes/s: p99 of a change', ours.p99s, { atMost: 100, unit: ' ms', isP99: true }),
    fact('every change reached everybody once', isComplete, isComplete ? 'yes' : 'no')
  ]
}
