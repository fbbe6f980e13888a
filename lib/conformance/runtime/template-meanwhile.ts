/** The cases of files that change while others are taken in or read, and of all of them being replaced. */
import assert from 'node:assert/strict'
import type { NewTemplateFile } from '../../../types/template-files.js'
import { same, show } from '../suite.js'
import type { RuntimeCases } from './stage.js'
import { bytesOf, filesOf, given, listed, made, meanwhile, name, put, texts } from './template-shelf.js'

/** The contract of `TemplateFiles`, amid other changes. */
export const templateMeanwhile: RuntimeCases = async add => {
  await add('templates.files.put with replace leaves none of the files that were there, however deep', async stage => {
    await made(stage)
    await put(stage, Object.fromEntries(Array.from({ length: 8 }, (_, depth) => [[...Array.from({ length: depth }, (_, n) => `d${n}`), 'f'].join('/'), `${depth}`])))
    same(await put(stage, { 'd0/d1/new': 'x' }, { replace: true }), { added: 1, replaced: 0 })
    same(await texts(stage), { 'd0/d1/new': 'x' })
  })

  await add('templates.files.put gives a file the rights of the one that it replaces, as they are by then', async stage => {
    const files = await made(stage)
    await put(stage, { a: 'one' })
    const slow = async function * (): AsyncGenerator<NewTemplateFile> {
      yield * given({ a: 'three' })
      const asked = (async () => await files.put(name, (async function * () {
        for await (const file of given({ a: 'two' })) yield { ...file, mode: '0755' }
      })(), { ...stage.options, replace: false }))()
      asked.catch(() => {})
      // It may have to wait for what is under way.
      wasFirst = await meanwhile(stage, asked) !== undefined
    }
    let wasFirst = false
    await stage.settled(files.put(name, slow(), { ...stage.options, replace: false }), 'templates.files.put')
    if (wasFirst) same((await listed(stage)).map(({ path, mode }) => [path, mode]), [['a', '0755']], 'a file without rights of its own has those of the file that it replaces')
  })

  await add('templates.files.readAll gives what is deleted or put meanwhile whole or not at all', async stage => {
    const files = await made(stage)
    await put(stage, { a: 'a one', b: 'b one', c: 'c one' })
    const all = await stage.settled(files.readAll(name, stage.options), 'templates.files.readAll')
    assert.ok(all !== false, `${name} is there`)
    const found: Record<string, string> = {}
    for await (const file of all) {
      found[file.path] = (await bytesOf(file)).toString()
      if (Object.keys(found).length > 1) continue
      await meanwhile(stage, Promise.all([files.delete(name, 'b', stage.options), put(stage, { c: 'c two' })]))
    }
    for (const [path, text] of Object.entries(found)) assert.ok(text === `${path} one` || text === 'c two', `${path} was given as ${show(text)}, which it was at no time`)
    assert.ok('a' in found && 'c' in found, `what is there all the time is given; that was ${show(found)}`)
  })

  await add('templates.files.put of a template that is deleted and made anew meanwhile puts nothing into the new one', async stage => {
    await made(stage)
    const during = { isOver: false }
    let wasFirst = false
    const files = async function * (): AsyncGenerator<NewTemplateFile> {
      yield * given({ b: 'two' })
      const asked = (async () => {
        await stage.templates.delete(name, stage.options)
        await stage.templates.create(name, stage.options)
      })().then(() => { during.isOver = true })
      asked.catch(() => {})
      // It may have to wait for what is under way.
      for (let looks = 0; looks < 5 && !during.isOver; looks++) await stage.pause()
      wasFirst = during.isOver
      yield * given({ c: 'three' })
    }
    const answer: unknown = await stage.settled((async () => await filesOf(stage).put(name, files(), { ...stage.options, replace: false }))().catch(() => 'rejected'), 'templates.files.put')
    await stage.until('templates.create answers', () => during.isOver)
    if (wasFirst) assert.ok(answer === false, `${name} was deleted while templates.files.put was under way: it must answer false, and answered ${show(answer)}`)
    same(await texts(stage), {}, 'a template that was made anew while files were sent to the former one has no files')
  })
}
