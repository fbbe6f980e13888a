/** The queue of passwords: bounded, fair, and off the event loop. */
import t from 'tap'
import { type PasswordPool, createPasswordPool } from '../../lib/accounts/password-pool.js'
import { build } from '../fixtures/cloud.js'
import { same } from '../fixtures/rows.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

/** A pool of one thread, and the names of its jobs in the order in which their turns came. */
function watched (): { readonly pool: PasswordPool, readonly turns: string[], run (party: string, name?: string): Promise<unknown> } {
  const pool = createPasswordPool(1)
  const turns: string[] = []
  return { pool, turns, run: (party, name = party) => pool.run({ kind: 'hash', password: 'x', cost: 4 }, party, () => { turns.push(name) }) }
}

t.test('S9: parties take turns, whoever asked more often or earlier', async t => {
  const { pool, turns, run } = watched()
  const all = [...Array.from({ length: 4 }, (_, n) => run('a', `a${n}`)), ...Array.from({ length: 3 }, (_, n) => run('b', `b${n}`)), run('c')]
  await Promise.all(all)
  t.strictSame(turns, ['a0', 'a1', 'b0', 'c', 'a2', 'b1', 'a3', 'b2'], 'the first one found nobody waiting')
  await pool.close()
})

t.test('S9: a full queue takes somebody new, and whoever has the most in it gives up the last', async t => {
  const { pool, turns, run } = watched()
  const outcomes = (jobs: ReadonlyArray<Promise<unknown>>) => Promise.all(jobs.map(job => job.then(() => 200, ({ statusCode }) => statusCode as number)))
  const flood = ['a', 'b', 'c'].flatMap(party => Array.from({ length: 70 }, () => run(party)))
  const newcomer = run('newcomer')
  const statuses = await outcomes(flood)
  await newcomer
  // One is at work and 128 wait: 64 of a party at most, and fewer when the next ones come.
  t.equal(statuses.filter(status => status === 200).length, 128)
  t.equal(statuses.filter(status => status === 503).length, 82)
  t.ok(turns.indexOf('newcomer') <= 4, `its turn was the ${turns.indexOf('newcomer') + 1}th`)
  await pool.close()
})

t.test('S9: what waits when the pool closes is refused, and so is what comes later', async t => {
  const { pool, run } = watched()
  const jobs = [run('a'), run('a'), run('b')].map(job => job.then(() => 'done', (error: Error) => error.message))
  await pool.close()
  const busy = 'Too many passwords are being checked'
  t.strictSame(await Promise.all(jobs), ['The password thread ended', busy, busy])
  t.equal(await run('c').catch((error: Error) => error.message), busy)
})

t.test("S9: two users who send 70 changes of password each do not hold up an admin's login", async t => {
  const { setUp, login, client } = await build(t, { passwordCost: 9 })
  await setUp()
  const users = [await login([], 'ann'), await login([], 'bob')]
  let changed = 0
  const flood = users.flatMap(user => Array.from({ length: 70 }, async (_, n) => {
    const answer = await user('PATCH', '/user/self/change-password', { password: `password number ${n}` })
    if (answer.status === 200) changed++
    return answer
  }))
  // As soon as the first is answered the queue is as long as it gets.
  await until(() => changed > 0, 'the first change')
  const before = changed
  const admin = await client()('POST', '/auth/login', { username: 'root', password: 'correct horse battery' }, { remoteAddress: '192.0.2.1' })
  t.equal(admin.status, 200)
  t.ok(changed - before <= 2, `${changed - before} hashes came before it`)

  const answers = await Promise.all(flood)
  const refused = answers.filter(({ status }) => status === 429)
  t.equal(refused.length + answers.filter(({ status }) => status === 200).length, 140)
  t.ok(refused.length > 100, `${refused.length} were refused`)
  for (const answer of refused.slice(0, 3)) {
    same(t, answer, refusal(429, 'Password is being changed already'))
    t.equal(answer.headers['retry-after'], '1')
  }
})
