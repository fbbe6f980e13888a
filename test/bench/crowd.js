/** A thousand who listen to a cloud, or to what it is compared with, while 100 things a second are told. */
import { percentile } from './figures.js'
import { rounds } from './load.js'
import { until } from './watcher.js'

const size = 1_000
const rate = 100

/** Brings them together with `join`, fifty at once. One in ten is looked at closely; the others only count. */
export async function gather (contender, join) {
  const delays = []
  const members = []
  while (members.length < size) {
    members.push(...await Promise.all(Array.from({ length: 50 }, (_, index) => join(index % 10 === 0 ? { delays } : {}))))
  }
  return { contender, delays, members, costs: [], p99s: [] }
}

/** A second of it: what it costs until everybody has all of it. Answers whether everybody got each once. */
export async function second ({ contender, delays, members, costs, p99s }) {
  const before = contender.cpu()
  delays.length = 0
  await contender.ask({ do: 'print', rate, length: 80 })
  await new Promise(resolve => setTimeout(resolve, 1_000))
  const { printed } = await contender.ask({ do: 'stop' })
  const isComplete = await until(() => members.every(({ received }) => received >= printed), 10_000)
  costs.push(contender.cpu() - before)
  p99s.push(percentile(delays, 99))
  return isComplete && members.every(({ received }) => received === printed)
}

/** Seconds of both in turns, after one of each as a warm-up. Answers whether everybody of ours got each once. */
export async function takeTurns (ours, plain) {
  let isComplete = true
  await second(ours)
  await second(plain)
  for (const { costs, p99s } of [ours, plain]) costs.length = p99s.length = 0
  for (let turn = 0; turn < rounds; turn++) {
    isComplete = await second(ours) && isComplete
    await second(plain)
  }
  return isComplete
}

export function leave (...crowds) {
  for (const { members } of crowds) for (const { socket } of members) socket.destroy()
}
