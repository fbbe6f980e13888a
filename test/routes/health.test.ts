/** Health and readiness. */
import t from 'tap'
import type { CloudStorage } from '../../lib/index.js'
import { build } from '../fixtures/cloud.js'
import { memoryStorage } from '../fixtures/memory-storage.js'
import { listRuntime } from '../fixtures/runtime.js'
import { refusal } from '../fixtures/refusal.js'
import { startClock } from '../fixtures/lag.js'

t.setTimeout(600_000)

const never = (): Promise<never> => new Promise(() => {})
const broken = (): never => { throw new Error('postgres://cloud:secret@db is away') }

t.test('GET /health/ready is 200 when storage and runtime answer, for everybody', async t => {
  const { client } = await build(t)
  const { status, body } = await client()('GET', '/health/ready')
  t.strictSame([status, body], [200, { status: 200, data: { storage: 'ok', runtime: 'ok' } }])
})

t.test('GET /health/ready is 503 within 2 s, and says which is away, whatever hangs or fails', async t => {
  const parts = { storage: [never, broken], runtime: [never, broken] } as const
  for (const [part, faults] of Object.entries(parts)) {
    for (const fault of faults) {
      const runtime = listRuntime()
      const storage = memoryStorage() as CloudStorage
      const { client } = await build(t, { runtime, storage })
      if (part === 'runtime') Object.assign(runtime.metrics, { sample: fault })
      else Object.assign(storage.users, { count: fault })
      const isWithin = startClock(t)
      const answers = await Promise.all(Array.from({ length: 20 }, async () => await client()('GET', '/health/ready')))
      t.ok(isWithin(2_000 + 500), `${part} ${fault.name}`)
      const data = { storage: 'ok', runtime: 'ok', [part]: 'away' }
      for (const { status, body } of answers) t.strictSame([status, body], [503, { ...refusal(503, 'Not ready'), data }])
      t.equal((await client()('GET', '/health')).status, 200)
    }
  }
})

t.test('a storage that hangs is asked once, however often somebody asks whether it is ready', async t => {
  const storage = memoryStorage() as CloudStorage
  const { client } = await build(t, { storage })
  let asked = 0
  let answer = (): void => {}
  Object.assign(storage.users, {
    count: () => new Promise<number>(resolve => {
      asked++
      answer = () => { resolve(1) }
    })
  })
  for (let n = 0; n < 2; n++) await Promise.all(Array.from({ length: 10 }, async () => await client()('GET', '/health/ready')))
  t.equal(asked, 1)
  const last = client()('GET', '/health/ready')
  answer()
  t.equal((await last).status, 200, 'its answer counts, however old the question')
})
