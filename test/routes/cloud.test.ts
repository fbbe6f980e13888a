/** The endpoints of services, groups, players, platforms and templates, answer by answer. */
import t from 'tap'
import { build, testClock, testStart } from '../fixtures/cloud.js'
import { aGroup, aService, listRuntime } from '../fixtures/runtime.js'
import { type Row, bare, noContent, noTexts, refusals, same } from '../fixtures/rows.js'
import { refusal } from '../fixtures/refusal.js'

t.setTimeout(600_000)

const { createdAt: _, ...shownService } = aService
const badNumbers = ['-1', '1.5', '1e1', '1e3', '1e999', '0x1', '', '%20', '%201', 'x', 'NaN', 'Infinity', '+1', '01', '-0', '9007199254740992', 'null', 'true', '1,2', '[1]']

t.test('Health', async t => {
  const { client } = await build(t)
  t.test('GET /health/ answers 200 with a message, without a token', async t => {
    for (const path of ['/health/', '/health']) same(t, await client()('GET', path), { status: 200, message: 'Healthy' })
  })
})

t.test('System information', async t => {
  const { setUp } = await build(t, { version: '3.2.1', clock: testClock() })
  const root = await setUp()
  const none = { polocloud: 0, services: 0, total: 0 }

  t.test('GET /system/version answers 200 with data.version', async t => {
    for (const path of ['/system/version', '/system/version/']) {
      same(t, await root('GET', path), { status: 200, data: { version: '3.2.1' } })
    }
  })

  t.test('GET /system/information answers 200; total is core and services', async t => {
    for (const path of ['/system/information', '/system/information/']) {
      same(t, await root('GET', path), {
        status: 200,
        data: {
          cpuUsage: { polocloud: 1.5, services: 2.25, total: 3.75 },
          memoryUsage: { polocloud: 64, services: 128, total: 192 },
          runtime: 'Node.js v20',
          uptime: 1234
        }
      })
    }
  })

  t.test('GET /system/information/average answers 200; from defaults to 0 and to to now', async t => {
    const average = (from: number, to: number): any => ({ status: 200, data: { avgCpu: none, avgRam: none, from, to } })
    same(t, await root('GET', '/system/information/average'), average(0, testStart))
    same(t, await root('GET', '/system/information/average/'), average(0, testStart))
    same(t, await root('GET', '/system/information/average?from=5'), average(5, testStart))
    same(t, await root('GET', '/system/information/average/?to=5'), average(0, 5))
    same(t, await root('GET', '/system/information/average?from=7&to=7&other=x'), average(7, 7))
  })

  t.test('GET /system/information/{minutes,hours,days} answer 200 with an array', async t => {
    for (const name of ['minutes', 'hours', 'days']) {
      for (const slash of ['', '/']) same(t, await root('GET', `/system/information/${name}${slash}`), { status: 200, data: [] })
    }
  })

  const rows: Row[] = ['average', 'minutes', 'hours', 'days'].map(name => ({
    method: 'GET', endpoint: `/system/information/${name}`, path: `/system/information/${name}?from=6&to=5`, status: 400, message: 'Invalid range'
  }))
  await refusals(t, root, rows)

  t.test("The ends of a range are plain decimals, else 400 'Invalid range' (case 76)", async t => {
    const paths = ['/system/information/average', '/system/information/minutes', '/system/information/hours', '/system/information/days', '/services/count', '/group/count', '/groups/count']
    for (const path of paths) {
      for (const bad of badNumbers) {
        same(t, await root('GET', `${path}?from=${bad}`), refusal(400, 'Invalid range'), `${path}?from=${bad}`)
        same(t, await root('GET', `${path}?to=${bad}`), refusal(400, 'Invalid range'), `${path}?to=${bad}`)
      }
      same(t, await root('GET', `${path}?from=1&from=2`), refusal(400, 'Invalid range'), `${path} twice`)
    }
  })
})

t.test('Templates', async t => {
  const { setUp, runtime } = await build(t)
  const root = await setUp()
  runtime.given.templates.push({ name: 'other', size: '12 KB' })
  const system = 'System templates cannot be created, renamed or deleted'

  t.test('GET /templates/list answers 200 with all templates', async t => {
    const wanted = { status: 200, data: [{ name: 'EVERY', size: 'unknown' }, { name: 'lobby', size: 'unknown' }, { name: 'other', size: '12 KB' }] }
    same(t, await root('GET', '/templates/list'), wanted)
    same(t, await root('GET', '/templates/list/'), wanted)
  })

  await refusals(t, root, [
    { method: 'POST', endpoint: '/template/', body: {}, status: 400, message: 'Template name is required' },
    { method: 'POST', endpoint: '/template/', body: { name: 'LOBBY' }, status: 400, message: 'Template already exists', when: 'ignoring case' },
    { method: 'POST', endpoint: '/template/', body: { name: 'every_Server' }, status: 400, message: system },
    { method: 'PATCH', endpoint: '/template/{templateName}', path: '/template/lobby', body: {}, status: 400, message: 'Template name is required' },
    { method: 'PATCH', endpoint: '/template/{templateName}', path: '/template/unknown', body: {}, status: 400, message: 'Template name is required', when: 'before the look-up' },
    { method: 'PATCH', endpoint: '/template/{templateName}', path: '/template/unknown', body: { name: 'x' }, status: 400, message: 'Template could not be found' },
    { method: 'PATCH', endpoint: '/template/{templateName}', path: '/template/..%2f..%2fetc', body: { name: 'x' }, status: 400, message: 'Template could not be found', when: 'for what names no template (case 84)' },
    { method: 'PATCH', endpoint: '/template/{templateName}', path: '/template/lobby', body: { name: 'Other' }, status: 400, message: 'Template already exists', when: 'onto another (case 89)' },
    { method: 'PATCH', endpoint: '/template/{templateName}', path: '/template/EVERY', body: { name: 'x' }, status: 400, message: system, when: '(case 88)' },
    { method: 'PATCH', endpoint: '/template/{templateName}', path: '/template/lobby', body: { name: 'EVERY_PROXY' }, status: 400, message: system, when: 'onto one' },
    { method: 'DELETE', endpoint: '/template/{templateName}', path: '/template/unknown', status: 400, message: 'Template could not be found' },
    { method: 'DELETE', endpoint: '/template/{templateName}', path: '/template/lobby', status: 400, message: 'Template is in use' },
    ...['EVERY', 'EVERY_SERVER', 'EVERY_PROXY', 'EVERY_FALLBACK'].flatMap((name): Row[] => [
      { method: 'POST', endpoint: '/template/', body: { name }, status: 400, message: system, when: name },
      { method: 'DELETE', endpoint: '/template/{templateName}', path: `/template/${name}`, status: 400, message: system, when: name }
    ])
  ])

  t.test('POST /template/ and PATCH /template/{templateName} take a name and nothing else', async t => {
    for (const [method, path] of [['POST', '/template/'], ['PATCH', '/template/lobby']] as const) {
      for (const name of noTexts) same(t, await root(method, path, { name }), refusal(400, 'Template name is required'))
      for (const name of ['..', '.', 'a/b', 'a\\b', '-a', 'a b', 'ä', 'x'.repeat(65), 'a\0', 'a\n', '../x', ' a', 'a.b']) {
        same(t, await root(method, path, { name }), refusal(400, 'Template name is invalid'), JSON.stringify(name))
      }
    }
    t.same(runtime.given.templates.length, 3)
  })

  t.test('POST answers 202 with a message, PATCH 202 and carries over to the groups, DELETE 204', async t => {
    same(t, await root('POST', '/template/', { name: 'fresh', size: '1 GB' }), { status: 202, message: 'Template created successfully' })
    same(t, await root('POST', '/template', { name: 'x'.repeat(64) }), { status: 202, message: 'Template created successfully' })
    same(t, await root('PATCH', '/template/fresh', { name: 'Fresh' }), { status: 202, message: 'Template edited successfully' })
    same(t, await root('PATCH', '/template/lobby/', { name: 'hall' }), { status: 202, message: 'Template edited successfully' })
    t.same((await root('GET', '/group/lobby')).body.templates, ['EVERY', 'hall'])
    noContent(t, await root('DELETE', '/template/Fresh'))
    noContent(t, await root('DELETE', `/template/${'x'.repeat(64)}/`))
    same(t, await root('GET', '/templates/list'), { status: 200, data: [{ name: 'EVERY', size: 'unknown' }, { name: 'hall', size: 'unknown' }, { name: 'other', size: '12 KB' }] })
  })
})

t.test('A runtime that only lists (case 124)', async t => {
  const { services, groups, templates: _, ...rest } = listRuntime()
  const { setUp } = await build(t, { runtime: { ...rest, services: { list: services.list }, groups: { list: groups.list } } as never })
  const root = await setUp()
  const message = 'Unsupported template runtime'
  await refusals(t, root, [
    { method: 'POST', endpoint: '/template/', body: { name: 'x' }, status: 500, message },
    { method: 'PATCH', endpoint: '/template/{templateName}', path: '/template/lobby', body: { name: 'x' }, status: 500, message },
    { method: 'DELETE', endpoint: '/template/{templateName}', path: '/template/lobby', status: 500, message },
    { method: 'POST', endpoint: '/template/', body: {}, status: 400, message: 'Template name is required', when: 'before the 500' },
    { method: 'POST', endpoint: '/service/{serviceName}/command', path: '/service/lobby-1/command', body: { command: 'x' }, status: 501, message: 'Unsupported service runtime' },
    { method: 'PATCH', endpoint: '/service/{serviceName}/restart', path: '/service/lobby-1/restart', status: 501, message: 'Unsupported service runtime' },
    { method: 'PATCH', endpoint: '/group/{name}', path: '/group/lobby', body: {}, status: 501, message: 'Unsupported group runtime' },
    { method: 'DELETE', endpoint: '/group/{name}', path: '/group/lobby', status: 501, message: 'Unsupported group runtime' }
  ])
  same(t, await root('GET', '/templates/list'), { status: 200, data: [] })
})

t.test('Services', async t => {
  const clock = testClock()
  const { setUp, runtime } = await build(t, { clock })
  const root = await setUp()

  t.test('GET /services/list answers 200 with the services, without what only the runtime knows', async t => {
    const data = [shownService, { ...shownService, name: 'lobby-2', state: 'OFFLINE', port: 25566 }]
    same(t, await root('GET', '/services/list'), { status: 200, data })
    same(t, await root('GET', '/services/list/'), { status: 200, data })
  })

  t.test('GET /services/list shows -1 players for a PROXY', async t => {
    const proxy = { ...aService, name: 'gate-1', type: 'PROXY' as const, playerCount: -1, maxPlayerCount: -1, properties: {}, motd: '' }
    runtime.given.services.push(proxy)
    const { createdAt: _, ...shown } = proxy
    t.strictSame((await root('GET', '/services/list')).body.data.at(-1), shown)
    runtime.given.services.pop()
  })

  t.test('GET /services/count answers 200: without a range no percentage, with one always (case 77)', async t => {
    same(t, await root('GET', '/services/count'), { status: 200, data: { serviceCount: 2 } })
    same(t, await root('GET', '/services/count/?page=x'), { status: 200, data: { serviceCount: 2 } })
    same(t, await root('GET', '/services/count?from=0'), { status: 200, data: { serviceCount: 2, percentage: 200 } })
    same(t, await root('GET', '/services/count?to=0'), { status: 200, data: { serviceCount: 0, percentage: 0 } })
  })

  await refusals(t, root, [
    { method: 'GET', endpoint: '/services/count', path: '/services/count?from=2&to=1', status: 400, message: 'Invalid range' },
    { method: 'POST', endpoint: '/service/{serviceName}/command', path: '/service/lobby-1/command', body: {}, status: 400, message: 'Command is required' },
    { method: 'POST', endpoint: '/service/{serviceName}/command', path: '/service/unknown/command', body: {}, status: 400, message: 'Command is required', when: 'before the look-up' },
    { method: 'POST', endpoint: '/service/{serviceName}/command', path: '/service/unknown/command', body: { command: 'say' }, status: 404, message: 'Service not found' },
    { method: 'POST', endpoint: '/service/{serviceName}/command', path: '/service/unknown/command', body: { command: 'a\nb' }, status: 400, message: 'Command is invalid', when: 'before the look-up' },
    { method: 'POST', endpoint: '/service/{serviceName}/command', path: '/service/lobby-2/command', body: { command: 'say' }, status: 409, message: 'Service is not running', when: '(case 92)' },
    { method: 'PATCH', endpoint: '/service/{serviceName}/restart', path: '/service/unknown/restart', status: 404, message: 'Service not found' }
  ])

  t.test('POST /service/{serviceName}/command coerces nothing, and takes one line of at most 4,095 bytes (case 91)', async t => {
    const path = '/service/lobby-1/command'
    for (const command of noTexts) same(t, await root('POST', path, { command }), refusal(400, 'Command is required'))
    for (const command of ['a\nb', 'a\n', '\ta', 'a\rb', 'a\0b', 'a\u001bb', 'a\u007fb', 'a\u0085b', 'a\u2028b', 'a\u2029', 'a\ud800', 'x'.repeat(4096), 'ä'.repeat(2048)]) {
      same(t, await root('POST', path, { command }), refusal(400, 'Command is invalid'), JSON.stringify(command).slice(0, 20).replace(/[^ -~]/g, '?'))
    }
    runtime.calls.length = 0
    for (const command of ['say hi', '  padded ', 'x'.repeat(4095), 'ä'.repeat(2047) + 'x', '🎉; rm -rf / && $(x)']) {
      same(t, await root('POST', path, { command, serviceName: 'lobby-2' }), { status: 200, message: 'Command sent successfully' })
      t.strictSame(runtime.calls.pop(), ['command', 'lobby-1', command], 'as it was sent')
    }
    same(t, await root('POST', `${path}/`, { command: 'stop' }), { status: 200, message: 'Command sent successfully' })
  })

  t.test("POST /service/{serviceName}/command answers 503 'Service is not reading commands' (case 92)", async t => {
    const control = runtime.services.control as { command: unknown }
    const own = control.command
    control.command = () => 'not-reading'
    same(t, await root('POST', '/service/lobby-1/command', { command: 'say' }), refusal(503, 'Service is not reading commands'))
    control.command = own
  })

  t.test('POST /service/{serviceName}/command reaches a service that is STARTING, none that is STOPPING (case 92)', async t => {
    runtime.given.services.push({ ...aService, name: 'lobby-3', state: 'STARTING' }, { ...aService, name: 'lobby-4', state: 'STOPPING' })
    same(t, await root('POST', '/service/lobby-3/command', { command: 'say' }), { status: 200, message: 'Command sent successfully' })
    same(t, await root('POST', '/service/lobby-4/command', { command: 'say' }), refusal(409, 'Service is not running'))
  })

  t.test('PATCH /service/{serviceName}/restart answers 202 in any state (case 92)', async t => {
    runtime.calls.length = 0
    for (const name of ['lobby-1', 'lobby-2', 'lobby-3', 'lobby-4']) {
      for (const slash of ['', '/']) same(t, await root('PATCH', `/service/${name}/restart${slash}`), { status: 202, message: 'Service is restarting' })
    }
    t.equal(runtime.calls.length, 8)
  })
})

t.test('Players', async t => {
  const { setUp, runtime } = await build(t)
  const root = await setUp()
  const [steve, alex] = runtime.given.players

  t.test('GET /player/{playerName} answers 200 with uniqueId, ignoring case', async t => {
    for (const path of ['/player/Steve', '/player/sTEVE', '/player/steve/']) {
      same(t, await root('GET', path), { status: 200, data: { name: 'Steve', uniqueId: steve?.uuid, currentServiceName: 'lobby-1' } })
    }
  })

  await refusals(t, root, [
    { method: 'GET', endpoint: '/player/{playerName}', path: '/player/%20', status: 400, message: 'Player name cannot be null or empty' },
    { method: 'GET', endpoint: '/player/{playerName}', path: '/player/%09%0a', status: 400, message: 'Player name cannot be null or empty', when: 'for blanks' },
    { method: 'GET', endpoint: '/player/{playerName}', path: '/player/nobody', status: 404, message: 'Player not found' },
    { method: 'GET', endpoint: '/player/{playerName}', path: '/player/Stev', status: 404, message: 'Player not found', when: 'for a part of a name' },
    { method: 'GET', endpoint: '/players/list', path: '/players/list?page=0', status: 400, message: 'Invalid pagination parameters' },
    { method: 'GET', endpoint: '/players/list', path: '/players/list?size=0', status: 400, message: 'Invalid pagination parameters', when: 'for size 0' },
    { method: 'GET', endpoint: '/players/list', path: '/players/list?size=101', status: 400, message: 'Invalid pagination parameters', when: 'for size 101 (case 73)' }
  ])

  t.test("GET /player/ answers 400 'Player name cannot be null or empty'", async t => {
    same(t, await root('GET', '/player/'), refusal(400, 'Player name cannot be null or empty'))
  })

  t.test('GET /players/list answers a bare page, by name; page defaults to 1 and size to 20 (cases 74, 75)', async t => {
    const page = { page: 1, size: 20, total: 2, totalPages: 1, data: [alex, steve] }
    bare(t, await root('GET', '/players/list'), page)
    bare(t, await root('GET', '/players/list/'), page)
    bare(t, await root('GET', '/players/list?page=1&size=1'), { page: 1, size: 1, total: 2, totalPages: 2, data: [alex] })
    bare(t, await root('GET', '/players/list?size=1&page=2'), { page: 2, size: 1, total: 2, totalPages: 2, data: [steve] })
    for (const beyond of [3, 9_999, 2_147_483_647]) {
      bare(t, await root('GET', `/players/list?page=${beyond}&size=1`), { page: beyond, size: 1, total: 2, totalPages: 2, data: [] })
    }
    bare(t, await root('GET', '/players/list?page=9007199254740991&size=100'), { page: 9007199254740991, size: 100, total: 2, totalPages: 1, data: [] })
  })

  t.test('GET /players/list: page and size are plain decimals (case 73)', async t => {
    for (const bad of badNumbers) {
      for (const name of ['page', 'size']) {
        same(t, await root('GET', `/players/list?${name}=${bad}`), refusal(400, 'Invalid pagination parameters'), `${name}=${bad}`)
      }
    }
    same(t, await root('GET', '/players/list?page=1&page=2'), refusal(400, 'Invalid pagination parameters'))
  })

  t.test('GET /players/list of nobody', async t => {
    runtime.given.players = []
    bare(t, await root('GET', '/players/list'), { page: 1, size: 20, total: 0, totalPages: 0, data: [] })
  })
})

t.test('Platforms', async t => {
  const { setUp } = await build(t)
  const root = await setUp()
  t.test('GET /platforms/list answers 200 with name, type and versions', async t => {
    const data = [
      { name: 'limbo', type: 'SERVER', versions: [{ version: 'latest' }] },
      { name: 'gate', type: 'PROXY', versions: [{ version: '1' }, { version: '2' }] }
    ]
    for (const path of ['/platforms/list', '/platforms/list/']) same(t, await root('GET', path), { status: 200, data })
  })
})

t.test('Groups', async t => {
  const clock = testClock()
  const { setUp, runtime } = await build(t, { clock })
  const root = await setUp()
  const { createdAt: _, ...fields } = aGroup
  const fresh = { ...fields, name: 'fresh' }
  const without = (field: string): object => Object.fromEntries(Object.entries(fresh).filter(([name]) => name !== field))
  const create = (body: unknown, status: number, message: string, when?: string): Row =>
    ({ method: 'POST', endpoint: '/group/create', body, status, message, ...(when !== undefined && { when }) })
  const edit = (body: unknown, status: number, message: string, when?: string): Row =>
    ({ method: 'PATCH', endpoint: '/group/{name}', path: '/group/lobby', body, status, message, ...(when !== undefined && { when }) })

  t.test('GET /group/list, /group/{name} and /group/count answer bare, /groups/list and /groups/count in the envelope', async t => {
    for (const slash of ['', '/']) {
      bare(t, await root('GET', `/group/list${slash}`), [aGroup])
      bare(t, await root('GET', `/group/lobby${slash}`), aGroup)
      bare(t, await root('GET', `/group/count${slash}`), { groupCount: 1, percentage: 0 })
      bare(t, await root('GET', `/group/count${slash}?from=1`), { groupCount: 1, percentage: 100 })
      same(t, await root('GET', `/groups/list${slash}`), { status: 200, data: [aGroup] })
      same(t, await root('GET', `/groups/count${slash}`), { status: 200, data: { groupCount: 1, percentage: 0 } })
      same(t, await root('GET', `/groups/count${slash}?to=5`), { status: 200, data: { groupCount: 0, percentage: 0 } })
    }
  })

  t.test('fallback and static read as false when absent', async t => {
    runtime.given.groups.push({ ...aGroup, name: 'plain', properties: {} })
    t.strictSame((await root('GET', '/group/plain')).body.properties, { fallback: false, static: false })
    runtime.given.groups.pop()
  })

  const order = ['name', 'minMemory', 'maxMemory', 'minOnlineService', 'maxOnlineService']
  await refusals(t, root, [
    ...[...order, 'percentageToStartNewService', 'properties'].map(field => create(without(field), 400, `Group ${field} is required`)),
    create(without('platform'), 400, 'Group platform.name is required'),
    create({ ...fresh, platform: { version: 'latest' } }, 400, 'Group platform.name is required', 'without the name'),
    create({ ...fresh, platform: { name: 'limbo' } }, 400, 'Group platform.version is required'),
    create({ ...fresh, name: '  ' }, 400, 'Group name is required', 'for blanks'),
    create({ ...fresh, platform: { name: ' ', version: 'latest' } }, 400, 'Group platform.name is required', 'for blanks'),
    create({ ...fresh, platform: { name: 'limbo', version: ' ' } }, 400, 'Group platform.version is required', 'for blanks'),
    create({}, 400, 'Group name is required', 'first'),
    ...order.slice(1).flatMap(field => [
      create({ ...fresh, [field]: -1 }, 400, `Group ${field} must not be negative`),
      create({ ...fresh, [field]: 0.5 }, 400, `Group ${field} must be an integer`),
      edit({ [field]: -1 }, 400, `Group ${field} must not be negative`),
      edit({ [field]: 0.5 }, 400, `Group ${field} must be an integer`),
      ...['5', null, true, [5], {}, ''].flatMap(value => [
        create({ ...fresh, [field]: value }, 400, `Group ${field} is required`, `for ${JSON.stringify(value)}`),
        edit({ [field]: value }, 400, `Group ${field} is invalid`, `for ${JSON.stringify(value)}`)
      ])
    ]),
    ...[-0.1, 100.1, 1e300].flatMap(value => [
      create({ ...fresh, percentageToStartNewService: value }, 400, 'Group percentageToStartNewService must be between 0 and 100', `for ${value}`),
      edit({ percentageToStartNewService: value }, 400, 'Group percentageToStartNewService must be between 0 and 100', `for ${value}`)
    ]),
    create({ ...fresh, percentageToStartNewService: '50' }, 400, 'Group percentageToStartNewService is required', 'for a text'),
    edit({ percentageToStartNewService: '50' }, 400, 'Group percentageToStartNewService is invalid'),
    create({ ...fresh, minMemory: 1025 }, 400, 'Group minMemory must not be greater than maxMemory', '(case 70)'),
    create({ ...fresh, minOnlineService: 4 }, 400, 'Group minOnlineService must not be greater than maxOnlineService', '(case 70)'),
    edit({ minMemory: 1025 }, 400, 'Group minMemory must not be greater than maxMemory', 'as it is (case 72)'),
    edit({ maxMemory: 511 }, 400, 'Group minMemory must not be greater than maxMemory', 'as it is now'),
    edit({ minOnlineService: 5, maxOnlineService: 4 }, 400, 'Group minOnlineService must not be greater than maxOnlineService'),
    edit({ maxOnlineService: 0 }, 400, 'Group minOnlineService must not be greater than maxOnlineService', 'as it is'),
    ...[null, 5, 'x', [], true].map(properties => create({ ...fresh, properties }, 400, 'Group properties is required', `for ${JSON.stringify(properties)}`)),
    ...[null, [], {}].map(value => create({ ...fresh, properties: { motd: value } }, 400, 'Group properties is invalid', `for a value of ${JSON.stringify(value)}`)),
    ...['', 'a b', 'a\nb', '😀'].map(key => create({ ...fresh, properties: { [key]: {} } }, 400, 'Group properties is invalid', `for the key ${JSON.stringify(key)}`)),
    ...[null, 5, 'EVERY', {}, [5], [null]].map(templates => create({ ...fresh, templates }, 400, 'Group templates is invalid', `for ${JSON.stringify(templates)}`)),
    ...[null, '5', true].map(createdAt => create({ ...fresh, createdAt }, 400, 'Group createdAt is invalid', `for ${JSON.stringify(createdAt)}`)),
    ...['list', 'Count', 'CREATE', '-a', 'a b', '..', 'a/b', 'x'.repeat(65), 'ä', 'a\n'].map(name => create({ ...fresh, name }, 400, 'Group name is invalid', `for ${JSON.stringify(name).slice(0, 10)}`)),
    create({ ...fresh, platform: { name: 'unknown', version: 'latest' } }, 404, 'Platform not found'),
    create({ ...fresh, platform: { name: 'limbo', version: '9' } }, 404, 'Platform version not found'),
    create({ ...fresh, templates: ['lobby', 'unknown'] }, 404, 'Template not found'),
    create({ ...fresh, name: 'LOBBY' }, 409, 'Group already exists', 'ignoring case (case 99)'),
    create({ ...fresh, name: 'LOBBY', templates: ['unknown'] }, 404, 'Template not found', 'before the conflict'),
    { method: 'GET', endpoint: '/group/{name}', path: '/group/unknown', status: 404, message: 'Group not found' },
    { method: 'PATCH', endpoint: '/group/{name}', path: '/group/unknown', body: {}, status: 404, message: 'Group not found' },
    { method: 'PATCH', endpoint: '/group/{name}', path: '/group/unknown', body: { minMemory: '1' }, status: 400, message: 'Group minMemory is invalid', when: 'before the look-up' },
    { method: 'PATCH', endpoint: '/group/{name}', path: '/group/unknown', body: { minMemory: -1 }, status: 400, message: 'Group minMemory must not be negative', when: 'before the look-up' },
    { method: 'DELETE', endpoint: '/group/{name}', path: '/group/unknown', status: 404, message: 'Group not found' },
    { method: 'GET', endpoint: '/group/count', path: '/group/count?from=2&to=1', status: 400, message: 'Invalid range' }
  ])
  t.strictSame(runtime.given.groups, [aGroup], 'nothing of that was kept')

  t.test('A number that JSON cannot hold is no number (case 69)', async t => {
    const payload = JSON.stringify(fresh).replace('"minMemory":512', '"minMemory":1e999')
    same(t, await root('POST', '/group/create', payload, { headers: { 'content-type': 'application/json' } }), refusal(400, 'Group minMemory is required'))
  })

  t.test('POST /group/create answers 201 with the Group; createdAt is set, templates default to [], unknown fields fall away', async t => {
    const { templates: _, ...least } = fresh
    const shown = { ...fresh, templates: [], createdAt: testStart }
    same(t, await root('POST', '/group/create', { ...least, state: 'x', platform: { ...least.platform, type: 'PROXY' } }), { status: 201, message: 'Group created successfully', data: shown })
    bare(t, await root('GET', '/group/fresh'), shown)
    t.strictSame(runtime.given.groups.at(-1), shown)
    same(t, await root('POST', '/group/create/', fresh), refusal(409, 'Group already exists'))
  })

  t.test('POST /group/create: properties are strings, numbers and booleans; fallback and static read as false when absent', async t => {
    const given = { ...fresh, name: 'props', properties: { port: 5, open: true, motd: '' } }
    same(t, await root('POST', '/group/create', given), {
      status: 201, message: 'Group created successfully', data: { ...given, createdAt: testStart, properties: { fallback: false, static: false, port: 5, open: true, motd: '' } }
    })
  })

  t.test('POST /group/create keeps a plausible createdAt: 0 < t <= now + 1 day, else now', async t => {
    const day = 86_400_000
    for (const [given, kept] of [[1, 1], [testStart + day, testStart + day], [0, testStart], [-5, testStart], [testStart + day + 1, testStart], [1.5, testStart]]) {
      const name = `at${Math.random().toString(36).slice(2)}`
      t.equal((await root('POST', '/group/create', { ...fresh, name, createdAt: given })).body.data.createdAt, kept, `${given}`)
    }
  })

  t.test('POST /group/create takes the bounds themselves', async t => {
    const given = { ...fresh, name: '_x-'.padEnd(64, 'y'), minMemory: 0, maxMemory: 0, minOnlineService: 0, maxOnlineService: 0, percentageToStartNewService: 0 }
    same(t, await root('POST', '/group/create', given), { status: 201, message: 'Group created successfully', data: { ...given, createdAt: testStart } })
    same(t, await root('PATCH', `/group/${given.name}`, { percentageToStartNewService: 100 }), { status: 200, message: 'Group edited successfully', data: { ...given, createdAt: testStart, percentageToStartNewService: 100 } })
  })

  t.test('PATCH /group/{name} answers 200 with the Group; its name and its age stay (case 71)', async t => {
    const given = { minMemory: 1, name: 'other', createdAt: 1 }
    same(t, await root('PATCH', '/group/lobby', given), { status: 200, message: 'Group edited successfully', data: { ...aGroup, minMemory: 1 } })
    same(t, await root('PATCH', '/group/lobby/', {}), { status: 200, message: 'Group edited successfully', data: { ...aGroup, minMemory: 1 } })
    const all = { minMemory: 2, maxMemory: 3, minOnlineService: 4, maxOnlineService: 5, percentageToStartNewService: 6.5 }
    same(t, await root('PATCH', '/group/lobby', all), { status: 200, message: 'Group edited successfully', data: { ...aGroup, ...all } })
    bare(t, await root('GET', '/group/lobby'), { ...aGroup, ...all })
  })

  t.test('DELETE /group/{name} answers 204, with its services', async t => {
    noContent(t, await root('DELETE', '/group/lobby'))
    same(t, await root('GET', '/group/lobby'), refusal(404, 'Group not found'))
    same(t, await root('GET', '/services/list'), { status: 200, data: [] })
    noContent(t, await root('DELETE', '/group/fresh/'))
  })

  t.test('DELETE /group/{name} hands the runtime no name that a group cannot have', async t => {
    const control = runtime.groups.control as { delete: unknown }
    const own = control.delete
    let asked = 0
    control.delete = () => { asked++; return true }
    for (const name of ['..%2f..%2fetc', '%2e%2e%2fx', 'a%00b', 'a%20b']) {
      same(t, await root('DELETE', `/group/${name}`), refusal(404, 'Group not found'), name)
    }
    t.equal(asked, 0)
    control.delete = own
  })
})

t.test('Terminal', async t => {
  const { setUp } = await build(t, { version: '3.2.1' })
  const root = await setUp()
  await refusals(t, root, [
    { method: 'POST', endpoint: '/terminal/command', body: {}, status: 400, message: 'Command is required' },
    { method: 'POST', endpoint: '/terminal/command', body: { command: 'a\u0000b' }, status: 400, message: 'Command is invalid' }
  ])
  t.test('POST /terminal/command coerces nothing', async t => {
    for (const command of noTexts) same(t, await root('POST', '/terminal/command', { command }), refusal(400, 'Command is required'))
  })
  t.test('POST /terminal/command answers 201 with a message and the output', async t => {
    for (const path of ['/terminal/command', '/terminal/command/']) {
      same(t, await root('POST', path, { command: 'version' }), { status: 201, message: 'Command executed', data: { output: ['3.2.1'] } })
    }
  })
})
