/**
 * Prints one line the way a vanilla server does: `[12:34:56] [Server thread/INFO]: text`.
 *
 * Everything goes to standard output, errors too, because that is the console a vanilla operator reads.
 */
export function log (text, { thread = 'Server thread', level = 'INFO' } = {}) {
  const time = new Date().toTimeString().slice(0, 8)
  process.stdout.write(`[${time}] [${thread}/${level}]: ${printable(text)}\n`)
}

/**
 * Text that cannot steer a terminal or forge a line: control, format and unassigned characters,
 * lone surrogates and the Unicode line separators become `?`.
 */
export function printable (text) {
  return text.replace(/[\p{C}\u2028\u2029]/gu, '?')
}
