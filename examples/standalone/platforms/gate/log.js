// How often a line of a kind that a stranger can cause is printed at most.
const pauseMs = 10_000

/** So much is kept for whoever reads the lines. */
const mostUnread = 1024 * 1024

const rare = new Map()
let unread = 0

/**
 * Prints one line the way the proxies of the field do: `[12:34:56 INFO]: text`. Whoever reads the lines may have stopped doing so:
 * what does not fit in is left out, and counted.
 */
export function log (text, level = 'INFO') {
  if (process.stdout.writableLength > mostUnread) {
    unread++
    return
  }
  if (unread > 0) {
    const count = unread
    unread = 0
    log(`${count} lines are left out here: nobody has read what came before`, 'WARN')
  }
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
 * Tells what is wrong as long as it is, a new text at once, and at most one every ten seconds: what comes sooner is told later, if
 * it still holds by then. To be called again and again.
 */
export function createNotice () {
  let told
  let quietUntil = -Infinity
  return {
    tell: text => {
      const now = performance.now()
      if (text === told || now < quietUntil) return
      told = text
      quietUntil = now + pauseMs
      log(text, 'WARN')
    },
    /** It is right again; whether something was told. */
    clear: () => {
      const wasTold = told !== undefined
      told = undefined
      return wasTold
    }
  }
}

/**
 * Text that cannot steer a terminal or forge a line: control, format and unassigned characters,
 * lone surrogates, the Unicode line separators and whatever else leaves no mark become `?`.
 */
export function printable (text) {
  return text.replace(/[\p{C}\u2028\u2029\p{Default_Ignorable_Code_Point}\u2800]/gu, '?')
}
