/** A runtime that fails, hangs or answers what it should not. */
import { Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { CloudRuntime } from '../../lib/index.js'
import { type Client, build, testLog } from '../fixtures/cloud.js'
import { aGroup, aService, listRuntime } from '../fixtures/runtime.js'
import { until } from '../fixtures/until.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const unhandled: unknown[] = []
process.on('unhandledRejection', reason => { unhandled.push(reason) })

/** Every call to a runtime, and how a client causes it. */
const calls: Record<string, { replace (runtime: any, by: unknown): CloudRuntime, send (client: Client): ReturnType<Client> }> = {
  'services.list': part('services', 'list', client => client('GET', '/services/list')),
  'groups.list': part('groups', 'list', client => client('GET', '/group/list')),
  'platforms.list': part('platforms', 'list', client => client('GET', '/platforms/list')),
  'players.list': part('players', 'list', client => client('GET', '/players/list')),
  'templates.list': part('templates', 'list', client => client('GET', '/templates/list')),
  'metrics.sample': part('metrics', 'sample', client => client('GET', '/system/information')),
  'services.control.command': verb('services', 'command', client => client('POST', '/service/lobby-1/command', { command: 'say hi' })),
  'services.control.restart': verb('services', 'restart', client => client('PATCH', '/service/lobby-1/restart')),
  'services.control.start': verb('services', 'start', client => client('POST', '/terminal/command', { command: 'service start lobby' })),
  'services.control.stop': verb('services', 'stop', client => client('POST', '/terminal/command', { command: 'service stop lobby-1' })),
  'groups.control.create': verb('groups', 'create', client => client('POST', '/group/create', { ...aGroup, name: 'other' })),
  'groups.control.edit': verb('groups', 'edit', client => client('PATCH', '/group/lobby', { maxMemory: 2048 })),
  'groups.control.delete': verb('groups', 'delete', client => client('DELETE', '/group/lobby')),
  'templates.create': part('templates', 'create', client => client('POST', '/template/', { name: 'new' })),
  'templates.rename': part('templates', 'rename', client => client('PATCH', '/template/lobby', { name: 'new' })),
  'templates.delete': part('templates', 'delete', client => client('DELETE', '/template/lobby')),
  'terminal.execute': {
    replace: (runtime, by) => ({ ...runtime, terminal: { execute: by } }),
    send: client => client('POST', '/terminal/command', { command: 'anything' })
  }
}

function part (name: string, method: string, send: (client: Client) => ReturnType<Client>) {
  return { send, replace: (runtime: any, by: unknown): CloudRuntime => ({ ...runtime, [name]: { ...runtime[name], [method]: by } }) }
}

function verb (name: string, method: string, send: (client: Client) => ReturnType<Client>) {
  return {
    send,
    replace: (runtime: any, by: unknown): CloudRuntime =>
      ({ ...runtime, [name]: { ...runtime[name], control: { ...runtime[name].control, [method]: by } } })
  }
}

/** A cloud in which one call of the runtime does what it is told, and what a client is answered then. */
async function faulty (t: Test, name: string): Promise<(by: () => unknown) => Promise<{ status: number, body: unknown }>> {
  const call = calls[name] as (typeof calls)[string]
  let behave = (): unknown => undefined
  const limits = { runtimeTimeout: 60, deleteTimeout: 60 }
  const { setUp } = await build(t, { ...limits, runtime: call.replace(listRuntime(), () => behave()) })
  const admin = await setUp()
  return async by => {
    behave = by
    const { status, body } = await call.send(admin)
    t.equal((await admin('GET', '/health')).status, 200, 'other routes answer on')
    return { status, body }
  }
}

const fiveHundred = { status: 500, body: refusal(500, 'Internal Server Error') }
const invalid = { status: 502, body: refusal(502, 'Runtime gave an invalid answer') }
const late = { status: 504, body: refusal(504, 'Runtime did not answer in time') }

for (const name of Object.keys(calls)) {
  t.test(`${name}: thrown, rejected, never answered, answered wrongly (cases 121, 122)`, async t => {
    const answerTo = await faulty(t, name)
    t.strictSame(await answerTo(() => { throw new Error('secret path /etc/thing') }), fiveHundred, 'throws')
    t.strictSame(await answerTo(async () => { throw new Error('secret path /etc/thing') }), fiveHundred, 'rejects')
    // eslint-disable-next-line prefer-promise-reject-errors -- a runtime may reject with anything
    t.strictSame(await answerTo(async () => await Promise.reject(undefined)), fiveHundred, 'rejects with nothing')
    t.strictSame(await answerTo(() => new Promise(() => {})), late, 'never answers')
    for (const wrong of [undefined, null, 'x', NaN, {}, 7]) {
      t.strictSame(await answerTo(() => wrong), invalid, `answers ${String(wrong)}`)
    }
  })
}

t.test('a rejection that comes after its deadline is ignored', async t => {
  let fail = (_error: Error): void => {}
  const { setUp } = await build(t, {
    runtimeTimeout: 30,
    runtime: { ...listRuntime(), services: { list: async () => await new Promise((_resolve, reject) => { fail = reject }) } }
  })
  const admin = await setUp()
  t.equal((await admin('GET', '/services/list')).status, 504)
  fail(new Error('too late'))
  t.equal((await admin('GET', '/health')).status, 200)
})

/** A value that throws whatever is asked of it. */
function revoked (): object {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

for (const [what, settle] of Object.entries({
  'rejection with a revoked proxy': (_: (value: unknown) => void, reject: (error: unknown) => void) => { reject(revoked()) },
  'answer whose fields throw': (resolve: (value: unknown) => void) => {
    resolve(new Proxy({}, { get: (_, name) => { if (name !== 'then') throw revoked(); return undefined } }))
  }
})) {
  t.test(`a late ${what} ends nothing, and the act is told of as failed`, async t => {
    let end = (): void => {}
    const late = async (): Promise<never> => await new Promise((resolve, reject) => { end = () => { settle(resolve as never, reject) } })
    const runtime = listRuntime()
    Object.assign(runtime.services.control as object, { restart: late })
    const log = testLog()
    const { setUp } = await build(t, { runtimeTimeout: 30, runtime, host: log.host })
    const admin = await setUp()
    log.audits()
    t.equal((await admin('PATCH', '/service/lobby-1/restart')).status, 504)
    end()
    const [accepted, failed] = await until(() => {
      const told = log.lines.filter(({ audit }) => audit === 'service.restarted')
      return told.length === 2 && told
    }, 'both are told')
    t.match([accepted.outcome, failed.outcome], ['accepted', 'failed'])
    t.equal((await admin('GET', '/health')).status, 200)
  })
}

t.test('a part of a runtime that throws a revoked proxy when it is looked at is a 500', async t => {
  const runtime = listRuntime()
  const hostile = { get () { throw revoked() } }
  Object.defineProperty(runtime.services, 'control', hostile)
  Object.defineProperty(runtime.groups, 'control', hostile)
  Object.defineProperty(runtime.groups, 'reasons', hostile)
  const { setUp } = await build(t, { runtime })
  const admin = await setUp()
  for (const [method, path, body] of [
    ['PATCH', '/service/lobby-1/restart', undefined], ['PATCH', '/group/lobby', { maxMemory: 2048 }],
    ['POST', '/terminal/command', { command: 'group list' }], ['POST', '/terminal/command', { command: 'service stop lobby-1' }]
  ] as const) {
    const answer = await admin(method, path, body)
    t.strictSame({ status: answer.status, body: answer.body }, fiveHundred, path)
  }
  Object.defineProperty(runtime, 'terminal', hostile)
  t.equal((await admin('POST', '/terminal/command', { command: 'help' })).status, 500)
})

t.test('a deadline aborts the signal of the call, except for the deletion of a group, which goes on (case 122)', async t => {
  const aborted: Record<string, boolean> = {}
  const hang = (name: string) => async (...given: unknown[]): Promise<never> => {
    const { signal } = given.at(-1) as { signal: AbortSignal }
    aborted[name] = false
    signal.addEventListener('abort', () => { aborted[name] = true })
    return await new Promise(() => {})
  }
  const runtime = listRuntime()
  const { setUp } = await build(t, {
    runtimeTimeout: 30,
    deleteTimeout: 30,
    runtime: {
      ...runtime,
      services: { list: hang('list') },
      groups: { ...runtime.groups, control: { ...runtime.groups.control as object, delete: hang('delete') } as never }
    }
  })
  const admin = await setUp()
  t.equal((await admin('GET', '/services/list')).status, 504)
  t.equal((await admin('DELETE', '/group/lobby')).status, 504)
  t.strictSame(aborted, { list: true, delete: false })
})

t.test('one wrong item of a list is left out, logged with its field, and not counted (case 121)', async t => {
  let log = ''
  const stream = new Writable({ write: (chunk, _encoding, done) => { log += String(chunk); done() } })
  const wrong: unknown[] = [
    { ...aService, name: '' }, { ...aService, state: 'DOZING' }, { ...aService, port: 70_000 }, { ...aService, memoryUsage: NaN },
    { ...aService, templates: 'EVERY' }, { ...aService, properties: { fallback: true } }, null, 5, [],
    Object.defineProperty({ ...aService }, 'motd', { get () { throw new Error('not today') } })
  ]
  const runtime = listRuntime()
  runtime.given.services = [aService, ...wrong as never[], { ...aService, name: 'lobby-2' }]
  const { setUp } = await build(t, { runtime, host: { logger: { level: 'warn', stream } } })
  const admin = await setUp()
  const { body } = await admin('GET', '/services/list')
  t.strictSame(body.data.map(({ name }: { name: string }) => name), ['lobby-1', 'lobby-2'])
  t.strictSame((await admin('GET', '/services/count')).body, { status: 200, data: { serviceCount: 2 } })
  t.match(log, '"source":"services.list","index":1,"field":"/name"')
  const fields = ['/state', '/port', '/memoryUsage', '/templates', '/properties/fallback', '(all of it)', '/motd', '/name']
  await until(() => log.includes(`"fields":${JSON.stringify(fields)}`), 'the others, and those of the second list, are told within a second, with their fields', 3_000)
})

t.test('a list of a million items, right or wrong, is answered, and others are meanwhile (case 121)', async t => {
  const runtime = listRuntime()
  const { setUp, client } = await build(t, { runtime })
  const admin = await setUp()
  for (const [item, length] of [[{ name: 'x', size: 'y' }, 1_000_000], [{ name: 'x', size: NaN }, 0]] as const) {
    runtime.given.templates = Array.from({ length: 1_000_000 }, () => item as never)
    const others: number[] = []
    const list = admin('GET', '/templates/list')
    const isOver = list.then(() => true)
    const asked = async (): Promise<false> => {
      await turn()
      others.push((await client()('GET', '/health')).status)
      return false
    }
    while (!await Promise.race([isOver, asked()]));
    const { status, body } = await list
    t.strictSame([status, body.data.length], [200, length])
    t.strictSame(new Set(others), new Set([200]))
    t.ok(others.length > 10, `${others.length} others were answered meanwhile`)
  }
})

t.test('what was checked is what is sent, whatever the runtime does with its object afterwards', async t => {
  let reads = 0
  const changing = Object.defineProperty({ ...aService }, 'motd', { enumerable: true, get: () => reads++ === 0 ? 'hello' : NaN })
  const runtime = listRuntime()
  runtime.given.services = [{ ...changing, secret: 'not for the wire' } as never, changing]
  reads = 0
  const { setUp } = await build(t, { runtime })
  const { body } = await (await setUp())('GET', '/services/list')
  for (const service of body.data) {
    t.strictSame(Object.keys(service).sort(), Object.keys(aService).filter(key => key !== 'createdAt').sort(), 'known fields only')
    t.equal(typeof service.motd, 'string')
  }
})

t.test('a list of a kind of its own is sent as the plain list that was checked', async t => {
  class Lying<T> extends Array<T> {
    toJSON (): unknown { return 'not for the wire' }
  }
  const lying = <T>(...items: T[]): T[] => Lying.from(items) as T[]
  const runtime = listRuntime()
  runtime.given.services = [{ ...aService, templates: lying({ name: 'EVERY', size: '1 MB' }) }]
  runtime.given.groups = [{ ...aGroup, templates: lying('EVERY') }]
  runtime.given.platforms = [{ name: 'limbo', type: 'SERVER', versions: lying({ version: 'latest' }) }]
  const { setUp } = await build(t, { runtime })
  const admin = await setUp()
  t.strictSame((await admin('GET', '/services/list')).body.data[0].templates, [{ name: 'EVERY', size: '1 MB' }])
  t.strictSame((await admin('GET', '/group/lobby')).body.templates, ['EVERY'])
  t.strictSame((await admin('GET', '/platforms/list')).body.data[0].versions, [{ version: 'latest' }])
})

t.test('a runtime without a capability: lists are empty, verbs say so (case 124)', async t => {
  const { templates: _, ...rest } = listRuntime()
  const runtime: CloudRuntime = { ...rest, services: { list: rest.services.list }, groups: { list: rest.groups.list } }
  const { setUp } = await build(t, { runtime })
  const admin = await setUp()
  const answers: Array<[string, string, unknown, number, string]> = [
    ['POST', '/template/', { name: 'new' }, 500, 'Unsupported template runtime'],
    ['PATCH', '/template/lobby', { name: 'new' }, 500, 'Unsupported template runtime'],
    ['DELETE', '/template/lobby', undefined, 500, 'Unsupported template runtime'],
    ['POST', '/service/lobby-1/command', { command: 'x' }, 501, 'Unsupported service runtime'],
    ['PATCH', '/service/lobby-1/restart', undefined, 501, 'Unsupported service runtime'],
    ['POST', '/group/create', { ...aGroup, name: 'other', templates: [] }, 501, 'Unsupported group runtime'],
    ['PATCH', '/group/lobby', { maxMemory: 4096 }, 501, 'Unsupported group runtime'],
    ['DELETE', '/group/lobby', undefined, 501, 'Unsupported group runtime']
  ]
  for (const [method, path, body, status, message] of answers) {
    const answer = await admin(method, path, body)
    t.strictSame({ status: answer.status, body: answer.body }, { status, body: refusal(status, message) }, `${method} ${path}`)
  }
  t.strictSame((await admin('GET', '/templates/list')).body, { status: 200, data: [] })
})

t.test('nothing that a runtime did above became an unhandled rejection', async t => {
  await new Promise(resolve => setImmediate(resolve))
  t.strictSame(unhandled, [])
})
