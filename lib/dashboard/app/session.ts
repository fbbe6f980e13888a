/** Who is logged in, and what they may do. The token is the browser's to keep: this page never asks for it, and keeps none that an answer holds. */
import type { User } from '../../../types/resources.js'
import { Refusal, ask, cloud, holdBack, onAnswer } from './cloud.js'
import type { Question } from './parts/confirm.js'
import { place } from './place.js'
import { createStore } from './store.js'
import { begin, isUnsaved } from './unsaved.js'

export type Session =
  | { readonly phase: 'unknown' | 'away' | 'first' }
  /** With a user: whose page waits behind the login, as it was. */
  | { readonly phase: 'login', readonly note?: string, readonly user?: User }
  | { readonly phase: 'password' | 'inside', readonly user: User }

export const session = createStore<Session>({ phase: 'unknown' })

/** Who is logged in here, or was until their session ended. */
export const userOf = (now: Session): User | undefined => 'user' in now ? now.user : undefined

session.subscribe(() => {
  const now = session.get()
  holdBack(now.phase !== 'inside' && userOf(now) !== undefined)
})

/** Other tabs of this browser share the cookie. */
const tabs = new BroadcastChannel(`fastify-cloud ${place.api}`)
tabs.onmessage = ({ data }: MessageEvent<'entered' | 'left' | 'leaving?' | 'unsaved'>) => {
  if (data === 'leaving?') {
    if (owner !== undefined && isUnsaved()) tabs.postMessage('unsaved')
  } else if (data === 'unsaved') heardUnsaved()
  else if (data === 'left' && owner !== undefined) forget()
  else look()
}

/** Another tab says at once that it has something to lose. */
const answerMs = 200
let heardUnsaved = (): void => {}

/** Whether a logout loses what is not saved, in this tab or another one of the browser. */
async function isLosing (): Promise<boolean> {
  if (isUnsaved()) return true
  return await new Promise(resolve => {
    heardUnsaved = () => { resolve(true) }
    setTimeout(() => { resolve(false) }, answerMs)
    tabs.postMessage('leaving?')
  })
}

/** What is asked before a session is ended by whose it is; undefined where nothing is lost. */
export const beforeLeaving = async (): Promise<Question | undefined> => await isLosing()
  ? { title: 'Log out?', question: 'What is not saved or sent yet, here or in another tab of this browser, is lost.', submit: 'Log out' }
  : undefined

let isFirst = place.isFirst
/** Whose this page is: what they typed and read is in its memory. */
let owner: string | undefined
const ended = 'Your session has ended. Log in to go on where you were.'

/** Asks who is logged in, and shows what follows from it. */
export async function look (): Promise<'refused' | undefined> {
  try {
    const { data: user } = await ask(cloud.GET('/user/self'))
    isFirst = false
    if (owner !== undefined && owner !== user.uuid) {
      begin()
      return undefined
    }
    owner = user.uuid
    session.set({ phase: user.hasChangedPassword || !await isChangeRequired() ? 'inside' : 'password', user })
  } catch (error) {
    const now = session.get()
    const { phase } = now
    if (!(error instanceof Refusal) || error.status === 0 || error.status >= 500) {
      if (phase === 'unknown') session.set({ phase: 'away' })
      if (phase === 'unknown' || phase === 'away') setTimeout(() => { look() }, 1_000)
      return undefined
    }
    if (error.status === 429) return undefined
    if (now.phase === 'inside' || now.phase === 'password') session.set({ phase: 'login', note: ended, user: now.user })
    else if (phase === 'unknown' || phase === 'away') session.set({ phase: isFirst ? 'first' : 'login' })
    return 'refused'
  }
  return undefined
}

/** Whether a password that was generated has to be changed: the host decides. */
async function isChangeRequired (): Promise<boolean> {
  try {
    await ask(cloud.GET('/user/tokens'))
    return false
  } catch (error) {
    return error instanceof Refusal && error.code === 'password_change_required'
  }
}

const notKept = 'The browser has not kept the cookie of the session. Over http, from another machine, it keeps none that is Secure (INSECURE_COOKIE=1 makes one for a lab without TLS); another cookie of the same name may be in the way as well.'

/** After a login, or a changed password; the other tabs hear of it. Throws where the server, that has just let them in, does not know them. */
export async function entered (): Promise<void> {
  const { phase } = session.get()
  if (await look() === 'refused') {
    if (phase !== 'first') throw new Error(notKept)
    toLogin(notKept)
  }
  tabs.postMessage('entered')
}

export async function leave (): Promise<void> {
  await ask(cloud.POST('/auth/logout'))
  left()
}

/** The session is over, and somebody here wanted that: nothing of theirs stays in the page. */
export function left (): void {
  tabs.postMessage('left')
  forget()
}

function forget (): void {
  session.set({ phase: 'login' })
  begin()
}

/** From now on the first admin is somebody else's to make, or made. */
export function toLogin (note?: string): void {
  isFirst = false
  session.set({ phase: 'login', ...(note !== undefined && { note }) })
}

export const toFirst = (): void => { session.set({ phase: 'first' }) }

let isLooking = false
onAnswer((status, path) => {
  // A refusal may mean that the session or a right is gone: what is offered follows.
  if ((status !== 401 && status !== 403) || isLooking || session.get().phase !== 'inside' || path === '/user/self') return
  isLooking = true
  look().finally(() => { setTimeout(() => { isLooking = false }, 500) })
})

/** Whether the caller's role has that permission, named below the namespace. */
export function holds (permission: string): boolean {
  const permissions = userOf(session.get())?.role.permissions ?? []
  return permissions.includes('*') || permissions.includes(`${place.namespace}.${permission}`)
}

export const isAdmin = (): boolean => userOf(session.get())?.role.id === -1
