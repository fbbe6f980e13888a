/** The commands of the terminal. */
import t from 'tap'
import { build } from '../fixtures/cloud.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

t.test('every command of the specification works', async t => {
  const { setUp, runtime } = await build(t)
  const admin = await setUp()
  const output = async (command: string): Promise<unknown> => {
    const { status, body } = await admin('POST', '/terminal/command', { command })
    t.strictSame({ status, message: body.message }, { status: 201, message: 'Command executed' }, command)
    return body.data.output
  }
  t.strictSame(await output('service list'), ['lobby-1 ONLINE 127.0.0.1:25565 2/20 players', 'lobby-2 OFFLINE 127.0.0.1:25566 2/20 players'])
  t.strictSame(await output('service start lobby'), ['Starting lobby-3'])
  t.strictSame(await output('service start lobby-2'), ['Starting lobby-2'])
  t.strictSame(await output('service stop lobby-1'), ['Stopping lobby-1'])
  t.strictSame(await output('service restart lobby-1'), ['Restarting lobby-1'])
  t.strictSame(runtime.calls, [['start', 'lobby'], ['start', 'lobby-2'], ['stop', 'lobby-1'], ['restart', 'lobby-1']])
  t.match((await output('group list') as string[])[0], /^lobby limbo latest 1-3 services/)
  t.match((await output('group create arena') as string[])[0], /^Created arena limbo latest 0-1 services/)
  const { createdAt: _, ...arena } = runtime.given.groups.find(({ name }) => name === 'arena') ?? { createdAt: 0 }
  t.strictSame(arena, {
    name: 'arena',
    minMemory: 512,
    maxMemory: 1024,
    minOnlineService: 0,
    maxOnlineService: 1,
    platform: { name: 'limbo', version: 'latest' },
    percentageToStartNewService: 100,
    properties: {},
    templates: []
  })
  t.match((await output('group create doors gate 2') as string[])[0], /^Created doors gate 2 0-1 services/)
  t.match((await output('group create more gate') as string[])[0], /^Created more gate 1 0-1 services/)
  const { platforms } = runtime.given
  runtime.given.platforms = platforms.toReversed()
  t.match((await output('group create servers') as string[])[0], /^Created servers limbo latest/, 'none for proxies, where there is one for servers')
  runtime.given.platforms = platforms.filter(({ type }) => type === 'PROXY')
  t.match((await output('group create proxies') as string[])[0], /^Created proxies gate/)
  runtime.given.platforms = platforms
  for (const name of ['servers', 'proxies']) t.strictSame(await output(`group delete ${name}`), [`Deleted ${name}`])
  t.strictSame(await output('group delete arena'), ['Deleted arena'])
  t.strictSame(await output('player list'), [
    'Alex 00000000-0000-3000-8000-000000000002 lobby-1', 'Steve 00000000-0000-3000-8000-000000000001 lobby-1'
  ])
  t.strictSame(await output('player count'), ['2'])
  t.match(await output('status'), ['3 groups, 2 services, 1 of them online', '2 players', 'up for 1 s'])
  t.strictSame(await output('version'), [(await admin('GET', '/system/version')).body.data.version])
  const help = await output('help') as string[]
  for (const command of ['service list', 'service start <name>', 'service stop <name>', 'service restart <name>', 'service kill <name>', 'group list',
    'group create <name> [platform] [version]', 'group restart <name>', 'group delete <name>', 'player list', 'player count', 'help', 'status', 'version']) {
    t.ok(help.some(line => line.startsWith(`${command} - `)), command)
  }
  t.equal(help.length, 15)
  t.strictSame(await output('  PLAYER   Count '), ['2'], 'case and blanks do not matter')
})

t.test('an unknown command and wrong arguments answer 400 with the usage (case 93)', async t => {
  const { setUp, runtime } = await build(t)
  const admin = await setUp()
  const refused: Record<string, string> = {
    dance: 'Unknown command. Usage: help',
    '$(id)': 'Unknown command. Usage: help',
    '`id`': 'Unknown command. Usage: help',
    service: 'Usage: service list | service start <name> | service stop <name> | service restart <name> | service kill <name>',
    'service stop': 'Usage: service stop <name>',
    'service stop a b': 'Usage: service stop <name>',
    'service stop a; id': 'Usage: service stop <name>',
    'player count now': 'Usage: player count',
    'group create': 'Usage: group create <name> [platform] [version]',
    'group create a b c d': 'Usage: group create <name> [platform] [version]'
  }
  for (const [command, message] of Object.entries(refused)) {
    const { status, body } = await admin('POST', '/terminal/command', { command })
    t.strictSame({ status, body }, { status: 400, body: refusal(400, message) }, command)
  }
  t.strictSame(runtime.calls, [])
})

t.test('the rules of the interface hold in the terminal as well', async t => {
  const { setUp, runtime } = await build(t)
  const admin = await setUp()
  const first = runtime.given.services[0] as (typeof runtime.given.services)[number]
  runtime.given.services.push({ ...first, name: 'lobby-3' })
  const refused: Array<[string, number, string]> = [
    ['service start lobby', 400, 'Group lobby already has its maximum of services'],
    ['service start lobby-1', 400, 'Service lobby-1 is already running'],
    ['service start nobody', 404, 'Service not found'],
    ['service restart nobody', 404, 'Service not found'],
    ['group create ../x', 400, 'Group name is invalid'],
    ['group create list', 400, 'Group name is invalid'],
    ['group create LOBBY', 409, 'Group already exists'],
    ['group create new nothing', 404, 'Platform not found'],
    ['group create new limbo 9', 404, 'Platform version not found'],
    ['group delete nobody', 404, 'Group not found']
  ]
  for (const [command, status, message] of refused) {
    const answer = await admin('POST', '/terminal/command', { command })
    t.strictSame({ status: answer.status, body: answer.body }, { status, body: refusal(status, message) }, command)
  }
  Object.assign(runtime.services.control as object, { start: () => 'no-port' })
  t.strictSame((await admin('POST', '/terminal/command', { command: 'service start lobby' })).body, refusal(400, 'No port is left for another service of lobby'))
  runtime.given.platforms = []
  t.strictSame((await admin('POST', '/terminal/command', { command: 'group create new' })).body, refusal(404, 'There is no platform'))
})

t.test('platform fetch asks the runtime, and says what it answers', async t => {
  const { setUp, runtime } = await build(t)
  const admin = await setUp()
  const ask = async (command: string): Promise<{ readonly status: number, readonly body: any }> => await admin('POST', '/terminal/command', { command })
  t.strictSame((await ask('platform fetch')).body.data.output, ['Nothing is downloaded for platforms here'])
  const calls: unknown[] = []
  let answer: unknown = ['paper 1.21.4 server.jar 42 % of 51.2 MB', 'two\nlines']
  Object.assign(runtime.platforms, { downloads: { fetch: (name: unknown, version: unknown) => { calls.push([name, version]); return answer } } })
  t.strictSame((await ask('platform fetch')).body.data.output, ['paper 1.21.4 server.jar 42 % of 51.2 MB', 'two lines'])
  t.equal((await ask('platform fetch limbo latest')).status, 201)
  t.strictSame(calls, [[undefined, undefined], ['limbo', 'latest']])
  answer = []
  t.strictSame((await ask('platform fetch')).body.data.output, ['There is nothing to download'])
  answer = false
  t.strictSame((await ask('platform fetch nothing')).body, refusal(404, 'Platform not found'))
  t.strictSame((await ask('platform fetch limbo 9')).body, refusal(404, 'Platform version not found'))
  for (const wrong of [undefined, true, 'a line', [5], [null]]) {
    answer = wrong
    t.equal((await ask('platform fetch')).status, 502)
  }
  t.strictSame((await ask('platform fetch a b c')).body, refusal(400, 'Usage: platform fetch [name] [version]'))
})

t.test('who holds nothing but the terminal deletes groups all the same, and only who holds it gives it (case 35)', async t => {
  const { login, runtime } = await build(t)
  const operator = await login(['cloud.terminal.command'])
  t.equal((await operator('DELETE', '/group/lobby')).status, 403)
  t.strictSame((await operator('POST', '/terminal/command', { command: 'group delete lobby' })).body, { status: 201, message: 'Command executed', data: { output: ['Deleted lobby'] } })
  t.strictSame(runtime.given.groups, [])
  const manager = await login(['cloud.role.create'])
  t.strictSame((await manager('POST', '/role/', { label: 'operator', hexColor: '#FFF', permissions: ['cloud.terminal.command'] })).body,
    refusal(403, 'You cannot assign a permission you do not hold'))
})

t.test('a runtime with a terminal of its own is asked instead', async t => {
  const { listRuntime } = await import('../fixtures/runtime.js')
  const asked: string[] = []
  const terminal = {
    execute: (line: string) => {
      asked.push(line)
      return line === 'dance' ? { accepted: true, output: ['♪'] } : { accepted: false, output: ['Usage: dance'] }
    }
  }
  const { setUp } = await build(t, { runtime: { ...listRuntime(), terminal } })
  const admin = await setUp()
  t.strictSame((await admin('POST', '/terminal/command', { command: ' dance ' })).body, { status: 201, message: 'Command executed', data: { output: ['♪'] } })
  t.strictSame((await admin('POST', '/terminal/command', { command: 'help' })).body, refusal(400, 'Usage: dance', 'command_refused'))
  t.equal((await admin('POST', '/terminal/command', { command: 'a\nb' })).status, 400)
  t.strictSame(asked, ['dance', 'help'])
})
