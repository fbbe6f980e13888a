/** The cases of what `templates.files.put` takes in: whatever it is, whenever it fails, whatever else happens meanwhile. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { NewTemplateFile } from '../../../types/template-files.js'
import { byValue, many, same, show } from '../suite.js'
import type { RuntimeCases, Stage } from './stage.js'
import { bytesIn, bytesOf, filesOf, given, listed, made, meanwhile, name, open, other, pieces, put, texts } from './template-shelf.js'

/** Names that somebody may use for something else; none differs from another in case only. */
const odd = [
  ' a', 'b ', 'ä', 'e\u0301.txt', '..c', 'c..', '...', '.hidden', '-rf', '~', '$HOME', '*', '?', 'f:g', '"q"', 'it\'s', '%2e%2e', '#', '&', '__proto__', 'constructor', 'toString', 'hasOwnProperty',
  'null', '0', 'h.tmp', 'i.part', 'package.json', '🎮', 'with blanks/in it', 'j/__proto__/constructor', 'j/..k', 'l'.repeat(255), 'ü'.repeat(127),
  Array.from({ length: 32 }, (_, n) => `m${n}`).join('/'), ['n', 'o', 'p', 'q'].map(letter => letter.repeat(255)).join('/')
]

/** Whatever bytes a file has: no byte, each byte, ends of lines, and more than goes into one piece. */
const contents: Readonly<Record<string, readonly Uint8Array[]>> = {
  empty: [],
  'empty pieces': [Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(0), Buffer.from('b'), Buffer.alloc(0)],
  'an empty piece': [Buffer.alloc(0)],
  'every byte': [Uint8Array.from({ length: 256 }, (_, n) => n)],
  lines: [Buffer.from('\ufeffone\r\ntwo\n\rthree \n\n')],
  'not UTF-8': [Buffer.from([0xc3]), Buffer.from([0xa4, 0xff, 0xfe, 0x80])],
  large: Array.from({ length: 5 }, (_, n) => Buffer.alloc(70_001, `${n} large `))
}

async function * each (all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield * all
}

/** Pauses in which a call of a core that has ended may still answer. */
const PATIENCE = 3

const both = [false, true] as const

/** What is given with a moment after its first file, in which something else is done. */
async function * pausing (files: Readonly<Record<string, string>>, during: () => Promise<unknown>): AsyncGenerator<NewTemplateFile> {
  let isFirst = true
  for await (const file of given(files)) {
    yield file
    if (isFirst) await during()
    isFirst = false
  }
}

/** The contract of `TemplateFiles.put` and of `read`. */
export const templateTakes: RuntimeCases = async add => {
  await add('templates.files.list answers the files of every template that is listed, those of the system among them', async stage => {
    await made(stage)
    for (const template of await stage.settled(stage.templates.list(stage.options), 'templates.list')) await listed(stage, template.name)
  })

  await add('templates.files.put, list, read and delete take a file whatever its path', async stage => {
    const files = await made(stage)
    const all = Object.fromEntries(odd.map((path, n) => [path, `text ${n}`]))
    // `__proto__` is no field of an object like others.
    same(await put(stage, odd.map((path, n) => [path, `text ${n}`] as const)), { added: odd.length, replaced: 0 })
    const shown = async () => Object.entries(await texts(stage)).sort()
    same(await shown(), Object.entries(all).sort(), 'each must be listed under its path, and have its own content')
    for (const path of odd.slice(0, 3)) same(await stage.settled(files.delete(name, path, stage.options), 'templates.files.delete'), true, `templates.files.delete of ${show(path)}`)
    same(await shown(), Object.entries(all).filter(([path]) => !odd.slice(0, 3).includes(path)).sort())
  })

  await add('templates.files.read answers as many bytes as size says, whatever they are', async stage => {
    await made(stage)
    await put(stage, (async function * () { for (const [path, all] of Object.entries(contents)) yield { path, content: each(all) } })())
    const found = await bytesIn(stage)
    for (const [path, all] of Object.entries(contents)) assert.ok(Buffer.concat(all).equals(found[path] ?? Buffer.from('nothing')), `${show(path)} must have the bytes that it was given`)
    same(Object.keys(found).sort(), Object.keys(contents).sort())
  })

  await add('templates.files.read answers the file as it was when it was asked for', async stage => {
    const files = await made(stage)
    const [before, after] = ['x'.repeat(3) + 'long '.repeat(40_000), 'y']
    const large = async function * (): AsyncGenerator<NewTemplateFile> { yield { path: 'a', content: each([Buffer.from(before)]) } }
    await put(stage, large())
    const [begun, asked, left] = [await open(stage, 'a'), await open(stage, 'a'), await open(stage, 'a')]
    const iterator = begun.content[Symbol.asyncIterator]()
    const first = await iterator.next()
    await left.content[Symbol.asyncIterator]().return?.()
    same(await put(stage, { a: after }), { added: 0, replaced: 1 })
    const rest = await bytesOf({ content: { [Symbol.asyncIterator]: () => iterator } })
    assert.ok(Buffer.concat([first.done === true ? Buffer.alloc(0) : first.value, rest]).equals(Buffer.from(before)), 'a file that is replaced while it is read is read as it was')
    assert.ok((await bytesOf(asked)).equals(Buffer.from(before)), 'a file that is replaced before it is read is read as it was when it was asked for')
    const removed = await open(stage, 'a')
    same(await stage.settled(files.delete(name, 'a', stage.options), 'templates.files.delete'), true)
    same((await bytesOf(removed)).toString(), after, 'a file that is deleted before it is read is read as it was when it was asked for')
  })

  await add('templates.files.list: what was handed out stays as it was', async stage => {
    const files = await made(stage)
    await put(stage, { a: 'one', b: 'two' })
    const before = await listed(stage)
    const copy = byValue(before)
    await put(stage, { a: 'another', c: 'three' })
    await stage.settled(files.delete(name, 'b', stage.options), 'templates.files.delete')
    await listed(stage)
    same(before, copy, 'a list that templates.files.list has answered was changed afterwards: answer a new one instead')
  })

  await add('templates.files.put gives files the rights that are told, where none are those of the file that was there, else 0644', async stage => {
    await made(stage)
    const rights = async () => Object.fromEntries((await listed(stage)).map(({ path, mode }) => [path, mode]))
    const moded = async function * (modes: Readonly<Record<string, string | undefined>>): AsyncGenerator<NewTemplateFile> {
      for (const [path, mode] of Object.entries(modes)) yield { path, content: pieces('x'), ...mode !== undefined && { mode } }
    }
    same(await put(stage, moded({ a: '0755', b: '0600', c: undefined, 'd/e': '0750' })), { added: 4, replaced: 0 })
    same(await rights(), { a: '0755', b: '0600', c: '0644', 'd/e': '0750' }, 'as they were told, else 0644')
    same(await put(stage, moded({ a: undefined, 'd/e': undefined, f: undefined })), { added: 1, replaced: 2 })
    same(await rights(), { a: '0755', b: '0600', c: '0644', 'd/e': '0750', f: '0644' }, 'where none are told they stay as they were')
    same(await put(stage, moded({ a: '0640', c: '0700' })), { added: 0, replaced: 2 })
    same(await put(stage, moded({ a: undefined, b: undefined, g: '0755' }), { replace: true }), { added: 1, replaced: 2 })
    same(await rights(), { a: '0640', b: '0600', g: '0755' }, 'with replace as well')
    await stage.says(true, 'templates.rename', name, other)
    same(Object.fromEntries((await listed(stage, other)).map(({ path, mode }) => [path, mode])), { a: '0640', b: '0600', g: '0755' }, 'and over a rename')
  })

  await add('templates.files.put with replace leaves nothing of what was there, which does not count', async stage => {
    await made(stage)
    await put(stage, { 'a.txt': 'one', 'd/b.txt': 'two', e: 'three' })
    same(await put(stage, {}), { added: 0, replaced: 0 })
    same(await texts(stage), { 'a.txt': 'one', 'd/b.txt': 'two', e: 'three' }, 'nothing was given')
    const answer = await put(stage, { d: 'a file', 'e/f': 'in a directory', 'A.txt': 'in another case' }, { replace: true })
    assert.ok(typeof answer === 'object' && answer !== null && 'added' in answer, `a file may be where there was a directory, and the other way round; templates.files.put answered ${show(answer)}`)
    same(await texts(stage), { d: 'a file', 'e/f': 'in a directory', 'A.txt': 'in another case' })
    same(await put(stage, {}, { replace: true }), { added: 0, replaced: 0 })
    same(await texts(stage), {}, 'nothing was given, and replaces all')
  })

  await add('templates.files.put refuses what cannot be beside another that is given, with replace as well, and takes in nothing', async stage => {
    await made(stage)
    await put(stage, { 'a.txt': 'one', 'd/e/f': 'two' })
    for (const replace of both) {
      for (const [why, ...paths] of [['blocked', 'x', 'x/y'], ['blocked', 'x/y', 'x'], ['case', 'x', 'X'], ['case', 'x/y', 'X/z']] as const) {
        const answer = await put(stage, { new: 'x', ...Object.fromEntries(paths.map(path => [path, 'x'])) }, { replace })
        assert.ok(paths.some(refused => isDeepStrictEqual(byValue(answer), { refused, why })), `templates.files.put of ${show(paths)} must answer ${show({ refused: paths[1], why })}, and answered ${show(answer)}`)
      }
    }
    for (const [path, why] of [['d/e', 'blocked'], ['d/e/f/g/h', 'blocked'], ['D/x', 'case'], ['d/E/x', 'case'], ['d/e/F', 'case'], ['A.TXT', 'case']] as const) {
      same(await put(stage, { 'new/one': 'x', [path]: 'x' }), { refused: path, why }, `templates.files.put of ${show(path)}`)
      same(await put(stage, { [path]: 'x' }), { refused: path, why }, `templates.files.put of ${show(path)} by itself`)
    }
    same(await texts(stage), { 'a.txt': 'one', 'd/e/f': 'two' })
  })

  await add('templates.files.put of two files of one path: the later wins, and they count as one', async stage => {
    await made(stage)
    same(await put(stage, [['a', 'one'], ['b', 'two'], ['a', 'later']]), { added: 2, replaced: 0 })
    same(await put(stage, [['a', 'three'], ['c', 'four'], ['a', 'latest']]), { added: 1, replaced: 1 })
    same(await texts(stage), { a: 'latest', b: 'two', c: 'four' })
  })

  for (const replace of both) {
    const how = replace ? ', with replace' : ''
    await add(`templates.files.put shows nothing of what it is being given${how}`, async stage => {
      const files = await made(stage)
      await put(stage, { a: 'one', b: 'two' })
      const seen: unknown[] = []
      const during = async (): Promise<void> => {
        seen.push(await meanwhile(stage, texts(stage)))
        seen.push(await meanwhile(stage, files.read(name, 'c', stage.options)))
      }
      same(await put(stage, pausing({ a: 'other', c: 'three', d: 'four' }, during), { replace }), { added: 2, replaced: 1 })
      // Whoever asks meanwhile may have to wait.
      if (seen[0] !== undefined) same(seen[0], { a: 'one', b: 'two' }, 'nothing is seen of what is still being given')
      if (seen[1] !== undefined) same(seen[1], 'no-file', 'nothing is seen of what is still being given')
      same(await texts(stage), { a: 'other', ...!replace && { b: 'two' }, c: 'three', d: 'four' })
    })

    await add(`templates.files.put leaves the template as it was when a content throws, or the signal aborts${how}`, async stage => {
      const files = await made(stage)
      await put(stage, { a: 'one', 'd/b': 'two' })
      const failing = async function * (): AsyncGenerator<Uint8Array> {
        yield Buffer.from('half')
        throw new Error('cut off')
      }
      const broken = async function * (): AsyncGenerator<NewTemplateFile> {
        yield { path: 'c', content: pieces('whole') }
        yield { path: 'a', content: failing() }
      }
      await assert.rejects(async () => await stage.settled(files.put(name, broken(), { ...stage.options, replace }), 'templates.files.put'), (error: Error) => !(error instanceof assert.AssertionError), 'templates.files.put answered for files that were cut off')
      same(await texts(stage), { a: 'one', 'd/b': 'two' }, 'after a content that throws')
      const leaving = new AbortController()
      const last = async function * (): AsyncGenerator<Uint8Array> {
        yield Buffer.from('half')
        leaving.abort()
        await stage.pause()
        yield Buffer.from('and the other half')
      }
      const gone = async function * (): AsyncGenerator<NewTemplateFile> { yield { path: 'c', content: last() } }
      await stage.settled((async () => await files.put(name, gone(), { signal: leaving.signal, replace }))().catch(() => {}), 'templates.files.put')
      await stage.pause()
      same(await texts(stage), { a: 'one', 'd/b': 'two' }, 'aborted amid the content of the last file')
      for (const isBefore of both) {
        const aborting = new AbortController()
        if (isBefore) aborting.abort()
        const all = pausing({ a: 'half', c: 'x', 'd/b': 'y' }, async () => { aborting.abort() })
        // Whether it answers or rejects: nobody waits.
        await stage.settled((async () => await files.put(name, all, { signal: aborting.signal, replace }))().catch(() => {}), 'templates.files.put')
        await stage.pause()
        same(await texts(stage), { a: 'one', 'd/b': 'two' }, isBefore ? 'aborted before the call' : 'aborted amid the call')
      }
      same(await put(stage, { a: 'again' }), { added: 0, replaced: 1 })
    })
  }

  await add('templates.files.put of many at once loses nothing, and one that is slow nothing that came meanwhile', async stage => {
    const files = await made(stage)
    const answers = many(8, async n => await files.put(name, given({ [`at-once-${n}`]: `${n}` }), { ...stage.options, replace: false }))
    same(await stage.settled(answers, 'templates.files.put, eight at once,'), Array.from({ length: 8 }, () => ({ added: 1, replaced: 0 })))
    await put(stage, { gone: 'x' })
    const later: Array<Promise<unknown>> = []
    const during = async (): Promise<void> => {
      later.push((async () => await files.put(name, given({ meanwhile: 'here' }), { ...stage.options, replace: false }))(), (async () => await files.delete(name, 'gone', stage.options))())
      await meanwhile(stage, Promise.all(later))
    }
    same(await put(stage, pausing({ 'slow-1': 'a', 'slow-2': 'b' }, during)), { added: 2, replaced: 0 })
    same(await stage.settled(Promise.all(later), 'what was asked for meanwhile'), [{ added: 1, replaced: 0 }, true])
    same(await texts(stage), { ...Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`at-once-${n}`, `${n}`])), meanwhile: 'here', 'slow-1': 'a', 'slow-2': 'b' })
    await stage.settled(many(8, async n => await files.put(name, given({ same: `${n}`.repeat(9) }), { ...stage.options, replace: false })), 'templates.files.put, eight at once,')
    assert.match((await texts(stage))['same'] ?? '', /^(\d)\1{8}$/, 'of many of one path one is there whole')
  })

  await add('templates.files.put reads each content once, and to its end before it asks for the next file', async stage => {
    await made(stage)
    const all: string[] = []
    const begun: string[] = []
    const ended: string[] = []
    const files = async function * (): AsyncGenerator<NewTemplateFile> {
      for (const path of ['a', 'b', 'a', 'c']) {
        const content = async function * (): AsyncGenerator<Uint8Array> {
          yield * pieces(`text of ${path}`)
          ended.push(path)
        }
        all.push(path)
        yield { path, content: { [Symbol.asyncIterator]: () => { begun.push(path); return content() } } }
        same([begun, ended], [all, all], 'the content of a file is read to its end before the next file is asked for')
      }
    }
    same(await put(stage, files()), { added: 3, replaced: 0 })
    same([begun, ended], [['a', 'b', 'a', 'c'], ['a', 'b', 'a', 'c']], 'each content is read once')
  })

  await add('templates.files.put is there whole or not at all where its template is renamed or deleted meanwhile', async stage => {
    const files = await made(stage)
    await put(stage, { a: 'one' })
    const during = async (verb: () => Promise<unknown>): Promise<void> => {
      let asked: Promise<unknown> | undefined
      const all = pausing({ b: 'two', c: 'three' }, async () => {
        asked = verb()
        await meanwhile(stage, asked)
      })
      await stage.settled((async () => await files.put(name, all, { ...stage.options, replace: false }))().catch(() => {}), 'templates.files.put')
      same(await stage.settled(asked!, 'the verb on the template'), true)
    }
    const names = async () => (await stage.settled(stage.templates.list(stage.options), 'templates.list')).map(template => template.name)
    await during(async () => await stage.templates.rename(name, other, stage.options))
    assert.ok(!(await names()).includes(name), `${name} has another name now, and is listed again`)
    const left = await texts(stage, other)
    assert.ok([1, 3].includes(Object.keys(left).length) && left['a'] === 'one', `what was put amid a rename is there whole or not at all, and not as ${show(left)}`)
    await made(stage)
    await during(async () => await stage.templates.delete(name, stage.options))
    assert.ok(!(await names()).includes(name), `${name} was deleted, and is listed again`)
    await made(stage)
    same(await texts(stage), {}, 'a template that is made anew has no files')
  })

  await add('templates.files: each template has files of its own', async stage => {
    const files = await made(stage)
    await made(stage, other)
    await put(stage, { a: 'one', b: 'two' })
    await put(stage, { a: 'other' }, { template: other, replace: true })
    same([await texts(stage), await texts(stage, other)], [{ a: 'one', b: 'two' }, { a: 'other' }])
    same(await stage.settled(files.delete(other, 'b', stage.options), 'templates.files.delete'), 'no-file')
    same(await stage.settled(files.delete(other, 'a', stage.options), 'templates.files.delete'), true)
    same([await texts(stage), await texts(stage, other)], [{ a: 'one', b: 'two' }, {}])
  })
}

/** The contract of files over the end of a core. */
export const templateSurvival: RuntimeCases = async add => {
  for (const replace of both) {
    const how = replace ? ', with replace' : ''
    await add(`templates.files.put and delete outlive the core as soon as they have answered${how}`, async stage => {
      await made(stage)
      await put(stage, { a: 'one', 'd/b': 'two', c: 'three' }, { mode: '0755' })
      await again(stage, { a: 'one', 'd/b': 'two', c: 'three' })
      same((await listed(stage)).map(({ mode }) => mode), ['0755', '0755', '0755'])
      await put(stage, { a: 'other', 'd/e': 'four' }, { replace })
      const after = { a: 'other', 'd/e': 'four', ...!replace && { 'd/b': 'two', c: 'three' } }
      await again(stage, after)
      same(await stage.settled(filesOf(stage).delete(name, 'd/e', stage.options), 'templates.files.delete'), true)
      await again(stage, Object.fromEntries(Object.entries(after).filter(([path]) => path !== 'd/e')))
    })

    await add(`templates.files.put leaves the template as it was where the core ends amid the call${how}`, async stage => {
      await made(stage)
      await put(stage, { a: 'one', 'd/b': 'two' })
      const ended = { isOver: false }
      const all = async function * (): AsyncGenerator<NewTemplateFile> {
        yield * given({ a: 'half', c: 'x' })
        await stage.reopen()
        ended.isOver = true
        throw new Error('the core has ended')
      }
      // Of a core that has ended a call may answer, reject or do neither.
      const over = { isOver: false }
      const dying = filesOf(stage)
      ;(async () => await dying.put(name, all(), { ...stage.options, replace }))().catch(() => {}).finally(() => { over.isOver = true })
      await stage.until('the core has ended amid the call', () => ended.isOver)
      for (let looks = 0; looks < PATIENCE && !over.isOver; looks++) await stage.pause()
      same(await texts(stage), { a: 'one', 'd/b': 'two' })
      same(await put(stage, { a: 'again' }), { added: 0, replaced: 1 })
    })
  }
}

async function again (stage: Stage, expected: Readonly<Record<string, string>>): Promise<void> {
  await stage.reopen()
  same(Object.entries(await texts(stage)).sort(), Object.entries(expected).sort(), 'after a new start')
}
