/** Which texts can be shown to somebody as they are, and how the rest is written. */

/**
 * Control, formatting, private, unassigned and lone surrogate code points, line separators, and whatever else leaves no
 * mark on a screen or moves what stands there.
 */
const unprintable = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const every = new RegExp(unprintable, 'gu')

export const isPrintable = (text: string): boolean => !unprintable.test(text)

/** The text with everything that is not printable written as `\u009b` or `\u{e0001}`, for a log that a terminal may show. */
export function printable (text: string): string {
  return text.replace(every, character => {
    const code = (character.codePointAt(0) as number).toString(16).padStart(4, '0')
    return code.length > 4 ? `\\u{${code}}` : `\\u${code}`
  })
}
