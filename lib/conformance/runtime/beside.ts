/** How many runtimes of an author can be tried at once. */
import { setTimeout as delay } from 'node:timers/promises'
import type { MaybePromise } from '../../../types/runtime.js'
import { Findings } from './findings.js'
import { Stage } from './stage.js'
import type { RuntimeUnderTest } from './under-test.js'

/** A start that takes no longer is waiting and little work: then others can be waited for as well. */
const QUICK_MS = 800

const MOST = 16

const LITTLE_MS = 20

/**
 * Opens two runtimes at once, and answers how many there may be: one where they share a group, a port or whatever else lets
 * the second one fail, where starts are slow, and where time passes only when it is told to: that may be the same for all.
 */
export async function besides (create: () => MaybePromise<RuntimeUnderTest>): Promise<number> {
  const open: RuntimeUnderTest[] = []
  const enter = async (): Promise<{ readonly stage: Stage, readonly ms: number }> => {
    const began = performance.now()
    const subject = await create()
    open.push(subject)
    const stage = new Stage(subject, new Findings(), QUICK_MS)
    const { group } = subject
    if (group !== undefined && await stage.findGroup(group.name) !== undefined) return { stage, ms: Infinity }
    await stage.online()
    return { stage, ms: performance.now() - began }
  }
  try {
    const first = await enter()
    if (first.ms > QUICK_MS || !await passes(first.stage.subject)) return 1
    const second = await enter()
    // Neither has taken anything away from the other.
    for (const { stage } of [first, second]) if (!(await stage.services()).some(({ state }) => state === 'ONLINE')) return 1
    return Math.max(1, Math.min(MOST, Math.floor(QUICK_MS / Math.max(first.ms, second.ms))))
  } catch {
    // What fails here fails in the cases as well, which say why.
    return 1
  } finally {
    for (const subject of open) await subject.close()
  }
}

/** Whether time passes by itself, as far as the author lets that be seen. */
async function passes ({ pause, now }: RuntimeUnderTest): Promise<boolean> {
  if (pause === undefined) return true
  if (now === undefined) return false
  const [began, then] = [performance.now(), now()]
  await delay(LITTLE_MS)
  const moved = now() - then
  return moved > 0 && moved <= 2 * (performance.now() - began)
}
