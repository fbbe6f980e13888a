/** Whether the Java of this machine runs a platform, for those who add one. */
import { textOf } from '../runtime/fleet/faults.js'
import { checkJava } from '../runtime/process/java.js'

/** What keeps the `java` in the path from running it; undefined when nothing is known to. */
export async function javaProblem (oldest: number, signal: AbortSignal): Promise<string | undefined> {
  try {
    await checkJava('java', oldest, process.env, signal)
    return undefined
  } catch (error) {
    return textOf(error)
  }
}
