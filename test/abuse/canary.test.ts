/**
 * Secrets are put in on purpose, in a walk through every operation and its failures. They may come out where the
 * interface gives them, and nowhere else: neither in the log at trace level nor in any other answer.
 */
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import t, { type Test } from 'tap'
import { type Answer, type Client, base, build } from '../fixtures/cloud.js'

t.setTimeout(600_000)

const secret = 'canary-secret-8f1d27c0-of-more-than-32-bytes'

/** Answers under observation: what was asked, and everything that came back. */
interface Watched {
  readonly asked: string
  readonly answer: Answer
}

/** Everywhere that a text may hide: as it is, in JSON, in an address, and in either base 64. */
function formsOf (text: string): readonly string[] {
  const bytes = Buffer.from(text)
  // Base 64 inside a longer text: shifted by no, one or two bytes, without the ends that mix with their neighbours.
  const shifted = [0, 1, 2].flatMap(shift => (['base64', 'base64url'] as const).map(encoding =>
    Buffer.concat([Buffer.alloc(shift), bytes]).toString(encoding).slice(shift === 0 ? 0 : 4, -4)))
  return [...new Set([text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text), bytes.toString('hex'), ...shifted])]
    .filter(form => form.length >= 8)
}

function findIn (text: string, canaries: ReadonlyMap<string, string>): readonly string[] {
  return [...canaries].filter(([canary]) => formsOf(canary).some(form => text.includes(form))).map(([, name]) => name)
}

t.test('the scan finds a canary in every disguise', async t => {
  const canaries = new Map([['a canary "of" passwords', 'it']])
  for (const disguise of [
    'x a canary "of" passwords y', JSON.stringify({ a: 'a canary "of" passwords' }), '/x?y=a%20canary%20%22of%22%20passwords',
    Buffer.from('{"password":"a canary "of" passwords"}').toString('base64url'), Buffer.from('a canary "of" passwords').toString('hex')
  ]) t.strictSame(findIn(disguise, canaries), ['it'], disguise)
  t.strictSame(findIn('nothing of the kind', canaries), [])
})

t.test('cases 8, 125: passwords, tokens, hashes and the secret appear where the interface gives them and nowhere else', async t => {
  const log: string[] = []
  const watched: Watched[] = []
  /** The canaries, and what each is called. */
  const canaries = new Map<string, string>([[secret, 'the secret']])
  const { app, storage, client, runtime } = await build(t, {
    secret,
    host: { logger: { level: 'trace', stream: { write: line => { log.push(line) } } } }
  })

  const put = (text: string, name: string): string => {
    canaries.set(text, name)
    return text
  }
  const token = (one: Client): string => one.token as string
  /** Notes the token that a client just got; its signature alone is as secret. */
  const noteToken = (one: Client, name: string): void => {
    put(token(one), `the token of ${name}`)
    put(token(one).slice(token(one).lastIndexOf('.') + 1), `the signature of ${name}`)
  }
  async function ask (one: Client, method: string, path: string, body?: unknown, options?: object): Promise<Answer> {
    const answer = await one(method, path, body, options)
    watched.push({ asked: `${method} ${path}`, answer })
    return answer
  }

  // The first setup and everything that can go wrong with a login.
  const stranger = client()
  const adminPassword = put('canary-password-of-the-admin', 'the password of the admin')
  await ask(stranger, 'POST', '/user/self', { username: 'x', password: put('canary-too-short'.slice(0, 9), 'a refused password'), roleId: 5 })
  await ask(stranger, 'POST', '/user/self', { username: 'x', password: put('canary-too-long-'.repeat(6), 'a long password') })
  const root = client()
  await ask(root, 'POST', '/user/self', { username: 'root', password: adminPassword })
  noteToken(root, 'root')
  await ask(stranger, 'POST', '/user/self', { username: 'late', password: put('canary-password-of-a-late-comer', 'a late password') })
  for (const body of [
    { username: 'root', password: put('canary-wrong-password', 'a wrong password') },
    { username: 'nobody', password: put('canary-password-of-nobody', 'the password of nobody') },
    { username: 'root', password: [put('canary-password-in-a-list', 'a password in a list')] },
    { username: 5, password: put('canary-password-without-a-name', 'a password without a name') },
    { password: put('canary-password-alone', 'a password alone') }
  ]) await ask(stranger, 'POST', '/auth/login', body)
  await ask(stranger, 'POST', '/auth/login', undefined, { payload: `{"password":"${put('canary-in-broken-json', 'a password in broken JSON')}"`, headers: { 'content-type': 'application/json' } })
  await ask(stranger, 'POST', '/auth/login', undefined, { payload: `password=${put('canary-in-a-form', 'a password in a form')}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } })
  await ask(stranger, 'POST', '/auth/login', undefined, { payload: '{}', headers: { 'content-type': put('canary/content-type', 'a content type') } })
  await ask(stranger, 'GET', `/auth/login?password=${put('canary-in-the-query-of-a-login', '-')}`)
  // An address is logged as it is sent; only tokens are known for what they are.
  canaries.delete('canary-in-the-query-of-a-login')

  // A user with a generated password.
  const made = await ask(root, 'POST', '/user/', { username: 'jane', roleId: 0 })
  const generated = put(made.body.data.password, 'the generated password')
  t.ok(Buffer.from(generated, 'base64url').length * 8 >= 96, 'at least 96 bits')
  const jane = client()
  await ask(jane, 'POST', '/auth/login', { username: 'jane', password: generated })
  noteToken(jane, 'jane, first')
  await ask(jane, 'GET', '/users/')
  await ask(jane, 'PATCH', '/user/self/change-password', { password: [put('canary-new-password-in-a-list', 'a new password in a list')] })
  await ask(jane, 'PATCH', '/user/self/change-password', { password: put('canary-new-password-of-jane', 'the new password of jane') })
  const twin = client()
  await ask(twin, 'POST', '/auth/login', { username: 'JANE', password: 'canary-new-password-of-jane' })
  noteToken(twin, 'jane, second')
  const hashes = (await storage.users.list()).map(({ user }) => user)
  for (const { username, passwordHash } of hashes) put(passwordHash, `the hash of ${username}`)
  t.equal(hashes.length, 2)

  // Tokens in all places where they do not belong.
  for (const one of [token(root), token(twin)]) {
    for (const [method, path] of [
      ['DELETE', `/user/token/${one}x`], ['GET', `/user/token/${one}`], ['GET', `/${one}`], ['GET', `/role/${one}`], ['PATCH', `/template/${one}`],
      ['DELETE', `/group/${one}`], ['DELETE', `/user/${one}`], ['GET', `/users/?token=${one}`], ['GET', `/alive?token=${one}`],
      ['GET', `/player/${one}`], ['PATCH', `/service/${one}/restart`], ['DELETE', `/user/token/${one.replaceAll('.', '%2e')}`],
      ['GET', `/system/information/minutes?from=${one}`], ['GET', `/players/list?page=${one}`], ['DELETE', `//user/token/${one}/`]
    ] as const) await ask(stranger, method, path)
    await ask(stranger, 'GET', '/user/self', undefined, { headers: { authorization: `Bearer ${one}` } })
    await ask(stranger, 'GET', '/user/self', undefined, { headers: { cookie: `token=${one}; token=x` } })
    await ask(stranger, 'GET', '/user/self', undefined, { headers: { cookie: `token=${one}`, 'user-agent': 'a thief' } })
    await ask(stranger, 'POST', '/auth/logout', undefined, { headers: { cookie: `token=${one}`, origin: 'https://evil.example' } })
  }
  await ask(jane, 'DELETE', `/user/token/${token(root)}`)
  await ask(root, 'DELETE', `/user/token/${token(jane)}`)

  // Every operation, well and badly asked, by everybody.
  const bodies: readonly unknown[] = [undefined, {}, { username: 'j', uuid: 'x', roleId: 'x', name: 'x', label: 'x', hexColor: '#FFF', command: 'help' }]
  const walk = async (one: Client): Promise<void> => {
    for (const { method, path } of app.cloud.routes) {
      if (method === 'DELETE' && path.startsWith('/user/')) continue
      if (path === '/auth/logout' || path.startsWith('/user/self/')) continue
      const address = path.replace(/\{\w+\}/, 'lobby')
      for (const body of method === 'GET' ? [undefined] : bodies) await ask(one, method, address, body)
    }
  }
  for (const one of [root, jane, stranger]) await walk(one)

  // What the storage and the runtime say when they break holds secrets as well.
  const broken = async (): Promise<never> => {
    throw new Error(`select '${put('canary-in-an-sql-error', 'the text of an SQL error')}' from postgres://cloud:${put('canary-database-password', 'the database password')}@db`)
  }
  const { list, find, findByNameKey } = storage.users
  Object.assign(storage.users, { list: broken, find: broken, findByNameKey: broken })
  const { list: services } = runtime.services
  Object.assign(runtime.services, { list: broken })
  await walk(root)
  await ask(stranger, 'POST', '/auth/login', { username: 'root', password: adminPassword })
  Object.assign(storage.users, { list, find, findByNameKey })
  Object.assign(runtime.services, { list: services })
  const foreign = new Set(['the text of an SQL error', 'the database password'])

  // The ends.
  await ask(twin, 'POST', '/auth/logout')
  await ask(jane, 'DELETE', `/user/token/${token(jane)}`)
  const again = client()
  await ask(again, 'POST', '/auth/login', { username: 'jane', password: 'canary-new-password-of-jane' })
  noteToken(again, 'jane, third')
  await ask(again, 'GET', '/auth/token')
  await ask(again, 'GET', '/user/tokens')
  await ask(again, 'DELETE', '/user/tokens')
  await ask(root, 'DELETE', '/user/self')

  await t.test('the answers', async t => { checkAnswers(t, watched, canaries) })
  await t.test('the log at trace level', async t => {
    const text = log.join('')
    // Why the storage or the runtime broke is the operator's to read; the rest is nobody's.
    t.strictSame(findIn(text, canaries).filter(name => !foreign.has(name)), [])
    t.notMatch(text, /\$2[aby]\$\d\d\$/, 'no hash at all')
    t.notMatch(text, /eyJ[\w-]+\.[\w-]+\.[\w-]+/, 'no token at all')
    t.notMatch(text, /set-cookie/i)
    t.ok(log.length > 400 && text.includes('"audit":"login"') && text.includes('/user/token/[token]'), 'the log was heard')
  })
})

/** Where the interface gives a secret. */
function checkAnswers (t: Test, watched: readonly Watched[], canaries: ReadonlyMap<string, string>): void {
  const found = new Map<string, string[]>()
  for (const { asked, answer } of watched) {
    const { 'set-cookie': _, ...headers } = answer.headers
    for (const [place, text] of [['cookie', answer.setCookie ?? ''], ['headers', JSON.stringify(headers)], ['body', JSON.stringify(answer.body)]] as const) {
      for (const name of findIn(text, canaries)) found.set(name, [...found.get(name) ?? [], `${asked}: ${place}`])
    }
  }
  t.strictSame(found.get('the generated password'), ['POST /user/: body'], 'once')
  found.delete('the generated password')
  const allowed = /^(?:POST \/auth\/login: cookie|POST \/user\/self: cookie|GET \/auth\/token: body|GET \/user\/tokens: body)$/
  const leaks = [...found].flatMap(([name, places]) => places.filter(place => !allowed.test(place)).map(place => `${name} in ${place}`))
  t.strictSame([...new Set(leaks)], [])
  for (const name of ['root', 'jane, first', 'jane, second', 'jane, third']) t.ok(found.has(`the token of ${name}`), `the token of ${name} was given`)
  t.ok(watched.some(({ answer: { status } }) => status >= 500) && watched.some(({ answer: { status } }) => status === 401), 'failures were among them')
}

t.test('case 62: a header that is too long, or a broken request, puts no token into the log', async t => {
  const log: string[] = []
  const { app, setUp } = await build(t, { host: { logger: { level: 'trace', stream: { write: line => { log.push(line) } } } } })
  const token = (await setUp()).token as string
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  for (const text of [
    `GET ${base}/user/self HTTP/1.1\r\nHost: x\r\nCookie: token=${token}; filler=${'x'.repeat(20_000)}\r\n\r\n`,
    `GET ${base}/user/self HTTP/1.1\r\nHost: x\r\nCookie: token=${token}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
    `GET ${base}/user/self HTTP/9.9\r\nCookie: token=${token}\r\n\r\n`,
    `POST ${base}/auth/logout HTTP/1.1\r\nHost: x\r\nCookie: token=${token}\r\nContent-Length: -1\r\n\r\n`
  ]) {
    const socket = connect(port, '127.0.0.1')
    let answer = ''
    socket.on('data', chunk => { answer += String(chunk) }).on('error', () => {})
    socket.write(text)
    await once(socket, 'close')
    t.match(answer, /^HTTP\/1\.1 4\d\d /)
    t.equal(answer.includes(token), false)
  }
  const signature = token.slice(token.lastIndexOf('.') + 1)
  t.equal(log.join('').includes(signature), false)
})
