/** Has the storage do what a caller asks for, as long as they are who they were when it was judged what they may do. */
import type { Asked } from '../../types/storage.js'
import { type Caller, type Permit, actorOf } from '../access/caller.js'
import { StorageUnavailable } from '../errors.js'

/** More often in a row nobody's role is edited between two statements; a storage that refuses everybody ends here. */
const attempts = 10

/**
 * Tries a write for the caller. Where the storage says that they are not who they were, they are settled anew, which
 * throws the 401 or 403 of somebody who may not do it any more, and whoever still may tries again: `write` judges its own
 * rules on the caller that it gets.
 */
export async function act<T> (permit: Permit, write: (caller: Caller, asked: Asked) => Promise<T>): Promise<Exclude<T, 'stale-actor'>> {
  let caller = await permit()
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const entry = permit.entry?.()
    const outcome = await write(caller, { by: actorOf(caller), ...(entry !== undefined && { entry }) })
    if (outcome === 'done' || typeof outcome === 'object') permit.stored?.()
    if (outcome !== 'stale-actor') return outcome as Exclude<T, 'stale-actor'>
    caller = await permit(caller)
  }
  throw StorageUnavailable.because(new Error(`The storage refused the actor of a write ${attempts} times in a row`))
}

/** What goes with a write whose entry has to name what was made, which its request did not. */
export const about = <A extends Asked>(asked: A, target: string): A => asked.entry === undefined ? asked : { ...asked, entry: { ...asked.entry, target } }
