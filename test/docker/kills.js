/** A core that is killed again and again while somebody writes, and a real player that is on one of its services meanwhile. */
import assert from 'node:assert/strict'
import { join } from '../e2e/player.js'
import { until } from '../e2e/waiting.js'

/**
 * Kills the core so often, at random moments, with templates made all the time; `disturb` is called before each second kill, `settle` when the
 * core is back. Answers how many were acknowledged: all of them are there.
 */
export async function killUnderWrites (cloud, kills, { disturb, settle }) {
  const { call } = cloud
  const [written, refused] = [new Set(), []]
  let number = 0
  for (let kill = 1; kill <= kills; kill++) {
    const writes = { over: false }
    const writing = (async () => {
      while (!writes.over) {
        const name = `written-${++number}`
        const answer = await call('POST', '/template/', { name }).catch(() => undefined)
        if (answer?.status === 202) written.add(name)
        else if (answer !== undefined && !writes.over) refused.push(`${name} is answered ${answer.status} ${JSON.stringify(answer.body)}`)
      }
    })()
    if (kill % 2 === 0) await disturb()
    await new Promise(resolve => setTimeout(resolve, Math.random() * 1500))
    writes.over = true
    await cloud.kill()
    await writing
    assert.deepEqual(refused, [])
    await cloud.open()
    await settle()
  }
  const templates = new Set()
  for (let page = 1, total = 1; page <= total; page++) {
    const { body } = await call('GET', `/templates/list?size=100&page=${page}`)
    total = body.totalPages
    for (const { name } of body.data) templates.add(name)
  }
  assert.ok(written.size > 0, 'something was written')
  assert.deepEqual([...written].filter(name => !templates.has(name)), [], 'what was acknowledged is there')
  return written.size
}

/** A player that has joined; `events` is what has come to it, as far as that is. */
export async function enter (t, events, where = { host: '127.0.0.1', port: 25_565, name: 'Notch' }) {
  for (;;) {
    const tried = []
    const player = join(where, event => tried.push(event))
    t.after(() => player.leave())
    await until('the player has joined, or not', () => tried.length > 0)
    if (tried[0].event !== 'joined') continue
    events.push(...tried)
    const forward = setInterval(() => { events.splice(0, events.length, ...tried) }, 100)
    t.after(() => { clearInterval(forward) })
    return player
  }
}
