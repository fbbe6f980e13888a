/** The rules about the files of templates. */
import { createGzip, constants } from 'node:zlib'
import { Readable, pipeline } from 'node:stream'
import type { TemplateFile } from '../../types/resources.js'
import type { CloudRuntime } from '../../types/runtime.js'
import type { NewTemplateFile, PackedFile, TemplateContent, TemplateFiles as Source, TemplatePut } from '../../types/template-files.js'
import { EndsEarly } from '../archive/bytes.js'
import { whys } from '../archive/names.js'
import { EntryRefused, NoTar, readTar } from '../archive/read-tar.js'
import { unzip } from '../archive/unzip.js'
import { type FileForTar, writeTar } from '../archive/write-tar.js'
import {
  Failure, InternalServerError, RuntimeAnswerInvalid, TemplateArchiveInvalid, TemplateFileNotFound, TemplateFileTooLarge, TemplateNotFound,
  TemplatesFull, UnsupportedTemplates, templateArchiveTooLarge, templateEntryTooLarge, templateFileRefused
} from '../errors.js'
import type { Settings } from '../options.js'
import { printable } from '../printable.js'
import { isName } from '../schemas/names.js'
import { problemOfPath } from '../schemas/template-path.js'
import { checkList, checkWord } from './answers.js'
import { chunkLength, inChunks, isWhole } from './chunks.js'
import { isPromise, type Permit, type WhenGone, type WithDeadline } from './deadline.js'
import { errorOf, type Faults } from './faults.js'
import { templateFileShape } from './shapes.js'
import { type Turns, type Waiting, leftOf, waitingFor } from './turns.js'
import { createUploads } from './uploads.js'

/** What somebody sends. */
export interface Body {
  readonly user: string
  readonly permit: Permit
  readonly bytes: AsyncIterable<Uint8Array>
}

/** Each throws 404 where there is no such template, or no such file, and 400 for a path that none can have. */
export interface TemplateFiles {
  /** A piece after the other, as it is read. */
  list (template: string, gone: WhenGone): Promise<AsyncIterable<readonly TemplateFile[]>>
  /** Whoever does not read its content to the end calls `return` of its iterator. */
  open (template: string, path: string, gone: WhenGone): Promise<TemplateContent>
  /** Answers whether it is new. */
  put (template: string, path: string, mode: string | undefined, body: Body): Promise<boolean>
  delete (permit: Permit, template: string, path: string, who?: Waiting): Promise<void>
  /** All of a template as a tar.gz. */
  pack (template: string, gone: WhenGone): Promise<Readable>
  /** Takes in a tar.gz, whole or not at all. */
  unpack (template: string, replace: boolean, body: Body): Promise<{ readonly added: number, readonly replaced: number }>
}

/** Characters of a path that are told. */
const shown = (path: string): string => printable(path.slice(0, 200))

export interface TemplateFilesParts {
  readonly settings: Pick<Settings, 'maxTemplateFile' | 'maxTemplateArchive' | 'runtimeTimeout'>
  readonly withDeadline: WithDeadline
  /** Of one party some verbs are asked for at a time. */
  readonly verbTurns: Turns
  readonly faults: Faults
  readonly closing: AbortSignal
}

export function createTemplateFiles ({ templates }: CloudRuntime, { settings, withDeadline, verbTurns, faults, closing }: TemplateFilesParts): TemplateFiles {
  const { maxTemplateFile, maxTemplateArchive, runtimeTimeout } = settings
  const uploads = createUploads(runtimeTimeout, closing)
  const waiting = waitingFor(runtimeTimeout)

  function source (template: string, path?: string): Source {
    const files = templates?.files
    if (files === undefined) throw UnsupportedTemplates
    if (!isName(template)) throw TemplateNotFound
    const problem = path === undefined ? undefined : problemOfPath(path)
    if (problem !== undefined) throw templateFileRefused(shown(path as string), problem)
    return files
  }

  async function list (template: string, gone: WhenGone): Promise<AsyncIterable<readonly TemplateFile[]>> {
    const files = source(template)
    const given = await withDeadline<unknown>(options => files.list(template, options), { name: 'templates.files.list', gone })
    if (given === false) throw TemplateNotFound
    const check = (items: unknown): AsyncIterable<readonly TemplateFile[]> => {
      const checked = checkList(items, templateFileShape, faults)
      return isWhole(checked) ? inChunks(checked) : checked
    }
    if (!isIterable(given)) return check(given)
    return (async function * () {
      for await (const some of inPieces(given)) yield * check(some)
    })()
  }

  async function open (template: string, path: string, gone: WhenGone): Promise<TemplateContent> {
    const files = source(template, path)
    const given = await withDeadline(options => {
      const answer = files.read(template, path, options)
      return isPromise(answer) ? answer.then(late => options.signal.aborted ? letGo(late) : late) : answer
    }, { name: 'templates.files.read', gone })
    if (given === false) throw TemplateNotFound
    if (given === 'no-file') throw TemplateFileNotFound
    if (typeof given !== 'object' || !Number.isSafeInteger(given.size) || typeof given.content?.[Symbol.asyncIterator] !== 'function') throw RuntimeAnswerInvalid
    return given
  }

  async function take (template: string, { user, permit, bytes }: Body, replace: boolean, read: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<NewTemplateFile>) {
    const files = source(template)
    return await uploads.run(user, async ({ signal, watch, progress, settle }) => {
      let wrong: unknown
      /** What goes wrong here is the client's, whatever the runtime makes of it. */
      async function * noting<T> (work: () => AsyncIterable<T>): AsyncGenerator<T, void, void> {
        try {
          yield * work()
        } catch (error) {
          wrong ??= error
          throw error
        }
      }
      const permitted = async (): Promise<void> => {
        try {
          await permit()
        } catch (error) {
          wrong ??= error
          throw error
        }
      }
      /** Of one piece that was sent there may be thousands of files: who asks for the next has got on. */
      async function * step<T> (given: AsyncIterable<T>): AsyncGenerator<T, void, void> {
        for await (const one of given) {
          yield one
          progress()
        }
      }
      const all = noting(async function * (): AsyncGenerator<NewTemplateFile, void, void> {
        for await (const file of step(read(watch(bytes)))) yield { ...file, content: noting(() => step(file.content)) }
        // The right to do it may have ended while all that was sent.
        await permitted()
      })
      const put = async (): Promise<TemplatePut> => await files.put(template, all, { replace, signal, permit: permitted, progress })
      const answer = await settle(put()).catch((error: unknown) => {
        if (wrong === undefined) throw error instanceof Failure ? error : InternalServerError.because(errorOf(error))
      })
      if (wrong !== undefined) throw refusalOf(wrong)
      return outcomeOf(answer as TemplatePut)
    })
  }

  return {
    list,
    open,
    put: async (template, path, mode, body) => {
      source(template, path)
      const { added } = await take(template, body, false, async function * (bytes) {
        yield { path, ...(mode === undefined ? {} : { mode }), content: atMost(bytes, maxTemplateFile) }
      })
      return added === 1
    },
    delete: async (permit, template, path, given) => {
      const [files, who] = [source(template, path), waiting(given)]
      const answer = await verbTurns.together(who, async () =>
        await withDeadline.act<unknown>(permit, options => files.delete(template, path, options), { name: 'templates.files.delete', timeout: leftOf(who) }))
      switch (checkWord(answer, [true, false, 'no-file'])) {
        case false: throw TemplateNotFound
        case 'no-file': throw TemplateFileNotFound
      }
    },
    pack: async (template, gone) => {
      const files = source(template)
      const all = await withDeadline<unknown>(options => files.readAll(template, options), { name: 'templates.files.readAll', gone })
      if (all === false) throw TemplateNotFound
      if (!isIterable(all)) throw RuntimeAnswerInvalid
      async function * each (): AsyncGenerator<FileForTar, void, void> {
        for await (const file of all as AsyncIterable<PackedFile>) if (problemOfPath(file.path) === undefined) yield file
      }
      // What goes wrong cuts the answer off, which no gzip is whole without.
      return pipeline(Readable.from(writeTar(each()), { objectMode: false }), createGzip({ level: constants.Z_BEST_SPEED }), () => {})
    },
    unpack: async (template, replace, body) => await take(template, body, replace, async function * (bytes) {
      const archive = unzip(bytes, maxTemplateArchive)
      try {
        yield * readTar(archive.content, { most: maxTemplateArchive, mostOfFile: maxTemplateFile, problemOf: problemOfPath })
        await archive.end()
      } finally {
        archive.leave()
      }
    })
  }
}

/** Closes what comes when nobody waits for it any more: it may have a file open. */
async function letGo<T extends TemplateContent | false | 'no-file'> (given: T): Promise<T> {
  if (typeof given === 'object') await given.content[Symbol.asyncIterator]().return?.()
  return given
}

/** Throws 413 where there is more. */
async function * atMost (bytes: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array, void, void> {
  let left = most
  for await (const piece of bytes) {
    left -= piece.length
    if (left < 0) throw TemplateFileTooLarge
    yield piece
  }
}

const isIterable = (given: unknown): given is AsyncIterable<unknown> => typeof (given as AsyncIterable<unknown> | null)?.[Symbol.asyncIterator] === 'function'

async function * inPieces (items: AsyncIterable<unknown>): AsyncGenerator<readonly unknown[], void, void> {
  let piece: unknown[] = []
  for await (const item of items) {
    if (piece.push(item) < chunkLength) continue
    yield piece
    piece = []
  }
  if (piece.length > 0) yield piece
}

/** What a client is told of what it sent. */
function refusalOf (error: unknown): unknown {
  if (error instanceof EntryRefused) {
    const path = shown(error.path)
    return error.why === 'too large' ? templateArchiveTooLarge(path) : error.why === 'is too large' ? templateEntryTooLarge(path) : templateFileRefused(path, error.why)
  }
  const { code } = error as { readonly code?: unknown }
  if (error instanceof NoTar || error instanceof EndsEarly || (typeof code === 'string' && code.startsWith('Z_'))) return TemplateArchiveInvalid
  return error
}

function outcomeOf (answer: TemplatePut): { readonly added: number, readonly replaced: number } {
  if (answer === false) throw TemplateNotFound
  if (answer === 'full') throw TemplatesFull
  if (typeof answer !== 'object' || answer === null) throw RuntimeAnswerInvalid
  if ('refused' in answer && answer.why === 'many') throw templateArchiveTooLarge(shown(String(answer.refused)))
  if ('refused' in answer) throw templateFileRefused(shown(String(answer.refused)), whys[answer.why as keyof typeof whys] ?? whys.blocked)
  const { added, replaced } = answer
  if (!Number.isSafeInteger(added) || !Number.isSafeInteger(replaced)) throw RuntimeAnswerInvalid
  return { added, replaced }
}
