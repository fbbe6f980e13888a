/** How passwords are set, checked and made. */
import t from 'tap'
import { adminPassword, build, testClock, testLog } from '../fixtures/cloud.js'
import { noTexts, same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const changed = { status: 200, message: 'Password changed successfully' }
const wrong = refusal(401, 'Invalid credentials')
const welcome = { status: 200, message: 'Login successful' }
const tooShort = refusal(400, 'Password must have at least 8 characters')
const tooLong = refusal(400, 'Password is too long')
const invalid = refusal(400, 'Password is invalid')
const required = refusal(400, 'Password is required')
const loginThrottle = { perAddress: 1_000, perAddressAndName: 1_000 }

t.test('A password', async t => {
  const { setUp, client } = await build(t, { loginThrottle })
  const root = await setUp()
  const change = (password: unknown) => root('PATCH', '/user/self/change-password', { password })
  const login = (password: string) => client()('POST', '/auth/login', { username: 'root', password })

  t.test('has 8 characters, not bytes and not units', async t => {
    for (const password of ['12345678', 'éééééééé', '😀'.repeat(8), '漢'.repeat(8), '  a b c ', '........']) {
      same(t, await change(password), changed)
      same(t, await login(password), welcome)
      same(t, await login(`${password}x`), wrong)
      same(t, await login([...password].slice(1).join('')), wrong)
    }
    for (const password of ['1', '1234567', 'ééééééé', '😀'.repeat(7), 'e\u0301e\u0301e\u0301e']) same(t, await change(password), tooShort)
  })

  t.test('has at most 72 bytes of UTF-8, every one of which counts (case 5)', async t => {
    const longest = ['x'.repeat(72), 'é'.repeat(36), '漢'.repeat(24), '😀'.repeat(18), `${'😀'.repeat(17)}abcd`]
    for (const password of longest) {
      t.equal(Buffer.byteLength(password), 72)
      same(t, await change(password), changed)
      same(t, await login(password), welcome)
      same(t, await login(`${password}x`), wrong, 'bcrypt alone would not see the 73rd byte')
      same(t, await login(`${[...password].slice(0, -1).join('')}y`), wrong, 'the last one counts')
    }
    for (const password of ['x'.repeat(73), `${'é'.repeat(36)}x`, `${'漢'.repeat(24)}x`, `${'😀'.repeat(18)}x`, '😀'.repeat(19), 'x'.repeat(100_000)]) {
      same(t, await change(password), tooLong)
    }
  })

  t.test('holds no NUL and no lone surrogate, when set and at login (case 6)', async t => {
    same(t, await change('long enough'), changed)
    for (const password of ['long enough\0', '\0long enough', 'long\0enough', '\0'.repeat(8), 'long enough\ud800', '\udc00long enough', 'long\ud800enough']) {
      same(t, await change(password), invalid, JSON.stringify(password))
      same(t, await login(password), wrong)
    }
    same(t, await change('long enough\ufffd'), changed)
    same(t, await login('long enough\ud800'), wrong, 'a lone surrogate is no replacement character')
    same(t, await login('long enough\ufffd'), welcome)
    same(t, await change('\u{1f600}long enough'), changed, 'a pair of surrogates is a character')
  })

  t.test('is taken as it is: neither composed, trimmed nor folded (case 7)', async t => {
    for (const [password, others] of [
      ['caf\u00e9 au lait', ['cafe\u0301 au lait', 'cafe au lait']],
      ['cafe\u0301 au lait', ['caf\u00e9 au lait']],
      [' with blanks ', ['with blanks', ' with blanks', 'with blanks ']],
      ['Upper Case', ['upper case', 'UPPER CASE']],
      ['ｗｉｄｅ one', ['wide one']],
      ['"quoted"\\n', ['"quoted"\n']],
      ['12345678', ['012345678', '1234567８']]
    ] as const) {
      same(t, await change(password), changed)
      for (const other of others) same(t, await login(other), wrong)
      same(t, await login(password), welcome)
    }
  })

  t.test('that breaks several rules is refused by the first', async t => {
    for (const [password, refusal] of [['', required], ['        ', required], [12345678, required], ['\0', invalid], ['\ud800'.repeat(80), invalid], ['short', tooShort]] as const) {
      same(t, await change(password), refusal, JSON.stringify(password).slice(0, 20))
    }
  })
})

t.test('The first password keeps the same rules, and a refused one creates nobody (cases 5, 6)', async t => {
  const { client, storage } = await build(t)
  for (const [password, refusal] of [
    ['1234567', tooShort], ['x'.repeat(73), tooLong], ['😀'.repeat(19), tooLong], ['long\0enough', invalid], ['long\ud800enough', invalid]
  ] as const) {
    const answer = await client()('POST', '/user/self', { username: 'root', password })
    same(t, answer, refusal)
    t.equal(answer.setCookie, undefined)
  }
  t.equal(await storage.users.count(), 0)
  same(t, await client()('POST', '/user/self', { username: 'root', password: '😀'.repeat(18) }), { status: 201, message: 'User created successfully' })
})

t.test('Option minPasswordLength counts for passwords that are set, not at login', async t => {
  const { setUp, storage } = await build(t, { minPasswordLength: 16 })
  const root = await setUp()
  same(t, await root('PATCH', '/user/self/change-password', { password: 'x'.repeat(15) }), refusal(400, 'Password must have at least 16 characters'))
  same(t, await root('PATCH', '/user/self/change-password', { password: 'x'.repeat(16) }), changed)
  const strict = await build(t, { minPasswordLength: 72, storage })
  same(t, await strict.client()('POST', '/auth/login', { username: 'root', password: 'x'.repeat(16) }), welcome)
  const { setUp: lax } = await build(t, { minPasswordLength: 1 })
  same(t, await (await lax())('PATCH', '/user/self/change-password', { password: 'x' }), changed)
})

t.test('A generated password', async t => {
  const { setUp, client, storage } = await build(t, { loginThrottle })
  const root = await setUp()

  t.test('has at least 96 bits of randomness, in characters that can be typed (case 8)', async t => {
    const all: string[] = []
    for (let index = 0; index < 40; index++) all.push((await root('POST', '/user/', { username: `user${index}` })).body.data.password)
    t.equal(new Set(all).size, 40)
    const bits = all.map(password => password.length * 6)
    for (const [index, password] of all.entries()) {
      t.match(password, /^[A-Za-z0-9_-]+$/)
      t.ok((bits[index] as number) >= 96)
    }
    // Were any place fixed, or drawn from few characters, it would show in forty.
    for (let place = 0; place < (all[0] as string).length; place++) t.ok(new Set(all.map(password => password[place])).size > 10, `place ${place}`)
  })

  t.test('appears once, and nowhere else (cases 8, 30)', async t => {
    const made = await root('POST', '/user/', { username: 'bob' })
    const { password } = made.body.data
    same(t, made, { status: 201, message: 'User created successfully', data: { password } })
    t.notOk(JSON.stringify(made.headers).includes(password))
    same(t, await root('POST', '/user/', { username: 'bob' }), refusal(400, 'Username already exists'))
    for (const path of ['/users/', '/roles/', `/user/${(await storage.users.findByNameKey('bob'))?.user.uuid}`]) {
      const { status, body } = await root('GET', path)
      t.equal(status, 200)
      t.notOk(JSON.stringify(body).includes(password))
      t.notOk(JSON.stringify(body).includes('$2'), 'nor its hash')
    }
  })

  t.test('is void once it has been changed, and is no longer than a password may be', async t => {
    const { password } = (await root('POST', '/user/', { username: 'ann' })).body.data
    const ann = client()
    same(t, await ann('POST', '/auth/login', { username: 'ann', password }), welcome)
    same(t, await ann('PATCH', '/user/self/change-password', { password: 'password of ann' }), changed)
    same(t, await client()('POST', '/auth/login', { username: 'ann', password }), wrong)
    same(t, await ann('PATCH', '/user/self/change-password', { password }), changed)
  })
})

t.test('What is stored is a salted bcrypt hash of the cost asked for', async t => {
  const { client, storage } = await build(t, { passwordCost: 5 })
  const root = client()
  await root('POST', '/user/self', { username: 'root', password: adminPassword })
  const hash = async (): Promise<string> => (await storage.users.findByNameKey('root'))?.user.passwordHash as string
  const first = await hash()
  t.match(first, /^\$2[aby]\$05\$[./A-Za-z0-9]{53}$/)
  await root('PATCH', '/user/self/change-password', { password: adminPassword })
  t.match(await hash(), /^\$2[aby]\$05\$/)
  t.not(await hash(), first, 'the same password has another hash')
})

t.test('While it was not changed the generated password cannot be chosen again', async t => {
  const { setUp, client } = await build(t, { loginThrottle })
  const root = await setUp()
  const { password } = (await root('POST', '/user/', { username: 'ann' })).body.data
  const ann = client()
  await ann('POST', '/auth/login', { username: 'ann', password })
  same(t, await ann('PATCH', '/user/self/change-password', { password }), refusal(400, 'Password must be a new one'))
  t.equal((await ann('GET', '/user/self')).body.data.hasChangedPassword, false)
  same(t, await ann('GET', '/roles/'), refusal(403, 'Password change required'))
  same(t, await ann('PATCH', '/user/self/change-password', { password: `${password}x` }), changed)
  same(t, await ann('PATCH', '/user/self/change-password', { password: `${password}x` }), changed, 'one that was chosen may stay')
})

t.test('Option requireCurrentPassword', async t => {
  const currentRequired = refusal(400, 'Current password is required')
  const currentWrong = refusal(403, 'Current password is wrong')

  t.test('asks for the current password beside the new one', async t => {
    const log = testLog()
    const { setUp, client } = await build(t, { requireCurrentPassword: true, host: log.host })
    const root = await setUp()
    const change = (body: object) => root('PATCH', '/user/self/change-password', body)
    const next = 'another password'
    for (const none of noTexts) same(t, await change({ password: next, currentPassword: none }), currentRequired)
    same(t, await change({ currentPassword: adminPassword }), required)
    same(t, await change({}), required, 'the fields in their order')
    same(t, await change({ password: 'short', currentPassword: 'wrong password' }), tooShort, 'what may not be chosen goes before what is wrong')
    log.audits()
    for (const currentPassword of ['wrong password', next, `${adminPassword}x`, 'x'.repeat(100), `${adminPassword}\0`]) {
      same(t, await change({ password: next, currentPassword }), currentWrong)
    }
    t.strictSame(log.audits().map(({ audit, outcome, reason }) => [audit, outcome, reason]), Array(5).fill(['user.password-changed', 'refused', 'Current password is wrong']))
    same(t, await client()('POST', '/auth/login', { username: 'root', password: adminPassword }), welcome)
    same(t, await change({ password: next, currentPassword: adminPassword }), changed)
    same(t, await client()('POST', '/auth/login', { username: 'root', password: next }), welcome)
    same(t, await change({ password: next, currentPassword: next }), changed)
  })

  t.test('counts wrong ones as failed logins', async t => {
    const clock = testClock()
    const { setUp, client } = await build(t, { requireCurrentPassword: true, clock })
    const root = await setUp()
    const change = (currentPassword: string) => root('PATCH', '/user/self/change-password', { password: 'another password', currentPassword })
    const throttled = refusal(429, 'Too many failed logins')
    for (let n = 0; n < 10; n++) same(t, await change(`wrong ${n}`), currentWrong)
    const eleventh = await change(adminPassword)
    same(t, eleventh, throttled)
    t.equal(eleventh.headers['retry-after'], '300')
    same(t, await client()('POST', '/auth/login', { username: 'root', password: adminPassword }), throttled)
    same(t, await client()('POST', '/auth/login', { username: 'root', password: adminPassword }, { remoteAddress: '192.0.2.1' }), welcome, 'elsewhere')
    clock.advance(300_000)
    same(t, await change(adminPassword), changed)
  })

  t.test('many at once get no further than one after the other', async t => {
    const { setUp } = await build(t, { requireCurrentPassword: true })
    const root = await setUp()
    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => root('PATCH', '/user/self/change-password', { password: 'another password', currentPassword: `wrong ${n}` })))
    t.strictSame(new Set(answers.map(({ status }) => status)), new Set([403, 429]))
    t.ok(answers.filter(({ status }) => status === 403).length <= 10)
  })

  t.test('applies to a generated password as well, which cannot be chosen again', async t => {
    const { setUp, client } = await build(t, { requireCurrentPassword: true })
    const { password } = (await (await setUp())('POST', '/user/', { username: 'ann' })).body.data
    const ann = client()
    await ann('POST', '/auth/login', { username: 'ann', password })
    same(t, await ann('PATCH', '/user/self/change-password', { password, currentPassword: password }), refusal(400, 'Password must be a new one'))
    same(t, await ann('PATCH', '/user/self/change-password', { password: 'password of ann', currentPassword: password }), changed)
  })

  t.test('is off by default, and then the field is ignored', async t => {
    const { setUp } = await build(t)
    const root = await setUp()
    for (const currentPassword of ['wrong password', 5, null, {}]) {
      same(t, await root('PATCH', '/user/self/change-password', { password: 'another password', currentPassword }), changed)
    }
  })
})
