/** The interface, by its own client: answers what was asked for, or throws what the server says. */
import { type CloudClient, CloudError, createClient } from '../../client/index.js'
import { lost, whenLostFor } from './connection.js'
import { span } from './parts/text.js'
import { place } from './place.js'
import { createStore } from './store.js'

/** Why something was not done, in the server's sentence. */
export class Refusal extends Error {
  /** 0 where there was no answer. */
  readonly status: number
  readonly code: string
  constructor (status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

type OnAnswer = (status: number, path: string) => void

const listeners = new Set<OnAnswer>()

/** Hears of every answer, until the answered function is called: the session and the connection are judged by them. */
export function onAnswer (listener: OnAnswer): () => void {
  listeners.add(listener)
  return () => { listeners.delete(listener) }
}

/** 0 where there was no answer. */
export function tell (status: number, path: string): void {
  // Only a stream that is open again shows what happens; a proxy in front of a dead server answers as well.
  if (status === 0) lost()
  for (const listener of listeners) listener(status, path)
}

/** What finds out who is logged in, and lets them in. */
const ofSessions = /^\/(?:auth\/|user\/self|user\/tokens)/
const isHeld = createStore(false)

/** Whether whatever else is asked waits, until somebody has logged in again. */
export const holdBack = (isSo: boolean): void => { isHeld.set(isSo) }

/** Until nothing is held back. */
export async function passed (): Promise<void> {
  if (!isHeld.get()) return
  await new Promise<void>(resolve => {
    const leave = isHeld.subscribe(() => {
      leave()
      resolve()
    })
  })
}

/** A network may die without a word, and the browser has few connections: what only reads is given up, and can be asked again. */
const patienceMs = 30_000
/** The core answers earlier, whatever it does. */
const actPatienceMs = 60_000
/** What is on its way when a connection is lost would be sent again by the browser when it is back, long after somebody wanted it. */
export const lostPatienceMs = 5_000

export const unanswered = (): Refusal => new Refusal(0, 'unanswered', 'There was no answer: it is not known whether it was done. Look before you do it again.')

async function send (request: Request): Promise<Response> {
  const path = request.url.slice(place.api.length)
  if (!ofSessions.test(path)) await passed()
  const giving = new AbortController()
  const isAct = request.method !== 'GET'
  const giveUp = (): void => { giving.abort(isAct ? unanswered() : undefined) }
  const timer = setTimeout(giveUp, isAct ? actPatienceMs : patienceMs)
  const leave = isAct ? whenLostFor(lostPatienceMs, giveUp) : undefined
  try {
    const answer = await fetch(request, { signal: AbortSignal.any([request.signal, giving.signal]) })
    tell(answer.status, path)
    return answer
  } catch (error) {
    if (!request.signal.aborted) tell(0, path)
    throw error
  } finally {
    clearTimeout(timer)
    leave?.()
  }
}

export const cloud: CloudClient = createClient({ url: place.api, fetch: send })

interface Answer<T> {
  readonly data?: T
  readonly error?: unknown
  readonly response: Response
}

/** What the server answered; throws its refusal. */
export async function ask<T> (asked: Promise<Answer<T>>): Promise<T> {
  let answer
  try {
    answer = await asked
  } catch (error) {
    if (error instanceof Refusal) throw error
    if (error instanceof CloudError) throw new Refusal(error.status, error.code, error.message)
    throw new Refusal(0, 'unreachable', 'The server cannot be reached; nothing is known to be done')
  }
  const { data, error, response } = answer
  if (response.ok) return data as T
  const { status, code, message } = refusalOf(response.status, error)
  const seconds = status === 429 ? Number(response.headers.get('retry-after')) : 0
  throw new Refusal(status, code, seconds > 0 ? `${message}. Try again in ${span(seconds * 1_000)}.` : message)
}

/** The refusal that a body tells, whatever a proxy may have put there. */
export function refusalOf (status: number, body: unknown): Refusal {
  const { message, code } = (body ?? {}) as { message?: unknown, code?: unknown }
  return new Refusal(status, typeof code === 'string' ? code : 'unknown', typeof message === 'string' && message !== '' ? message : `The server answered ${status}`)
}

/** Whether it is over when the connection is back; what may have been done is not. */
export const isUnreachable = (error: unknown): boolean => error instanceof Refusal && error.code === 'unreachable'
export const sentenceOf = (error: unknown): string => (error as { message?: string }).message ?? String(error)
