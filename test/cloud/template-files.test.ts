/** The files of templates over the interface, with the process runtime's own templates (docs/interface.md, Templates). */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, statSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Readable } from 'node:stream'
import t from 'tap'
import { openProcessRuntime } from '../../lib/runtime/process/index.js'
import { base, build } from '../fixtures/cloud.js'
import { rounds } from '../fixtures/rounds.js'
import { scratchDirectory } from '../fixtures/scratch.js'
import { entry, pax, tarGz, type Entry } from '../fixtures/tar.js'
import { from, open, upload } from '../fixtures/template-cloud.js'
import { runtimeWithFiles } from '../fixtures/template-files.js'
import { until } from '../fixtures/until.js'
import type { NewTemplateFile, TemplateFiles, TemplatePutOptions } from '../../types/template-files.js'

t.setTimeout(300_000)

t.test('a file is put, listed, read, replaced with its rights, and deleted', async t => {
  const { admin, put, lobby, paths, left } = await open(t)
  t.strictSame((await put('plugins/a/config.yml', 'a: 1\n')).body, { status: 201, message: 'Template file created successfully' })
  t.equal((await put('start.sh', '#!/bin/sh\n', '?mode=0755')).status, 201)
  t.strictSame((await put('start.sh', '#!/bin/sh\necho\n')).body, { status: 200, message: 'Template file replaced successfully' })
  t.equal(lstatSync(join(lobby, 'start.sh')).mode & 0o777, 0o755)
  const { body: { data } } = await admin('GET', '/template/lobby/files')
  t.match(data, [{ path: 'plugins/a/config.yml', size: 5, mode: '0644', modifiedAt: Number }, { path: 'start.sh', size: 15, mode: '0755' }])
  const { status, headers, body } = await admin('GET', '/template/lobby/file/plugins/a/config.yml')
  t.strictSame([status, body, headers['content-type'], headers['content-length'], headers['x-content-type-options'], headers['cache-control']],
    [200, 'a: 1\n', 'text/plain; charset=utf-8', '5', 'nosniff', 'no-store'])
  t.match(headers['content-disposition'], /^attachment; filename="config\.yml"/)
  t.equal((await put('page.html', '<script>alert(1)</script>')).status, 201)
  t.equal((await admin('GET', '/template/lobby/file/page.html')).headers['content-type'], 'text/plain; charset=utf-8')
  t.equal((await put('world.dat', Buffer.from([0, 1, 255]))).status, 201)
  t.equal((await admin('GET', '/template/lobby/file/world.dat')).headers['content-type'], 'application/octet-stream')
  t.equal((await put('ünï cödé.txt', 'é')).status, 201, 'names are UTF-8')
  t.equal((await admin('GET', `/template/lobby/file/${encodeURIComponent('ünï cödé.txt')}`)).body, 'é')
  t.equal((await put('empty', '')).status, 201)
  t.strictSame([(await admin('GET', '/template/lobby/file/empty')).status, readFileSync(join(lobby, 'empty'), 'utf8')], [200, ''])
  const gone = await admin('DELETE', '/template/lobby/file/plugins/a/config.yml')
  t.strictSame([gone.status, gone.body, gone.headers['content-type']], [204, '', undefined])
  t.notOk(existsSync(join(lobby, 'plugins')), 'an empty directory goes with its last file')
  t.strictSame((await admin('DELETE', '/template/lobby/file/plugins/a/config.yml')).body, { status: 404, message: 'File not found', code: 'template_file_not_found' })
  t.equal((await admin('GET', '/template/lobby/file/nothing')).status, 404)
  for (const [method, path] of [['GET', 'files'], ['GET', 'file/a'], ['PUT', 'file/a'], ['DELETE', 'file/a'], ['GET', 'archive'], ['POST', 'archive'], ['HEAD', 'archive']] as const) {
    for (const name of ['missing', '..', '.x']) t.equal((await admin(method, `/template/${encodeURIComponent(name)}/${path}`)).status, 404, `${method} ${name}/${path}`)
  }
  t.equal((await upload(admin, 'PUT', '/template/EVERY/file/motd.txt', 'hello')).status, 201, 'those of the system as well')
  t.strictSame(await paths(), ['empty', 'page.html', 'start.sh', 'world.dat', 'ünï cödé.txt'])
  await until(() => left().length === 0)
})

t.test('no path leaves its template, and none goes through a link', async t => {
  const { admin, put, lobby, templates, left } = await open(t)
  const outside = join(templates, 'secret')
  writeFileSync(outside, 'secret')
  for (const path of ['../secret', '..%2Fsecret', '%2e%2e%2fsecret', 'a/../../secret', '/etc/passwd', '%2Fetc%2Fpasswd', 'a//b', '.%2Fa', 'a%2F.%2Fb', 'a%00b', 'a%5Cb', 'a%0Ab', `${'x'.repeat(256)}`, `${'d/'.repeat(40)}f`]) {
    for (const [method, body] of [['GET', undefined], ['PUT', 'x'], ['DELETE', undefined]] as const) {
      const { status, body: answer } = await admin(method, `/template/lobby/file/${path}`, undefined, body === undefined ? {} : { payload: body })
      t.ok([400, 404].includes(status), `${method} ${path}: ${status} ${JSON.stringify(answer)}`)
    }
  }
  symlinkSync('/etc', join(lobby, 'etc'))
  symlinkSync(outside, join(lobby, 'link'))
  execFileSync('mkfifo', [join(lobby, 'pipe')])
  for (const path of ['etc/passwd', 'link', 'pipe']) t.equal((await admin('GET', `/template/lobby/file/${path}`)).status, 404, path)
  t.strictSame((await put('etc/shadow2', 'x')).body, { status: 400, message: 'Template file etc/shadow2 is a directory, or leads through a file', code: 'template_file_refused' })
  for (const path of ['link', 'pipe']) t.equal((await put(path, 'x')).status, 400, path)
  t.equal((await admin('DELETE', '/template/lobby/file/etc/passwd')).status, 404)
  t.equal(readFileSync(outside, 'utf8'), 'secret')
  t.strictSame((await admin('GET', '/template/lobby/files')).body.data, [])
  await until(() => left().length === 0)
})

t.test('a name that differs in case only, or is a directory, is refused by its name', async t => {
  const { put, unpack, paths, left } = await open(t)
  await put('plugins/Motd.yml', '1')
  for (const path of ['plugins/motd.yml', 'Plugins/other.yml', 'PLUGINS']) {
    t.strictSame((await put(path, 'x')).body.message, `Template file ${path} differs in case only from a name that is there`)
  }
  for (const path of ['plugins', 'plugins/Motd.yml/x']) t.match((await put(path, 'x')).body, { status: 400, message: /is a directory, or leads through a file/ })
  for (const files of [[{ name: 'a' }, { name: 'A' }], [{ name: 'x' }, { name: 'plugins/motd.yml' }], [{ name: 'a' }, { name: 'a/b' }], [{ name: 'x' }, { name: 'plugins' }]] as const) {
    t.match((await unpack(tarGz(...files))).body, { status: 400, code: 'template_file_refused' }, files.map(({ name }) => name).join())
  }
  t.strictSame(await paths(), ['plugins/Motd.yml'])
  await until(() => left().length === 0)
})

t.test('an archive is taken in whole, beside what is there or in its place, and given out as it is', async t => {
  const { admin, put, unpack, paths, port, lobby, templates, left } = await open(t)
  await put('keep.txt', 'kept')
  await put('old.txt', 'old')
  symlinkSync('keep.txt', join(lobby, 'alias'))
  t.strictSame((await unpack(tarGz({ name: './old.txt', content: 'new' }, { name: 'd/', kind: '5' }, { name: 'd/e/f.txt', content: 'f', mode: 0o755 }))).body,
    { status: 200, message: 'Template archive unpacked successfully', data: { added: 1, replaced: 1 } })
  t.strictSame(await paths(), ['d/e/f.txt', 'keep.txt', 'old.txt'])
  t.equal(readFileSync(join(lobby, 'old.txt'), 'utf8'), 'new')
  t.equal(readFileSync(join(lobby, 'alias'), 'utf8'), 'kept', 'the operator\'s link is still there')
  t.equal(statSync(join(lobby, 'd/e/f.txt')).mode & 0o777, 0o755)
  const answer = await fetch(`http://127.0.0.1:${port}${base}/template/lobby/archive`, { headers: from(admin.token) })
  t.equal(answer.headers.get('content-type'), 'application/gzip')
  const packed = Buffer.from(await answer.arrayBuffer())
  writeFileSync(join(templates, '..', 'packed.tar.gz'), packed)
  t.strictSame(execFileSync('tar', ['-tzf', join(templates, '..', 'packed.tar.gz')], { encoding: 'utf8' }).trim().split('\n'), ['d/e/f.txt', 'keep.txt', 'old.txt'])
  await admin('POST', '/template/', { name: 'copy' })
  t.strictSame((await unpack(packed, '?replace=true', 'copy')).body.data, { added: 3, replaced: 0 })
  t.strictSame((await unpack(tarGz({ name: 'keep.txt', content: 'other' }), '?replace=true')).body.data, { added: 0, replaced: 1 })
  t.strictSame([await paths(), readdirSync(lobby)], [['keep.txt'], ['keep.txt']], 'exactly that')
  t.strictSame((await unpack(tarGz())).body.data, { added: 0, replaced: 0 })
  await until(() => left().length === 0)
})

t.test('a name that is no UTF-8, which the operator has laid there, is kept beside what an archive brings, byte by byte', async t => {
  const { put, unpack, lobby } = await open(t)
  await put('keep.txt', 'kept')
  const name = Buffer.from('\xff\xfeb\xe4d', 'latin1')
  const under = (...names: Array<string | Buffer>) => Buffer.concat(names.flatMap((one, at) => [Buffer.from(at === 0 ? '' : '/'), Buffer.from(one)]))
  mkdirSync(under(lobby, name))
  writeFileSync(under(lobby, name, name), 'old')
  t.strictSame((await unpack(tarGz({ name: 'a.txt', content: 'a' }, { name: 'b.txt', content: 'b' }))).body.data, { added: 2, replaced: 0 })
  t.equal(readFileSync(under(lobby, name, name), 'utf8'), 'old')
})

t.test('an archive with anything else than ordinary files inside of it is refused whole, by the name of the entry', async t => {
  const { put, unpack, paths, lobby, left } = await open(t, { maxTemplateArchive: 1_000_000 })
  await put('a.txt', '1')
  const rows: ReadonlyArray<readonly [Entry, string]> = [
    [{ name: '../evil', content: 'x' }, '../evil leads out of the template'],
    [{ name: '/etc/evil', content: 'x' }, '/etc/evil leads out of the template'],
    [{ name: 'a/../../evil', content: 'x' }, 'a/../../evil leads out of the template'],
    [{ name: 'link', kind: '2', link: '/etc/passwd' }, 'link is a link'],
    [{ name: 'hard', kind: '1', link: 'a.txt' }, 'hard is a link'],
    [{ name: 'null', kind: '3' }, 'null is a device'],
    [{ name: 'pipe', kind: '6' }, 'pipe is a pipe'],
    [{ name: 'su', mode: 0o4755 }, 'su has a set-uid or set-gid bit'],
    [{ name: 'link/', kind: '2', link: '/etc' }, 'link/ is a link'],
    [{ name: 'hard/', kind: '1', link: 'a.txt' }, 'hard/ is a link'],
    [{ name: 'null/', kind: '3' }, 'null/ is a device'],
    [{ name: 'pipe/', kind: '6', mode: 0o4644 }, 'pipe/ is a pipe'],
    [{ name: 'other/', kind: 'Z' }, 'other/ is no ordinary file'],
    [{ name: '../../x/', kind: '5' }, '../../x/ leads out of the template'],
    [{ name: '/etc/x/', kind: '5' }, '/etc/x/ leads out of the template'],
    [{ name: '../../x/', content: 'x' }, '../../x/ leads out of the template'],
    [{ name: 'x/', content: 'x' }, 'x/ is no path'],
    [{ name: 'd/', kind: '5', mode: 0o4755 }, 'd/ has a set-uid or set-gid bit'],
    [{ name: 'a\u001b[2Jb', content: 'x' }, 'a\\u001b[2Jb is no path']
  ]
  for (const [bad, message] of rows) {
    for (const query of ['', '?replace=true']) {
      t.strictSame((await unpack(tarGz({ name: 'first', content: 'x' }, bad), query)).body, { status: 400, message: `Template file ${message}`, code: 'template_file_refused' })
    }
  }
  t.match((await unpack(tarGz({ name: 'first' }, { name: 'bomb', content: Buffer.alloc(2_000_000) }))).body, { status: 413, message: 'Template archive is too large at bomb', code: 'template_archive_too_large' })
  t.match((await unpack(tarGz(...Array.from({ length: 3000 }, (_, at) => ({ name: `f${at}` }))))).body, { status: 413, message: /^Template archive is too large at f1\d+$/ })
  const whole = tarGz({ name: 'x', content: Buffer.from(Array.from({ length: 5000 }, (_, at) => at * at)) })
  for (const broken of [whole.subarray(0, whole.length - 20), Buffer.from('no gzip'), gzipSync('no tar'), gzipSync(entry({ name: 'cut', content: 'x' })), Buffer.alloc(0)]) {
    t.strictSame((await unpack(broken, '?replace=true')).body, { status: 400, message: 'Template archive is no whole tar.gz', code: 'template_archive_invalid' })
  }
  t.strictSame([await paths(), readdirSync(lobby)], [['a.txt'], ['a.txt']])
  await until(() => left().length === 0)
})

t.test('S32: a file in an archive has no more than one that is put by itself, whatever its header is', async t => {
  const { put, unpack, paths, left } = await open(t, { maxTemplateFile: 100_000 })
  await put('a.txt', 'before')
  const large = Buffer.alloc(100_001)
  const refused = { status: 413, message: 'Template file big.bin is too large', code: 'template_file_too_large' }
  for (const bad of [[entry({ name: 'big.bin', content: large })], [pax({ path: 'big.bin', size: '100001' }), entry({ name: 'other', content: large, size: 1 })]]) {
    for (const query of ['', '?replace=true']) t.strictSame((await unpack(tarGz({ name: 'first' }, ...bad), query)).body, refused)
  }
  t.strictSame(await paths(), ['a.txt'])
  t.equal((await put('big.bin', large)).status, 413)
  t.strictSame((await unpack(tarGz({ name: 'big.bin', content: large.subarray(1) }))).body.data, { added: 1, replaced: 0 }, 'and no less')
  await until(() => left().length === 0)
})

t.test('S33: a file and a directory of one name, or of names that differ in case only, are not taken from one archive', async t => {
  const { unpack, paths, left } = await open(t)
  const directory = (name: string): Entry => ({ name, kind: '5', mode: 0o755 })
  const file = (name: string): Entry => ({ name, content: 'x' })
  const [blocked, differs] = ['is a directory, or leads through a file', 'differs in case only from a name that is there']
  const rows: ReadonlyArray<readonly [readonly Entry[], string]> = [
    [[file('x'), directory('x')], `x ${blocked}`],
    [[file('x'), directory('x/')], `x/ ${blocked}`],
    [[directory('y'), file('y')], `y ${blocked}`],
    [[directory('./y/'), file('y')], `y ${blocked}`],
    [[file('x'), { name: 'x/' }], `x/ ${blocked}`],
    [[directory('Ops/'), file('ops')], `ops ${differs}`],
    [[file('ops'), directory('OPS')], `OPS ${differs}`],
    [[directory('Ops/'), directory('ops/')], `ops/ ${differs}`],
    [[directory('Ops/'), file('ops/a')], `ops/a ${differs}`],
    [[file('a/Ops/b'), directory('a/ops')], `a/ops ${differs}`],
    [[file('a'), directory('a/b/c')], `a/b/c ${blocked}`],
    [[directory('a/b/c'), file('a/b')], `a/b ${blocked}`],
    [[file('a/b/c'), file('d/x'), file('a/b')], `a/b ${blocked}`],
    [[directory('\u00e4'), file('a\u0308')], `a\u0308 ${differs}`],
    [[directory('x'.repeat(90)), file('X'.repeat(90))], `${'X'.repeat(90)} ${differs}`]
  ]
  for (const [entries, message] of rows) {
    for (const query of ['', '?replace=true']) {
      t.strictSame((await unpack(tarGz(file('first'), ...entries), query)).body, { status: 400, message: `Template file ${message}`, code: 'template_file_refused' }, message)
    }
  }
  t.strictSame(await paths(), [])
  const plain = tarGz(directory('./'), directory('d/'), file('d/a'), directory('d'), directory('d/e/'), file('b'), file('d/a'), file('d/e/x'))
  t.strictSame((await unpack(plain)).body.data, { added: 3, replaced: 0 }, 'a directory may come again, and so may a file')
  t.strictSame(await paths(), ['b', 'd/a', 'd/e/x'])
  await until(() => left().length === 0)
})

t.test('over HTTP/2 a file is put with all that is in it, whether or not its type and its length are told', async t => {
  const { port, admin, lobby } = await open(t, { host: { http2: true } as never })
  const session = connectHttp2(`http://127.0.0.1:${port}`)
  t.teardown(() => { session.destroy() })
  for (const [name, headers] of Object.entries({ bare: {}, typed: { 'content-type': 'text/plain' }, sized: { 'content-length': '5' } })) {
    const stream = session.request({ ':method': 'PUT', ':path': `${base}/template/lobby/file/${name}`, ...from(admin.token), ...headers })
    const answered = once(stream.resume(), 'response')
    stream.end('hello')
    const [answer] = await answered
    t.strictSame([answer[':status'], readFileSync(join(lobby, name), 'utf8')], [201, 'hello'], name)
  }
})

t.test('S31: a gzip that goes on and has nothing in it is not read for ever', async t => {
  const { port, admin, left } = await open(t, { maxTemplateArchive: 100_000 })
  const [begin, nothing] = [gzipSync('').subarray(0, 10), Buffer.concat(Array.from({ length: 10_000 }, () => Buffer.from([0, 0, 0, 0xff, 0xff])))]
  async function * pieces (): AsyncGenerator<Buffer> {
    yield begin
    for (;;) yield nothing
  }
  const sending = request({ port, method: 'POST', path: `${base}/template/lobby/archive`, headers: from(admin.token) }).on('error', () => {})
  const answered = once(sending, 'response')
  const body = Readable.from(pieces()).on('error', () => {})
  body.pipe(sending)
  const [response] = await answered
  t.equal(response.resume().statusCode, 400)
  body.destroy()
  sending.destroy()
  await until(() => left().length === 0)
})

t.test('a file that is too large, cut off, or whose sender may no more, leaves the one that is there', async t => {
  const { app, admin, put, paths, port, login, lobby, left } = await open(t, { maxTemplateFile: 100_000 })
  await put('a.txt', 'before')
  t.match((await put('a.txt', Buffer.alloc(100_001))).body, { status: 413, code: 'template_file_too_large' })
  const chunked = await fetch(`http://127.0.0.1:${port}${base}/template/lobby/file/a.txt`, {
    method: 'PUT', headers: from(admin.token), body: Readable.toWeb(Readable.from([Buffer.alloc(60_000), Buffer.alloc(60_000)])) as never, duplex: 'half'
  } as RequestInit)
  t.equal(chunked.status, 413, 'without a length as well')
  const begin = (token: string | undefined) => {
    const sending = request({ port, method: 'PUT', path: `${base}/template/lobby/file/a.txt`, headers: { ...from(token), 'content-length': 1000 } })
    sending.on('error', () => {})
    sending.write('half')
    return sending
  }
  const half = begin(admin.token)
  await until(() => left().length === 1)
  half.destroy()
  await until(() => left().length === 0)
  const writer = await login(['cloud.template.files.write'])
  const late = begin(writer.token)
  const answered = new Promise<number | undefined>(resolve => late.on('response', answer => { resolve(answer.statusCode) }))
  await until(() => left().length === 1)
  t.equal((await admin('DELETE', `/user/${writer.uuid}`)).status, 204)
  late.end('x'.repeat(996))
  t.equal(await answered, 401)
  t.strictSame([readFileSync(join(lobby, 'a.txt'), 'utf8'), await paths()], ['before', ['a.txt']])
  await until(() => left().length === 0)
  t.equal(app.server.listening, true)
})

t.test('who may read may not write, and the audit says who wrote what', async t => {
  const { admin, login } = await open(t)
  const reader = await login(['cloud.template.files.read'])
  const writer = await login(['cloud.template.files.write'])
  for (const [method, path, reads] of [['GET', 'files', true], ['GET', 'archive', true], ['GET', 'file/a', true], ['PUT', 'file/a', false], ['DELETE', 'file/a', false], ['POST', 'archive', false]] as const) {
    t.equal((await reader(method, `/template/lobby/${path}`)).status === 403, !reads, `reader ${method} ${path}`)
    t.equal((await writer(method, `/template/lobby/${path}`)).status === 403, reads, `writer ${method} ${path}`)
  }
  await upload(writer, 'PUT', '/template/lobby/file/a.txt', 'x')
  const { body } = await admin('GET', '/audit?action=template.file-written')
  t.match(body.data.entries[0], { target: 'lobby', outcome: 'done', detail: { path: 'a.txt' } })
})

t.test('one user has four uploads under way, and a fifth is 429', async t => {
  const { admin, port, put, left } = await open(t)
  const open4 = Array.from({ length: 4 }, (_, at) => {
    const sending = request({ port, method: 'PUT', path: `${base}/template/lobby/file/f${at}`, headers: { ...from(admin.token), 'content-length': 10 } })
    sending.on('error', () => {})
    sending.write('half')
    return sending
  })
  await until(() => left().length === 4)
  t.match((await put('f5', 'x')).body, { status: 429, code: 'too_many_uploads' })
  for (const one of open4) one.destroy()
  await until(() => left().length === 0)
  t.equal((await put('f5', 'x')).status, 201)
})

t.test('S20: an archive of many files may take longer than a call, as long as the runtime gets on with it', async t => {
  const runtime = runtimeWithFiles()
  const files = runtime.templates?.files as TemplateFiles
  const { put } = files
  const pause = async (): Promise<void> => { await new Promise(resolve => { setTimeout(resolve, 25) }) }
  Object.assign(files, {
    put: async (name: string, given: AsyncIterable<NewTemplateFile>, options: TemplatePutOptions) => {
      async function * slowly (): AsyncGenerator<NewTemplateFile> {
        for await (const file of given) {
          await pause()
          yield file
        }
        for (let at = 0; at < 40; at++) {
          await pause()
          options.progress?.()
        }
      }
      return await put(name, slowly(), options)
    }
  })
  const { setUp } = await build(t, { runtime, runtimeTimeout: 500 })
  const admin = await setUp()
  const [{ name }] = (await admin('GET', '/templates/list')).body.data
  // All of them come in one piece.
  const body = tarGz(...Array.from({ length: 40 }, (_, at) => ({ name: `d/f${at}`, content: 'x' })))
  const { status, body: answer } = await upload(admin, 'POST', `/template/${name as string}/archive`, body, 'application/gzip')
  t.strictSame([status, answer.data], [200, { added: 40, replaced: 0 }], JSON.stringify(answer))
})

t.test('what a core had begun when it was killed is undone, or finished, by the next', async t => {
  const directory = scratchDirectory(t)
  const templates = join(directory, 'templates')
  for (const [name, text] of [['.lobby.0123456789ab.replaced', 'old'], ['.game.0123456789ab.replaced', 'old'], ['game', 'new'], ['.game.ba9876543210.tmp', 'half']] as const) {
    mkdirSync(join(templates, name), { recursive: true })
    writeFileSync(join(templates, name, 'a.txt'), text)
  }
  const runtime = await openProcessRuntime({ directory, log: () => {} })
  await runtime.close()
  t.strictSame(['lobby', 'game'].map(name => readFileSync(join(templates, name, 'a.txt'), 'utf8')), ['old', 'new'])
  t.strictSame(readdirSync(templates).filter(name => name.startsWith('.')), [])
})

t.test('large ones pass through without being kept: memory is flat', async t => {
  const { admin, port, lobby } = await open(t)
  const size = (Number(process.env['LARGE_MB'] ?? rounds(220, 300))) * 1024 * 1024
  const peak = { rss: 0 }
  const timer = setInterval(() => { peak.rss = Math.max(peak.rss, process.memoryUsage.rss()) }, 5)
  t.teardown(() => { clearInterval(timer) })
  // A client of another process: what it keeps is not to be counted.
  const send = async (method: string, path: string, what: 'file' | 'archive', bytes: number): Promise<number> => {
    const header = entry({ name: 'big2.dat', size: bytes }).subarray(0, 512).toString('base64')
    const script = `
      import { request } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
      import { pipeline } from 'node:stream'
      import { createGzip } from 'node:zlib'
      async function * zeros () {
        const piece = Buffer.alloc(65_536, 'x')
        for (let at = 0; at < ${bytes}; at += piece.length) yield piece
      }
      async function * archive () {
        yield Buffer.from('${header}', 'base64')
        yield * zeros()
        yield Buffer.alloc(1024)
      }
      const sending = request({ port: ${port}, method: '${method}', path: '${base}/template/lobby/${path}', headers: ${JSON.stringify(from(admin.token))} })
      sending.on('response', answer => { console.log(answer.statusCode); answer.resume() })
      if (${what === 'file'}) pipeline(zeros(), sending, () => {})
      else pipeline(archive(), createGzip({ level: 1 }), sending, () => {})`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    for await (const piece of child.stdout) text += String(piece)
    return Number(text)
  }
  const receive = async (): Promise<number> => {
    const child = spawn('sh', ['-c', `curl -s -H 'cookie: token=${admin.token}' -A lightMyRequest http://127.0.0.1:${port}${base}/template/lobby/file/big.dat | wc -c`], { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    for await (const piece of child.stdout) text += String(piece)
    return Number(text)
  }
  t.equal(await send('PUT', 'file/warm', 'file', 65_536 * 200), 201)
  const before = process.memoryUsage.rss()
  t.equal(await send('PUT', 'file/big.dat', 'file', size), 201)
  t.equal(await send('POST', 'archive', 'archive', size), 200)
  const received = await receive()
  t.strictSame([received, statSync(join(lobby, 'big.dat')).size, statSync(join(lobby, 'big2.dat')).size], [size, size, size])
  const grown = (peak.rss - before) / 1024 / 1024
  t.ok(grown < 170, `${Math.round(grown)} MB more for three times ${size / 1024 / 1024} MB`)
})

t.test('a disk that is full is said, and nothing of it stays', { skip: process.getuid?.() === 0 ? false : 'needs to mount a small file system' }, async t => {
  const directory = scratchDirectory(t)
  mkdirSync(join(directory, 'templates'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,nr_inodes=400', 'tmpfs', join(directory, 'templates')], { stdio: 'ignore' })
  } catch {
    t.comment('no file system can be mounted here')
    return
  }
  t.teardown(() => { execFileSync('umount', ['-l', join(directory, 'templates')]) })
  mkdirSync(join(directory, 'platforms'))
  writeFileSync(join(directory, 'platforms/idle.json'), JSON.stringify({ name: 'idle', type: 'SERVER', versions: ['1'], command: process.execPath, args: [], ready: { log: 'ready' }, stop: { signal: 'SIGTERM' } }))
  const runtime = await openProcessRuntime({ directory, log: () => {} })
  t.teardown(async () => { await runtime.close() })
  const admin = await (await build(t, { runtime })).setUp()
  await admin('POST', '/template/', { name: 'lobby' })
  const full = { status: 507, message: 'Not enough space for templates', code: 'templates_full' }
  t.strictSame((await upload(admin, 'PUT', '/template/lobby/file/big', Buffer.alloc(9 * 1024 * 1024))).body, full)
  t.strictSame((await upload(admin, 'POST', '/template/lobby/archive', tarGz(...Array.from({ length: 500 }, (_, at) => ({ name: `f${at}` }))))).body, full)
  await until(() => !readdirSync(join(directory, 'templates')).some(name => name.startsWith('.')))
  const { bsize, blocks, bavail, files, ffree } = statfsSync(join(directory, 'templates'))
  t.strictSame((await upload(admin, 'PUT', '/template/lobby/file/most', Buffer.alloc((bavail - Math.floor(blocks / 20) + 2) * bsize))).body, full, 'a twentieth stays free')
  t.strictSame((await upload(admin, 'POST', '/template/lobby/archive', tarGz(...Array.from({ length: ffree - files / 20 + 2 }, (_, at) => ({ name: `f${at}` }))))).body, full, 'and of its places')
  await until(() => !readdirSync(join(directory, 'templates')).some(name => name.startsWith('.')))
  t.equal((await upload(admin, 'PUT', '/template/lobby/file/small', 'x')).status, 201)
  const made: unknown[] = []
  for (let count = 0; count < files && made.at(-1) !== 507; count++) made.push((await admin('POST', '/template/', { name: `t${count}` })).status)
  t.strictSame([...new Set(made)], [202, 507], 'an empty template leaves them as well')
  const left = statfsSync(join(directory, 'templates')).ffree
  t.ok(left >= files / 20, `${left} of ${files} are left`)
  const group = {
    name: 'arena',
    platform: { name: 'idle', version: '1' },
    minMemory: 1,
    maxMemory: 2,
    minOnlineService: 0,
    maxOnlineService: 1,
    percentageToStartNewService: 0,
    properties: {},
    templates: ['arena']
  }
  t.match((await admin('POST', '/group/create', group)).body, { status: 507 }, 'so does the one that comes with a group')
})
