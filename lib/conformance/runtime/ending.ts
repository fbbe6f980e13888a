/** Whether a life is over, as far as that can be seen: what tells one life of a service from the next is optional. */
import type { RuntimeService } from '../../../types/runtime.js'
import type { Stage } from './stage.js'

/** For how long a service may stay ONLINE, with nothing that tells one life from the next, until that is taken for another life already: it had begun before anybody could look. */
const UNSEEN_MS = 1_500
const UNSEEN_LOOKS = 60

/** Answers, look for look, whether what is listed is no longer the life of which `before` is known: it has ended, or the next one has begun. */
export function ending (stage: Stage, before: RuntimeService): (now: RuntimeService) => boolean {
  const clock = (): number | undefined => stage.subject.pause === undefined ? performance.now() : stage.now
  const began = clock()
  let looks = 0
  return now => {
    if (now.state === 'OFFLINE' || now.startedAt !== before.startedAt || now.lastExit?.at !== before.lastExit?.at) return true
    // By a clock of whole seconds two lives may have begun, and ended, at one time.
    const isTold = [now.startedAt, now.lastExit?.at].some(at => at !== undefined && at % 1_000 !== 0)
    if (now.state !== 'ONLINE' || isTold) return false
    const passed = began === undefined ? UNSEEN_MS : clock()! - began
    return ++looks > UNSEEN_LOOKS && passed >= UNSEEN_MS
  }
}
