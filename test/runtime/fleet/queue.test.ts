import t from 'tap'
import { createGate, createQueue } from '../../../lib/runtime/fleet/queue.js'
import { all, attempt, createLater, promised, run, wait } from '../../../lib/runtime/fleet/task.js'

t.setTimeout(600_000)

const pause = async (ms: number) => await new Promise(resolve => setTimeout(resolve, ms))

t.test('a task goes on in the same turn where answers are there, and waits where they are not', async t => {
  const steps: string[] = []
  const later = createLater<number>()
  const answer = run(function * () {
    steps.push(`plain ${yield * wait(1)}`)
    steps.push(`later ${yield * wait(later)}`)
    return 'done'
  }())
  t.strictSame(steps, ['plain 1'])
  later.resolve(2)
  t.strictSame(steps, ['plain 1', 'later 2'], 'in the turn in which it is given')
  t.equal(await answer, 'done')
  t.equal(run(function * () { return yield * wait(3) }()), 3, 'plain when nothing had to be waited for')
  t.equal(await run(function * () { return yield * wait(Promise.resolve(4)) }()), 4)
})

t.test('what fails in a task is thrown where it is waited for, at once or later', async t => {
  t.throws(() => run(function * () { throw new Error('at once') }()), { message: 'at once' })
  const later = createLater<void>()
  const seen: string[] = []
  const answer = run(function * () {
    try {
      yield * wait(later)
    } catch (error) {
      seen.push((error as Error).message)
    }
    yield * wait(Promise.reject(new Error('at last')))
  }())
  later.reject(new Error('later'))
  t.strictSame(seen, ['later'])
  await t.rejects(async () => await answer, { message: 'at last' })
})

t.test('a long row of answers that are there takes no stack', async t => {
  const count = 100_000
  t.equal(run(function * () {
    let sum = 0
    for (let at = 0; at < count; at++) {
      const later = createLater<number>()
      later.resolve(1)
      sum += yield * wait(later)
    }
    return sum
  }()), count)
  // As many as a cloud may have services.
  const many = 10_000
  const queue = createQueue()
  const [gate, order] = [createLater<void>(), [] as number[]]
  queue.add(() => wait(gate))
  for (let at = 0; at < many; at++) queue.add(function * () { order.push(at) })
  gate.resolve()
  t.equal(order.length, many)
})

t.test('all are waited for, and then told together what went wrong', async t => {
  const ended: number[] = []
  const one = (at: number, fails: boolean) => async () => {
    await pause(at)
    ended.push(at)
    if (fails) throw new Error(`${at} failed`)
    return at
  }
  await t.rejects(async () => await run(all([one(1, true), one(2, false), () => { throw new Error('3 failed') }])), { message: '1 failed; 3 failed' })
  t.strictSame(ended, [1, 2])
  t.strictSame(await run(all([one(2, false), one(1, false)])), [2, 1])
})

t.test('what nobody waits for is told when it fails; plain answers stay plain outside', async t => {
  const told: unknown[] = []
  attempt(() => { throw new Error('now') }, error => told.push(error))
  attempt(async () => { throw new Error('soon') }, error => told.push(error))
  await pause(0)
  t.match(told, [{ message: 'now' }, { message: 'soon' }])
  t.equal(promised(5), 5)
  const later = createLater<number>()
  const answer = promised(later)
  t.ok(answer instanceof Promise)
  later.resolve(6)
  t.equal(await answer, 6)
})

t.test('a queue runs one thing after the other, and one that fails does not hold up the next', async t => {
  const queue = createQueue()
  const order: string[] = []
  const slow = queue.add(function * () {
    yield * wait(pause(20))
    order.push('slow')
    return 1
  })
  const broken = queue.add(function * () { throw new Error('broken') })
  const quick = queue.add(function * () { return order.push('quick') })
  await t.rejects(async () => await broken, { message: 'broken' })
  t.same([await slow, await quick, order], [1, 2, ['slow', 'quick']])
  await queue.drained()
  t.equal(queue.add(function * () { return 7 }), 7, 'at once when nothing is before it')
})

t.test('a gate lets so many through at once, in order, and no more', async t => {
  const turn = createGate(3)
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

t.test('who leaves a gate gives one place away, once, and goes on', async t => {
  const turn = createGate(1)
  const order: string[] = []
  let end = (): void => {}
  const first = turn(async leave => {
    leave()
    leave()
    await new Promise<void>(resolve => { end = resolve })
    order.push('first')
  })
  let goOn = (): void => {}
  const second = turn(async () => {
    order.push('second')
    await new Promise<void>(resolve => { goOn = resolve })
  })
  const third = turn(async () => { order.push('third') })
  await new Promise(resolve => { setImmediate(resolve) })
  t.strictSame(order, ['second'], 'no more than one place was given away')
  end()
  await first
  t.strictSame(order, ['second', 'first'], 'nor another at its end')
  goOn()
  await Promise.all([second, third])
  t.strictSame(order, ['second', 'first', 'third'])
})
