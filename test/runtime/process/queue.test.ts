import t from 'tap'
import { gate, pause, Queue } from '../../../lib/runtime/process/queue.js'

t.test('a queue runs one thing after the other, and one that fails does not hold up the next', async (t) => {
  const queue = new Queue()
  const order: string[] = []
  const slow = queue.add(async () => {
    await pause(20)
    order.push('slow')
    return 1
  })
  const broken = queue.add(() => { throw new Error('broken') })
  const quick = queue.add(() => order.push('quick'))
  await t.rejects(broken, { message: 'broken' })
  t.same([await slow, await quick, order], [1, 2, ['slow', 'quick']])
  await queue.drained()
})

t.test('a gate lets so many through at once, in order, and no more', async (t) => {
  const turn = gate(3)
  let inside = 0
  let most = 0
  const order: number[] = []
  await Promise.allSettled(Array.from({ length: 20 }, async (_, at) => await turn(async () => {
    most = Math.max(most, ++inside)
    order.push(at)
    await pause(1)
    inside--
    if (at % 2 === 0) throw new Error('half of them fail')
  })))
  t.equal(most, 3)
  t.same(order, Array.from({ length: 20 }, (_, at) => at))
})

t.test('a pause ends early when it is called off', async (t) => {
  const began = performance.now()
  await pause(10_000, AbortSignal.abort())
  const later = new AbortController()
  setTimeout(() => later.abort(), 10)
  await pause(10_000, later.signal)
  t.ok(performance.now() - began < 5000)
})
