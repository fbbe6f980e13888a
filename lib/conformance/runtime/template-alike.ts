/** The cases of what looks alike and is not the same: templates and files whose names begin as others, files of one size, and no files at all. */
import assert from 'node:assert/strict'
import { same, show } from '../suite.js'
import type { RuntimeCases, Stage } from './stage.js'
import { filesOf, listed, made, name, put, texts } from './template-shelf.js'

/** Each begins as the first does, or ends so. */
const alike = [name, `${name}0`, `${name}-1`, `${name}_`, `x${name}`] as const
const renamed = 'Conformance-9'

const templatesOf = async (stage: Stage): Promise<string[]> =>
  (await stage.settled(stage.templates.list(stage.options), 'templates.list')).map(template => template.name).filter(one => one.includes('onformance')).sort()

/** The contract of `Templates` and `TemplateFiles`, where one is taken for another easily. */
export const templatesAlike: RuntimeCases = async add => {
  for (const verb of ['rename', 'delete'] as const) {
    await add(`templates.${verb} leaves templates whose names begin or end alike, with their files`, async stage => {
      for (const template of alike) {
        await made(stage, template)
        await put(stage, { of: template, [`${name}/f`]: template }, { template })
      }
      if (verb === 'rename') await stage.says(true, 'templates.rename', name, renamed)
      else await stage.says(true, 'templates.delete', name)
      const [, ...others] = alike
      same(await templatesOf(stage), [...others, ...verb === 'rename' ? [renamed] : []].sort())
      for (const template of others) same(await texts(stage, template), { of: template, [`${name}/f`]: template }, `the files of ${template}`)
      if (verb === 'rename') same(await texts(stage, renamed), { of: name, [`${name}/f`]: name }, `the files of ${renamed}`)
    })
  }

  await add('templates.files.put replaces a file of as many bytes, beside others whose names begin alike, as any other', async stage => {
    await made(stage)
    await put(stage, { a: 'one', ab: 'two', 'a.b': 'six', 'd/a': 'ten' })
    same(await put(stage, { a: 'eno', 'd/a': 'net' }), { added: 0, replaced: 2 })
    same(await texts(stage), { a: 'eno', ab: 'two', 'a.b': 'six', 'd/a': 'net' }, 'each path has what was put there last')
    same(await put(stage, { ab: 'owt', 'a.b': 'xis' }, { replace: true }), { added: 0, replaced: 2 })
    same(await texts(stage), { ab: 'owt', 'a.b': 'xis' })
  })

  await add('templates.files.put takes in nothing when whoever sent no file at all may not, and asks that too', async stage => {
    await made(stage)
    await put(stage, { a: 'one' })
    let asked = 0
    const none = async (permit: () => unknown): Promise<unknown> =>
      await filesOf(stage).put(name, (async function * () {})(), { ...stage.options, replace: true, permit })
    const refused = await stage.settled(none(async () => {
      asked++
      throw new Error('no more')
    }).then(answer => show(answer), () => 'rejected'), 'templates.files.put')
    assert.ok(asked > 0, 'permit is asked before files are there, or gone')
    same(refused, 'rejected', 'the failure of permit is that of put')
    same((await listed(stage)).map(({ path }) => path), ['a'])
    const before = asked
    same(await stage.settled(none(() => { asked++ }), 'templates.files.put'), { added: 0, replaced: 0 })
    assert.ok(asked > before, 'permit is asked each time')
    same(await listed(stage), [])
  })
}
