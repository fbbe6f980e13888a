/** A console that is read anew begins with lines that are there already: where the new ones begin is found out by comparing. */

/** As many lines that are the same are no chance. */
const enough = 1_000

/** How many of the lines given are known already; undefined where none of them are, so that something may be missing in between. */
export function knownOf (known: readonly string[], given: readonly string[]): number | undefined {
  let best: number | undefined
  let most = 0
  for (let end = given.length; end > 0; end--) {
    const reach = Math.min(end, known.length, enough)
    let same = 0
    while (same < reach && known[known.length - 1 - same] === given[end - 1 - same]) same++
    // The whole of what both have of that time is the same; of two places that fit as well, the earlier one hides nothing.
    if (same === reach && same >= most && same > 0) [best, most] = [end, same]
  }
  return best
}
