/** S8: a socket of which nobody can tell whether it may stay is told nothing more, and closed within a second. */
import { once } from 'node:events'
import t, { type Test } from 'tap'
import type { CloudStorage } from '../../lib/index.js'
import { openPostgresStorage } from '../../lib/storage/postgres.js'
import { adminPassword, build } from '../fixtures/cloud.js'
import { watchLag } from '../fixtures/lag.js'
import { type Link, openLink } from '../fixtures/link.js'
import { type LiveRuntime, type Watcher, listen, liveRuntime, untilLines, watch } from '../fixtures/live.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { lacksPostgres, startPostgres } from '../fixtures/postgres.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const closed = [1013, 'Try again later'] as const
/** Until the loss is noticed, and then until the second is over; the rest is for a busy machine. */
const closedMs = 500 + 1_000 + 1_500

/** Prints the time, again and again, until told to stop. */
function printTimes (live: LiveRuntime): () => void {
  const timer = setInterval(() => { live.print('lobby-1', String(performance.now())) }, 20)
  return () => { clearInterval(timer) }
}

const lastLine = ({ lines }: Watcher): number => Number(lines.at(-1))

interface Doubtful {
  readonly live: LiveRuntime
  readonly watcher: Watcher
  readonly url: string
  readonly token: string
  readonly stop: () => void
}

async function follow (t: Test, storage: CloudStorage): Promise<Doubtful> {
  const live = liveRuntime()
  const cloud = await build(t, { runtime: live, storage })
  const { token = '' } = await cloud.setUp()
  const url = `${await listen(cloud.app)}/service/lobby-1/screen`
  const watcher = await watch(url, token)
  const stop = printTimes(live)
  t.teardown(stop)
  await untilLines(watcher, 5)
  return { live, watcher, url, token, stop }
}

t.test('S8: PostgreSQL away from one core', { skip: lacksPostgres() }, async t => {
  const postgres = await startPostgres()
  t.teardown(postgres.stop)

  async function open (t: Test): Promise<Doubtful & { readonly link: Link, readonly elsewhere: CloudStorage }> {
    const schema = postgres.newSchema()
    const link = await openLink(postgres.url)
    const elsewhere = await openPostgresStorage({ url: postgres.url, schema })
    const storage = await openPostgresStorage({ url: link.url, schema })
    t.teardown(async () => {
      link.mend()
      await Promise.all([elsewhere.close(), storage.close()])
      await link.close()
    })
    return { ...await follow(t, storage), link, elsewhere }
  }

  for (const how of ['cut', 'stall'] as const) {
    await t.test(`a socket hears nothing of what happens a second after a ${how}, and is closed`, async t => {
      const { watcher, link, elsewhere } = await open(t)
      link[how]()
      const lostAt = performance.now()
      const [first] = await elsewhere.users.list()
      await elsewhere.sessions.deleteAll(first?.user.uuid ?? '', { by: { kind: 'operator' } })
      t.strictSame(await watcher.closed, closed)
      t.ok(performance.now() - lostAt < closedMs, `closed after ${performance.now() - lostAt} ms`)
      t.ok(lastLine(watcher) - lostAt < 1_000, `the last line was printed ${lastLine(watcher) - lostAt} ms after it`)
    })

    await t.test(`a handshake is 503 after a ${how}, and all is well when the database is back`, async t => {
      const { watcher, url, token, link } = await open(t)
      link[how]()
      await watcher.closed
      await t.rejects(watch(url, token), { message: '503 {"status":503,"message":"Storage is not available","code":"storage_unavailable"}' })
      link.mend()
      const again = await until(async () => await watch(url, token).catch(() => false as const), 'it opens again')
      await untilLines(again, 1)
      again.socket.terminate()
    })
  }

  await t.test('who may stay stays through a loss that is shorter, and misses no line', async t => {
    const { live, watcher, link, stop } = await open(t)
    link.cut()
    await new Promise(resolve => setTimeout(resolve, 100))
    link.mend()
    const mendedAt = performance.now()
    await until(() => lastLine(watcher) > mendedAt + 1_000, 'lines of a second later arrive', 5_000)
    stop()
    live.print('lobby-1', 'the end')
    await until(() => watcher.lines.at(-1) === 'the end', 'the end')
    t.equal(watcher.socket.readyState, watcher.socket.OPEN)
    watcher.socket.terminate()
  })

  await t.test('who may not stay any more is sent away as such, and gets no line that was printed in doubt', async t => {
    const { live, watcher, link, elsewhere, stop } = await open(t)
    stop()
    link.cut()
    const [first] = await elsewhere.users.list()
    await elsewhere.sessions.deleteAll(first?.user.uuid ?? '', { by: { kind: 'operator' } })
    await new Promise(resolve => setTimeout(resolve, 50))
    live.print('lobby-1', 'printed in doubt')
    link.mend()
    t.strictSame(await watcher.closed, [3000, 'Unauthorized'])
    t.notOk(watcher.lines.includes('printed in doubt'))
  })
})

/** A storage whose look-up of sessions the test can hold, or let fail. */
function doubtful (whole: CloudStorage) {
  let hold: Promise<void> | undefined
  let release: (() => void) | undefined
  const { subscribe, ...parts } = whole
  return {
    storage: { ...parts, sessions: { ...whole.sessions, find: async (id: string) => { await hold; return await whole.sessions.find(id) } } } satisfies CloudStorage,
    hold: () => { hold = new Promise(resolve => { release = resolve }) },
    fail: () => { hold = Promise.reject(new Error('the storage is away')); hold.catch(() => {}) },
    release: () => { hold = undefined; release?.() }
  }
}

for (const how of ['hold', 'fail'] as const) {
  t.test(`S8: so with a storage that tells of no changes and ${how === 'hold' ? 'hangs' : 'fails'}`, async t => {
    const away = doubtful(memoryStorage())
    const { watcher } = await follow(t, away.storage)
    const lag = watchLag(t)
    await new Promise(resolve => setTimeout(resolve, 130))
    away[how]()
    const lostAt = performance.now()
    t.strictSame(await watcher.closed, closed)
    const took = performance.now() - lostAt
    t.ok(took < 1_000 + 4 * lag(), `closed after ${took} ms, while the event loop was held up for ${lag()} ms`)
    t.ok(lastLine(watcher) <= lostAt, `the last line was printed ${lastLine(watcher) - lostAt} ms after it`)
    away.release()
  })
}

t.test('S8: lines that were held in doubt are sent in order when it is over', async t => {
  const away = doubtful(memoryStorage())
  const { watcher, stop } = await follow(t, away.storage)
  for (let round = 0; round < 3; round++) {
    away.hold()
    await new Promise(resolve => setTimeout(resolve, 350))
    away.release()
    const releasedAt = performance.now()
    await until(() => lastLine(watcher) > releasedAt, 'lines arrive again', 5_000)
  }
  stop()
  const times = watcher.lines.map(Number)
  t.strictSame(times, [...times].sort((a, b) => a - b))
  t.ok(times.every((time, at) => at === 0 || time - (times[at - 1] as number) < 500), 'none is missing')
  watcher.socket.terminate()
  await once(watcher.socket, 'close')
})

t.test('S8: a change that arrives while a socket is being looked at is in force as well', async t => {
  const whole = memoryStorage()
  const away = doubtful(whole)
  const { watcher } = await follow(t, away.storage)
  away.hold()
  await new Promise(resolve => setTimeout(resolve, 350))
  const [first] = await whole.users.list()
  await whole.users.setPassword(first?.user.uuid ?? '', adminPassword, { hasChangedPassword: true, by: { kind: 'operator' } })
  away.release()
  t.strictSame(await watcher.closed, [3000, 'Unauthorized'])
})
