/** 1,000 watchers of one console that prints 100 lines a second. */
import { cloud } from '../clouds.js'
import { contend } from '../contender.js'
import { fact, figure, percentile } from '../figures.js'
import { ratios, rounds, steadyP99 } from '../load.js'
import { until, watch } from '../watcher.js'

const count = 1_000
const rate = 100

async function gather (contender, url, headers) {
  const { used } = await contender.ask({ do: 'collect' })
  const delays = []
  const watchers = []
  // One in ten is looked at closely; the others only count.
  while (watchers.length < count) {
    watchers.push(...await Promise.all(Array.from({ length: 50 }, (_, index) => watch(url, headers, index % 10 === 0 ? { delays } : {}))))
  }
  return { contender, used, delays, watchers, costs: [], p99s: [] }
}

/** A second of printing: what it costs until everybody has everything. */
async function round ({ contender, delays, watchers, costs, p99s }) {
  const before = contender.cpu()
  delays.length = 0
  await contender.ask({ do: 'print', rate, length: 80 })
  await new Promise(resolve => setTimeout(resolve, 1_000))
  const { printed } = await contender.ask({ do: 'stop' })
  const isComplete = await until(() => watchers.every(({ received }) => received >= printed), 10_000)
  costs.push(contender.cpu() - before)
  p99s.push(percentile(delays, 99))
  return isComplete
}

export default async function () {
  const own = await cloud({})
  const other = await contend('sender.js')
  const ours = await gather(own.contender, `${own.url}/service/lobby-1/screen`, own.headers)
  const plain = await gather(other, `${other.url}/`, {})
  const othersP99 = []
  let isComplete = true
  // The first second is the warm-up.
  await round(ours)
  await round(plain)
  for (const { costs, p99s } of [ours, plain]) costs.length = p99s.length = 0
  for (let turn = 0; turn < rounds; turn++) {
    isComplete = await round(ours) && isComplete
    await round(plain)
  }
  for (let turn = 0; turn < rounds; turn++) {
    const requests = steadyP99(`${own.url}/user/self`, own.headers, { every: 20, ms: 900 })
    await round({ ...ours, costs: [], p99s: [] })
    othersP99.push(await requests)
  }
  const isExact = ours.watchers.every(watcher => watcher.isExact)
  for (const { socket } of [...ours.watchers, ...plain.watchers]) socket.destroy()
  await until(async () => (await own.contender.ask({ do: 'count' })).connections < 10, 10_000)
  const kept = ((await own.contender.ask({ do: 'collect' })).used - ours.used) / 1024 / 1024
  await Promise.all([own.contender.stop(), other.stop()])
  return [
    figure('1,000 watchers, 100 lines/s: CPU against ws.send to each', ratios(ours.costs, plain.costs), { atMost: 0.5 }),
    figure('1,000 watchers, 100 lines/s: p99 of a line', ours.p99s, { atMost: 100, unit: ' ms', isP99: true }),
    figure('1,000 watchers, 100 lines/s: p99 of other requests', othersP99, { atMost: 100, unit: ' ms', isP99: true }),
    fact('every line reached everybody once and in order', isComplete && isExact, isComplete ? isExact ? 'yes' : 'not in order' : 'lines are missing'),
    fact('memory is given back when they have gone (10 MB)', kept < 10, `${kept.toFixed(1)} MB more`)
  ]
}
