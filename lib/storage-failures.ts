/** A storage whose errors are failures of ours, so that nothing it throws can be taken for an answer. */
import type { CloudStorage } from '../types/storage.js'
import { errorOf } from './cloud/faults.js'
import { InternalServerError, StorageUnavailable } from './errors.js'

type Method = (...given: unknown[]) => unknown

/** Milliseconds that a call may take. */
const patienceMs = 30_000

export interface Closing {
  /** Aborted when the host begins to close. */
  readonly leaving: AbortSignal
  /** Milliseconds that a call may still take then. */
  readonly hurryMs: number
}

/**
 * The same storage, whose calls reject with 503 when it says that it is away or has not answered in time, and with 500 for
 * anything else, whatever that claims to be. Whether a write that has not answered is done, nobody knows.
 */
export function withFailures (storage: CloudStorage, { leaving, hurryMs }: Closing): CloudStorage {
  const { users, roles, sessions, keys, audit, metrics } = storage
  const hurries = new Set<() => void>()
  leaving.addEventListener('abort', () => { for (const hurry of hurries) hurry() }, { once: true })

  const inTime = (call: () => Promise<unknown>): Promise<unknown> => new Promise((resolve, reject) => {
    function giveUp (): void {
      end()
      reject(StorageUnavailable.because(new Error('The storage has not answered in time')))
    }
    function hurry (): void {
      clearTimeout(timer)
      timer = setTimeout(giveUp, hurryMs)
    }
    function end (): void {
      clearTimeout(timer)
      hurries.delete(hurry)
    }
    let timer = setTimeout(giveUp, leaving.aborted ? hurryMs : patienceMs)
    hurries.add(hurry)
    call().then(answer => {
      end()
      resolve(answer)
    }, (error: unknown) => {
      end()
      reject(failureFor(error))
    })
  })

  /** One part of it. The methods of a class are found on its prototype, so it is asked for each when it is called. */
  function guardStore<Store extends object> (store: Store): Store {
    const guards = new Map<Method, Method>()
    return new Proxy(store, {
      get: (_store, name) => {
        const method = (store as Record<string | symbol, Method>)[name]
        if (typeof method !== 'function') return method
        const guard = guards.get(method) ?? ((...given) => inTime(async () => await method.apply(store, given)))
        guards.set(method, guard)
        return guard
      }
    })
  }

  return {
    users: guardStore(users),
    roles: guardStore(roles),
    sessions: guardStore(sessions),
    keys: guardStore(keys),
    audit: guardStore(audit),
    metrics: guardStore(metrics),
    ...(storage.subscribe !== undefined && { subscribe: storage.subscribe.bind(storage) })
  }
}

/** What was thrown is looked at as a copy: to read it may throw again. */
function failureFor (error: unknown): Error {
  return (isUnavailable(error) ? StorageUnavailable : InternalServerError).because(errorOf(error))
}

function isUnavailable (error: unknown): boolean {
  try {
    return (error as { unavailable?: unknown } | null | undefined)?.unavailable === true
  } catch {
    return false
  }
}
