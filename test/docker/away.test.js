/** An engine that is away for a while, or hangs: it is told, nothing is taken for dead, and what was missed is seen when it is back. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createCloud } from './cloud.js'
import { directory, docker, here, skip } from './given.js'
import { until } from './until.js'

/** A way to the engine that can be cut, and made to hang. */
async function openWay () {
  const socketPath = join(directory, `way-${process.pid}.sock`)
  const open = new Set()
  let [server, hangs] = [undefined, false]
  const way = {
    socketPath,
    mend: async () => {
      hangs = false
      server = createServer(socket => {
        open.add(socket)
        socket.on('error', () => {})
        if (hangs) return
        const other = connect(here.socket)
        open.add(other)
        other.on('error', () => {})
        socket.pipe(other).pipe(socket)
        for (const [one, its] of [[socket, other], [other, socket]]) one.on('close', () => { its.destroy() })
      }).listen(socketPath)
      await once(server, 'listening')
    },
    hang: () => {
      hangs = true
      for (const socket of open) socket.unpipe().pause()
    },
    cut: () => {
      server.close()
      for (const socket of open) socket.destroy()
      open.clear()
      rmSync(socketPath, { force: true })
    }
  }
  await way.mend()
  return way
}

test('an engine that is away', { skip }, async t => {
  const way = await openWay()
  const cloud = await createCloud({ engine: { socketPath: way.socketPath }, timing: { sample: 500, kill: 500, look: 500, lease: 1000, call: 2000 } })
  t.after(async () => {
    await cloud.close()
    way.cut()
  })
  const { engine, nameOf } = cloud
  let told = 0
  engine.watch(() => { told++ })
  await engine.find()
  const [stays, dies] = [await cloud.start({ name: 'stays-1' }), await cloud.start({ name: 'dies-1' })]
  const [events, text] = [[], []]
  dies.watch(event => events.push(event.kind))
  await stays.follow(({ bytes }) => { text.push(Buffer.from(bytes)) }, { from: 'start', whole: () => true, signal: new AbortController().signal })
  await until('it reads', () => Buffer.concat(text).toString() === 'ready\n')
  const say = async word => await docker('exec', nameOf('stays-1'), 'sh', '-c', `echo ${word} > /proc/1/fd/1`)

  await t.test('is told to be away, and since when; what runs has no end', async () => {
    const before = Date.now()
    way.cut()
    const { since, why } = await until('it is away', () => engine.away)
    assert.ok(since >= before && /^Docker cannot be reached: /.test(why), why)
    assert.equal(told, 1)
    await assert.rejects(cloud.start({ name: 'late-1' }), error => error.fault === undefined)
    await docker('kill', nameOf('dies-1'))
    await say('meanwhile')
    assert.deepEqual([stays.end, dies.end], [undefined, undefined])
  })

  await t.test('is back: what has ended meanwhile is told, and what was printed is heard, once', async () => {
    await way.mend()
    await until('it is back', () => engine.away === undefined)
    await until('the end is told', () => events.includes('ended'))
    assert.deepEqual(dies.end, { code: null, signal: 'SIGKILL' })
    await say('again')
    await until('all is heard', () => Buffer.concat(text).toString().includes('again'))
    assert.equal(Buffer.concat(text).toString(), 'ready\nmeanwhile\nagain\n')
    assert.equal(stays.end, undefined)
    await cloud.start({ name: 'late-1' })
  })

  await t.test('that hangs is away, too, and no call waits for ever', async () => {
    way.hang()
    const began = performance.now()
    await assert.rejects(cloud.start({ name: 'never-1' }), /Docker has not answered within 2000 ms/)
    assert.ok(performance.now() - began < 10_000)
    await until('it is away', () => engine.away)
    way.cut()
    await way.mend()
    await until('it is back', () => engine.away === undefined)
    assert.equal(await stays.stop({ ask: { stdin: 'stop' }, timeout: 10_000 }), 'asked')
  })
})
