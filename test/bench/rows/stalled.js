/** 50 watchers that stop reading, among 50 good ones, of a console that prints 2 MB a second. */
import { cloud } from '../clouds.js'
import { fact } from '../figures.js'
import { until, watch } from '../watcher.js'

const each = 50

export default async function () {
  const { contender, url, headers } = await cloud({})
  const console = `${url}/service/lobby-1/screen`
  const open = () => Promise.all(Array.from({ length: each }, () => watch(console, headers)))
  const good = await open()
  const stalled = await open()
  for (const { socket } of stalled) socket.pause()
  const before = contender.memory()
  let peak = before
  const watching = setInterval(() => { peak = Math.max(peak, contender.memory()) }, 100)

  const started = performance.now()
  await contender.ask({ do: 'print', rate: 2_000, length: 1_000 })
  // One connection more than the good ones: the one that carried the requests may still be open.
  const isClosed = await until(async () => (await contender.ask({ do: 'count' })).connections <= each + 1, 20_000)
  const seconds = (performance.now() - started) / 1000
  await new Promise(resolve => setTimeout(resolve, 2_000))
  const { printed } = await contender.ask({ do: 'stop' })
  const isComplete = await until(() => good.every(({ received }) => received >= printed), 10_000)
  clearInterval(watching)
  const isGood = isComplete && good.every(({ isExact, isClosed }) => isExact && !isClosed)
  for (const { socket } of [...good, ...stalled]) socket.destroy()
  await contender.stop()
  return [
    fact('50 stalled watchers are closed within 10 s', isClosed && seconds <= 10, `after ${seconds.toFixed(1)} s`),
    fact('the 50 good ones get every line once and in order', isGood, isGood ? `${printed} lines` : 'no'),
    fact('memory is bounded (200 MB for 50 backlogs of 1 MiB)', peak - before < 200, `${(peak - before).toFixed(0)} MB more`)
  ]
}
