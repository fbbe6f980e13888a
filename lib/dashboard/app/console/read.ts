/** Reads the console of a service for as long as somebody looks, over lost connections and new lives; what may be missing is said. */
import { CloudError } from '../../../client/index.js'
import { cloud, passed } from '../cloud.js'
import { look } from '../session.js'
import { knownOf } from './again.js'
import type { Lines } from './lines.js'

const [tooSlow, unauthorized, forbidden] = [1013, 3000, 3003]
const pauseMs = 1_000
/** The last lines come at once; what is in there that was seen before is left out. */
const gatherMs = 300

export async function readLines (service: string, lines: Lines, signal: AbortSignal): Promise<void> {
  /** Why the stream is read anew, and whether lines may be missing because of that. */
  let gap: { readonly text: string, readonly isGap: boolean } | undefined
  // How much the server keeps is its own to decide, and nothing in what it sends says where that begins.
  lines.note('lines from before these, if there were any, are not shown')
  while (!signal.aborted) {
    let gathered: string[] | undefined
    const settle = (): void => {
      if (gathered === undefined || gap === undefined) return
      const known = knownOf(lines.all().filter(({ isNote }) => !isNote).map(({ text }) => text), gathered)
      if (known === undefined) lines.note(gap.text, gap.isGap)
      else lines.note('connected again: no line is missing here')
      for (const line of gathered.slice(known ?? 0)) lines.add(line)
      gathered = gap = undefined
    }
    try {
      for await (const line of cloud.console(service, { signal })) {
        if (gap === undefined) lines.add(line)
        else if (gathered === undefined) {
          gathered = [line]
          setTimeout(settle, gatherMs)
        } else gathered.push(line)
      }
      settle()
      gap ??= { text: 'connected again: the last lines are repeated', isGap: false }
    } catch (error) {
      settle()
      const status = error instanceof CloudError ? error.status : 0
      gap = {
        text: status === tooSlow
          ? 'lines were left out here: they came faster than this page could take them; the last ones follow'
          : 'the connection was lost here: lines may be missing; the last ones follow',
        isGap: true
      }
      if (status === unauthorized || status === forbidden) await look()
    }
    if (!signal.aborted) await new Promise(resolve => { setTimeout(resolve, pauseMs) })
    await passed()
  }
}
