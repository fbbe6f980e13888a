/** The cases of `templates.files`. */
import assert from 'node:assert/strict'
import type { NewTemplateFile } from '../../../types/template-files.js'
import { same, show } from '../suite.js'
import type { RuntimeCases } from './stage.js'
import { bytesOf, given, isOfNow, listed, made, meanwhile, name, other, packed, put, readAll, texts } from './template-shelf.js'

/** The contract of `TemplateFiles`. */
export const templateFiles: RuntimeCases = async add => {
  await add('templates.files.put adds files, which list and read show as they are', async stage => {
    await made(stage)
    same(await texts(stage), {}, 'a new template is empty')
    same(await put(stage, { 'a.txt': 'one', 'd/e/b.txt': 'two' }), { added: 2, replaced: 0 })
    same(await texts(stage), { 'a.txt': 'one', 'd/e/b.txt': 'two' })
    for (const file of await listed(stage)) {
      same([file.size, file.mode], [3, '0644'])
      isOfNow(stage, file)
    }
  })

  await add('templates.files.put replaces files, keeps their rights where none are given, and leaves others', async stage => {
    await made(stage)
    await put(stage, { 'a.txt': 'one', 'b.txt': 'two' }, { mode: '0755' })
    same(await put(stage, { 'a.txt': 'three' }), { added: 0, replaced: 1 })
    same(await texts(stage), { 'a.txt': 'three', 'b.txt': 'two' })
    same((await listed(stage)).map(({ mode }) => mode), ['0755', '0755'])
  })

  await add('templates.files.put with replace leaves exactly what it is given', async stage => {
    await made(stage)
    await put(stage, { 'a.txt': 'one', 'd/b.txt': 'two' })
    same(await put(stage, { 'a.txt': 'three', 'c.txt': 'four' }, { replace: true }), { added: 1, replaced: 1 })
    same(await texts(stage), { 'a.txt': 'three', 'c.txt': 'four' })
  })

  await add('templates.files.put leaves the template as it was when what it is given throws', async stage => {
    const files = await made(stage)
    await put(stage, { 'a.txt': 'one' })
    for (const replace of [false, true]) {
      const broken = async function * (): AsyncGenerator<NewTemplateFile> {
        yield * given({ 'a.txt': 'half', 'b.txt': 'whole' })
        throw new Error('cut off')
      }
      await assert.rejects(async () => await files.put(name, broken(), { ...stage.options, replace }), 'templates.files.put answered for files that were cut off')
    }
    same(await texts(stage), { 'a.txt': 'one' })
  })

  await add('templates.files.put takes in nothing when whoever sent it may not have it taken in any more', async stage => {
    const files = await made(stage)
    await put(stage, { 'a.txt': 'one' })
    for (const replace of [false, true]) {
      for (const sent of [{ 'a.txt': 'two' }, { 'a.txt': 'two', 'd/b.txt': 'three' }]) {
        const reason = new Error('no more')
        const permit = (): never => { throw reason }
        await assert.rejects(async () => await files.put(name, given(sent), { ...stage.options, replace, permit }), (error: unknown) => error === reason || (error as Error).cause === reason, 'templates.files.put must reject with the failure of permit')
      }
    }
    same(await texts(stage), { 'a.txt': 'one' })
  })

  await add('templates.files.put waits for a permit that is promised: nothing is there before it, and nothing when it rejects', async stage => {
    const files = await made(stage)
    await put(stage, { 'a.txt': 'one' })
    for (const replace of [false, true]) {
      for (const sent of [{ 'a.txt': 'two' }, { 'a.txt': 'two', 'd/b.txt': 'three' }]) {
        let seen: unknown
        const permit = async (): Promise<never> => {
          await stage.pause()
          seen = await meanwhile(stage, texts(stage))
          throw new Error('no more')
        }
        await assert.rejects(async () => await stage.settled(files.put(name, given(sent), { ...stage.options, replace, permit }), 'templates.files.put'), (error: Error) => !(error instanceof assert.AssertionError), 'templates.files.put answered without the permission, which came later')
        // Whoever asks meanwhile may have to wait.
        if (seen !== undefined) same(seen, { 'a.txt': 'one' }, 'nothing is there before it is permitted')
        await stage.pause()
        same(await texts(stage), { 'a.txt': 'one' }, 'nothing was permitted')
      }
    }
    const permit = async (): Promise<void> => { await stage.pause() }
    same(await stage.settled(files.put(name, given({ b: 'x' }), { ...stage.options, replace: false, permit }), 'templates.files.put'), { added: 1, replaced: 0 })
    same(await texts(stage), { 'a.txt': 'one', b: 'x' })
  })

  await add('templates.files.readAll gives all that is there, of one version, whatever takes its place meanwhile', async stage => {
    await made(stage)
    const before = { 'a.txt': 'one', 'd/b.txt': 'two', 'd/c.txt': 'three' }
    await put(stage, before)
    same(await packed(await readAll(stage)), before)
    const reading = (await readAll(stage))[Symbol.asyncIterator]()
    const first = await reading.next()
    assert.ok(first.done !== true, 'templates.files.readAll gave no file of three')
    const begun = { [first.value.path]: (await bytesOf(first.value)).toString() }
    const after = { 'a.txt': 'another', 'd/b.txt': 'another', 'd/c.txt': 'another', 'e.txt': 'x' }
    await put(stage, after, { replace: true })
    same({ ...begun, ...await packed({ [Symbol.asyncIterator]: () => reading }) }, before, 'what is read is what was there when it was begun')
    same(await packed(await readAll(stage)), after)
  })

  await add('templates.files.put refuses a path that leads through a file, or is a directory, by its name, and takes in nothing', async stage => {
    await made(stage)
    await put(stage, { 'a.txt': 'one', 'd/b.txt': 'two' })
    for (const path of ['a.txt/c', 'd']) same(await put(stage, { new: 'x', [path]: 'x' }), { refused: path, why: 'blocked' })
    same(await texts(stage), { 'a.txt': 'one', 'd/b.txt': 'two' })
  })

  await add('templates.files.put refuses a name that differs in case only', async stage => {
    await made(stage)
    const before = { 'a.txt': 'one', 'd/\u00e9.txt': 'one', '\u0434/b': 'one' }
    await put(stage, before)
    for (const path of ['A.txt', 'd/\u00c9.txt', '\u0414/c']) same(await put(stage, { [path]: 'two' }), { refused: path, why: 'case' })
    same(await texts(stage), before)
  })

  await add('templates.files.delete removes a file, and answers no-file for one that is not there', async stage => {
    const files = await made(stage)
    await put(stage, { 'd/a.txt': 'one', 'b.txt': 'two', empty: '', 'd/empty': '' })
    same(await stage.settled(files.delete(name, 'd/a.txt', stage.options), 'templates.files.delete'), true)
    same(await texts(stage), { 'b.txt': 'two', empty: '', 'd/empty': '' })
    for (const path of ['d/a.txt', 'd', 'nothing']) {
      same(await stage.settled(files.delete(name, path, stage.options), 'templates.files.delete'), 'no-file')
      same(await stage.settled(files.read(name, path, stage.options), 'templates.files.read'), 'no-file')
    }
    same(await texts(stage), { 'b.txt': 'two', empty: '', 'd/empty': '' })
  })

  await add('templates.files.delete removes the directories that are empty then, and no others', async stage => {
    const files = await made(stage)
    await put(stage, { 'd/e/a': 'one', 'd/b': 'two', 'd/e-2/c': 'three' })
    same(await stage.settled(files.delete(name, 'd/e/a', stage.options), 'templates.files.delete'), true)
    same(await put(stage, { 'd/e': 'a file now' }), { added: 1, replaced: 0 }, 'the directory d/e is gone with its last file')
    same(await put(stage, { d: 'x' }), { refused: 'd', why: 'blocked' }, 'there are files in d')
    same(await texts(stage), { 'd/b': 'two', 'd/e': 'a file now', 'd/e-2/c': 'three' })
    for (const path of ['d/b', 'd/e', 'd/e-2/c']) same(await stage.settled(files.delete(name, path, stage.options), 'templates.files.delete'), true)
    same(await put(stage, { d: 'x' }), { added: 1, replaced: 0 }, 'the directory d is gone with its last file')
  })

  await add('templates.files: list, read, put and delete look a name up exactly, of a template and of a file', async stage => {
    const files = await made(stage)
    await made(stage, `${other}-longer`)
    await put(stage, { 'a.txt': 'one', 'd/b.txt': 'two' })
    for (const path of ['A.TXT', 'a.tx', 'a.txt ', ' a.txt', 'a', 'a.txt.bak', 'b.txt', 'D/b.txt', 'd', 'd/b', 'd/B.txt', 'e/b.txt', 'a.txt/b', '*', '%', '__proto__', 'constructor', 'd/__proto__', 'toString']) {
      same(await stage.settled(files.read(name, path, stage.options), 'templates.files.read'), 'no-file', `templates.files.read of ${show(path)}`)
      same(await stage.settled(files.delete(name, path, stage.options), 'templates.files.delete'), 'no-file', `templates.files.delete of ${show(path)}`)
    }
    for (const missing of [other, name.toLowerCase(), name.slice(0, -1), `${name}1`, '__proto__', 'constructor', 'toString']) {
      const answers = [
        await stage.settled(files.list(missing, stage.options), 'templates.files.list'), await stage.settled(files.readAll(missing, stage.options), 'templates.files.readAll'), await stage.settled(files.read(missing, 'a.txt', stage.options), 'templates.files.read'),
        await put(stage, { 'a.txt': 'x' }, { template: missing }), await put(stage, {}, { template: missing, replace: true }),
        await stage.settled(files.delete(missing, 'a.txt', stage.options), 'templates.files.delete')
      ]
      same(answers, answers.map(() => false), `list, read, put and delete of ${show(missing)}, which is no template`)
    }
    same(await texts(stage), { 'a.txt': 'one', 'd/b.txt': 'two' })
  })

  await add('templates.files: list, read, put and delete answer false for a template that is not there', async stage => {
    const files = await made(stage)
    for (const missing of [other, name.toUpperCase()]) {
      same(await stage.settled(files.list(missing, stage.options), 'templates.files.list'), false)
      same(await stage.settled(files.read(missing, 'a', stage.options), 'templates.files.read'), false)
      same(await stage.settled(files.put(missing, given({ a: 'x' }), { ...stage.options, replace: false }), 'templates.files.put'), false)
      same(await stage.settled(files.delete(missing, 'a', stage.options), 'templates.files.delete'), false)
    }
  })

  await add('templates.rename keeps the files, and templates.delete takes them away', async stage => {
    await made(stage)
    await put(stage, { 'a.txt': 'one' })
    await stage.says(true, 'templates.rename', name, other)
    same(await texts(stage, other), { 'a.txt': 'one' })
    await stage.says(true, 'templates.delete', other)
    await stage.says(true, 'templates.create', other)
    same(await texts(stage, other), {})
  })
}
