/** Files on their way into templates. They go on while other views are open. */
import { Refusal, sentenceOf } from '../cloud.js'
import { announce } from '../parts/announce.js'
import { plain } from '../parts/text.js'
import { createStore } from '../store.js'
import { holdUnsaved } from '../unsaved.js'
import { pathOfArchive, pathOfFile, send } from './send.js'

export interface Upload {
  readonly id: number
  readonly template: string
  /** In the template; of an archive, its own name. */
  readonly path: string
  readonly body: Blob
  /** For an archive: whether it takes the place of all that is there. */
  readonly archive?: { readonly isReplacing: boolean }
  readonly state: 'waiting' | 'sending' | 'done' | 'failed' | 'aborted'
  readonly sent: number
  /** What came of it. */
  readonly said?: string
}

/** The server takes four of one user: another tab may have some as well. */
const atOnce = 2

export const uploads = createStore<readonly Upload[]>([])
/** Counts up whenever something has come in, so that lists are asked for anew. */
export const arrivals = createStore(0)

const endings = new Map<number, AbortController>()
let count = 0
const isOpen = ({ state }: Upload): boolean => state === 'waiting' || state === 'sending'
holdUnsaved({ isHeld: () => uploads.get().some(isOpen) })

function change (id: number, changes: Partial<Upload>): void {
  uploads.set(uploads.get().map(one => one.id === id ? { ...one, ...changes } : one))
}

export function add (template: string, files: ReadonlyArray<Pick<Upload, 'path' | 'body' | 'archive'>>): void {
  uploads.set([...uploads.get(), ...files.map(file => ({ ...file, template, id: count++, state: 'waiting' as const, sent: 0 }))])
  fill()
}

function fill (): void {
  for (;;) {
    const all = uploads.get()
    const next = all.find(({ state }) => state === 'waiting')
    if (next === undefined || all.filter(({ state }) => state === 'sending').length >= atOnce) return
    run(next).then(fill)
  }
}

async function run ({ id, template, path, body, archive }: Upload): Promise<void> {
  const ending = new AbortController()
  endings.set(id, ending)
  change(id, { state: 'sending', sent: 0 })
  try {
    const answer = await send(archive === undefined
      ? { method: 'PUT', path: pathOfFile(template, path), body, type: 'application/octet-stream' }
      : { method: 'POST', path: `${pathOfArchive(template)}?replace=${String(archive.isReplacing)}`, body, type: 'application/gzip' },
    ending.signal, sent => { change(id, { sent }) })
    change(id, { state: 'done', sent: body.size, said: saidOf(answer) })
  } catch (error) {
    const isLeft = ending.signal.aborted && !(error instanceof Refusal)
    const isSent = uploads.get().some(one => one.id === id && one.sent >= body.size)
    change(id, isLeft
      ? { state: 'aborted', said: isSent ? 'stopped when all was sent: it may have been taken, or not' : 'stopped: nothing of it was taken' }
      : { state: 'failed', said: sentenceOf(error) })
  }
  endings.delete(id)
  if (uploads.get().some(isOpen)) return
  arrivals.set(arrivals.get() + 1)
  const failed = uploads.get().filter(({ state }) => state === 'failed')
  announce(failed.length === 0 ? 'All files are there' : `${failed.length} not taken: ${plain(failed[0]?.said ?? '')}`)
}

function saidOf (answer: unknown): string {
  const { data } = (answer ?? {}) as { readonly data?: { readonly added?: number, readonly replaced?: number } }
  return data?.added === undefined ? 'is there' : `${data.added} new, ${data.replaced ?? 0} replaced`
}

/** Paths that are there, or will be, because of what was sent from here. */
export const pathsOf = (template: string): readonly string[] =>
  uploads.get().flatMap(one => one.template === template && one.archive === undefined && (isOpen(one) || one.state === 'done') ? [one.path] : [])

export function stop (id: number): void {
  const upload = uploads.get().find(one => one.id === id)
  if (upload?.state === 'waiting') change(id, { state: 'aborted', said: 'not sent' })
  endings.get(id)?.abort()
}

export function again (id: number): void {
  change(id, { state: 'waiting', sent: 0 })
  fill()
}

/** Takes what is over from the list. */
export function tidy (template: string): void {
  uploads.set(uploads.get().filter(one => one.template !== template || isOpen(one)))
}
