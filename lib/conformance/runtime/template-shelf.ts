/** What the cases of the files of templates put in, and how they look at what is there. */
import assert from 'node:assert/strict'
import type { TemplateFile } from '../../../types/resources.js'
import type { MaybePromise } from '../../../types/runtime.js'
import type { NewTemplateFile, PackedFile, TemplateContent, TemplateFiles } from '../../../types/template-files.js'
import { same, show } from '../suite.js'
import * as shapes from './shapes.js'
import type { Stage } from './stage.js'

export const name = 'Conformance-1'
export const other = 'Conformance-2'

/** The clock of a file system is another than that of the runtime. */
const SLACK_MS = 60_000

/** So many pauses are made for an answer that may have to wait for what is under way. */
const PATIENCE = 5

export async function * pieces (text: string): AsyncGenerator<Uint8Array> {
  for (const letter of text) yield Buffer.from(letter)
}

export async function * given (texts: Readonly<Record<string, string>> | ReadonlyArray<readonly [path: string, text: string]>, mode?: string): AsyncGenerator<NewTemplateFile> {
  for (const [path, text] of Array.isArray(texts) ? texts as ReadonlyArray<readonly [string, string]> : Object.entries(texts)) {
    yield { path, content: pieces(text), ...(mode === undefined ? {} : { mode }) }
  }
}

/** A template without files. */
export async function made (stage: Stage, template = name): Promise<TemplateFiles> {
  await stage.says(true, 'templates.create', template)
  return filesOf(stage)
}

export const filesOf = (stage: Stage): TemplateFiles => stage.templates.files as TemplateFiles

interface Way {
  readonly replace?: boolean
  readonly mode?: string
  readonly template?: string
}

export const put = async (stage: Stage, files: AsyncIterable<NewTemplateFile> | Parameters<typeof given>[0], { replace = false, mode, template = name }: Way = {}): Promise<unknown> =>
  await stage.settled(filesOf(stage).put(template, Symbol.asyncIterator in files ? files : given(files, mode), { ...stage.options, replace }), 'templates.files.put')

/** All that is listed, each looked at. */
export async function listed (stage: Stage, template = name): Promise<readonly TemplateFile[]> {
  const answer = await stage.settled(filesOf(stage).list(template, stage.options), 'templates.files.list')
  assert.ok(answer !== false, 'templates.files.list answered false for a template that is there')
  const files = Array.isArray(answer) ? answer as readonly TemplateFile[] : await all(answer)
  shapes.every(files, shapes.templateFile, 'templates.files.list')
  same(new Set(files.map(({ path }) => path)).size, files.length, 'templates.files.list has each path once')
  return files
}

async function all<T> (items: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

/** All that `readAll` gives, from the file on that is handed over. */
export async function packed (files: AsyncIterable<PackedFile>): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for await (const file of files) found[file.path] = (await bytesOf(file)).toString()
  return found
}

export async function readAll (stage: Stage, template = name): Promise<AsyncIterable<PackedFile>> {
  const files = await stage.settled(filesOf(stage).readAll(template, stage.options), 'templates.files.readAll')
  assert.ok(files !== false, 'templates.files.readAll answered false for a template that is there')
  return files
}

/** That a file was changed a moment ago, by one of the clocks that there are. */
export function isOfNow (stage: Stage, { path, modifiedAt }: TemplateFile): void {
  if (stage.now === undefined) return
  assert.ok([stage.now, Date.now()].some(now => Math.abs(modifiedAt - now) < SLACK_MS), `modifiedAt of ${show(path)} is the time of its last change in milliseconds, which was a moment ago, and not ${modifiedAt}`)
}

export async function bytesOf ({ content }: Pick<TemplateContent, 'content'>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of content) {
    assert.ok(piece instanceof Uint8Array, `the content of a file comes in pieces that are a Uint8Array, and not ${show(piece)}`)
    all.push(Uint8Array.from(piece))
  }
  return Buffer.concat(all)
}

/** A file that is there. */
export async function open (stage: Stage, path: string, template = name): Promise<TemplateContent> {
  const file = await stage.settled(filesOf(stage).read(template, path, stage.options), 'templates.files.read')
  assert.ok(typeof file === 'object', `templates.files.read of ${show(path)}, which is listed, answered ${show(file)}`)
  return file
}

/** What is in a template, by path; what is listed has to be what is read. */
export async function bytesIn (stage: Stage, template = name): Promise<Record<string, Buffer>> {
  const files = [...await listed(stage, template)].sort((a, b) => a.path < b.path ? -1 : 1)
  const found = await Promise.all(files.map(async ({ path, size, mode, modifiedAt }) => {
    const file = await open(stage, path, template)
    same([file.size, file.mode, file.modifiedAt], [size, mode, modifiedAt], `templates.files.read and list must tell the same size, mode and modifiedAt of ${show(path)}`)
    const bytes = await bytesOf(file)
    assert.equal(bytes.length, size, `${show(path)} has as many bytes as its size says`)
    return [path, bytes] as const
  }))
  return Object.fromEntries(found)
}

export const texts = async (stage: Stage, template = name): Promise<Record<string, string>> =>
  Object.fromEntries(Object.entries(await bytesIn(stage, template)).map(([path, bytes]) => [path, bytes.toString()]))

/** What is answered within a few moments; nothing where that has to wait for something that is under way. */
export async function meanwhile<T> (stage: Stage, answer: MaybePromise<T>): Promise<T | undefined> {
  const asked = Promise.resolve(answer)
  const state = { over: false }
  const over = (): void => { state.over = true }
  asked.then(over, over)
  for (let looks = 0; looks < PATIENCE && !state.over; looks++) await stage.pause()
  return state.over ? await asked : undefined
}
