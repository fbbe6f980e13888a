/** The cases of templates where two things meet: two names in two cases, two groups, two files of one path, a template and its successor. */
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { NewTemplateFile } from '../../../types/template-files.js'
import { byValue, same, show } from '../suite.js'
import { Scene } from './scene.js'
import type { RuntimeCases } from './stage.js'
import { bytesIn, bytesOf, given, listed, made, meanwhile, name, other, pieces, put, readAll, texts } from './template-shelf.js'

interface Has {
  readonly groups: boolean
  readonly reopen: boolean
}

/** The contract of `Templates`. */
export const templateNames = (has: Has): RuntimeCases => async add => {
  await add('templates.create answers false for a name that is taken, ignoring case, where two come at once as well', async stage => {
    for (let round = 0; round < 3; round++) {
      const both = [`Twin-${round}`, `tWIN-${round}`]
      const answers = await stage.settled(Promise.all(both.map(async one => await stage.templates.create(one, stage.options))), 'templates.create, twice at once,')
      same(answers.filter(Boolean).length, 1, `of templates.create of ${show(both)} at once exactly one answers true`)
      const there = (await stage.settled(stage.templates.list(stage.options))).filter(template => template.name.toLowerCase() === both[0]!.toLowerCase())
      same(there.length, 1, `templates.list must have one of ${show(both)}`)
    }
  })

  if (has.reopen) {
    await add('templates.create answers false for a name that is taken, ignoring case, after a new start of the core as well', async stage => {
      await made(stage)
      await stage.reopen()
      for (const taken of [name, name.toUpperCase(), name.toLowerCase()]) await stage.says(false, 'templates.create', taken)
      await stage.says(true, 'templates.create', other)
      await stage.says('taken', 'templates.rename', other, name.toUpperCase())
    })
  }

  if (has.groups) {
    await add('templates.delete answers in-use while any group uses it, the first or another', async stage => {
      const scene = await Scene.of(stage)
      for (const template of [name, other]) await scene.ask('templates.create', template)
      const group = stage.group()
      const groups = [{ ...group, name: `${group.name}-1`, templates: [name] }, { ...group, name: `${group.name}-2`, templates: [other] }, { ...group, name: `${group.name}-3`, templates: [] }]
      for (const one of groups) await scene.ask('groups.create', one)
      for (const template of [name, other]) same(await scene.ask('templates.delete', template), 'in-use', `templates.delete(${show(template)}), which a group uses`)
      for (const one of groups) await scene.ask('groups.delete', one.name)
      scene.end()
    })
  }
}

const two = async function * (modes: ReadonlyArray<string | undefined>): AsyncGenerator<NewTemplateFile> {
  for (const [n, mode] of modes.entries()) yield { path: 'a', content: pieces(`text ${n}`), ...mode !== undefined && { mode } }
}

const LARGE = 1_500_000

/** The contract of `TemplateFiles`. */
export const templateEdges: RuntimeCases = async add => {
  await add('templates.rename gives the same name, and keeps the files', async stage => {
    await made(stage)
    await put(stage, { a: 'one', 'd/b': 'two' })
    await stage.says(true, 'templates.rename', name, name)
    same(await texts(stage), { a: 'one', 'd/b': 'two' })
    await stage.says(true, 'templates.rename', name, name.toUpperCase())
    same(await texts(stage, name.toUpperCase()), { a: 'one', 'd/b': 'two' })
  })

  await add('templates.files.put of two files of one path takes the later one, with the rights of that', async stage => {
    await made(stage)
    same(await put(stage, two(['0755', '0600'])), { added: 1, replaced: 0 })
    same((await listed(stage)).map(({ path, mode }) => [path, mode]), [['a', '0600']], 'the rights of the later one')
    same(await texts(stage), { a: 'text 1' })
  })

  await add('templates.files.put gives files the rights that are told, more of them and less', async stage => {
    await made(stage)
    const modes = ['0666', '0777', '0711', '0604', '0750']
    const files = async function * (): AsyncGenerator<NewTemplateFile> {
      for (const mode of modes) yield { path: `of ${mode}`, content: pieces(mode), mode }
    }
    await put(stage, files())
    same(Object.fromEntries((await listed(stage)).map(({ path, mode }) => [path, mode])), Object.fromEntries(modes.map(mode => [`of ${mode}`, mode])))
  })

  await add('templates.files.put takes in nothing when whoever sent it may not have it taken in any more, who is asked when all files were given', async stage => {
    const files = await made(stage)
    for (const replace of [false, true]) {
      let isGiven = false
      const all = async function * (): AsyncGenerator<NewTemplateFile> {
        yield * given({ a: 'one' })
        await stage.pause()
        yield * given({ b: 'two' })
        isGiven = true
      }
      const asked: boolean[] = []
      await stage.settled(files.put(name, all(), { ...stage.options, replace, permit: () => { asked.push(isGiven) } }), 'templates.files.put')
      assert.ok(asked.length > 0 && asked.at(-1) === true, `permit is asked right before the files are there, which is after the last of them was given; it was asked ${show(asked.map(after => after ? 'after that' : 'before that'))}`)
    }
  })

  for (const [why, mine, theirs] of [['blocked', 'a/b', 'a'], ['blocked', 'a', 'a/b'], ['case', 'A', 'a']] as const) {
    await add(`templates.files.put refuses ${mine}, by its name, where ${theirs} has come while permit was waited for`, async stage => {
      const files = await made(stage)
      let theirAnswer: Promise<unknown> | undefined
      const permit = async (): Promise<void> => {
        theirAnswer ??= (async () => await files.put(name, given({ [theirs]: 'theirs' }), { ...stage.options, replace: false }))()
        // It may have to wait for this one.
        await meanwhile(stage, theirAnswer)
      }
      const answers = [await stage.settled(files.put(name, given({ [mine]: 'mine' }), { ...stage.options, replace: false, permit }), 'templates.files.put')]
      assert.ok(theirAnswer !== undefined, 'permit is asked right before the files are there')
      answers.push(await stage.settled(theirAnswer, 'templates.files.put') as typeof answers[number])
      const there = Object.keys(await texts(stage))
      assert.ok(there.length === 1, `${mine} and ${theirs} cannot be there both: one of two calls is refused; templates.files.list has ${show(there)}, and they answered ${show(answers)}`)
      const refused = there[0] === mine ? theirs : mine
      same(answers.filter(answer => isDeepStrictEqual(byValue(answer), { refused, why })).length, 1, `the call that came too late is answered ${show({ refused, why })}, and they answered ${show(answers)}`)
    })
  }

  await add('templates.files.readAll gives all that is there, of one version, where its template is deleted and made anew meanwhile', async stage => {
    await made(stage)
    const before = { a: 'one', b: 'two', c: 'three' }
    await put(stage, before)
    const reading = (await readAll(stage))[Symbol.asyncIterator]()
    const first = await reading.next()
    assert.ok(first.done !== true, 'templates.files.readAll gave no file of three')
    const found: Record<string, string> = { [first.value.path]: (await bytesOf(first.value)).toString() }
    const during = { isAnew: false }
    const anew = (async () => {
      await stage.templates.delete(name, stage.options)
      await stage.templates.create(name, stage.options)
      during.isAnew = true
    })()
    anew.catch(() => {})
    // It may have to wait for who reads.
    for (let looks = 0; looks < 5 && !during.isAnew; looks++) await stage.pause()
    for (let next = await reading.next(); next.done !== true; next = await reading.next()) found[next.value.path] = (await bytesOf(next.value)).toString()
    same(found, before, 'what is read is what was there when it was begun')
    await stage.until(`${name} is made anew`, () => during.isAnew)
    same(await texts(stage), {})
  })

  await add('templates.files.readAll gives of every file what list and read tell, empty ones and large ones among them', async stage => {
    await made(stage)
    const large = Buffer.alloc(LARGE, 'a large file ')
    const files = async function * (): AsyncGenerator<NewTemplateFile> {
      yield { path: 'empty', content: pieces(''), mode: '0600' }
      yield { path: 'large', content: (async function * () { yield large })(), mode: '0755' }
      yield { path: 'd/text', content: pieces('text') }
    }
    await put(stage, files())
    const expected = Object.fromEntries((await listed(stage)).map(({ path, size, mode, modifiedAt }) => [path, { size, mode, modifiedAt }]))
    const found: Record<string, unknown> = {}
    const bytes: Record<string, Buffer> = {}
    for await (const file of await readAll(stage)) {
      const { path, size, mode, modifiedAt } = file
      found[path] = { size, mode, modifiedAt }
      bytes[path] = await bytesOf(file)
    }
    same(found, expected, 'templates.files.readAll must tell of every file what templates.files.list tells')
    same(Object.keys(found).sort(), ['d/text', 'empty', 'large'])
    assert.ok(bytes['large']?.equals(large) && (await bytesIn(stage))['large']?.equals(large), `a file of ${LARGE} bytes must be read as it was given`)
  })
}
