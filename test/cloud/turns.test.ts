/** Turns: who waits for them, and for how long. */
import t from 'tap'
import { aGroup, listRuntime } from '../fixtures/runtime.js'
import { base, build } from '../fixtures/cloud.js'
import { connectionsOf, openRaw, portOf, request } from '../fixtures/raw.js'
import { from } from '../fixtures/template-cloud.js'
import { until } from '../fixtures/until.js'
import { createTurns, waitingFor } from '../../lib/cloud/turns.js'

/** What has begun, by name, each going on until it is let go of. */
function steps () {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  return {
    begun,
    run: (name: string) => async (): Promise<string> => {
      begun.push(name)
      await new Promise<void>(resolve => { ends.set(name, resolve) })
      return name
    },
    end: (name: string) => { ends.get(name)?.() }
  }
}

const minute = waitingFor(60_000)

t.test('what is shared runs together, what is alone runs beside nothing, and of one party each has its turn as it was asked for', async t => {
  const [turns, { begun, run, end }] = [createTurns(), steps()]
  const all = [turns.together(minute(), run('a')), turns.together(minute(), run('b')), turns.alone(minute(), run('c')), turns.together(minute(), run('d')), turns.alone(minute(), run('e'))]
  await until(() => begun.length === 2)
  for (const [name, after] of [['a', 'ab'], ['b', 'abc'], ['c', 'abcd'], ['d', 'abcde']] as const) {
    end(name)
    await until(() => begun.join('') === after)
  }
  end('e')
  t.strictSame(await Promise.all(all), ['a', 'b', 'c', 'd', 'e'])
  t.ok(turns.isIdle)
})

t.test('S25: whoever asks once has a turn before those who ask often have all of theirs', async t => {
  const [turns, { begun, run, end }] = [createTurns(), steps()]
  const many = Array.from({ length: 50 }, (_, at) => turns.alone(minute({ party: 'many' }), run(`many ${at}`)))
  const one = turns.together(minute({ party: 'one' }), run('one'))
  for (let at = 0; at < 51; at++) {
    await until(() => begun.length === at + 1)
    end(begun[at] as string)
  }
  await Promise.all([...many, one])
  t.ok(begun.indexOf('one') < 3, begun.slice(0, 5).join())
  t.strictSame(begun.filter(name => name !== 'one'), Array.from({ length: 50 }, (_, at) => `many ${at}`))
  t.ok(turns.isIdle)
})

t.test('S25: of one party no more run at the same time than may, and others are not held up by that', async t => {
  const [turns, { begun, run, end }] = [createTurns(2), steps()]
  const all = ['a', 'b', 'c'].map(async name => await turns.together(minute({ party: 'x' }), run(name)))
  const other = turns.together(minute({ party: 'y' }), run('other'))
  await until(() => begun.length === 3)
  t.strictSame(begun.toSorted(), ['a', 'b', 'other'])
  end('a')
  await until(() => begun.includes('c'))
  for (const name of ['b', 'c', 'other']) end(name)
  await Promise.all([...all, other])
})

t.test('S25: what has waited for too long, or whose client has gone, is not done and holds up nobody', async t => {
  const [turns, { begun, run, end }] = [createTurns(), steps()]
  const first = turns.alone(minute(), run('first'))
  let go = (): void => {}
  const late = turns.alone(waitingFor(20)(), run('late'))
  const gone = turns.alone(minute({ gone: listener => { go = listener; return () => {} } }), run('gone'))
  const last = turns.together(minute(), run('last'))
  await t.rejects(late, { statusCode: 504, message: 'Runtime did not answer in time' })
  await t.rejects(turns.together(minute({ gone: listener => { listener(); return () => {} } }), run('never')), { statusCode: 499, message: 'Client Closed Request' })
  setImmediate(go)
  await t.rejects(gone, { statusCode: 499, message: 'Client Closed Request' })
  end('first')
  await first
  await until(() => begun.length === 2)
  t.strictSame(begun, ['first', 'last'])
  end('last')
  await last
  t.ok(turns.isIdle)
})

t.test('S25: a group is made within the time of a call, whoever renames templates, and whoever of them has gone', async t => {
  const runtime = listRuntime()
  runtime.given.templates = [{ name: 'world', size: 'unknown' }]
  let renames = 0
  const ends: Array<() => void> = []
  Object.assign(runtime.templates as object, {
    rename: async () => {
      renames++
      await new Promise<void>(resolve => { ends.push(resolve) })
      return false
    }
  })
  const { app, setUp, login } = await build(t, { runtime, runtimeTimeout: 2_000 })
  const admin = await setUp()
  const mallory = await login(['cloud.templates.edit'])
  await app.listen({ port: 0, host: '127.0.0.1' })
  const connection = await openRaw(portOf(app))
  const body = '{"name":"other"}'
  connection.send(request(`PATCH ${base}/template/nowhere`, { ...from(mallory.token), 'Content-Type': 'application/json', 'Content-Length': String(body.length) }, body).repeat(50))
  await until(() => renames === 1)
  connection.socket.destroy()
  await until(async () => await connectionsOf(app) === 0)
  const group = { ...aGroup, templates: ['world'] }
  // One rename is under way, which its runtime does not answer in its time; that of the group is as long, and begins a moment later.
  const { status } = await admin('POST', '/group/create', { ...group, name: 'first' })
  t.ok([201, 504].includes(status), String(status))
  t.equal(runtime.given.groups.some(({ name }) => name === 'first'), status === 201)
  t.equal((await admin('POST', '/group/create', { ...group, name: 'second' })).status, 201)
  t.equal(renames, 1, 'none of those whose client has gone was begun')
  for (const end of ends) end()
})
