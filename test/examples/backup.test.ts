/** `fastify-cloud admin backup`, and what the documentation says about restoring, run line by line. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, link, lstat, mkdir, mkdtemp, readFile, readdir, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import t, { type Test } from 'tap'
import { removeTree } from '../../lib/runtime/fleet/index.js'
import { lacksPostgres, startPostgres } from '../fixtures/postgres.js'
import { repository } from '../fixtures/repository.js'
import { onlyFull } from '../fixtures/rounds.js'
import { clientOf, freePort, run, startServer } from '../fixtures/server.js'
import { until } from '../fixtures/until.js'

t.setTimeout(600_000)

const password = 'correct horse battery'
const group = {
  minMemory: 256,
  maxMemory: 512,
  minOnlineService: 1,
  maxOnlineService: 1,
  platform: { name: 'limbo', version: 'latest' },
  percentageToStartNewService: 0,
  templates: ['map']
}

/** The blocks of shell in the chapter about backups. */
async function linesOfDocs (): Promise<{ backUp: string, restore: string }> {
  const page = await readFile(join(repository, 'docs/standalone.md'), 'utf8')
  const chapter = page.slice(page.indexOf('## Back up and restore'), page.indexOf('## Several servers'))
  const [backUp = '', restore = ''] = [...chapter.matchAll(/```sh\n(.*?)```/gs)].map(([, lines]) => lines as string)
  return { backUp, restore }
}

/** What stands below a cloud's directory, by the table in the chapter about files. */
async function filesOfDocs (): Promise<string[]> {
  const page = await readFile(join(repository, 'docs/standalone.md'), 'utf8')
  const chapter = page.slice(page.indexOf('## Files'), page.indexOf('## Back up and restore'))
  return [...chapter.matchAll(/^\| `([^`]+?)\/?` \|/gm)].map(([, name]) => name as string).filter(name => name !== 'CLOUD_DIRECTORY')
}

/** Runs lines of the documentation as an operator does who has the package installed. */
async function shell (t: Test, lines: string, env: Record<string, string>) {
  const bin = join(t.testdirName, 'bin')
  await mkdir(bin, { recursive: true })
  await writeFile(join(bin, 'npx'), `#!/bin/sh\nshift\nexec "${process.execPath}" "${repository}/examples/standalone/fastify-cloud.js" "$@"\n`)
  await chmod(join(bin, 'npx'), 0o755)
  // `exec` for the last line, so that a signal reaches the server.
  const child = spawn('sh', ['-e', '-c', lines.trim().replace(/\n(?=npx .*$)/, '\nexec ')], { env: { PATH: `${bin}:${process.env['PATH'] ?? ''}`, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  child.stdout.on('data', chunk => { text += String(chunk) })
  child.stderr.on('data', chunk => { text += String(chunk) })
  const exited = new Promise<number | null>(resolve => { child.once('close', resolve) })
  t.teardown(async () => {
    child.kill('SIGTERM')
    await exited
  })
  return { output: () => text, exited, child }
}

const listed = async (call: ReturnType<typeof clientOf>, path: string, key: string): Promise<string[]> =>
  (await call('GET', path)).body.data.map((one: Record<string, unknown>) => String(one[key])).sort()

t.test('a backup made under writes is restored by the lines of the documentation, and holds all that was acknowledged before', async t => {
  const directory = join(t.testdir(), 'cloud')
  const backup = join(t.testdirName, 'backup')
  const env = { CLOUD_DIRECTORY: directory, BACKUP: backup, SERVICE_PORTS: `${await freePort()}-65535`, PORT: '0' }
  const docs = await linesOfDocs()
  const server = await startServer(env)
  t.teardown(() => server.stop())
  let url = server.url
  const call = clientOf(() => url)
  await call('POST', '/user/self', { username: 'admin', password })
  await call('POST', '/template/', { name: 'map' })
  await writeFile(join(directory, 'templates/map/level.dat'), 'the map')
  const forwarding = await readFile(join(directory, 'forwarding.secret'), 'utf8')
  for (const [name, isStatic] of [['world', true], ['lobby', false]] as const) await call('POST', '/group/create', { ...group, name, properties: { static: isStatic } })
  await until(async () => (await call('GET', '/services/list')).body.data.filter(({ state }: any) => state === 'ONLINE').length === 2, 'both are online', 30_000)
  const files = join(directory, 'services/world-1/files')
  await writeFile(join(files, 'level.dat'), 'what people built')
  await symlink('/etc/hostname', join(files, 'a link'))

  const acknowledged: string[] = []
  const over = new AbortController()
  const writing = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const { status } = await call('POST', '/role/', { label: `role ${n}`, hexColor: '#123456', permissions: [] })
      if (status === 201) acknowledged.push(`role ${n}`)
    }
  })()
  await until(() => acknowledged.length > 20)
  const before = [...acknowledged]
  const made = await shell(t, docs.backUp, env)
  t.equal(await made.exited, 0, made.output())
  over.abort()
  await writing
  t.ok(acknowledged.length > before.length, 'it was made while there were writes')

  t.equal(made.output().split('\n').filter(line => !line.includes('a link')).join('\n'), `${backup} is a copy of ${directory}\n`)
  t.match(made.output(), `Not in it, or not whole: ${join(files, 'a link')} is a link to /etc/hostname: what is there is not in it\n`)
  t.equal((await stat(backup)).mode & 0o777, 0o700)
  for (const file of ['secret', 'forwarding.secret', 'cloud.db']) t.equal((await stat(join(backup, file))).mode & 0o777, 0o600, file)
  t.strictSame((await readdir(backup)).sort(), [...(await filesOfDocs()).filter(name => name !== 'downloads'), 'cloud.db.marker'].sort(), 'whatever a cloud has, but for what can be fetched again')
  t.strictSame((await readdir(join(backup, 'services'))).sort(), ['world-1', 'world-1.json'], 'and nothing of those that begin anew')
  t.notOk((await readdir(t.testdirName)).some(name => name.includes('partial')))
  t.notOk((await readdir(directory)).some(name => name.includes('copy-')))
  t.match(server.output(), /audit="database\.copied" outcome="done"/)

  await call('DELETE', '/group/world')
  await server.stop()
  const restored = await shell(t, docs.restore, env)
  url = await until(() => /listening on (http\S+)/.exec(restored.output())?.[1], () => `it listens: ${restored.output()}`, 30_000)
  t.equal((await call('GET', '/user/self')).body.data?.username, 'admin', 'the session goes on')
  const held = await listed(call, '/roles/', 'label')
  t.strictSame(before.filter(label => !held.includes(label)), [])
  t.strictSame(await listed(call, '/groups/list', 'name'), ['lobby', 'world'])
  t.ok((await listed(call, '/templates/list', 'name')).includes('map'))
  await until(async () => (await call('GET', '/services/list')).body.data.filter(({ state }: any) => state === 'ONLINE').length === 2, 'both are online again', 30_000)
  t.equal(await readFile(join(files, 'level.dat'), 'utf8'), 'what people built')
  t.equal(await readFile(join(directory, 'forwarding.secret'), 'utf8'), forwarding, 'proxies and servers elsewhere know it')
  t.equal(await readFile(join(directory, 'services/lobby-1/files/level.dat'), 'utf8'), 'the map')
})

t.test('a backup is made without a server too; never over something, nor into the cloud, and what fails leaves nothing', async t => {
  const directory = join(t.testdir(), 'cloud')
  const env = { CLOUD_DIRECTORY: directory, PORT: '0' }
  const server = await startServer(env)
  await clientOf(server.url)('POST', '/user/self', { username: 'admin', password })
  const admin = async (...words: string[]): Promise<readonly [number | null, string]> => {
    const child = run('admin.js', ['backup', ...words], env)
    const { code } = await child.exited
    return [code, child.output()]
  }
  const place = (name: string): string => join(t.testdirName, name)
  await mkdir(place('taken'))
  // Another name of the cloud, and the other disk that files of it are on.
  const other = await mkdtemp(join(tmpdir(), 'cloud-links-'))
  t.teardown(async () => { await rm(other, { recursive: true }) })
  await symlink(directory, join(other, 'cloud'))
  for (const name of ['disk', 'programs']) await mkdir(join(other, name))
  for (const isRunning of [true, false]) {
    await mkdir(join(directory, 'services/city-1'), { recursive: true })
    await symlink(join(other, 'disk'), join(directory, 'services/city-1/files'))
    await rm(join(directory, 'platforms/prog'), { force: true })
    await symlink(join(other, 'programs'), join(directory, 'platforms/prog'))
    const inside = join(directory, 'templates/inside')
    t.strictSame(await admin(place('taken')), [1, `${place('taken')} is there already\n`])
    for (const one of [inside, join(other, 'cloud/templates/inside'), join(other, 'disk/inside'), join(other, 'programs/inside')]) t.strictSame(await admin(one), [1, `${one} is inside of what is copied\n`])
    t.match(await admin(place('nowhere/copy')), [1, /There is no directory .*\/nowhere: make it/])
    t.match(await admin(), [2, /^Usage/])
    await rm(join(directory, 'services/city-1'), { recursive: true, force: true })
    t.strictSame(await admin(place(`copy ${isRunning}`)), [0, `${place(`copy ${isRunning}`)} is a copy of ${directory}\n`])
    if (isRunning) await server.stop()
  }
  t.strictSame((await readdir(t.testdirName)).sort(), ['cloud', 'copy false', 'copy true', 'taken'])
  t.notOk((await readdir(directory)).some(name => name.includes('copy-')))
  for (const name of ['copy true', 'copy false']) {
    const again = await startServer({ ...env, CLOUD_DIRECTORY: place(name) })
    t.equal((await clientOf(again.url)('POST', '/auth/login', { username: 'admin', password })).status, 200, name)
    await again.stop()
    await rm(place(name), { recursive: true })
  }
})

t.test('S22: what cannot be read, lies too deep, or is exchanged all the while is named, and all else is in the backup', { skip: onlyFull('an edge of backups') }, async t => {
  const directory = join(t.testdir(), 'cloud')
  const backup = join(t.testdirName, 'backup')
  const env = { CLOUD_DIRECTORY: directory, SERVICE_PORTS: `${await freePort()}-65535`, PORT: '0', CLOUD_ON_EXIT: 'stop' }
  const server = await startServer(env)
  t.teardown(() => server.stop())
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })
  for (const name of ['map', 'churn']) await call('POST', '/template/', { name })
  await writeFile(join(directory, 'templates/map/level.dat'), 'the map')
  for (const name of ['world', 'other']) await call('POST', '/group/create', { ...group, name, properties: { static: true } })
  await until(async () => (await call('GET', '/services/list')).body.data.filter(({ state }: any) => state === 'ONLINE').length === 2, 'both are online', 30_000)
  const files = join(directory, 'services/world-1/files')
  for (const one of ['world-1', 'other-1']) await writeFile(join(directory, 'services', one, 'files/level.dat'), one)
  // Deeper than a path can tell, told step by step.
  execFileSync('sh', ['-c', 'for i in $(seq 600); do mkdir dddddddd && cd -P dddddddd || exit 1; done'], { cwd: files, stdio: 'ignore' })
  await mkdir(join(files, 'locked'))
  await writeFile(join(files, 'locked/x'), '')
  await chmod(join(files, 'locked'), 0)
  // A service can do that to its own note as well.
  await writeFile(join(directory, 'services/other-1/run/meta.json'), '{')

  const churn = join(directory, 'templates/churn')
  const over = new AbortController()
  const exchanging = (async () => {
    for (let n = 0; !over.signal.aborted; n++) {
      const fresh = join(directory, `templates/.churn.00000000000${n % 10}.tmp`)
      await mkdir(join(fresh, 'deep'), { recursive: true })
      for (const name of ['a', 'deep/b']) await writeFile(join(fresh, name), String(n))
      await rm(churn, { recursive: true, force: true })
      await rename(fresh, churn)
    }
  })()
  const child = run('admin.js', ['backup', backup], { CLOUD_DIRECTORY: directory })
  const { code } = await child.exited
  over.abort()
  await exchanging
  t.equal(code, 0, child.output())
  t.match(child.output(), `${backup} is a copy of ${directory}\n`)
  t.match(child.output(), /Not in it, or not whole: .*dddddddd.*: File name too long/)
  if (process.getuid?.() !== 0) t.match(child.output(), /Not in it, or not whole: .*locked.*: Permission denied/)
  for (const file of ['cloud.db', 'secret', 'groups/world.json', 'groups/other.json']) t.ok((await stat(join(backup, file))).size > 0, file)
  t.equal(await readFile(join(backup, 'templates/map/level.dat'), 'utf8'), 'the map')
  for (const one of ['world-1', 'other-1']) t.equal(await readFile(join(backup, 'services', one, 'files/level.dat'), 'utf8'), one)
  t.strictSame((await readdir(join(backup, 'templates'))).filter(name => name.endsWith('.tmp')), [])
  t.notOk((await readdir(t.testdirName)).some(name => name.includes('partial')))
  await server.stop()
  await removeTree(directory)
  await removeTree(backup)
})

t.test('a restored cloud knows what its static services have built: the next backup has it, started or not, and no later group finds it', async t => {
  const directory = join(t.testdir(), 'cloud')
  const place = (name: string): string => join(t.testdirName, name)
  const env = { CLOUD_DIRECTORY: directory, SERVICE_PORTS: `${await freePort()}-65535`, PORT: '0', CLOUD_ON_EXIT: 'stop' }
  const server = await startServer(env)
  t.teardown(() => server.stop())
  const first = clientOf(server.url)
  await first('POST', '/user/self', { username: 'admin', password })
  await first('POST', '/group/create', { ...group, name: 'world', properties: { static: true }, templates: [] })
  await until(async () => existsSync(join(directory, 'services/world-1.json')), 'it has begun', 30_000)
  await until(async () => existsSync(join(directory, 'services/world-1/files')), 'its files are there', 30_000)
  const built = async (of: string): Promise<string[]> => (await readdir(join(place(of), 'services'), { recursive: true })).filter(name => name.endsWith('level.dat')).map(name => name.replace(/\.kept-[^/]+/, '.kept'))
  await writeFile(join(directory, 'services/world-1/files/level.dat'), 'a world')
  const backUp = async (from: string, to: string): Promise<void> => {
    const child = run('admin.js', ['backup', place(to)], { CLOUD_DIRECTORY: place(from) })
    t.equal((await child.exited).code, 0, child.output())
  }
  await backUp('cloud', 'first')
  await server.stop()
  await backUp('first', 'second')
  t.strictSame(await built('second'), ['world-1/files/level.dat'], 'one that was never started')

  // Nothing of it is to start: what is there is known from the backup alone.
  const resting = { minOnlineService: 0, maxOnlineService: 1, percentageToStartNewService: 0 }
  const definition = JSON.parse(await readFile(join(place('second'), 'groups/world.json'), 'utf8'))
  await writeFile(join(place('second'), 'groups/world.json'), JSON.stringify({ ...definition, ...resting }))
  // As of a backup that was made before services were noted in them.
  await rename(place('first'), place('unknown'))
  await rm(join(place('unknown'), 'services/world-1.json'))
  await writeFile(join(place('unknown'), 'groups/world.json'), JSON.stringify({ ...definition, ...resting }))
  for (const [of, when] of [['second', 'with its group'], ['unknown', 'before another one begins']] as const) {
    const again = await startServer({ ...env, CLOUD_DIRECTORY: place(of) })
    t.teardown(() => again.stop())
    const call = clientOf(again.url)
    t.equal((await call('POST', '/auth/login', { username: 'admin', password })).status, 200)
    t.equal((await call('DELETE', '/group/world')).status, 204)
    if (of === 'second') t.strictSame(await built(of), ['world-1.kept/files/level.dat'], when)
    await call('POST', '/group/create', { ...group, name: 'world', properties: {}, templates: [] })
    await until(async () => (await call('GET', '/services/list')).body.data.some(({ state }: any) => state === 'ONLINE'), 'the new one is online', 30_000)
    t.strictSame(await built(of), ['world-1.kept/files/level.dat'], when)
    await again.stop()
  }
  for (const of of ['cloud', 'second', 'unknown']) await removeTree(place(of))
})

t.test('a backup without one of its parts is none', async t => {
  const directory = join(t.testdir(), 'cloud')
  const server = await startServer({ CLOUD_DIRECTORY: directory, SERVICE_PORTS: `${await freePort()}-65535`, PORT: '0' })
  t.teardown(() => server.stop())
  const call = clientOf(server.url)
  await call('POST', '/user/self', { username: 'admin', password })
  t.equal((await call('POST', '/group/create', { ...group, name: 'lobby', minOnlineService: 0, properties: {}, templates: [] })).status, 201)
  for (const name of ['secret', 'forwarding.secret', 'groups', 'templates', 'platforms', 'services']) {
    await rename(join(directory, name), join(directory, 'aside'))
    const child = run('admin.js', ['backup', join(t.testdirName, 'copy')], { CLOUD_DIRECTORY: directory })
    t.equal((await child.exited).code, 1, name)
    t.match(child.output(), `${join(directory, name)} is not there: without it there is no backup`)
    await rename(join(directory, 'aside'), join(directory, name))
  }
  t.strictSame(await readdir(t.testdirName), ['cloud'])
})

t.test('a file of a group that is a link is in a copy as what it leads to, and one that leads nowhere is named', { skip: onlyFull('an edge of backups') }, async t => {
  const directory = t.testdir({ elsewhere: { 'city.json': 'the city' }, groups: { 'lobby.json': 'the lobby' } })
  await symlink('../elsewhere/city.json', join(directory, 'groups/city.json'))
  await symlink('nowhere', join(directory, 'groups/lost.json'))
  const { copyAll } = await import(join(repository, 'examples/standalone/copies.js')) as { copyAll (from: string, to: string): Promise<string[]> }
  t.match(await copyAll(join(directory, 'groups'), join(directory, 'copy')), [/groups\/lost\.json/])
  t.strictSame((await readdir(join(directory, 'copy'))).sort(), ['city.json', 'lobby.json'])
  t.notOk((await lstat(join(directory, 'copy/city.json'))).isSymbolicLink())
  t.equal(await readFile(join(directory, 'copy/city.json'), 'utf8'), 'the city')
})

t.test('files that are behind a link are in a copy, and what their links lead to outside of them is named', { skip: onlyFull('an edge of backups') }, async t => {
  const directory = t.testdir({
    disk: { files: { world: 'a world', deep: {} }, 'lobby-2': { files: { world: 'another' }, run: { 'meta.json': '{"static":true}' } } },
    services: { 'lobby-1': { run: { 'meta.json': '{"static":true}' } }, 'lobby-4': { run: { 'meta.json': '{"static":true}' } } }
  })
  const services = join(directory, 'services')
  for (const [path, target] of [['lobby-1/files', '../../disk/files'], ['lobby-2', '../disk/lobby-2'], ['lobby-3', '../nowhere'], ['lobby-4/files', '../../nowhere']] as const) await symlink(target, join(services, path))
  for (const [path, target] of [['inside', 'world'], ['deep/inside', '../world'], ['outside', '/etc/hostname'], ['deep/outside', '../../secret']] as const) await symlink(target, join(directory, 'disk/files', path))
  const { copyServices } = await import(join(repository, 'examples/standalone/service-copies.js')) as { copyServices (from: string, to: string): Promise<{ leftOut: string[], lacking: string[] }> }
  const { leftOut: told, lacking } = await copyServices(services, join(directory, 'copy'))
  t.strictSame(lacking.sort(), ['lobby-3', 'lobby-4'])
  t.equal(await readFile(join(directory, 'copy/lobby-1/files/world'), 'utf8'), 'a world')
  t.equal(await readFile(join(directory, 'copy/lobby-2/files/world'), 'utf8'), 'another')
  t.notOk((await lstat(join(directory, 'copy/lobby-1/files'))).isSymbolicLink())
  t.equal(told.length, 4, told.join('\n'))
  for (const one of ['files/outside is a link to /etc/hostname: what is there is not in it', 'files/deep/outside is a link to ../../secret', 'lobby-3 is a link that leads nowhere', 'lobby-4/files is a link that leads nowhere']) t.ok(told.some(line => line.includes(one)), one)
})

t.test('what was wanted of a service is wanted of it in a copy', { skip: onlyFull('an edge of backups') }, async t => {
  const record = (name: string, intent: string): object => ({ name, group: 'city', index: Number(name.slice(-1)), intent, static: true, life: { token: 'x' } })
  const of = (isStatic = true) => ({ files: { world: 'a world' }, run: { 'meta.json': JSON.stringify({ static: isStatic }) } })
  const directory = t.testdir({
    services: {
      'city-1': of(),
      'city-1.json': JSON.stringify(record('city-1', 'run')),
      'city-2': of(),
      'city-2.json': JSON.stringify(record('city-2', 'stop')),
      // Its group has become static since it was started.
      'city-3': of(false),
      'city-3.json': JSON.stringify(record('city-3', 'run'))
    }
  })
  const { copyServices } = await import(join(repository, 'examples/standalone/service-copies.js')) as { copyServices (from: string, to: string): Promise<{ leftOut: string[] }> }
  t.strictSame((await copyServices(join(directory, 'services'), join(directory, 'copy'))).leftOut, [])
  for (const [name, intent] of [['city-1', 'run'], ['city-2', 'stop'], ['city-3', 'run']] as const) {
    const { life, ...rest } = JSON.parse(await readFile(join(directory, 'copy', `${name}.json`), 'utf8'))
    t.equal(life, undefined, `${name} runs nowhere`)
    t.match(rest, { intent, static: true })
    t.equal(await readFile(join(directory, 'copy', name, 'files/world'), 'utf8'), 'a world')
  }
})

t.test('a template that is renamed amid a backup is in it, under the name that its groups have there', { skip: onlyFull('an edge of backups') }, async t => {
  const steps: ReadonlyArray<readonly [what: string, shell: string]> = [
    ['while it is copied', 'case "$n" in 1) rename web web2;; esac'],
    ['and back while its groups are copied', 'case "$n" in 1) rename web web2;; 3) rename web2 web;; esac'],
    ['and back before its groups are copied', 'case "$n" in 1) rename web web2;; 2) rename web2 web;; esac'],
    ['all the while', 'if [ -d "$CLOUD/templates/web" ]; then rename web web2; else rename web2 web; fi']
  ]
  for (const [what, shell] of steps) {
    const directory = t.testdir({
      bin: {},
      cloud: { templates: { web: { index: 'the web' }, other: { file: 'x' } }, groups: { 'lobby.json': '{"name":"lobby","templates":["web"]}', 'city.json': '{"name":"city","templates":["other","web"]}' } },
      half: {}
    })
    await writeFile(join(directory, 'bin/cp'), `#!/bin/sh
n=$(($(cat '${directory}/count' 2>/dev/null || echo 0) + 1)); echo $n > '${directory}/count'
CLOUD='${directory}/cloud'
rename () { mv "$CLOUD/templates/$1" "$CLOUD/templates/$2"; sed -i "s/\\b$1\\b/$2/" "$CLOUD"/groups/*.json; }
/bin/cp "$@"; status=$?
${shell}
exit $status
`, { mode: 0o755 })
    const script = `import { copyTemplatesAndGroups } from '${join(repository, 'examples/standalone/template-copies.js')}'
    console.log(JSON.stringify(await copyTemplatesAndGroups('${join(directory, 'cloud')}', '${join(directory, 'half')}')))`
    const told = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: repository, timeout: 60_000, env: { ...process.env, PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}` } }).toString())
    const there = await readdir(join(directory, 'half/templates'))
    const note = there.includes('.renaming.json') ? JSON.parse(await readFile(join(directory, 'half/templates/.renaming.json'), 'utf8')) : undefined
    const web = there.find(name => name.startsWith('web'))
    t.equal(await readFile(join(directory, 'half/templates', web ?? '', 'index'), 'utf8'), 'the web', what)
    t.ok(there.includes('other'), what)
    t.strictSame(told, [], what)
    for (const name of ['lobby', 'city']) {
      const { templates } = JSON.parse(await readFile(join(directory, 'half/groups', `${name}.json`), 'utf8'))
      t.ok(templates.includes(web) || (note?.newName === web && templates.includes(note?.name)), `${what}: ${name} names ${templates}, and there are ${there}`)
    }
    if (what !== 'all the while') t.equal(note, undefined, what)
  }
})

t.test('whatever `cp` says of the files of a service is named, and keeps nothing else from being copied; a full disk leaves no copy of platforms', { skip: onlyFull('an edge of backups') }, async t => {
  const directory = t.testdir({ bin: {}, services: { 'lobby-1': { files: { world: 'a world' }, run: { 'meta.json': '{"static":true}' } } } })
  const [files, copied] = [join(directory, 'services/lobby-1/files'), join(directory, 'copy/lobby-1/files')]
  const script = `import { copyServices } from '${join(repository, 'examples/standalone/service-copies.js')}'
  console.log(JSON.stringify((await copyServices('${join(directory, 'services')}', '${join(directory, 'copy')}')).leftOut))`
  const bin = `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}`
  for (const line of [
    `cp: '${files}/p/s': Permission denied`, `cp: cannot access '${files}/p': Permission denied`, `cp: will not create hard link '${copied}/a' to directory '${copied}/b'`,
    // A name that looks like where the copy is; rights that cannot be kept there; a disk that fails.
    `cp: cannot open '${files}/a"${copied}/locked' for reading: Permission denied`, `cp: preserving permissions for '${copied}/listed': Operation not supported`,
    `cp: error copying '${files}/world' to '${copied}/world': Input/output error`
  ]) {
    // As the same words come from \`cp\` itself only while a service changes its files.
    await writeFile(join(directory, 'bin/cp'), `#!/bin/sh\nmkdir -p "$4"\ncat >&2 <<'END'\n${line}\nEND\nexit 1\n`, { mode: 0o755 })
    const told = JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: repository, env: { ...process.env, PATH: bin } }).toString())
    if (line.includes('hard link')) t.strictSame(told, [], line)
    else t.strictSame([told.length, told[0].split(': ').pop()], [1, line.split(': ').pop()], line)
    await rm(join(directory, 'copy'), { recursive: true, force: true })
  }
  await writeFile(join(directory, 'bin/cp'), '#!/bin/sh\necho "cp: error writing \'x\': No space left on device" >&2\nexit 1\n', { mode: 0o755 })
  const ofPlatforms = `import { copyAll } from '${join(repository, 'examples/standalone/copies.js')}'
  await copyAll('${join(directory, 'bin')}', '${join(directory, 'copy')}')`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', ofPlatforms], { cwd: repository, env: { ...process.env, PATH: bin } })
  t.equal(status, 1)
  t.match(stderr.toString(), 'No space left on device')
})

t.test('what a service of another user may not read is not in a copy of its files, whatever leads there', { skip: onlyFull('an edge of backups') || (process.getuid?.() !== 0 && 'NO ROOT HERE: services have no other user') }, async t => {
  const directory = t.testdir({ services: { 'lobby-1': { files: { world: 'a world', deep: { own: 'its own' }, secret: 'of the cloud' }, run: { 'meta.json': '{"static":true}' } } } })
  const files = join(directory, 'services/lobby-1/files')
  for (const [name, owner] of [['.', 65_534], ['world', 65_534], ['deep', 65_534], ['deep/own', 65_534], ['secret', 0]] as const) await chown(join(files, name), owner, owner)
  await chmod(join(files, 'secret'), 0o600)
  await mkdir(join(files, 'it\'s "locked"'))
  await mkdir(join(files, 'it\'s'))
  for (const name of ['it\'s', 'it\'s "locked"']) {
    await chown(join(files, name), 65_534, 65_534)
    await chmod(join(files, name), 0)
  }
  await mkdir(join(directory, 'backup'), { mode: 0o700 })
  // Nor may that user come to them by any path.
  await chmod(directory, 0o700)
  const { copyServices } = await import(join(repository, 'examples/standalone/service-copies.js')) as { copyServices (from: string, to: string): Promise<{ leftOut: string[] }> }
  const copied = join(directory, 'backup/services')
  t.match((await copyServices(join(directory, 'services'), copied)).leftOut.sort(), [/cannot access ".*it's": Permission denied/, /cannot access '.*it'/, /cannot open '.*files\/secret' for reading: Permission denied/])
  t.strictSame((await readdir(join(copied, 'lobby-1/files'), { recursive: true })).sort(), ['deep', 'deep/own', 'it\'s', 'it\'s "locked"', 'world'])
  const owners = await Promise.all(['lobby-1', 'lobby-1/files', 'lobby-1/files/deep/own'].map(async name => (await stat(join(copied, name))).uid))
  t.strictSame(owners, [0, 65_534, 65_534], 'each as it was')
})

t.test('a service of another user that exchanges its files in the copy is not in it, and leads nobody anywhere', { skip: onlyFull('an edge of backups') || (process.getuid?.() !== 0 && 'NO ROOT HERE: services have no other user') }, async t => {
  const directory = t.testdir({ services: { 'lobby-1': { files: { world: 'a world' }, run: { 'meta.json': '{"static":true}' } } } })
  // That user has to come to it.
  const bin = await mkdtemp(join(tmpdir(), 'cloud-cp-'))
  t.teardown(async () => { await rm(bin, { recursive: true }) })
  await chmod(bin, 0o755)
  for (const name of ['.', 'world']) await chown(join(directory, 'services/lobby-1/files', name), 65_534, 65_534)
  for (const exchange of ['mv files files.mine; ln -s /etc files', 'ln -s /etc other', 'rm -r files; cp /etc/hostname files']) {
    // What works beside `cp` as the same user comes to where that works.
    await writeFile(join(bin, 'cp'), `#!/bin/sh -p\nPATH=/usr/bin:/bin\ncp "$@"; status=$?\ncd /proc/self/fd/4\n${exchange}\nexit $status\n`, { mode: 0o755 })
    const script = `import { copyServices } from '${join(repository, 'examples/standalone/service-copies.js')}'
    console.log(JSON.stringify((await copyServices('${join(directory, 'services')}', '${join(directory, 'copy')}')).leftOut))`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: repository, env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` } })
    let said = ''
    child.stdout.on('data', data => { said += String(data) })
    await new Promise(resolve => { child.once('close', resolve) })
    t.match(JSON.parse(said), [/lobby-1: it was exchanged while it was copied/], exchange)
    t.strictSame((await readdir(join(directory, 'copy'))).filter(name => name !== 'lobby-1.json'), [], exchange)
    await rm(join(directory, 'copy'), { recursive: true, force: true })
  }
})

t.test('a service of another user that ends or stops the copy of its files, which it may not look into, is named, and all else is in it', { skip: onlyFull('an edge of backups') || (process.getuid?.() !== 0 && 'NO ROOT HERE: services have no other user') }, async t => {
  const one = (): { files: { world: string }, run: Record<string, string> } => ({ files: { world: 'a world' }, run: { 'meta.json': '{"static":true}' } })
  const directory = t.testdir({ services: { 'lobby-1': one(), 'lobby-2': one() } })
  for (const name of ['.', 'world']) await chown(join(directory, 'services/lobby-1/files', name), 65_534, 65_534)
  const bin = await mkdtemp(join(tmpdir(), 'cloud-cp-'))
  t.teardown(async () => { await rm(bin, { recursive: true }) })
  await chmod(bin, 0o777)
  const script = `import { copyServices } from '${join(repository, 'examples/standalone/service-copies.js')}'
  const { leftOut, lacking } = await copyServices('${join(directory, 'services')}', '${join(directory, 'copy')}')
  console.log(JSON.stringify([...leftOut, ...lacking]))`
  for (const [what, why] of [
    ['kill -KILL $$', /files: its copy was ended by somebody \(SIGKILL\): what comes behind/], ['kill -STOP $$', /files: its copy was stopped by somebody: what comes behind/],
    ['( while kill -CONT $$; do sleep 0.7; done 2>/dev/null ) & while :; do kill -STOP $$; done', /files: its copy was stopped by somebody: what comes behind/]
  ] as const) {
    // What the service does to any process of its user is done here by that itself.
    await writeFile(join(bin, 'cp'), `#!/bin/sh -p\nPATH=/usr/bin:/bin\n[ "$(id -u)" = 0 ] || { echo $$ >'${bin}/pid'; sleep 1; ${what}; }\nexec cp "$@"\n`, { mode: 0o755 })
    await rm(join(bin, 'pid'), { force: true })
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: repository, env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}`, OF_THE_ADMIN: 'secret' } })
    let said = ''
    child.stdout.on('data', data => { said += String(data) })
    const ended = new Promise(resolve => { child.once('close', resolve) })
    const pid = await until(async () => Number(await readFile(join(bin, 'pid'), 'utf8').catch(() => '')))
    t.notMatch(await readFile(`/proc/${pid}/environ`, 'latin1'), 'OF_THE_ADMIN')
    t.throws(() => execFileSync('cat', [`/proc/${pid}/environ`], { uid: 65_534, gid: 65_534, stdio: 'pipe' }), /Permission denied/)
    await ended
    t.match(JSON.parse(said), [why, /^lobby-1$/], what)
    t.strictSame(await readdir(join(directory, 'copy/lobby-2/files')), ['world'], what)
    await rm(join(directory, 'copy'), { recursive: true, force: true })
  }
  await rm(join(bin, 'cp'))
  await writeFile(join(bin, 'find'), '#!/bin/sh -p\n[ "$(id -u)" = 0 ] || kill -STOP $$\nPATH=/usr/bin:/bin exec find "$@"\n', { mode: 0o755 })
  await mkdir(join(directory, 'services/lobby-1/files/locked'))
  await chown(join(directory, 'services/lobby-1/files/locked'), 65_534, 65_534)
  await chmod(join(directory, 'services/lobby-1/files/locked'), 0)
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: repository, timeout: 60_000, env: { ...process.env, PATH: `${bin}:${process.env['PATH'] ?? ''}` } })
  t.match(JSON.parse(told.toString()), [/cannot access '.*locked': Permission denied/, /files: directories of it that are locked are so in the copy/])
})

t.test('a pipe that a service has put in the place of a file while it is copied holds nobody up, and is named', { skip: onlyFull('an edge of backups') }, async t => {
  const directory = t.testdir({ bin: {}, services: { 'lobby-1': { files: { world: 'a world' }, run: { 'meta.json': '{"static":true}' } } } })
  // That `cp` meets a pipe where a file was a moment ago is a matter of luck: here it always does.
  execFileSync('mkfifo', [join(directory, 'pipe')])
  await writeFile(join(directory, 'bin/cp'), `#!/bin/sh\nmkdir "$4"\nexec cat '${join(directory, 'pipe')}'\n`, { mode: 0o755 })
  const script = `import { copyServices } from '${join(repository, 'examples/standalone/service-copies.js')}'
  console.log(JSON.stringify((await copyServices('${join(directory, 'services')}', '${join(directory, 'copy')}')).leftOut))`
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: repository, timeout: 60_000, env: { ...process.env, PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}` } })
  t.match(JSON.parse(told.toString()), [/files: a pipe was put in the place of a file while it was copied/])
})

t.test('a file that the place of a backup cannot hold, however much room there is, is named, and all else is in it', { skip: onlyFull('an edge of backups') }, async t => {
  const directory = t.testdir({ bin: {}, services: { 'lobby-1': { files: { world: 'a world' }, run: { 'meta.json': '{"static":true}' } } } })
  // Some file systems hold larger files than others.
  await writeFile(join(directory, 'bin/cp'), '#!/bin/sh\nPATH=/usr/bin:/bin\ncp "$@"\necho "cp: failed to extend \'$4/huge\': File too large" >&2\nexit 1\n', { mode: 0o755 })
  const script = `import { copyServices } from '${join(repository, 'examples/standalone/service-copies.js')}'
  console.log(JSON.stringify((await copyServices('${join(directory, 'services')}', '${join(directory, 'copy')}')).leftOut))`
  const told = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: repository, timeout: 60_000, env: { ...process.env, PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}` } })
  t.strictSame(JSON.parse(told.toString()), ['failed to extend \'the copy/huge\': File too large'])
  t.strictSame(await readdir(join(directory, 'copy/lobby-1/files')), ['world'])
})

t.test('a file counts once for what a service holds, however many names it has', { skip: onlyFull('an edge of backups') }, async t => {
  const directory = t.testdir({ files: { world: 'x'.repeat(1024 * 1024) } })
  for (let n = 0; n < 20; n++) await link(join(directory, 'files/world'), join(directory, 'files', String(n)))
  const { measure } = await import(join(repository, 'examples/standalone/copy.js')) as { measure (from: string, options: object): Promise<{ bytes: number, places: number }> }
  const { bytes, places } = await measure(join(directory, 'files'), { within: 60_000 })
  t.equal(places, 22)
  t.ok(bytes > 1024 * 1024 - 4096 && bytes < 1024 * 1024 + 64 * 1024, `${bytes} bytes`)
})

t.test('a service for which there is no room, as it writes without end, perhaps, is not in a backup, and all else is; the backup says so, and fails', async t => {
  const directory = t.testdir({ bin: {}, cloud: {} })
  const disk = await mkdtemp(join(tmpdir(), 'cloud-disk-'))
  const [cloud, backup] = [join(directory, 'cloud'), join(disk, 'backup')]
  const server = await startServer({ CLOUD_DIRECTORY: cloud, PORT: '0' })
  await server.stop()
  for (const name of ['lobby-1', 'lobby-2']) {
    await mkdir(join(cloud, 'services', name, 'files'), { recursive: true })
    await writeFile(join(cloud, 'services', name, 'files/world'), 'a world')
  }
  const isMounted = process.getuid?.() === 0 && spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,nr_inodes=4000', 'none', disk]).status === 0
  t.teardown(async () => {
    if (isMounted) execFileSync('umount', ['-l', disk])
    await rm(disk, { recursive: true })
  })
  // Takes no bytes, and many places: it comes last.
  const links = join(cloud, 'services/lobby-0/files')
  await mkdir(links, { recursive: true })
  for (let n = 0; n < 200; n++) await symlink('world', join(links, String(n)))
  const full = "mkdir -p \"$4\"; echo \"cp: error writing '$4/world': No space left on device\" >&2; exit 1"
  const grown = 'mkdir -p "$4"; dd if=/dev/zero of="$4/world" bs=1M count=20 2>/dev/null; exec sleep 60'
  const low = 'mkdir -p "$4"; fallocate -l $(($(stat -f -c "%a * %S" "$4") * 95 / 100)) "$4/world"; exec sleep 60'
  const noRoom = 'there is no room for its files'
  for (const [what, script, why] of [
    ['a full disk', full, noRoom], ...isMounted ? [['a disk that gets full', low, noRoom], ['one that grows', grown, 'it grew without end while it was copied']] : []
  ] as const) {
    // That there is no room for what is copied is a matter of luck otherwise.
    await writeFile(join(directory, 'bin/cp'), `#!/bin/sh\nPATH=/usr/bin:/bin\necho "$3" >>'${join(directory, 'order')}'\ncase "$3" in */lobby-1/*) ${script};; esac\nexec cp "$@"\n`, { mode: 0o755 })
    const admin = run('admin.js', ['backup', backup], { CLOUD_DIRECTORY: cloud, PATH: `${join(directory, 'bin')}:${process.env['PATH'] ?? ''}` })
    t.equal((await admin.exited).code, 1, what)
    t.match(admin.output(), `${backup} is a copy of ${cloud}\n`, what)
    t.match(admin.output(), new RegExp(`Not in it, or not whole: .*lobby-1: ${why}\nIt lacks lobby-1: see to`), what)
    t.strictSame((await readdir(join(backup, 'services'))).sort(), ['lobby-0', 'lobby-2'], what)
    t.strictSame(await readdir(join(backup, 'services/lobby-2/files')), ['world'], what)
    t.match((await readFile(join(directory, 'order'), 'utf8')).trim().split('\n').pop(), /lobby-0/, what)
    await rm(backup, { recursive: true })
  }
})

t.test('with PostgreSQL the database is not in it, and it says so', { skip: onlyFull('a PostgreSQL, and a server') || lacksPostgres() }, async t => {
  const postgres = await startPostgres()
  t.teardown(postgres.stop)
  const schema = postgres.newSchema()
  const sql = new pg.Client(postgres.url)
  await sql.connect()
  await sql.query(`create schema ${schema}`)
  await sql.end()
  const url = new URL(postgres.url)
  url.searchParams.set('options', `-csearch_path=${schema}`)
  const directory = join(t.testdir(), 'cloud')
  const env = { CLOUD_DIRECTORY: directory, DATABASE_URL: url.href }
  const server = await startServer(env)
  t.teardown(() => server.stop())
  const child = run('admin.js', ['backup', join(t.testdirName, 'copy')], { CLOUD_DIRECTORY: directory })
  t.strictSame(await child.exited, { code: 0, signal: null }, child.output())
  t.match(child.output(), /pg_dump/)
  t.strictSame((await readdir(join(t.testdirName, 'copy'))).sort(), ['forwarding.secret', 'groups', 'platforms', 'secret', 'services', 'templates'])
})
