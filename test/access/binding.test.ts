/** Tokens are tied to the address and the user agent that they were issued to. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { adminPassword, base, build, testClock, testLog } from '../fixtures/cloud.js'
import { same } from '../fixtures/rows.js'
import { portOf } from '../fixtures/raw.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const refused = refusal(401, 'Invalid or expired token')
const home = '192.0.2.1'

/** How a request arrives. */
const from = (remoteAddress: string, userAgent = 'browser/1', more: Record<string, string> = {}) =>
  ({ remoteAddress, headers: { 'user-agent': userAgent, ...more } })

t.test('A token is tied to the address and the user agent that it was issued to', async t => {
  const { setUp, client } = await build(t, { clock: testClock() })
  await setUp()
  const loggedIn = async (at: ReturnType<typeof from>) => {
    const user = client()
    same(t, await user('POST', '/auth/login', { username: 'root', password: adminPassword }, at), { status: 200, message: 'Login successful' })
    return user
  }
  const user = await loggedIn(from(home))
  const valid = { status: 200, message: 'Token is valid', data: { token: user.token } }

  t.test('another address is 401, and the token stays valid for its owner (case 36)', async t => {
    for (const address of ['192.0.2.2', '192.0.2.10', '127.0.0.1', '::1', '2001:db8::c000:201', '::192.0.2.1']) {
      same(t, await user('GET', '/auth/token', undefined, from(address)), refused, address)
      same(t, await user('GET', '/auth/token', undefined, from(home)), valid, 'its owner')
    }
  })

  t.test('another user agent is 401, and the token stays valid for its owner (case 37)', async t => {
    for (const agent of ['browser/2', 'browser/1 ', 'Browser/1', 'browser/', '', 'x'.repeat(600)]) {
      // Around a header's value blanks mean nothing, on the wire; a test request is not sent over one.
      same(t, await user('GET', '/auth/token', undefined, from(home, agent)), refused, agent)
      same(t, await user('GET', '/auth/token', undefined, from(home)), valid, 'its owner')
    }
    same(t, await user('DELETE', '/user/tokens', undefined, from(home, 'browser/2')), refused, 'nothing is done for another')
    same(t, await user('POST', '/auth/logout', undefined, from('192.0.2.2')), refused)
    same(t, await user('GET', '/auth/token', undefined, from(home)), valid)
  })

  t.test('an address that the client claims is not believed without trustProxy (case 39)', async t => {
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'client-ip']) {
      same(t, await user('GET', '/auth/token', undefined, from('192.0.2.2', 'browser/1', { [name]: home })), refused, name)
      same(t, await user('GET', '/auth/token', undefined, from(home, 'browser/1', { [name]: '192.0.2.2' })), valid, name)
    }
  })

  t.test('an IPv4-mapped address is its IPv4 address, however it is written (case 38)', async t => {
    for (const address of ['::ffff:192.0.2.1', '::FFFF:192.0.2.1', '::ffff:c000:201', '::ffff:c000:0201', '0:0:0:0:0:ffff:192.0.2.1']) {
      same(t, await user('GET', '/auth/token', undefined, from(address)), valid, address)
      const mapped = await loggedIn(from(address))
      same(t, await mapped('GET', '/auth/token', undefined, from(home)), { ...valid, data: { token: mapped.token } }, `issued to ${address}`)
      const claims = JSON.parse(Buffer.from(mapped.token?.split('.')[1] as string, 'base64url').toString())
      t.equal(claims.ip, home)
    }
    for (const address of ['::ffff:192.0.2.2', '::ffff:c000:202']) same(t, await user('GET', '/auth/token', undefined, from(address)), refused, address)
  })

  t.test('an IPv6 address is the same in every spelling', async t => {
    const user = await loggedIn(from('2001:db8::1'))
    const valid = { status: 200, message: 'Token is valid', data: { token: user.token } }
    for (const address of ['2001:db8::1', '2001:DB8::1', '2001:db8:0:0:0:0:0:1', '2001:0db8::0001', '2001:db8::1%eth0']) {
      same(t, await user('GET', '/auth/token', undefined, from(address)), valid, address)
    }
    same(t, await user('GET', '/auth/token', undefined, from('2001:db8::2')), refused)
  })

  t.test('of a user agent the first 512 bytes count', async t => {
    const first = 'a'.repeat(511) + 'b'
    const user = await loggedIn(from(home, `${first}tail`))
    const valid = { status: 200, message: 'Token is valid', data: { token: user.token } }
    const claims = JSON.parse(Buffer.from(user.token?.split('.')[1] as string, 'base64url').toString())
    t.equal(claims.userAgent, first)
    for (const agent of [first, `${first}tail`, `${first}another tail`, `${first}${'x'.repeat(5_000)}`]) {
      same(t, await user('GET', '/auth/token', undefined, from(home, agent)), valid, `${agent.length} bytes`)
    }
    for (const agent of [first.slice(0, 511), `${'a'.repeat(512)}tail`, 'a'.repeat(511)]) {
      same(t, await user('GET', '/auth/token', undefined, from(home, agent)), refused, `${agent.length} bytes`)
    }
  })

  t.test('no user agent is bound as none', async t => {
    const none = { remoteAddress: home, headers: { 'user-agent': undefined as never } }
    const user = client()
    await user('POST', '/auth/login', { username: 'root', password: adminPassword }, none)
    const valid = { status: 200, message: 'Token is valid', data: { token: user.token } }
    const claims = JSON.parse(Buffer.from(user.token?.split('.')[1] as string, 'base64url').toString())
    t.equal(claims.userAgent, '')
    same(t, await user('GET', '/auth/token', undefined, none), valid)
    same(t, await user('GET', '/auth/token', undefined, from(home, '')), valid, 'an empty one is none')
    same(t, await user('GET', '/auth/token', undefined, from(home)), refused)
  })

  t.test('the token of the first setup is bound as well', async t => {
    const { client } = await build(t)
    const first = client()
    await first('POST', '/user/self', { username: 'root', password: adminPassword }, from(home))
    same(t, await first('GET', '/auth/token', undefined, from('192.0.2.2')), refused)
    same(t, await first('GET', '/auth/token', undefined, from(home)), { status: 200, message: 'Token is valid', data: { token: first.token } })
  })
})

t.test('of what a trusted proxy forwards as an address the first 64 characters count', async t => {
  const { setUp, client } = await build(t, { host: { trustProxy: true } })
  await setUp()
  const user = client()
  await user('POST', '/auth/login', { username: 'root', password: adminPassword }, from(home, 'browser/1', { 'x-forwarded-for': 'u'.repeat(5_000) }))
  const claims = JSON.parse(Buffer.from(user.token?.split('.')[1] as string, 'base64url').toString())
  t.equal(claims.ip, 'u'.repeat(64))
  t.equal((await user('GET', '/auth/token', undefined, from(home, 'browser/1', { 'x-forwarded-for': 'u'.repeat(70) }))).status, 200)
  same(t, await user('GET', '/auth/token', undefined, from(home, 'browser/1', { 'x-forwarded-for': 'u'.repeat(63) })), refused)
})

t.test('Option tokenBinding switches each of them off', async t => {
  for (const [tokenBinding, otherAddress, otherAgent] of [
    [{}, false, false],
    [{ ip: true, userAgent: true }, false, false],
    [{ ip: false }, true, false],
    [{ userAgent: false }, false, true],
    [{ ip: false, userAgent: false }, true, true]
  ] as const) {
    const { client } = await build(t, { tokenBinding })
    const user = client()
    await user('POST', '/user/self', { username: 'root', password: adminPassword }, from(home))
    const valid = { status: 200, message: 'Token is valid', data: { token: user.token } }
    const name = JSON.stringify(tokenBinding)
    same(t, await user('GET', '/auth/token', undefined, from(home)), valid, name)
    same(t, await user('GET', '/auth/token', undefined, from('192.0.2.2')), otherAddress ? valid : refused, `${name}: another address`)
    same(t, await user('GET', '/auth/token', undefined, from(home, 'browser/2')), otherAgent ? valid : refused, `${name}: another agent`)
    same(t, await user('GET', '/auth/token', undefined, from('192.0.2.2', 'browser/2')), otherAddress && otherAgent ? valid : refused, `${name}: both`)
    const { data: [{ data }] } = (await user('GET', '/user/tokens', undefined, from(home))).body
    t.strictSame([data.ip, data.userAgent], [home, 'browser/1'], 'both are told all the same')
  }
})

t.test("The host's trustProxy decides whose address it is (case 39)", async t => {
  const { client } = await build(t, { host: { trustProxy: '10.0.0.0/8' } })
  const user = client()
  const via = (proxy: string, forwarded: string) => from(proxy, 'browser/1', { 'x-forwarded-for': forwarded })
  await user('POST', '/user/self', { username: 'root', password: adminPassword }, via('10.0.0.1', home))
  const valid = { status: 200, message: 'Token is valid', data: { token: user.token } }
  const rows: Array<[ReturnType<typeof from>, { status: number, message: string }]> = [
    [via('10.0.0.1', home), valid],
    [via('10.9.9.9', home), valid],
    [via('::ffff:10.0.0.1', `::ffff:${home}`), valid],
    [via('10.0.0.1', `203.0.113.9, ${home}`), valid],
    [via('10.0.0.1', `${home}, 203.0.113.9`), refused],
    [via('10.0.0.1', '192.0.2.2'), refused],
    [via('203.0.113.9', home), refused],
    [from('10.0.0.1'), refused],
    [from(home), valid]
  ]
  for (const [at, wanted] of rows) same(t, await user('GET', '/auth/token', undefined, at), wanted, `${at.remoteAddress} for ${at.headers['x-forwarded-for' as never]}`)
})

t.test('A mismatch writes one audit line that tells whose token it was, and no activity (cases 36, 128)', async t => {
  const log = testLog()
  const clock = testClock()
  const { client } = await build(t, { host: log.host, clock })
  const user = client()
  await user('POST', '/user/self', { username: 'root', password: adminPassword }, from(home))
  const { uuid } = (await user('GET', '/user/self', undefined, from(home))).body.data
  const { data: [{ data: before }] } = (await user('GET', '/user/tokens', undefined, from(home))).body
  log.audits()
  clock.advance(5_000)
  await user('DELETE', '/user/tokens', undefined, from('192.0.2.2'))
  t.strictSame(log.audits(), [{ audit: 'token.mismatch', outcome: 'refused', ip: '192.0.2.2', owner: uuid }])
  await user('GET', '/user/self', undefined, from(home, 'browser/2'))
  t.strictSame(log.audits(), [{ audit: 'token.mismatch', outcome: 'refused', ip: home, owner: uuid }])
  clock.advance(-5_000)
  const { data: [{ data: after }] } = (await user('GET', '/user/tokens', undefined, from(home))).body
  t.strictSame(after, before)
})

t.test('S17: of a client that has reset its connection nothing is told, since nobody knows its address any more', async t => {
  const log = testLog()
  const { app, client } = await build(t, { host: log.host })
  const lost: unknown[] = []
  app.server.on('request', request => { if (request.socket.remoteAddress === undefined) lost.push(request) })
  const user = client()
  await app.listen({ host: '127.0.0.1', port: 0 })
  await user('POST', '/user/self', { username: 'root', password: adminPassword }, from('127.0.0.1'))
  log.audits()
  const port = portOf(app)
  const body = JSON.stringify({ username: 'root', password: 'wrong' })
  const requests = [
    `GET ${base}/user/self HTTP/1.1\r\nhost: x\r\ncookie: token=${user.token}\r\nuser-agent: browser/1\r\n\r\n`,
    `POST ${base}/auth/login HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    `GET ${base}/user/self HTTP/1.1\r\nhost: x\r\nauthorization: Bearer fc_${'a'.repeat(40)}\r\n\r\n`
  ]
  for (let count = 0; lost.length < 12 && count < 600; count++) {
    const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {})
    socket.once('connect', () => {
      socket.write(requests[count % requests.length] as string)
      socket.resetAndDestroy()
    })
    await once(socket, 'close')
    await turn()
  }
  t.ok(lost.length >= 12, `${lost.length} requests had no address`)
  t.strictSame(log.audits().filter(({ audit, ip }) => audit === 'token.mismatch' || (ip ?? '') === ''), [])
})
