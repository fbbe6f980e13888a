/** `admin platform`, as an operator calls it, and what it adds as a cloud runs it: with a small program for a jar, and a script for a Java. */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import t, { type Test } from 'tap'
import { openWith } from '../../lib/runtime/process/open.js'
import { serveCatalogues, type CatalogueServer } from '../fixtures/catalogues.js'
import { ports } from '../fixtures/ports.js'
import { repository } from '../fixtures/repository.js'
import { until } from '../fixtures/until.js'
import type { RuntimeService } from '../../types/runtime.js'

t.setTimeout(600_000)

const call = { signal: new AbortController().signal }
const admin = join(repository, 'examples/standalone/admin.js')

interface Result { readonly code: number, readonly stdout: string, readonly stderr: string }

function temporary (t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-admin-'))
  t.teardown(() => { rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }) })
  return join(directory, 'cloud')
}

const environment = (directory: string, { catalogues }: CatalogueServer, more: object = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  CLOUD_DIRECTORY: directory,
  CATALOGUE_PAPERMC: catalogues.papermc,
  CATALOGUE_MOJANG: catalogues.mojang,
  CATALOGUE_PURPUR: catalogues.purpur,
  CATALOGUE_FABRIC: catalogues.fabric,
  CATALOGUE_BUNGEECORD: catalogues.bungeecord,
  ...more
})

const run = async (env: NodeJS.ProcessEnv, ...words: string[]): Promise<Result> => await new Promise(resolve => {
  execFile(process.execPath, [admin, 'platform', ...words], { env }, (error, stdout, stderr) => { resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr }) })
    .stdin?.end()
})

/** A Java that runs what `-jar` names in Node, with the port that `server.properties` or `--port` tell. */
function javaIn (directory: string, version = '25.0.1'): string {
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'java'), `#!/bin/sh
[ "$1" = -version ] && { echo 'openjdk version "${version}" 2026-01-20' >&2; exit 0; }
while [ $# -gt 0 ]; do
  [ "$1" = -jar ] && jar=$2
  [ "$1" = --port ] && SERVICE_PORT=$2
  shift
done
[ -z "$SERVICE_PORT" ] && SERVICE_PORT=$(sed -n 's/^server-port=//p' server.properties)
export SERVICE_PORT
grep -q true eula.txt || exit 7
cp "$jar" run.mjs
exec env -u NODE_OPTIONS ${process.execPath} run.mjs
`)
  chmodSync(join(directory, 'java'), 0o755)
  return directory
}

t.test('a command on a cloud that is not there says where it looked, and how another is meant', t => {
  const directory = temporary(t)
  for (const words of ['platform list', 'platform fetch', 'platform remove paper', 'key list', 'reset-password admin', `backup ${directory}-copy`, 'service list']) {
    const { status, stderr } = spawnSync(process.execPath, [admin, ...words.split(' ')], { env: { PATH: process.env['PATH'], CLOUD_DIRECTORY: directory }, encoding: 'utf8' })
    t.strictSame([status, stderr], [1, `There is no cloud in ${directory}: CLOUD_DIRECTORY says where it is, and the first start makes it\n`], words)
  }
  t.notOk(existsSync(directory))
  t.end()
})

t.test('a platform is added, listed, fetched anew and removed', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  const java = javaIn(join(directory, '..', 'java'), '17.0.10')
  const env = environment(directory, server, { CATALOGUE_CONTACT: 'admin@example.com', PATH: `${java}${delimiter}${process.env['PATH']}` })
  const added = await run(env, 'add', 'velocity')
  t.equal(added.code, 0, added.stderr)
  t.equal(added.stdout, 'velocity 3.5.0-SNAPSHOT, build 550: added\n')
  t.match(added.stderr, /^server\.jar: 100 % of 20 kB$/m)
  t.match(added.stderr, /^Mind: it needs Java 21, and java is Java 17: install a newer one, or put its path in "command" of the platform$/m)
  t.match([...server.agents], [/^fastify-cloud\/\d+\.\d+\.\d+\S* \(admin@example\.com\)$/])
  t.match((await run(env, 'list')).stdout, 'gate\tPROXY\tlatest\t-\nlimbo\tSERVER\tlatest\t-\nvelocity\tPROXY\t3.5.0-SNAPSHOT\t20 kB, there\n', 'and the bundled ones are there')
  rmSync(join(directory, 'downloads'), { recursive: true })
  t.match((await run(env, 'list')).stdout, 'velocity\tPROXY\t3.5.0-SNAPSHOT\t20 kB to fetch\n')
  t.equal((await run(env, 'fetch')).stdout, '1 fetched, 0 there already\n')
  t.equal((await run(env, 'fetch', 'velocity')).stdout, '0 fetched, 1 there already\n')
  t.equal((await run(env, 'add', 'velocity', '3.4.0')).stdout, 'velocity 3.4.0, build 500: added beside the versions that were there\n')
  t.equal((await run(env, 'remove', 'velocity', '3.4.0')).stdout, 'velocity 3.4.0 is removed, and 20 kB that nobody needs any more\n')
  t.equal((await run(env, 'remove', 'velocity')).stdout, 'velocity is removed, and 20 kB that nobody needs any more\n')
  t.notOk(existsSync(join(directory, 'platforms/velocity.json')))
})

t.test('a bundled platform that was changed or removed is added as it is in this version, and nothing by hand is lost', async t => {
  const directory = temporary(t)
  const env = environment(directory, await serveCatalogues(t))
  t.match(await run(env, 'add', 'gate'), { code: 0, stdout: 'gate: added as it is in this version; services take it with their next start\n', stderr: '' })
  const [platforms, original] = [join(directory, 'platforms'), join(repository, 'examples/standalone/platforms')]
  const isOriginal = (): void => {
    for (const file of ['gate/server.js', 'gate.json', 'limbo.json']) t.equal(readFileSync(join(platforms, file), 'utf8'), readFileSync(join(original, file), 'utf8'), file)
  }
  isOriginal()
  for (const old of ['', '2']) {
    writeFileSync(join(platforms, 'gate/server.js'), `// by hand${old}\n`)
    writeFileSync(join(platforms, 'gate.json'), '{}')
    const { stderr } = await run(env, 'add', 'gate')
    t.equal(stderr, ['gate', 'gate.json'].map(file => `What was changed is kept as ${join(platforms, file)}.old${old}\n`).join(''))
    isOriginal()
    t.equal(readFileSync(join(platforms, `gate.old${old}/server.js`), 'utf8'), `// by hand${old}\n`)
  }
  t.equal((await run(env, 'remove', 'limbo')).code, 0)
  rmSync(join(platforms, 'limbo'), { recursive: true })
  t.match((await run(env, 'list')).stderr, 'To be added again: limbo (bundled)\n')
  t.equal((await run(env, 'add', 'limbo')).code, 0)
  isOriginal()
  t.strictSame(readdirSync(platforms).sort(), ['.bundled', 'gate', 'gate.json', 'gate.json.old', 'gate.json.old2', 'gate.old', 'gate.old2', 'limbo', 'limbo.json'])
  t.match(await run(env, 'add', 'limbo', '1'), { code: 1, stderr: 'limbo is bundled, and has no version but the one that is here\n' })
})

t.test('what is wrong is one sentence and a status, and what is not understood the usage', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  const env = environment(directory, server)
  for (const words of [[], ['help'], ['add'], ['remove'], ['list', 'paper'], ['add', 'paper', '1', '2'], ['fetch', '--accept-eula'], ['add', 'paper', '--wrong']]) {
    const { code, stdout, stderr } = await run(env, ...words)
    t.match([code, stdout, stderr], [2, '', /Usage: fastify-cloud admin platform <command>/], words.join(' '))
  }
  t.match(await run(env, 'fetch', 'none'), { code: 1, stderr: /^There is no cloud in / })
  mkdirSync(directory)
  t.match(await run(env, 'fetch', 'none'), { code: 1, stderr: 'There is no platform none\n' })
  t.match(await run(env, 'add', 'paper', '9.9', '--accept-eula'), { code: 1, stderr: 'There is no paper 9.9; there are 26.2-rc-1, 26.1.2, 26.1.1, 1.21.4, 1.21.3\n' })
  t.match(await run({ ...env, CATALOGUE_PAPERMC: 'ftp://mirror' }, 'add', 'paper'), { code: 1, stderr: 'CATALOGUE_PAPERMC must be an address that begins with http:// or https://; it is "ftp://mirror"\n' })
})

t.test('Mojang\'s licence is accepted by a flag or by an answer, and by nothing else', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  const env = environment(directory, server)
  t.match(await run(env, 'add', 'paper'), { code: 1, stdout: '', stderr: 'paper is under Mojang\'s licence, https://aka.ms/MinecraftEULA: --accept-eula says that you accept it\n' })
  t.notOk(existsSync(join(directory, 'platforms/paper.json')))
  t.equal((await run(env, 'add', 'paper', '--accept-eula')).code, 0)
  t.equal((JSON.parse(readFileSync(join(directory, 'platforms/paper.json'), 'utf8')) as { files: Record<string, string> }).files['eula.txt'], 'eula=true\n')
  if (spawnSync('script', ['--version']).status !== 0) return t.comment('no script here that would give it a terminal')
  const asked = async (answer: string): Promise<{ readonly status: number, readonly stdout: string }> => await new Promise(resolve => {
    const child = execFile('script', ['-qec', `${process.execPath} ${admin} platform add vanilla`, '/dev/null'], { env: { ...env, TERM: 'dumb' }, timeout: 60_000 }, (error, stdout) => {
      resolve({ status: error === null ? 0 : Number(error.code), stdout })
    })
    let seen = ''
    child.stdout?.on('data', text => {
      seen += text
      if (!seen.includes('(yes/no)')) return
      seen = ''
      child.stdin?.write(answer)
    })
  })
  const refused = await asked('no\n')
  t.match(refused.stdout, 'Do you accept it? (yes/no)')
  t.match([refused.status, refused.stdout], [1, 'Mojang\'s licence was not accepted, so vanilla is not added'])
  t.notOk(existsSync(join(directory, 'platforms/vanilla.json')))
  const accepted = await asked('yes\n')
  t.match([accepted.status, accepted.stdout], [0, 'vanilla 26.1.1: added'])
  t.match(accepted.stdout, /server\.jar \[#{30}\] 100 % of 20 kB/, 'a bar')
  t.ok(existsSync(join(directory, 'platforms/vanilla.json')))
})

t.test('what is added runs: its arguments, files, Java, readiness and stop, without a network', async t => {
  const program = readFileSync(join(repository, 'test/fixtures/programs/game.mjs'))
  const [server, directory] = [await serveCatalogues(t, program), temporary(t)]
  const env = environment(directory, server)
  for (const name of ['paper', 'vanilla', 'fabric', 'purpur']) t.equal((await run(env, 'add', name, '--accept-eula')).code, 0, name)
  const before = process.env['PATH']
  process.env['PATH'] = `${javaIn(join(directory, '..', 'java'))}${delimiter}${before}`
  t.teardown(() => { process.env['PATH'] = before })
  const asked = server.asked.length
  const log: string[] = []
  const runtime = await openWith({ directory, ports, log: ({ message }) => log.push(message), timing: { tick: 100, ping: 200, pause: 200, kill: 500 } })
  t.teardown(async () => { await runtime.close() })
  const versions = { paper: '26.1.1', vanilla: '26.1.1', fabric: '1.21.4', purpur: '1.21.4' }
  for (const [name, version] of Object.entries(versions)) {
    await runtime.groups.control.create({
      name, platform: { name, version }, minMemory: 64, maxMemory: 128, minOnlineService: 1, maxOnlineService: 1, percentageToStartNewService: 0, properties: {}, templates: [], createdAt: 1
    }, call)
  }
  await until(() => (runtime.services.list(call) as RuntimeService[]).filter(({ state }) => state === 'ONLINE').length === 4, () => log.slice(-8).join(' | '))
  t.equal(server.asked.length, asked, 'everything was there')
  t.strictSame(readdirSync(join(directory, 'services/fabric-1/files/.fabric/server')), ['1.21.4-server.jar'])
  t.match(readFileSync(join(directory, 'services/vanilla-1/files/server.properties'), 'utf8'), /^server-ip=127\.0\.0\.1\nserver-port=\d+\nmax-players=\d+\nonline-mode=true\nmotd=vanilla-1\n$/)
  await runtime.close()
  t.ok(log.some(line => line.startsWith('paper-1 has ended (asked)')), log.filter(line => line.startsWith('paper-1')).join(' | '))
})
