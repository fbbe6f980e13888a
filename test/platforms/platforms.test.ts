/* eslint-disable no-template-curly-in-string -- these are the placeholders of platforms */
/** Ready platforms, from a server that has the shapes of their catalogues, and whatever a catalogue does. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { addPlatform, fetchPlatforms, listPlatforms, readyPlatforms, removePlatform, type AddOptions } from '../../lib/platforms/index.js'
import { javaOfMinecraft } from '../../lib/platforms/release.js'
import { readDefinition } from '../../lib/runtime/fleet/content/platform-definition.js'
import { serveCatalogues, type CatalogueServer } from '../fixtures/catalogues.js'
import { sumOf } from '../fixtures/file-server.js'
import { newSeed, rounds } from '../fixtures/rounds.js'

t.setTimeout(600_000)

const { signal } = new AbortController()
const agent = 'fastify-cloud/test (admin@example.com)'

function temporary (t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-platforms-'))
  t.teardown(() => { rmSync(directory, { recursive: true, force: true }) })
  return directory
}

const add = async ({ catalogues }: CatalogueServer, directory: string, name: string, changes: Partial<AddOptions> = {}) =>
  await addPlatform({ directory, name, catalogues, agent, signal, accept: () => true, timing: { pause: 5, timeout: 2000, stall: 2000 }, ...changes })

/** What was said when it was refused. */
const refusal = async (adding: Promise<unknown>): Promise<string> =>
  await adding.then(() => 'it was added', (error: Error) => error.name === 'PlatformError' || error.name === 'DownloadError' ? error.message : `${error.name}: ${error.message}`)

const fileOf = (directory: string, name: string): Record<string, any> => JSON.parse(readFileSync(join(directory, 'platforms', `${name}.json`), 'utf8')) as Record<string, any>
const stored = (directory: string): string[] => existsSync(join(directory, 'downloads')) ? readdirSync(join(directory, 'downloads')).sort() : []

const expected: Record<string, { version: string, build?: string, java: number, jar: string, algorithm?: string, files: string[] }> = {
  paper: { version: '26.1.1', build: 'build 39', java: 25, jar: '/fill-data/paper-26.1.1-39.jar', files: ['config/paper-global.yml', 'eula.txt'] },
  velocity: { version: '3.5.0-SNAPSHOT', build: 'build 550', java: 21, jar: '/fill-data/velocity-3.5.0-SNAPSHOT-550.jar', files: ['forwarding.secret', 'velocity.toml'] },
  purpur: { version: '1.21.4', build: 'build 2416', java: 21, jar: '/purpur/v2/purpur/1.21.4/2416/download', files: ['config/paper-global.yml', 'eula.txt'] },
  fabric: { version: '1.21.4', build: 'loader 0.16.9', java: 21, jar: 'fabric', files: ['eula.txt', 'server.properties'] },
  vanilla: { version: '26.1.1', java: 25, jar: '/mojang-data/server.jar', algorithm: 'sha1', files: ['eula.txt', 'server.properties'] },
  bungeecord: { version: '1995', java: 17, jar: 'bungee 1995', files: ['config.yml'] }
}

for (const [name, { version, build, java, jar, algorithm = 'sha256', files }] of Object.entries(expected)) {
  t.test(`${name}: the newest stable build is pinned, fetched, and is an ordinary platform file`, async t => {
    const [server, directory] = [await serveCatalogues(t), temporary(t)]
    const seen: string[] = []
    const added = await add(server, directory, name, { progress: (file, received, size) => { seen.push(`${file} ${received} ${size}`) } })
    t.strictSame(added, { name, version, build, java, how: 'made' })
    const file = fileOf(directory, name)
    const content = server.jarOf(jar)
    t.match(file, { name, versions: [version], java: { [version]: java }, command: 'java' })
    t.strictSame(Object.keys(file['files'] as object).sort(), files)
    t.match(file['downloads'][version][0], { [algorithm]: sumOf(content, algorithm), size: content.length, to: 'server.jar', url: /^http:\/\/127\.0\.0\.1:\d+\// })
    t.ok(stored(directory).includes(`${algorithm}-${sumOf(content, algorithm)}`))
    t.notOk(Array.isArray(readDefinition(name, JSON.stringify(file))), 'the fleet reads it')
    t.ok(seen.includes(`server.jar ${content.length} ${content.length}`), 'how far it is was told')
    t.strictSame([...server.agents].filter(one => one !== 'fastify-cloud'), [agent])
    t.match(await listPlatforms({ directory, signal }), { versions: [{ platform: name, version }], faults: [] })
    const { versions: [listed] } = await listPlatforms({ directory, signal })
    t.equal(listed?.fetched, listed?.size, 'nothing is left to fetch')
    t.strictSame(await fetchPlatforms({ directory, signal }), { there: name === 'fabric' ? 2 : 1, fetched: 0 })
  })
}

t.test('paper and velocity go together: the secret, the network, and who authenticates', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  await add(server, directory, 'paper')
  await add(server, directory, 'velocity')
  const [paper, velocity] = [fileOf(directory, 'paper'), fileOf(directory, 'velocity')]
  t.match(paper['files']['config/paper-global.yml'], 'velocity:\n    enabled: true\n    online-mode: true\n    secret: "${secret:forwarding}"')
  t.strictSame(paper['args'].slice(-2), ['--online-mode', 'false'])
  t.strictSame(velocity['network'], { writer: 'velocity', file: 'velocity.toml', reload: { stdin: 'velocity reload' } })
  t.strictSame([velocity['type'], velocity['port'], velocity['files']['forwarding.secret']], ['PROXY', 25565, '${secret:forwarding}'])
  for (const line of ['player-info-forwarding-mode = "modern"', 'try = []', '[forced-hosts]', 'bind = "${host}:${port}"']) t.match(velocity['files']['velocity.toml'], line)
})

t.test('what servers stand behind can be said, where that is possible', async t => {
  const server = await serveCatalogues(t)
  const filesBehind = async (name: string, behind: string): Promise<{ args: string[], files: Record<string, string> }> => {
    const directory = temporary(t)
    await add(server, directory, name, { behind })
    return fileOf(directory, name) as { args: string[], files: Record<string, string> }
  }
  const bungee = await filesBehind('paper', 'bungeecord')
  t.strictSame([bungee.files['spigot.yml'], bungee.args.at(-1)], ['settings:\n  bungeecord: true\n', 'false'])
  const open = await filesBehind('paper', 'none')
  t.strictSame([Object.keys(open.files), open.args.at(-1)], [['eula.txt'], 'true'])
  const fabric = await filesBehind('fabric', 'velocity')
  t.match(fabric.files['config/FabricProxy-Lite.toml'], 'secret = "${secret:forwarding}"')
  t.match(fabric.files['server.properties'], 'online-mode=true\n', 'without the mod nobody gets in')
  t.equal(await refusal(add(server, temporary(t), 'vanilla', { behind: 'velocity' })), 'vanilla cannot stand behind velocity, only behind none')
  t.equal(await refusal(add(server, temporary(t), 'velocity', { behind: 'velocity' })), 'velocity is a proxy itself, and stands behind nothing')
})

t.test('Mojang\'s licence is asked for where it holds, and nothing is fetched or written without', async t => {
  const server = await serveCatalogues(t)
  for (const { name, licensed } of readyPlatforms) {
    const directory = temporary(t)
    let asked = 0
    const said = await refusal(add(server, directory, name, { unstable: name === 'folia', accept: () => { asked++; return false } }))
    t.equal(asked, licensed ? 1 : 0, name)
    t.equal(said, licensed ? `Mojang's licence was not accepted, so ${name} is not added` : 'it was added')
    if (licensed) t.strictSame([existsSync(join(directory, 'platforms')), stored(directory)], [false, []])
  }
})

t.test('a version by name; one that there is not is said with those that there are', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  t.match(await add(server, directory, 'paper', { version: '1.21.4' }), { version: '1.21.4', build: 'build 232', java: 21 })
  t.match(await add(server, directory, 'vanilla', { version: '1.21.4' }), { version: '1.21.4', java: 21 })
  t.match(await add(server, directory, 'bungeecord', { version: '1994' }), { version: '1994' })
  const said: Record<string, string> = {
    'paper 9.9': 'There is no paper 9.9; there are 26.2-rc-1, 26.1.2, 26.1.1, 1.21.4, 1.21.3',
    'paper 1.21.3': 'There is no build of paper 1.21.3',
    'paper 26.1.2': 'There is no stable build of paper 26.1.2: the newest is 26.1.2 (build 12, BETA), and --unstable takes it',
    'purpur 9.9': 'There is no purpur 9.9; there are 1.21.4, 1.20.4, 1.14.1',
    'purpur 1.20.4': 'The newest build of purpur 1.20.4 (2176) has failed; --unstable takes it all the same',
    'vanilla 9.9': 'There is no Minecraft 9.9; there are 26.1.1, 1.21.4',
    'vanilla b1.7.3': 'Minecraft b1.7.3 has no server that could be downloaded',
    'fabric 9.9': 'There is no fabric for Minecraft 9.9; there are 1.21.4, 1.21.3',
    'fabric 1.21.3': 'There is no fabric loader for 1.21.3',
    'bungeecord 1': 'There is no build 1 of bungeecord (Jenkins keeps the newest ones only)',
    'bungeecord 1990': 'Build 1990 of bungeecord has no BungeeCord.jar',
    'bungeecord 1.21': 'There is no bungeecord 1.21: its versions are numbers of builds, 1995 for instance',
    'paper ../..': '../.. is no version',
    'folia 26.1.1': 'There is no stable build of folia 26.1.1: the newest is 26.1.1 (build 7, ALPHA), and --unstable takes it',
    'spigot 1': 'There is no ready platform spigot; there are paper, velocity, purpur, fabric, vanilla, bungeecord, folia'
  }
  for (const [words, sentence] of Object.entries(said)) {
    const [name = '', version] = words.split(' ')
    t.equal(await refusal(add(server, temporary(t), name, { version })), sentence)
  }
  t.equal(await refusal(add(server, directory, 'folia')), 'There is no stable build of folia: the newest is 26.1.1 (build 7, ALPHA), and --unstable takes it')
  t.match(await add(server, directory, 'folia', { unstable: true }), { version: '26.1.1', build: 'build 7' })
  t.match(await add(server, temporary(t), 'paper', { unstable: true }), { version: '26.2-rc-1', build: 'build 3' })
})

t.test('a platform that is there gets the version, or the newer build; what its operator has changed stays', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  await add(server, directory, 'paper', { version: '1.21.4' })
  const path = join(directory, 'platforms/paper.json')
  const mine: Record<string, any> = { ...fileOf(directory, 'paper'), watchdog: { seconds: 60 }, java: 21 }
  mine['downloads']['1.21.4'][0].url = 'http://old.example/paper.jar'
  writeFileSync(path, JSON.stringify(mine))
  t.equal((await add(server, directory, 'paper')).how, 'version added')
  t.match(fileOf(directory, 'paper'), { versions: ['26.1.1', '1.21.4'], watchdog: { seconds: 60 }, java: { '26.1.1': 25, '1.21.4': 21 }, downloads: { '1.21.4': [{ url: 'http://old.example/paper.jar' }] } })
  t.equal((await add(server, directory, 'paper', { version: '1.21.4' })).how, 'build renewed')
  t.match(fileOf(directory, 'paper'), { versions: ['26.1.1', '1.21.4'], watchdog: { seconds: 60 }, downloads: { '1.21.4': [{ url: `${server.url}/fill-data/paper-1.21.4-232.jar` }] } })
  writeFileSync(path, '{ "name": "paper" ')
  t.match(await refusal(add(server, directory, 'paper')), 'platforms/paper.json is wrong: (file) is no JSON')
  t.equal(readFileSync(path, 'utf8'), '{ "name": "paper" ')
})

t.test('a platform goes when no group is of it, with what nobody else needs', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  await add(server, directory, 'paper', { version: '1.21.4' })
  await add(server, directory, 'paper')
  await add(server, directory, 'velocity')
  mkdirSync(join(directory, 'groups'))
  writeFileSync(join(directory, 'groups/lobby.json'), JSON.stringify({ name: 'lobby', platform: { name: 'paper', version: '1.21.4' } }))
  await t.rejects(removePlatform({ directory, name: 'paper' }), { message: 'paper is in use by lobby: delete that group first, or give it another version' })
  await t.rejects(removePlatform({ directory, name: 'paper', version: '1.21.4' }), { message: 'paper 1.21.4 is in use by lobby: delete that group first, or give it another version' })
  await t.rejects(removePlatform({ directory, name: 'paper', version: '9' }), { message: 'Platform paper has no version 9; it has 26.1.1, 1.21.4' })
  for (const name of ['none', '../groups/lobby', '']) await t.rejects(removePlatform({ directory, name }), { message: `There is no platform ${name}` })
  t.equal(stored(directory).length, 3)
  t.equal(await removePlatform({ directory, name: 'paper', version: '26.1.1' }), 20_000)
  t.match(fileOf(directory, 'paper'), { versions: ['1.21.4'], java: { '1.21.4': 21 } })
  t.strictSame(Object.keys(fileOf(directory, 'paper')['downloads'] as object), ['1.21.4'])
  rmSync(join(directory, 'groups/lobby.json'))
  t.equal(await removePlatform({ directory, name: 'paper' }), 20_000)
  t.notOk(existsSync(join(directory, 'platforms/paper.json')))
  t.equal(stored(directory).length, 1, 'what velocity needs is there')
})

t.test('what was fetched and is gone is fetched again; what cannot be had is named, and the rest comes', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  await add(server, directory, 'paper')
  await add(server, directory, 'velocity')
  rmSync(join(directory, 'downloads'), { recursive: true })
  server.faults.set('/fill-data/paper', [response => { response.writeHead(410).end() }])
  await t.rejects(fetchPlatforms({ directory, signal }), { message: /^server\.jar of paper 26\.1\.1: 127\.0\.0\.1:\d+\/fill-data\/paper-26\.1\.1-39\.jar answered 410 Gone$/ })
  t.equal(stored(directory).length, 1)
  server.faults.clear()
  t.strictSame(await fetchPlatforms({ directory, name: 'paper', version: '26.1.1', signal }), { there: 0, fetched: 1 })
  await t.rejects(fetchPlatforms({ directory, name: 'none', signal }), { message: 'There is no platform none' })
})

/** What becomes of an answer, and what is said of it. `passes`: another try helps. */
const wrongs: Record<string, { fault: (response: ServerResponse) => void, says: RegExp, passes?: boolean }> = {
  404: { fault: response => { response.writeHead(404).end('{}') }, says: /projects\/velocity \(404 Not Found\) answered something else than was expected: it is no object$/ },
  410: { fault: response => { response.writeHead(410).end('{"message":"gone"}') }, says: /projects\/velocity answered 410 Gone$/ },
  429: { fault: response => { response.writeHead(429, { 'retry-after': '0' }).end() }, says: /answered 429 Too Many Requests$/, passes: true },
  '429 for an hour': { fault: response => { response.writeHead(429, { 'retry-after': '3600' }).end() }, says: /answered 429 Too Many Requests$/ },
  500: { fault: response => { response.writeHead(500).end('<html>') }, says: /answered 500 Internal Server Error$/, passes: true },
  'half an answer': { fault: response => { response.writeHead(200, { 'content-length': 1000 }).write('{"project":', () => { response.destroy() }) }, says: /projects\/velocity broke off: /, passes: true },
  'no answer': { fault: response => { response.destroy() }, says: /127\.0\.0\.1:\d+ cannot be reached: /, passes: true },
  silence: { fault: () => {}, says: /projects\/velocity did not answer in time$/, passes: true },
  'no JSON': { fault: response => { response.end('<html>maintenance</html>') }, says: /answered something that is no JSON$/ },
  'a huge answer': { fault: response => { for (let count = 0; count < 5; count++) response.write(Buffer.alloc(1024 * 1024, ' ')); response.end() }, says: /answered more than 4 MiB$/ },
  'a list of millions': { fault: response => { response.end(`{"versions":{"1":[${'1,'.repeat(2_000_000)}1]}}`) }, says: /projects\/velocity answered more than was expected: with versions\.1 it has more than 20,000 entries$/ },
  'lists that are too many together': { fault: response => { response.end(`{"versions":{${Array.from({ length: 201 }, (_, at) => `"${at}":[${'"1",'.repeat(99)}"1"]`).join()}}}`) }, says: /projects\/velocity answered more than was expected: with versions\.197 it has more than 20,000 entries$/ },
  'another shape': { fault: response => { response.end('{"versions":["1.21"]}') }, says: /answered something else than was expected: versions is no object$/ },
  'a version that is a path': { fault: response => { response.end('{"versions":{"1":["../../etc"]}}') }, says: /expected: versions\.1\.0 is no text of the right form$/ },
  nothing: { fault: response => { response.end('null') }, says: /expected: it is no object$/ }
}

for (const [what, { fault, says, passes = false }] of Object.entries(wrongs)) {
  t.test(`a catalogue with ${what}: it is said, nothing is added${passes ? ', and it is tried three times' : ''}`, async t => {
    const [server, directory] = [await serveCatalogues(t), temporary(t)]
    server.faults.set('/fill/v3/projects/velocity', [fault])
    const said = await refusal(add(server, directory, 'velocity'))
    t.match(said, says)
    t.equal(server.asked.length, passes ? 3 : 1)
    t.strictSame([existsSync(join(directory, 'platforms')), stored(directory)], [false, []])
    if (!passes) return
    server.faults.set('/fill/v3/projects/velocity', [response => {
      server.faults.clear()
      fault(response)
    }])
    t.match(await refusal(add(server, directory, 'velocity')), 'it was added')
  })
}

t.test('S34: a catalogue of millions of entries is refused before any of them is looked at, whichever it is', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  const many = `[${'1,'.repeat(2_000_000)}1]`
  const answers: ReadonlyArray<readonly [string, string, string, string]> = [
    ['vanilla', '/mojang/', `{"latest":{"release":"1"},"versions":${many}}`, 'versions'],
    ['paper', '/fill/v3/projects/paper', `{"versions":{"1":${many}}}`, 'versions.1'],
    ['purpur', '/purpur/v2/purpur', `{"versions":${many}}`, 'versions'],
    ['fabric', '/fabric/v2/versions/game', many, 'it'],
    ['bungeecord', '/jenkins/', `{"number":1,"artifacts":${many}}`, 'artifacts']
  ]
  for (const [name, begin, answer, what] of answers) {
    server.faults.set(begin, [response => { response.end(answer) }])
    t.match(await refusal(add(server, directory, name)), new RegExp(`answered more than was expected: with ${what} it has more than 20,000 entries$`), name)
  }
  t.notOk(existsSync(join(directory, 'platforms')))
})

t.test('who waits for a catalogue, or for a mirror, that says nothing hears of it now and then', async t => {
  const [server, directory, said] = [await serveCatalogues(t), temporary(t), [] as string[]]
  const tell = (sentence: string): void => { said.push(sentence.replace(/^127\.0\.0\.1:\d+/, 'mirror')) }
  const silent = (): void => {}
  server.faults.set('/fill/v3/projects/velocity', [silent])
  const timing = { pause: 5, timeout: 1100, stall: 1100, silence: 500 }
  t.match(await refusal(add(server, directory, 'velocity', { tell, timing })), 'did not answer in time')
  const [project, late] = ['mirror/fill/v3/projects/velocity', 'did not answer in time; asked again in 1 s']
  const [waited] = [`${project}: nothing has come for 1 s`]
  t.strictSame(said.filter(one => one.endsWith(late)), [`${project} ${late}`, `${project} ${late}`])
  t.ok(said.filter(one => one === waited).length >= 3, 'in each try')
  server.faults.clear()
  said.length = 0
  server.faults.set('/fill-data/', [silent])
  t.match(await refusal(add(server, directory, 'velocity', { tell, timing })), 'sends nothing any more')
  t.equal(said[0], 'server.jar: nothing has come for 1 s')
  server.faults.clear()
  await add(server, directory, 'velocity')
  await add(server, directory, 'velocity', { version: '3.4.0' })
  rmSync(join(directory, 'downloads'), { recursive: true })
  server.faults.set('/fill-data/velocity-3.4.0', [silent])
  said.length = 0
  const seen = new Set<string>()
  await t.rejects(fetchPlatforms({ directory, signal, tell, stall: 1100, silence: 500, progress: file => { seen.add(file) } }), { message: /^server\.jar of velocity 3\.4\.0: .+ sends nothing any more$/ })
  t.equal(said[0], 'velocity 3.4.0 server.jar: nothing has come for 1 s')
  t.strictSame([...seen], ['velocity 3.5.0-SNAPSHOT server.jar'], 'each version by its name')
})

t.test('a jar that is not what its catalogue says is not pinned; one without a sum is pinned as it came', async t => {
  const [server, directory] = [await serveCatalogues(t), temporary(t)]
  const other = (response: ServerResponse): void => { response.end(Buffer.alloc(20_000, 'x')) }
  for (const [name, begin] of [['paper', '/fill-data/'], ['vanilla', '/mojang-data/server'], ['purpur', '/purpur/v2/purpur/1.21.4/2416/download']] as const) {
    server.faults.set(begin, [other])
    t.match(await refusal(add(server, directory, name)), /is another file than was declared: its (?:sha256|sha1|md5) is [0-9a-f]+, not [0-9a-f]+$/)
  }
  server.faults.set('/jenkins/job/BungeeCord/1995/artifact', [response => { response.writeHead(500).end() }])
  t.match(await refusal(add(server, directory, 'bungeecord')), 'answered 500 Internal Server Error')
  t.strictSame([existsSync(join(directory, 'platforms')), stored(directory)], [false, []], 'nothing of any of them stays')
})

t.test('an answer in which anything is something else is refused in a sentence, whatever it is', async t => {
  const [server, seed] = [await serveCatalogues(t), newSeed()]
  t.comment(`seed ${seed}`)
  const places: Record<string, readonly string[]> = {
    paper: ['/fill/v3/projects/paper', '/fill/v3/projects/paper/versions/26.1.1/builds', '/fill/v3/projects/paper/versions/26.1.1'],
    purpur: ['/purpur/v2/purpur', '/purpur/v2/purpur/1.21.4', '/purpur/v2/purpur/1.21.4/2416'],
    vanilla: ['/mojang/mc/game/version_manifest_v2.json', '/mojang-data/26.1.1.json'],
    fabric: ['/fabric/v2/versions/game', '/fabric/v2/versions/loader/1.21.4', '/fabric/v2/versions/installer'],
    bungeecord: ['/jenkins/job/BungeeCord/lastSuccessfulBuild/api/json']
  }
  const at = fc.constantFrom(...Object.entries(places).flatMap(([name, paths]) => paths.map(path => [name, path] as const)))
  await fc.assert(fc.asyncProperty(at, fc.jsonValue({ maxDepth: 4 }), async ([name, path], value) => {
    const directory = mkdtempSync(join(tmpdir(), 'cloud-platforms-'))
    try {
      server.faults.clear()
      server.faults.set(path, [response => { response.end(JSON.stringify(value)) }])
      const said = await refusal(add(server, directory, name))
      if (/^\w+Error: /.test(said)) throw new Error(`${path} with ${JSON.stringify(value)}: ${said}`)
      if (said === 'it was added' && Array.isArray(readDefinition(name, readFileSync(join(directory, 'platforms', `${name}.json`), 'utf8')))) throw new Error('what was added is wrong')
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }), { seed, numRuns: rounds(60, 2000) })
  t.pass('all of them')
})

t.test('which Java a version of Minecraft needs, where nobody says', async t => {
  t.strictSame(['1.8.9', '1.16.5', '1.17', '1.17.1', '1.18', '1.20.4', '1.20.5', '1.21', '1.21.11', '26.1', '27.3.1'].map(javaOfMinecraft), [8, 8, 16, 16, 17, 17, 21, 21, 21, 25, 25])
})
