/** Wrong options fail the registration, and say which and what; right ones have the defaults that are written down. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Fastify from 'fastify'
import t from 'tap'
import { type CloudOptions, SetupError, fastifyCloud, userPermissions } from '../lib/index.js'
import { readOptions } from '../lib/options.js'
import { openSqliteStorage } from '../lib/storage/sqlite.js'
import { repository } from './fixtures/repository.js'
import { listRuntime } from './fixtures/runtime.js'

t.setTimeout(600_000)

const secret = 'the secret of the cloud, longer than 32 bytes'
const runtime = listRuntime()
const directory = mkdtempSync(join(tmpdir(), 'fastify-cloud-'))
const storage = await openSqliteStorage({ file: `${directory}/cloud.db`, defaultPermissions: userPermissions() })
t.teardown(async () => {
  await storage.close()
  rmSync(directory, { recursive: true })
})

async function register (options: unknown): Promise<unknown> {
  const app = Fastify()
  try {
    await app.register(fastifyCloud, options as CloudOptions)
    await app.ready()
    return undefined
  } catch (error) {
    return error
  } finally {
    await app.close()
  }
}

const right = { runtime, storage, secret }
const circle: Record<string, unknown> = {}
circle['self'] = circle

/** The option's name, what is given for it, and how the message names that. */
const wrong: ReadonlyArray<readonly [name: string, value: unknown, given?: string]> = [
  ['prefix', 5], ['prefix', ''], ['prefix', '/'], ['prefix', 'cloud'], ['prefix', '/cloud/'], ['prefix', '/:tenant'], ['prefix', '/a/*'],
  ['prefix', '//a'], ['prefix', null],
  ['prefix', '/.'], ['prefix', '/..'], ['prefix', '/a/../b'], ['prefix', '/./a'], ['prefix', '/a/.'], ['prefix', '/a//b'], ['prefix', '/a b'], ['prefix', '/%2e'],
  ['namespace', ''], ['namespace', 'Cloud'], ['namespace', 'a.b'], ['namespace', 'ä'], ['namespace', ['cloud']], ['namespace', null],
  ['namespace', 'cloud\n'],
  ['decorator', ''], ['decorator', '1a'], ['decorator', 'a-b'], ['decorator', Symbol.for('x'), 'Symbol(x)'], ['decorator', true],
  ['version', ''], ['version', 1], ['version', null], ['version', () => '1', 'a function'],
  ['tokenBinding', true], ['tokenBinding', []], ['tokenBinding', null], ['tokenBinding', 'ip'],
  ['tokenBinding.ip', 'yes'], ['tokenBinding.ip', null], ['tokenBinding.userAgent', 1],
  ['cookie', 'token'], ['cookie', null], ['cookie', []],
  ['cookie.name', ''], ['cookie.name', 'a b'], ['cookie.name', 'a=b'], ['cookie.name', 'a;b'], ['cookie.name', 'x'.repeat(65)], ['cookie.name', null],
  ['cookie.domain', ''], ['cookie.domain', 'a b'], ['cookie.domain', 'a;Path=/'], ['cookie.domain', 5], ['cookie.domain', null],
  ['cookie.sameSite', 'Strict'], ['cookie.sameSite', true], ['cookie.sameSite', null],
  ['cookie.secure', 'false'], ['cookie.secure', 0], ['cookie.secure', null],
  ['allowedOrigins', 'https://panel.example'], ['allowedOrigins', {}], ['allowedOrigins', null],
  ['requirePasswordChange', 'no'], ['requirePasswordChange', null], ['requireCurrentPassword', 1], ['requireCurrentPassword', null],
  ['minPasswordLength', 0], ['minPasswordLength', 73], ['minPasswordLength', 8.5], ['minPasswordLength', '8'], ['minPasswordLength', NaN, 'NaN'],
  ['passwordCost', 3], ['passwordCost', 16], ['passwordCost', '10'], ['passwordCost', 10n, '10'],
  ['sessionsPerUser', 0], ['sessionsPerUser', 10_001], ['sessionsPerUser', Infinity, 'Infinity'],
  ['keysPerUser', 0], ['keysPerUser', 10_001], ['keysPerUser', '5'],
  ['auditDays', 0], ['auditDays', '90'],
  ['loginThrottle', false], ['loginThrottle', []], ['loginThrottle', 10],
  ['loginThrottle.perAddress', 0], ['loginThrottle.perAddressAndName', -1], ['loginThrottle.window', 1.5], ['loginThrottle.window', '5m'],
  ['runtimeTimeout', 0], ['runtimeTimeout', 2 ** 31], ['runtimeTimeout', '10s'], ['runtimeTimeout', null],
  ['deleteTimeout', -1], ['deleteTimeout', NaN, 'NaN'], ['deleteTimeout', circle, 'object'],
  ['maxTemplateFile', 0], ['maxTemplateFile', '1 GiB'], ['maxTemplateArchive', 1.5], ['maxTemplateArchive', null],
  ['live', true], ['live', []], ['live.queryToken', 'yes'], ['live.binding', 1], ['live.socketsPerUser', 0], ['live.sockets', '5'], ['live.message', -1],
  ['live.backlog', 1.5], ['live.history', null],
  ['metrics', false], ['metrics', []], ['metrics', null],
  ['metrics.registry', 5, 'number'], ['metrics.registry', {}, 'an object with nothing'],
  ['metrics.interval', -1], ['metrics.interval', 60_001], ['metrics.interval', NaN, 'NaN'],
  ['metrics.keepMinutes', 0], ['metrics.keepHours', 0], ['metrics.keepDays', 0], ['metrics.keepDays', '5y']
]

t.test('each wrong option fails the registration with its name and what was given', async t => {
  for (const [name, value, given = JSON.stringify(value)] of wrong) {
    const [outer = '', inner] = name.split('.')
    const error = await register({ ...right, [outer]: inner === undefined ? value : { [inner]: value } })
    t.ok(error instanceof SetupError, `${name}: ${given}`)
    const { code, message } = error as SetupError
    t.equal(code, 'CLOUD_ERR_OPTION')
    t.ok(message.startsWith(`Option \`${name}\` must be `), message)
    t.ok(message.endsWith(`; given: ${given}`), message)
    t.notMatch(message, /another form|undefined/)
  }
})

t.test('every option in types/options.ts is tried here', async t => {
  const page = readFileSync(join(repository, 'types/options.ts'), 'utf8')
  const tried = new Set([...wrong.flatMap(([name]) => name.split('.')), 'runtime', 'storage', 'secret', 'clock'])
  const named = [...page.matchAll(/readonly (\w+)\??:/g)].map(([, name = '']) => name)
  t.strictSame(named.filter(name => !tried.has(name)), [])
  t.ok(named.length > 25)
})

t.test('an origin that is none is named in the list', async t => {
  for (const origin of ['panel.example', 'https://panel.example/', 'https://panel.example/path', 'HTTPS://panel.example', '*', 'null', '', 'https://*.panel.example', 'https://*', 'ws://panel.example', 'ftp://panel.example', 'https://panel.example:443', 'https://ä.example']) {
    t.match(await register({ ...right, allowedOrigins: ['https://panel.example', origin] }), {
      code: 'CLOUD_ERR_OPTION',
      message: `Option \`allowedOrigins\` must be a list of origins such as https://panel.example, without wildcards; given: ${JSON.stringify(origin)}`
    })
  }
  t.match(await register({ ...right, allowedOrigins: ['https://a.example', 5] }), {
    message: 'Option `allowedOrigins.1` must be a list of origins such as https://panel.example, without wildcards; given: 5'
  })
})

t.test('options that contradict each other fail the registration', async t => {
  t.match(await register({ ...right, cookie: { sameSite: 'none', secure: false } }), {
    code: 'CLOUD_ERR_OPTION', message: 'Option `cookie.sameSite` must be \'strict\' or \'lax\' where `cookie.secure` is false; given: "none"'
  })
  for (const [cookie, sentence] of [
    [{ name: '__Host-token', secure: false }, 'without __Host- where `cookie.secure` is false'],
    [{ name: '__Secure-token', secure: false }, 'without __Secure- where `cookie.secure` is false'],
    [{ name: '__Host-token', domain: 'panel.example' }, 'without __Host- where `cookie.domain` is set'],
    [{ name: '__host-token', domain: 'panel.example' }, 'without __Host- where `cookie.domain` is set'],
    [{ name: '__SECURE-token', secure: false }, 'without __Secure- where `cookie.secure` is false']
  ] as const) {
    t.match(await register({ ...right, cookie }), {
      code: 'CLOUD_ERR_OPTION', message: `Option \`cookie.name\` must be ${sentence}; given: "${cookie.name}"`
    })
  }
  for (const cookie of [{ name: '__Host-token' }, { name: '__Secure-token', domain: 'panel.example' }, { name: 'x__Host-', secure: false }]) {
    t.equal(await register({ ...right, cookie }), undefined, cookie.name)
  }
  t.match(await register({ ...right, metrics: { keepMinutes: 100 } }), {
    code: 'CLOUD_ERR_OPTION', message: 'Option `metrics.keepHours` must be at least `metrics.keepMinutes`; given: 90'
  })
  t.match(await register({ ...right, metrics: { keepDays: 80 } }), {
    code: 'CLOUD_ERR_OPTION', message: 'Option `metrics.keepDays` must be at least `metrics.keepHours`; given: 80'
  })
})

t.test('an unknown option fails the registration with its name', async t => {
  for (const name of ['secrets', 'Prefix', 'timeout', 'constructor', 'toString', 'jwt']) {
    t.match(await register({ ...right, [name]: 'x' }), { code: 'CLOUD_ERR_OPTION', message: `Option \`${name}\` is unknown` })
  }
  for (const [outer, inner] of [['cookie', 'httpOnly'], ['cookie', 'constructor'], ['metrics', 'enabled'], ['loginThrottle', 'max'], ['tokenBinding', 'agent']] as const) {
    t.match(await register({ ...right, [outer]: { [inner]: true } }), { code: 'CLOUD_ERR_OPTION', message: `Option \`${outer}.${inner}\` is unknown` })
  }
})

t.test('a wrong secret fails the registration, and is not shown', async t => {
  const short = 'hunter2-hunter2-hunter2-hunter2'
  for (const [value, given] of [
    [short, '31 bytes'], ['', '0 bytes'], [undefined, 'undefined'], [null, 'object'], [5, 'number'], [Buffer.from(secret), 'object'],
    [() => secret, 'function']
  ] as const) {
    const error = await register({ ...right, secret: value }) as SetupError
    t.match(error, { code: 'CLOUD_ERR_OPTION', message: `Option \`secret\` must be a string of at least 32 bytes; given: ${given}` })
    t.equal(`${error.message} ${error.stack}`.includes('hunter2'), false)
  }
  t.equal(await register({ ...right, secret: 'ä'.repeat(16) }), undefined, '32 bytes of UTF-8 are enough')
  for (const error of [await register({ ...right, secret, prefix: 5 }), await register({ ...right, secert: secret })]) {
    t.equal(String((error as Error).stack).includes(secret), false)
  }
})

t.test('a part that is none of ours fails the registration, and its values are not shown', async t => {
  const own = { url: 'postgres://jane:hunter2@db/cloud' }
  const { users, roles, sessions, keys, audit, metrics } = storage
  const cases: ReadonlyArray<readonly [string, unknown, string]> = [
    ['runtime', undefined, 'a CloudRuntime with `services.list()`; given: undefined'],
    ['runtime', null, 'a CloudRuntime with `services.list()`; given: null'],
    ['runtime', own, 'a CloudRuntime with `services.list()`; given: an object with url'],
    ['runtime', { ...runtime, groups: {} }, 'a CloudRuntime with `groups.list()`; given: an object with '],
    ['runtime', { ...runtime, platforms: undefined }, 'a CloudRuntime with `platforms.list()`; given: an object with '],
    ['runtime', { ...runtime, players: { list: [] } }, 'a CloudRuntime with `players.list()`; given: an object with '],
    ['runtime', { ...runtime, metrics: {} }, 'a CloudRuntime with `metrics.sample()`; given: an object with '],
    ['storage', undefined, 'a CloudStorage with `users`; given: undefined'],
    ['storage', own.url, 'a CloudStorage with `users`; given: string'],
    ['storage', own, 'a CloudStorage with `users`; given: an object with url'],
    ['storage', {}, 'a CloudStorage with `users`; given: an object with nothing'],
    ['storage', Promise.resolve(storage), 'a CloudStorage with `users`; given: an object with nothing'],
    ['storage', { users, roles: null, sessions, metrics }, 'a CloudStorage with `roles`; given: an object with '],
    ['storage', { users, roles, metrics }, 'a CloudStorage with `sessions`; given: an object with '],
    ['storage', { users, roles, sessions, metrics }, 'a CloudStorage with `keys`; given: an object with '],
    ['storage', { users, roles, sessions, keys, metrics }, 'a CloudStorage with `audit`; given: an object with '],
    ['storage', { users, roles, sessions, keys, audit, metrics: 5 }, 'a CloudStorage with `metrics`; given: an object with '],
    ['clock', null, 'a Clock with `now()` and `elapsed()`; given: null'],
    ['clock', { now: () => 0 }, 'a Clock with `now()` and `elapsed()`; given: an object with now'],
    ['clock', Date.now, 'a Clock with `now()` and `elapsed()`; given: function']
  ]
  for (const [name, value, text] of cases) {
    const error = await register({ ...right, [name]: value }) as SetupError
    t.equal(error?.code, 'CLOUD_ERR_OPTION', `${name}: ${text}`)
    t.ok(String(error?.message).startsWith(`Option \`${name}\` must be ${text}`), error?.message)
    t.equal(String(error?.stack).includes('hunter2'), false)
  }
})

t.test('no options at all name the first that is missing', async t => {
  t.match(await register(undefined), { code: 'CLOUD_ERR_OPTION', message: /^Option `secret` must be/ })
})

t.test('the defaults are those that types/options.ts states', async t => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string }
  const settings = readOptions(right)
  t.strictSame({ ...settings, runtime: undefined, storage: undefined, clock: undefined }, {
    prefix: '/cloud/api/v3',
    namespace: 'cloud',
    decorator: 'cloud',
    version,
    tokenBinding: { ip: true, userAgent: true },
    cookie: { name: 'token', sameSite: 'strict', secure: true },
    allowedOrigins: [],
    requirePasswordChange: true,
    requireCurrentPassword: false,
    minPasswordLength: 8,
    passwordCost: 10,
    sessionsPerUser: 50,
    keysPerUser: 100,
    auditDays: 90,
    loginThrottle: { perAddress: 10, perAddressAndName: 10, window: 300_000 },
    runtimeTimeout: 10_000,
    deleteTimeout: 120_000,
    maxTemplateFile: 536_870_912,
    maxTemplateArchive: 4_294_967_296,
    live: { queryToken: false, binding: true, socketsPerUser: 30, sockets: 1000, message: 16_384, backlog: 1_048_576, history: 65_536 },
    metrics: { interval: 5000, keepMinutes: 7, keepHours: 90, keepDays: 1825 },
    runtime: undefined,
    storage: undefined,
    clock: undefined,
    secret
  })
  t.equal(settings.runtime, runtime)
  t.equal(settings.storage, storage)
  t.ok(Math.abs(settings.clock.now() - Date.now()) < 1000)
  const at = settings.clock.elapsed()
  t.ok(at <= settings.clock.elapsed())

  // The sentences of the page, so that neither side can move alone.
  const page = readFileSync(join(repository, 'types/options.ts'), 'utf8')
  const stated = (name: string): string | undefined =>
    new RegExp(`/\\*\\*(?:[^*]|\\*(?!/))*?[Dd]efault:? ([^*]*?)\\.?\\s+\\*/\\s+readonly ${name}\\?`).exec(page)?.[1]
  for (const [name, text] of Object.entries({
    prefix: '`/cloud/api/v3`',
    namespace: '`cloud`',
    decorator: '`cloud`',
    tokenBinding: 'both',
    allowedOrigins: 'none',
    requirePasswordChange: 'true',
    requireCurrentPassword: 'false',
    minPasswordLength: '8',
    passwordCost: '10',
    sessionsPerUser: '50',
    keysPerUser: '100',
    auditDays: '90',
    runtimeTimeout: '10,000',
    deleteTimeout: '120,000',
    maxTemplateFile: '536,870,912',
    maxTemplateArchive: '4,294,967,296',
    name: '`token`',
    sameSite: '`strict`',
    secure: 'true',
    perAddress: '10',
    perAddressAndName: '10',
    interval: '5,000',
    keepMinutes: '7',
    keepHours: '90',
    keepDays: '1,825'
  })) t.equal(stated(name), text, name)
  t.match(page, /Milliseconds\. Default 300,000\. \*\/\s+readonly window\?/)
})

t.test('an option that is undefined counts as absent, also inside another', async t => {
  const names = [...new Set(wrong.map(([name]) => name.split('.')[0] as string))]
  const given = { ...right, ...Object.fromEntries(names.map(name => [name, undefined])) } as unknown as CloudOptions
  t.strictSame(JSON.stringify(readOptions(given)), JSON.stringify(readOptions(right)))
  t.strictSame(readOptions({ ...right, cookie: { name: undefined, secure: false } } as unknown as CloudOptions).cookie, {
    name: 'token', sameSite: 'strict', secure: false
  })
})

t.test('the options are not changed, and may be frozen', async t => {
  const allowedOrigins = Object.freeze(['https://panel.example'])
  const options = Object.freeze({
    ...right,
    prefix: '/v3',
    allowedOrigins,
    cookie: Object.freeze({ secure: false }),
    metrics: Object.freeze({ interval: 0 }),
    tokenBinding: Object.freeze({}),
    loginThrottle: Object.freeze({})
  })
  const before = JSON.stringify({ ...options, storage: undefined, runtime: undefined })
  t.equal(await register(options), undefined)
  t.equal(JSON.stringify({ ...options, storage: undefined, runtime: undefined }), before)
  t.equal(options.storage, storage)
})

t.test('a change of the options after the registration changes nothing', async t => {
  const cookie = { name: 'one' }
  const allowedOrigins = ['https://panel.example']
  const settings = readOptions({ ...right, cookie, allowedOrigins })
  cookie.name = 'two'
  allowedOrigins.push('https://evil.example')
  t.equal(settings.cookie.name, 'one')
  t.strictSame(settings.allowedOrigins, ['https://panel.example'])
})
