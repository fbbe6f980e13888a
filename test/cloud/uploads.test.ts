/** Uploads that stall: on the side of the client, and on that of the runtime. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { createUploads } from '../../lib/cloud/uploads.js'

const never = new AbortController().signal

async function * body (pieces: number, end = Promise.resolve()): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < pieces; at++) yield Buffer.alloc(10)
  await end
}

t.test('a runtime that takes no more is given up, and hears of it', async t => {
  const uploads = createUploads(50, never)
  let heard: unknown
  await t.rejects(uploads.run('user', async ({ signal, settle }) => {
    signal.addEventListener('abort', () => { heard = signal.reason })
    await settle(new Promise(() => {}))
  }), { statusCode: 504, message: 'Runtime did not answer in time' })
  t.match(heard, { statusCode: 504 })
})

t.test('one that only waits for its client is not', async t => {
  const uploads = createUploads(50, never)
  let received = 0
  const slow = new Promise<void>(resolve => { setTimeout(resolve, 300) })
  await uploads.run('user', async ({ watch, settle }) => {
    await settle((async () => { for await (const piece of watch(body(3, slow))) received += piece.length })())
  })
  t.equal(received, 30)
})

t.test('S31: a client that sends a byte now and then is not waited for without end', async t => {
  const uploads = createUploads(60_000, never, 2_000)
  async function * drop (): AsyncGenerator<Uint8Array> {
    for (;;) {
      await pause(50)
      yield Buffer.alloc(1)
    }
  }
  let received = 0
  await t.rejects(uploads.run('user', async ({ watch, settle }) => {
    await settle((async () => { for await (const piece of watch(drop())) received += piece.length })())
  }), { statusCode: 408, message: 'Upload stalled' })
  t.ok(received > 0)
})

t.test('S31: one that sends slowly, but a KiB a second, is waited for however long it takes', async t => {
  const uploads = createUploads(60_000, never, 2_000)
  async function * slow (): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < 10; at++) {
      await pause(500)
      yield Buffer.alloc(2_048)
    }
  }
  let received = 0
  await uploads.run('user', async ({ watch, settle }) => {
    await settle((async () => { for await (const piece of watch(slow())) received += piece.length })())
  })
  t.equal(received, 20_480)
})

t.test('S20: a runtime that gets on with what it has is waited for, and no longer than that', async t => {
  const uploads = createUploads(200, never)
  let got = 0
  await t.rejects(uploads.run('user', async ({ progress, settle }) => {
    await settle((async () => {
      for (; got < 30; got++) {
        await pause(20)
        progress()
      }
      await new Promise(() => {})
    })())
  }), { statusCode: 504, message: 'Runtime did not answer in time' })
  t.equal(got, 30)
})

t.test('when the host closes, whoever reads a body is told', async t => {
  const closing = new AbortController()
  const uploads = createUploads(60_000, closing.signal)
  const reading = uploads.run('user', async ({ watch, settle }) => {
    await settle((async () => { for await (const { length } of watch(body(1, new Promise(() => {})))) setImmediate(() => { closing.abort(length) }) })())
  })
  await t.rejects(reading, { statusCode: 499, message: 'Client Closed Request' })
})

t.test('a place is given back, however it ended', async t => {
  const uploads = createUploads(60_000, never)
  const fail = async (): Promise<void> => { await uploads.run('user', async () => { throw new Error('no') }) }
  for (let at = 0; at < 10; at++) await t.rejects(fail(), { message: 'no' })
  const held: Array<() => void> = []
  const hold = (user: string): Promise<void> => uploads.run(user, async () => { await new Promise<void>(resolve => { held.push(resolve) }) })
  const all = ['a', 'b', 'c', 'd'].flatMap(user => Array.from({ length: 4 }, () => hold(user)))
  await t.rejects(hold('a'), { statusCode: 429, message: 'Too many uploads' })
  await t.rejects(hold('e'), { statusCode: 429, message: 'Too many uploads' }, 'sixteen are all')
  for (const resolve of held) resolve()
  await Promise.all(all)
  await uploads.run('e', async () => {})
})
