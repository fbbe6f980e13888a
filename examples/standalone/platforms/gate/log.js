// How often a line of a kind that a stranger can cause is printed at most.
const pauseMs = 10_000

const rare = new Map()

/** Prints one line the way the proxies of the field do: `[12:34:56 INFO]: text`. */
export function log (text, level = 'INFO') {
  const time = new Date().toTimeString().slice(0, 8)
  process.stdout.write(`[${time} ${level}]: ${printable(text)}\n`)
}

/**
 * Prints a warning of a kind at once, and then at most one of that kind every ten seconds, with the number of those
 * that were left out: whoever can cause a line must not fill the disk with it.
 *
 * @param {string} kind one of a few fixed words
 * @param {string} text
 * @returns {boolean} whether it was printed
 */
export function warnRarely (kind, text) {
  const now = performance.now()
  const last = rare.get(kind)
  if (last !== undefined && now - last.at < pauseMs) {
    last.leftOut++
    return false
  }
  rare.set(kind, { at: now, leftOut: 0 })
  log(last?.leftOut > 0 ? `${text} (and ${last.leftOut} more of these since the last line)` : text, 'WARN')
  return true
}

/**
 * Text that cannot steer a terminal or forge a line: control, format and unassigned characters,
 * lone surrogates, the Unicode line separators and whatever else leaves no mark become `?`.
 */
export function printable (text) {
  return text.replace(/[\p{C}\u2028\u2029\p{Default_Ignorable_Code_Point}\u2800]/gu, '?')
}
