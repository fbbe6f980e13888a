/** 1,000 followers of 100 services of which 100 change in a second. */
import { cloud } from '../clouds.js'
import { contend } from '../contender.js'
import { fact, figure, percentile } from '../figures.js'
import { follow } from '../follower.js'
import { ratios, rounds } from '../load.js'
import { until } from '../watcher.js'

const count = 1_000
const rate = 100

async function gather (contender, url, headers) {
  const delays = []
  const followers = []
  while (followers.length < count) {
    followers.push(...await Promise.all(Array.from({ length: 50 }, (_, index) => follow(url, headers, index % 10 === 0 ? { delays } : {}))))
  }
  return { contender, delays, followers, costs: [], p99s: [] }
}

/** A second of changes: what it costs until everybody has all of them. */
async function round ({ contender, delays, followers, costs, p99s }) {
  const before = contender.cpu()
  delays.length = 0
  await contender.ask({ do: 'print', rate, length: 80 })
  await new Promise(resolve => setTimeout(resolve, 1_000))
  const { printed } = await contender.ask({ do: 'stop' })
  const isComplete = await until(() => followers.every(({ received }) => received >= printed), 10_000)
  costs.push(contender.cpu() - before)
  p99s.push(percentile(delays, 99))
  return isComplete && followers.every(({ received }) => received === printed)
}

export default async function () {
  const own = await cloud({ numbered: true, changing: true })
  const other = await contend('floor.js')
  const ours = await gather(own.contender, `${own.url}/events?topics=services`, own.keyHeaders)
  const plain = await gather(other, `${other.url}/events`, {})
  let isComplete = true
  // The first second is the warm-up.
  await round(ours)
  await round(plain)
  for (const { costs, p99s } of [ours, plain]) costs.length = p99s.length = 0
  for (let turn = 0; turn < rounds; turn++) {
    isComplete = await round(ours) && isComplete
    await round(plain)
  }
  for (const { socket } of [...ours.followers, ...plain.followers]) socket.destroy()
  await Promise.all([own.contender.stop(), other.stop()])
  return [
    figure('1,000 followers, 100 changes/s: CPU against a write to each', ratios(ours.costs, plain.costs), { atMost: 0.3 }),
    figure('1,000 followers, 100 changes/s: p99 of a change', ours.p99s, { atMost: 100, unit: ' ms', isP99: true }),
    fact('every change reached everybody once', isComplete, isComplete ? 'yes' : 'no')
  ]
}
