/** `client.events()` on a network that has died without a word; in a file of its own, since what `fetch` keeps does not bear a clock that is not real. */
import { mock } from 'node:test'
import t from 'tap'
import { createClient } from '../../lib/client/index.js'

/** Lets what is ready happen. */
const turns = async (): Promise<void> => { for (let turn = 0; turn < 10; turn++) await new Promise<void>(resolve => { setImmediate(resolve) }) }

t.test('a request for the stream that died without a word is asked again after 10 s', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => { mock.timers.reset() })
  const requests: Request[] = []
  const cloud = createClient({
    url: 'http://127.0.0.1:1',
    fetch: async request => {
      requests.push(request)
      if (requests.length === 1) return await new Promise(() => {})
      return new Response('id: a-1\nevent: snapshot\ndata: {"services":[]}\n\n', { headers: { 'content-type': 'text/event-stream' } })
    }
  })
  const lost: unknown[] = []
  const stream = cloud.events({ onLost: cause => { lost.push(cause) } })
  const first = stream.next()
  await turns()
  mock.timers.tick(9_999)
  await turns()
  t.strictSame([requests.length, lost.length], [1, 0], 'a core that is slow has its time')
  mock.timers.tick(1)
  await turns()
  t.match(lost, [{ message: 'Nothing came for too long' }])
  mock.timers.tick(100)
  t.match(await first, { value: { type: 'snapshot' } })
  t.equal(requests[0]?.signal.aborted, true, 'and it holds no connection')
  await stream.return()
})
