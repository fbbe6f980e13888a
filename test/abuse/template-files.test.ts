/** The files of templates, in the hands of somebody who may write them and means harm, and beside others who read and write. */
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import Fastify from 'fastify'
import t from 'tap'
import { readTar } from '../../lib/archive/read-tar.js'
import { readInTime } from '../../lib/http/long-answers.js'
import { walkTree } from '../../lib/runtime/fleet/content/template-walk.js'
import { createNames } from '../../lib/runtime/fleet/content/template-upload.js'
import { openTemplates } from '../../lib/runtime/fleet/content/templates.js'
import { createTrees } from '../../lib/runtime/fleet/content/trees.js'
import type { TemplateFile } from '../../types/resources.js'
import type { TemplateFiles } from '../../types/template-files.js'
import { base, build, testLog } from '../fixtures/cloud.js'
import { bytesKeptBy } from '../fixtures/kept.js'
import { openRaw, portOf, request as requestText } from '../fixtures/raw.js'
import { onlyFull, rounds } from '../fixtures/rounds.js'
import { scratchDirectory } from '../fixtures/scratch.js'
import { tarGz } from '../fixtures/tar.js'
import { from, open, upload } from '../fixtures/template-cloud.js'
import { runtimeWithFiles } from '../fixtures/template-files.js'
import { watchTurns } from '../fixtures/turns.js'
import { until } from '../fixtures/until.js'

t.setTimeout(300_000)

const never = new AbortController().signal

/** How many descriptors of this process are of a file. */
const openOf = (path: string): number => readdirSync('/proc/self/fd').filter(fd => {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`) === path
  } catch {
    return false
  }
}).length

async function * one (path: string, text: string): AsyncGenerator<{ path: string, content: AsyncIterable<Uint8Array> }> {
  yield { path, content: Readable.from([Buffer.from(text)]) }
}

/** Has all changes of templates wait, as long as nobody calls the answer. */
async function hold (files: TemplateFiles, name: string): Promise<() => Promise<unknown>> {
  let release = (): void => {}
  let isHeld = false
  const held = new Promise<void>(resolve => { release = resolve })
  const put = files.put(name, one('held', 'x'), {
    signal: never,
    replace: false,
    permit: async () => {
      isHeld = true
      await held
    }
  })
  await until(() => isHeld)
  return async () => {
    release()
    return await put
  }
}

t.test('GETs that are pipelined and not read have one file open, and none when their connection has ended', async t => {
  const { admin, login, lobby, port, put } = await open(t)
  await put('f', '')
  truncateSync(join(lobby, 'f'), 64 * 1024 * 1024)
  const connections = await Promise.all([admin, await login(['cloud.template.files.read'])].map(async ({ token }) => {
    const connection = await openRaw(port)
    connection.socket.pause()
    connection.send(requestText(`GET ${base}/template/lobby/file/f`, from(token)).repeat(100))
    return connection
  }))
  await until(() => openOf(join(lobby, 'f')) === 2)
  // Others are answered meanwhile, so those have been looked at.
  for (let count = 0; count < 20; count++) t.equal((await admin('GET', '/templates/list')).status, 200)
  t.equal(openOf(join(lobby, 'f')), 2)
  for (const { socket } of connections) socket.destroy()
  await until(() => openOf(join(lobby, 'f')) === 0, 'the file is closed', 10_000)
})

t.test('one user has eight downloads under way, and a ninth is 429 until one has ended', async t => {
  const { admin, lobby, port, put } = await open(t)
  await put('f', '')
  truncateSync(join(lobby, 'f'), 64 * 1024 * 1024)
  for (const path of ['file/f', 'archive']) {
    const all = await Promise.all(Array.from({ length: 8 }, async () => {
      const connection = await openRaw(port)
      connection.socket.pause()
      connection.send(requestText(`GET ${base}/template/lobby/${path}`, from(admin.token)))
      return connection
    }))
    await until(() => openOf(join(lobby, 'f')) === 8)
    for (const other of ['file/f', 'archive', 'files']) {
      const { status, body, headers } = await admin('GET', `/template/lobby/${other}`)
      t.strictSame([status, body.code, headers['retry-after']], [429, 'too_many_downloads', '1'])
    }
    for (const { socket } of all) socket.destroy()
    await until(() => openOf(join(lobby, 'f')) === 0)
    await until(async () => (await admin('GET', '/template/lobby/files')).status === 200)
  }
})

t.test('whoever takes nothing of a long answer is cut off, and whoever takes some gets all of it', async t => {
  const app = Fastify()
  const length = 64 * 1024 * 1024
  let closed = 0
  app.get('/', (_request, reply) => {
    async function * zeros (): AsyncGenerator<Buffer> {
      for (let left = length; left > 0; left -= 65_536) yield Buffer.alloc(65_536)
    }
    const content = Readable.from(zeros(), { objectMode: false }).on('close', () => { closed++ })
    return reply.send(readInTime(reply, content, { leaving: never, patience: 1_000 }))
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.teardown(async () => { await app.close() })
  const idle = await openRaw(portOf(app))
  idle.socket.pause()
  idle.send(requestText('GET /'))
  const busy = await fetch(`http://127.0.0.1:${portOf(app)}/`)
  let read = 0
  for await (const piece of busy.body as unknown as AsyncIterable<Uint8Array>) read += piece.length
  t.equal(read, length)
  await until(() => closed === 2, 'both are closed', 10_000)
  idle.socket.resume()
  await idle.ended
  t.ok(idle.text().length < length)
})

t.test('whoever goes away amid a download, or before its first byte, is no fault of the server', async t => {
  const log = testLog()
  const cloud = await open(t, { host: log.host })
  await cloud.put('large', randomBytes(3_000_000))
  for (let n = 0; n < 40; n++) {
    for (const path of ['archive', 'file/large', 'files']) {
      const raw = await openRaw(cloud.port)
      raw.send(requestText(`GET /cloud/api/v3/template/lobby/${path}`, from(cloud.admin.token)))
      await pause(n % 8)
      raw.socket.destroy()
    }
  }
  t.equal((await cloud.admin('GET', '/template/lobby/file/large')).status, 200)
  await cloud.app.close()
  const asked = log.lines.filter(({ req }) => req?.url?.includes('/lobby/') && req.method === 'GET').length
  t.ok(asked > 60, `${asked} were heard`)
  t.strictSame(log.lines.filter(({ level }) => level >= 50).map(({ msg, err }) => `${msg}: ${err?.message}`), [])
})

t.test('a file that is opened when nobody waits for it any more is closed', async t => {
  const runtime = runtimeWithFiles()
  const opened: Array<() => void> = []
  let closed = 0
  Object.assign(runtime.templates?.files as object, {
    read: async () => {
      await new Promise<void>(resolve => { opened.push(resolve) })
      const content = { [Symbol.asyncIterator]: () => content, next: async () => ({ done: true }), return: async () => ({ done: true, value: closed++ }) }
      return { size: 1, mode: '0644', modifiedAt: 1, content }
    }
  })
  const { app, setUp } = await build(t, { runtime })
  const { token } = await setUp()
  await app.listen({ port: 0, host: '127.0.0.1' })
  for (let count = 1; count <= 3; count++) {
    const connection = await openRaw(portOf(app))
    connection.send(requestText(`GET ${base}/template/lobby/file/f`, from(token)))
    await until(() => opened.length === count, 'it is asked for')
    connection.socket.destroy()
  }
  await until(async () => await new Promise(resolve => { app.server.getConnections((_, count) => { resolve(count === 0) }) }), 'nobody is there any more')
  for (const open of opened) open()
  await until(() => closed === 3, 'all are closed', 5_000)
})

t.test('who began to read where nothing was reads nothing of what has come there since, and one tree is waited for by whoever reads it', { skip: onlyFull('another race of templates') }, async t => {
  const directory = scratchDirectory(t)
  const path = (name: string): string => join(directory, name)
  for (const name of ['one', 'two']) {
    mkdirSync(path(name))
    writeFileSync(join(path(name), 'version'), name)
  }
  const trees = createTrees()
  const version = async (tree: { use: <T>(look: (root: string) => Promise<T>) => Promise<T> }): Promise<string> => await tree.use(async root => readFileSync(join(root, 'version'), 'utf8')).catch(() => 'none')
  trees.move(path('one'), path('moved'))
  const late = trees.read(path('one'))
  t.equal(await version(late), 'none')
  trees.move(path('two'), path('one'))
  t.equal(await version(late), 'none', 'it is another one')
  const reader = trees.read(path('one'))
  late.leave()
  trees.move(path('one'), path('aside'))
  t.equal(await version(reader), 'two', 'it is followed')
  trees.discard(path('aside'), 'one')
  await trees.discarded(0)
  t.equal(await version(reader), 'two', 'and waited for')
  reader.leave()
  await trees.discarded(0, 'two')
  t.equal(await version(reader), 'two', 'whoever waits for another one waits for nothing of this')
  await trees.discarded(0, 'one')
  t.notOk(existsSync(path('aside')))
})

t.test('archives that are read beside renames and uploads are of one version, whole', async t => {
  const { admin, runtime, unpack } = await open(t)
  const archive = (version: number): Buffer => tarGz(...Array.from({ length: 20 }, (_, at) => ({ name: `d${at % 3}/f${at}`, content: String(version) })))
  t.equal((await unpack(archive(0))).status, 200)
  const names = ['lobby', 'other'] as const
  const end = performance.now() + rounds(1_000, 3_000)
  const statuses = new Set<number>()
  const read: string[] = []
  const files = runtime.templates!.files!
  const until = async (act: (turn: number) => Promise<unknown>): Promise<void> => { for (let turn = 0; performance.now() < end; turn++) await act(turn) }
  await Promise.all([
    until(async turn => { statuses.add((await admin('PATCH', `/template/${names[turn % 2]}`, { name: names[(turn + 1) % 2] })).status) }),
    until(async turn => { statuses.add((await unpack(archive(turn), '?replace=true', names[turn % 2]!)).status) }),
    ...[0, 1].map(async at => {
      await until(async () => {
        const all = await files.readAll(names[at]!, { signal: never })
        if (all === false) return
        const found = []
        for await (const { content } of all) for await (const piece of content) found.push(String(piece))
        read.push(`${found.length} of ${[...new Set(found)].length}`)
      })
    })
  ])
  t.strictSame([...new Set(read)], ['20 of 1'], `${read.length} archives`)
  t.notOk([...statuses].some(status => status >= 500), [...statuses].join())
})

t.test('an upload whose template is away for a moment finds that it has gone, whenever it comes back', async t => {
  const directory = scratchDirectory(t)
  const templates = await openTemplates(directory)
  const store = templates.files!
  await templates.make('lobby')
  const turn = async (): Promise<void> => { await new Promise(resolve => { setImmediate(resolve) }) }
  for (let turns = 0; turns < 200; turns++) {
    const upload = await store.stage('lobby', one('f', 'x'), never)
    if (upload === 'full' || 'refused' in upload) throw new Error('It was taken in')
    await templates.rename('lobby', 'other')
    const prepared = upload.prepare(true, () => {})
    for (let count = 0; count < turns; count++) await turn()
    await templates.rename('other', 'lobby')
    t.equal(await prepared, undefined, `back after ${turns} turns`)
    t.equal(await upload.commit(async () => {}), false)
    upload.clear()
  }
  await templates.close!()
  t.strictSame(readdirSync(join(directory, 'lobby')), [])
})

t.test('what is sent to a template that is deleted and made anew meanwhile is not in the new one', async t => {
  const { admin, runtime, paths, left } = await open(t)
  for (const replace of [false, true]) {
    const put = runtime.templates!.files!.put('lobby', (async function * () {
      yield * one('before', 'x')
      t.equal((await admin('DELETE', '/template/lobby')).status, 204)
      t.equal((await admin('POST', '/template/', { name: 'lobby' })).status, 202)
      yield * one('after', 'x')
    })(), { signal: never, replace })
    t.equal(await put, false)
    t.strictSame(await paths(), [])
  }
  await until(() => left().length === 0)
})

t.test('one who fills a directory with long names keeps nobody else from the event loop', async t => {
  const { put, lobby } = await open(t)
  for (let at = 0; at < 19_000; at++) writeFileSync(join(lobby, `${'\u0390'.repeat(120)}${at}`), '')
  const turns = watchTurns()
  t.equal((await put('new', 'x')).status, 201)
  const { longest, all } = turns()
  t.ok(longest < all / 2, `${Math.round(longest)} ms at a time, of ${Math.round(all)} ms`)
})

t.test('S24: a further name is compared with those of its directory before the step that all templates wait for, which takes as long in any directory', async t => {
  const directory = scratchDirectory(t)
  const templates = await openTemplates(directory)
  await templates.make('lobby')
  mkdirSync(join(directory, 'lobby', 'd'))
  for (const path of ['d/new', 'other/new']) {
    const upload = await templates.files!.stage('lobby', one(path, 'x'), never)
    if (upload === 'full' || 'refused' in upload) throw new Error('It was taken in')
    t.equal(await upload.prepare(false, () => {}), undefined)
    // By hand: who looks at the whole directory in the last step finds it.
    writeFileSync(join(directory, 'lobby', 'd', 'NEW'), '')
    t.strictSame(await upload.commit(async () => {}), { added: 1, replaced: 0 })
    upload.clear()
  }
  const late = await templates.files!.stage('lobby', one('d/New', 'x'), never)
  if (late === 'full' || 'refused' in late) throw new Error('It was taken in')
  t.strictSame(await late.prepare(false, () => {}), { refused: 'd/New', why: 'case' })
  late.clear()
  await templates.close!()
})

t.test('S24: of names that differ in case only, sent at once, one is taken in', async t => {
  const { put, unpack, paths } = await open(t)
  for (let round = 0; round < 10; round++) {
    const all = await Promise.all([
      put(`d${round}/name`, 'x'), put(`d${round}/Name`, 'x'), put(`D${round}/name`, 'x'), unpack(tarGz({ name: `d${round}/NAME`, content: 'x' }, { name: `D${round}/b`, content: 'x' }))
    ])
    t.ok(all.every(({ status }) => [200, 201, 400].includes(status)), all.map(({ status }) => status).join())
    const found = (await paths() as string[]).filter(path => path.toLowerCase() === `d${round}/name`)
    t.equal(found.length, 1, found.join())
  }
})

t.test('S24: a directory has 20,000 names at most, however they come; what an operator has put there may be more, and stays', { skip: onlyFull('another race of templates') }, async t => {
  const { admin, lobby, put, unpack } = await open(t)
  const crowded = (path: string) => ({ status: 400, message: `Template file ${path} is one too many in its directory`, code: 'template_file_refused' })
  const names = createNames()
  for (let at = 0; at < 20_000; at++) names.add(`d/a${at}`, true)
  t.strictSame([names.add('d/b', true), names.add('d/a7', true), names.add('e/b', true)], [{ refused: 'd/b', why: 'crowded' }, 0, 2])
  mkdirSync(join(lobby, 'd'))
  for (let at = 0; at < 19_998; at++) writeFileSync(join(lobby, 'd', `b${at}`), '')
  const { body } = await unpack(tarGz({ name: 'd/c0' }, { name: 'd/b7' }, { name: 'd/c1' }, { name: 'd/c2' }))
  t.match(['d/c0', 'd/c1', 'd/c2'].map(path => body.message === crowded(path).message).filter(Boolean), [true], body.message)
  for (const path of ['d/c0', 'd/c1']) t.equal((await put(path, 'x')).status, 201)
  t.strictSame((await put('d/e', 'x')).body, crowded('d/e'))
  t.equal((await put('d/c0', 'x')).status, 200, 'one that is there is replaced')
  t.equal((await put('e/e', 'x')).status, 201)
  writeFileSync(join(lobby, 'd', 'by-hand'), '')
  t.equal((await unpack(tarGz({ name: 'd/c0', content: 'x' }, { name: 'e/f' }))).status, 200, 'nothing is added there')
  t.equal((await admin('DELETE', '/template/lobby/file/d/by-hand')).status, 204)
})

t.test('S26: whoever lists a small directory is not behind those who list large ones', { skip: onlyFull('another race of templates') }, async t => {
  const directory = scratchDirectory(t)
  const [large, small] = [join(directory, 'large'), join(directory, 'small')]
  for (const path of [large, small]) mkdirSync(path)
  for (let at = 0; at < 10_000; at++) writeFileSync(join(large, `f${at}`), '')
  writeFileSync(join(small, 'f'), '')
  const trees = createTrees()
  let first = 0
  const walks = Array.from({ length: 8 }, () => walkTree(trees.read(large)))
  const others = walks.map(async walk => {
    await walk.next()
    first++
  })
  const paths = []
  for await (const { path } of walkTree(trees.read(small))) paths.push(path)
  t.strictSame([paths, first], [['f'], 0])
  await Promise.all(others)
  for (const walk of walks) await walk.return()
})

t.test('S27: who does not read a list on holds few names of it, however many there are, and has all in order in the end', async t => {
  const directory = scratchDirectory(t)
  const names: string[] = []
  const write = (below: string, count: number): void => {
    mkdirSync(join(directory, below), { recursive: true })
    for (let at = 0; at < count; at++) {
      names.push(`${below}${'x'.repeat(200)}${(at * 7919) % count}`)
      writeFileSync(join(directory, names.at(-1) as string), '')
    }
  }
  // The first of each is the directory that is inside of it.
  for (const below of ['', '0/', '0/0/', '0/0/0/']) write(below, 3_000)
  write('0/1/', 3)
  names.sort()
  const trees = createTrees()
  const walks = Array.from({ length: 8 }, () => walkTree(trees.read(directory)))
  const bytes = await bytesKeptBy(async () => {
    for (const walk of walks) await walk.next()
    return walks
  })
  t.ok(bytes < 8 * 1_000_000, `${bytes} bytes for 8 readers of ${names.length} names`)
  const paths: string[] = []
  for await (const { path } of walkTree(trees.read(directory))) paths.push(path)
  t.ok(paths.join() === names.join(), `${paths.length} paths in order`)
  for (const walk of walks) await walk.return()
})

t.test('whoever lists a directory of very many long names takes the event loop from nobody, and has them in order', { skip: onlyFull('another race of templates') }, async t => {
  const directory = scratchDirectory(t)
  const count = rounds(20_000, 95_000)
  const names: string[] = []
  for (let at = 0; at < count; at++) names.push(`${'x'.repeat(180)}-${(at * 7919) % count}`)
  for (const name of names) writeFileSync(join(directory, name), '')
  // As the paths below them stand in the order, so do directories.
  for (const path of ['a/b', 'a-b', 'a/b-c/d', 'y/z']) {
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), '')
    names.push(path)
  }
  names.sort()
  // Read and sorted in one turn, 40,000 take 50 ms, and 95,000 take 140; a turn takes 5. What clears the memory away, or else the machine does, may come in between.
  const most = count / 2_000
  const longest: number[] = []
  while (longest.length < 10 && (longest.at(-1) ?? Infinity) > most) {
    const turns = watchTurns()
    const tree = createTrees().read(directory)
    const paths: string[] = []
    for await (const { path } of walkTree(tree)) paths.push(path)
    tree.leave()
    longest.push(turns().longest)
    t.ok(paths.join() === names.join(), `${paths.length} paths in order`)
  }
  t.ok((longest.at(-1) as number) <= most, `${longest.map(Math.round).join(', ')} ms at a time`)
})

t.test('whose right ends amid a download gets no more of it within two seconds, however slowly they read', async t => {
  const { admin, login, lobby, port } = await open(t)
  const megabyte = randomBytes(1024 * 1024)
  writeFileSync(join(lobby, 'f'), Buffer.concat(Array.from({ length: 64 }, () => megabyte)))
  for (const path of ['file/f', 'archive']) {
    const reader = await login(['cloud.template.files.read'])
    const leaving = new AbortController()
    const answer = await fetch(`http://127.0.0.1:${port}${base}/template/lobby/${path}`, { headers: from(reader.token), signal: leaving.signal })
    const pieces = answer.body!.getReader()
    await pieces.read()
    t.equal((await admin('DELETE', `/user/${reader.uuid}`)).status, 204)
    const deadline = performance.now() + 20_000
    const readOn = async (): Promise<string> => {
      while (performance.now() < deadline) {
        if ((await pieces.read()).done) return 'all of it'
        await pause(50)
      }
      return 'still reading'
    }
    t.equal(await readOn().catch(() => 'cut off'), 'cut off', path)
    leaving.abort()
  }
  await until(() => openOf(join(lobby, 'f')) === 0)
})

t.test('of a list of many files no more is made than its reader takes, and in the end it is whole', { skip: onlyFull('another race of templates') }, async t => {
  const runtime = runtimeWithFiles()
  let made = 0
  Object.assign(runtime.templates?.files as object, {
    list: async function * (): AsyncGenerator<TemplateFile> {
      while (made < 200_000) yield { path: `${'d'.repeat(100)}/f${made++}`, size: 1, mode: '0644', modifiedAt: 1 }
    }
  })
  const { app, setUp } = await build(t, { runtime })
  const admin = await setUp()
  await app.listen({ port: 0, host: '127.0.0.1' })
  const answer = await new Promise<import('node:http').IncomingMessage>(resolve => {
    request({ port: portOf(app), path: `${base}/template/lobby/files`, headers: from(admin.token) }, resolve).end()
  })
  await until(() => made > 1_000)
  let before = 0
  await until(async () => {
    before = made
    await pause(100)
    return made === before
  }, 'no more is made')
  t.ok(made < 150_000, `${made} of 200,000 were made for somebody who does not read`)
  let text = ''
  for await (const piece of answer) text += String(piece)
  t.equal(JSON.parse(text).data.length, 200_000)
})

t.test('whoever loses the right while an upload waits for its turn has nothing taken in', async t => {
  const { admin, login, lobby, left, put, runtime } = await open(t)
  await put('a.txt', 'before')
  const files = runtime.templates.files as TemplateFiles
  for (const [method, path, body] of [
    ['PUT', 'file/a.txt', 'after'], ['PUT', 'file/d/new.txt', 'after'],
    ['POST', 'archive?replace=true', tarGz({ name: 'a.txt', content: 'after' })], ['POST', 'archive', tarGz({ name: 'a.txt', content: 'after' }, { name: 'b.txt' })]
  ] as const) {
    const writer = await login(['cloud.template.files.write'])
    const release = await hold(files, 'EVERY')
    const answer = upload(writer, method, `/template/lobby/${path}`, body)
    await until(() => left().some(name => name.startsWith('.lobby.') && readdirSync(join(lobby, '..', name)).length > 0))
    // Its body is there by now, and was allowed.
    await pause(200)
    t.equal((await admin('DELETE', `/user/${writer.uuid}`)).status, 204)
    await release()
    t.equal((await answer).status, 401, `${method} ${path}`)
    t.strictSame([readdirSync(lobby), readFileSync(join(lobby, 'a.txt'), 'utf8')], [['a.txt'], 'before'])
    await until(() => left().length === 0)
  }
})

/** A template of so many files, made by hand. */
function fill (directory: string, count: number): void {
  mkdirSync(join(directory, 'many'), { recursive: true })
  for (let at = 0; at < count; at++) writeFileSync(join(directory, 'many', `f${at}`), '')
}

t.test('an archive that is laid over a template of many files holds up no other template, and takes its time alone', async t => {
  const { admin, lobby, unpack, left } = await open(t)
  fill(lobby, 20_000)
  let isOver = false
  const merge = unpack(tarGz({ name: 'x0', content: 'x' }, { name: 'x1', content: 'x' })).finally(() => { isOver = true })
  await until(() => left().some(name => existsSync(join(lobby, '..', name, 'many'))))
  t.equal((await admin('POST', '/template/', { name: 'other' })).status, 202)
  t.equal((await upload(admin, 'PUT', '/template/EVERY/file/a.txt', 'x')).status, 201)
  t.equal((await upload(admin, 'POST', '/template/other/archive', tarGz({ name: 'a' }, { name: 'b' }), 'application/gzip')).status, 200)
  t.equal((await admin('DELETE', '/template/other')).status, 204)
  t.equal(isOver, false, 'the archive was being laid all the time')
  t.strictSame((await merge).body.data, { added: 2, replaced: 0 })
  t.strictSame([readdirSync(lobby).sort(), readdirSync(join(lobby, 'many')).length], [['many', 'x0', 'x1'], 20_000])
})

t.test('what was answered as too late is not done afterwards', async t => {
  const { admin, lobby, left, unpack, put, runtime } = await open(t, { runtimeTimeout: 400 })
  const files = runtime.templates.files as TemplateFiles
  await put('a.txt', 'before')
  const release = await hold(files, 'EVERY')
  const late = await Promise.all([
    admin('POST', '/template/', { name: 'late' }), admin('PATCH', '/template/lobby', { name: 'late2' }), put('a.txt', 'after'), put('new.txt', 'x'),
    unpack(tarGz({ name: 'x' }), '?replace=true'), unpack(tarGz({ name: 'x' }, { name: 'y' })), admin('DELETE', '/template/lobby/file/a.txt')
  ])
  t.strictSame(late.map(({ status }) => status), late.map(() => 504))
  await release()
  // All that waited has had its turn before this one.
  t.strictSame(await files.put('EVERY', one('last', 'x'), { signal: never, replace: false }), { added: 1, replaced: 0 })
  await until(() => left().length === 0)
  t.strictSame([readdirSync(lobby), readFileSync(join(lobby, 'a.txt'), 'utf8'), readdirSync(join(lobby, '..')).sort()], [
    ['a.txt'], 'before', ['EVERY', 'EVERY_FALLBACK', 'EVERY_PROXY', 'EVERY_SERVER', 'lobby']
  ])
})

t.test('a template that was replaced and then deleted stays deleted, whenever the core is killed', async t => {
  const { admin, runtime, unpack, templates, left } = await open(t)
  for (const content of ['old', 'new']) {
    // Somebody reads the old one still, so that it cannot be taken away.
    const listed = content === 'new' ? await (runtime.templates.files as TemplateFiles).list('lobby', { signal: never }) : undefined
    const reading = (listed as AsyncIterable<TemplateFile> | undefined)?.[Symbol.asyncIterator]()
    await reading?.next()
    t.equal((await unpack(tarGz({ name: 'a', content }, { name: 'b' }), '?replace=true')).status, 200)
    if (reading === undefined) continue
    t.equal(left().length, 1)
    t.equal((await admin('DELETE', '/template/lobby')).status, 204)
    const copy = join(scratchDirectory(t), 'templates')
    cpSync(templates, copy, { recursive: true })
    t.notOk((await openTemplates(copy)).has('lobby'))
    await until(() => readdirSync(copy).every(name => !name.startsWith('.')))
    await reading.return?.()
    await until(() => left().length === 0)
  }
})

t.test('when the new tree of a template cannot take its place, the old one has it again', t => {
  const directory = scratchDirectory(t)
  const [root, aside] = [join(directory, 'root'), join(directory, 'aside')]
  mkdirSync(root)
  t.throws(() => { createTrees().exchange(root, join(directory, 'missing'), aside) }, { code: 'ENOENT' })
  t.strictSame(readdirSync(directory), ['root'])
  t.end()
})

t.test('an archive is taken in when its body has ended, and nothing but zeros may come behind it', async t => {
  const { admin, unpack, paths, port, left } = await open(t)
  const archive = tarGz({ name: 'a.txt', content: 'new' })
  for (const [name, parts] of [['together', [Buffer.concat([archive, Buffer.alloc(1_000)])]], ['apart', [archive, Buffer.alloc(1_000), Buffer.alloc(10)]]] as const) {
    for (const ends of [false, true]) {
      const sending = request({ port, method: 'POST', path: `${base}/template/lobby/archive?replace=true`, headers: { ...from(admin.token), 'content-type': 'application/gzip' } })
      const answered = new Promise<number | undefined>(resolve => { sending.on('response', ({ statusCode }) => { resolve(statusCode) }).on('error', () => { resolve(0) }) })
      for (const part of parts) {
        sending.write(part)
        await pause(50)
      }
      await until(() => left().length === 1)
      t.equal(await Promise.race([answered, pause(300, 'waits')]), 'waits', `${name}: its end may be still to come`)
      t.strictSame(await paths(), [])
      if (ends) sending.end(Buffer.alloc(100))
      else sending.destroy()
      t.equal(await answered, ends ? 200 : 0)
      await until(() => left().length === 0)
      t.strictSame(await paths(), ends ? ['a.txt'] : [])
    }
    t.equal((await admin('DELETE', '/template/lobby/file/a.txt')).status, 204)
  }
  const invalid = { status: 400, message: 'Template archive is no whole tar.gz', code: 'template_archive_invalid' }
  for (const behind of [Buffer.from('x'), Buffer.from([0, 0, 1]), Buffer.concat([Buffer.alloc(70_000), Buffer.from('x')]), Buffer.alloc(2 * 1024 * 1024)]) {
    t.strictSame((await unpack(Buffer.concat([archive, behind]))).body, invalid)
  }
  t.equal((await unpack(Buffer.concat([archive, Buffer.alloc(100_000)]))).status, 200)
  t.equal((await unpack(Buffer.concat([archive.subarray(0, -1)]))).status, 400)
})

t.test('directories that no entry names count as entries do', async t => {
  const names = createNames()
  const pathOf = (at: number): string => `${Array.from({ length: 24 }, (_, depth) => `${at}.${depth}`).join('/')}/f`
  for (let at = 0; at < 4_000; at++) if (names.add(pathOf(at), true) !== 25) t.fail(`${at} is refused`)
  t.equal(names.size, 4_000)
  t.strictSame([names.add(pathOf(7), true), names.add(pathOf(4_000), true)], [0, { refused: pathOf(4_000), why: 'many' }])
  const runtime = runtimeWithFiles()
  Object.assign(runtime.templates?.files as object, { put: () => ({ refused: 'a/b', why: 'many' }) })
  const admin = await (await build(t, { runtime })).setUp()
  t.strictSame((await upload(admin, 'POST', '/template/lobby/archive', tarGz({ name: 'a/b' }), 'application/gzip')).body, {
    status: 413, message: 'Template archive is too large at a/b', code: 'template_archive_too_large'
  })
})

t.test('S23: the names of an upload have a bound in all, each is kept once, and a part of a path keeps nothing else of it', { skip: onlyFull('another race of templates') }, async t => {
  const all: Array<ReturnType<typeof createNames>> = []
  // Each path is as long as one may be; of 2,000 of them all but the last name is the same.
  const pathOf = (at: number): string => `${Array.from({ length: 4 }, () => '\u4e2d'.repeat(80)).join('/')}/a-file-of-that-name-${at}`
  const bytes = await bytesKeptBy(() => {
    const names = createNames()
    for (let at = 0; at < 2_000; at++) names.add(pathOf(at), true)
    all.push(names)
    return names
  })
  t.equal([...all[0] as Iterable<unknown>].length, 2_000)
  t.ok(bytes < 1_000_000, `${bytes} bytes`)
  const long = createNames()
  const longOf = (at: number): string => `d${at % 100}/${'x'.repeat(240)}${String(at).padStart(8, '0')}`
  let count = 0
  while (typeof long.add(longOf(count), true) === 'number') count++
  t.ok(count > 30_000 && count < 36_000, `${count} names of 248 bytes are 8 MiB`)
  t.strictSame(long.add(longOf(count + 1), true), { refused: longOf(count + 1), why: 'many' })
})

t.test('whoever reads a template while it is replaced reads one version of it, whole', async t => {
  const { admin, port, unpack } = await open(t)
  const names = Array.from({ length: 30 }, (_, at) => `${at % 2 === 0 ? 'even/' : ''}f${String(at).padStart(2, '0')}`).sort()
  const version = (at: number): Buffer => tarGz(...names.map(name => ({ name, content: `version ${at}` })))
  t.equal((await unpack(version(0), '?replace=true')).status, 200)
  const over = new AbortController()
  let replaced = 0
  const writer = (async () => {
    for (; !over.signal.aborted; replaced++) t.equal((await unpack(version(replaced + 1), '?replace=true')).status, 200)
  })()
  const seen = { lists: 0, files: 0, archives: 0 }
  async function whileReplaced (look: () => Promise<void>): Promise<void> {
    while (!over.signal.aborted) await look()
  }
  const wrong: unknown[] = []
  const readers = [
    whileReplaced(async () => {
      const { status, body } = await admin('GET', '/template/lobby/files')
      if (status !== 200 || body.data.map(({ path }: TemplateFile) => path).join() !== names.join()) wrong.push(body)
      seen.lists++
    }),
    whileReplaced(async () => {
      const { status, body } = await admin('GET', `/template/lobby/file/${names[seen.files % names.length] as string}`)
      if (status !== 200 || !/^version \d+$/.test(body)) wrong.push(body)
      if (!(await admin('GET', '/templates/list')).body.data.some(({ name }: { name: string }) => name === 'lobby')) wrong.push('it is not listed')
      seen.files++
    }),
    whileReplaced(async () => {
      const answer = await fetch(`http://127.0.0.1:${port}${base}/template/lobby/archive`, { headers: from(admin.token) })
      const texts = new Set<string>()
      const found: string[] = []
      for await (const { path, content } of readTar(Readable.from([gunzipSync(Buffer.from(await answer.arrayBuffer()))]), { most: 1e9 })) {
        found.push(path)
        for await (const piece of content) texts.add(String(piece))
      }
      if (found.join() !== names.join() || texts.size !== 1) wrong.push({ found, texts: [...texts] })
      seen.archives++
    })
  ]
  await until(() => wrong.length > 0 || (replaced > rounds(6, 40) && seen.archives > rounds(5, 20) && seen.lists > rounds(5, 20)))
  over.abort()
  await Promise.all([writer, ...readers])
  t.strictSame(wrong, [], JSON.stringify({ replaced, ...seen }))
})

t.test('a template is there at any look, also at one amid its exchange', { skip: onlyFull('another race of templates') }, async t => {
  const directory = scratchDirectory(t)
  // What else lies there makes a look take longer.
  for (let at = 0; at < 300; at++) mkdirSync(join(directory, `t${at}`))
  const templates = await openTemplates(directory)
  await templates.make('lobby')
  const missed: number[] = []
  for (let turns = 0; turns < 400; turns++) {
    const upload = await templates.files!.stage('lobby', one('f', String(turns)), never)
    if (upload === 'full' || 'refused' in upload) throw new Error('It was taken in')
    t.equal(await upload.prepare(true, () => {}), undefined)
    const looks = Array.from({ length: 4 }, async () => { await templates.refresh() })
    await upload.commit(async () => { await pause(turns % 3 === 0 ? 1 : 0) })
    upload.clear()
    for (const look of looks) {
      await look
      if (!templates.has('lobby')) missed.push(turns)
    }
  }
  await templates.close!()
  t.strictSame(missed, [])
})

t.test('whoever is refused an upload that is still to be read has the next request on the connection answered', async t => {
  const { admin, port } = await open(t)
  const bytes = randomBytes(2 * 1024 * 1024)
  const link = tarGz({ name: 'a', kind: '2', link: '/x' }).subarray(0, -20)
  for (const [what, method, path, body] of [
    ['no archive', 'POST', 'archive', bytes],
    ['an archive with a link', 'POST', 'archive', gzipSync(Buffer.concat([gunzipSync(tarGz({ name: 'a', kind: '2', link: '/x' })).subarray(0, 512), bytes]), { level: 0 })],
    ['an archive that has ended', 'POST', 'archive', Buffer.concat([link, bytes])],
    ['a path that leads out', 'PUT', 'file/%2e%2e', bytes]
  ] as const) {
    const connection = await openRaw(port)
    connection.send(requestText(`${method} ${base}/template/lobby/${path}`, { ...from(admin.token), 'Content-Length': String(body.length) }))
    connection.send(body)
    await connection.until(/^HTTP\/1\.1 4\d\d/)
    connection.send(requestText(`GET ${base}/health`))
    await connection.until(/HTTP\/1\.1 200/).catch(error => { t.fail(`${what}: ${String(error)}`) })
    connection.socket.destroy()
  }
})

t.test('a template that is renamed or deleted before the last byte of its archive is there is 404, as for a file', async t => {
  const { admin, left, port } = await open(t)
  const archive = tarGz({ name: 'new', content: 'n' }, { name: 'other', content: 'o' })
  for (const [method, path, body] of [['POST', 'archive?replace=true', archive], ['POST', 'archive', archive], ['PUT', 'file/new', Buffer.from('new')]] as const) {
    for (const act of [async () => await admin('DELETE', '/template/once'), async () => await admin('PATCH', '/template/once', { name: 'twice' })]) {
      t.equal((await admin('POST', '/template/', { name: 'once' })).status, 202)
      const sending = request({ port, method, path: `${base}/template/once/${path}`, headers: { ...from(admin.token), 'content-length': body.length } })
      const answered = new Promise<number | undefined>((resolve, reject) => { sending.on('response', ({ statusCode }) => { resolve(statusCode) }).on('error', reject) })
      sending.write(body.subarray(0, -1))
      await until(() => left().length > 0)
      t.ok((await act()).status < 300)
      sending.end(body.subarray(-1))
      t.strictSame([path, await answered], [path, 404])
      await admin('DELETE', '/template/twice')
      await until(() => left().length === 0)
    }
  }
})
