/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** A platform that downloads what its services run: before the first start, once for all of them, whatever happens in between. */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { readDefinition } from '../../../lib/runtime/fleet/content/platform-definition.js'
import { bytesOf, serveFile, sumOf, type FileServer } from '../../fixtures/file-server.js'
import { until } from '../../fixtures/until.js'
import { call, cloud, core, game, group, pidIn, platform, programs, read, withPlatforms } from './helper.js'

t.setTimeout(600_000)

/** What is downloaded: the program of the test's game, made large by a comment. */
const jar = Buffer.concat([readFileSync(join(programs, 'game.mjs')), Buffer.from(`\n// ${bytesOf(400_000).toString('hex')}\n`)])

/** A platform whose program has to be downloaded. */
const downloaded = ({ url }: FileServer, changes: object = {}): object => ({
  ...game,
  args: ['-u', 'NODE_OPTIONS', process.execPath, 'server.mjs'],
  downloads: { latest: [{ url, sha256: sumOf(jar), size: jar.length, to: 'server.mjs' }] },
  ...changes
})

/** Milliseconds until nothing looks at platforms any more because something else has happened. */
const quiet = 1000
const storeIn = (directory: string): string => join(directory, 'downloads')
const storedIn = (directory: string): string => join(storeIn(directory), `sha256-${sumOf(jar)}`)

t.test('a group waits for its downloads, tells how far they are, and starts; another group does not wait', async t => {
  const server = await serveFile(t, jar)
  server.otherwise = { kind: 'slow', bytes: 20_000, ms: 40 }
  const c = await cloud(t, { platforms: { jar: downloaded(server), game }, limits: { starting: 1 } })
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' }, minOnlineService: 2 }), call)
  const percents = new Set<number>()
  await until(() => {
    const [, percent] = /^waits for its downloads: server\.mjs (\d+) % of 0\.8 MB$/.exec(c.reason('lobby') ?? '') ?? []
    if (percent !== undefined) percents.add(Number(percent))
    return percents.size >= 3
  }, () => `percents of ${c.reason('lobby')}`)
  await c.groups.control.create(group('other'), call)
  await c.state('other-1', 'ONLINE')
  t.match(c.reason('lobby'), 'waits for its downloads', 'the only place among those that are STARTING was free for the other')
  await c.state('lobby-1', 'ONLINE')
  await c.state('lobby-2', 'ONLINE')
  t.equal(c.reason('lobby'), '2 services, as it should be')
  t.strictSame(server.asked, ['-'], 'it was fetched once')
  t.strictSame([...percents], [...percents].sort((a, b) => a - b))
  t.ok(c.logged(`Downloads server.mjs of jar latest, 0.8 MB, from ${new URL(server.url).host}`))
  t.match(c.logged('server.mjs of jar latest is there')?.message, /^server\.mjs of jar latest is there, 0\.8 MB in \d+\.\d s$/)
  t.equal(c.log.filter(({ message }) => message.startsWith('Group lobby: waits for its downloads')).length, 1, 'not a line for each percent')
  t.notOk(c.log.some(entry => JSON.stringify(entry).includes('hidden')), 'what follows the path of the address is told nobody')
})

t.test('each service has a file of its own, and none can change that of another', async t => {
  const server = await serveFile(t, jar)
  const c = await cloud(t, { platforms: { jar: downloaded(server) } })
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' }, minOnlineService: 2 }), call)
  await c.state('lobby-1', 'ONLINE')
  await c.state('lobby-2', 'ONLINE')
  const fileOf = (name: string): string => join(c.directory, 'services', name, 'files/server.mjs')
  const inodes = [storedIn(c.directory), fileOf('lobby-1'), fileOf('lobby-2')].map(path => statSync(path).ino)
  t.equal(new Set(inodes).size, 3)
  t.equal(statSync(fileOf('lobby-1')).mode & 0o777, 0o644)
  writeFileSync(fileOf('lobby-1'), 'process.exit(3)')
  t.ok(readFileSync(fileOf('lobby-2')).equals(jar))
  t.ok(readFileSync(storedIn(c.directory)).equals(jar))
  await c.services.control.restart('lobby-1', call)
  await until(() => c.logged('lobby-1 has ended'))
  await c.state('lobby-1', 'ONLINE')
  t.ok(readFileSync(fileOf('lobby-1')).equals(jar), 'it is laid anew with each start')
})

t.test('no network is needed for what is there, also by a core that comes later', async t => {
  const server = await serveFile(t, jar)
  const c = await cloud(t, { platforms: { jar: downloaded(server) } })
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' } }), call)
  await c.state('lobby-1', 'ONLINE')
  await c.runtime.close()
  await server.close()
  await c.reopen()
  await c.state('lobby-1', 'ONLINE')
  t.equal(server.asked.length, 1)
})

t.test('what goes wrong is the group\'s reason and in the log, and is tried again with growing pauses', async t => {
  const server = await serveFile(t, jar)
  server.next.push({ kind: 'status', status: 404 }, { kind: 'wrong' }, { kind: 'cut', after: 100_000 })
  const c = await cloud(t, { platforms: { jar: downloaded(server) }, timing: { pause: 300, longestPause: 2000 } })
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' } }), call)
  await until(() => /^waits for its downloads: server\.mjs 127\.0\.0\.1:\d+\/builds\/server\.jar answered 404 Not Found; next try in [01] s$/.test(c.reason('lobby') ?? ''), () => String(c.reason('lobby')))
  await c.state('lobby-1', 'ONLINE')
  const failed = c.log.filter(({ level, message }) => level === 'error' && message.startsWith('server.mjs of jar latest cannot be downloaded: '))
  t.equal(failed.length, 3)
  t.match(failed.map(({ message }) => message), [
    /answered 404 Not Found; next try in 1 s$/, /is another file than was declared: its sha256 is [0-9a-f]{64}, not [0-9a-f]{64}; next try in 1 s$/, /broke off: .*; next try in 2 s$/
  ])
  t.match(server.asked.slice(0, 3), ['-', '-', '-'], 'of a wrong file nothing is gone on with')
  t.equal(c.service('lobby-1')?.lastExit, undefined, 'it is held against no service')
})

t.test('a mirror that is dead is left alone for longer and longer; another address in the file is tried at once', async t => {
  const [dead, alive] = [await serveFile(t, jar), await serveFile(t, jar)]
  await dead.close()
  const c = await cloud(t, { platforms: { jar: downloaded(dead) }, timing: { pause: 60_000, longestPause: 60_000 } })
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' } }), call)
  await until(() => /127\.0\.0\.1:\d+ cannot be reached: ECONNREFUSED; next try in (?:60|5\d) s$/.test(c.reason('lobby') ?? ''))
  await pause(quiet)
  writeFileSync(join(c.directory, 'platforms/jar.json'), JSON.stringify({ name: 'jar', ...downloaded(alive) }))
  await c.state('lobby-1', 'ONLINE')
})

t.test('so it is while the old address still sends, or is silent: what has come of it is gone on with, and it is asked no more', async t => {
  for (const kind of ['slow', 'stall'] as const) {
    const [bad, good] = [await serveFile(t, jar), await serveFile(t, jar)]
    bad.otherwise = kind === 'slow' ? { kind, bytes: 2000, ms: 100 } : { kind, after: 100_000 }
    const c = await cloud(t, { platforms: { jar: downloaded(bad) } })
    await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' } }), call)
    const part = `${storedIn(c.directory)}.part`
    await until(() => existsSync(part) && statSync(part).size > 0)
    await pause(quiet)
    writeFileSync(join(c.directory, 'platforms/jar.json'), JSON.stringify({ name: 'jar', ...downloaded(good) }))
    await c.state('lobby-1', 'ONLINE')
    t.strictSame(bad.asked, ['-'], kind)
    t.match(good.asked, [/^bytes=\d+-$/], kind)
    t.strictSame(readdirSync(storeIn(c.directory)), [`sha256-${sumOf(jar)}`])
    t.notOk(c.logged('cannot be downloaded'), 'nothing has failed')
    await c.runtime.close()
  }
})

t.test('who has the same file from another address waits for no other; what comes first is there for both', async t => {
  for (const kind of ['slow', 'stall', 'status'] as const) {
    const [bad, good] = [await serveFile(t, jar), await serveFile(t, jar)]
    bad.otherwise = kind === 'slow' ? { kind, bytes: 2000, ms: 100 } : kind === 'stall' ? { kind, after: 0 } : { kind, status: 404 }
    const c = await cloud(t, { platforms: { bad: downloaded(bad), good: downloaded(good) }, timing: { pause: 60_000, longestPause: 60_000 } })
    await c.groups.control.create(group('first', { platform: { name: 'bad', version: 'latest' } }), call)
    await until(() => bad.asked.length === 1)
    await c.groups.control.create(group('second', { platform: { name: 'good', version: 'latest' } }), call)
    for (const name of ['second-1', 'first-1']) await c.state(name, 'ONLINE')
    t.strictSame([bad.asked, good.asked], [['-'], ['-']], kind)
    t.strictSame(readdirSync(storeIn(c.directory)), [`sha256-${sumOf(jar)}`])
    await c.runtime.close()
  }
})

t.test('a definition that becomes wrong, or right again, is noticed without anybody asking for platforms', async t => {
  const c = await cloud(t)
  await pause(quiet)
  const file = join(c.directory, 'platforms/game.json')
  writeFileSync(file, JSON.stringify({ name: 'game', ...game, type: 'WRONG' }))
  await until(() => c.logged('Platform file game.json: type must be'))
  await c.groups.control.create(group('lobby'), call)
  await until(() => c.reason('lobby') !== undefined)
  writeFileSync(file, JSON.stringify({ name: 'game', ...game }))
  await c.state('lobby-1', 'ONLINE')
})

t.test('killed with -9 in the middle of a download, the next core goes on where it was', async t => {
  const server = await serveFile(t, jar)
  const directory = withPlatforms(t, { jar: downloaded(server) })
  const ports = { from: 31_800, to: 31_899 }
  server.next.push({ kind: 'slow', bytes: 20_000, ms: 50 })
  const first = await core(t, directory, { ports })
  await first.ask('groups.control', 'create', group('lobby', { platform: { name: 'jar', version: 'latest' } }))
  const part = `${storedIn(directory)}.part`
  await until(() => existsSync(part) && statSync(part).size > 100_000)
  await first.kill()
  const kept = statSync(part).size
  t.ok(kept < jar.length)
  const second = await core(t, directory, { ports })
  await until(async () => (await second.ask<Array<{ state: string }>>('services', 'list'))[0]?.state === 'ONLINE')
  t.match(server.asked, ['-', /^bytes=\d+-$/])
  t.ok(Number(/\d+/.exec(server.asked[1] as string)?.[0]) >= kept)
  t.strictSame(readdirSync(storeIn(directory)), [`sha256-${sumOf(jar)}`])
  t.ok(pidIn(directory, 'lobby-1'))
  await second.ask('', 'relax').catch(() => {})
})

t.test('a core that closes ends its downloads at once, and keeps what came', async t => {
  const server = await serveFile(t, jar)
  server.otherwise = { kind: 'stall', after: 90_000 }
  const c = await cloud(t, { platforms: { jar: downloaded(server) } })
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' } }), call)
  await until(() => (c.reason('lobby') ?? '').includes('server.mjs 1'))
  const began = performance.now()
  await c.runtime.close()
  t.ok(performance.now() - began < 10_000)
  t.equal(readdirSync(storeIn(c.directory)).filter(name => name.endsWith('.part')).length, 1)
})

t.test('one service of a static group keeps what it wrote, and gets the file of the version that is asked for', async t => {
  const [server, newer] = [await serveFile(t, jar), Buffer.concat([jar, Buffer.from('// newer\n')])]
  const later = await serveFile(t, newer)
  const platformFile = downloaded(server, {
    versions: ['old', 'new'],
    downloads: {
      old: [{ url: server.url, sha256: sumOf(jar), size: jar.length, to: 'server.mjs' }],
      new: [{ url: later.url, sha1: sumOf(newer, 'sha1'), size: newer.length, to: 'server.mjs' }]
    }
  })
  const c = await cloud(t, { platforms: { jar: platformFile } })
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'old' }, properties: { static: true } }), call)
  await c.state('lobby-1', 'ONLINE')
  const files = join(c.directory, 'services/lobby-1/files')
  writeFileSync(join(files, 'world.dat'), 'built')
  await c.groups.control.edit('lobby', { platform: { name: 'jar', version: 'new' } }, call)
  later.otherwise = { kind: 'slow', bytes: 20_000, ms: 30 }
  const pid = c.pid('lobby-1')
  await c.services.control.restart('lobby-1', call)
  await until(() => (c.reason('lobby') ?? '').startsWith('waits for its downloads: server.mjs '))
  t.strictSame([c.service('lobby-1')?.state, c.pid('lobby-1')], ['ONLINE', pid], 'it is not ended for a restart that could not begin')
  await until(() => c.pid('lobby-1') !== pid && c.service('lobby-1')?.state === 'ONLINE')
  t.ok(readFileSync(join(files, 'server.mjs')).equals(newer))
  t.equal(read(join(files, 'world.dat')), 'built')
})

t.test('a link or a directory that a static service has put in the place of a download leads nowhere', async t => {
  const server = await serveFile(t, jar)
  const c = await cloud(t, {
    platforms: { jar: downloaded(server, { args: ['-u', 'NODE_OPTIONS', process.execPath, 'bin/server.mjs'], downloads: { latest: [{ url: server.url, md5: sumOf(jar, 'md5'), size: jar.length, to: 'bin/server.mjs' }] } }) },
    timing: { pause: 60_000, longestPause: 60_000 }
  })
  const files = join(c.directory, 'services/lobby-1/files')
  const outside = join(c.directory, 'outside')
  mkdirSync(files, { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(c.directory, 'precious'), 'precious')
  mkdirSync(join(files, 'bin'))
  symlinkSync(join(c.directory, 'precious'), join(files, 'bin/server.mjs'))
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' }, properties: { static: true } }), call)
  await c.state('lobby-1', 'ONLINE')
  t.equal(read(join(c.directory, 'precious')), 'precious')
  t.ok(readFileSync(join(files, 'bin/server.mjs')).equals(jar))
})

t.test('the store of a cloud that was meddled with mends itself before the next start', async t => {
  const server = await serveFile(t, jar)
  const c = await cloud(t, { platforms: { jar: downloaded(server) } })
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' } }), call)
  await c.state('lobby-1', 'ONLINE')
  chmodSync(storedIn(c.directory), 0o600)
  writeFileSync(storedIn(c.directory), 'process.exit(3)')
  await c.services.control.restart('lobby-1', call)
  await until(() => c.logged('lobby-1 has ended'))
  await c.state('lobby-1', 'ONLINE')
  t.equal(server.asked.length, 2)
  t.ok(readFileSync(storedIn(c.directory)).equals(jar))
})

t.test('three at a time, the others wait and say so', async t => {
  const servers = await Promise.all(Array.from({ length: 5 }, async (_, index) => await serveFile(t, bytesOf(100_000, `part ${index}`))))
  let goOn = (): void => {}
  const held = new Promise<void>(resolve => { goOn = resolve })
  for (const server of servers) server.otherwise = { kind: 'held', until: held }
  const parts = servers.map(({ url }, index) => {
    const part = bytesOf(100_000, `part ${index}`)
    return { url, sha256: sumOf(part), size: part.length, to: `parts/${index}` }
  })
  const c = await cloud(t, { platforms: { game: { ...game, downloads: { latest: parts } } } })
  await c.groups.control.create(group('lobby'), call)
  // Each is looked at before it waits for its turn, so any three may be the first.
  const says = (pattern: RegExp): number => c.reason('lobby')?.match(pattern)?.length ?? 0
  await until(() => says(/parts\/\d \d+ % of /g) === 3 && says(/parts\/\d waits for other downloads/g) === 2, () => String(c.reason('lobby')))
  goOn()
  await c.state('lobby-1', 'ONLINE')
  for (const index of [0, 1, 2, 3, 4]) t.equal(statSync(join(c.directory, `services/lobby-1/files/parts/${index}`)).size, 100_000)
})

t.test('what comes in a trickle keeps nobody waiting for one of the three places, and comes', async t => {
  const slow = await Promise.all(Array.from({ length: 3 }, async (_, index) => await serveFile(t, bytesOf(60_000, `part ${index}`))))
  for (const server of slow) server.otherwise = { kind: 'slow', bytes: 250, ms: 50 }
  const parts = slow.map(({ url }, index) => {
    const part = bytesOf(60_000, `part ${index}`)
    return { url, sha256: sumOf(part), size: part.length, to: `parts/${index}` }
  })
  const server = await serveFile(t, jar)
  const c = await cloud(t, { platforms: { game: { ...game, downloads: { latest: parts } }, jar: downloaded(server) }, timing: { stall: 3000 } })
  await c.groups.control.create(group('slow'), call)
  await until(() => slow.every(({ asked }) => asked.length === 1))
  await c.groups.control.create(group('lobby', { platform: { name: 'jar', version: 'latest' } }), call)
  await until(() => c.reason('lobby') === 'waits for its downloads: server.mjs waits for other downloads', () => String(c.reason('lobby')))
  await c.state('lobby-1', 'ONLINE')
  t.equal(c.service('slow-1'), undefined, 'what trickles has not come yet')
  await c.state('slow-1', 'ONLINE')
  t.strictSame(slow.map(({ asked }) => asked), [['-'], ['-'], ['-']], 'and was not asked for again')
})

t.test('what platforms download is fetched before anybody waits for it, when asked for; asking again tells how far it is', async t => {
  const server = await serveFile(t, jar)
  server.next.push({ kind: 'status', status: 500 }, { kind: 'slow', bytes: 50_000, ms: 30 })
  const c = await cloud(t, { platforms: { jar: downloaded(server), game }, timing: { pause: 60_000, longestPause: 60_000 } })
  const ask = async (name?: string, version?: string) => await c.runtime.platforms.downloads.fetch(name, version, call)
  t.equal(await ask('none'), false)
  t.equal(await ask('jar', 'none'), false)
  t.strictSame(await ask('game'), [])
  t.strictSame(await ask('jar', 'latest'), ['jar latest server.mjs is looked at'])
  await until(() => c.logged('server.mjs of jar latest cannot be downloaded: '))
  t.equal(server.asked.length, 1)
  await ask()
  await until(async () => /^jar latest server\.mjs [1-9]\d? % of 0\.8 MB$/.test((await ask() as string[])[0] ?? ''), 'it is tried again at once, and tells how far it is')
  await until(async () => (await ask() as string[])[0] === 'jar latest server.mjs is there')
  t.equal(server.asked.length, 2)
  t.strictSame(c.services.list(call), [], 'nothing was started')
})

t.test('Java that is too old, or not there, is said before anything is started', async t => {
  const java = (version: string): string => `#!/bin/sh\nif [ "$1" = -version ]; then echo 'openjdk version "${version}" 2024-01-16' >&2; exit 0; fi\nexec env -u NODE_OPTIONS ${process.execPath} ${join(programs, 'game.mjs')}\n`
  const programOf = (version: string) => ({ ...game, versions: ['new', 'old'], command: '${platformDirectory}/java', args: ['-jar', 'server.jar'], java: { new: 21, old: 8 }, bin: undefined, text: java(version) })
  const platforms = Object.fromEntries(Object.entries({ eight: '1.8.0_392', seventeen: '17.0.10', newest: '25' }).map(([name, version]) => [name, { ...programOf(version), text: undefined }]))
  const c = await cloud(t, {
    platforms: { ...platforms, none: { ...game, command: 'no-java-here', java: 21 } },
    timing: { pause: 60_000, longestPause: 60_000 },
    prepare: directory => {
      for (const [name, version] of Object.entries({ eight: '1.8.0_392', seventeen: '17.0.10', newest: '25' })) {
        mkdirSync(join(directory, 'platforms', name))
        writeFileSync(join(directory, 'platforms', name, 'java'), java(version), { mode: 0o755 })
      }
    }
  })
  for (const [name, version] of [['eight', 'old'], ['seventeen', 'new'], ['newest', 'new'], ['none', 'latest']] as const) {
    await c.groups.control.create(group(name, { platform: { name, version } }), call)
  }
  await c.state('eight-1', 'ONLINE')
  await c.state('newest-1', 'ONLINE')
  await until(() => c.logged('seventeen-1 cannot be started: it needs Java 21, and ') && c.logged('none-1 cannot be started: it needs Java 21, and there is no no-java-here here'))
  t.match(c.logged('seventeen-1 cannot be started')?.message, /platforms\/seventeen\/java is Java 17: install a newer one, or put its path in "command" of the platform/)
  t.notOk(existsSync(join(c.directory, 'services/seventeen-1/run/pid')))
})

t.test('a Java in the directory of a service is run by nobody but the service, wherever a link to it lies', async t => {
  const java = `#!/bin/sh\nif [ "$1" = -version ]; then touch "$0.asked"; echo 'openjdk version "8"' >&2; exit 0; fi\nexec env -u NODE_OPTIONS ${process.execPath} ${join(programs, 'game.mjs')}\n`
  const own = { ...game, java: 21, args: [] }
  const c = await cloud(t, {
    platforms: {
      path: { ...own, command: 'java', env: { PATH: `\${directory}/bin:${process.env['PATH'] ?? ''}`, SERVICE_PORT: '${port}' } },
      given: { ...own, command: '${directory}/bin/java' },
      relative: { ...own, command: './bin/java' },
      linked: { ...own, command: '${platformDirectory}/java' }
    },
    prepare: directory => {
      mkdirSync(join(directory, 'templates', 'java', 'bin'), { recursive: true })
      writeFileSync(join(directory, 'templates', 'java', 'bin', 'java'), java, { mode: 0o755 })
      mkdirSync(join(directory, 'platforms', 'linked'))
      symlinkSync(join(directory, 'services/linked-1/files/bin/java'), join(directory, 'platforms/linked/java'))
      // As a life before has left it.
      for (const name of ['path-1', 'linked-1']) cpSync(join(directory, 'templates/java'), join(directory, 'services', name, 'files'), { recursive: true })
    }
  })
  for (const name of ['path', 'given', 'relative', 'linked']) {
    await c.groups.control.create(group(name, { platform: { name, version: 'latest' }, templates: ['java'], properties: { static: true } }), call)
    await c.state(`${name}-1`, 'ONLINE')
    t.notOk(existsSync(join(c.directory, `services/${name}-1/files/bin/java.asked`)), name)
  }
})

t.test('a definition that is wrong is told by field', async t => {
  const right = { url: 'https://files.example/server.jar', sha256: 'A'.repeat(64), size: 5, to: 'server.jar' }
  const problemsOf = (changes: object): string[] => {
    const read = readDefinition('jar', JSON.stringify({ name: 'jar', ...platform('game'), ...changes }))
    return Array.isArray(read) ? read.map(({ field, problem }) => `${field} ${problem}`) : []
  }
  const one = (changes: object): string[] => problemsOf({ downloads: { latest: [{ ...right, ...changes }] } })
  t.strictSame(one({}), [])
  t.match(readDefinition('jar', JSON.stringify({ name: 'jar', ...platform('game'), downloads: { latest: [{ ...right, to: './a//b.jar' }] } })), {
    downloads: { latest: [{ url: right.url, algorithm: 'sha256', sum: 'a'.repeat(64), size: 5, to: 'a/b.jar' }] }
  })
  const address = 'downloads.latest[0].url must be an address that begins with http:// or https://, without a user, of at most 2048 characters'
  for (const url of ['ftp://files.example/a', 'file:///etc/passwd', 'server.jar', 'https://me:secret@files.example/a', `https://files.example/${'a'.repeat(2048)}`, 5, undefined]) t.strictSame(one({ url }), [address])
  for (const to of ['../server.jar', '/etc/passwd', 'a/../../b', '', '.', 'bin/', 'a\0b', 7, undefined]) t.strictSame(one({ to }), ['downloads.latest[0].to must be a path inside the service\'s directory'])
  for (const size of [0, -1, 1.5, '5', 2 ** 40, undefined]) t.strictSame(one({ size }), ['downloads.latest[0].size must be its bytes, 1 to 68719476736'])
  t.strictSame(one({ sha256: 'abc' }), ['downloads.latest[0].sha256 must be 64 hexadecimal digits'])
  t.strictSame(one({ sha256: undefined, md5: 'g'.repeat(32) }), ['downloads.latest[0].md5 must be 32 hexadecimal digits'])
  t.strictSame(one({ sha256: undefined }), ['downloads.latest[0] must have one of sha256, sha1 and md5'])
  t.strictSame(one({ md5: 'a'.repeat(32) }), ['downloads.latest[0] must have one of sha256, sha1 and md5'])
  t.strictSame(one({ unpack: true }), ['downloads.latest[0].unpack is unknown'])
  t.strictSame(problemsOf({ downloads: [] }), ['downloads must be an object of lists, by version'])
  t.strictSame(problemsOf({ downloads: { latest: {} } }), ['downloads.latest must be a list of at most 64'])
  t.strictSame(problemsOf({ downloads: { latest: [5] } }), ['downloads.latest[0] must be an object'])
  t.strictSame(problemsOf({ downloads: { other: [right] } }), ['downloads.other is none of the versions'])
  t.strictSame(problemsOf({ downloads: { latest: [right, { ...right, to: './server.jar' }] } }), ['downloads.latest[1].to is that of another download as well'])
  t.strictSame(problemsOf({ downloads: { latest: [right] }, files: { './server.jar': '' } }), ['downloads.latest[0].to is that of one of the files as well'])
  const java = 'java must be the oldest Java that runs it, 8 to 99, or an object of such numbers by version'
  for (const wrong of [7, 100, '21', 21.5, [], { other: 21 }, { latest: 'x' }]) t.strictSame(problemsOf({ java: wrong }), [java])
  for (const well of [8, 99, { latest: 21 }, {}]) t.strictSame(problemsOf({ java: well }), [])
})
