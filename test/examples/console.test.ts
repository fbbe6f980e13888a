/** Which cloud the console client talks to, and what the commands say of themselves. */
import { mkdir } from 'node:fs/promises'
import t, { type Test } from 'tap'
import { isFull, onlyFull } from '../fixtures/rounds.js'
import { scratchDirectory } from '../fixtures/scratch.js'
import { clientOf, freePort, run, startServer, type Server } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

t.setTimeout(300_000)

const password = 'correct horse battery'

/** A cloud whose admin has a password of its own: who is let in has come to that one. */
async function start (t: Test, name: string, env: Record<string, string> = {}): Promise<Server & { readonly directory: string }> {
  const directory = `${scratchDirectory(t)}/${name}`
  const server = await startServer({ CLOUD_DIRECTORY: directory, SERVICE_PORTS: '45000-45000', ...env })
  t.teardown(async () => { await server.stop() })
  await clientOf(server.url.replace('0.0.0.0', '127.0.0.1'))('POST', '/user/self', { username: 'admin', password: `${password} ${name}` })
  return { ...server, directory }
}

async function console (env: Record<string, string>): Promise<string> {
  const client = run('console.js', ['nobody'], env)
  t.strictSame(await client.exited, { code: 1, signal: null })
  return client.output()
}

t.test('the console is that of the server of CLOUD_DIRECTORY, wherever that listens, and whoever listens elsewhere', async t => {
  const [first, second] = [await start(t, 'first'), await start(t, 'second', { CLOUD_PREFIX: '/other' })]
  const port = new URL(first.url).port
  const { directory } = second
  for (const env of [{}, { PORT: port }, { PORT: port, CLOUD_PREFIX: '/cloud/api/v3' }]) {
    t.equal(await console({ ...env, CLOUD_DIRECTORY: directory, CLOUD_PASSWORD: `${password} second` }),
      `The console of nobody at ${second.url}, the server of ${directory}\nThere is no service nobody\n`)
  }
  t.match(await console({ CLOUD_DIRECTORY: directory, PORT: port, CLOUD_PASSWORD: `${password} first` }), /Invalid credentials/)
  await second.stop()
  t.equal(await console({ CLOUD_DIRECTORY: directory, PORT: port, CLOUD_PASSWORD: `${password} first` }), `no server is running on ${directory}\n`, 'no other one is in its place')
  t.equal(await console({ CLOUD_DIRECTORY: `${directory}-not`, PORT: port, CLOUD_PASSWORD: `${password} first` }),
    `There is no cloud in ${directory}-not: CLOUD_DIRECTORY says where it is, and the first start makes it\n`)
})

t.test('where no directory is named the console is at HOST, PORT and CLOUD_PREFIX, and says so before it asks for the password', async t => {
  const at = { PORT: String(await freePort()), CLOUD_PREFIX: '/other' }
  await start(t, 'everywhere', { HOST: '0.0.0.0', ...at })
  const told = `The console of nobody at http://127.0.0.1:${at.PORT}/other, as HOST, PORT and CLOUD_PREFIX say\n`
  for (const host of ['0.0.0.0', '127.0.0.1', '']) t.equal(await console({ HOST: host, ...at, CLOUD_PASSWORD: `${password} everywhere` }), `${told}There is no service nobody\n`)
  t.match(await console({ HOST: '0.0.0.0', ...at }), new RegExp(`^${told}Password of admin: `))
  t.match(await console({ HOST: '::', PORT: '1' }), /^The console of nobody at http:\/\/\[::1\]:1\/cloud\/api\/v3, /)
  t.match(await console({ CLOUD_COMPAT: 'polocloud' }), /at http:\/\/127\.0\.0\.1:8080\/polocloud\/api\/v3, /)
  t.match(await console({ PORT: 'x' }), /^PORT must be a port/)
})

t.test('a console whose server has gone says so', async t => {
  const { directory, url, process: { pid } } = await start(t, 'gone')
  const admin = clientOf(url)
  await admin('POST', '/auth/login', { username: 'admin', password: `${password} gone` })
  const group = { name: 'lobby', minMemory: 64, maxMemory: 128, minOnlineService: 1, maxOnlineService: 1, platform: { name: 'limbo', version: 'latest' }, percentageToStartNewService: 0, properties: {} }
  t.equal((await admin('POST', '/group/create', group)).status, 201)
  await until(async () => (await admin('GET', '/services/list')).body.data[0]?.state === 'ONLINE', 'the service is ONLINE')
  const client = run('console.js', ['lobby-1'], { CLOUD_DIRECTORY: directory, CLOUD_PASSWORD: `${password} gone` }, 'pipe')
  client.process.stdin?.write('list\n')
  await until(() => client.output().split('\n').length > 2, 'it follows')
  process.kill(Number(pid), 'SIGKILL')
  t.strictSame(await client.exited, { code: 1, signal: null })
  t.match(client.output(), /The console is closed: the server has ended, or cannot be reached\n$/)
  const next = await startServer({ CLOUD_DIRECTORY: directory, SERVICE_PORTS: '45000-45000' })
  await next.stop()
})

t.test('CLOUD_URL says where the console is when something is in between', { skip: onlyFull('another place of a console') }, async t => {
  const { url, directory } = await start(t, 'behind')
  await mkdir(`${directory}-elsewhere`)
  const env = { PORT: '1', CLOUD_DIRECTORY: `${directory}-elsewhere`, CLOUD_PASSWORD: `${password} behind` }
  for (const address of [url, `${url}/`, new URL(url).origin]) {
    t.equal(await console({ ...env, CLOUD_URL: address }), `The console of nobody at ${url}, as CLOUD_URL says\nThere is no service nobody\n`)
  }
  t.match(await console({ CLOUD_URL: 'https://127.0.0.1:1', CLOUD_PREFIX: '/other' }), /^The console of nobody at https:\/\/127\.0\.0\.1:1\/other, as CLOUD_URL says\n/)
  t.match(await console({ ...env, CLOUD_URL: 'cloud.example.com' }), /^CLOUD_URL must be an address that begins with http:\/\/ or https:\/\//)
})

t.test('every command tells how it is used when it is asked, and when it is given what it does not know', async t => {
  const tried: Array<[script: string, words: string[], usage: RegExp]> = [
    ['fastify-cloud.js', [], /^Usage: fastify-cloud <command>/m],
    ['fastify-cloud.js', ['start'], /^Usage: fastify-cloud start/m],
    ['fastify-cloud.js', ['console'], /^Usage: fastify-cloud console <service>/m],
    ['fastify-cloud.js', ['admin'], /^Usage: fastify-cloud admin <command>/m],
    ['fastify-cloud.js', ['admin', 'service', 'restart'], /^Usage: fastify-cloud admin <command>/m],
    ['fastify-cloud.js', ['admin', 'platform', 'add'], /^Usage: fastify-cloud admin platform <command>/m],
    ['server.js', [], /^Usage: fastify-cloud start/m],
    ['console.js', ['lobby-1'], /^Usage: fastify-cloud console <service>/m],
    ['admin.js', [], /^Usage: fastify-cloud admin <command>/m]
  ]
  for (const [at, [script, words, usage]] of tried.entries()) {
    for (const [option, status] of ([['--help', 0], ['-h', 0], ['--wrong', 2]] as const).filter((_, of) => of === at % 3 || isFull)) {
      const command = run(script, [...words, option], { CLOUD_DIRECTORY: `${scratchDirectory(t)}/none` })
      t.strictSame(await command.exited, { code: status, signal: null }, [script, ...words, option].join(' '))
      t.match(command.output(), usage)
    }
  }
  for (const words of [['start', 'now'], ['console'], ['console', 'lobby-1', 'admin', 'more']]) t.equal((await run('fastify-cloud.js', words, {}).exited).code, 2)
})
