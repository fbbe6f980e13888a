/** Text that strangers have a hand in, as a terminal can be given it. */

/** Whatever leaves no mark on a terminal, or moves what stands there; unassigned characters are not trusted either. */
const unprintable = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** A change of colour, which is all that a game server may do to the terminal of its operator. */
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const colours = /(\u001b\[[\d;]*m)/

/** Nothing that a terminal would act upon, or that nobody would see, is written as it is. */
export function escaped (text) {
  return text.replace(unprintable, character => {
    const code = character.codePointAt(0).toString(16).padStart(4, '0')
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`
  })
}

/** A line of a console: its colours stay and end with it, what was overwritten is gone, the rest is escaped. */
export function shown (line) {
  const written = line.slice(line.lastIndexOf('\r', line.length - 2) + 1).trimEnd()
  const parts = written.split(colours)
  const text = parts.map((part, index) => index % 2 === 1 ? part : escaped(part.replaceAll('\t', '    '))).join('')
  return parts.length > 1 ? `${text}\u001b[0m` : text
}
