/** Names that become files and directories. */

const name = /^[A-Za-z0-9_][A-Za-z0-9_-]{0,63}$/

/** Whether a text may name a group or a template. */
export function isName (text: string): boolean {
  return name.test(text)
}

/** Names that differ in case only are the same, since some file systems think so. */
export function isSameName (one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

const control = /[\p{Cc}\p{Zl}\p{Zp}]/u
const longestLine = 4095

/** Whether a text is one line that can be written to a console in one piece. */
export function isLine (text: string): boolean {
  return !control.test(text) && text.isWellFormed() && Buffer.byteLength(text) <= longestLine
}
