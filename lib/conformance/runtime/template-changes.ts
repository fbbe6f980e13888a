/** The cases of a change of files as others see it: at every moment, after the end of the core, by its time and by the revision. */
import assert from 'node:assert/strict'
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { TemplateFile } from '../../../types/resources.js'
import type { NewTemplateFile } from '../../../types/template-files.js'
import { byValue, same, show } from '../suite.js'
import type { RuntimeCases, Stage } from './stage.js'
import { filesOf, given, listed, made, name, other, packed, put, readAll, texts } from './template-shelf.js'

type Texts = Readonly<Record<string, string>>

const first: Texts = { a: 'one', 'd/b': 'two', c: 'three' }

/** What changes the files of a template, or the template with them. */
interface Change {
  readonly verb: string
  /** What is there afterwards, by template. */
  readonly after: Readonly<Record<string, Texts>>
  run (stage: Stage, files: AsyncIterable<NewTemplateFile>): unknown
}

const more: Texts = { a: 'another', e: 'new', 'd/f': '' }

const changes: readonly Change[] = [
  { verb: 'templates.files.put', after: { [name]: { ...first, ...more } }, run: (stage, files) => filesOf(stage).put(name, files, { ...stage.options, replace: false }) },
  { verb: 'templates.files.put with replace', after: { [name]: more }, run: (stage, files) => filesOf(stage).put(name, files, { ...stage.options, replace: true }) },
  { verb: 'templates.files.delete', after: { [name]: { a: 'one', c: 'three' } }, run: stage => filesOf(stage).delete(name, 'd/b', stage.options) },
  { verb: 'templates.rename', after: { [other]: first }, run: stage => stage.templates.rename(name, other, stage.options) },
  { verb: 'templates.delete', after: {}, run: stage => stage.templates.delete(name, stage.options) }
]

/** Begins a change, and says when all of it was handed over and when it has answered. */
function begin (stage: Stage, { run }: Change) {
  const state = { isGiven: false, isOver: false }
  const files = async function * (): AsyncGenerator<NewTemplateFile> {
    yield * given(more)
    state.isGiven = true
  }
  const answer = (async () => await run(stage, files()))().finally(() => { state.isOver = true })
  // Whoever needs the answer awaits it; of a core that has ended it may be anything.
  answer.catch(() => {})
  return { state, answer }
}

const templatesOf = async (stage: Stage): Promise<readonly string[]> =>
  (await stage.settled(stage.templates.list(stage.options), 'templates.list')).map(template => template.name).filter(one => one === name || one === other)

/** What is there, by template. */
async function allTexts (stage: Stage): Promise<Readonly<Record<string, Texts>>> {
  const found: Record<string, Texts> = {}
  for (const template of await templatesOf(stage)) found[template] = await texts(stage, template)
  return found
}

const isOneOf = (now: unknown, ...all: readonly unknown[]): boolean => all.some(one => isDeepStrictEqual(byValue(now), one))

/** When the core ends: after so many turns, or as soon as something else is listed. */
const moments = [0, 1, 3, 'as soon as a change is seen'] as const

const MOMENT_MS = 20

/** So long even a clock of whole seconds does not stand still. */
const SECOND_MS = 1_100

/** Lets time pass by the clock of a file system and, where the runtime has one of its own, by that. */
async function passes (stage: Stage, ms: number): Promise<void> {
  const began = stage.now ?? 0
  await delay(ms)
  for (let pauses = 0; pauses < MOST_PAUSES; pauses++) {
    await stage.pause()
    if (stage.now !== undefined && stage.now - began >= ms) return
  }
}

/** More pauses than a second is made of, where the clock cannot be read. */
const MOST_PAUSES = 30

/** More looks than any change of a few files takes. */
const MOST_LOOKS = 2_000

/** The contract of changes of files. */
export const templateChanges: RuntimeCases = async add => {
  for (const change of changes.slice(0, 3)) {
    await add(`${change.verb} is seen whole or not at all by whoever looks at any moment`, async stage => {
      await made(stage)
      await put(stage, first)
      const { state, answer } = begin(stage, change)
      for (let looks = 0; looks < MOST_LOOKS && !state.isOver; looks++) {
        const now = await packed(await readAll(stage))
        const paths = (await listed(stage)).map(({ path }) => path).sort()
        assert.ok(isOneOf(paths, ...[first, change.after[name]!].map(texts => Object.keys(texts).sort())), `whoever lists the files while ${change.verb} is under way must see all or nothing of it, and saw ${show(paths)}`)
        assert.ok(isOneOf(now, first, change.after[name]), `whoever looks while ${change.verb} is under way must see ${show(first)} or ${show(change.after[name])}, and saw ${show(now)}`)
        await turn()
      }
      await stage.settled(answer, change.verb)
      same(await texts(stage), change.after[name], `once ${change.verb} has answered`)
    })
  }

  await add('templates.files.put counts an empty file as any other, new and in the place of another', async stage => {
    await made(stage)
    same(await put(stage, { a: '', b: 'x', 'c/d': '' }), { added: 3, replaced: 0 })
    same(await put(stage, { a: '', b: '', e: '' }), { added: 1, replaced: 2 })
    same(await put(stage, { a: 'x', f: '' }, { replace: true }), { added: 1, replaced: 1 })
    same(await texts(stage), { a: 'x', f: '' })
  })

  for (const [how, verb] of [['deleted', 'delete'], ['renamed', 'rename']] as const) {
    await add(`templates.files.put of a template that is ${how} meanwhile tells what became of its files`, async stage => {
      await made(stage)
      await put(stage, { a: 'one' })
      const during = { isOver: false }
      const files = async function * (): AsyncGenerator<NewTemplateFile> {
        yield * given({ b: 'two' })
        const asked = (async () => await (verb === 'delete' ? stage.templates.delete(name, stage.options) : stage.templates.rename(name, other, stage.options)))().then(() => { during.isOver = true })
        asked.catch(() => {})
        // It may have to wait for what is under way.
        for (let looks = 0; looks < 5 && !during.isOver; looks++) await stage.pause()
        wasFirst = during.isOver
        yield * given({ c: 'three' })
      }
      let wasFirst = false
      const answer: unknown = await stage.settled((async () => await filesOf(stage).put(name, files(), { ...stage.options, replace: false }))().catch(() => 'rejected'), 'templates.files.put')
      await stage.until(`templates.${verb} answers`, () => during.isOver)
      const isIn = typeof answer === 'object' && answer !== null && 'added' in answer
      if (verb === 'delete') assert.ok(!wasFirst || answer === false, `${name} was deleted while templates.files.put was under way: it must answer false, and answered ${show(answer)}`)
      else same((await texts(stage, other))['c'], isIn ? 'three' : undefined, `templates.files.put answered ${show(answer)}, and its template has another name now`)
    })
  }

  await add('templates.files: modifiedAt moves where a file is replaced, and only there', async stage => {
    await made(stage)
    await put(stage, first)
    const times = async (template = name) => new Map((await listed(stage, template)).map(({ path, modifiedAt }) => [path, modifiedAt]))
    for (const [ms, replaced] of [[MOMENT_MS, { a: 'other', e: 'x' }], [SECOND_MS, { a: 'two', c: 'another' }]] as const) {
      const before = await times()
      await passes(stage, ms)
      await put(stage, replaced)
      const after = await times()
      for (const [path, was] of before) {
        const now = after.get(path)!
        // A clock of whole seconds stands still for so long.
        if (path in replaced && (ms === SECOND_MS || was % 1_000 !== 0 || now % 1_000 !== 0)) assert.ok(now > was, `${show(path)} was changed: its modifiedAt must move, and was ${was} and is ${now}`)
        if (!(path in replaced)) same(now, was, `the modifiedAt of ${show(path)}, which was not changed`)
      }
    }
    const kept = await times()
    await passes(stage, MOMENT_MS)
    same(await stage.settled(filesOf(stage).delete(name, 'e', stage.options), 'templates.files.delete'), true)
    kept.delete('e')
    same(await times(), kept, 'the modifiedAt of files beside one that was deleted')
    const before = await times()
    await stage.says(true, 'templates.rename', name, other)
    same(await times(other), before, 'the modifiedAt of files whose template got another name')
  })

  await add('templates.files: list, read, put and delete look a path up exactly, whichever way its letters are written', async stage => {
    const files = await made(stage)
    const [composed, decomposed] = ['d/\u00e9.txt', 'f/e\u0301.txt']
    await put(stage, { [composed]: 'one', [decomposed]: 'two' })
    for (const path of [composed.normalize('NFD'), decomposed.normalize('NFC'), 'd/\u00c9.txt', 'd/e.txt', 'd/\ufb01.txt']) {
      same(await stage.settled(files.read(name, path, stage.options), 'templates.files.read'), 'no-file', `templates.files.read of ${show(path)}, where there are ${show([composed, decomposed])}`)
      same(await stage.settled(files.delete(name, path, stage.options), 'templates.files.delete'), 'no-file', `templates.files.delete of ${show(path)}, where there are ${show([composed, decomposed])}`)
    }
    same(await texts(stage), { [composed]: 'one', [decomposed]: 'two' })
  })

  await add('templates.revision moves whenever the list would answer differently after a change of files', async stage => {
    await made(stage)
    const look = async () => {
      const { revision } = stage.templates
      return { revision, items: byValue(await stage.settled(stage.templates.list(stage.options), 'templates.list')) }
    }
    const step = async (what: string, run: () => Promise<unknown>): Promise<void> => {
      const before = await look()
      await run()
      const after = await look()
      if (before.revision !== undefined && !isDeepStrictEqual(before.items, after.items)) assert.ok(before.revision !== after.revision, `templates.list changed with ${what}, and templates.revision stayed ${before.revision}`)
    }
    await step('templates.files.put', async () => await put(stage, { a: 'x'.repeat(3_000), b: 'y'.repeat(2_000) }))
    await step('templates.files.put in the place of a file', async () => await put(stage, { a: 'x' }))
    await step('templates.files.delete', async () => await stage.settled(filesOf(stage).delete(name, 'b', stage.options), 'templates.files.delete'))
    await step('templates.files.put with replace', async () => await put(stage, { c: 'z'.repeat(5_000) }, { replace: true }))
    await step('templates.files.put of nothing, with replace', async () => await put(stage, {}, { replace: true }))
  })
}

/** The contract of changes of files over the end of a core. */
export const changesSurvive: RuntimeCases = async add => {
  for (const change of changes) {
    for (const moment of moments) {
      await add(`${change.verb} that was not answered yet is there whole or not at all after a new start, files included, ${typeof moment === 'number' ? `${moment} turns later` : moment}`, async stage => {
        await made(stage)
        await put(stage, first)
        const before = { [name]: first }
        const { state } = begin(stage, change)
        if (change.verb.includes('put')) await stage.until('all files were taken', () => state.isGiven || state.isOver)
        if (typeof moment === 'number') for (let n = 0; n < moment; n++) await turn()
        else for (let looks = 0; looks < MOST_LOOKS && !state.isOver && await isAs(stage); looks++) await turn()
        await stage.reopen()
        const now = await allTexts(stage)
        assert.ok(isOneOf(now, before, change.after), `${change.verb} was not answered yet: after a new start must be ${show(before)} or ${show(change.after)}, and is ${show(now)}`)
      })
    }
  }

  await add('templates.files: list tells the same of every file after a new start', async stage => {
    await made(stage)
    await put(stage, first, { mode: '0755' })
    await put(stage, { c: 'other' })
    for (let pauses = 0; pauses < 3; pauses++) await stage.pause()
    const before = inOrder(await listed(stage))
    await stage.reopen()
    same(inOrder(await listed(stage)), before, 'path, size, mode and modifiedAt of each file after a new start')
  })
}

const inOrder = (files: readonly TemplateFile[]) =>
  files.map(({ path, size, mode, modifiedAt }) => ({ path, size, mode, modifiedAt })).sort((one, other) => one.path < other.path ? -1 : 1)

/** Whether nothing of a change can be seen yet. */
async function isAs (stage: Stage): Promise<boolean> {
  const files = await stage.settled(filesOf(stage).readAll(name, stage.options), 'templates.files.readAll')
  return files !== false && isDeepStrictEqual(byValue(await packed(files)), first)
}
