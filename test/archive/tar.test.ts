/** The tar reader and writer, against the tar of this machine and against strangers. */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import { EndsEarly } from '../../lib/archive/bytes.js'
import { EntryRefused, NoTar, readTar } from '../../lib/archive/read-tar.js'
import { type FileForTar, writeTar } from '../../lib/archive/write-tar.js'
import { bytesKeptBy } from '../fixtures/kept.js'
import { newSeed, rounds } from '../fixtures/rounds.js'
import { scratchDirectory } from '../fixtures/scratch.js'
import { entry, pax, summed, tar } from '../fixtures/tar.js'

async function * pieces (bytes: Buffer, length = 700): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function read (bytes: Buffer, { most = 1_000_000, length = 700 } = {}): Promise<Array<{ path: string, mode: string, text: string }>> {
  const files = []
  for await (const { path, mode, content } of readTar(pieces(bytes, length), { most, problemOf: path => path.endsWith('/') ? 'has no name' : undefined })) {
    const all = []
    for await (const piece of content) all.push(piece)
    files.push({ path, mode, text: Buffer.concat(all).toString() })
  }
  return files
}

const outcome = async (bytes: Buffer, most?: number): Promise<unknown> => await read(bytes, most === undefined ? {} : { most }).then(files => files.length, (error: Error) =>
  error instanceof EntryRefused ? `${error.path} ${error.why}` : error instanceof NoTar || error instanceof EndsEarly ? 'no tar' : error)

const long = `${'a'.repeat(90)}/${'b'.repeat(90)}/${'ü'.repeat(60)}.txt`

t.test('what GNU tar packs in each of its forms is read, and what is written GNU tar unpacks', async t => {
  const directory = scratchDirectory(t)
  const from = join(directory, 'from')
  mkdirSync(join(from, 'a'.repeat(90), 'b'.repeat(90)), { recursive: true })
  const files = { 'server.properties': 'motd=hello\n', [long]: 'x'.repeat(5000), empty: '' }
  for (const [path, text] of Object.entries(files)) writeFileSync(join(from, path), text, { mode: 0o640 })
  for (const format of ['gnu', 'pax', 'posix']) {
    execFileSync('tar', ['-C', from, `--format=${format}`, '-cf', join(directory, 'one.tar'), '.'])
    const found = await read(readFileSync(join(directory, 'one.tar')))
    t.strictSame(Object.fromEntries(found.map(({ path, text }) => [path, text])), files, format)
    t.strictSame(new Set(found.map(({ mode }) => mode)), new Set(['0640']))
  }
  const written: Uint8Array[] = []
  async function * all (): AsyncGenerator<{ path: string, size: number, mode: string, modifiedAt: number, content: AsyncIterable<Uint8Array> }> {
    for (const [path, text] of Object.entries(files)) yield { path, size: text.length, mode: '0750', modifiedAt: 1_700_000_000_000, content: pieces(Buffer.from(text)) }
  }
  for await (const piece of writeTar(all())) written.push(piece)
  t.strictSame(await read(Buffer.concat(written)), Object.entries(files).map(([path, text]) => ({ path, mode: '0750', text })))
  writeFileSync(join(directory, 'two.tar'), Buffer.concat(written))
  mkdirSync(join(directory, 'to'))
  execFileSync('tar', ['-C', join(directory, 'to'), '-xf', join(directory, 'two.tar')])
  for (const [path, text] of Object.entries(files)) t.equal(readFileSync(join(directory, 'to', path), 'utf8'), text)
})

t.test('directories, links and owners that are written GNU tar reads, long names included', async t => {
  const directory = scratchDirectory(t)
  const nothing = { size: 0, modifiedAt: 1_700_000_000_000, owner: 1000 }
  async function * all (): AsyncGenerator<FileForTar> {
    yield { ...nothing, path: 'world/', kind: 'directory', mode: '0755', content: pieces(Buffer.alloc(0)) }
    yield { ...nothing, path: 'world/latest', kind: 'link', target: 'level.dat', mode: '0777', content: pieces(Buffer.alloc(0)) }
    yield { ...nothing, path: `world/${'c'.repeat(120)}`, kind: 'link', target: long, mode: '0777', content: pieces(Buffer.alloc(0)) }
  }
  const written: Uint8Array[] = []
  for await (const piece of writeTar(all())) written.push(piece)
  writeFileSync(join(directory, 'all.tar'), Buffer.concat(written))
  const listed = execFileSync('tar', ['--numeric-owner', '--quoting-style=literal', '-tvf', join(directory, 'all.tar')], { encoding: 'utf8', env: { PATH: process.env['PATH'], TZ: 'UTC', LC_ALL: 'C.UTF-8' } })
  t.strictSame(listed.trim().split('\n').map(line => line.replace(/ +0 2023-11-14 22:13 /, ' ')), [
    'drwxr-xr-x 1000/1000 world/', 'lrwxrwxrwx 1000/1000 world/latest -> level.dat', `lrwxrwxrwx 1000/1000 world/${'c'.repeat(120)} -> ${long}`
  ])
})

t.test('an entry that is no ordinary file, or has a set-uid bit, is refused by its name', async t => {
  for (const [kind, why] of [['1', 'is a link'], ['2', 'is a link'], ['3', 'is a device'], ['4', 'is a device'], ['6', 'is a pipe'], ['S', 'is no ordinary file']] as const) {
    t.equal(await outcome(tar({ name: 'ok' }, { name: 'bad', kind, link: '/etc/passwd' })), `bad ${why}`)
  }
  t.equal(await outcome(tar(pax({ path: long }), { name: 'short', kind: '2', link: '/' })), `${long} is a link`)
  for (const name of ['bad/', 'd/e/']) t.equal(await outcome(tar(pax({ path: name }), { name: 'short', kind: '2', link: '/' })), `${name} is a link`)
  t.equal(await outcome(tar({ name: './', kind: '5' }, { name: './old/' }, { name: './old/f', content: 'f' })), 1, 'directories of either kind are passed over')
  t.equal(await outcome(tar({ name: 'su', mode: 0o4755 })), 'su has a set-uid or set-gid bit')
  t.equal(await outcome(tar({ name: 'd/', kind: '5', mode: 0o2755 }, { name: 'd/f', content: 'f' })), 1)
})

t.test('one that says, or is, more than there may be is refused where it begins', async t => {
  t.equal(await outcome(tar({ name: 'small', content: 'x' }, { name: 'huge', size: 2 ** 32 })), 'huge too large')
  t.equal(await outcome(tar(...Array.from({ length: 100 }, (_, at) => ({ name: `f${at}` }))), 20_000), 'f39 too large')
  t.equal(await outcome(tar(pax({ path: 'big', size: '99999999999' }), { name: 'x' })), 'big too large')
  t.equal(await outcome(Buffer.concat([tar({ name: 'a' }), Buffer.alloc(2_000_000)])), 'no tar', 'behind its end as well')
})

t.test('behind its end nothing may come but zeros, at most 1 MiB', async t => {
  const whole = tar({ name: 'a' })
  const behind = (bytes: Buffer): Promise<unknown> => outcome(Buffer.concat([whole, bytes]), 10_000_000)
  t.equal(await behind(Buffer.alloc(1_000_000)), 1)
  t.equal(await behind(Buffer.alloc(1_100_000)), 'no tar')
  t.equal(await behind(entry({ name: 'evil', kind: '2', link: '/etc/passwd' })), 'no tar')
  t.equal(await behind(whole), 'no tar')
  t.equal(await behind(Buffer.concat([Buffer.alloc(5000), Buffer.of(1)])), 'no tar')
})

t.test('a number that is none, or none that tar reads so, is refused, in either form', async t => {
  const withField = (at: number, field: Buffer): Buffer => {
    const block = entry({ name: 'su' })
    field.copy(block, at)
    return tar(summed(block))
  }
  t.equal(await outcome(withField(100, Buffer.from('80000000000009ed', 'hex'))), 'su has a set-uid or set-gid bit', 'a mode in binary')
  for (const mode of ['8000000100000000', 'ffffffffffffffff']) t.equal(await outcome(withField(100, Buffer.from(mode, 'hex'))), 'no tar', mode)
  for (const mode of ['abcdefg\0', '00006x4\0', '0000648\0', '-000644\0']) t.equal(await outcome(withField(100, Buffer.from(mode))), 'no tar', mode)
  t.equal(await outcome(withField(100, Buffer.from('   644 \0'))), 1)
  for (const size of ['0000000000x\0', '-0000000001\0', '00000000008\0']) t.equal(await outcome(withField(124, Buffer.from(size))), 'no tar', size)
  for (const size of ['\x0000000002000', '            ', '           \0']) t.equal(await outcome(withField(124, Buffer.from(size))), 'no tar', JSON.stringify(size))
  t.equal(await outcome(withField(100, Buffer.from('\x00004755'))), 'no tar', 'a mode behind a NUL')
  t.equal(await outcome(tar(Buffer.from(pax({ path: 'b' }).toString('latin1').replace('path=b\n', 'path=bX'), 'latin1'), { name: 'a' })), 'no tar', 'a record without a line end')
  for (const size of ['ffffffffffffffffffffffff', '800000000020000000000000']) t.equal(await outcome(withField(124, Buffer.from(size, 'hex'))), 'no tar', size)
  for (const [at, field] of [[108, 'zz\0'], [116, '12x4\0'], [136, '14524xyz\0']] as const) t.equal(await outcome(withField(at, Buffer.from(field))), 'no tar', `${field} at ${at}`)
  t.equal(await outcome(withField(136, Buffer.from('ffffffffffffffffffffff00', 'hex'))), 1, 'a time before 1970')
  for (const [key, value] of [['mtime', 'abc'], ['uid', 'BINARY'], ['gid', '-1'], ['atime', '1.5.5'], ['size', '1e3']] as const) {
    t.equal(await outcome(tar(pax({ [key]: value }), { name: 'a' })), 'no tar', `${key}=${value}`)
  }
  t.equal(await outcome(tar(pax({ mtime: '-1.5', uid: '0', ctime: '' }), { name: 'a' })), 1)
})

t.test('what some readers take for one archive and others for another is refused', async t => {
  const longName = (name: string): Buffer => entry({ name: '././@LongLink', kind: 'L', content: `${name}\0` })
  for (const [how, ...headers] of [
    ['two pax headers', pax({ path: 'first' }), pax({ comment: 'second' })],
    ['a pax header and a long name', pax({ path: 'first' }), longName('second')],
    ['a long name and a pax header', longName('first'), pax({ size: '5' })],
    ['two long names', longName('first'), longName('second')]
  ] as const) t.equal(await outcome(tar(...headers, { name: 'a', content: 'b' })), 'no tar', how)
  t.equal(await outcome(tar({ name: 'd/', kind: '5', content: entry({ name: 'hidden' }) }, { name: 'a' })), 'd/ is a directory with a size')
})

/** One part of an archive, odd or not, whose name is given: those of two parts differ. */
const odd: fc.Arbitrary<(name: string) => Buffer> = (() => {
  const content = fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom('', 'z'.repeat(511), 'z'.repeat(512), 'z'.repeat(1025)), fc.constant(entry({ name: 'inside' }).toString('latin1')))
  const kind = fc.oneof({ weight: 6, arbitrary: fc.constantFrom('0', '\0') }, { weight: 3, arbitrary: fc.constantFrom('5', '7') }, { weight: 1, arbitrary: fc.constantFrom('1', '2', '3', '4', '6', 'S', 'D', 'M', 'V', 'N', 'X', 'A', 'Z', '8', ' ', '9', 'I') })
  const form = fc.constantFrom('%o\0', '%o', '  %o\0', '%o  ', '%o\x007777', '%o 1\0', '%oxyz\0', '-%o\0', '+%o\0', '0x%o\0', '\0')
  const field = fc.option(fc.record({ at: fc.constantFrom(100, 108, 116, 124, 136), form }), { freq: 8, nil: undefined })
  const magic = fc.constantFrom('ustar\x0000', 'ustar\x0000', 'ustar  \0', '\0\0\0\0\0\0\0\0', 'ustar 00')
  const plain = fc.record({ content, kind, field, magic, folder: fc.constantFrom('', '', 'd/', './', './d/e/'), ending: fc.constantFrom('', '', '', '/') })
    .map(({ content, kind, field, magic, folder, ending }) => (name: string) => {
      const bytes = entry({ name: folder + name + ending, kind, content, link: 'elsewhere' })
      bytes.write(magic, 257, 'latin1')
      if (field !== undefined) {
        const length = field.at < 124 ? 8 : 12
        const value = field.at === 124 ? Buffer.byteLength(content) : 0o644
        bytes.fill(0, field.at, field.at + length)
        bytes.write(field.form.replace('%o', value.toString(8)), field.at, length, 'latin1')
      }
      return summed(bytes)
    })
  const long = fc.record({ kind: fc.constantFrom('L', 'K'), ending: fc.constantFrom('\0', '', '\0\0', '\0more') }).map(({ kind, ending }) =>
    (name: string) => entry({ name: '././@LongLink', kind, content: `${name}-${'l'.repeat(120)}${ending}` }))
  const keys = fc.constantFrom('size', 'mtime', 'uid', 'comment', 'linkpath', 'hdrcharset', 'GNU.sparse.major', 'GNU.sparse.size', 'SCHILY.realsize', 'Path')
  const values = fc.constantFrom('0', '1', '5', '512', '-1', '', 'x', '1e3', '0x10', '5.5', ' 5', '+5', '010', 'BINARY')
  const extended = fc.record({ kind: fc.constantFrom('x', 'x', 'x', 'g'), isNamed: fc.boolean(), more: fc.dictionary(keys, values, { maxKeys: 2 }) })
    .map(({ kind, isNamed, more }) => (name: string) => {
      const bytes = pax({ ...isNamed && { path: `${name}-pax` }, ...more })
      bytes.write(kind, 156, 'latin1')
      return summed(bytes)
    })
  return fc.oneof({ weight: 6, arbitrary: plain }, { weight: 1, arbitrary: long }, { weight: 2, arbitrary: extended })
})()

t.test('any archive is refused, or read as GNU tar reads it', async t => {
  const seed = Number(process.env['TAR_SEED'] ?? newSeed())
  t.comment(`TAR_SEED=${seed}`)
  const directory = scratchDirectory(t)
  const [file, to] = [join(directory, 'one.tar'), join(directory, 'to')]
  const found = async (sequence: readonly Buffer[]): Promise<void> => {
    const bytes = tar(...sequence)
    const ours = await read(bytes).catch((error: unknown) => {
      if (error instanceof EntryRefused || error instanceof NoTar) return undefined
      throw error
    })
    if (ours === undefined) return
    writeFileSync(file, bytes)
    rmSync(to, { recursive: true, force: true })
    mkdirSync(to)
    const told = spawnSync('tar', ['-C', to, '-xf', file, '--no-same-permissions'], { encoding: 'utf8' })
    const theirs = readdirSync(to, { recursive: true, withFileTypes: true }).filter(one => !one.isDirectory())
      .map(one => join(one.parentPath, one.name).slice(to.length + 1))

    assert.deepEqual(
      Object.fromEntries(theirs.sort().map(path => [path, readFileSync(join(to, path), 'utf8')])),
      Object.fromEntries(ours.map(({ path, text }) => [path, text] as const).sort(([a], [b]) => a < b ? -1 : 1)),
      `${told.stderr} ${bytes.toString('base64')}`
    )
  }
  await fc.assert(fc.asyncProperty(fc.array(odd, { minLength: 1, maxLength: 5 }), async parts => {
    await found(parts.map((make, at) => make(`n${at}`)))
  }), { seed, numRuns: rounds(300, 10_000) })
})

t.test('a file with holes is refused by its name, wherever that stands', async t => {
  const sparse = { 'GNU.sparse.major': '1', 'GNU.sparse.name': 'hole.bin' }
  t.equal(await outcome(tar(pax(sparse), { name: 'GNUSparseFile.1/hole.bin' })), 'hole.bin is no ordinary file')
  t.equal(await outcome(tar(pax({ 'GNU.sparse.size': '5', path: 'late.bin' }), { name: 'x' })), 'late.bin is no ordinary file')
  t.equal(await outcome(tar(pax({ 'GNU.sparse.size': '5' }), { name: 'plain.bin' })), 'plain.bin is no ordinary file')
})

t.test('a header for all entries that gives them names or sizes is refused, others are passed over', async t => {
  const global = (records: Readonly<Record<string, string>>): Buffer => {
    const bytes = pax(records)
    bytes.write('g', 156)
    return summed(bytes)
  }
  for (const records of [{ path: 'all' }, { size: '5' }, { 'GNU.sparse.size': '5' }]) t.equal(await outcome(tar(global(records), { name: 'a', content: 'b' })), 'no tar')
  t.equal(await outcome(tar(global({ comment: 'a commit' }), { name: 'a', content: 'b' })), 1)
})

t.test('as many files as there may be come back from an archive of ours, whatever their names are', async t => {
  async function * files (): AsyncGenerator<FileForTar> {
    for (let at = 0; at < 100; at++) yield { path: `ü${at}`, size: 0, mode: '0644', modifiedAt: 0, content: pieces(Buffer.alloc(0)) }
  }
  let count = 0
  for await (const { path } of readTar(writeTar(files()), { most: 1e9, mostEntries: 100 })) t.equal(path, `ü${count++}`)
  t.equal(count, 100)
  await t.rejects(async () => {
    for await (const { path } of readTar(writeTar(files()), { most: 1e9, mostEntries: 99 })) t.not(path, 'ü99')
  }, new EntryRefused('ü99', 'too large'))
})

t.test('a header without an end is kept by nobody', async t => {
  for (const kind of ['x', 'g', 'L', 'K']) {
    let given = 0
    async function * endless (): AsyncGenerator<Buffer> {
      yield entry({ name: 'h', kind, size: 2 ** 32 })
      for (;;) {
        given += 65_536
        yield Buffer.alloc(65_536)
      }
    }
    await t.rejects(async () => { await readTar(endless(), { most: 2 ** 40 }).next() }, NoTar)
    t.ok(given < 1_000_000, `${kind}: ${given} bytes`)
  }
})

t.test('S23: of an archive nothing is kept with the paths of its files, however long its headers are', async t => {
  const rubbish = `${'x'.repeat(60_000)}\u4e2d`
  const named = (content: string): Buffer => entry({ name: '././@LongLink', kind: 'L', content })
  const headers: Record<string, (path: string) => Buffer> = {
    'a long name with something behind its NUL': path => named(`${path}\0${rubbish}`),
    'a long name that begins with much that means nothing': path => named(`${'./'.repeat(30_000)}\u4e2d${path}\0`),
    'a pax header with much before it': path => pax({ comment: rubbish, path }),
    'a pax name that begins with much that means nothing': path => pax({ path: `${'./'.repeat(30_000)}\u4e2d${path}` })
  }
  for (const [how, header] of Object.entries(headers)) {
    const paths: string[] = []
    async function * archive (): AsyncGenerator<Buffer> {
      for (let at = 0; at < 300; at++) {
        yield header(`somewhere/a-file-of-that-name-${at}`)
        yield entry({ name: 'f' })
      }
      yield Buffer.alloc(1024)
    }
    const bytes = await bytesKeptBy(async () => {
      for await (const { path } of readTar(archive(), { most: 1e9 })) paths.push(path)
      return paths
    })
    t.equal(paths.length, 300)
    t.ok(bytes < 5_000_000, `${how}: ${bytes} bytes`)
  }
})

t.test('whatever is cut off, changed or no tar at all is none', async t => {
  const whole = tar({ name: 'a', content: 'x'.repeat(1000) }, pax({ path: 'ü' }), { name: 'b', content: 'y' })
  for (let length = 0; length < whole.length - 1024; length += 100) t.equal(await outcome(whole.subarray(0, length)), 'no tar', String(length))
  t.equal(await outcome(Buffer.from('no tar at all'.repeat(100))), 'no tar')
  const changed = Buffer.from(whole)
  changed[5] = 1
  t.equal(await outcome(changed), 'no tar')
  for (const wrong of ['5 a=b\n', '999 path=x\n', 'path=x\n', '12 pathless\n']) t.equal(await outcome(tar({ name: 'p', kind: 'x', content: wrong }, { name: 'x' })), 'no tar', wrong)
})
