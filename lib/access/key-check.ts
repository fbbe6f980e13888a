/** Takes an API key from a request and judges it; how often a wrong one may be tried is limited, as for logins. */
import type { FastifyRequest } from 'fastify'
import type { MaybePromise } from '../../types/runtime.js'
import { InvalidKey } from '../errors.js'
import { addressOf } from './address.js'
import type { Audit } from './audit.js'
import type { Caller } from './caller.js'
import type { Identities } from './identities.js'
import { idOf } from './key.js'

/** Counts the wrong keys of each id and address. */
export interface KeyAttempts {
  /** @throws Failure 429 where no key of that id is looked at from there now */
  check (address: string, id: string): void
  fail (address: string, id: string): void
  forget (address: string, id: string): void
}

export interface KeyCheck {
  /**
   * Whose key it is, at once where it is known.
   * @throws Failure 401 for one that is none, has ended, or is not accepted from there; 429 after too many of them
   */
  find (request: FastifyRequest, key: string): MaybePromise<Caller>
}

const scheme = 'Bearer '
const start = `${scheme}fc_`
/** Ids of keys that were right once; the one noted first goes first. */
const mostProven = 10_000
/** How often it is read again which keys were right at another core, or before this one started. */
const readAgainMs = 10_000

/** The key in the one header where one is looked for; undefined where that holds none. One that stands there twice is read as one of no right form. */
export function keyIn ({ headers: { authorization }, raw: { rawHeaders } }: FastifyRequest): string | undefined {
  if (authorization === undefined) return undefined
  let [count, hasKey] = [0, false]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length !== 13 || name.toLowerCase() !== 'authorization') continue
    count++
    hasKey ||= (rawHeaders[at + 1] as string).startsWith(start)
  }
  if (!hasKey && !authorization.startsWith(start)) return undefined
  return count > 1 ? '' : authorization.slice(scheme.length)
}

export interface KeyCheckParts {
  readonly identities: Identities
  readonly attempts: KeyAttempts
  readonly audit: Audit
  /** The ids of keys that were used before. */
  used (): Promise<readonly string[]>
}

export function createKeyCheck ({ identities, attempts, audit, used }: KeyCheckParts): KeyCheck {
  const proven = new Set<string>()
  let readAt = -Infinity
  let reading: Promise<void> | undefined

  function prove (id: string): void {
    if (proven.has(id)) return
    if (proven.size >= mostProven) proven.delete(proven.values().next().value as string)
    proven.add(id)
  }

  async function read (): Promise<void> {
    if (performance.now() - readAt < readAgainMs) return await reading
    readAt = performance.now()
    reading = used().then(ids => { for (const id of ids) prove(id) })
    await reading
  }

  /** Whoever shares the address of a script that goes on with a key that has ended is not shut out with it. */
  async function checkAttempts (address: string, id: string): Promise<void> {
    if (proven.has(id)) return
    try {
      attempts.check(address, id)
    } catch (error) {
      await read()
      if (!proven.has(id)) throw error
    }
  }

  function refuse (request: FastifyRequest, id: string, reason = InvalidKey.message): never {
    const address = addressOf(request)
    attempts.check(address, id)
    attempts.fail(address, id)
    audit(request, 'key.failed', 'refused', { ...(id !== '' && { key: id }), reason })
    throw InvalidKey
  }

  const isFrom = (request: FastifyRequest, { credential }: Caller): boolean =>
    credential.kind === 'key' && credential.isFrom(addressOf(request))

  async function look (request: FastifyRequest, key: string): Promise<Caller> {
    const id = idOf(key) ?? ''
    const address = addressOf(request)
    await checkAttempts(address, id)
    const caller = await identities.findKey(key)
    if (caller === undefined) return refuse(request, id)
    if (!isFrom(request, caller)) return refuse(request, id, 'Address is not among those of the key')
    prove(id)
    attempts.forget(address, id)
    return caller
  }

  return {
    find: (request, key) => {
      const caller = identities.knownKey(key)
      return caller !== undefined && isFrom(request, caller) ? caller : look(request, key)
    }
  }
}
