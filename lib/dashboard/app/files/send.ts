/**
 * Sends a file and tells how far it is. This is the one request that the client does not send: `fetch` tells nothing about a body on its
 * way, so it is an XMLHttpRequest, with the client's address and the browser's cookie.
 */
import { addressOf } from '../../../client/address.js'
import { Refusal, lostPatienceMs, passed, refusalOf, tell } from '../cloud.js'
import { whenLostFor } from '../connection.js'
import { place } from '../place.js'

export interface Sent {
  /** Below the address of the interface. */
  readonly path: string
  readonly method: 'PUT' | 'POST'
  readonly body: Blob
  readonly type: string
}

export const pathOfFile = (template: string, path: string): string => addressOf('/template/{templateName}/file/{path}', { templateName: template, path })
export const pathOfArchive = (template: string): string => addressOf('/template/{templateName}/archive', { templateName: template })
export const linkToArchive = (template: string): string => place.api + pathOfArchive(template)

/** Undefined for a path that no address can have, whatever a runtime may list. */
export function linkToFile (template: string, path: string): string | undefined {
  try {
    return place.api + pathOfFile(template, path)
  } catch {
    return undefined
  }
}

/** What the server answered; throws its refusal, or the reason of the signal. */
export async function send ({ path, method, body, type }: Sent, signal: AbortSignal, onProgress: (sent: number) => void): Promise<unknown> {
  // Whatever was dropped may be a directory, or gone: a browser would tell that as a network that fails.
  await body.slice(0, 1).arrayBuffer().catch(() => { throw new Refusal(0, 'unreadable', 'The browser cannot read this file') })
  await passed()
  signal.throwIfAborted()
  const request = new XMLHttpRequest()
  const leave = (): void => { request.abort() }
  signal.addEventListener('abort', leave, { once: true })
  let isSent = false
  let unwatch = (): void => {}
  try {
    return await new Promise((resolve, reject) => {
      const fail = (): void => {
        tell(0, path)
        reject(new Refusal(0, 'unreachable', isSent ? 'The connection was lost before the server answered: it may have been taken, or not' : 'The connection was lost: nothing of it was taken'))
      }
      const watch = (): void => {
        unwatch()
        // What still gets on has a connection, whatever became of that of the events.
        unwatch = whenLostFor(lostPatienceMs, () => {
          fail()
          request.abort()
        })
      }
      watch()
      request.open(method, place.api + path)
      request.withCredentials = true
      request.setRequestHeader('content-type', type)
      request.upload.onprogress = ({ loaded }) => {
        watch()
        onProgress(loaded)
      }
      request.upload.onload = () => {
        isSent = true
        onProgress(body.size)
      }
      request.onabort = () => { reject(signal.reason) }
      request.onerror = fail
      request.onload = () => {
        tell(request.status, path)
        const answer = read(request.responseText)
        if (request.status >= 200 && request.status < 300) resolve(answer)
        else reject(refusalOf(request.status, answer))
      }
      request.send(body)
    })
  } finally {
    unwatch()
    signal.removeEventListener('abort', leave)
  }
}

function read (text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
