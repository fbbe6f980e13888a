/** 1,000 watchers of one console that prints 100 lines a second. */
import { cloud } from '../clouds.js'
import { contend } from '../contender.js'
import { gather, leave, second, takeTurns } from '../crowd.js'
import { fact, figure } from '../figures.js'
import { ratios, rounds, steadyP99 } from '../load.js'
import { until, watch } from '../watcher.js'

export default async function () {
  const own = await cloud({})
  const other = await contend('sender.js')
  const { used } = await own.contender.ask({ do: 'collect' })
  const ours = await gather(own.contender, looked => watch(`${own.url}/service/lobby-1/screen`, own.headers, looked))
  const plain = await gather(other, looked => watch(`${other.url}/`, {}, looked))
  const othersP99 = []
  const isComplete = await takeTurns(ours, plain)
  for (let turn = 0; turn < rounds; turn++) {
    const requests = steadyP99(`${own.url}/user/self`, own.headers, { every: 20, ms: 900 })
    await second({ ...ours, costs: [], p99s: [] })
    othersP99.push(await requests)
  }
  const isExact = ours.members.every(watcher => watcher.isExact)
  leave(ours, plain)
  await until(async () => (await own.contender.ask({ do: 'count' })).connections < 10, 10_000)
  const kept = ((await own.contender.ask({ do: 'collect' })).used - used) / 1024 / 1024
  await Promise.all([own.contender.stop(), other.stop()])
  return [
    figure('1,000 watchers, 100 lines/s: CPU against ws.send to each', ratios(ours.costs, plain.costs), { atMost: 0.5 }),
    figure('1,000 watchers, 100 lines/s: p99 of a line', ours.p99s, { atMost: 100, unit: ' ms', isP99: true }),
    figure('1,000 watchers, 100 lines/s: p99 of other requests', othersP99, { atMost: 100, unit: ' ms', isP99: true }),
    fact('every line reached everybody once and in order', isComplete && isExact, isComplete ? isExact ? 'yes' : 'not in order' : 'lines are missing'),
    fact('memory is given back when they have gone (10 MB)', kept < 10, `${kept.toFixed(1)} MB more`)
  ]
}
