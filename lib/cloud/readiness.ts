/** Whether storage and runtime answer, told in time whatever hangs. */
import type { CloudStorage } from '../../types/storage.js'
import type { WithDeadline } from './deadline.js'
import type { CloudRuntime } from '../../types/runtime.js'

export type Reach = 'ok' | 'away'

export interface Readiness {
  readonly storage: Reach
  readonly runtime: Reach
}

/** How long an answer may take. A little less than what is promised, since the answer has to get out as well. */
const patienceMs = 1_900

/** Asks both. However many ask, each is asked once at a time, and not again before an older question is answered. */
export function createReadiness (storage: CloudStorage, runtime: CloudRuntime, withDeadline: WithDeadline): () => Promise<Readiness> {
  const askStorage = createQuestion(async () => await storage.users.count())
  const askRuntime = createQuestion(async () => await withDeadline<unknown>(options => runtime.metrics.sample(options)))
  return async () => {
    const [isStored, isRun] = await Promise.all([askStorage(), askRuntime()])
    return { storage: isStored, runtime: isRun }
  }
}

function createQuestion (ask: () => Promise<unknown>): () => Promise<Reach> {
  let asked: Promise<Reach> | undefined
  return async () => {
    asked ??= ask().then(() => 'ok' as const, () => 'away' as const).finally(() => { asked = undefined })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<Reach>(resolve => { timer = setTimeout(() => { resolve('away') }, patienceMs) })
    try {
      return await Promise.race([asked, late])
    } finally {
      clearTimeout(timer)
    }
  }
}
