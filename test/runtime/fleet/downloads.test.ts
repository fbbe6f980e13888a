/** Fetching a file into the store: whatever the other side does, what is under its name is whole and right, or nothing is. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Download } from '../../../lib/runtime/fleet/content/download-definition.js'
import { openStore, type Store } from '../../../lib/runtime/fleet/downloads/store.js'
import type { Write } from '../../../lib/runtime/fleet/downloads/transfer.js'
import { bytesOf, serveFile, sumOf, type Answer, type FileServer } from '../../fixtures/file-server.js'
import { newSeed, rounds } from '../../fixtures/rounds.js'
import { until } from '../../fixtures/until.js'

t.setTimeout(600_000)

const content = bytesOf(300_000)

function temporary (t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'cloud-downloads-'))
  t.teardown(() => { rmSync(directory, { recursive: true, force: true }) })
  return directory
}

const downloadOf = ({ url }: Pick<FileServer, 'url'>, changes: Partial<Download> = {}): Download =>
  ({ url, algorithm: 'sha256', sum: sumOf(content), size: content.length, to: 'server.jar', ...changes })

interface FetchOptions { readonly signal?: AbortSignal, readonly stall?: number, readonly write?: Write, progress? (received: number): void }

/** Fetches, and answers what was said when it could not be. */
async function fetchInto (store: Store, download: Download, { signal = new AbortController().signal, stall = 5000, progress = () => {}, ...rest }: FetchOptions = {}): Promise<string> {
  try {
    await store.fetch(download, { signal, stall, progress, ...rest })
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

const hostOf = ({ url }: FileServer): string => new URL(url).host

t.test('a file is fetched, checked, and kept under its sum; it is not to be written to', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  for (const algorithm of ['sha256', 'sha1', 'md5'] as const) {
    const store = await openStore(join(directory, algorithm), { alone: true })
    const download = downloadOf(server, { algorithm, sum: sumOf(content, algorithm) })
    const seen: number[] = []
    t.notOk(store.has(download))
    t.equal(await fetchInto(store, download, { progress: received => { seen.push(received) } }), '')
    t.ok(store.has(download))
    t.equal(store.pathOf(download), join(directory, algorithm, `${algorithm}-${download.sum}`))
    t.ok(readFileSync(store.pathOf(download)).equals(content))
    t.equal(statSync(store.pathOf(download)).mode & 0o777, 0o400)
    t.strictSame(readdirSync(join(directory, algorithm)), [`${algorithm}-${download.sum}`], 'nothing else is left')
    t.strictSame([seen[0], seen.at(-1), seen.every((one, index) => index === 0 || one >= (seen[index - 1] as number))], [0, content.length, true])
  }
  t.strictSame([...server.agents], ['fastify-cloud'])
})

t.test('what was cut off is gone on with, also by another process, and only what is missing is asked for', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  server.next.push({ kind: 'stall', after: 100_000 }, { kind: 'short', after: 50_000 })
  const [download, died] = [downloadOf(server), new AbortController()]
  const progress = (received: number): void => { if (received > 0) died.abort(new Error('it died')) }
  t.equal(await fetchInto(await openStore(directory, { alone: true }), download, { signal: died.signal, progress }), 'it died')
  const [first] = readdirSync(directory)
  t.equal(first, `sha256-${download.sum}.part`)
  const half = statSync(join(directory, first as string)).size
  t.ok(half > 0 && half <= 100_000, `${half} bytes are kept`)
  const store = await openStore(directory, { alone: true })
  t.match(await fetchInto(store, download), /^127\.0\.0\.1:\d+\/builds\/server\.jar (?:ended after \d+ of 300000 bytes|has \d+ bytes, not 300000)$/)
  t.equal(await fetchInto(store, download), '')
  t.ok(readFileSync(store.pathOf(download)).equals(content))
  t.strictSame(server.asked.slice(0, 2), ['-', `bytes=${half}-`])
  t.match(server.asked[2], /^bytes=\d+-$/)
})

t.test('a server that knows no parts sends all again; one that sends another part is not believed', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  const [store, download] = [await openStore(directory, { alone: true }), downloadOf(server)]
  writeFileSync(`${store.pathOf(download)}.part`, content.subarray(0, 100_000))
  server.next.push({ kind: 'shifted' }, { kind: 'whole' })
  t.match(await fetchInto(store, download), 'answered another part than was asked for')
  t.equal(await fetchInto(store, download), '')
  t.ok(readFileSync(store.pathOf(download)).equals(content))
})

t.test('another file is said with both sums, and nothing of it stays', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  const store = await openStore(directory, { alone: true })
  server.next.push({ kind: 'wrong' })
  const download = downloadOf(server)
  t.equal(await fetchInto(store, download), `${hostOf(server)}/builds/server.jar is another file than was declared: its sha256 is ${sumOf(Buffer.alloc(content.length, 'x'))}, not ${download.sum}`)
  t.strictSame(readdirSync(directory), [])
  t.notOk(store.has(download))
})

t.test('never more than was declared is taken, whether it is told before or not', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  const store = await openStore(directory, { alone: true })
  server.next.push({ kind: 'long' })
  t.match(await fetchInto(store, downloadOf(server)), / (?:has 300004 bytes, not 300000|sends more than the 300000 bytes that were declared)$/)
  t.match(await fetchInto(store, downloadOf(server, { size: 10 })), 'has 300000 bytes, not 10')
  t.strictSame(readdirSync(directory), [])
})

t.test('404, 410, 429 and 500 are said, without what follows the path; how long to wait is handed on', async t => {
  const [server, store] = [await serveFile(t, content), await openStore(temporary(t), { alone: true })]
  for (const [status, text] of [[404, 'Not Found'], [410, 'Gone'], [429, 'Too Many Requests'], [500, 'Internal Server Error']] as const) {
    server.next.push({ kind: 'status', status })
    t.equal(await fetchInto(store, downloadOf(server)), `${hostOf(server)}/builds/server.jar answered ${status} ${text}`)
  }
  for (const [status, seconds, wait] of [[429, '7', 7000], [503, '99999999', 3_600_000], [503, 'soon', undefined]] as const) {
    server.next.push({ kind: 'status', status, headers: { 'retry-after': seconds } })
    const thrown = await store.fetch(downloadOf(server), { signal: new AbortController().signal, stall: 5000, progress: () => {} }).catch((error: unknown) => error)
    t.equal((thrown as { retryAfter?: number }).retryAfter, wait)
  }
})

t.test('redirects are followed, a few of them, and only to http and https without a user', async t => {
  const [server, other, store] = [await serveFile(t, content), await serveFile(t, content), await openStore(temporary(t), { alone: true })]
  const says = async (...answers: Answer[]): Promise<string> => {
    server.next.push(...answers)
    const said = await fetchInto(store, downloadOf(server))
    server.next.length = 0
    return said
  }
  const to = (address: string): Answer => ({ kind: 'redirect', to: address })
  t.match(await says(to('file:///etc/passwd')), 'was sent on to an address that is not taken')
  t.match(await says(to('http://me:secret@127.0.0.1/')), 'was sent on to an address that is not taken')
  t.match(await says(to('http://')), 'was sent on to nowhere')
  t.match(await says(...Array.from({ length: 7 }, () => to(server.url))), 'was sent on more than 5 times')
  t.equal(await says(to('/elsewhere'), to(other.url)), '')
  t.ok(store.has(downloadOf(server)))
  t.equal(other.asked.length, 1)
})

t.test('nobody there, silence, a trickle, an encoding: each is said', async t => {
  const [server, gone, store] = [await serveFile(t, content), await serveFile(t, content), await openStore(temporary(t), { alone: true })]
  await gone.close()
  t.equal(await fetchInto(store, downloadOf(gone)), `${hostOf(gone)} cannot be reached: ECONNREFUSED`)
  server.next.push({ kind: 'cut', after: 1000 }, { kind: 'stall', after: 1000 }, { kind: 'slow', bytes: 1, ms: 50 }, { kind: 'gzip' })
  t.match(await fetchInto(store, downloadOf(server)), `${hostOf(server)}/builds/server.jar broke off: `)
  t.match(await fetchInto(store, downloadOf(server), { stall: 200 }), 'sends nothing any more')
  t.match(await fetchInto(store, downloadOf(server), { stall: 200 }), 'sends nothing any more')
  t.match(await fetchInto(store, downloadOf(server)), 'answered in an encoding that was not asked for')
})

t.test('an abort ends it at once, and what came is kept for the next time', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  const [store, calledOff] = [await openStore(directory, { alone: true }), new AbortController()]
  server.next.push({ kind: 'stall', after: 70_000 })
  const fetching = fetchInto(store, downloadOf(server), { signal: calledOff.signal, progress: received => { if (received > 0) setTimeout(() => { calledOff.abort(new Error('called off')) }, 20) } })
  t.equal(await fetching, 'called off')
  t.match(readdirSync(directory), [/\.part$/])
  t.equal(await fetchInto(store, downloadOf(server)), '')
  t.match(server.asked[1], /^bytes=\d+-$/)
})

t.test('of two who fetch the same without being alone each has a half file of its own, and none stays', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  const [one, other] = [await openStore(directory, { alone: false }), await openStore(directory, { alone: false })]
  server.otherwise = { kind: 'slow', bytes: 50_000, ms: 10 }
  const both = Promise.all([fetchInto(one, downloadOf(server)), fetchInto(other, downloadOf(server))])
  await until(() => readdirSync(directory).filter(name => name.endsWith('.tmp')).length === 2)
  const dead = `.sha256-${'0'.repeat(64)}.${'a'.repeat(12)}.tmp`
  writeFileSync(join(directory, dead), 'of one that was killed')
  utimesSync(join(directory, dead), 1, 1)
  await openStore(directory, { alone: true })
  t.strictSame(await both, ['', ''])
  t.strictSame(readdirSync(directory), [`sha256-${sumOf(content)}`], 'what is dead for an hour is taken away')
})

t.test('what was changed in the store is noticed, goes, and is fetched anew; so does whatever else stands there', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  const [store, download, { signal }] = [await openStore(directory, { alone: true }), downloadOf(server), new AbortController()]
  await fetchInto(store, download)
  const path = store.pathOf(download)
  const { mtime } = statSync(path)
  chmodSync(path, 0o600)
  writeFileSync(path, Buffer.concat([Buffer.from('evil'), content.subarray(4)]))
  utimesSync(path, mtime, mtime)
  t.notOk(store.has(download), 'the time on it was put back, and it is seen')
  t.notOk(await store.check(download, signal))
  t.notOk(existsSync(path))
  symlinkSync('/etc/passwd', path)
  t.notOk(await store.check(download, signal))
  mkdirSync(join(path, 'deep'), { recursive: true })
  mkdirSync(`${path}.part`)
  t.notOk(await store.check(download, signal))
  t.equal(await fetchInto(store, download), '')
  t.ok(readFileSync(path).equals(content))
  t.equal(await (await openStore(directory, { alone: true })).check(download, signal), true, 'another process finds it, without a network')
})

t.test('somebody takes the whole directory away: what is needed is fetched anew', async t => {
  const [server, parent] = [await serveFile(t, content), temporary(t)]
  for (const alone of [true, false]) {
    const store = await openStore(join(parent, 'downloads'), { alone })
    const download = downloadOf(server)
    t.equal(await fetchInto(store, download), '')
    rmSync(store.directory, { recursive: true, force: true })
    t.notOk(store.has(download))
    t.equal(await fetchInto(store, download), '')
    t.ok(store.has(download))
    rmSync(store.directory, { recursive: true, force: true })
    t.equal(await store.prune([]), 0)
  }
})

t.test('a disk that is too small is not begun to fill, and one that becomes full is given back', { skip: process.getuid?.() !== 0 && 'ONLY ROOT CAN MOUNT A SMALL DISK' }, async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=600k', 'none', directory], { stdio: 'ignore' })
  } catch {
    t.comment('no tmpfs is to be had here')
    return
  }
  t.teardown(() => { execFileSync('umount', ['-l', directory]) })
  const store = await openStore(directory, { alone: true })
  writeFileSync(join(directory, 'other'), Buffer.alloc(450_000))
  t.match(await fetchInto(store, downloadOf(server)), /^the disk is full: 0\.3 MB are needed, 0\.\d MB are free$/)
  t.equal(server.asked.length, 0)
  rmSync(join(directory, 'other'))
  server.next.push({ kind: 'slow', bytes: 50_000, ms: 50 })
  let filled = false
  t.equal(await fetchInto(store, downloadOf(server), {
    progress: received => {
      if (filled || received === 0) return
      filled = true
      writeFileSync(join(directory, 'other'), Buffer.alloc(450_000))
    }
  }), 'the disk is full')
  t.strictSame(readdirSync(directory), ['other'], 'what came of it takes no room from services')
  rmSync(join(directory, 'other'))
  t.equal(await fetchInto(store, downloadOf(server)), '')
})

t.test('a write that the disk refuses, and one that takes a part only', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  const store = await openStore(directory, { alone: true })
  const refuses: Write = async () => { throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }) }
  t.equal(await fetchInto(store, downloadOf(server), { write: refuses }), 'the disk is full')
  t.strictSame(readdirSync(directory), [])
  const broken: Write = async () => { throw Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO', syscall: 'write' }) }
  t.equal(await fetchInto(store, downloadOf(server), { write: broken }), 'EIO: i/o error, write')
  const { write } = await import('node:fs')
  const slowly: Write = async (file, bytes, offset, length, position) => await new Promise((resolve, reject) => {
    write(file, bytes, offset, Math.min(length, 1000), position, (error, bytesWritten) => { if (error === null) resolve({ bytesWritten }); else reject(error) })
  })
  t.equal(await fetchInto(store, downloadOf(server), { write: slowly }), '')
  t.ok(readFileSync(store.pathOf(downloadOf(server))).equals(content))
})

t.test('what no platform names any more goes; what a fetch elsewhere is at does not', async t => {
  const [server, directory] = [await serveFile(t, content), temporary(t)]
  const store = await openStore(directory, { alone: true })
  await fetchInto(store, downloadOf(server))
  writeFileSync(join(directory, `md5-${'0'.repeat(32)}`), 'old')
  writeFileSync(join(directory, `md5-${'1'.repeat(32)}.part`), 'half')
  writeFileSync(join(directory, `.md5-${'2'.repeat(32)}.${'b'.repeat(12)}.tmp`), 'under way')
  writeFileSync(join(directory, 'notes.txt'), 'of the operator')
  t.equal(await store.prune([downloadOf(server)]), 7)
  t.strictSame(readdirSync(directory).sort(), [`.md5-${'2'.repeat(32)}.${'b'.repeat(12)}.tmp`, 'notes.txt', `sha256-${sumOf(content)}`])
})

const answers: fc.Arbitrary<Answer> = fc.oneof(
  fc.constantFrom<Answer>({ kind: 'right' }, { kind: 'whole' }, { kind: 'long' }, { kind: 'wrong' }, { kind: 'shifted' }, { kind: 'gzip' }, { kind: 'redirect', to: '/elsewhere' }),
  fc.record({ kind: fc.constantFrom('cut', 'short', 'stall'), after: fc.integer({ min: 0, max: content.length }) }) as fc.Arbitrary<Answer>,
  fc.record({ kind: fc.constant('status'), status: fc.constantFrom(204, 304, 400, 401, 403, 404, 410, 416, 429, 500, 502, 503) }) as fc.Arbitrary<Answer>,
  fc.record({ kind: fc.constant('slow'), bytes: fc.integer({ min: 60_000, max: 200_000 }), ms: fc.integer({ min: 1, max: 10 }) }) as fc.Arbitrary<Answer>
)

t.test('whatever is answered, in whatever order, what is under its name is right or nothing is; and in the end it is there', async t => {
  const [seed, directory] = [newSeed(), temporary(t)]
  t.comment(`seed ${seed}`)
  let run = 0
  const server = await serveFile(t, content)
  await fc.assert(fc.asyncProperty(fc.array(answers, { maxLength: 6 }), async sequence => {
    const store = await openStore(join(directory, String(run++)), { alone: true })
    server.next.splice(0, server.next.length, ...sequence)
    for (let tries = 0; ; tries++) {
      const said = await fetchInto(store, downloadOf(server), { stall: 100 })
      const path = store.pathOf(downloadOf(server))
      if (existsSync(path) !== (said === '')) throw new Error(`said ${JSON.stringify(said)}, and it is ${existsSync(path) ? '' : 'not '}there`)
      if (said === '') {
        if (!readFileSync(path).equals(content)) throw new Error('it is there, and not right')
        break
      }
      if (tries > sequence.length + 1) throw new Error(`not there after ${tries} tries: ${said}`)
    }
    rmSync(store.directory, { recursive: true, force: true })
  }), { seed, numRuns: rounds(40, 1000) })
  t.pass('all sequences')
})
