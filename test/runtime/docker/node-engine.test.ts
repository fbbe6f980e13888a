/** Nobody waits for the engine of a node that its swarm has lost, and nothing of it is asked without end. */
import { PassThrough } from 'node:stream'
import type Docker from 'dockerode'
import t from 'tap'
import type { Client } from '../../../lib/runtime/docker/client.js'
import { createOutput } from '../../../lib/runtime/docker/output.js'
import { createNodeEngine } from '../../../lib/runtime/docker/swarm/node-engine.js'
import { until } from '../../fixtures/until.js'

/** An engine that answers nothing: its network is gone, which nobody is told. */
const silent = {
  ask: async (_action: unknown, { signal }: { readonly signal?: AbortSignal } = {}) => await new Promise((_resolve, reject) => {
    if (signal?.aborted === true) reject(signal.reason)
    signal?.addEventListener('abort', () => { reject(signal.reason) })
  })
} as unknown as Client

/** An engine that does what it is asked to at once. */
const answering = { ask: async (action: (docker: Docker, signal: AbortSignal) => Promise<unknown>) => await action({} as Docker, new AbortController().signal) } as unknown as Client

t.test('what is asked of the engine of a lost node ends as soon as the swarm has lost it, and is refused until it has it again', async t => {
  const { client, note } = createNodeEngine(silent, 'm2')
  const lost = { code: 'ETIMEDOUT', message: 'The swarm has lost the node m2' }
  const waiting = [client.ask(async () => {}), client.ask(async () => {}, { signal: new AbortController().signal })]
  note(false)
  note(true)
  for (const one of waiting) await t.rejects(one, lost)
  await t.rejects(client.ask(async () => {}), lost)
  note(true)
  note(false)
  const again = client.ask(async () => {})
  t.equal(await Promise.race([again, Promise.resolve('it is asked')]), 'it is asked')
  note(true)
  await t.rejects(again, lost)
})

t.test('an output that says nothing more ends when its life is over, also where the engine ends it never', async t => {
  const stream = new PassThrough()
  let isOver = false
  const output = createOutput({ client: answering, source: () => ({ logs: async ({ follow }: { readonly follow: boolean }) => follow ? stream : Buffer.alloc(0) }) as never, isOver: () => isOver, quiet: 20 })
  await output.follow(() => {}, { from: 'start', whole: () => true, signal: new AbortController().signal })
  isOver = true
  await until(() => stream.destroyed, 'nobody reads it any more')
  await output.drained()
})

t.test('an output that cannot be had when its life is over is asked for no more than twice', async t => {
  let asked = 0
  const logs = async ({ follow }: { readonly follow: boolean }): Promise<unknown> => {
    if (!follow) return Buffer.alloc(0)
    asked++
    throw Object.assign(new Error('gone'), { code: 'ETIMEDOUT' })
  }
  const output = createOutput({ client: answering, source: () => ({ logs }) as never, isOver: () => true })
  await output.follow(() => {}, { from: 'start', whole: () => true, signal: new AbortController().signal })
  await output.drained()
  t.ok(asked > 0 && asked <= 2, `${asked} times`)
})
