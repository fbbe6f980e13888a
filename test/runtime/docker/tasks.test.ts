/** What a swarm has of a service is told in an order that no clock can turn round. */
import type Docker from 'dockerode'
import t from 'tap'
import type { Client } from '../../../lib/runtime/docker/client.js'
import { createTasks, type Task } from '../../../lib/runtime/docker/swarm/tasks.js'

/** An engine that knows of these tasks. */
const knowing = (all: readonly Task[]): Client => ({
  ask: async (call: (docker: Docker, signal: AbortSignal) => Promise<unknown>) =>
    await call({ listTasks: async () => [...all] } as unknown as Docker, new AbortController().signal)
}) as unknown as Client

const task = (ID: string, DesiredState: string, CreatedAt: string): Task => ({ ID, ServiceID: 's', CreatedAt, DesiredState, Status: { State: 'running' }, Spec: {} })

t.test('what runs comes before what it has followed, also where a leader whose clock is behind has made it', async t => {
  const all = [
    task('older', 'shutdown', '2026-11-01T12:00:00.5Z'),
    task('lost', 'shutdown', '2026-11-01T12:05:00.5Z'),
    task('present', 'running', '2026-11-01T11:58:00.5Z')
  ]
  const tasks = createTasks({ client: knowing(all), cloud: 'c', every: 1_000, within: 1_000, isHasty: () => false })
  for (const list of [await tasks.of('s'), await tasks.all()]) t.strictSame(list.map(({ ID }) => ID), ['present', 'lost', 'older'])
})
