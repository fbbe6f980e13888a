/** A storage whose errors are failures of ours, so that nothing it throws can be taken for an answer. */
import type { CloudStorage } from '../types/storage.js'
import { InternalServerError, StorageUnavailable } from './errors.js'

type Method = (...given: unknown[]) => unknown

/** The same storage, whose calls reject with 503 when it says that it is away, and with 500 for anything else, whatever that claims to be. */
export function withFailures (storage: CloudStorage): CloudStorage {
  const { users, roles, sessions, metrics } = storage
  return {
    users: guarded(users),
    roles: guarded(roles),
    sessions: guarded(sessions),
    metrics: guarded(metrics),
    ...(storage.subscribe !== undefined && { subscribe: storage.subscribe.bind(storage) })
  }
}

/** One part of it. The methods of a class are found on its prototype, so it is asked for each when it is called. */
function guarded<Store extends object> (store: Store): Store {
  const guards = new Map<Method, Method>()
  return new Proxy(store, {
    get: (_store, name) => {
      const method = (store as Record<string | symbol, Method>)[name]
      if (typeof method !== 'function') return method
      const guard = guards.get(method) ?? guardOf(store, method)
      guards.set(method, guard)
      return guard
    }
  })
}

const guardOf = (store: object, method: Method): Method => async (...given) => {
  try {
    return await method.apply(store, given)
  } catch (error) {
    throw failureFor(error)
  }
}

const failureFor = (error: unknown): Error =>
  ((error as { unavailable?: unknown } | null | undefined)?.unavailable === true ? StorageUnavailable : InternalServerError).because(error)
