/** Asking for something that is somewhere else, over HTTP: a few redirects, nothing encoded, and sentences for what goes wrong. */
import { codeOf, textOf } from '../faults.js'

/** Why something could not be had, for people. `retryAfter`: milliseconds that the other side asks to wait. */
export class DownloadError extends Error {
  override readonly name = 'DownloadError'
  readonly retryAfter: number | undefined

  constructor (message: string, { retryAfter, ...options }: ErrorOptions & { readonly retryAfter?: number | undefined } = {}) {
    super(message, options)
    this.retryAfter = retryAfter
  }
}

export interface RequestOptions {
  readonly signal: AbortSignal
  readonly headers?: Readonly<Record<string, string>>
}

const mostRedirects = 5
const redirects = new Set([301, 302, 303, 307, 308])
/** Nobody is obeyed who asks to be left alone for longer. */
const longestWait = 3_600_000

/** An address as it may be told: what follows the path may be somebody's key. */
export const shownAddress = (url: string | URL): string => {
  const { host, pathname } = new URL(url)
  return `${host}${pathname}`
}

/** Asks for an address and answers the head of the answer, whatever its status; its body still has to be read, or cancelled. */
export async function request (address: string, { signal, headers = {} }: RequestOptions): Promise<Response> {
  let url = new URL(address)
  if (!isTaken(url)) throw new DownloadError(`${shownAddress(url)}: is an address that is not taken`)
  for (let left = mostRedirects; ; left--) {
    const response = await ask(url, { signal, headers: { 'user-agent': 'fastify-cloud', ...headers, 'accept-encoding': 'identity' } })
    if (!redirects.has(response.status)) return response
    await cancel(response)
    if (left === 0) throw new DownloadError(`${shownAddress(address)}: was sent on more than ${mostRedirects} times`)
    url = nextOf(url, response.headers.get('location'))
  }
}

async function ask (url: URL, options: { readonly signal: AbortSignal, readonly headers: Record<string, string> }): Promise<Response> {
  try {
    return await fetch(url, { ...options, redirect: 'manual' })
  } catch (error) {
    options.signal.throwIfAborted()
    throw new DownloadError(`${url.host} cannot be reached: ${reasonOf(error)}`, { cause: error })
  }
}

/** The sum tells whether a file is the right one, but whoever listens may not be given more by a redirect than by the address. */
function nextOf (url: URL, location: string | null): URL {
  const from = shownAddress(url)
  if (location === null || !URL.canParse(location, url.href)) throw new DownloadError(`${from}: was sent on to nowhere`)
  const next = new URL(location, url)
  if (!isTaken(next)) throw new DownloadError(`${from}: was sent on to an address that is not taken`)
  if (url.protocol === 'https:' && next.protocol === 'http:') throw new DownloadError(`${from}: was sent on from https to http`)
  return next
}

const isTaken = ({ protocol, username, password }: URL): boolean => ['http:', 'https:'].includes(protocol) && username === '' && password === ''

/** What an answer that is none of the wanted ones says. */
export async function refuse (response: Response, address: string): Promise<DownloadError> {
  await cancel(response)
  const { status, statusText, headers } = response
  return new DownloadError(`${shownAddress(address)} answered ${`${status} ${statusText.replaceAll(/[\p{Cc}\P{ASCII}]/gu, '?')}`.trim()}`, { retryAfter: waitOf(headers.get('retry-after')) })
}

/** `Retry-After` (RFC 9110 §10.2.3): seconds, or a date. */
function waitOf (header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longestWait)
}

/** What `fetch` has to say is in the cause of what it throws. */
export function reasonOf (error: unknown): string {
  const { cause } = (error ?? {}) as { readonly cause?: unknown }
  const { errors } = (cause ?? {}) as { readonly errors?: readonly unknown[] }
  const inner = errors?.[0] ?? cause
  return inner === undefined ? textOf(error) : codeOf(inner) ?? textOf(inner)
}

/** Lets go of a body that nobody wants. */
export async function cancel ({ body }: Response): Promise<void> {
  await body?.cancel().catch(() => {})
}
